"""What an answer shows beside what was found: source, where targets begin, what the best hits are related to."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sightline.graph.read.spoken import IMPL_LINES, impl_head
from sightline.server import heavy
from sightline.types import RELATIONSHIP_TYPES, Hit, Object, Related, Relationship, SearchResult

if TYPE_CHECKING:
    from sightline.retrieval.research.source import ReadLines
    from sightline.store import Snapshot
    from sightline.types import Vector

MAX_RELATED = 20  # relationships that `search(expand=true)` adds
_RELATED_OBJECTS = 5  # of the best objects
_SITED = 100  # relationships whose further sites are looked for
_MOST_SOURCE_LINES = 60  # of an object that is put together from several chunks
_SITED_TYPES = ("calls", "instantiates")


def completed(snapshot: Snapshot, hits: Iterable[Hit], read: ReadLines) -> list[Hit]:
    """The hits with what is shown of them beyond the index's rows: where the targets of relationships begin, what
    people call an object, the lines that its chunk lacks."""
    return [_completed(snapshot, hit, read) for hit in hits]


def _completed(snapshot: Snapshot, hit: Hit, read: ReadLines) -> Hit:
    item = hit.item
    if isinstance(item, Relationship):
        return dataclasses.replace(hit, target_line=target_line(snapshot, item))
    if not isinstance(item, Object):
        return hit
    spoken = names([item], read).get(item.entity_id, "")
    return dataclasses.replace(hit, spoken=spoken, source=_missing_source(snapshot, hit, item))


def target_line(snapshot: Snapshot, edge: Relationship) -> int:
    """Where the target of a relationship begins; 0 when it lies outside the root."""
    position = snapshot.objects.position(edge.target_id) if edge.target_id else None
    return int(snapshot.objects.start_line[position]) if position is not None else 0


def names(objects: Iterable[Object], read: ReadLines) -> dict[str, str]:
    """Objects that people call otherwise than by their qualified name: methods of a Rust trait by their `impl`."""
    found: dict[str, str] = {}
    for item in objects:
        if item.language == "rust" and item.kind in ("method", "constructor"):
            head = impl_head(read(item.path, max(1, item.start_line - IMPL_LINES), item.start_line) or ())
            if head:
                found[item.entity_id] = f"{item.name} (impl {head})"
    return found


def _missing_source(snapshot: Snapshot, hit: Hit, item: Object) -> Sequence[str]:
    """The lines of an object that its chunk holds only in part, such as a Haskell signature without its equations."""
    short = item.end_line - item.start_line < _MOST_SOURCE_LINES
    return source_lines(snapshot, item) if short and hit.chunk and hit.chunk.end_line < item.end_line else ()


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


def related(snapshot: Snapshot, found: SearchResult, vector: Vector | None) -> list[Related]:
    """What the best objects of a search are related to, closest to the query first; what was hit is left out."""
    objects = [hit.item.entity_id for hit in found.hits if isinstance(hit.item, Object)][:_RELATED_OBJECTS]
    hit_ids = {hit.item.id for hit in found.hits if isinstance(hit.item, Relationship)}
    if not objects:
        return []
    expansion = heavy.walk.expand(
        snapshot, objects, depth=1, max_edges=MAX_RELATED + len(hit_ids), query_vector=vector,
        relationship_types=[kind for kind in RELATIONSHIP_TYPES if kind != "contains"],
    )  # fmt: skip
    edges = [edge for edge in expansion.edges if edge.id not in hit_ids][:MAX_RELATED]
    return [Related(edge, target_line(snapshot, edge)) for edge in edges]
