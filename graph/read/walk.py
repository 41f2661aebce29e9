"""Neighbours of objects: walks over the graph of one snapshot.

`expand` goes breadth-first from its starts and stops at its limits; with a query vector the edges of each level are
put in the order of their similarity to the query first, so that the limits cut the least relevant (UNI-5). Every walk
says what it left out. `resolve_start` finds where a walk begins from what an agent writes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from sightline.graph.read import symbols
from sightline.graph.read.adjacency import Direction, Links, Mask, Positions, adjacency_of, type_mask
from sightline.graph.read.similarity import similarity_of
from sightline.triplet import triplet
from sightline.types import Object, Relationship

if TYPE_CHECKING:
    from sightline.store import Snapshot
    from sightline.types import Vector

_MAX_CANDIDATES = 20  # of an ambiguous start; more than an agent would read
_KEPT = "walked objects"
_KEPT_OBJECTS = 10_000  # about 5 MB
_NEAREST = 5  # names offered when there is none like the one asked for
ENTITY_ID = re.compile(r"[0-9a-f]{16}")
LOCATION = re.compile(r"(?P<path>[^\0]{1,1000}):(?P<line>\d{1,9})")


@dataclass(frozen=True, slots=True)
class Cut:
    """What a walk left out because of its limits, as far as it saw."""

    nodes: int = 0
    edges: int = 0
    by: tuple[str, ...] = ()  # the limits that were reached: "max_nodes", "max_edges"

    def __bool__(self) -> bool:
        return bool(self.nodes or self.edges)


@dataclass(frozen=True, slots=True)
class Expansion:
    """What a walk found: objects in the order they were reached, starts first, and the edges between them."""

    nodes: list[Object]
    edges: list[Relationship]
    depths: dict[str, int]  # entity_id → steps from the nearest start
    cut: Cut
    similarity: dict[str, float] = field(default_factory=dict)  # relationship id → similarity to the query, when given


@dataclass(frozen=True, slots=True)
class Start:
    """Where a walk may begin. Without entity_ids the name was ambiguous (candidates) or unknown (nearest names)."""

    entity_ids: tuple[str, ...]
    candidates: tuple[Object, ...] = ()
    nearest: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Asked:
    """The options of a walk."""

    direction: Direction
    relationship_types: Collection[str] | None
    depth: int
    max_nodes: int
    max_edges: int
    min_confidence: float
    query_vector: Vector | None = None
    include_external: bool = False


@dataclass(slots=True)
class _Walked:
    """Positions, in the order of the walk."""

    nodes: list[int]
    depths: list[int]
    links: list[tuple[int, int, int]] = field(default_factory=list)  # row, near, far
    scores: list[float] = field(default_factory=list)
    cut: Cut = field(default_factory=Cut)


def expand(
    snapshot: Snapshot,
    starts: Sequence[str],
    *,
    direction: Direction = "both",
    relationship_types: Collection[str] | None = None,
    depth: int = 1,
    max_nodes: int = 50,
    max_edges: int = 100,
    min_confidence: float = 0.0,
    query_vector: Vector | None = None,
    include_external: bool = False,
) -> Expansion:
    """Walk breadth-first from entity ids. `max_nodes` counts the starts; an edge is kept when both its ends are.

    With `include_external`, edges to names outside the root are listed too; they lead to no node.
    """
    asked = _Asked(
        direction, relationship_types, depth, max_nodes, max_edges, min_confidence, query_vector, include_external
    )
    walked = _walk(snapshot, _positions(snapshot, starts), asked)
    nodes = _objects(snapshot, walked.nodes)
    edges = _records(snapshot, [row for row, _, _ in walked.links])
    return Expansion(
        nodes=nodes,
        edges=edges,
        depths={node.entity_id: level for node, level in zip(nodes, walked.depths, strict=True)},
        cut=walked.cut,
        similarity={edge.id: score for edge, score in zip(edges, walked.scores, strict=False)},
    )


def _walk(snapshot: Snapshot, starts: Sequence[int], asked: _Asked) -> _Walked:
    graph = adjacency_of(snapshot)
    wanted = type_mask(snapshot, asked.relationship_types)
    first = list(dict.fromkeys(starts))
    walked = _Walked(first[: asked.max_nodes], [0] * min(len(first), asked.max_nodes))
    visited = np.zeros(snapshot.objects.size, bool)
    visited[walked.nodes] = True
    left_out = np.zeros(snapshot.objects.size, bool)
    left_out[first[asked.max_nodes :]] = True
    seen = np.zeros(snapshot.relationships.size, bool)
    edges_cut = 0
    frontier = np.array(walked.nodes, np.int64)
    for level in range(1, asked.depth + 1):
        if not len(frontier):
            break
        links = _usable(snapshot, graph.links(frontier, asked.direction), wanted, asked, seen)
        seen[links.rows] = True
        total, room = len(links.rows), asked.max_nodes - len(walked.nodes)
        inside = (links.far < 0) | visited[links.far]
        if room <= 0:  # nothing new may be added: what leads outside need not be compared with the query
            left_out[links.far[~inside]] = True
            links, inside = _only(links, inside), inside[inside]
        scores = None
        if asked.query_vector is not None:
            links, inside, scores = _by_likeness(snapshot, links, inside, asked.query_vector)
        keep, reached = _admit(links, inside, room, asked.max_edges - len(walked.links), len(visited))
        left_out[links.far[~inside]] = True
        visited[reached] = True
        walked.nodes += reached.tolist()
        walked.depths += [level] * len(reached)
        walked.links += zip(links.rows[keep].tolist(), links.near[keep].tolist(), links.far[keep].tolist(), strict=True)
        if scores is not None:
            walked.scores += scores[keep].tolist()
        edges_cut += total - len(keep)
        frontier = reached
    nodes_cut = int(np.count_nonzero(left_out & ~visited))
    limits = [("max_nodes", len(walked.nodes) >= asked.max_nodes), ("max_edges", len(walked.links) >= asked.max_edges)]
    by = tuple(name for name, reached_it in limits if reached_it) if nodes_cut or edges_cut else ()
    walked.cut = Cut(nodes_cut, edges_cut, by)
    return walked


def _usable(snapshot: Snapshot, links: Links, wanted: Mask | None, asked: _Asked, seen: Mask) -> Links:
    """Drop edges that are filtered out or were met before; of an edge met from both ends, keep the first meeting."""
    ok = ~seen[links.rows]
    if not asked.include_external:
        ok &= links.far >= 0
    if wanted is not None:
        ok &= wanted[links.rows]
    if asked.min_confidence > 0:
        ok &= snapshot.relationships.column("confidence")[links.rows] >= np.float32(asked.min_confidence)
    links = _only(links, ok)
    return _only(links, _first_of_each(links.rows, len(seen)))


def _first_of_each(values: Positions, size: int) -> Mask:
    """Which places hold a value (below `size`) for the first time. Unlike sorting, this is linear."""
    count = np.arange(len(values))
    place = np.empty(size, np.int64)  # only entries written here are read
    place[values[::-1]] = count[::-1]  # of several writes the last one stays
    return np.asarray(place[values] == count)


def _only(links: Links, mask: Mask) -> Links:
    return links if mask.all() else Links(links.rows[mask], links.near[mask], links.far[mask])


def _by_likeness(snapshot: Snapshot, links: Links, inside: Mask, query_vector: Vector) -> tuple[Links, Mask, Vector]:
    """Put the edges most like the query first. An edge without an embedding counts 0.0; equal ones keep their order."""
    scores = similarity_of(snapshot).of(links.rows, query_vector)
    order = np.argsort(-scores, kind="stable")
    return Links(*(part[order] for part in links)), inside[order], scores[order]


def _admit(links: Links, inside: Mask, room: int, edge_room: int, size: int) -> tuple[Positions, Positions]:
    """Which edges are kept (by index), and which new objects they reach, both in order."""
    targets = links.far[~inside]
    fresh = targets[_first_of_each(targets, size)][: max(room, 0)]
    admitted = np.zeros(size, bool)
    admitted[fresh] = True
    keep = np.flatnonzero(inside | admitted[links.far])[: max(edge_room, 0)]
    reached = np.zeros(size, bool)
    reached[links.far[keep]] = True
    return keep, fresh[reached[fresh]]


def resolve_start(snapshot: Snapshot, text: str) -> Start:
    """Find the object that an agent means: an entity_id, `path:line` (innermost object there) or a symbol name.

    Overloads of one name in one file are one symbol and start together, and a class stands for its constructors;
    anything else that fits equally well is listed, never picked.
    """
    text = text.strip()
    if ENTITY_ID.fullmatch(text) and snapshot.objects.position(text) is not None:
        return Start((text,))
    location = LOCATION.fullmatch(text)
    if location is not None:
        position = object_at(snapshot, location["path"], int(location["line"]))
        if position is not None:
            return Start((f"{int(snapshot.objects.ids[position]):016x}",))
    matches = symbols.find(snapshot, text, limit=_MAX_CANDIDATES, include_members=False)
    best = [match.object for match in matches if match.match == matches[0].match]
    if matches and matches[0].match in ("exact", "case"):
        meant = _meant(snapshot, best)
        if len({(found.path, found.qualified_name) for found in meant}) == 1:
            return Start(tuple(found.entity_id for found in meant))
        return Start((), tuple(meant))
    return Start((), tuple(match.object for match in matches), tuple(symbols.nearest(snapshot, text, limit=_NEAREST)))


def knows(snapshot: Snapshot, text: str) -> bool:
    """Whether a start is there as it is said, be it one or several."""
    text = text.strip()
    if ENTITY_ID.fullmatch(text) and snapshot.objects.position(text) is not None:
        return True
    location = LOCATION.fullmatch(text)
    if location is not None and object_at(snapshot, location["path"], int(location["line"])) is not None:
        return True
    return symbols.knows(snapshot, text)


def object_at(snapshot: Snapshot, path: str, line: int) -> int | None:
    """The innermost object at a line, as a position; the module where there is none. None: no such file or line."""
    objects = snapshot.objects
    positions = objects.positions_of_path(path.removeprefix("./"))
    starts, ends = objects.start_line[positions], objects.end_line[positions]
    around = positions[(starts <= line) & (line <= ends)].tolist()
    return min(around, key=lambda p: (int(objects.end_line[p] - objects.start_line[p]), -p)) if around else None


def _meant(snapshot: Snapshot, found: list[Object]) -> list[Object]:
    """Leave out constructors beside their class, and what is local to a function where anything else has the name."""
    ids = {item.entity_id for item in found}
    found = [item for item in found if item.kind != "constructor" or item.parent_id not in ids]
    return [item for item in found if not _is_local(snapshot, item)] or found


def _is_local(snapshot: Snapshot, item: Object) -> bool:
    parent = snapshot.objects.position(item.parent_id) if item.parent_id else None
    return parent is not None and snapshot.objects.column("kind")[parent] in ("function", "method", "constructor")


def _positions(snapshot: Snapshot, entity_ids: Sequence[str]) -> list[int]:
    """Positions of the ids that are in the snapshot, in order."""
    found = (snapshot.objects.position(entity_id) for entity_id in entity_ids)
    return [position for position in found if position is not None]


@dataclass(slots=True)
class _Kept:
    objects: dict[int, Object] = field(default_factory=dict)


def _objects(snapshot: Snapshot, positions: Sequence[int]) -> list[Object]:
    """The records of objects. Walks come by the same objects again and again, so the last ones are kept."""
    held = snapshot.objects.once(_KEPT, _Kept)
    kept = held.objects
    missing = [position for position in positions if position not in kept]
    read = dict(zip(missing, snapshot.objects.get(missing), strict=True))
    found = [kept[position] if position in kept else read[position] for position in positions]
    if len(kept) + len(read) <= _KEPT_OBJECTS:
        kept.update(read)
    else:
        held.objects = read  # another thread may still read the old one
    return found


def _records(snapshot: Snapshot, rows: Sequence[int]) -> list[Relationship]:
    """The records of relationships, put together from memory: reading a hundred from the table takes milliseconds.
    What leads out of the root has a name that only the table knows."""
    graph, objects, edges = adjacency_of(snapshot), snapshot.objects, snapshot.relationships
    types, how, names = edges.column("relationship_type"), edges.column("resolution"), objects.column("qualified_name")
    labels = edges.column("label")
    external = [row for row in rows if graph.target[row] < 0]
    read = dict(zip(external, edges.get(external), strict=True))
    made: list[Relationship] = []
    for row in rows:
        if row in read:
            made.append(read[row])
            continue
        source, target = int(graph.source[row]), int(graph.target[row])
        made.append(
            Relationship(
                id=f"{int(edges.ids[row]):016x}",
                relationship_type=types[row],
                path=edges.path(row),
                source_id=f"{int(objects.ids[source]):016x}",
                source_name=names[source],
                target_id=f"{int(objects.ids[target]):016x}",
                target_name=names[target],
                target_path=objects.path(target),
                triplet=triplet(names[source], types[row], names[target], labels[row]),
                confidence=round(float(edges.column("confidence")[row]), 4),
                resolution=how[row],
                site_line=int(edges.start_line[row]),
                label=labels[row],
            )
        )
    return made
