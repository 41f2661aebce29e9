"""Who gives and who reads each key of the symbol table, in a few bytes per key.

A key is known by its hash: 64 bits where a wrong answer would matter, 32 where it only has a file resolved that need
not be. The store keeps both lists of every file, so that a process that is about to apply one edit need not read the
facts of all others to learn whom it concerns.
"""

from __future__ import annotations

import bisect
from array import array
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

_LITTLE_64, _LITTLE_32 = np.dtype("<u8"), np.dtype("<u4")  # as they are stored
_SHORT = 0xFFFFFFFF
_BUCKETS = 1 << 16
_BUCKET_SHIFT = 64 - 16  # of a hash of 64 bits: its first 16
_FOLD_SHARE = 8  # what came later is sorted in when it is more than that part of all
_FEW_KEYS = 16  # which are compared one after the other, a tenth of a millisecond each for a million and a half reads
_FEW_ROWS = 256  # files whose reads are looked through one by one

Words = npt.NDArray[np.uint64]
Shorts = npt.NDArray[np.uint32]


def packed_reads(reads: Words) -> bytes:
    """The keys that a file reads, as they are stored."""
    return np.unique(reads.astype(np.uint32)).astype(_LITTLE_32, copy=False).tobytes()


class Givers:
    """The files that contribute to a key: sorted columns, and beside them what has changed since they were sorted."""

    def __init__(self) -> None:
        self._paths: list[str] = []  # by number
        self._numbers: dict[str, int] = {}
        self._keys: Words = np.empty(0, np.uint64)
        self._sorted = self._keys.data
        self._begins = _begins_of(self._keys)
        self._files: Shorts = np.empty(0, np.uint32)
        self._later: list[tuple[int, Words]] = []  # whole files that are not sorted in yet
        self._changed: dict[int, list[str]] = {}  # the files of a key, where the columns are out of date

    @classmethod
    def of_columns(cls, paths: list[str], keys: Words, files: Shorts) -> Givers:
        """What `columns` gave, for whoever only looks things up."""
        givers = cls()
        givers._paths, givers._keys, givers._files = paths, keys, files
        givers._sorted, givers._begins = keys.data, _begins_of(keys)
        return givers

    def columns(self) -> tuple[list[str], Words, Shorts]:
        """The paths by number, and each key beside the number of a file that gives it, sorted by key."""
        later, self._later = self._later, []
        if later or self._changed:
            self._sort(later)
        return self._paths, self._keys, self._files

    def add(self, path: str, keys: bytes | Iterable[int]) -> None:
        """Take the keys of a file that gave none so far."""
        words = np.frombuffer(keys, _LITTLE_64) if isinstance(keys, bytes) else np.fromiter(keys, np.uint64)
        self._later.append((self._number(path), words.astype(np.uint64, copy=False)))

    def change(self, path: str, gone: Iterable[int], new: Iterable[int]) -> None:
        """Note that a file gives other keys than it did."""
        for key in gone:
            self._now(key).remove(path)
        for key in new:
            bisect.insort(self._now(key), path)
        if len(self._changed) * _FOLD_SHARE > len(self._keys) + _BUCKETS:
            self._sort([])

    def of(self, key: int) -> Sequence[str]:
        """The files that contribute to a key, sorted by path."""
        if self._later:
            self._take_later()
        changed = self._changed.get(key)
        if changed is not None:
            return changed
        keys, bucket = self._sorted, key >> _BUCKET_SHIFT
        # A third of the time that numpy takes for a single one.
        first = bisect.bisect_left(keys, key, self._begins[bucket], self._begins[bucket + 1])
        last = first
        while last < len(keys) and keys[last] == key:
            last += 1
        if last - first == 1:
            return (self._paths[self._files[first]],)
        return sorted(self._paths[number] for number in self._files[first:last]) if last > first else ()

    def _now(self, key: int) -> list[str]:
        files = self.of(key)
        if key not in self._changed:
            self._changed[key] = list(files)
        return self._changed[key]

    def _number(self, path: str) -> int:
        found = self._numbers.get(path)
        if found is None:
            found = self._numbers[path] = len(self._paths)
            self._paths.append(path)
        return found

    def _take_later(self) -> None:
        later, self._later = self._later, []
        if sum(len(words) for _, words in later) * _FOLD_SHARE > len(self._keys):
            self._sort(later)
            return
        for number, words in later:
            for key in words.tolist():
                bisect.insort(self._now(key), self._paths[number])

    def _sort(self, later: Sequence[tuple[int, Words]]) -> None:
        """Write the columns anew, with everything in its place."""
        stale = np.sort(np.fromiter(self._changed, np.uint64, len(self._changed)))
        kept = ~np.isin(self._keys, stale) if len(stale) else np.ones(len(self._keys), bool)
        overlaid = [(key, self._numbers[path]) for key, paths in self._changed.items() for path in paths]
        keys = [self._keys[kept], np.array([key for key, _ in overlaid], np.uint64), *[words for _, words in later]]
        files = [self._files[kept], np.array([number for _, number in overlaid], np.uint32)]
        files += [np.full(len(words), number, np.uint32) for number, words in later]
        joined = np.concatenate(keys)
        order = np.argsort(joined, kind="stable")
        self._keys, self._files = joined[order], np.concatenate(files)[order]
        self._sorted = self._keys.data
        self._begins = _begins_of(self._keys)
        self._changed = {}


