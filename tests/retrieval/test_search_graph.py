"""Relationships as hits, and following them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sightline.retrieval.search import search
from sightline.types import Filters, Query, Relationship


@pytest.mark.req("REL-1", "REL-7")
def test_relationships_are_found_by_meaning_and_carry_their_triplet(ask: Any) -> None:
    hits = ask("what retries on payment failure", types=("relationship",), mode="vector").hits
    assert hits
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    triplets = [hit.item.triplet for hit in hits[:3]]
    assert any("charge_with_retry" in triplet or "retry" in triplet for triplet in triplets), triplets
    assert all(isinstance(hit.item, Relationship) for hit in hits)


@pytest.mark.req("REL-7", "COD-7")
def test_a_relationship_hit_highlights_its_triplet(ask: Any) -> None:
    hit = ask("login calls validate_credentials", types=("relationship",)).hits[0]
    marked = {hit.item.triplet[start:end] for start, end in hit.highlights}
    assert "validate_credentials" in marked


@pytest.mark.req("REL-2")
def test_relationships_without_embedding_never_come_from_vector_search(shop: Any, embedder: Any) -> None:
    edges = shop.relationships
    null = ~edges.vectors(np.arange(edges.size)).any(axis=1)
    assert null.any(), "contains carries no embedding"
    query = Query(
        "class contains method login", types=("relationship",), mode="vector", limit=100, relationship_limit=1000
    )
    found = [edges.position(hit.id) for hit in search(shop, query, embedder=embedder).hits]
    assert found
    assert not null[found].any()


@pytest.mark.req("REL-5")
def test_without_relationships_objects_answer_alone(build: Any, embedder: Any) -> None:
    snapshot = build({"a.txt": "the login page\n"})
    result = search(snapshot, Query("login", types=("object", "chunk", "relationship")), embedder=embedder)
    assert result.hits
    assert not result.warnings


@pytest.mark.req("REL-6")
def test_without_objects_relationships_answer_alone(shop: Any, embedder: Any) -> None:
    only_edges = Filters(metadata={"relationship_type": "calls"})
    result = search(shop, Query("login", filters=only_edges), embedder=embedder)
    assert {hit.type for hit in result.hits} == {"relationship"}
    assert not result.warnings


@pytest.mark.req("REL-4", "GRA-2")
def test_objects_and_relationships_merge_by_rrf(shop: Any, embedder: Any) -> None:
    def ids(**arguments: Any) -> list[str]:
        return [
            hit.id for hit in search(shop, Query("login", rerank=False, limit=100, **arguments), embedder=embedder).hits
        ]

    objects, edges = ids(types=("object",)), ids(types=("relationship",))
    merged = ids(types=("object", "relationship"))
    expected = {key: 1 / (60 + rank) for keys in (objects, edges) for rank, key in enumerate(keys, start=1)}
    assert set(merged) == set(expected)
    assert [expected[key] for key in merged] == sorted(expected.values(), reverse=True)


def test_a_question_about_callers_leads_to_relationships(ask: Any) -> None:
    about_edges = ask("what calls validate_credentials").hits
    assert "relationship" in {hit.type for hit in about_edges[:3]}
    about_code = ask("password hashing").hits
    assert about_code[0].type != "relationship"


@pytest.mark.req("COD-6")
def test_multi_hop_follows_references_to_their_definitions(ask: Any) -> None:
    only = Filters(file_filter=("web/routes.py", "auth/**"))
    direct = ask("handle_login", depth=1, limit=30, filters=only).hits
    names = {getattr(hit.item, "qualified_name", "") for hit in direct}
    assert "AuthService.login" in names
    far = {getattr(hit.item, "name", "") for hit in ask("handle_login", depth=2, limit=30, filters=only).hits}
    assert "validate_credentials" in far


@pytest.mark.req("COD-6")
def test_depth_one_reaches_direct_references_only(build: Any, embedder: Any) -> None:
    snapshot = build(
        {
            "a.py": "from b import beta\n\n\ndef alpha_entry():\n    return beta()\n",
            "b.py": "from c import gamma\n\n\ndef beta():\n    return gamma()\n",
            "c.py": "from d import delta\n\n\ndef gamma():\n    return delta()\n",
            "d.py": "def delta():\n    return 1\n",
        }
    )

    def reached(depth: int) -> set[str]:
        query = Query("alpha_entry", mode="bm25", depth=depth, types=("chunk", "object"), limit=50)
        result = search(snapshot, query, embedder=embedder)
        return {hit.path for hit in result.hits if hit.match_type == "multi-hop"}

    assert reached(0) == set()
    assert reached(1) == {"b.py"}
    assert reached(2) == {"b.py", "c.py"}
    assert reached(3) == {"b.py", "c.py", "d.py"}


@pytest.mark.req("COD-6")
def test_code_reached_by_several_paths_appears_once_and_scores_higher(build: Any, embedder: Any) -> None:
    snapshot = build(
        {
            "entry.py": "from left import one\nfrom right import two\n\n\n"
            "def zebra_first():\n    return one() + two()\n\n\ndef zebra_second():\n    return two()\n",
            "left.py": "def one():\n    return 1\n",
            "right.py": "def two():\n    return 2\n",
        }
    )
    query = Query("zebra", mode="bm25", depth=1, types=("chunk", "object"), limit=50)
    hits = search(snapshot, query, embedder=embedder).hits
    scores = {hit.path: hit.score for hit in hits if hit.match_type == "multi-hop"}
    assert len([hit for hit in hits if hit.path == "right.py"]) == 1
    assert scores["right.py"] > scores["left.py"]


@pytest.mark.req("COD-6")
def test_multi_hop_respects_filters(ask: Any) -> None:
    hits = ask("handle_login", depth=3, limit=50, filters=Filters(exclude_filter=("auth/**",))).hits
    assert hits
    assert not any(hit.path.startswith("auth/") for hit in hits)


def test_similar_code_is_found_from_an_entity_or_a_place(shop: Any, embedder: Any) -> None:
    position = next(p for p, name in enumerate(shop.objects.column("qualified_name")) if name == "AuthService.login")
    entity = shop.objects.get([position])[0]
    by_id = search(shop, Query(entity.entity_id, mode="vector", types=("object",)), embedder=None).hits
    by_place = search(
        shop, Query(f"auth/login.py:{entity.start_line}", mode="vector", types=("object",)), embedder=None
    )
    assert by_id
    assert entity.entity_id not in {hit.id for hit in by_id}
    assert [hit.id for hit in by_place.hits] == [hit.id for hit in by_id]
    assert "auth" in by_id[0].path
