"""Similar code: a vector search that starts from a row of the index instead of from words.

With mode "vector" a query text that is an entity_id or `path:line` stands for that object's (or chunk's) own vector.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from sightline.graph.read.walk import ENTITY_ID, LOCATION, object_at
from sightline.retrieval.candidates import Key, chunk_at
from sightline.types import Query

if TYPE_CHECKING:
    from sightline.store import Rows, Snapshot
    from sightline.types import Vector


@dataclasses.dataclass(frozen=True, slots=True)
class Seed:
    """The row a similarity search starts from; it is not its own answer."""

    vector: Vector
    keys: frozenset[Key]  # the candidates that stand for it


def seed_of(snapshot: Snapshot, query: Query) -> Seed | None:
    """Return the row that a vector query names, None when it is ordinary text."""
    text = query.text.strip()
    if query.mode != "vector" or query.vector is not None:
        return None
    if ENTITY_ID.fullmatch(text):
        position = snapshot.objects.position(text)
        if position is not None:
            path = snapshot.paths[snapshot.objects.path_index[position]]
            line = int(snapshot.objects.start_line[position])
            return _seed(snapshot.objects, position, chunk_at(snapshot, path, line), position)
        return None
    location = LOCATION.fullmatch(text)
    if location is None:
        return None
    path, line = location["path"].removeprefix("./"), int(location["line"])
    innermost = object_at(snapshot, path, line)
    if innermost is not None and not snapshot.objects.column("parent")[innermost]:
        innermost = None  # the whole file, of which the chunk at the line is the better picture
    chunk = chunk_at(snapshot, path, line)
    if innermost is not None:
        seed = _seed(snapshot.objects, innermost, chunk, innermost)
        if seed is not None:
            return seed
    return _seed(snapshot.chunks, chunk, chunk, None) if chunk is not None else None


def _seed(rows: Rows[Any], position: int, chunk: int | None, obj: int | None) -> Seed | None:
    vector = rows.vectors([position])[0]
    if not vector.any():
        return None
    named = [Key("chunk", chunk)] if chunk is not None else []
    return Seed(vector, frozenset([*named, *([Key("object", obj)] if obj is not None else [])]))


def as_query(query: Query, seed: Seed) -> Query:
    """The query by which code like the seed is found: its vector, no words."""
    return dataclasses.replace(query, text="", vector=seed.vector)
