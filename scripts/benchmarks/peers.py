"""Index the same copies with another tool, turn by turn.

    scripts/bench peers --repos DIR --codegraph PROGRAM [--only NAME …] [--turns 3]

Every repository is copied once; each turn indexes the copy from nothing with Sightline and with codegraph (whose index
goes into the copy and is deleted again), and the one that begins changes every turn. Reported are medians: wall and
processor seconds, peak memory of all processes together (Pss) and the size of the index, with Sightline's wall time as
a share of the other's. Linux only: it reads /proc.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from corpus import machine
from tour import run

_REPOSITORIES = ("click", "vitest", "tokio", "laravel", "curl", "django", "postgres")  # 1 to 95 MB of source
_LIMIT_S = 1_200.0


@dataclass(frozen=True, slots=True)
class Turn:
    """What indexing took once."""

    wall_s: float
    cpu_s: float
    peak_mb: float
    index_mb: float


def main() -> None:
    """Copy, index turn by turn, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=Path, required=True, help="a folder of repositories")
    parser.add_argument("--codegraph", required=True, help="the program to compare with")
    parser.add_argument("--only", nargs="*", default=_REPOSITORIES, help="names of the ones to index")
    parser.add_argument("--turns", type=int, default=3)
    args = parser.parse_args()
    print(f"{machine()}, median of {args.turns}")
    print(
        "| repository | wall s | codegraph | ratio | CPU s | codegraph | peak MB | codegraph | index MB | codegraph |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name in args.only:
        with tempfile.TemporaryDirectory(prefix="sightline-peers-") as home:
            copy = Path(home) / name
            shutil.copytree(args.repos / name, copy, symlinks=True)
            print(row(name, *compared(copy, Path(home), args.codegraph, args.turns)), flush=True)


def compared(copy: Path, home: Path, codegraph: str, turns: int) -> tuple[Turn, Turn]:
    """Medians of ours and theirs."""
    ours: list[Turn] = []
    theirs: list[Turn] = []
    for number in range(turns):
        for mine in (True, False) if number % 2 == 0 else (False, True):
            if mine:
                command = [sys.executable, "-P", "-m", "sightline.server", "index", str(copy)]
                ours.append(turn(command, home / "index", {"SIGHTLINE_INDEX_DIR": str(home / "index")}))
            else:
                command = [codegraph, "init", "--yes", str(copy)]
                theirs.append(turn(command, copy / ".codegraph", {"HOME": str(home), "CODEGRAPH_TELEMETRY": "0"}))
    return median(ours), median(theirs)


def turn(command: list[str], index: Path, environment: dict[str, str]) -> Turn:
    """Index once, measure, and throw the index away."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    outcome, printed, peak = run(command, {**os.environ, **environment}, _LIMIT_S)
    wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if outcome != "ok" or not index.exists():
        raise SystemExit(f"{' '.join(command)}: {outcome}\n{printed[-2_000:]}")
    size = sum(path.stat().st_size for path in index.rglob("*") if path.is_file())
    shutil.rmtree(index)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Turn(wall, cpu, peak / 1e6, size / 1e6)


def median(turns: list[Turn]) -> Turn:
    fields = ("wall_s", "cpu_s", "peak_mb", "index_mb")
    return Turn(*(statistics.median(getattr(each, field) for each in turns) for field in fields))


def row(name: str, ours: Turn, theirs: Turn) -> str:
    cells = [
        f"{ours.wall_s:.1f}", f"{theirs.wall_s:.1f}", f"{ours.wall_s / theirs.wall_s:.2f}",
        f"{ours.cpu_s:.1f}", f"{theirs.cpu_s:.1f}", f"{ours.peak_mb:.0f}", f"{theirs.peak_mb:.0f}",
        f"{ours.index_mb:.1f}", f"{theirs.index_mb:.1f}",
    ]  # fmt: skip
    return f"| {name} | " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
