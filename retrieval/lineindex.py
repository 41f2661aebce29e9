"""Rows in the order of where they begin: which chunk holds a line, which objects a stretch of lines defines.

Sorted once per snapshot and kept with it; every question is a binary search for all that is asked at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from sightline.store import Rows, Snapshot

Positions = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.int32]

_KEY = "line index"


class LineIndex:
    """Some rows of a table by file and first line."""

    def __init__(self, rows: Rows[Any], chosen: Positions) -> None:
        keys = _keys(rows.path_index[chosen], rows.start_line[chosen])
        order = np.argsort(keys, kind="stable")  # the rows of a file lie together: nearly in order already
        self._keys, self.positions = keys[order], chosen[order]

    def last_until(self, files: Numbers, lines: Numbers) -> Positions:
        """For each line of a file, the last row that begins there or before, be it in another file; -1 if none does."""
        at = np.searchsorted(self._keys, _keys(files, lines), side="right") - 1
        return np.where(at >= 0, self.positions[at], -1) if len(self.positions) else np.full(len(at), -1)

    def between(self, files: Numbers, first: Numbers, last: Numbers) -> tuple[Positions, Positions]:
        """For each stretch of lines, from where to where in `positions` the rows stand that begin in it."""
        start = np.searchsorted(self._keys, _keys(files, first), side="left")
        end = np.searchsorted(self._keys, _keys(files, last), side="right")
        return start, end


def chunk_lines(snapshot: Snapshot) -> LineIndex:
    """Which chunk begins where."""
    chunks = snapshot.chunks
    return chunks.once(_KEY, lambda: LineIndex(chunks, np.flatnonzero(chunks.alive)))


def object_lines(snapshot: Snapshot) -> LineIndex:
    """Which object begins where, without those that stand for whole files."""
    objects = snapshot.objects
    return objects.once(
        _KEY, lambda: LineIndex(objects, np.flatnonzero(objects.alive & (objects.column("parent") != 0)))
    )


def _keys(files: Numbers, lines: Numbers) -> Positions:
    return (files.astype(np.int64) << 32) | lines
