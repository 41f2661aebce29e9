"""What may become a hit: the rows the lanes found, with an object and the chunk that holds its definition made one.

Three lanes of rows go in; three lanes of candidates come out, ready for fusion. A candidate is named by its `Key`: the
definition chunk of an object stands for both, so the same code is never listed twice.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sightline.retrieval.lanes import Retrieved, table
from sightline.types import HitType

if TYPE_CHECKING:
    from sightline.store import Snapshot


BM25_HALF = 10.0  # the BM25 score that is shown as 0.5; good matches of a few words score 10 to 30


class Key(NamedTuple):
    """A candidate: the table and the row that stand for it."""

    type: HitType
    position: int


@dataclass(slots=True)
class Candidates:
    """The three lanes as candidates (key → score 0..1), and the object that each piece of code defines."""

    graph: dict[Key, float] = field(default_factory=dict)
    text: dict[Key, float] = field(default_factory=dict)
    relationships: dict[Key, float] = field(default_factory=dict)
    object_of: dict[Key, int] = field(default_factory=dict)  # position of the best object lane match
    chunk_of: dict[Key, int] = field(default_factory=dict)  # position of the chunk to show
    named: set[Key] = field(default_factory=set)  # defines what the query names
    reached: set[Key] = field(default_factory=set)  # found by following relationships

    def code(self) -> list[Key]:
        """Everything that is code: chunks, objects, and the two in one."""
        return list(dict.fromkeys([*self.text, *self.graph]))

    def own_score(self, key: Key, retrieved: Retrieved) -> float:
        """The measure of a single retriever, 0..1: the cosine itself, or BM25 b as b/(b + 10)."""
        rows: list[tuple[HitType, int]] = [(key.type, key.position)]
        if key.type == "chunk" and key in self.object_of:
            rows.append(("object", self.object_of[key]))
        best = 0.0
        for kind, position in rows:
            lane = retrieved.lanes[kind]
            bm25 = lane.bm25.get(position, 0.0)
            best = max(best, lane.cosine.get(position, 0.0), bm25 / (bm25 + BM25_HALF))
        return min(1.0, best)


def gather(snapshot: Snapshot, retrieved: Retrieved, *, chunks_wanted: bool) -> Candidates:
    """Make candidates of the rows that the lanes found."""
    out = Candidates()
    for position, score in retrieved.lanes["chunk"].fused.items():
        key = Key("chunk", position)
        out.text[key] = score
        out.chunk_of[key] = position
    for position, score in retrieved.lanes["object"].fused.items():
        chunk = definition_chunk(snapshot, position)
        key = Key("chunk", chunk) if chunks_wanted and chunk is not None else Key("object", position)
        if chunk is not None:
            out.chunk_of[key] = chunk
        if score > out.graph.get(key, -1.0):
            out.graph[key] = score
            out.object_of[key] = position
    for position, score in retrieved.lanes["relationship"].fused.items():
        out.relationships[Key("relationship", position)] = score
    return out


def definition_chunk(snapshot: Snapshot, object_position: int) -> int | None:
    """Return the position of the chunk in which an object's definition begins."""
    objects = snapshot.objects
    path = snapshot.paths[objects.path_index[object_position]]
    return chunk_at(snapshot, path, int(objects.start_line[object_position]))


def chunk_at(snapshot: Snapshot, path: str, line: int) -> int | None:
    """Return the position of the chunk that holds a line of a file."""
    chunks = snapshot.chunks
    # Kept with the snapshot: the first lines of a file's chunks, ascending, and their positions.
    kept: dict[str, tuple[list[int], list[int]]] = chunks.derived.setdefault("chunks_of_path", {})
    found = kept.get(path)
    if found is None:
        positions = chunks.positions_of_path(path)
        order = np.argsort(chunks.start_line[positions], kind="stable")
        found = kept[path] = (chunks.start_line[positions][order].tolist(), positions[order].tolist())
    starts, places = found
    at = bisect_right(starts, line) - 1
    return places[at] if at >= 0 and line <= chunks.end_line[places[at]] else None


def tie(snapshot: Snapshot, key: Key) -> tuple[str, int, int]:
    """Order candidates of equal score: by path, line and id."""
    rows = table(snapshot, key.type)
    position = key.position
    return snapshot.paths[rows.path_index[position]], int(rows.start_line[position]), int(rows.ids[position])
