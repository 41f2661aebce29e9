"""Is every occurrence accounted for? scripts/bench occurrences --repos DIR [--only NAME …] [--symbols 50] [--seed 1]

Random symbols of each repository below DIR are asked about with the real tool ("who uses …"), and the lines and files
that its check by text claims are compared with those of `rg -w`, file by file. Reported: symbols whose every occurrence
is accounted for, lines, how they were accounted for, and the milliseconds of the check. Lines in files that rg reads,
and Sightline never (secrets, what ignore rules hide) are counted apart. Needs ripgrep 13 or newer. Indexes are
kept below --index-dir (default: a temporary folder) and made where they are missing.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from corpus import machine

from sightline.indexer.files import skip
from sightline.retrieval.research import census, closing
from sightline.retrieval.research.census import Census
from sightline.server import tools
from sightline.server.app import App
from sightline.server.cli.catchup import catch_up

_KINDS = ("class", "interface", "struct", "function", "method", "type_alias", "enum")
_CLAIM = re.compile(r"`: (?:all |as far as looked, )?(\d+) lines? of (\d+) files?")


@dataclass(slots=True)
class Visit:
    """What one repository gave."""

    name: str
    chunks: int
    symbols: int = 0
    complete: int = 0
    lines: int = 0
    unsaid: int = 0  # lines of rg that the check does not count
    closed: int = 0  # lines of rg in files that are never read
    kinds: Counter[str] = field(default_factory=Counter)
    ms: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)  # of the processor: what the machine does beside it is left out
    wrong: list[str] = field(default_factory=list)


def main() -> None:
    """Visit the repositories and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--symbols", type=int, default=50, help="in all, shared out evenly")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--index-dir", type=Path)
    options = parser.parse_args()
    if shutil.which("rg") is None:
        sys.exit("ripgrep is not on PATH: apt-get install ripgrep")
    folders = [folder for folder in sorted(options.repos.iterdir()) if folder.is_dir()]
    folders = [folder for folder in folders if not options.only or folder.name in options.only]
    each = max(options.symbols // max(len(folders), 1), 1)
    with tempfile.TemporaryDirectory() as temporary:
        visits = [visit(folder, options.index_dir or Path(temporary), each, options.seed) for folder in folders]
    report(visits)
    sys.exit(any(v.complete < v.symbols for v in visits))


def visit(folder: Path, index_dir: Path, symbols: int, seed: int) -> Visit:
    """Ask about random symbols of one repository."""
    app = App.open([folder], index_dir=index_dir)
    catch_up(app.roots[0], show=False)
    snapshot = app.roots[0].snapshot()
    assert snapshot is not None
    found = Visit(folder.name, snapshot.chunks.count)
    counted: list[tuple[Census, float]] = []

    def timed(*given: object, **named: object) -> Census:
        began, worked = time.perf_counter(), time.thread_time()
        made: Census = census.census(*given, **named)  # type: ignore[arg-type]
        counted.append((made, (time.perf_counter() - began) * 1000))
        found.cpu_ms.append((time.thread_time() - worked) * 1000)
        return made

    closing.census = timed  # type: ignore[assignment]
    for name in chosen(snapshot, symbols, seed):
        counted.clear()
        text = tools.call(app, tools.tool_named("code_research"), {"question": f"who uses `{name}`?"}).text
        if not counted:
            found.wrong.append(f"{name}: no check by text")
            found.symbols += 1
            continue
        compare(found, folder, name, text, *counted[-1], {p: r.reason for p, r in snapshot.files.items()})
    return found


def chosen(snapshot: object, symbols: int, seed: int) -> list[str]:
    """Names of random symbols, whatever they are."""
    objects = snapshot.objects  # type: ignore[attr-defined]
    kinds, names = objects.column("kind"), objects.column("name")
    known = sorted(
        {
            names[p]
            for p in range(objects.size)
            if objects.alive[p] and kinds[p] in _KINDS and re.fullmatch(r"\w{2,}", names[p])
        }
    )
    return random.Random(seed).sample(known, min(symbols, len(known)))


def compare(
    found: Visit, folder: Path, name: str, text: str, counted: Census, ms: float, reasons: dict[str, str]
) -> None:
    """Hold one answer against rg."""
    ours: Counter[str] = Counter()
    for what, places in counted.locations.items():
        for path, lines in places.items():
            ours[path] += len(lines)
            found.kinds[what] += len(lines)
    theirs = ripgrep(folder, name)
    closed = {path for path in theirs if reasons.get(path) in (None, skip.SECRET, skip.BINARY)}
    found.closed += sum(theirs[path] for path in closed)
    wrong = {
        path: (ours[path], theirs[path]) for path in {*ours, *theirs} - closed if ours.get(path) != theirs.get(path)
    }
    claim = _CLAIM.search(text)
    said = (int(claim[1]), int(claim[2])) if claim else (0, 0)
    if said != (sum(ours.values()), len(ours)):
        wrong["the text"] = (said[0], sum(ours.values()))
    found.symbols += 1
    found.lines += sum(theirs.values())
    found.ms.append(ms)
    found.unsaid += sum(max(b - a, 0) for a, b in wrong.values())
    found.complete += not wrong and not counted.unread
    found.wrong += [f"{name}: {path}: {a} accounted for, {b} by rg" for path, (a, b) in list(wrong.items())[:3]]


def ripgrep(folder: Path, name: str) -> dict[str, int]:
    """Lines of each file on which a name stands as a word."""
    command = ["rg", "--count", "-w", "-F", "--hidden", "--null", "--no-messages", "-g", "!.git/", "-e", name, "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    found: dict[str, int] = {}
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        path, _, count = line.rpartition("\0")
        found[path.removeprefix("./")] = int(count)
    return found


def report(visits: list[Visit]) -> None:
    """Print the table."""
    print(f"{machine()}\n")
    print(
        "| repository | chunks | symbols | complete | by rg | unaccounted | closed | ms p50 / p95 | of the processor |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for v in visits:
        print(
            f"| {v.name} | {v.chunks:,} | {v.symbols} | {v.complete} | {v.lines:,} | {v.unsaid} | {v.closed}"
            f" | {_spread(v.ms)} | {_spread(v.cpu_ms)} |"
        )
    every, worked = [ms for v in visits for ms in v.ms], [ms for v in visits for ms in v.cpu_ms]
    sums = [sum(getattr(v, name) for v in visits) for name in ("symbols", "complete", "lines", "unsaid", "closed")]
    print(
        f"| all | | {sums[0]} | {sums[1]} | {sums[2]:,} | {sums[3]} | {sums[4]}"
        f" | {_spread(every)} | {_spread(worked)} |\n"
    )
    kinds = sum((v.kinds for v in visits), Counter())
    print("accounted for as: " + ", ".join(f"{kind} {number:,}" for kind, number in kinds.most_common()))
    for line in (line for v in visits for line in v.wrong):
        print(f"  {line}")


def _spread(ms: list[float]) -> str:
    if len(ms) < 2:
        return f"{sum(ms):.0f}"
    return f"{statistics.median(ms):.0f} / {statistics.quantiles(ms, n=20)[-1]:.0f}"


if __name__ == "__main__":
    main()