def _begins_of(keys: Words) -> array[int]:
    """Where the keys of each bucket begin; at last, where they end. Hashes fill all buckets alike."""
    firsts = np.arange(_BUCKETS, dtype=np.uint64) << np.uint64(_BUCKET_SHIFT)
    return array("I", [*np.searchsorted(keys, firsts).tolist(), len(keys)])


class Readers:
    """The files that read a key, whether they found anything there or not."""

    def __init__(self) -> None:
        self._rows: dict[str, Shorts] = {}
        self._joined: Shorts = np.empty(0, np.uint32)  # the reads of these files behind each other
        self._paths: list[str] = []
        self._ends: npt.NDArray[np.int64] = np.empty(0, np.int64)
        self._since: set[str] = set()  # files that have read something else since they were joined

    def __bool__(self) -> bool:
        return bool(self._rows)

    def put(self, path: str, reads: bytes) -> None:
        """Say what a file reads, as `packed_reads` has it, in place of what it read before."""
        self._rows[path] = np.frombuffer(reads, _LITTLE_32).astype(np.uint32, copy=False)
        self._since.add(path)

    def drop(self, path: str) -> None:
        """Forget a file."""
        if self._rows.pop(path, None) is not None:
            self._since.add(path)

    def packed(self, path: str) -> bytes:
        """What a file reads, as it is stored."""
        row = self._rows.get(path)
        return row.astype(_LITTLE_32, copy=False).tobytes() if row is not None else b""

    def of(self, keys: Iterable[int]) -> set[str]:
        """The files that read one of these keys; now and then one more."""
        wanted = {key & _SHORT for key in keys}
        if not wanted:
            return set()
        if len(self._since) > _FEW_ROWS:
            self._join()
        places = np.flatnonzero(self._among(wanted))
        rows = np.unique(np.searchsorted(self._ends, places, side="right")).tolist()
        found = {self._paths[row] for row in rows} - self._since
        found.update(
            path for path in self._since if not wanted.isdisjoint(self._rows.get(path, self._joined[:0]).tolist())
        )
        return found

    def _among(self, wanted: set[int]) -> npt.NDArray[np.bool_]:
        """Which of the joined reads are among these."""
        if len(wanted) <= _FEW_KEYS:
            return np.isin(self._joined, np.fromiter(wanted, np.uint32))
        marked = np.zeros(_BUCKETS, bool)
        marked[[key % _BUCKETS for key in wanted]] = True
        near: npt.NDArray[np.bool_] = marked[self._joined & np.uint32(_BUCKETS - 1)]
        near[near] = np.isin(self._joined[near], np.fromiter(wanted, np.uint32))
        return near

    def _join(self) -> None:
        self._paths = list(self._rows)
        self._ends = np.cumsum([len(row) for row in self._rows.values()], dtype=np.int64)
        self._joined = np.concatenate(list(self._rows.values())) if self._rows else np.empty(0, np.uint32)
        spans = pairwise([0, *self._ends.tolist()])
        self._rows = {path: self._joined[first:last] for path, (first, last) in zip(self._paths, spans, strict=True)}
        self._since = set()
