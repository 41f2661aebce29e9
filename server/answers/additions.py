"""What an answer shows beside what was found: source, where targets begin, what the best hits are related to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sightline.server import heavy
from sightline.types import RELATIONSHIP_TYPES, Object, Relationship, SearchResult

if TYPE_CHECKING:
    from sightline.retrieval.research.source import ReadLines
    from sightline.store import Snapshot
    from sightline.types import Vector

MAX_RELATED = 20  # relationships that `search(expand=true)` adds
_RELATED_OBJECTS = 5  # of the best objects
_SITED = 100  # relationships whose further sites are looked for
_SITED_TYPES = ("calls", "instantiates")


def target_lines(snapshot: Snapshot, edges: Iterable[Relationship]) -> dict[str, int]:
    """Where the targets of relationships begin: entity_id → line."""
    lines: dict[str, int] = {}
    for edge in edges:
        position = snapshot.objects.position(edge.target_id) if edge.target_id else None
        if position is not None:
            lines[edge.target_id] = int(snapshot.objects.start_line[position])
    return lines


def source_lines(snapshot: Snapshot, item: Object) -> list[str]:
    """The lines of an object, put together from the chunks that cover them."""
    rows = snapshot.chunks
    positions = rows.positions_of_path(item.path)
    overlapping = positions[
        (rows.start_line[positions] <= item.end_line) & (rows.end_line[positions] >= item.start_line)
    ]
    lines: dict[int, str] = {}
    for chunk in rows.get(overlapping.tolist()):
        lines.update(enumerate(chunk.lines(), start=chunk.start_line))
    return [lines.get(number, "") for number in range(item.start_line, item.end_line + 1)]


def sites(snapshot: Snapshot, edges: Sequence[Relationship], read: ReadLines) -> dict[str, tuple[int, ...]]:
    """Every line that states a relationship: id → lines. Only of the first ones: each caller's file is read."""
    from sightline.retrieval.research.evidence import Graph
    from sightline.retrieval.research.sites import Sites
    from sightline.retrieval.research.source import Source

    graph = Graph(snapshot)
    finder = Sites(graph, Source(snapshot, read))
    found: dict[str, tuple[int, ...]] = {}
    for edge in edges[:_SITED]:
        row = snapshot.relationships.position(edge.id)
        if row is not None and edge.target_path and edge.relationship_type in _SITED_TYPES:
            found[edge.id] = finder.complete(graph.fact(row)).sites
    return found


def related(snapshot: Snapshot, found: SearchResult, vector: Vector | None) -> list[Relationship]:
    """What the best objects of a search are related to, closest to the query first; what was hit is left out."""
    objects = [hit.item.entity_id for hit in found.hits if isinstance(hit.item, Object)][:_RELATED_OBJECTS]
    hit_ids = {hit.item.id for hit in found.hits if isinstance(hit.item, Relationship)}
    if not objects:
        return []
    expansion = heavy.walk.expand(
        snapshot, objects, depth=1, max_edges=MAX_RELATED + len(hit_ids), query_vector=vector,
        relationship_types=[kind for kind in RELATIONSHIP_TYPES if kind != "contains"],
    )  # fmt: skip
    return [edge for edge in expansion.edges if edge.id not in hit_ids][:MAX_RELATED]
