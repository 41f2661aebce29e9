"""Candidates → hits: the records behind a page, how each was found, and where it matches.

Full records are fetched here and only for the page that is returned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from sightline.retrieval.candidates import Candidates, Key
from sightline.retrieval.highlight import Highlighter
from sightline.retrieval.lanes import Retrieved, table
from sightline.retrieval.pool import Task, pool
from sightline.retrieval.query import Analysis
from sightline.types import Chunk, Hit, HitType, Object, Query, Relationship

if TYPE_CHECKING:
    from sightline.store import Snapshot

Record = Chunk | Object | Relationship

MULTI_HOP = "multi-hop"
_KEPT_RECORDS = 5_000  # per table and snapshot: 5 to 10 MB; reading a page from disk costs 2 to 4 ms


def to_hits(
    snapshot: Snapshot,
    query: Query,
    analysis: Analysis,
    page: Sequence[tuple[Key, float]],
    found: Candidates,
    retrieved: Retrieved,
    why: Mapping[Key, Mapping[str, float]],
) -> list[Hit]:
    """Fetch the records of a page and make hits of them, in order."""
    keys = [key for key, _ in page]
    wanted: dict[HitType, list[int]] = {
        "chunk": [found.chunk_of[key] for key in keys if key in found.chunk_of],
        "object": [found.object_of[key] for key in keys if key in found.object_of],
        "relationship": [key.position for key in keys if key.type == "relationship"],
    }
    fetched = {kind: _records(snapshot, kind, positions) for kind, positions in wanted.items()}
    chunks, objects, edges = (fetched[kind]() for kind in wanted)
    marks = Highlighter(analysis)
    hits: list[Hit] = []
    for key, score in page:
        explained = {name: round(value, 6) for name, value in why.get(key, {}).items()} if query.explain else {}
        how = how_found(key, found, retrieved)
        if key.type == "relationship":
            edge = edges[key.position]
            assert isinstance(edge, Relationship)
            spans = marks.spans(edge.triplet)
            line = edge.site_line
            hits.append(Hit("relationship", edge.id, score, how, edge.path, line, line, edge, None, spans, explained))
            continue
        chunk = chunks.get(found.chunk_of.get(key, -1))
        obj = objects.get(found.object_of.get(key, -1)) if "object" in query.types else None
        assert chunk is None or isinstance(chunk, Chunk)
        spans = marks.spans(chunk.text) if chunk is not None else ()
        if obj is not None:
            assert isinstance(obj, Object)
            hits.append(
                Hit("object", obj.entity_id, score, how, obj.path, obj.start_line, obj.end_line, obj, chunk, spans,
                    explained)
            )  # fmt: skip
        elif chunk is not None:
            row = f"{int(snapshot.chunks.ids[found.chunk_of[key]]):016x}"
            hits.append(
                Hit("chunk", row, score, how, chunk.path, chunk.start_line, chunk.end_line, chunk, None, spans,
                    explained)
            )  # fmt: skip
    return hits


def how_found(key: Key, found: Candidates, retrieved: Retrieved) -> str:
    """Name how a candidate was found: bm25, semantic, hybrid, symbol or multi-hop."""
    if key in found.reached:
        return MULTI_HOP
    if key in found.named:
        return "symbol"
    rows: list[tuple[HitType, int]] = [(key.type, key.position)]
    if key.type == "chunk" and key in found.object_of:
        rows.append(("object", found.object_of[key]))
    ways = set()
    for kind, position in rows:
        lane = retrieved.lanes[kind]
        ways |= {way for way, hit in (("bm25", position in lane.bm25), ("semantic", position in lane.cosine)) if hit}
    return "hybrid" if len(ways) == 2 else next(iter(ways), "semantic")


def _records(snapshot: Snapshot, kind: HitType, positions: Iterable[int]) -> Callable[[], dict[int, Record]]:
    """Begin to fetch records; the call that is returned waits for them. Those of earlier pages are still at hand."""
    wanted = list(dict.fromkeys(positions))
    if not wanted:
        return dict  # and a table that cannot be read stays closed
    rows = table(snapshot, kind)
    kept = rows.once("records", dict[int, Record])
    found = {position: record for position in wanted if (record := kept.get(position)) is not None}
    missing = [position for position in wanted if position not in found]
    fetching: Task[list[Record]] | None = None
    if missing:
        fetching = Task(partial(rows.get, missing)) if rows.holds_records else pool().begin(partial(rows.get, missing))

    def wait() -> dict[int, Record]:
        if fetching is not None:
            found.update(zip(missing, fetching.result(), strict=True))
            if len(kept) > _KEPT_RECORDS:
                kept.clear()
            kept.update(found)
        return found

    return wait
