"""File events → batches of Change.

Events only say where to look; `walk` decides what counts. What cannot be told by paths (ignore rules changed, a folder
came or was renamed, more events than are worth listing) is reported as one empty-path change: look at everything.

On Linux every folder costs an inotify watch, so folders that hold nothing of interest (node_modules, build outputs,
.git) are not watched; when folders come, the watch is set up anew. Elsewhere the system watches whole trees. Where
notifications are not to be had, the root is walked again and again and compared.
"""

from __future__ import annotations

import logging
import os
import stat
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from watchfiles import Change as Event
from watchfiles._rust_notify import RustNotify

from sightline.config import Config
from sightline.indexer.files import skip
from sightline.indexer.files.ignore import GITIGNORE, IGNORE_FILES, SIGHTLINEIGNORE, IgnoreRules
from sightline.indexer.files.walk import folders_below, walk
from sightline.types import Change

EVERYTHING = Change("modified", "")  # the whole root may differ
_DEBOUNCE_MS, _STEP_MS = 50, 10  # 13 ms from write to event (FACTS)
_FLOOD_DEBOUNCE_MS, _FLOOD_STEP_MS = 1_000, 100  # while a branch is switched, batches are worth waiting for
_FLOOD_BEGINS = 200  # paths in one batch
_FLOOD = 2_000  # paths; comparing the whole root with the index is cheaper then
_TIMEOUT_MS = 500  # how long a stop may go unnoticed
_POLL_S = 2.0  # between two looks at the root where notifications are not to be had
_POLL_SHARE = 0.05  # of one core at most for polling: a root that takes 1 s to walk is walked every 20 s
_ATTEMPTS = 5  # folders may go while they are being listed
_FOLDER_BY_FOLDER = sys.platform.startswith("linux")
_logger = logging.getLogger(__name__)
_KINDS: dict[int, Literal["added", "modified", "deleted"]] = {
    Event.added.value: "added",
    Event.modified.value: "modified",
    Event.deleted.value: "deleted",
}


def changes(config: Config, stop: threading.Event) -> Iterator[list[Change]]:
    """Yield batches of changed paths until `stop` is set.

    The first batch is EVERYTHING, once watching has begun: whatever changed before then was not seen.
    """
    try:
        yield from _notified(config, stop)
    except (OSError, RuntimeError) as error:
        if stop.is_set():
            return
        _logger.warning("file notifications are not to be had (%s): looking every %g s instead", error, _POLL_S)
        yield from _polled(config, stop)


def _notified(config: Config, stop: threading.Event) -> Iterator[list[Change]]:
    while not stop.is_set():
        root = _identity(config.root)
        if root is None:
            stop.wait(_POLL_S)
            continue
        scene = _look(config)
        with _notifier(config, scene) as notifier:
            yield [EVERYTHING]
            flood = flooded = False
            while True:
                debounce, step = (_FLOOD_DEBOUNCE_MS, _FLOOD_STEP_MS) if flood else (_DEBOUNCE_MS, _STEP_MS)
                events = notifier.watch(debounce, step, _TIMEOUT_MS, stop)
                if events == "timeout":
                    if _identity(config.root) != root:  # gone or another folder by now: the old one is being watched
                        break
                    if flooded:  # so many events at once may have been more than the system keeps for us
                        yield [EVERYTHING]
                    flood = flooded = False
                    continue
                if isinstance(events, str):
                    return
                batch = _batch(config.root, scene, events)
                if batch is None:  # the set of folders or the rules are different now: look again once it is quiet
                    notifier.watch(_FLOOD_DEBOUNCE_MS, _STEP_MS, _DEBOUNCE_MS, stop)
                    break
                flood = len(events) >= _FLOOD_BEGINS
                flooded |= flood
                if batch:
                    yield batch


@dataclass(frozen=True, slots=True)
class _Scene:
    """What is being watched, and what is known to count although a rule ignores it."""

    folders: frozenset[str]
    files: frozenset[str]
    gitignore: IgnoreRules
    sightlineignore: IgnoreRules

    def ignores(self, path: str) -> bool:
        if path in self.files:
            return False
        return self.gitignore.ignores_file(path) or self.sightlineignore.ignores_file(path)


def _look(config: Config) -> _Scene:
    root = config.root
    files = frozenset(candidate.path for candidate in walk(config))
    holding = {""}  # folders with something that counts, whatever the rules say of them
    for path in files:
        folder = path.rpartition("/")[0]
        while folder not in holding:
            holding.add(folder)
            folder = folder.rpartition("/")[0]
    gitignore, sightlineignore = IgnoreRules(root, GITIGNORE), IgnoreRules(root, SIGHTLINEIGNORE)

    def counts(folder: str, name: str) -> bool:
        if name in skip.PRUNED_FOLDERS:
            return False
        return folder in holding or not (gitignore.ignores_folder(folder) or sightlineignore.ignores_folder(folder))

    folders = folders_below(root, counts)
    return _Scene(frozenset(folders), files, gitignore, sightlineignore)


def _notifier(config: Config, scene: _Scene) -> RustNotify:
    for attempt in range(_ATTEMPTS):
        folders = [folder for folder in scene.folders if (config.root / folder).is_dir()] if attempt else scene.folders
        paths = [str(config.root / folder) for folder in folders] if _FOLDER_BY_FOLDER else [str(config.root)]
        try:
            return RustNotify(paths, False, False, 0, not _FOLDER_BY_FOLDER, True)
        except FileNotFoundError:
            if not config.root.is_dir():
                raise
    raise OSError("folders come and go too quickly")


def _batch(root: Path, scene: _Scene, events: set[tuple[int, str]]) -> list[Change] | None:
    """Turn events into changes; None when what is watched has to be determined anew."""
    found: dict[str, Change] = {}
    for kind, name in events:
        try:
            path = Path(name).relative_to(root).as_posix()
        except ValueError:
            continue
        parts = path.split("/")
        if path == "." or not skip.PRUNED_FOLDERS.isdisjoint(parts):
            continue
        if parts[-1] in IGNORE_FILES:
            return None
        is_folder = _is_folder(Path(name))
        if is_folder and (path not in scene.folders or kind == Event.added.value):
            if scene.gitignore.ignores_folder(path) or scene.sightlineignore.ignores_folder(path):
                continue
            return None
        if is_folder or (scene.ignores(path) and path not in scene.folders):
            continue
        found[path] = Change(_KINDS.get(kind, "modified"), path)
        if len(found) > _FLOOD:
            return [EVERYTHING]
    return [found[path] for path in sorted(found)]


def _identity(root: Path) -> tuple[int, int] | None:
    try:
        status = root.stat()
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISDIR(status.st_mode) else None


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _polled(config: Config, stop: threading.Event) -> Iterator[list[Change]]:
    """Walk the root again and again and report what differs."""
    known = {candidate.path: candidate for candidate in walk(config)}
    yield [EVERYTHING]
    pause_s = _POLL_S
    while not stop.wait(pause_s):
        began = time.monotonic()
        seen = {candidate.path: candidate for candidate in walk(config)}
        pause_s = max(_POLL_S, (time.monotonic() - began) / _POLL_SHARE)
        batch = [Change("deleted", path) for path in known.keys() - seen.keys()]
        batch += [Change("added", path) for path in seen.keys() - known.keys()]
        batch += [Change("modified", path) for path in seen.keys() & known.keys() if seen[path] != known[path]]
        known = seen
        if batch:
            yield sorted(batch, key=lambda change: change.path)
