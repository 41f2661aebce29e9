"""Index whole repositories as they are: scripts/bench tour --repos DIR [--only NAME …] [--memory MB] [--markdown FILE]

Every folder below DIR is indexed with the real command, from nothing, and asked one question. A repository may take 10
seconds and 3 more per MB of indexed source; what takes longer is stopped and reported with the Python stack where it
stood. Reported: wall and processor seconds, per MB too, peak memory of all processes together (Pss: shared pages count
once), the size of the index, failed and quarantined files, the slowest stage. Linux only: it reads /proc.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpus import machine

from sightline.memory import DEFAULT_MB, MB

_BASE_S, _PER_MB_S = 10.0, 3.0  # the allowance of a repository
_LOOK_S = 0.1
_QUESTION = "where is the configuration read"


@dataclass(frozen=True, slots=True)
class Visit:
    """What one repository took."""

    name: str
    outcome: str  # "ok", or what went wrong
    mb: float  # indexed source
    files: int
    wall_s: float
    cpu_s: float
    peak_bytes: int
    index_bytes: int
    failed: int
    quarantined: int
    given_up: int
    stage: str  # the slowest, with its share
    named: tuple[str, ...] = ()  # failed and quarantined files with the reason
    stack: str = ""

    @property
    def allowance_s(self) -> float:
        return _BASE_S + _PER_MB_S * self.mb


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=Path, required=True, help="a folder of repositories")
    parser.add_argument("--only", nargs="*", help="names of the ones to visit")
    parser.add_argument("--memory", type=int, default=DEFAULT_MB, help="the ceiling in MB, for all processes together")
    parser.add_argument("--markdown", type=Path, help="write the table here")
    args = parser.parse_args()
    folders = sorted(p for p in args.repos.iterdir() if p.is_dir() and (not args.only or p.name in args.only))
    visits = []
    for folder in folders:
        visits.append(visit(folder, args.memory))
        print(row(visits[-1]), flush=True)
        for line in visits[-1].named:
            print(f"    {line}", flush=True)
        if visits[-1].stack:
            print(visits[-1].stack, flush=True)
    lines = summary(visits)
    print("\n".join(lines))
    if args.markdown is not None:
        args.markdown.write_text(document(visits, lines))
    if any(v.outcome != "ok" for v in visits):
        sys.exit(1)


def visit(folder: Path, memory_mb: int) -> Visit:
    """Index one repository from nothing under a ceiling of memory, then ask it something."""
    with tempfile.TemporaryDirectory(prefix="sightline-tour-") as home:
        # PYTHONFAULTHANDLER prints the stacks of all threads when a process is aborted.
        environment = {**os.environ, "SIGHTLINE_INDEX_DIR": home, "PYTHONFAULTHANDLER": "1"}
        command = [sys.executable, "-P", "-m", "sightline.server"]
        source = source_bytes(folder)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.monotonic()
        indexing = [*command, "index", "--json", "--memory", str(memory_mb), str(folder)]
        outcome, printed, peak = run(indexing, environment, allowance(source))
        wall = time.monotonic() - began
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        status = asked(command, folder, environment) if outcome == "ok" else {}
        index_bytes = sum(p.stat().st_size for p in Path(home).rglob("*") if p.is_file())
        answer = ask(command, folder, environment) if outcome == "ok" else ""
        mb = status["files"]["bytes"] / 1e6 if status else source / 1e6
        if outcome == "ok" and wall > _BASE_S + _PER_MB_S * mb:
            outcome = "over its allowance"
        elif outcome == "ok" and peak > memory_mb * MB:
            outcome = "over the ceiling of memory"
        return Visit(
            name=folder.name,
            outcome=outcome if answer or outcome != "ok" else "no answer",
            mb=mb,
            files=status["files"]["indexed"] if status else 0,
            wall_s=wall,
            cpu_s=cpu,
            peak_bytes=peak,
            index_bytes=index_bytes,
            failed=status["files"]["failed"] if status else 0,
            quarantined=len(status.get("quarantined", ())),
            given_up=sum(status.get("given_up", {}).values()),
            stage=slowest(printed) if printed.startswith("{") else "",
            named=tuple(
                f"{file['path']}: {file['reason']}"
                for kind in ("failures", "quarantined")
                for file in status.get(kind, ())
            ),
            stack="" if outcome in ("ok", "over its allowance", "over the ceiling of memory") else printed[-6_000:],
        )


def source_bytes(folder: Path) -> int:
    """What the files take at most; the real figure is known only once they are indexed."""
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file() and not p.is_symlink())


def allowance(source: int) -> float:
    """Generous where much of a folder is not source; what is over the real allowance is reported afterwards."""
    return _BASE_S + _PER_MB_S * source / 1e6


def run(command: list[str], environment: dict[str, str], limit_s: float) -> tuple[str, str, int]:
    """Outcome, output (or the stacks, when it had to be stopped) and peak memory of a command with its children."""
    peak, began = 0, time.monotonic()
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen(command, env=environment, stdout=out, stderr=err, start_new_session=True)
        while process.poll() is None and time.monotonic() - began < limit_s:
            peak = max(peak, group_memory(process.pid))
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_LOOK_S)
        stopped = process.poll() is None
        if stopped:
            os.killpg(process.pid, signal.SIGABRT)  # the stacks of all of them go to the standard error output
            process.wait()
        out.seek(0)
        err.seek(0)
        if stopped:
            return f"stopped after {limit_s:.0f} s", err.read(), peak
        if process.returncode:
            return f"exit {process.returncode}", err.read() or out.read(), peak
        return "ok", out.read(), peak


def group_memory(leader: int) -> int:
    """Bytes that the processes of a session hold together; what they share counts once."""
    held = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, IndexError):  # it has ended
            if int(stat.read_text().rpartition(")")[2].split()[3]) == leader:
                rollup = (stat.parent / "smaps_rollup").read_text()
                held += next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")) * 1024
    return held


def asked(command: list[str], folder: Path, environment: dict[str, str]) -> dict[str, Any]:
    done = subprocess.run([*command, "status", "--json", str(folder)], env=environment, capture_output=True, check=True)
    status: dict[str, Any] = json.loads(done.stdout)["roots"][0]
    return status


def ask(command: list[str], folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        [*command, "search", _QUESTION, str(folder)], env=environment, capture_output=True, check=False, timeout=120
    )
    return done.stdout.decode() if done.returncode == 0 else ""


def slowest(printed: str) -> str:
    stages: dict[str, float] = json.loads(printed)["roots"][0]["stages_s"]
    name = max(stages, key=lambda stage: stages[stage])
    return f"{name} {stages[name] / max(sum(stages.values()), 0.001):.0%}"


_HEAD = "| repository | MB | files | wall s | CPU s | CPU s/MB | peak MB | index MB | failed | quarantined | given up | slowest stage | |"  # noqa: E501


def row(v: Visit) -> str:
    return (
        f"| {v.name} | {v.mb:.1f} | {v.files:,} | {v.wall_s:.1f} | {v.cpu_s:.1f} | {v.cpu_s / max(v.mb, 0.01):.2f} "
        f"| {v.peak_bytes / 1e6:.0f} | {v.index_bytes / 1e6:.1f} | {v.failed} | {v.quarantined} | {v.given_up} "
        f"| {v.stage} | {v.outcome} |"
    )


def summary(visits: list[Visit]) -> list[str]:
    """How many ended, and how the cost per MB grows with the size."""
    good = sum(v.outcome == "ok" for v in visits)
    lines = [f"{good} of {len(visits)} repositories within their allowance, {sum(v.mb for v in visits):.0f} MB"]
    by_size = sorted((v for v in visits if v.outcome == "ok"), key=lambda v: v.mb)
    third = len(by_size) // 3
    if third:
        small, large = ([v.cpu_s / max(v.mb, 0.01) for v in part] for part in (by_size[:third], by_size[-third:]))
        pooled = [sum(v.cpu_s for v in part) / sum(v.mb for v in part) for part in (by_size[:third], by_size[-third:])]
        lines.append(
            f"CPU s/MB, smallest third: median {statistics.median(small):.2f}, together {pooled[0]:.2f}; "
            f"largest third: median {statistics.median(large):.2f}, together {pooled[1]:.2f}"
        )
    return lines


def document(visits: list[Visit], lines: list[str]) -> str:
    date = datetime.datetime.now(datetime.UTC).date()
    table = [_HEAD, "|" + "---|" * (_HEAD.count("|") - 1), *[row(v) for v in visits]]
    return "\n".join(
        [
            "# Whole repositories",
            "",
            f"`scripts/bench tour --repos DIR`, {date}, {machine()}. Each repository is indexed as it is, from",
            "nothing with the real command, and asked one question afterwards. Its allowance is 10 s and 3 s per MB of",
            "indexed source. Memory is that of all processes together, with shared pages counted once.",
            "",
            *table,
            "",
            *lines,
            "",
        ]
    )


if __name__ == "__main__":
    if not shutil.which("git"):
        sys.exit("git is needed")
    main()
