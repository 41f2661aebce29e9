"""File events → batches of Change.

Events only say where to look: a changed folder is reported as all that is below it and all that the index may have had
there, and `walk` decides what counts. A change of ignore rules, or more events than are worth listing, is reported as
one empty-path change: look at everything.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from pathlib import Path

import watchfiles

from sightline.config import Config
from sightline.types import Change

logger = logging.getLogger(__name__)

EVERYTHING = Change("modified", "")  # the whole root may differ
_DEBOUNCE_MS, _STEP_MS = 50, 10  # 13 ms from write to event (FACTS); a flood is gathered for up to 50 ms
_RULES = (".gitignore", ".sightlineignore")
_FLOOD = 2_000  # paths; comparing the whole root with the index is cheaper then


def changes(config: Config, stop: threading.Event) -> Iterator[list[Change]]:
    """Yield batches of changed paths until `stop` is set."""
    try:
        yield from _batches(config, _watch(config, stop, polling=False))
    except (OSError, RuntimeError) as error:
        if stop.is_set():
            return
        logger.warning("file notifications are not to be had (%s): polling instead", error)
        yield [EVERYTHING]
        yield from _batches(config, _watch(config, stop, polling=True))


def _watch(config: Config, stop: threading.Event, *, polling: bool) -> Iterator[set[tuple[watchfiles.Change, str]]]:
    return watchfiles.watch(
        config.root,
        watch_filter=None,
        debounce=_DEBOUNCE_MS,
        step=_STEP_MS,
        stop_event=stop,
        rust_timeout=500,
        raise_interrupt=False,
        force_polling=polling,
        poll_delay_ms=1_000,
    )


def _batches(config: Config, events: Iterator[set[tuple[watchfiles.Change, str]]]) -> Iterator[list[Change]]:
    for raw in events:
        if batch := _batch(config.root, raw):
            yield batch


def _batch(root: Path, raw: set[tuple[watchfiles.Change, str]]) -> list[Change]:
    paths: set[str] = set()
    for _, name in raw:
        path = Path(name)
        try:
            relative = path.relative_to(root).as_posix()
        except ValueError:
            continue
        if relative == ".git" or relative.startswith(".git/") or "/.git/" in relative:
            continue
        if path.name in _RULES or relative == ".":
            return [EVERYTHING]
        if path.is_dir() and not path.is_symlink():
            paths.update(file.relative_to(root).as_posix() for file in path.rglob("*") if not file.is_dir())
        paths.add(relative)
        if len(paths) > _FLOOD:
            return [EVERYTHING]
    return [Change("modified", path) for path in sorted(paths)]
