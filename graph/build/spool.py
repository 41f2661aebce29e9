"""The encoded facts of all files, in a file: in memory is only where those of each one lie.

Encoded facts take about a third of the source. Of a large repository that is hundreds of megabytes which are looked at
now and then, and the system's own cache of files is the right place for them. Whoever resolves in another process
(`shared.py`) reads the same file.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, NamedTuple

PREFIX = "facts-"  # of the names of these files, and of what is shared with them
_WASTE = 16_000_000  # bytes of facts that are out of date, before the others are moved together
_WRITE_BYTES = 1_000_000


class Place(NamedTuple):
    """Where the facts of a file lie."""

    start: int
    length: int


class Spool:
    """Facts by path. Without a folder for their file they stay in memory, which suits a few files and tests."""

    def __init__(self, folder: Path | None = None) -> None:
        self.name: Path | None = None
        self._file: BinaryIO = BytesIO()
        if folder is not None:
            made, name = tempfile.mkstemp(prefix=PREFIX, dir=folder)  # for its owner only
            self._file, self.name = os.fdopen(made, "w+b"), Path(name)
            weakref.finalize(self, _removed, self._file, self.name)
        self._places: dict[str, Place] = {}
        self._end = self._living = 0  # bytes written, and those of them that count

    @classmethod
    def opened(cls, file: Path, places: dict[str, Place]) -> Spool:
        """Facts that another process has written; they are read only."""
        spool = cls()
        spool._file, spool._places = file.open("rb", buffering=0), places
        weakref.finalize(spool, spool._file.close)
        return spool

    def __contains__(self, path: str) -> bool:
        return path in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __getitem__(self, path: str) -> bytes:
        start, length = self._places[path]
        self._file.seek(start)
        return self._file.read(length)

    @property
    def places(self) -> dict[str, Place]:
        """Where the facts of each file lie, once everything is written."""
        self._file.flush()
        return self._places

    def length(self, path: str) -> int:
        """How many bytes the facts of a file are."""
        return self._places[path].length

    def put(self, path: str, data: bytes) -> None:
        """Keep a file's facts in place of what was there."""
        self.drop(path)
        if self._end - self._living > max(_WASTE, self._living):
            self._move_together()
        self._file.seek(self._end)
        self._file.write(data)
        self._places[path] = Place(self._end, len(data))
        self._end += len(data)
        self._living += len(data)

    def take(self, files: Iterable[tuple[str, bytes]]) -> None:
        """Keep the facts of many files that are not there yet, with few writes."""
        self._file.seek(self._end)
        waiting: list[bytes] = []
        begun = self._end
        for path, data in files:
            self._places[path] = Place(self._end, len(data))
            self._end += len(data)
            self._living += len(data)
            waiting.append(data)
            if self._end - begun > _WRITE_BYTES:
                self._file.write(b"".join(waiting))
                waiting, begun = [], self._end
        self._file.write(b"".join(waiting))

    def drop(self, path: str) -> None:
        """Forget a file."""
        known = self._places.pop(path, None)
        if known is not None:
            self._living -= known.length

    def _move_together(self) -> None:
        """Write what counts over what does not: nothing moves to behind where it was."""
        end = 0
        for path, (start, length) in sorted(self._places.items(), key=lambda item: item[1]):
            self._file.seek(start)
            data = self._file.read(length)
            self._file.seek(end)
            self._file.write(data)
            self._places[path] = Place(end, length)
            end += length
        self._file.truncate(end)
        self._end = self._living = end


def sweep(folder: Path) -> None:
    """Remove what processes left behind that were killed; for whoever alone may write there."""
    for left in folder.glob(f"{PREFIX}*"):
        if left.is_dir():
            shutil.rmtree(left, ignore_errors=True)
            continue
        with contextlib.suppress(OSError):  # Windows: somebody still has it open
            left.unlink()


def _removed(opened: BinaryIO, file: Path) -> None:
    with contextlib.suppress(OSError):  # what the disk has refused is not needed any more
        opened.close()
    file.unlink(missing_ok=True)
