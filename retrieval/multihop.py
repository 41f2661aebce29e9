"""Multi-hop search (COD-6): follow the references of the best hits to what they refer to, hop by hop.

Seeds are the best code candidates. Each hop takes the outgoing relationships of the objects found so far and adds
their targets' definitions. A target's strength falls with every hop, with the confidence of the edge and with how far
the edge is from the query; several paths to one target add up (noisy-or), and it is listed once. The query vector is
the one the search already has: nothing is embedded again (UNI-6).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from sightline.graph.read.adjacency import adjacency_of, type_mask
from sightline.graph.read.similarity import similarity_of
from sightline.retrieval import fuse
from sightline.retrieval.candidates import Candidates, Key, definition_chunks
from sightline.retrieval.filters import Allowed
from sightline.types import RELATIONSHIP_TYPES, Query

if TYPE_CHECKING:
    from sightline.store import Snapshot
    from sightline.types import Vector

SEEDS = 10  # hits whose references are followed
HOP_DECAY = 0.7  # what a reference is worth beside the code that makes it; two hops keep half
MAX_TARGETS = 50  # strongest targets followed per hop, so that a hub does not flood the answer
MAX_EDGES = 2_000  # edges looked at per hop
_QUERY_SHARE = 0.5  # how much of an edge's worth depends on its similarity to the query
TELLING = frozenset(RELATIONSHIP_TYPES) - {"contains"}  # containment says where code is, not what it refers to

Ranking = list[tuple[Key, float]]


def extend(
    snapshot: Snapshot,
    query: Query,
    ranked: Ranking,
    found: Candidates,
    vector: Vector | None,
    allowed: Allowed,
    tie: Callable[[Key], tuple[object, ...]],
) -> Ranking:
    """Add what the best candidates refer to, up to `query.depth` hops, and order everything again."""
    scores = dict(ranked)
    mask = allowed.mask(snapshot.chunks, "chunk")
    strength = _seeds(snapshot, ranked)
    followed: set[int] = set()
    for _ in range(query.depth):
        frontier = {position: value for position, value in strength.items() if position not in followed}
        followed |= frontier.keys()
        reached = hop(snapshot, frontier, vector)
        chunks = definition_chunks(snapshot, np.fromiter(reached, np.int64, len(reached))).tolist()
        for (position, value), chunk in zip(reached.items(), chunks, strict=True):
            strength[position] = _either(strength.get(position, 0.0), value)
            if chunk >= 0 and (mask is None or mask[chunk]):
                _add(query, scores, found, position, chunk, value)
        if not reached:
            break
    return fuse.ordered(scores, tie)


def hop(snapshot: Snapshot, frontier: dict[int, float], vector: Vector | None) -> dict[int, float]:
    """Follow the outgoing relationships of objects (position → strength) to their targets, strongest first."""
    edges = snapshot.relationships
    if not frontier or not edges.size:
        return {}
    links = adjacency_of(snapshot).links(np.array(sorted(frontier), dtype=np.int64), "out")
    telling = type_mask(snapshot, TELLING)
    keep = np.flatnonzero((links.far >= 0) & (telling[links.rows] if telling is not None else True))[:MAX_EDGES]
    if not len(keep):
        return {}
    rows = links.rows[keep]
    worth = edges.column("confidence")[rows].astype(np.float64) * HOP_DECAY
    if vector is not None:
        similarity = np.clip(similarity_of(snapshot).of(rows, vector), 0.0, 1.0)
        worth *= 1.0 - _QUERY_SHARE + _QUERY_SHARE * similarity
    reached: dict[int, float] = {}
    for near, far, value in zip(links.near[keep].tolist(), links.far[keep].tolist(), worth.tolist(), strict=True):
        reached[far] = _either(reached.get(far, 0.0), frontier[near] * value)
    ids = snapshot.objects.ids
    return dict(sorted(reached.items(), key=lambda item: (-item[1], int(ids[item[0]])))[:MAX_TARGETS])


def _seeds(snapshot: Snapshot, ranked: Ranking) -> dict[int, float]:
    """The objects defined in the best code candidates, with the strength of their hit."""
    code = [(key, score) for key, score in ranked if key.type != "relationship"][:SEEDS]
    strength: dict[int, float] = {}
    for key, score in code:
        for position in _objects_in(snapshot, key):
            strength[position] = max(score, strength.get(position, 0.0))
    return strength


def _objects_in(snapshot: Snapshot, key: Key) -> list[int]:
    if key.type == "object":
        return [key.position]
    chunks, objects = snapshot.chunks, snapshot.objects
    first, last = int(chunks.start_line[key.position]), int(chunks.end_line[key.position])
    positions = objects.positions_of_path(snapshot.paths[chunks.path_index[key.position]])
    starts, ends = objects.start_line[positions], objects.end_line[positions]
    parents = objects.column("parent")
    begins = [p for p in positions[(starts >= first) & (starts <= last)].tolist() if parents[p]]
    if begins:
        return begins
    around: list[int] = positions[
        (starts <= first) & (ends >= last)
    ].tolist()  # the middle of something long: its innermost owner
    around.sort(key=lambda p: int(objects.end_line[p] - objects.start_line[p]))
    return around[:1]


def _add(query: Query, scores: dict[Key, float], found: Candidates, position: int, chunk: int, value: float) -> None:
    key = Key("chunk", chunk) if "chunk" in query.types else Key("object", position)
    if key not in scores:
        found.reached.add(key)
        found.chunk_of[key] = chunk
        found.object_of.setdefault(key, position)
    scores[key] = _either(scores.get(key, 0.0), value)


def _either(a: float, b: float) -> float:
    """Combine two independent reasons: 1 - (1-a)(1-b)."""
    return a + b - a * b
