"""How good the answers of `code_research` are, through the very code of the tool.

    scripts/bench research [--repos DIR --annotations DIR] [--latency ROOT] [--only NAME ...] [--index-dir DIR]

Part one: the repositories of fixtures/research, whose facts were read off the source by hand. Per question, the share
of true facts that the answer states (recall) and the share of stated facts that are not true (false). Compared are the
relationships that the kind of question is about; guessed ones, which answers mark as such, are counted on their own.

Part two (with --repos and --annotations): the architecture questions of an annotated set of repositories, laid out as
for `scripts/bench quality`. Share of questions whose target files are all named in the answer within the budget, share
of targets shown with source, and tokens of the answer, beside what finding and reading the same targets costs with
grep: the matching lines of the question's words (files ranked by how many of the words they hold) and then the files in
that order, whole, until the last target was read.

Part three (with --latency): how long every kind of question takes on one root, asked about its most connected symbols,
folders and files, which are the expensive ones.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import tempfile
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

from sightline.config import make_config
from sightline.embed import Embedder, load_embedder
from sightline.indexer.pipeline import index_root
from sightline.indexer.service import open_writer
from sightline.retrieval.query import analyse
from sightline.retrieval.research import ResearchResult, research
from sightline.retrieval.research.evidence import Graph
from sightline.store import Snapshot, open_snapshot
from sightline.tokens import estimate_tokens

FIXTURES = Path(__file__).parents[2] / "fixtures" / "research"
GREP_LINES_PER_FILE = 5  # an agent's grep is piped through head
COMPARED = {
    "implementations": {"inherits", "implements", "overrides"},
    "callers": {"calls", "instantiates", "overrides"},
    "callees": {"calls", "instantiates", "overrides"},
    "trace": {"calls", "instantiates", "overrides"},
    "path": {"calls", "instantiates", "overrides"},
    "dependencies": {"depends_on"},
    "dependents": {"depends_on"},
    "cycles": {"depends_on"},
    "impact": {"calls", "instantiates", "overrides", "imports", "inherits", "implements", "uses_type", "decorates"},
}


def main() -> None:
    """Run both parts and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=Path, help="folder with one checkout per repository")
    parser.add_argument("--annotations", type=Path, help="folder with NAME.json per repository")
    parser.add_argument("--latency", type=Path, help="root to measure the latency on")
    parser.add_argument("--index-dir", type=Path, default=Path(tempfile.gettempdir()) / "sightline-bench")
    parser.add_argument("--only", nargs="*", default=[], help="names of repositories, or languages of part one")
    parser.add_argument("--max-tokens", type=int, default=4_000)
    parser.add_argument("--verbose", action="store_true", help="list missing and false facts, and missed questions")
    args = parser.parse_args()
    embedder = load_embedder("static")
    checked_facts(embedder, args)
    if args.repos and args.annotations:
        architecture_questions(embedder, args)
    if args.latency:
        latency(embedder, args)


def indexed(root: Path, home: Path, embedder: Embedder) -> Snapshot:
    """Index a folder and open it."""
    config = make_config(root, index_dir=home)
    with open_writer(config, embedder) as writer:
        index_root(config, writer, embedder)
    snapshot = open_snapshot(config.index_dir)
    if snapshot is None:
        sys.exit(f"{root}: nothing was indexed")
    return snapshot


# Part one


def checked_facts(embedder: Embedder, args: argparse.Namespace) -> None:
    """Hand-checked facts: recall and false ones per language."""
    print(f"{'':12}{'questions':>10}{'facts':>8}{'recall':>8}{'stated':>8}{'false':>8}{'guessed':>9}{'understood':>12}")
    total: dict[str, int] = defaultdict(int)
    for listing in sorted(FIXTURES.glob("*.toml")):
        if args.only and listing.stem not in args.only:
            continue
        with tempfile.TemporaryDirectory() as home:
            snapshot = indexed(FIXTURES / listing.stem, Path(home), embedder)
            count = score_questions(snapshot, embedder, listing, verbose=args.verbose)
        for key, value in count.items():
            total[key] += value
        print(row(listing.stem, count))
    print(row("all", total))


