"""Where packed entries are kept: one SQLite file beside the indexes, for all processes of a user.

SQLite's log makes it safe with many processes and after a kill at any moment; every entry carries a checksum of its own
on top. It is bounded: when it is full, what was not used for longest goes first. Whatever is wrong with the file, it is
thrown away and begun anew: nothing in it is needed.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

_FORMAT = 1
_BUSY_MS = 1_000  # another process writes; longer than that is not worth waiting for
_ASKED_AT_ONCE = 500  # SQLite takes about a thousand values in one statement
_KEEP_SHARE = 0.9  # of the bound, when it is full
_SCHEMA = f"""
PRAGMA auto_vacuum = INCREMENTAL;
PRAGMA journal_mode = WAL;
PRAGMA user_version = {_FORMAT};
CREATE TABLE IF NOT EXISTS entries (
    id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, place BLOB NOT NULL, size INTEGER NOT NULL, used INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS by_place ON entries (place);
CREATE INDEX IF NOT EXISTS by_use ON entries (used, size);
CREATE TABLE IF NOT EXISTS packed (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
"""
logger = logging.getLogger(__name__)


class ShelfError(Exception):
    """The file cannot be used."""


class Shelf:
    """Packed entries by key. Used by one thread at a time."""

    def __init__(self, path: Path, max_bytes: int) -> None:
        self._path, self._max_bytes = path, max_bytes
        _make_private(path)
        try:
            self._open()
        except sqlite3.DatabaseError as error:
            logger.info("the cache of analysis in %s is begun anew: %s", path, error)
            self._throw_away()
            try:
                self._open()
            except sqlite3.Error as again:
                raise ShelfError(str(again)) from again

    def _open(self) -> None:
        self._db = sqlite3.connect(self._path, timeout=_BUSY_MS / 1000, check_same_thread=False, isolation_level=None)
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, _FORMAT):
            raise sqlite3.DatabaseError(f"it has format {version}")
        if version == 0:
            self._db.executescript(_SCHEMA)
        self._db.execute("PRAGMA synchronous = NORMAL")

    def places(self, wanted: Iterable[bytes]) -> set[bytes]:
        """Which of these places are known."""
        return {row[0] for row in self._select("SELECT place FROM entries WHERE place IN", wanted)}

    def ids(self, keys: Iterable[bytes]) -> dict[bytes, int]:
        """Which of these keys are there, and under which number."""
        return dict(self._select("SELECT key, id FROM entries WHERE key IN", keys))

    def data(self, number: int) -> bytes | None:
        """A packed entry; None when it has gone meanwhile."""
        with self._guarded():
            row = self._db.execute("SELECT data FROM packed WHERE id = ?", (number,)).fetchone()
            return row[0] if row is not None else None

    def add(self, entries: Sequence[tuple[bytes, bytes, bytes]], used: Iterable[int]) -> None:
        """Keep entries (key, place, data), note which were used, and make room when there is too much."""
        now = time.time_ns()
        with self._guarded(), self._transaction():
            for key, place, data in entries:
                cursor = self._db.execute(
                    "INSERT OR IGNORE INTO entries (key, place, size, used) VALUES (?, ?, ?, ?)",
                    (key, place, len(data), now),
                )
                if cursor.rowcount:
                    self._db.execute("INSERT OR REPLACE INTO packed (id, data) VALUES (?, ?)", (cursor.lastrowid, data))
            numbers = list(used)
            for start in range(0, len(numbers), _ASKED_AT_ONCE):
                some = numbers[start : start + _ASKED_AT_ONCE]
                self._db.execute(f"UPDATE entries SET used = ? WHERE id IN ({_marks(some)})", (now, *some))
            removed = self._make_room()
        if removed:
            with self._guarded():
                self._db.execute("PRAGMA incremental_vacuum").fetchall()

    def remove(self, number: int) -> None:
        """Let go of an entry that is not as it was written."""
        with self._guarded(), self._transaction():
            self._db.execute("DELETE FROM entries WHERE id = ?", (number,))
            self._db.execute("DELETE FROM packed WHERE id = ?", (number,))

    def size(self) -> tuple[int, int]:
        """How many entries, and how many bytes of them."""
        with self._guarded():
            count, size = self._db.execute("SELECT count(*), coalesce(sum(size), 0) FROM entries").fetchone()
            return int(count), int(size)

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def _make_room(self) -> int:
        (total,) = self._db.execute("SELECT coalesce(sum(size), 0) FROM entries").fetchone()
        if total <= self._max_bytes:
            return 0
        gone = []
        for number, size in self._db.execute("SELECT id, size FROM entries ORDER BY used, id"):
            if total <= self._max_bytes * _KEEP_SHARE:
                break
            gone.append((number,))
            total -= size
        self._db.executemany("DELETE FROM packed WHERE id = ?", gone)
        self._db.executemany("DELETE FROM entries WHERE id = ?", gone)
        return len(gone)

    def _select(self, statement: str, values: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
        wanted = list(values)
        for start in range(0, len(wanted), _ASKED_AT_ONCE):
            some = wanted[start : start + _ASKED_AT_ONCE]
            with self._guarded():
                rows = self._db.execute(f"{statement} ({_marks(some)})", some).fetchall()
            yield from rows

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    @contextlib.contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:  # busy, full, read-only: it may do another time
            raise ShelfError(str(error)) from error
        except sqlite3.Error as error:
            self.close()
            self._throw_away()
            raise ShelfError(f"it was damaged and is thrown away: {error}") from error

    def _throw_away(self) -> None:
        with contextlib.suppress(AttributeError):
            self._db.close()
        for ending in ("", "-wal", "-shm"):
            with contextlib.suppress(OSError):
                Path(f"{self._path}{ending}").unlink()
        _make_private(self._path)


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def _make_private(path: Path) -> None:
    """Make the file for its owner alone; ShelfError when somebody else could have made it."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
        descriptor = os.open(path, flags, 0o600)
    except OSError as error:
        raise ShelfError(str(error)) from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or (os.name == "posix" and status.st_uid != os.geteuid()):
            raise ShelfError(f"{path} is not a file of ours")
    finally:
        os.close(descriptor)
