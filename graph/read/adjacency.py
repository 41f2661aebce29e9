"""Who is connected with whom: the relationships of a snapshot as arrays, ready to be walked.

Built once per snapshot from the in-memory columns and kept by `Rows.once`. Objects and relationships are addressed
by their positions in the snapshot. The edges of an object are ordered by the place that states them (path, line, id),
which depends on the repository alone and not on the order in which its files were indexed.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from sightline.store import Snapshot

Positions = npt.NDArray[np.int64]
Kept = npt.NDArray[np.int32]  # positions, in half the memory: there is one for each end of every relationship
Mask = npt.NDArray[np.bool_]
Direction = Literal["both", "in", "out"]

_KEY = "adjacency"


class Links(NamedTuple):
    """Edges seen from the objects asked for, in their order; parallel arrays."""

    rows: Positions  # of relationships
    near: Positions  # the object asked for
    far: Positions  # the object at the other end; -1 = outside the root


class _Side(NamedTuple):
    """Edges grouped by the object at one end."""

    starts: Positions  # of each object's group in `rows`, and one past the last
    rows: Kept

    def of(self, objects: Positions) -> tuple[Positions, Positions]:
        """The edges of these objects, and to which of them (by index) each belongs."""
        begin = self.starts[objects]
        counts = self.starts[objects + 1] - begin
        owners = np.repeat(np.arange(len(objects)), counts)
        within = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
        return self.rows[begin[owners] + within].astype(np.int64), owners


class Adjacency:
    """The graph of one snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        objects, edges = snapshot.objects, snapshot.relationships
        self.source: Kept = objects.positions(edges.column("source")).astype(np.int32)
        self.target: Kept = objects.positions(edges.column("target")).astype(np.int32)
        usable = np.flatnonzero(edges.alive & (self.source >= 0))
        order = usable[_by_location(snapshot, usable)]
        self._out = _grouped(order, self.source, objects.size)
        self._in = _grouped(order[self.target[order] >= 0], self.target, objects.size)

    def links(self, objects: Positions, direction: Direction) -> Links:
        """The edges of these objects: object by object, of each first the outgoing ones."""
        parts = []
        if direction != "in":
            rows, owners = self._out.of(objects)
            parts.append((rows, owners, self.target[rows].astype(np.int64)))
        if direction != "out":
            rows, owners = self._in.of(objects)
            parts.append((rows, owners, self.source[rows].astype(np.int64)))
        rows, owners, far = parts[0] if len(parts) == 1 else (np.concatenate(p) for p in zip(*parts, strict=True))
        if len(parts) == 2:
            order = np.argsort(owners, kind="stable")
            rows, owners, far = rows[order], owners[order], far[order]
        return Links(rows, objects[owners], far)


def adjacency_of(snapshot: Snapshot) -> Adjacency:
    """The graph of a snapshot, built when first asked for."""
    return snapshot.relationships.once(_KEY, lambda: Adjacency(snapshot))


def type_mask(snapshot: Snapshot, types: Collection[str] | None) -> Mask | None:
    """Which rows of relationships have one of these types; None = all of them."""
    if types is None:
        return None
    column = snapshot.relationships.column("relationship_type")
    wanted = np.array([name in types for name in column.names], bool)
    return np.asarray(wanted[column.codes]) if len(wanted) else np.zeros(len(column), bool)


def _by_location(snapshot: Snapshot, rows: Positions) -> Positions:
    """Order rows by path, line and id."""
    edges = snapshot.relationships
    names = np.array(snapshot.paths, dtype=object)
    rank = np.empty(len(names), np.int64)
    rank[np.argsort(names, kind="stable")] = np.arange(len(names))
    location = (rank[edges.path_index[rows]] << 32) | edges.start_line[rows]
    return np.lexsort((edges.ids[rows], location))


def _grouped(rows: Positions, end: Kept, size: int) -> _Side:
    """Group rows by the object at that end, keeping their order within a group."""
    owners = end[rows]
    starts = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(owners, minlength=size), out=starts[1:])
    return _Side(starts, rows[np.argsort(owners, kind="stable")].astype(np.int32))
