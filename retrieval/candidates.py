"""What may become a hit: the rows the lanes found, with an object and the chunk that holds its definition made one.

Three lanes of rows go in; three lanes of candidates come out, ready for fusion. A candidate is named by its `Key`: the
definition chunk of an object stands for both, so the same code is never listed twice.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from sightline.retrieval.lanes import Retrieved, table
from sightline.retrieval.lineindex import chunk_lines
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
    objects = retrieved.lanes["object"].fused
    if objects:
        chunks = definition_chunks(snapshot, np.fromiter(objects, np.int64, len(objects))).tolist()
        for (position, score), chunk in zip(objects.items(), chunks, strict=True):
            key = Key("chunk", chunk) if chunks_wanted and chunk >= 0 else Key("object", position)
            if chunk >= 0:
                out.chunk_of[key] = chunk
            if score > out.graph.get(key, -1.0):
                out.graph[key] = score
                out.object_of[key] = position
    for position, score in retrieved.lanes["relationship"].fused.items():
        out.relationships[Key("relationship", position)] = score
    return out


def definition_chunks(snapshot: Snapshot, positions: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The chunks in which the definitions of objects begin; -1 where there is none."""
    objects, chunks = snapshot.objects, snapshot.chunks
    files, lines = objects.path_index[positions], objects.start_line[positions]
    at = chunk_lines(snapshot).last_until(files, lines)
    inside = (at >= 0) & (chunks.path_index[at] == files) & (chunks.end_line[at] >= lines)
    return np.where(inside, at, -1)


def chunk_at(snapshot: Snapshot, path: str, line: int) -> int | None:
    """Return the position of the chunk that holds a line of a file."""
    chunks = snapshot.chunks
    positions = chunks.positions_of_path(path)
    held = positions[(chunks.start_line[positions] <= line) & (chunks.end_line[positions] >= line)]
    return int(held[0]) if len(held) else None


def tie(snapshot: Snapshot, key: Key) -> tuple[str, int, int]:
    """Order candidates of equal score: by path, line and id."""
    rows = table(snapshot, key.type)
    position = key.position
    return snapshot.paths[rows.path_index[position]], int(rows.start_line[position]), int(rows.ids[position])
