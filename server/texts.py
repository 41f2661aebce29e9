"""The texts of a root as they are on disk, for the check by text that closes an answer.

Indexed files are read without being compared with the index first: what counts there is the disk. One that is no longer
what was indexed is marked, so that it can be indexed again before the answer is given. Files that the index left out
are read too, but for those that are nobody's text or nobody's business.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from sightline.indexer.files import skip
from sightline.indexer.files.confine import Confined, as_utf8, content_hash_of, looks_like
from sightline.retrieval.research.occurrences import Content, Text
from sightline.types import NOT_SEARCHED, FileRecord

_CLOSED = frozenset({skip.BINARY, skip.SECRET, skip.SYMLINK, skip.NOT_REGULAR, skip.NAME_NOT_UTF8})
_MAX_BYTES = 64_000_000  # of one file; a larger one is a dump


class DiskTexts:
    """Reads the files of one root."""

    def __init__(self, root: Path, files: Mapping[str, FileRecord]) -> None:
        self._root, self._files = root, files

    def contents(self, paths: Sequence[str]) -> Iterator[Content]:
        """What the given files hold that are still there; one that looks as it did when it was indexed is not read."""
        with Confined(self._root) as inside:
            for path in paths:
                record, status = self._files[path], inside.status(path)
                if status is not None and looks_like(status, record):
                    yield Content(path, record.content_hash)
                    continue
                try:
                    yield Content(path, content_hash_of(_read(inside, path)[0]), changed=True)
                except OSError:
                    continue  # it went, or something that is not a file of the root has taken its place

    def indexed(self, paths: Sequence[str]) -> Iterator[Text]:
        """The given files that are still there."""
        with Confined(self._root) as inside:
            for path in paths:  # sorted, which makes the way to each a short one
                record = self._files[path]
                try:
                    data, status = _read(inside, path)
                except OSError:
                    continue  # it went, or something that is not a file of the root has taken its place
                yield Text(path, as_utf8(data), changed=not looks_like(status, record))

    def left_out(self, name: str) -> Iterator[Text]:
        """The text files that the index does not hold and that have these letters in them."""
        wanted = name.encode()
        with Confined(self._root) as inside:
            for record in self._left_out():
                if record.size_bytes > _MAX_BYTES:
                    yield Text(record.path, b"", NOT_SEARCHED)
                    continue
                try:
                    data = as_utf8(_read(inside, record.path)[0])
                except OSError:
                    continue  # it went meanwhile
                if wanted in data and not skip.looks_binary(data) and not skip.holds_private_key(data, anywhere=True):
                    yield Text(record.path, data, record.reason)

    def _left_out(self) -> list[FileRecord]:
        wanted = (r for r in self._files.values() if r.state != "indexed" and r.reason not in _CLOSED)
        return sorted(wanted, key=lambda record: record.path)


def _read(inside: Confined, path: str) -> tuple[bytes, os.stat_result]:
    """A file whole, in one system call where it does not change meanwhile."""
    descriptor, status = inside.open(path)
    try:
        parts = []
        while len(part := os.read(descriptor, max(status.st_size + 1, 4096))):
            parts.append(part)
            if len(part) <= status.st_size == sum(map(len, parts)) or sum(map(len, parts)) > _MAX_BYTES:
                break
        return (parts[0] if len(parts) == 1 else b"".join(parts)), status
    finally:
        os.close(descriptor)
