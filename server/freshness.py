"""Never stale: the files of the hits are compared with the disk before anything is shown.

Size and time of change are looked at first, and only where they differ the content is hashed. What really differs is
indexed on the spot, within a bound; a hit whose file still differs is marked `stale`, because
an agent edits by the lines it is shown.
"""

from __future__ import annotations

import codecs
import dataclasses
import os
import stat
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import xxhash

from sightline.indexer.files.confine import Confined, mtime_ns, quick_part, read_bytes
from sightline.server import heavy
from sightline.server.answers.answered import shown_in
from sightline.server.lifecycle import FOLLOW_S, REFRESH_S
from sightline.types import FileRecord, Hit, Related, SearchResult

if TYPE_CHECKING:
    from sightline.server.root import Root
    from sightline.store import Snapshot

MAX_REFRESHED_FILES = 20  # files of one answer that are indexed on the spot; more is the watcher's work
_READ_BYTES = 1 << 20
_Shown = TypeVar("_Shown", Hit, Related)


def paths_of(result: SearchResult) -> list[str]:
    """The files whose lines a result shows, and those it names, each once, best first."""
    shown = [hit.item for hit in result.hits] + [edge.item for edge in result.related]
    routed = [path for route in result.routes for path in route.paths]
    named = [file.path for file in result.files]
    return list(dict.fromkeys([*(path for item in shown for path in shown_in(item)), *routed, *named]))


def changed(root: Path, files: Mapping[str, FileRecord], paths: Iterable[str]) -> list[str]:
    """Those of the paths whose content on disk is not what the index holds; a deleted file counts."""
    with Confined(root) as inside:
        return [path for path in paths if not _same(inside, path, files.get(path))]


def refresh(root: Root, paths: Sequence[str], seen: Snapshot) -> bool:
    """Have changed files indexed now, by ourselves or by the process that writes; True when something was."""
    if len(paths) > MAX_REFRESHED_FILES:
        return False
    service = root.service
    if service is not None and seen.status().state == "indexing" and not service.wait_caught_up(0):
        return False  # a first index: it will come to these files, and nobody waits for that
    if service is not None and service.refresh(frozenset(paths), timeout_s=REFRESH_S):
        return True
    if heavy.store.writer_pid(root.config.index_dir) in (None, os.getpid()):
        return False
    deadline = time.monotonic() + REFRESH_S
    while time.monotonic() < deadline:
        snapshot = root.snapshot()
        if snapshot is not None and snapshot.generation > seen.generation:
            return True
        time.sleep(FOLLOW_S)
    return False


class Lines:
    """Source lines as they are on disk, of files that are what the index holds; of a changed file there are none."""

    def __init__(self, root: Path, files: Mapping[str, FileRecord]) -> None:
        self._root, self._files = root, files
        self._kept: dict[str, list[str] | None] = {}

    def read(self, path: str, start_line: int, end_line: int) -> Sequence[str] | None:
        """Lines of a file, both ends included; None when the file differs from the index."""
        if path not in self._kept:
            self._kept[path] = self._lines(path)
        lines = self._kept[path]
        return lines[start_line - 1 : end_line] if lines is not None else None

    def _lines(self, path: str) -> list[str] | None:
        record = self._files.get(path)
        if record is None:
            return None
        try:
            data = read_bytes(self._root, path, record.size_bytes + 1)
        except OSError:
            return None  # it went, or something that is not a file of the root has taken its place
        if xxhash.xxh3_128_hexdigest(data) != quick_part(record.content_hash):
            return None
        encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
        return [line.rstrip("\r") for line in data.decode(encoding, "replace").removesuffix("\n").split("\n")]


def mark(result: SearchResult, stale: frozenset[str]) -> SearchResult:
    """The result, whatever shows lines of stale files marked."""
    if not stale:
        return result
    return dataclasses.replace(
        result,
        hits=[_marked(hit, stale) for hit in result.hits],
        related=[_marked(e, stale) for e in result.related],
        routes=[
            dataclasses.replace(r, text=f"{r.text}  [stale]") if stale & set(r.paths) else r for r in result.routes
        ],
        files=[dataclasses.replace(file, stale=file.path in stale) for file in result.files],
    )


def _marked(shown: _Shown, stale: frozenset[str]) -> _Shown:
    if stale.isdisjoint(shown_in(shown.item)):
        return shown
    return dataclasses.replace(shown, stale=True)


def _same(inside: Confined, path: str, record: FileRecord | None) -> bool:
    status = inside.status(path) if record is not None else None
    if record is None or status is None or not stat.S_ISREG(status.st_mode) or status.st_size != record.size_bytes:
        return False
    try:
        return mtime_ns(status) == record.mtime_ns or _hash(inside, path) == quick_part(record.content_hash)
    except OSError:
        return False  # gone or unreadable: what the index shows is not what is there


def _hash(inside: Confined, path: str) -> str:
    digest = xxhash.xxh3_128()
    with os.fdopen(inside.open(path)[0], "rb") as source:
        while block := source.read(_READ_BYTES):
            digest.update(block)
    return digest.hexdigest()
