"""How much relationships are about a query: the cosine of their embeddings.

Small tables hold their embeddings in memory. Of a large one a walk needs a few rows of each level, but thousands when
it starts at a hub, and reading 10,000 scattered rows takes over 50 ms. What was read is therefore kept, up to as many
rows as a small table would hold.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sightline.store.schema import shortened

if TYPE_CHECKING:
    from sightline.store import Snapshot
    from sightline.types import Vector

_KEPT_ROWS = 65_536  # at most 64 MB (256 floats a row), only in a process that ranks walks over a large graph
_KEY = "similarity"

Positions = npt.NDArray[np.int64]


class Similarity:
    """Compares relationships of one snapshot with queries; safe to share between threads."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._edges = snapshot.relationships
        self._width = snapshot.manifest.short_dim  # relationships keep the leading dimensions only
        self._lock = threading.Lock()
        self._slots: npt.NDArray[np.int32] | None = None  # row → place in `_kept`, -1 = not read yet
        self._kept = np.empty((0, self._width), np.float32)
        self._count = 0

    def of(self, rows: Positions, query: Vector) -> Vector:
        """The cosine of each row's embedding with a unit vector; 0.0 where there is no embedding."""
        short = shortened(query, self._width)
        if self._edges.holds_vectors or len(rows) > _KEPT_ROWS:
            return np.asarray(np.vecdot(self._read(rows), short), np.float32)
        with self._lock:
            return np.asarray(np.vecdot(self._kept_rows(rows), short), np.float32)

    def _read(self, rows: Positions) -> Vector:
        return self._edges.vectors(rows)[:, : self._width]

    def _kept_rows(self, rows: Positions) -> Vector:
        if self._slots is None:
            self._slots = np.full(self._edges.size, -1, np.int32)
        missing = np.unique(rows[self._slots[rows] < 0])
        if self._count + len(missing) > _KEPT_ROWS:
            self._slots.fill(-1)
            self._count = 0
            missing = np.unique(rows)
        if len(missing):
            self._keep(missing, self._slots)
        return np.asarray(self._kept[self._slots[rows]])

    def _keep(self, rows: Positions, slots: npt.NDArray[np.int32]) -> None:
        end = self._count + len(rows)
        if end > len(self._kept):
            grown = np.empty((min(max(end, 2 * len(self._kept)), _KEPT_ROWS), self._kept.shape[1]), np.float32)
            grown[: self._count] = self._kept[: self._count]
            self._kept = grown
        self._kept[self._count : end] = self._read(rows)
        slots[rows] = np.arange(self._count, end)
        self._count = end


def similarity_of(snapshot: Snapshot) -> Similarity:
    """The comparison for a snapshot, made when first asked for."""
    known: Similarity = snapshot.relationships.derived.setdefault(_KEY, Similarity(snapshot))
    return known