def score_questions(snapshot: Snapshot, embedder: Embedder, listing: Path, *, verbose: bool) -> dict[str, int]:
    """Ask every question of a fixture and compare the facts."""
    count: dict[str, int] = defaultdict(int)
    for question in tomllib.loads(listing.read_text(encoding="utf-8"))["question"]:
        result = research(snapshot, question["ask"], embedder=embedder)
        true = set(question["facts"])
        folders = question.get("any_file", False)
        stated = stated_facts(result, proven=True, folders=folders)
        guessed = stated_facts(result, proven=False, folders=folders) - stated
        count["questions"] += 1
        count["understood"] += question.get("kind", result.kind) == result.kind
        count["facts"] += len(true)
        count["found"] += len(true & stated)
        count["stated"] += len(stated)
        count["false"] += len(stated - true)
        count["guessed"] += len(guessed)
        if verbose and (true != stated or guessed):
            print(f"  {listing.stem}: {question['ask']} ({result.kind})")
            for label, facts in (("missing", true - stated), ("false", stated - true), ("guessed", guessed)):
                for fact in sorted(facts):
                    print(f"    {label}: {fact}")
    return count


def stated_facts(result: ResearchResult, *, proven: bool, folders: bool) -> set[str]:
    """The facts of an answer that its kind of question is about, as `source relationship target`."""
    kinds = COMPARED.get(result.kind, set())
    found = {(f.source, f.kind, f.target) for f in result.facts if f.kind in kinds and f.proven is proven}
    if folders:
        found = {(a.rpartition("/")[0] + "/", kind, b.rpartition("/")[0] + "/") for a, kind, b in found}
    return {" ".join(fact) for fact in found}


def row(name: str, count: dict[str, int]) -> str:
    """One line of the table."""
    recall = count["found"] / count["facts"] if count["facts"] else 1.0
    false = count["false"] / count["stated"] if count["stated"] else 0.0
    return (
        f"{name:12}{count['questions']:>10}{count['facts']:>8}{recall:>8.3f}{count['stated']:>8}{false:>8.3f}"
        f"{count['guessed']:>9}{count['understood']:>12}"
    )


# Part two


def architecture_questions(embedder: Embedder, args: argparse.Namespace) -> None:
    """Target files named within the budget, and what the same costs with grep and reading."""
    repos = {e["name"]: e for e in json.loads((args.annotations.parent / "repos.json").read_text(encoding="utf-8"))}
    scored: list[dict[str, Any]] = []
    print(f"\n{'':18}{'questions':>10}{'named':>8}{'source':>8}{'tokens':>8}{'grep+read':>11}{'ms':>8}{'chunks':>8}")
    for name, entry in repos.items():
        if (args.only and name not in args.only) or not (args.repos / name).is_dir():
            continue
        root = args.repos / name / (entry.get("benchmark_root") or "")
        snapshot = indexed(root, args.index_dir, embedder)
        asked = json.loads((args.annotations / f"{name}.json").read_text(encoding="utf-8"))
        asked = [query for query in asked if query["category"] == "architecture"]
        texts = {
            path: (root / path).read_text(encoding="utf-8", errors="replace")
            for path, record in snapshot.files.items()
            if record.state == "indexed"
        }
        research(snapshot, "warm up", embedder=embedder)
        prefix = (entry["benchmark_root"] + "/") if entry.get("benchmark_root") else ""
        rows = [score_architecture(snapshot, embedder, query, texts, prefix, args.max_tokens) for query in asked]
        if args.verbose:
            for query, scores in zip(asked, rows, strict=True):
                if not scores["named"]:
                    print(f"  missed: {query['query']!r} → {query['relevant']} ({scores['kind']})")
        if rows:
            scored += rows
            print(f"{name:18}{architecture_row(rows)}{snapshot.chunks.count:>8}")
    print(f"{'all':18}{architecture_row(scored)}")
    latencies = sorted(scores["ms"] for scores in scored)
    if latencies:
        print(f"latency p50 {statistics.median(latencies):.0f} ms, p95 {latencies[int(len(latencies) * 0.95)]:.0f} ms")


def architecture_row(rows: list[dict[str, Any]]) -> str:
    """Means of one repository, or of all questions."""
    means = {key: statistics.mean(scores[key] for scores in rows) for key in ("named", "source", "tokens", "ms")}
    grep = statistics.median(scores["grep"] for scores in rows)
    return (
        f"{len(rows):>10}{means['named']:>8.3f}{means['source']:>8.3f}{means['tokens']:>8.0f}{grep:>11.0f}"
        f"{means['ms']:>8.0f}"
    )


