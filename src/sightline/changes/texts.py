"""The texts of a root as they were indexed, read from disk where the file there is still the same: that is faster, and
what is noted of a text then serves whoever reads the disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sightline.indexer.files.confine import Confined, as_utf8, looks_like, read_bytes
from sightline.retrieval.research.occurrences import Content, IndexedTexts, Text
from sightline.retrieval.research.source import Source

if TYPE_CHECKING:
    from pathlib import Path

    from sightline.store import Snapshot


class SnapshotTexts:
    """Gives the texts of one snapshot."""

    def __init__(self, root: Path, snapshot: Snapshot) -> None:
        self._root, self._files = root, snapshot.files
        self._indexed = IndexedTexts(Source(snapshot, None), snapshot)

    def contents(self, paths: Sequence[str]) -> Iterator[Content]:
        """What was indexed, by the name that it has on disk where it is still there."""
        same = self._same(paths)
        for content in self._indexed.contents(paths):
            path = content.path
            yield Content(path, self._files[path].content_hash) if path in same else content

    def indexed(self, paths: Sequence[str]) -> Iterator[Text]:
        """The given files as they were indexed."""
        same = self._same(paths)
        read: set[str] = set()
        for path in same:
            try:
                data = read_bytes(self._root, path, self._files[path].size_bytes + 1)
            except OSError:
                continue  # it went this moment
            read.add(path)
            yield Text(path, as_utf8(data))
        yield from self._indexed.indexed([path for path in paths if path not in read])

    def left_out(self, name: str) -> Iterator[Text]:
        """None: what was not indexed is no part of a snapshot."""
        return iter(())

    def _same(self, paths: Sequence[str]) -> dict[str, None]:
        """The files that look as they did when they were indexed."""
        found: dict[str, None] = {}
        with Confined(self._root) as inside:
            for path in paths:
                status, record = inside.status(path), self._files[path]
                if status is not None and looks_like(status, record):
                    found[path] = None
        return found
