"""Accuracy of the graph against what compiler-grade resolvers say about real repositories.

    scripts/bench graph --repos DIR --truth DIR [--only NAME ...] [--minimum 0.5] [--examples N] [--keep DIR]
    scripts/bench graph --pycg DIR               the PyCG micro-benchmark (its `snippets` folder)
    scripts/bench graph --cost --repos DIR       what extraction costs beside parsing and chunking
    scripts/bench graph --synthetic              how fast the graph is walked (see graph_speed.py)

DIR of `--truth` holds `<repo>.json.gz` and the scorer, `score_edges.py`; DIR of `--repos` one checkout per repository.
`truth_clang.py` makes such truths for C and C++; lines that its preprocessor left out are not judged.
Each repository is indexed through the real pipeline into a scratch folder and exported as `sightline export` does it;
relationships with confidence of at least `--minimum` are the prediction. Printed are precision and recall by
repository, language, type and resolution, and how the stated confidence compares with the measured precision
(calibration, over all confidences).
"""

from __future__ import annotations

import argparse
import contextlib
import io
import itertools
import json
import runpy
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import graph_cost
import graph_pycg
import graph_speed

from sightline.config import make_config
from sightline.graph.read.export import objects_and_relationships
from sightline.indexer.pipeline import index_root
from sightline.indexer.service import open_writer
from sightline.store import open_snapshot

CALLS, INHERITANCE, IMPORTS = "CALLS", "INHERITANCE", "IMPORTS"
TYPES = (CALLS, INHERITANCE, IMPORTS)
JUDGED = {"calls": CALLS, "instantiates": CALLS, "inherits": INHERITANCE, "implements": INHERITANCE, "imports": IMPORTS}
BUCKETS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1.01)
WITHIN = 0.1  # how far measured precision may lie from the stated confidence
FEW = 10  # judged edges below which a bucket says nothing
GOALS = {  # precision, recall
    (CALLS, "python"): (0.95, 0.88),
    (CALLS, "typescript"): (0.93, 0.80),
    (CALLS, "go"): (0.95, 0.92),
    (CALLS, "java"): (0.93, 0.85),
    (CALLS, "c"): (0.97, 0.93),
    (CALLS, "cpp"): (0.93, 0.85),
    (INHERITANCE, ""): (0.97, 0.97),
    (IMPORTS, ""): (0.97, 0.97),
}


@dataclass
class Tally:
    """What the scorer counted."""

    tp: int = 0
    fp: int = 0
    found: int = 0
    truth: int = 0
    detail: Counter[str] = field(default_factory=Counter)

    def add(self, scored: dict[str, Any]) -> None:
        for name in ("tp", "fp", "found", "truth"):
            setattr(self, name, getattr(self, name) + scored[name])
        self.detail.update({k: v for k, v in scored.items() if k.startswith(("fp_", "neutral_")) and v})

    @property
    def precision(self) -> float | None:
        return self.tp / (self.tp + self.fp) if self.tp + self.fp else None

    @property
    def recall(self) -> float | None:
        return self.found / self.truth if self.truth else None


class Scorer:
    """The given scorer, loaded once; truths are read once each."""

    def __init__(self, script: Path, truth: Path, examples: int) -> None:
        arguments = sys.argv
        with tempfile.TemporaryDirectory() as nothing, contextlib.redirect_stdout(io.StringIO()):
            sys.argv = [str(script), nothing, "--truth", str(truth), "--quiet", "--examples", str(examples)]
            try:
                self._scorer = runpy.run_path(str(script))
            finally:
                sys.argv = arguments
        self._truth, self._read = truth, dict[str, Any]()
        self._ran: dict[str, dict[Any, list[dict[str, Any]]]] = {}  # by what is declared: what may stand in for it

    def truth(self, repo: str) -> Any:
        if repo not in self._read:
            self._read[repo] = self._scorer["Truth"](f"{self._truth}/{repo}.json.gz")
        return self._read[repo]

    def score(
        self, repo: str, edges: Iterable[dict[str, Any]]
    ) -> tuple[dict[str, dict[str, Any]], dict[str, list[Any]]]:
        """Scores by type, and examples of mistakes by kind."""
        unseen = {path: set(lines) for path, lines in self.truth(repo).d.get("unseen", {}).items()}
        judged = (
            edge
            for edge in edges
            if edge["site_line"] not in unseen.get(edge["source"]["path"], ()) or self._is_known(repo, edge)
        )
        predicted = {
            "repo": repo,
            "edges": [made for edge in judged for made in self._as_it_ran(repo, prediction(edge))],
        }
        scores, examples = self._scorer["score"](predicted, self.truth(repo))
        return scores, examples

    def _as_it_ran(self, repo: str, predicted: dict[str, Any]) -> list[dict[str, Any]]:
        """A call of what an interface or base declares, as calls of what stood in for it there when the tests ran."""
        truth = self.truth(repo)
        if predicted["type"] != "CALLS" or "stands_for" not in truth.d:
            return [predicted]
        if repo not in self._ran:
            self._ran[repo] = defaultdict(list)
            for ran, declared in truth.d["stands_for"]:
                self._ran[repo][truth.find(declared, True)].append(ran)
        caller, callee = truth.find(predicted["caller"], False), truth.find(predicted["callee"], True)
        others = [ran for ran in self._ran[repo][callee] if (caller, truth.find(ran, True)) in truth.len]
        itself = [predicted] if not others or (caller, callee) in truth.len else []
        return [*itself, *({**predicted, "callee": ran} for ran in others)]

    def _is_known(self, repo: str, edge: dict[str, Any]) -> bool:
        """Does the truth have a call? An edge names the first of its places, which may be one that is not judged."""
        predicted = prediction(edge)
        if predicted["type"] != "CALLS":
            return False
        truth = self.truth(repo)
        return (truth.find(predicted["caller"], False), truth.find(predicted["callee"], True)) in truth.len