def score_architecture(
    snapshot: Snapshot, embedder: Embedder, query: dict[str, Any], texts: dict[str, str], prefix: str, max_tokens: int
) -> dict[str, Any]:
    """One question: are its targets named, are they shown, and what did it cost either way?"""
    began = time.perf_counter()
    result = research(snapshot, query["query"], embedder=embedder, max_tokens=max_tokens)
    spent = (time.perf_counter() - began) * 1000
    if result.tokens > max_tokens:
        sys.exit(f"over budget: {query['query']}")
    wanted = [target if isinstance(target, str) else target["path"] for target in query["relevant"]]
    targets = {target.removeprefix(prefix) for target in wanted}  # some annotations already are relative to the root
    shown = {
        line.split(":")[0]
        for section in result.sections
        if section.title in ("Source", "Definition")
        for line in section.lines
    }
    return {
        "named": targets <= set(result.paths),
        "source": len(targets & shown) / max(1, len(targets)),
        "tokens": result.tokens,
        "grep": grep_and_read(query["query"], texts, targets),
        "ms": spent,
        "kind": result.kind,
    }


def grep_and_read(question: str, texts: dict[str, str], targets: Iterable[str]) -> int:
    """Tokens of grepping for the question's words and reading the files they point to until all targets were read."""
    words = [word for word in analyse(question).words if len(word) > 2]
    pattern = re.compile("|".join(map(re.escape, words)) or r"(?!)", re.IGNORECASE)
    cost, hits = 0, {}
    for path, text in texts.items():
        lines = [line.strip() for line in text.splitlines() if pattern.search(line)]
        if lines:
            lowered = text.lower()
            hits[path] = (sum(word in lowered for word in words), len(lines))
            cost += estimate_tokens("".join(f"{path}:{line[:200]}\n" for line in lines[:GREP_LINES_PER_FILE]))
    left = set(targets)
    for path in sorted(hits, key=lambda p: (-hits[p][0], -hits[p][1], p)):
        if not left:
            break
        cost += estimate_tokens(texts[path])
        left.discard(path)
    return cost


# Part three


def latency(embedder: Embedder, args: argparse.Namespace) -> None:
    """Milliseconds per kind of question."""
    snapshot = indexed(args.latency, args.index_dir, embedder)
    print(f"\n{args.latency.name}: {snapshot.chunks.count} chunks, {snapshot.relationships.count} relationships")
    first = time.perf_counter()
    research(snapshot, "where are errors handled", embedder=embedder)
    print(f"first question: {(time.perf_counter() - first) * 1000:.0f} ms")
    print(f"{'':18}{'questions':>10}{'p50 ms':>9}{'p95 ms':>9}{'worst':>9}{'CPU p50':>9}{'CPU p95':>9}")
    for kind, questions in hard_questions(snapshot).items():
        spent, computed = [], []
        for question in questions:
            began, cpu = time.perf_counter(), time.process_time()
            research(snapshot, question, embedder=embedder)
            spent.append((time.perf_counter() - began) * 1000)
            computed.append((time.process_time() - cpu) * 1000)
        spent.sort()
        computed.sort()
        last = min(len(spent) - 1, int(len(spent) * 0.95))
        print(
            f"{kind:18}{len(spent):>10}{statistics.median(spent):>9.0f}{spent[last]:>9.0f}{spent[-1]:>9.0f}"
            f"{statistics.median(computed):>9.0f}{computed[last]:>9.0f}"
        )


def hard_questions(snapshot: Snapshot) -> dict[str, list[str]]:
    """Questions about the symbols with the most edges, the largest folders, and open ones."""
    graph = Graph(snapshot)
    degree: Counter[int] = Counter(graph.adjacency.target[graph.adjacency.target >= 0].tolist())
    symbols = [p for p, _ in degree.most_common(400) if graph.kinds[p] != "module"]
    functions = [graph.names[p] for p in symbols if graph.kinds[p] in ("function", "method")][:20]
    types = [graph.names[p] for p in symbols if graph.kinds[p] in ("class", "interface", "struct")][:20]
    folders = Counter("/".join(path.split("/")[:2]) for path in snapshot.files)
    places = [folder for folder, _ in folders.most_common(10) if folder not in snapshot.files]
    return {
        "callers": [f"what calls `{name}`" for name in functions],
        "uses": [f"who uses `{name}`" for name in types],
        "implementations": [f"implementations of `{name}`" for name in types],
        "trace": [f"trace from `{name}`" for name in functions],
        "impact": [f"impact of changing `{name}`" for name in functions + types],
        "path": [f"path from {a} to {b}" for a, b in pairwise(functions)],
        "dependents": [f"what depends on {place}" for place in places],
        "dependencies": [f"dependencies of {place}" for place in places],
        "overview": [f"overview of {place}" for place in places],
        "cycles": ["import cycles"],
        "open": [
            f"how is {word} handled" for word in ("parsing", "routing", "error reporting", "type conversion", "memory")
        ],
    }


if __name__ == "__main__":
    main()
