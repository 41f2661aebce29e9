"""How long does it take to read the history of a repository, first and when some commits have come?"""

from __future__ import annotations

import argparse
import resource
import subprocess
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from sightline.changes.history import FILE, history
from sightline.changes.repository import repository
from sightline.config import Config, make_config

_BEHIND = (20, 10, 1, 0)  # commits behind the newest one, one reading after the other


def measure(arguments: argparse.Namespace) -> None:
    """Read the history in a clone that shares the commits: as it was some commits ago, then what came since."""
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "clone"
        place = Path(arguments.repository).resolve()
        _git(Path(scratch), "clone", "-q", "--shared", "--no-checkout", str(place), str(root))
        newest = _git(root, "rev-parse", "HEAD")
        config = make_config(root, index_dir=str(Path(scratch) / "home"), embedder="none")
        config = replace(config, history_commits=arguments.commits)
        config.index_dir.mkdir(parents=True)
        for behind in _BEHIND:
            _git(root, "update-ref", "--no-deref", "HEAD", _git(root, "rev-parse", f"{newest}~{behind}"))
            print(f"{place.name} at HEAD~{behind}: {_reading(config, root)}", flush=True)
        print(f"nothing new: {_reading(config, root)}; {(config.index_dir / FILE).stat().st_size:,} bytes")


def _reading(config: Config, root: Path) -> str:
    began, worked = time.perf_counter(), _processor_time()
    known = history(config, repository(root))
    assert known is not None
    taken, used = time.perf_counter() - began, _processor_time() - worked
    return f"{len(known.commits):,} commits, {len(known.paths):,} paths, {taken:.2f} s, {used:.2f} s of processor time"


def _processor_time() -> float:
    parts = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(part.ru_utime + part.ru_stime for part in parts)


def _git(folder: Path, *line: str) -> str:
    done = subprocess.run(["git", *line], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()
