"""Commits of the past: given half of the files that a commit changed, is the other half among what we name?

The tree is that of the commit's parent and the history ends there, so nothing is known of the commit itself. Three ways
to rank files are compared: what the graph reaches, what usually changes together, and both.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import time
from dataclasses import replace
from pathlib import Path

from sightline.changes.files import by_graph, by_history, likely_files
from sightline.changes.history import history
from sightline.changes.repository import repository
from sightline.config import make_config
from sightline.indexer.pipeline import index_root
from sightline.indexer.service import open_writer
from sightline.store import open_snapshot

_AT = (5, 10, 20)
_MIN_FILES, _MAX_FILES = 4, 30


def judge(arguments: argparse.Namespace) -> None:
    """Go through chosen commits of each repository and print how much of the hidden half is found."""
    totals: dict[str, list[list[float]]] = {"graph": [], "history": [], "both": []}
    for place in arguments.repositories:
        rows = _repository(Path(place).resolve(), arguments)
        for name, found in rows.items():
            totals[name] += found
        _print(Path(place).name, rows)
    if len(arguments.repositories) > 1:
        _print("all", totals)


def _repository(root: Path, arguments: argparse.Namespace) -> dict[str, list[list[float]]]:
    rows: dict[str, list[list[float]]] = {"graph": [], "history": [], "both": []}
    chosen = _chosen(root, arguments.count, arguments.newest)
    chance = random.Random(arguments.seed)
    began = time.monotonic()
    before = _git(root, "rev-parse", "--abbrev-ref", "HEAD").strip()
    config = replace(make_config(root, index_dir=arguments.home, embedder="none"), history_commits=5_000)
    for commit, files in chosen:
        if time.monotonic() - began > arguments.bound:
            break
        _git(root, "checkout", "-q", "--force", f"{commit}^")
        with open_writer(config, None) as writer:
            index_root(config, writer, None)
        snapshot = open_snapshot(config.index_dir)
        known = history(config, repository(root))
        assert snapshot is not None and known is not None
        there = sorted(path for path in files if path in snapshot.files)
        chance.shuffle(there)
        shown, hidden = there[: (len(there) + 1) // 2], set(there[(len(there) + 1) // 2 :])
        if not shown or not hidden:
            continue
        graph, pairs = by_graph(snapshot, shown), by_history(known, shown, snapshot.files.keys())
        for name, ranked in (("graph", graph), ("history", pairs), ("both", likely_files(graph, pairs))):
            order = sorted(ranked, key=lambda path: (-ranked[path], path))
            rows[name].append([len(hidden & set(order[:at])) / len(hidden) for at in _AT])
    _git(root, "checkout", "-q", "--force", before)
    return rows


def _chosen(root: Path, count: int, newest: int) -> list[tuple[str, list[str]]]:
    """Commits spread over the newest ones, that touched some files but not everything; newest first."""
    listed = _git(root, "log", "--no-merges", f"--max-count={newest}", "--format=%x01%H", "--name-only", "--no-renames")
    found = []
    for part in listed.split("\x01")[1:]:
        commit, *files = part.split("\n")
        names = [name for name in files if name]
        if _MIN_FILES <= len(names) <= _MAX_FILES:
            found.append((commit, names))
    step = max(len(found) // count, 1)
    return found[::step][:count]


def _git(root: Path, *line: str) -> str:
    done = subprocess.run(["git", *line], cwd=root, check=True, capture_output=True)
    return done.stdout.decode("utf-8", "replace")


def _print(name: str, rows: dict[str, list[list[float]]]) -> None:
    for way, found in rows.items():
        if found:
            shown = ", ".join(f"@{at} {statistics.mean(r[i] for r in found):.3f}" for i, at in enumerate(_AT))
            print(f"{name}: {len(found)} commits, {way}: {shown}", flush=True)
