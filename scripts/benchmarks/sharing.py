"""What work trees, branches and teammates save: scripts/bench sharing --repo DIR [--edited 500] [--trees 10]

DIR is copied into a temporary folder and made a git repository of one commit. Measured with the real command, each in
wall and processor seconds of all its processes: a first index (without and with the cache), a second work tree of the
same commit, one in which some files differ, one of files that are the same but nothing to begin with (the cache alone),
publishing, and pulling with another home until the first answer. Reported too: the disk that the indexes take together.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from corpus import machine

_GIT = ("-c", "user.name=nobody", "-c", "user.email=nobody@localhost")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--edited", type=int, default=500)
    parser.add_argument("--trees", type=int, default=10)
    options = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory(prefix="sightline-sharing-") as folder:
        _Measured(Path(folder), options.repo).all(options.edited, options.trees)


class _Measured:
    """One repository in a folder of its own, with its work trees and homes."""

    def __init__(self, folder: Path, repo: Path) -> None:
        self._folder, self._main = folder, folder / "main"
        shutil.copytree(repo, self._main, ignore=shutil.ignore_patterns(".git"), symlinks=True)
        self._git("init", "-q", "-b", "main")
        self._git("add", "-A")
        self._git("commit", "-q", "-m", "one")

    def all(self, edited: int, trees: int) -> None:
        self._index("warming up", self._main, "warm", cache_mb=0)  # finds nothing in memory yet
        without = self._index("first index, no cache", self._main, "none", cache_mb=0)
        self._report("first index", self._index("first index", self._main, "home"), without)
        one = self._disk("home")
        print(f"{'disk of one, with its cache':34}{one / 1e6:9.1f} MB")
        self._report("second work tree", self._index("second", self._tree("second"), "home"), without)
        self._report("the cache alone", self._index("cached", self._only_cache(), "cached"), without)
        branch = self._tree("branch")
        _edit(branch, edited)
        self._report(f"{edited} files edited", self._index("branch", branch, "home"), without)
        for number in range(3, trees):
            self._index(f"tree {number}", self._tree(f"tree{number}"), "home")
        self._index("last", self._tree("last"), "home")
        many = self._disk("home")
        print(f"{f'disk of {trees}':34}{many / 1e6:9.1f} MB, {many / one:.2f} times one")
        self._publish(without)

    def _publish(self, without: tuple[float, float]) -> None:
        place = str(self._folder / "place")
        self._report("publish, from nothing", self._run(["publish", "--to", place], self._main, "ci"), without)
        print(f"{'bytes at the place':34}{self._disk('place') / 1e6:9.1f} MB")
        self._report("pull, new home", self._run(["pull", "--from", place], self._main, "laptop"), without)
        asked = ["search", "where is the configuration read"]
        self._report("first answer after it", self._run(asked, self._main, "laptop"), without)

    def _only_cache(self) -> Path:
        (self._folder / "cached").mkdir()
        shutil.copy(self._folder / "home" / "analysis.sqlite", self._folder / "cached")
        return self._tree("cached-tree")

    def _tree(self, name: str) -> Path:
        self._git("worktree", "add", "-q", "--detach", str(self._folder / name), "main")
        return self._folder / name

    def _index(self, name: str, root: Path, home: str, cache_mb: int = 2_000) -> tuple[float, float]:
        wall, cpu = self._run(["index", "--json"], root, home, cache_mb)
        print(f"{name:34}{wall:9.1f} s wall {cpu:9.1f} s processor  {self._said}")
        return wall, cpu

    def _run(self, line: list[str], root: Path, home: str, cache_mb: int = 2_000) -> tuple[float, float]:
        environment = os.environ | {
            "SIGHTLINE_INDEX_DIR": str(self._folder / home),
            "SIGHTLINE_CACHE_MB": str(cache_mb),
        }
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        command = [sys.executable, "-P", "-m", "sightline.server", *line]
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
        wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            sys.exit(f"{line}: {done.stderr}")
        self._said = _stages(done.stdout) if line[0] == "index" else {}
        return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def _report(self, name: str, taken: tuple[float, float], without: tuple[float, float]) -> None:
        """Both shares of a first index: on a machine that others use, too, that of the processor is the steadier."""
        shares = f"{taken[0] / without[0]:.1%} of a first index by wall, {taken[1] / without[1]:.1%} by processor"
        print(f"{name:34}{taken[0]:9.1f} s wall {taken[1]:9.1f} s processor, {shares}")

    def _disk(self, home: str) -> int:
        """Bytes of a folder, files that are linked more than once counted once."""
        found = {}
        for path in (self._folder / home).rglob("*"):
            status = path.lstat()
            found[status.st_ino] = status.st_blocks * 512
        return sum(found.values())

    def _git(self, *arguments: str) -> None:
        subprocess.run(["git", *_GIT, *arguments], cwd=self._main, check=True, capture_output=True)


def _stages(said: str) -> dict[str, Any]:
    (root,) = json.loads(said)["roots"]
    return {**root["stages_s"], "changed": root["files_changed"], "from_cache": root["files_from_cache"]}


def _edit(root: Path, count: int) -> None:
    """Add a function to as many Python files as wanted, evenly spread."""
    files = sorted(path for path in root.rglob("*.py") if path.is_file())
    step = max(len(files) // count, 1)
    for number, path in enumerate(files[::step][:count]):
        path.write_text(
            f"{path.read_text(encoding='utf-8')}\n\ndef added_{number}():\n    return {number}\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
