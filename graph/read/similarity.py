"""How much relationships are about a query: the cosine of their embeddings.

Small tables hold their embeddings in memory. Of a large one a walk needs a few rows of each level, but thousands when
it starts at a hub, and reading 10,000 scattered rows takes over 50 ms. What was read is therefore kept, up to as many
rows as a small table would hold.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
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


class _Kept:
    """Embeddings that were read. They are kept with the relationships, so they must not hold these."""

    def __init__(self, rows: int, width: int) -> None:
        self.lock = threading.Lock()
        self._slots = np.full(rows, -1, np.int32)  # row → place in `_vectors`, -1 = not read yet
        self._vectors = np.empty((0, width), np.float32)
        self._count = 0

    def of(self, rows: Positions, read: Callable[[Positions], Vector]) -> Vector:
        """The embeddings of rows; `read` is asked for those that are not here yet."""
        missing = np.unique(rows[self._slots[rows] < 0])
        if self._count + len(missing) > _KEPT_ROWS:
            self._slots.fill(-1)
            self._count = 0
            missing = np.unique(rows)
        if len(missing):
            self._keep(missing, read(missing))
        return np.asarray(self._vectors[self._slots[rows]])

    def _keep(self, rows: Positions, vectors: Vector) -> None:
        end = self._count + len(rows)
        if end > len(self._vectors):
            size = min(max(end, 2 * len(self._vectors)), _KEPT_ROWS)
            grown = np.empty((size, self._vectors.shape[1]), np.float32)
            grown[: self._count] = self._vectors[: self._count]
            self._vectors = grown
        self._vectors[self._count : end] = vectors
        self._slots[rows] = np.arange(self._count, end)
        self._count = end


class Similarity:
    """Compares relationships of one snapshot with queries; safe to share between threads."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._edges = snapshot.relationships
        self._width = snapshot.manifest.short_dim  # relationships keep the leading dimensions only

    def of(self, rows: Positions, query: Vector) -> Vector:
        """The cosine of each row's embedding with a unit vector; 0.0 where there is no embedding."""
        short = shortened(query, self._width)
        if self._edges.holds_vectors or len(rows) > _KEPT_ROWS:
            return np.asarray(np.vecdot(self._read(rows), short), np.float32)
        kept = self._kept()
        with kept.lock:
            return np.asarray(np.vecdot(kept.of(rows, self._read), short), np.float32)

    def _read(self, rows: Positions) -> Vector:
        return self._edges.vectors(rows)[:, : self._width]

    def _kept(self) -> _Kept:
        return self._edges.once(_KEY, lambda: _Kept(self._edges.size, self._width))


def similarity_of(snapshot: Snapshot) -> Similarity:
    """The comparison for a snapshot."""
    return Similarity(snapshot)
