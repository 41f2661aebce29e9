"""Bring the index of a root up to date before a command or the Python client answers.

When another process writes the index (a server, `sightline watch`), its work is used instead: a question is answered
from what is there already, `sightline index` waits until it is complete, and says for whom.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sightline.errors import CorruptIndexError, StoreError, WriterBusyError
from sightline.server import heavy
from sightline.server.lifecycle import COMMAND_FOLLOW_S, COMMAND_SAYS_AFTER_S, COMMAND_WAIT_S
from sightline.visible import visible

if TYPE_CHECKING:
    from sightline.indexer.instep import Compared
    from sightline.indexer.pipeline import Progress, Report
    from sightline.server.root import Root
    from sightline.types import IndexStatus


def catch_up(
    root: Root,
    *,
    keep_embedder: bool = False,
    partial: bool = False,
    progress: Callable[[Progress], None] = lambda _: None,
    say: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Index what changed; returns what was done, as data and as one line of text.

    With `keep_embedder` an index that was made with another embedder is not built anew: that is a ConfigError. With
    `partial` another process is waited for only until there is something to answer from.
    """
    began = time.monotonic()
    compared = _compared(root)
    if compared is not None and not compared.differing:
        seconds = time.monotonic() - began
        done = _Done(compared.manifest.generation, seconds=seconds, stages_s={"compare": seconds})
        return _reported(root, compared.manifest.status(), done, [])
    from sightline.indexer.instep import leave_note
    from sightline.indexer.pipeline import index_root
    from sightline.indexer.service import open_writer

    waiting = _Waiting(root, partial=partial, say=say)
    damages = 0
    while True:
        try:
            embedder = root.embedder.get()
            with open_writer(root.config, embedder, keep_embedder=keep_embedder) as writer:
                known = compared is not None and compared.is_of(writer.manifest)
                paths = compared.differing if compared is not None and known else None
                report = index_root(root.config, writer, embedder, paths=paths, progress=progress)
                if writer.manifest.state == "ready":
                    leave_note(root.config.index_dir, writer.manifest, writer.records().values())
                return _reported(root, writer.manifest.status(), report, list(writer.notices))
        except WriterBusyError:
            if waiting.over():
                return _followed(root)
        except CorruptIndexError:  # it was damaged after it was opened; opened again, it is built anew
            damages += 1
            if damages > 1:
                raise
        except StoreError as error:
            if not root.embedder.error:
                raise
            raise StoreError(f"{error.message}: {root.embedder.error}", hint=error.hint) from error


class _Waiting:
    """For another process that writes the index."""

    def __init__(self, root: Root, *, partial: bool, say: Callable[[str], None]) -> None:
        self._root, self._partial, self._say = root, partial, say
        self._began: float | None = None
        self._said = False

    def over(self) -> bool:
        """Whether there is what was waited for; if not, a moment passes. StoreError when it is not going to come."""
        snapshot = self._root.snapshot()
        if snapshot is not None and (snapshot.status().state == "ready" or (self._partial and snapshot.status().files)):
            return True
        if (reason := self._root.kept_by_another_version()) is not None:
            raise reason
        now = time.monotonic()
        self._began = self._began or now
        who = writer_named(self._root)
        if now - self._began > COMMAND_SAYS_AFTER_S and not self._said:
            self._said = True
            self._say(f"waiting for {who}, which is indexing {self._root.config.root}")
        if self._partial and now - self._began > COMMAND_WAIT_S:
            raise StoreError(
                f"{who} writes the index of this root, and there is nothing in it yet", hint="is it stuck?"
            )
        time.sleep(COMMAND_FOLLOW_S)
        return False


def writer_named(root: Root) -> str:
    """Who writes the index of a root, for a sentence."""
    pid = heavy.store.writer_pid(root.config.index_dir)
    return f"process {pid}" if pid is not None else "another process"


@dataclass(frozen=True, slots=True)
class _Done:
    """What a report says when there was nothing to do."""

    generation: int
    seconds: float
    stages_s: Mapping[str, float]
    files_changed: int = 0
    files_removed: int = 0
    files_from_cache: int = 0
    bytes_read: int = 0


def _compared(root: Root) -> Compared | None:
    """The newest generation and what differs from it on disk, when nobody else writes: told without the engines."""
    from sightline.indexer.instep import compare
    from sightline.store.lock import check_free

    if not root.config.index_dir.is_dir():
        return None
    try:
        check_free(root.config.index_dir)
    except StoreError:  # somebody writes, or nobody may: both have words of their own
        return None
    return compare(root.config, lambda: _embedder_id(root))


def _embedder_id(root: Root) -> str:
    """By which name the chosen embedder is known in an index."""
    if root.config.embedder == "none":
        return "none"
    if root.config.embedder == "static":
        return heavy.embed.static_id()
    embedder = root.embedder.get()
    return embedder.id if embedder is not None else ""


def _reported(root: Root, counts: IndexStatus, report: Report | _Done, notices: list[str]) -> dict[str, Any]:
    failed = f", {counts.files_failed:,} failed" if counts.files_failed else ""
    changed = f"{report.files_changed:,} new or changed, {report.files_removed:,} removed"
    if report.files_from_cache:
        changed += f"; {report.files_from_cache:,} were analysed before"
    text = f"{root.config.root}: {counts.files:,} files indexed ({changed}{failed}) in {report.seconds:.1f} s"
    if not counts.files:
        notices = [*notices, *_why_nothing(root)]
    return {
        "root": str(root.config.root),
        "generation": report.generation,
        "files": counts.files,
        "files_failed": counts.files_failed,
        "files_changed": report.files_changed,
        "files_removed": report.files_removed,
        "files_from_cache": report.files_from_cache,
        "bytes_read": report.bytes_read,
        "seconds": round(report.seconds, 3),
        "stages_s": {stage: round(seconds, 3) for stage, seconds in report.stages_s.items()},
        "notices": notices,
        "text": "\n".join(map(visible, [text, *notices])),
    }


def _why_nothing(root: Root) -> list[str]:
    """Nothing was found to index: a rule that hides everything is easily overlooked."""
    from sightline.indexer.files.walk import ignored

    hidden = Counter(reason for _, reason in ignored(root.config))
    named = ", ".join(f"{count:,} by {reason}" for reason, count in hidden.most_common())
    if not named:
        return []
    return [f"nothing is left to index; files and folders that are hidden: {named} (`sightline status --files`)"]


def _followed(root: Root) -> dict[str, Any]:
    return {
        "root": str(root.config.root),
        "text": visible(f"{root.config.root}: kept up to date by another Sightline process"),
    }
