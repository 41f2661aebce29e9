"""What a search answers: order, scores, types, pages."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

from sightline.errors import QueryError
from sightline.retrieval import cursor
from sightline.retrieval.search import search
from sightline.types import Chunk, Object, Query, Relationship, Weights


@pytest.mark.req("COD-1")
def test_words_rank_by_bm25_with_the_specified_constants(build: Any, embedder: Any) -> None:
    """k1=1.2 and b=0.75, checked against the formula by hand."""
    texts = {"a.txt": "login login page\n", "b.txt": "login of the user at the door of a house\n", "c.txt": "garden\n"}
    snapshot = build(texts)
    ranked = snapshot.chunks.lexical({"login": 1.0}, limit=10, fields={"body": 1.0})
    lengths = {}
    for position in range(snapshot.chunks.size):
        record = snapshot.chunks.get([position])[0]
        from sightline.tokens import tokenize

        lengths[record.path] = tokenize(f"{record.context}\n{record.text}")
    average = sum(map(len, lengths.values())) / len(lengths)
    idf = np.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    for position, score in zip(ranked.positions.tolist(), ranked.scores.tolist(), strict=True):
        words = lengths[snapshot.chunks.get([position])[0].path]
        tf = words.count("login")
        expected = idf * tf * (1.2 + 1) / (tf + 1.2 * (1 - 0.75 + 0.75 * len(words) / average))
        assert score == pytest.approx(expected, rel=0.02)
    result = search(snapshot, Query("login", mode="bm25", types=("chunk",)), embedder=embedder)
    assert [hit.path for hit in result.hits] == ["a.txt", "b.txt"]


@pytest.mark.req("COD-2")
@pytest.mark.parametrize("text", ["", "   ", "\n\t", "!!!", "()[]{}", "\0"])
def test_a_query_without_words_is_empty_and_no_error(ask: Any, text: str) -> None:
    result = ask(text)
    assert result.hits == ()
    assert result.total == 0
    assert result.next_cursor is None
    assert result.index.state == "ready"


@pytest.mark.req("COD-3")
@pytest.mark.parametrize(
    "text", ["func login()", "login(", "def login(self, user: str) -> str:", "AuthService::login", "`login`", '"login"']
)
def test_punctuation_finds_the_function(ask: Any, text: str) -> None:
    assert "auth/login.py" in [hit.path for hit in ask(text).hits[:2]]


@pytest.mark.req("COD-3")
@pytest.mark.parametrize(
    "text", ["login AND (", "body:login^", "a~2 OR", 'unbalanced "quote', "-login +x", "[a TO b]", "\\"]
)
def test_operators_of_query_languages_are_plain_text(ask: Any, text: str) -> None:
    result = ask(text)
    assert not result.warnings, "every retriever understood it"
    assert "login" not in text or "auth/login.py" in [hit.path for hit in result.hits]
    assert re.search(r"\w", text) or not ask(text, mode="bm25").hits, "marks are no words"


@pytest.mark.req("COD-4")
def test_vector_search_is_ordered_by_cosine_and_respects_limit(shop: Any, embedder: Any) -> None:
    query = Query("how are passwords checked", mode="vector", types=("chunk",), limit=5)
    result = search(shop, query, embedder=embedder)
    assert len(result.hits) == 5
    vector = embedder.encode_query(query.text)
    positions = [shop.chunks.position(hit.id) for hit in result.hits]
    similarity = shop.chunks.similarity(positions, vector).tolist()
    assert similarity == sorted(similarity, reverse=True)
    assert [hit.score for hit in result.hits] == pytest.approx(similarity, abs=1e-3)
    assert result.hits[0].path == "auth/credentials.py"


@pytest.mark.req("COD-4")
@pytest.mark.parametrize("mode", ["vector", "hybrid"])
def test_min_similarity_is_a_cosine_in_every_mode(shop: Any, embedder: Any, mode: Any) -> None:
    everything = search(shop, Query("retry a failed payment", mode="vector", types=("chunk",)), embedder=embedder)
    floor = everything.hits[3].score - 1e-4
    query = Query("retry a failed payment", mode=mode, types=("chunk",), min_similarity=floor, limit=50)
    hits = search(shop, query, embedder=embedder).hits
    assert hits
    vector = embedder.encode_query(query.text)
    assert shop.chunks.similarity([shop.chunks.position(hit.id) for hit in hits], vector).min() >= floor
    nothing = Query("retry a failed payment", mode=mode, types=("chunk",), min_similarity=0.999)
    assert search(shop, nothing, embedder=embedder).hits == []


@pytest.mark.req("COD-5", "HYB-7")
def test_hybrid_is_weighted_rrf_when_reranking_is_off(shop: Any, embedder: Any) -> None:
    text = "close the session of a user"
    vector = search(shop, Query(text, mode="vector", types=("chunk",), limit=100), embedder=embedder).hits
    words = search(shop, Query(text, mode="bm25", types=("chunk",), limit=100), embedder=embedder).hits
    expected: dict[str, float] = {}
    for hits, weight in ((vector, 0.7), (words, 0.3)):
        for rank, hit in enumerate(hits, start=1):
            expected[hit.id] = expected.get(hit.id, 0.0) + weight / (60 + rank)
    fused = search(shop, Query(text, types=("chunk",), rerank=False, limit=100), embedder=embedder).hits
    assert {hit.id for hit in fused} == set(expected)
    assert [expected[hit.id] for hit in fused] == sorted(expected.values(), reverse=True)
    top = search(shop, Query(text, types=("chunk",), rerank=False, limit=3), embedder=embedder).hits
    assert [hit.id for hit in top] == [hit.id for hit in fused[:3]]


@pytest.mark.req("COD-5")
def test_semantic_weight_decides_who_leads(shop: Any, embedder: Any) -> None:
    text = "exponential backoff"
    leading = {}
    for vector, bm25 in ((1.0, 0.0), (0.0, 1.0)):
        query = Query(text, types=("chunk",), rerank=False, weights=Weights(vector=vector, bm25=bm25))
        leading[vector] = [hit.id for hit in search(shop, query, embedder=embedder).hits]
    by_vector = search(shop, Query(text, mode="vector", types=("chunk",)), embedder=embedder).hits
    by_words = search(shop, Query(text, mode="bm25", types=("chunk",)), embedder=embedder).hits
    assert leading[1.0][0] == by_vector[0].id
    assert leading[0.0][0] == by_words[0].id


@pytest.mark.req("HYB-7")
def test_fewer_hits_than_the_limit_are_all_returned(ask: Any) -> None:
    result = ask("exponential backoff", mode="bm25", types=("chunk",), limit=100)
    assert 0 < len(result.hits) == result.total < 100
    assert not result.truncated


@pytest.mark.req("COD-7")
def test_a_hit_carries_chunk_score_match_type_and_highlights(ask: Any) -> None:
    result = ask("authenticate")
    hit = next(hit for hit in result.hits if hit.path == "auth/login.py")
    chunk = hit.chunk if isinstance(hit.item, Object) else hit.item
    assert isinstance(chunk, Chunk)
    assert {chunk.text[start:end].lower() for start, end in hit.highlights} & {"authenticate"}
    for each in result.hits:
        assert 0 <= each.score <= 1
        assert each.match_type in {"bm25", "semantic", "hybrid", "symbol", "multi-hop"}
    scores = [each.score for each in result.hits]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.req("REL-8", "GRA-2")
def test_hits_say_their_type(ask: Any) -> None:
    result = ask("login", limit=50)
    types = {"chunk": Chunk, "object": Object, "relationship": Relationship}
    assert {hit.type for hit in result.hits} >= {"object", "relationship"}
    for hit in result.hits:
        assert isinstance(hit.item, types[hit.type])


def test_an_object_and_its_definition_chunk_are_one_hit(ask: Any) -> None:
    hits = ask("validate_credentials", limit=50).hits
    shown = [hit.chunk or hit.item for hit in hits if hit.type != "relationship"]
    places = [(chunk.path, chunk.start_line) for chunk in shown]
    assert len(places) == len(set(places))
    assert hits[0].type == "object"
    assert hits[0].item.name == "validate_credentials"
    assert hits[0].chunk is not None
    assert "compare_digest" in hits[0].chunk.text


def test_types_restrict_what_is_returned(ask: Any) -> None:
    for kind in ("chunk", "object", "relationship"):
        hits = ask("login session", types=(kind,), limit=20).hits
        assert hits
        assert {hit.type for hit in hits} == {kind}


@pytest.mark.req("HYB-8")
def test_metadata_filters_are_joined_by_and(ask: Any) -> None:
    from sightline.types import Filters

    classes = ask("session", filters=Filters(metadata={"kind": "class"}), limit=50).hits
    assert {getattr(hit.item, "kind", "") for hit in classes} == {"class"}
    both = ask("session", filters=Filters(metadata={"kind": "class", "name": "sessionstore"}), limit=50).hits
    assert {hit.item.name for hit in both} == {"SessionStore"}
    prose = ask("login", filters=Filters(metadata={"language": "markdown"}), limit=50).hits
    assert {hit.path for hit in prose} == {"docs/guide.md"}
    edges = ask("login", filters=Filters(metadata={"relationship_type": "calls"}), limit=50).hits
    assert {hit.type for hit in edges} == {"relationship"}
    assert {hit.item.relationship_type for hit in edges} == {"calls"}
    assert not ask("login", filters=Filters(metadata={"kind": "class", "relationship_type": "calls"})).hits
    with pytest.raises(QueryError, match="did you mean 'language'"):
        ask("login", filters=Filters(metadata={"langauge": "python"}))
    for key, misspelt, meant in (("language", "pyhton", "python"), ("kind", "klass", "class"), ("type", "edge", "")):
        with pytest.raises(QueryError, match=f"unknown {key} '{misspelt}'.*{meant}"):
            ask("login", filters=Filters(metadata={key: misspelt}))


@pytest.mark.req("COD-8")
def test_path_filters_hold_for_every_type(ask: Any) -> None:
    from sightline.types import Filters

    inside = ask("login password session", filters=Filters(file_filter=("auth/**",)), limit=50).hits
    assert inside
    assert all(hit.path.startswith("auth/") for hit in inside)
    outside = ask("login", filters=Filters(exclude_filter=("**/tests/**", "*.md")), limit=50).hits
    assert outside
    assert not any(hit.path.startswith("tests/") or hit.path.endswith(".md") for hit in outside)


@pytest.mark.req("COD-8")
def test_a_filter_that_excludes_nearly_everything_still_fills_the_page(build: Any, embedder: Any) -> None:
    from sightline.types import Filters

    files = {f"many/m{n}.py": f"def login_{n}(user):\n    return user.login_password_{n}\n" for n in range(600)}
    files |= {f"few/f{n}.py": f"def other_{n}():\n    return {n}  # the login\n" for n in range(10)}
    snapshot = build(files)
    query = Query("login password", types=("chunk",), limit=10, filters=Filters(file_filter=("few/**",)))
    hits = search(snapshot, query, embedder=embedder).hits
    assert len(hits) == 10
    assert {hit.path.split("/")[0] for hit in hits} == {"few"}


def test_one_file_does_not_fill_the_page(build: Any, embedder: Any) -> None:
    body = "\n\n".join(f"def parse_header_{n}(raw):\n" + "    raw = parse(header, raw)\n" * 25 for n in range(20))
    small = "def parse_header_{n}(raw):\n    return parse(header, raw)\n"
    files = {"big.py": body} | {f"small{n}.py": small.replace("{n}", str(n)) for n in range(6)}
    hits = search(build(files), Query("parse header", types=("chunk", "object")), embedder=embedder).hits
    assert len({hit.path for hit in hits[:5]}) >= 4


def test_the_same_query_gives_the_same_bytes(shop: Any, embedder: Any) -> None:
    def answer() -> str:
        result = search(shop, Query("login of a user", depth=1, explain=True, limit=30), embedder=embedder)
        return json.dumps([asdict(hit) for hit in result.hits], default=str)

    first = answer()
    assert all(answer() == first for _ in range(5))


def test_pages_follow_each_other_without_gap_or_repeat(shop: Any, embedder: Any) -> None:
    whole = search(shop, Query("user", limit=12), embedder=embedder)
    pages, offset = [], 0
    for _ in range(4):
        page = search(shop, Query("user", limit=3, offset=offset), embedder=embedder)
        pages += [hit.id for hit in page.hits]
        assert page.next_cursor is not None
        offset = cursor.decode(Query("user", limit=3), page.next_cursor)
    assert pages == [hit.id for hit in whole.hits]


def test_a_cursor_of_another_query_is_refused() -> None:
    made = cursor.encode(Query("a"), 10)
    assert cursor.decode(Query("a", limit=99), made) == 10
    with pytest.raises(QueryError, match="another query"):
        cursor.decode(Query("b"), made)
    with pytest.raises(QueryError, match="not a cursor"):
        cursor.decode(Query("a"), "garbage")


def test_explain_shows_what_each_signal_added(ask: Any) -> None:
    plain = ask("validate_credentials").hits
    assert all(not hit.why for hit in plain)
    explained = ask("validate_credentials", explain=True).hits
    assert [hit.id for hit in explained] == [hit.id for hit in plain]
    assert explained[0].why["definition"] > 0


@pytest.mark.parametrize(
    "arguments",
    [
        {"limit": 0},
        {"limit": -1},
        {"depth": -1},
        {"rrf_k": 0},
        {"mode": "fuzzy"},
        {"strategy": "best"},
        {"min_similarity": 2.0},
        {"weights": Weights(vector=0, bm25=0)},
        {"weights": Weights(graph=-1)},
        {"vector": np.array([np.nan] * 256, np.float32)},
    ],
)
def test_impossible_arguments_are_refused_by_name(ask: Any, arguments: dict[str, Any]) -> None:
    with pytest.raises(QueryError):
        ask("login", **arguments)


@pytest.mark.parametrize("strategy", ["rrf", "weighted", "interleave", "graph_first", "text_first"])
@pytest.mark.parametrize("rerank", [True, False])
@pytest.mark.req("UNI-3")
def test_every_strategy_answers_with_relationships(ask: Any, strategy: Any, rerank: bool) -> None:
    result = ask("login of a user", strategy=strategy, rerank=rerank, limit=100)
    assert {"object", "relationship"} <= {hit.type for hit in result.hits}
    scores = [hit.score for hit in result.hits]
    assert scores == sorted(scores, reverse=True)
