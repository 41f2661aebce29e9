"""Walks over the graph: breadth-first, within limits, the edges most like the query first."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.embed import Embedder
from sightline.graph.read import similarity as similarity
from sightline.graph.read import walk
from sightline.graph.read.adjacency import Direction
from sightline.store import Snapshot, Writer, open_snapshot, vectors
from sightline.types import FileEntry, FileRecord, Object, Relationship, RelationshipType

FILES = {
    "shop/orders.py": """
from shop.payment import charge, refund
from shop.mail import send


class Order:
    def place(self):
        charge(1)
        send("placed")

    def cancel(self):
        refund(1)
        send("cancelled")
""",
    "shop/payment.py": """
from shop.gateway import connect


def charge(amount):
    return connect(amount)


def refund(amount):
    return connect(-amount)
""",
    "shop/gateway.py": """
import socket


def connect(amount):
    return retry(amount)


def retry(amount):
    return connect(amount) if amount else socket.socket()
""",
    "shop/mail.py": "def send(text):\n    return text\n",
    "shop/other.py": "def send(text):\n    return text\n\n\ndef overloaded(a):\n    return a\n",
}


@pytest.fixture(scope="module")
def shop(index_of: Callable[[Mapping[str, str]], Snapshot]) -> Snapshot:
    return index_of(FILES)


def start(snapshot: Snapshot, name: str) -> str:
    (entity_id,) = walk.resolve_start(snapshot, name).entity_ids
    return entity_id


def names(expansion: walk.Expansion) -> list[str]:
    return [node.qualified_name for node in expansion.nodes]


def triplets(expansion: walk.Expansion) -> list[str]:
    return [edge.triplet for edge in expansion.edges]


# Real code


def test_direction_and_types_choose_what_is_followed(shop: Snapshot) -> None:
    charge = start(shop, "charge")
    out = walk.expand(shop, [charge], direction="out", relationship_types=["calls"])
    assert triplets(out) == ["charge calls connect"]
    into = walk.expand(shop, [charge], direction="in", relationship_types=["calls"])
    assert triplets(into) == ["Order.place calls charge"]
    both = walk.expand(shop, [charge], relationship_types=["calls"])
    assert triplets(both) == ["charge calls connect", "Order.place calls charge"]
    assert {edge.relationship_type for edge in walk.expand(shop, [charge]).edges} == {"calls", "contains", "imports"}


def test_depth_counts_steps_and_a_cycle_ends(shop: Snapshot) -> None:
    found = walk.expand(shop, [start(shop, "Order.place")], direction="out", relationship_types=["calls"], depth=9)
    assert names(found) == ["Order.place", "charge", "send", "connect", "retry"]
    assert list(found.depths.values()) == [0, 1, 1, 2, 3]
    assert "retry calls connect" in triplets(found)
    assert not found.cut


def test_min_confidence_leaves_guesses_out(shop: Snapshot) -> None:
    charge = start(shop, "charge")
    sure = walk.expand(shop, [charge], relationship_types=["calls"], min_confidence=0.5)
    assert all(edge.confidence >= 0.5 for edge in sure.edges)
    assert walk.expand(shop, [charge], min_confidence=1.01).edges == []


def test_edges_out_of_the_root_are_listed_only_when_asked_for(shop: Snapshot) -> None:
    retry = start(shop, "retry")
    assert "" not in {edge.target_id for edge in walk.expand(shop, [retry]).edges}
    found = walk.expand(shop, [retry], direction="out", relationship_types=["calls"], include_external=True)
    assert [edge.target_name for edge in found.edges if not edge.target_id] == ["socket.socket"]
    assert names(found) == ["retry", "connect"]


def test_the_answer_says_what_was_cut(shop: Snapshot) -> None:
    place = start(shop, "Order.place")
    found = walk.expand(shop, [place], direction="out", relationship_types=["calls"], max_nodes=2)
    assert (names(found), found.cut) == (["Order.place", "charge"], walk.Cut(1, 1, ("max_nodes",)))
    found = walk.expand(shop, [place], direction="out", relationship_types=["calls"], max_edges=1)
    assert (triplets(found), found.cut) == (["Order.place calls charge"], walk.Cut(1, 1, ("max_edges",)))


def test_an_unknown_start_gives_nothing(shop: Snapshot) -> None:
    found = walk.expand(shop, ["0123456789abcdef"])
    assert (found.nodes, found.edges, bool(found.cut)) == ([], [], False)


def test_edges_put_together_in_memory_are_those_of_the_table(shop: Snapshot) -> None:
    found = walk.expand(shop, [start(shop, "Order")], depth=5, max_nodes=500, max_edges=500, include_external=True)
    table = shop.relationships
    positions = [table.position(edge.id) for edge in found.edges]
    stored = table.get([position for position in positions if position is not None])
    assert found.edges == stored
    assert {edge.relationship_type for edge in stored} >= {"contains", "calls", "imports"}


@pytest.mark.req("GRA-8")
def test_a_query_puts_the_edges_it_is_about_first(shop: Snapshot, embedder: Embedder) -> None:
    cancel = start(shop, "Order.cancel")
    options = {"direction": "out", "relationship_types": ["calls"], "max_edges": 1}
    plain = walk.expand(shop, [cancel], **options)  # type: ignore[arg-type]
    assert triplets(plain) == ["Order.cancel calls refund"]
    asked = embedder.encode_query("send mail")
    ranked = walk.expand(shop, [cancel], query_vector=asked, **options)  # type: ignore[arg-type]
    assert triplets(ranked) == ["Order.cancel calls send"]
    assert ranked.similarity[ranked.edges[0].id] > 0


# Starts


def test_a_start_is_an_id_a_name_or_a_place(shop: Snapshot) -> None:
    place = start(shop, "Order.place")
    assert walk.resolve_start(shop, place).entity_ids == (place,)
    assert walk.resolve_start(shop, "shop/orders.py:8").entity_ids == (place,)
    assert walk.resolve_start(shop, "./shop/orders.py:8").entity_ids == (place,)
    module = walk.expand(shop, walk.resolve_start(shop, "shop/orders.py:2").entity_ids, depth=0).nodes
    assert [node.kind for node in module] == ["module"]


def test_an_ambiguous_name_lists_candidates_instead_of_picking_one(shop: Snapshot) -> None:
    found = walk.resolve_start(shop, "send")
    assert found.entity_ids == ()
    assert [candidate.path for candidate in found.candidates] == ["shop/mail.py", "shop/other.py"]
    (chosen,) = walk.resolve_start(shop, "shop/mail.py:send").entity_ids
    assert chosen == found.candidates[0].entity_id


def test_an_unknown_name_offers_near_ones(shop: Snapshot) -> None:
    found = walk.resolve_start(shop, "chrage")
    assert found.entity_ids == ()
    assert "charge" in found.nearest
    assert walk.resolve_start(shop, "no/such/file.py:3").entity_ids == ()


# Any graph

DIM = 8
TYPES: tuple[RelationshipType, ...] = ("calls", "uses_type", "contains")


@dataclass(frozen=True)
class Drawn:
    """An edge of a made-up graph; `similarity` None = no embedding."""

    source: int
    target: int
    type: RelationshipType
    similarity: float | None


def entity(index: int) -> str:
    return f"{index + 1:016x}"


def vector(similarity: float | None) -> npt.NDArray[np.float32]:
    """A unit vector with this cosine to the query, which is the first axis."""
    row = np.zeros(DIM, np.float32)
    if similarity is not None:
        row[:2] = similarity, (1 - similarity**2) ** 0.5
    return row


QUERY = vector(1.0)


def written(folder: Path, count: int, edges: Sequence[Drawn]) -> Snapshot:
    """A store with these objects and edges; each object in a file of its own."""
    with Writer.open(folder, embedder_id="test", dim=DIM) as writer:
        for index in range(count):
            path, name = f"f{index:02}.py", f"n{index}"
            made = Object(
                entity(index), entity(index), path, name, name, "function", "python", 1, 9, "", "", "public", ""
            )
            writer.replace(FileEntry(FileRecord(path, "python", 1, 1, "h", "indexed", "", 9, False), objects=[made]))
            mine = [(n, edge) for n, edge in enumerate(edges) if edge.source == index]
            stated = [
                Relationship(
                    f"{n + 1:016x}", edge.type, path, entity(index), name, entity(edge.target), f"n{edge.target}",
                    f"f{edge.target:02}.py", f"{name} {edge.type} n{edge.target}", 0.9, "import", n + 1,
                )
                for n, edge in mine
            ]  # fmt: skip
            rows = np.array([vector(edge.similarity) for _, edge in mine], np.float32).reshape(len(mine), DIM)
            writer.replace_relationships(path, stated, rows)
        writer.commit()
    snapshot = open_snapshot(folder)
    assert snapshot is not None
    return snapshot


def by_the_book(
    edges: Sequence[Drawn], first: int, direction: str, depth: int, max_nodes: int, max_edges: int, *, ranked: bool
) -> tuple[list[int], list[int]]:
    """Breadth-first search as a textbook has it: nodes and edges (by number) in order."""
    nodes, kept, met, frontier = [first], list[int](), set[int](), [first]
    for _ in range(depth):
        level: list[tuple[int, int]] = []
        for node in frontier:
            out = [(n, edge.target) for n, edge in enumerate(edges) if edge.source == node]
            into = [(n, edge.source) for n, edge in enumerate(edges) if edge.target == node]
            into.sort(key=lambda pair: (edges[pair[0]].source, pair[0]))
            for pair in (out if direction != "in" else []) + (into if direction != "out" else []):
                if pair[0] not in met:
                    met.add(pair[0])
                    level.append(pair)
        if ranked:
            level.sort(key=lambda pair: -(edges[pair[0]].similarity or 0.0))
        frontier = []
        for number, node in level:
            if len(kept) >= max_edges:
                break
            if node not in nodes:
                if len(nodes) >= max_nodes:
                    continue
                nodes.append(node)
                frontier.append(node)
            kept.append(number)
    return nodes, kept


LIKENESSES = st.sampled_from([None, None, -0.5, 0.0, 0.25, 0.5, 0.75, 1.0])


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, list[Drawn]]:
    count = draw(st.integers(1, 8))
    ends = st.integers(0, count - 1)
    edge = st.builds(Drawn, ends, ends, st.sampled_from(TYPES), LIKENESSES)
    return count, draw(st.lists(edge, max_size=24, unique_by=lambda e: (e.source, e.target, e.type)))


@pytest.mark.req("GRA-9", "UNI-5")
@settings(max_examples=25, deadline=None)
@given(
    graph=graphs(),
    direction=st.sampled_from(["both", "in", "out"]),
    depth=st.integers(0, 4),
    max_nodes=st.integers(1, 9),
    max_edges=st.integers(0, 25),
)
def test_any_walk_is_the_textbook_walk_and_a_query_only_orders_each_level(
    graph: tuple[int, list[Drawn]], direction: Direction, depth: int, max_nodes: int, max_edges: int
) -> None:
    count, edges = graph
    with tempfile.TemporaryDirectory() as folder:
        snapshot = written(Path(folder), count, edges)
        for query in (None, QUERY):
            found = walk.expand(
                snapshot, [entity(0)], direction=direction, depth=depth, max_nodes=max_nodes, max_edges=max_edges,
                query_vector=query,
            )  # fmt: skip
            nodes, kept = by_the_book(edges, 0, direction, depth, max_nodes, max_edges, ranked=query is not None)
            assert [node.entity_id for node in found.nodes] == [entity(index) for index in nodes]
            assert [edge.id for edge in found.edges] == [f"{number + 1:016x}" for number in kept]
            assert len(found.nodes) <= max_nodes
            assert len(found.edges) <= max_edges


@pytest.mark.req("GRA-9")
def test_without_embeddings_a_query_changes_nothing(tmp_path: Path) -> None:
    edges = [Drawn(0, target, "calls", None) for target in (3, 1, 2)] + [Drawn(2, 4, "calls", None)]
    snapshot = written(tmp_path, 5, edges)
    plain = walk.expand(snapshot, [entity(0)], depth=2, max_edges=3)
    ranked = walk.expand(snapshot, [entity(0)], depth=2, max_edges=3, query_vector=QUERY)
    assert (plain.nodes, plain.edges, plain.cut) == (ranked.nodes, ranked.edges, ranked.cut)
    assert set(ranked.similarity.values()) == {0.0}


@pytest.mark.req("UNI-5")
def test_limits_cut_the_least_relevant(tmp_path: Path) -> None:
    similarity = {1: 0.1, 2: 0.9, 3: None, 4: -0.4, 5: 0.5}
    snapshot = written(tmp_path, 6, [Drawn(0, target, "calls", how) for target, how in similarity.items()])
    ranked = walk.expand(snapshot, [entity(0)], query_vector=QUERY)
    assert [node.name for node in ranked.nodes] == ["n0", "n2", "n5", "n1", "n3", "n4"]
    assert list(ranked.similarity.values()) == pytest.approx([0.9, 0.5, 0.1, 0.0, -0.4], abs=5e-3)
    few = walk.expand(snapshot, [entity(0)], query_vector=QUERY, max_nodes=3)
    assert [node.name for node in few.nodes] == ["n0", "n2", "n5"]
    assert few.cut == walk.Cut(3, 3, ("max_nodes",))


def test_embeddings_read_from_the_table_are_compared_like_those_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edges = [Drawn(0, n, "calls", n / 10) for n in range(1, 9)] + [Drawn(n, 0, "uses_type", None) for n in range(1, 9)]
    snapshot = written(tmp_path, 9, edges)
    held = walk.expand(snapshot, [entity(0)], depth=2, query_vector=QUERY)
    monkeypatch.setattr(vectors, "EXACT_SCAN_FLOATS", 4)
    monkeypatch.setattr(vectors, "HELD_FLOATS", 4)
    monkeypatch.setattr(similarity, "_KEPT_ROWS", 10)
    with Writer.open(tmp_path, embedder_id="test", dim=DIM) as writer:
        writer.tidy()
    large = open_snapshot(tmp_path)
    assert large is not None
    assert not large.relationships.holds_vectors
    for _ in range(3):  # what was kept is thrown away and read again in between
        few = walk.expand(large, [entity(0)], depth=1, query_vector=QUERY, direction="out")
        assert [edge.target_name for edge in few.edges] == [f"n{n}" for n in range(8, 0, -1)]
        read = walk.expand(large, [entity(0)], depth=2, query_vector=QUERY)
        assert (read.nodes, read.edges) == (held.nodes, held.edges)
        assert read.similarity == pytest.approx(held.similarity, abs=2e-3)


def test_the_order_does_not_depend_on_how_the_index_came_about(tmp_path: Path) -> None:
    edges = [
        Drawn(0, 2, "calls", None),
        Drawn(0, 1, "calls", None),
        Drawn(1, 2, "calls", None),
        Drawn(2, 0, "calls", None),
    ]
    fresh = written(tmp_path / "fresh", 3, edges)
    edited = written(tmp_path / "edited", 3, list(reversed(edges)))
    with Writer.open(tmp_path / "edited", embedder_id="test", dim=DIM) as writer:
        for index in (2, 1, 0):
            (stated,) = [fresh.relationships.get(fresh.relationships.positions_of_path(f"f{index:02}.py"))]
            writer.replace_relationships(f"f{index:02}.py", stated, np.zeros((len(stated), DIM), np.float32))
            writer.commit()
    again = open_snapshot(tmp_path / "edited", base=edited)
    assert again is not None
    for first in range(3):
        a, b = (walk.expand(snapshot, [entity(first)], depth=2) for snapshot in (fresh, again))
        assert (a.nodes, a.edges) == (b.nodes, b.edges)
