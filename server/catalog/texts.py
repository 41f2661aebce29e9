"""The texts of a published repository, for the check by text that closes an answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sightline.indexer.files import skip
from sightline.retrieval.research.occurrences import Content, IndexedTexts, Text
from sightline.retrieval.research.source import Source
from sightline.store import Snapshot
from sightline.types import NOT_SEARCHED

_NO_TEXT = frozenset({skip.BINARY, skip.SECRET, skip.SYMLINK, skip.NOT_REGULAR, skip.NAME_NOT_UTF8})


class PublishedTexts:
    """Gives what the index holds, and names what it does not hold as not searched."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._indexed = IndexedTexts(Source(snapshot, None), snapshot)

    def contents(self, paths: Sequence[str]) -> Iterator[Content]:
        """The files as they were indexed."""
        return self._indexed.contents(paths)

    def indexed(self, paths: Sequence[str]) -> Iterator[Text]:
        """The files as they were indexed."""
        return self._indexed.indexed(paths)

    def left_out(self, name: str) -> Iterator[Text]:
        """The text files that the index does not hold: nobody can look into them here."""
        for path, record in sorted(self._snapshot.files.items()):
            if record.state != "indexed" and record.reason not in _NO_TEXT:
                yield Text(path, b"", NOT_SEARCHED)