def main() -> int:
    chosen = arguments()
    if chosen.synthetic:
        graph_speed.main(chosen.rest)
        return 0
    if chosen.pycg:
        graph_pycg.report(chosen.pycg, examples=chosen.examples)
        return 0
    if chosen.cost:
        graph_cost.report(chosen.repos, chosen.only)
        return 0
    scorer = Scorer(chosen.scorer or chosen.truth / "score_edges.py", chosen.truth, chosen.examples)
    repos = chosen.only or sorted(path.name.removesuffix(".json.gz") for path in chosen.truth.glob("*.json.gz"))
    edges: dict[str, list[dict[str, Any]]] = {}
    for repo in repos:
        began = time.monotonic()
        edges[repo] = relationships(chosen.repos / repo)
        print(f"# {repo}: {len(edges[repo])} relationships, {time.monotonic() - began:.0f} s", file=sys.stderr)
    if chosen.keep:
        chosen.keep.mkdir(parents=True, exist_ok=True)
        for repo, found in edges.items():
            predicted = [prediction(edge) for edge in found if edge["confidence"] >= chosen.minimum]
            (chosen.keep / f"{repo}.json").write_text(json.dumps({"repo": repo, "edges": predicted}), encoding="utf-8")
    figures = {
        "accuracy": accuracy(scorer, edges, chosen.minimum),
        "resolution": by_resolution(scorer, edges),
        "calibration": calibration(scorer, edges),
    }
    if chosen.out:
        chosen.out.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    return 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench graph", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--repos", type=Path)
    parser.add_argument("--truth", type=Path)
    parser.add_argument("--scorer", type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--minimum", type=float, default=0.5)
    parser.add_argument("--examples", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="folder for the predictions")
    parser.add_argument("--out", type=Path, help="file for the figures")
    parser.add_argument("--pycg", type=Path)
    parser.add_argument("--cost", action="store_true")
    parser.add_argument("--synthetic", action="store_true")
    chosen, rest = parser.parse_known_args()
    chosen.rest = rest
    if rest and not chosen.synthetic:
        parser.error(f"unknown arguments: {' '.join(rest)}")
    if not (chosen.synthetic or chosen.pycg or (chosen.repos and (chosen.cost or chosen.truth))):
        parser.error("give --repos and --truth, --repos and --cost, --pycg or --synthetic")
    return chosen


def relationships(root: Path) -> list[dict[str, Any]]:
    """Index a repository and export the relationships that stay inside of it."""
    with tempfile.TemporaryDirectory() as scratch:
        config = make_config(root, index_dir=scratch, embedder="none")
        with open_writer(config, None) as writer:
            index_root(config, writer, None)
        snapshot = open_snapshot(config.index_dir)
        assert snapshot is not None
        return [
            record
            for record in objects_and_relationships(snapshot)
            if record["type"] == "relationship" and record["relationship_type"] in JUDGED and record["target"]["path"]
        ]


def prediction(edge: dict[str, Any]) -> dict[str, Any]:
    """A relationship as the scorer wants it."""
    type_ = edge["relationship_type"]
    source, target = place(edge["source"]), place(edge["target"])
    if type_ == "imports":
        return {"type": "IMPORTS", "from": source["path"], "to": target["path"]}
    if type_ in ("inherits", "implements"):
        return {"type": type_.upper(), "sub": source, "super": target}
    return {"type": "CALLS", "caller": source, "callee": target, "site_line": edge["site_line"]}


def place(end: dict[str, Any]) -> dict[str, Any]:
    name = "<module>" if end["kind"] == "module" else end["qualified_name"]
    return {"path": end["path"], "name": name, "line": end["line"]}


def accuracy(scorer: Scorer, edges: dict[str, list[dict[str, Any]]], minimum: float) -> dict[str, Any]:
    """Precision and recall by repository, and by language and type with the goals."""
    print(f"\nconfidence >= {minimum}")
    print(
        f"{'repository':14} {'type':12} precision  recall     tp    fp   found/truth  not judged, and kinds of mistakes"
    )
    languages: dict[tuple[str, str], Tally] = defaultdict(Tally)
    figures: dict[str, Any] = {}
    for repo, found in edges.items():
        scores, examples = scorer.score(repo, (edge for edge in found if edge["confidence"] >= minimum))
        language = scorer.truth(repo).lang
        for type_ in TYPES:
            tally = Tally()
            tally.add(scores[type_])
            languages[type_, language].add(scores[type_])
            if tally.tp + tally.fp + tally.truth:
                print(line(repo, type_, tally))
                figures[f"{repo} {type_}"] = [tally.precision, tally.recall]
        for kind, listed in examples.items():
            for example in listed:
                print("   ", kind, example)
    print()
    for (type_, language), tally in sorted(languages.items()):
        if tally.tp + tally.fp + tally.truth:
            goal = GOALS.get((type_, language)) or GOALS.get((type_, ""))
            print(line(language, type_, tally) + verdict(tally, goal))
            figures[f"{language} {type_}"] = [tally.precision, tally.recall]
    return figures


def line(label: str, type_: str, tally: Tally) -> str:
    detail = " ".join(f"{name}={count}" for name, count in sorted(tally.detail.items()))
    return (
        f"{label:14} {type_:12} {share(tally.precision)}      {share(tally.recall)} {tally.tp:7} {tally.fp:5} "
        f"{tally.found:6}/{tally.truth:<6} {detail}"
    )


def verdict(tally: Tally, goal: tuple[float, float] | None) -> str:
    if goal is None:
        return ""
    met = (tally.precision or 0) >= goal[0] and (tally.recall or 0) >= goal[1]
    return f"   goal {goal[0]:.2f} / {goal[1]:.2f}: {'met' if met else 'NOT MET'}"


def by_resolution(scorer: Scorer, edges: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Calls by how their target was found, all confidences: what each way is worth."""
    print(
        f"\ncalls by resolution\n{'language':14} {'resolution':12} precision  edges     tp    fp   of all truth found"
    )
    figures: dict[str, Any] = {}
    languages = sorted({scorer.truth(repo).lang for repo in edges})
    resolutions = sorted({edge["resolution"] for found in edges.values() for edge in found})
    for language in [*languages, "all"]:
        for resolution in resolutions:
            counted, tally = judged(
                scorer,
                edges,
                lambda edge, resolution=resolution: edge["resolution"] == resolution,
                CALLS,
                language if language != "all" else None,
            )
            if counted:
                print(
                    f"{language:14} {resolution:12} {share(tally.precision)}  {counted:9} {tally.tp:6} {tally.fp:5}   "
                    f"{share(tally.recall)}"
                )
                figures[f"{language} {resolution}"] = [tally.precision, counted]
    return figures


def calibration(scorer: Scorer, edges: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Stated confidence against measured precision."""
    print(f"\ncalibration\n{'type':12} {'confidence':>12}  stated  measured   judged   edges")
    figures = []
    for type_ in TYPES:
        for low, high in itertools.pairwise(BUCKETS):
            chosen = [
                edge["confidence"]
                for found in edges.values()
                for edge in found
                if low <= edge["confidence"] < high and JUDGED[edge["relationship_type"]] == type_
            ]
            if not chosen:
                continue
            _, tally = judged(scorer, edges, lambda edge, low=low, high=high: low <= edge["confidence"] < high, type_)
            stated, measured, count = sum(chosen) / len(chosen), tally.precision, tally.tp + tally.fp
            off = measured is not None and count >= FEW and abs(stated - measured) > WITHIN
            note = "   OFF" if off else "   few" if count < FEW else ""
            bucket = f"{low:5.2f}-{min(high, 1):5.2f}"
            print(f"{type_:12} {bucket}    {stated:.3f}   {share(measured)}   {count:7} {len(chosen):7}{note}")
            figures.append({"type": type_, "from": low, "stated": stated, "measured": measured, "judged": count})
    return figures


def judged(
    scorer: Scorer,
    edges: dict[str, list[dict[str, Any]]],
    wanted: Callable[[dict[str, Any]], bool],
    type_: str,
    language: str | None = None,
) -> tuple[int, Tally]:
    """Score some of the edges alone; also how many there were."""
    tally, counted = Tally(), 0
    for repo, found in edges.items():
        if language is not None and scorer.truth(repo).lang != language:
            continue
        chosen = [edge for edge in found if wanted(edge) and JUDGED[edge["relationship_type"]] == type_]
        counted += len(chosen)
        scores, _ = scorer.score(repo, chosen)
        tally.add(scores[type_])
    return counted, tally


def share(value: float | None) -> str:
    return "  -  " if value is None else f"{value:.3f}"


if __name__ == "__main__":
    raise SystemExit(main())
