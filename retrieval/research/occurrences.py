"""Where a name stands as a word in the texts of a root: every line, in every file that can hold it.

The index knows which of its files hold the name (every identifier is a term of its own), so only these are read, and
beside them the text files that the index left out. Bytes are searched, and only lines with the name are decoded: a name
in 3,000 files takes a tenth of a second.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from sightline.tokens import tokenize
from sightline.types import NOT_SEARCHED

if TYPE_CHECKING:
    from sightline.retrieval.research.source import Source
    from sightline.store import Snapshot

LOOK_S = 3.0  # a name that stands in every file of the largest repositories takes a fifth of it
_LONGEST = 4  # bytes of one character
_LETTER = bytes(c < 128 and (chr(c).isalnum() or c == ord("_")) for c in range(256))  # of ASCII


@dataclass(frozen=True, slots=True)
class Text:
    """A file's text as UTF-8, line ends as on disk."""

    path: str
    data: bytes
    reason: str = ""  # why the index left it out; "" for an indexed file
    changed: bool = False  # it is no longer what was indexed


class Content(NamedTuple):
    """What a file holds, by name: where the name is the same, the text is."""

    path: str
    name: str
    changed: bool = False  # it is no longer what was indexed


class Texts(Protocol):
    """Gives the texts of a root."""

    def contents(self, paths: Sequence[str]) -> Iterable[Content]:
        """What those of the given files hold that can be had; files that did not change are not read for it."""

    def indexed(self, paths: Sequence[str]) -> Iterable[Text]:
        """Those of the given files that can be had, in any order."""

    def left_out(self, name: str) -> Iterable[Text]:
        """The text files that the index does not hold."""


class IndexedTexts:
    """The texts as the index holds them, for want of a disk."""

    def __init__(self, source: Source, snapshot: Snapshot) -> None:
        self._source, self._snapshot = source, snapshot

    def contents(self, paths: Sequence[str]) -> Iterator[Content]:
        """The files as they were indexed."""
        files = self._snapshot.files
        for path in paths:
            yield Content(path, f"indexed {files[path].content_hash}")  # its line ends may be others than on disk

    def indexed(self, paths: Sequence[str]) -> Iterator[Text]:
        """The files as they were indexed."""
        self._source.prepare(paths)
        for path in paths:
            lines = self._source.lines(path, 1, self._snapshot.files[path].lines)
            yield Text(path, "\n".join(text for _, text in lines).encode())

    def left_out(self, name: str) -> Iterator[Text]:
        """None: of these the index has nothing."""
        return iter(())


@dataclass(frozen=True, slots=True)
class Occurrences:
    """The lines of one file that say a name, each once."""

    text: Text
    lines: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]  # where each line begins and ends in the bytes

    def line(self, number: int) -> str:
        """The text of the `number`th of these lines."""
        start, end = self.spans[number]
        return self.text.data[start:end].decode("utf-8", "replace").rstrip("\r")


@dataclass(slots=True)
class Found:
    """Every file that says a name, and how many are too large to be searched or had no time left."""

    files: list[Occurrences]
    unread: int = 0


def occurrences(snapshot: Snapshot, texts: Texts, name: str) -> Found:
    """Find a name in all texts; the order is that of the paths."""
    deadline = time.monotonic() + LOOK_S
    found = Found([])
    for waiting in (_indexed(snapshot, texts, name), texts.left_out(name)):
        for text in waiting:
            if text.reason == NOT_SEARCHED or time.monotonic() > deadline:
                found.unread += 1
                continue
            lines = lines_saying(text, name)
            if lines.lines:
                found.files.append(lines)
    found.files.sort(key=lambda file: file.text.path)
    return found


def _indexed(snapshot: Snapshot, texts: Texts, name: str) -> Iterable[Text]:
    return texts.indexed(holding(snapshot, name))


def holding(snapshot: Snapshot, name: str) -> list[str]:
    """The indexed files that may say a name: those with a chunk that has its term; all where it has none."""
    chunks = snapshot.chunks
    terms = tokenize(name)
    if not terms:
        return sorted(path for path, record in snapshot.files.items() if record.state == "indexed")
    ranked = chunks.cover([([_rarest(snapshot, terms)], 1.0)], limit=max(chunks.size, 1))
    return sorted(snapshot.paths[number] for number in np.unique(chunks.path_index[ranked.positions]).tolist())


def _rarest(snapshot: Snapshot, terms: Sequence[str]) -> str:
    """A line with the name has all its terms, so the rarest one leaves the fewest files."""
    return min(dict.fromkeys(terms), key=snapshot.chunks.frequency)


def lines_saying(text: Text, name: str) -> Occurrences:
    """The lines of a text on which a name stands as a word, as `grep -w` has it."""
    data, wanted, size = text.data, name.encode(), len(name.encode())
    lines: list[int] = []
    spans: list[tuple[int, int]] = []
    number, counted = 1, 0
    at = data.find(wanted)
    while at >= 0:
        before = data[at - 1] if at else 10
        after = data[at + size] if at + size < len(data) else 10
        if _LETTER[before] or _LETTER[after]:
            at = data.find(wanted, at + 1)
            continue
        if (before > 127 or after > 127) and _touched(data, at, at + size):
            at = data.find(wanted, at + 1)
            continue
        start = data.rfind(b"\n", 0, at) + 1
        end = data.find(b"\n", at)
        end = end if end >= 0 else len(data)
        number += data.count(b"\n", counted, start)
        counted = start
        lines.append(number)
        spans.append((start, end))
        at = data.find(wanted, end)
    return Occurrences(text, tuple(lines), tuple(spans))


def _touched(data: bytes, start: int, end: int) -> bool:
    """Does a letter beyond ASCII stand directly beside a stretch of bytes?"""
    before = data[max(start - _LONGEST, 0) : start].decode("utf-8", "replace")[-1:]
    after = data[end : end + _LONGEST].decode("utf-8", "replace")[:1]
    return before.isalnum() or after.isalnum()
