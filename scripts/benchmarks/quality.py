"""Retrieval quality on an annotated set of repositories, through the very code of the `search` tool.

    scripts/bench quality --repos DIR --annotations DIR [--only NAME ...] [--out results.json] [--leave-one-out]

DIR of `--repos` holds one checkout per repository; beside the annotations lies `repos.json` with each repository's
`name`, `benchmark_root` and `language`. Every repository is indexed (into `--index-dir`, kept between runs), every
query is asked with default arguments, and NDCG@10 is printed per category, language and repository. `--out` writes the
lists for an outside scorer; `--leave-one-out` switches every ranking signal off once and prints what that costs.

NDCG@10: binary gain on the list as returned; a target counts for the first hit in its file (with overlapping lines
where the target has lines); mean over a repository's queries, then over repositories.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sightline.config import make_config
from sightline.embed import load_embedder
from sightline.indexer.collector import this_process_is_ours
from sightline.indexer.pipeline import index_root
from sightline.indexer.service import open_writer
from sightline.retrieval.ranking import rerank
from sightline.retrieval.search import search
from sightline.store import Snapshot, open_snapshot
from sightline.types import Hit, Query

CUTOFF = 10
DISCOUNT = [1 / math.log2(rank + 2) for rank in range(CUTOFF)]


@dataclass(frozen=True)
class Asked:
    """One annotated query."""

    repo: str
    language: str
    number: int
    text: str
    category: str
    targets: tuple[tuple[str, int | None, int | None], ...]


@dataclass(frozen=True)
class Scored:
    """What one query scored."""

    asked: Asked
    ndcg: float
    first: bool  # the first hit is a target
    found: bool  # any of the ten is
    ms: float


def main() -> None:
    """Index, ask, print."""
    this_process_is_ours()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=Path, required=True, help="folder with one checkout per repository")
    parser.add_argument("--annotations", type=Path, required=True, help="folder with NAME.json per repository")
    parser.add_argument("--repos-file", type=Path, help="default: repos.json beside the annotations folder")
    parser.add_argument("--index-dir", type=Path, default=Path(tempfile.gettempdir()) / "sightline-bench")
    parser.add_argument("--only", nargs="*", default=[], help="names of repositories")
    parser.add_argument("--out", type=Path, help="write the hit lists here")
    parser.add_argument("--leave-one-out", action="store_true", help="switch each ranking signal off once")
    parser.add_argument("--misses", action="store_true", help="list the queries whose first hit is no target")
    args = parser.parse_args()

    repos_file = args.repos_file or args.annotations.parent / "repos.json"
    repos = {entry["name"]: entry for entry in json.loads(repos_file.read_text(encoding="utf-8"))}
    names = [name for name in repos if (not args.only or name in args.only) and (args.repos / name).is_dir()]
    embedder = load_embedder("static")
    snapshots: dict[str, Snapshot] = {}
    prefix: dict[str, str] = {}
    for name in names:
        inside = (repos[name].get("benchmark_root") or "").strip("/")
        root, prefix[name] = args.repos / name / inside, f"{inside}/" if inside else ""
        config = make_config(root, index_dir=args.index_dir)
        with open_writer(config, embedder) as writer:
            report = index_root(config, writer, embedder)
        snapshot = open_snapshot(config.index_dir)
        if snapshot is None:
            sys.exit(f"{name}: nothing was indexed")
        snapshots[name] = snapshot
        print(f"{name}: {report.files_total} files, {snapshot.chunks.count} chunks, {report.seconds:.1f} s", flush=True)
    asked = [
        query for name in names for query in load(args.annotations / f"{name}.json", name, repos[name]["language"])
    ]

    def run(
        without: frozenset[str] = frozenset(),
    ) -> tuple[list[Scored], dict[str, dict[str, list[dict[str, object]]]]]:
        scored, lists = [], defaultdict(dict)
        for query in asked:
            began = time.perf_counter()
            hits = search(snapshots[query.repo], Query(query.text), embedder=embedder, without=without).hits
            spent = (time.perf_counter() - began) * 1000
            hits = [replace(hit, path=f"{prefix[query.repo]}{hit.path}") for hit in hits]  # of the whole repository
            listed = [{"path": hit.path, "start_line": hit.start_line, "end_line": hit.end_line} for hit in hits]
            lists[query.repo][str(query.number)] = listed
            scored.append(score(query, hits, spent))
        return scored, lists

    run()  # warm
    scored, lists = run()
    if args.out:
        args.out.write_text(json.dumps(lists), encoding="utf-8")
    show(scored)
    if args.misses:
        for row in sorted((row for row in scored if not row.first), key=lambda row: row.ndcg):
            print(f"  {row.ndcg:.2f} {row.asked.repo}: {row.asked.text!r} → {[t[0] for t in row.asked.targets]}")
    if args.leave_one_out:
        whole = overall(scored)
        print(f"\n{'without':24}{'NDCG@10':>9}{'change':>9}{'symbol':>9}{'repos worse/better':>20}")
        for name in rerank.SIGNAL_NAMES:
            left, _ = run(frozenset({name}))
            symbol = by(left, "category").get("symbol", math.nan)
            before, after = by(scored, "repo"), by(left, "repo")
            worse = sum(after[repo] < before[repo] - 1e-9 for repo in before)
            better = sum(after[repo] > before[repo] + 1e-9 for repo in before)
            total = overall(left)
            print(f"{name:24}{total:9.4f}{total - whole:+9.4f}{symbol:9.3f}{worse:>12} / {better}", flush=True)


def load(path: Path, repo: str, language: str) -> list[Asked]:
    """Read the queries of one repository."""
    out = []
    for number, entry in enumerate(json.loads(path.read_text(encoding="utf-8"))):
        targets = []
        for target in [*entry.get("relevant", []), *entry.get("secondary", [])]:
            target = {"path": target} if isinstance(target, str) else target
            targets.append((target["path"], target.get("start_line"), target.get("end_line")))
        out.append(Asked(repo, language, number, entry["query"], entry["category"], tuple(targets)))
    return out


def score(asked: Asked, hits: Sequence[Hit], ms: float) -> Scored:
    """Score one list."""
    ranks = {rank for target in asked.targets if (rank := first_rank(hits, *target)) is not None}
    ideal = sum(DISCOUNT[: len(asked.targets)])
    ndcg = sum(DISCOUNT[rank] for rank in ranks) / ideal if ideal else 0.0
    return Scored(asked, ndcg, 0 in ranks, bool(ranks), ms)


def first_rank(hits: Sequence[Hit], path: str, start: int | None, end: int | None) -> int | None:
    """The place of the first hit on a target."""
    for rank, hit in enumerate(hits[:CUTOFF]):
        at = hit.path
        same = at == path or at.endswith("/" + path) or path.endswith("/" + at)
        if same and (start is None or end is None or (hit.start_line <= end and hit.end_line >= start)):
            return rank
    return None


def overall(rows: Iterable[Scored], value: str = "ndcg") -> float:
    """Mean over repositories of the mean over their queries."""
    groups: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        groups[row.asked.repo].append(float(getattr(row, value)))
    return statistics.fmean(statistics.fmean(values) for values in groups.values())


def by(rows: Iterable[Scored], key: str) -> dict[str, float]:
    """NDCG@10 per category, language or repository."""
    groups: dict[str, list[Scored]] = defaultdict(list)
    for row in rows:
        groups[getattr(row.asked, key)].append(row)
    return {name: overall(group) for name, group in sorted(groups.items())}


def show(rows: Sequence[Scored]) -> None:
    """Print the table."""
    times = sorted(row.ms for row in rows)
    print(f"\n{len({row.asked.repo for row in rows})} repositories, {len(rows)} queries")
    print(f"NDCG@10 {overall(rows):.4f}   hit@1 {overall(rows, 'first'):.4f}   hit@10 {overall(rows, 'found'):.4f}")
    print(f"latency p50 {times[len(times) // 2]:.1f} ms, p95 {times[int(len(times) * 0.95)]:.1f} ms")
    for key in ("category", "language", "repo"):
        print(f"\nby {key}")
        for name, value in by(rows, key).items():
            print(f"  {name:20}{value:.3f}")


if __name__ == "__main__":
    main()
