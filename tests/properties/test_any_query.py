"""Any query is answered: no exception but a named refusal, capped cost, a well-formed answer."""

from __future__ import annotations

import dataclasses
import logging
import random
import string
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sightline.embed import Embedder
from sightline.errors import QueryError
from sightline.retrieval.cursor import MAX_OFFSET
from sightline.retrieval.search import search
from sightline.store import Snapshot
from sightline.types import MAX_LIMIT, Filters, Query, SearchResult, Weights
from tests.support.indexes import index_folder
from tests.support.paths import SHOP

SOAK_QUERIES = 100_000
_MEGABYTE = 1_000_000

_PIECES = (
    "login", "AuthService.login", "SessionStore", "a::b->c", "src/**/*.py", "AND", "OR", "NOT", "NEAR/3", "+", "-",
    "~2", '"', "'", "`", "(", ")", "[", "]", "{", "}", "^", "*", "?", "\\", "/", ":", "::", "body:", "\0", "\n",
    "\t", "​", "日本語", "größe", "İ", "ß", "😀", "\U0010ffff", "\ud800", "e\u0301", "ﬁ", "٣", "_", "__init__",
    "0", "1e999", "NaN", "DROP TABLE", "<script>", "${x}", "%s", "{0}", "../../etc/passwd", "a" * 300,
    "A_" * 200, "x" * 5000,
)  # fmt: skip
_GLOBS = (
    "**", "*", "*.py", "auth/**", "**/tests/**", "[", "[]", "[!", "[a-", "{", "{a,b}", "{,}", "{" * 50, "*" * 500,
    "**/" * 200, "?" * 300, "*a" * 200, "\\", "/", "//", "./", "../", "a\0b", "", " ", "[z-a]", "[[:alpha:]]",
    "(?R)", "(.*)*", "é*", "\ud800",
)  # fmt: skip

_MODES: tuple[Any, ...] = ("hybrid", "hybrid", "vector", "bm25", "vector-only")
_IMPOSSIBLE: tuple[dict[str, Any], ...] = (
    {"limit": 0},
    {"limit": -1},
    {"offset": -1},
    {"depth": -1},
    {"rrf_k": 0},
    {"mode": "nonsense"},
    {"strategy": "nonsense"},
    {"relationship_limit": -1},
    {"min_similarity": 2.0},
    {"min_similarity": float("nan")},
    {"weights": Weights(0, 0)},
    {"weights": Weights(-1)},
    {"vector": np.full(256, np.nan, np.float32)},
    {"vector": np.ones(3, np.float32)},
    {"filters": Filters(metadata={"nonsense": "x"})},
)


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> tuple[Snapshot, Embedder]:
    """The shop, once."""
    return index_folder(SHOP, tmp_path_factory.mktemp("index"), embedder), embedder


def answered(snapshot: Snapshot, embedder: Embedder, query: Query) -> SearchResult | None:
    """Search; a QueryError is a legal answer to impossible arguments, never to a text."""
    try:
        result = search(snapshot, query, embedder=embedder)
    except QueryError as error:
        assert error.message
        return None
    scores = [hit.score for hit in result.hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert len(result.hits) <= min(query.limit, MAX_LIMIT + MAX_OFFSET)
    assert len({(hit.type, hit.id) for hit in result.hits}) == len(result.hits)
    assert query.min_similarity is not None or not result.warnings
    for hit in result.hits:
        text = hit.item.triplet if hit.type == "relationship" else (hit.chunk or hit.item).text  # type: ignore[union-attr]
        assert all(0 <= start < end <= len(text) for start, end in hit.highlights)
    return result


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.one_of(st.text(max_size=200), st.lists(st.sampled_from(_PIECES), max_size=8).map(" ".join)))
@pytest.mark.req("COD-3")
def test_any_text_is_a_legal_query(indexed: tuple[Snapshot, Embedder], text: str) -> None:
    assert answered(*indexed, Query(text)) is not None


def random_query(rng: random.Random) -> Query:
    """A query as nobody would write it."""
    kind = rng.random()
    if kind < 0.002:
        piece = rng.choice(_PIECES) + rng.choice(("", " "))
        text = piece * (_MEGABYTE // len(piece))
    elif kind < 0.5:
        text = "".join(rng.choice(_PIECES) + rng.choice(("", " ")) for _ in range(rng.randrange(6)))
    elif kind < 0.8:
        text = "".join(rng.choice(string.printable) for _ in range(rng.randrange(80)))
    else:
        text = "".join(chr(rng.randrange(1, 0x11000)) for _ in range(rng.randrange(60)))
    metadata: Mapping[str, str] = {}
    if rng.random() < 0.2:
        metadata = {rng.choice(("language", "kind", "type", "name", "path")): rng.choice(_PIECES)}
    query = Query(
        text,
        vector=np.full(256, rng.random() - 0.5, np.float32) if rng.random() < 0.05 else None,
        limit=rng.choice((1, 2, 10, 50, 10**9)),
        types=tuple(rng.sample(("chunk", "object", "relationship"), rng.randrange(0, 4))),
        mode=rng.choice(_MODES),
        strategy=rng.choice(("rrf", "rrf", "weighted", "interleave", "graph_first", "text_first")),
        depth=rng.choice((0, 0, 0, 1, 2, 10**6)),
        min_similarity=rng.choice((None, None, None, 0.0, 0.5, -1.0, 1.0)),
        filters=Filters(
            tuple(rng.choice(_GLOBS) for _ in range(rng.choice((0, 0, 0, 1, 3)))),
            tuple(rng.choice(_GLOBS) for _ in range(rng.choice((0, 0, 0, 1, 3)))),
            metadata,
        ),
        relationship_limit=rng.choice((50, 50, 0, 1, 10**9)),
        weights=rng.choice((Weights(), Weights(), Weights(0, 1), Weights(1, 0, 0, 1, 3))),
        rrf_k=rng.choice((60, 60, 1, 10**6)),
        rerank=rng.random() < 0.8,
        explain=rng.random() < 0.2,
        offset=rng.choice((0, 0, 0, 5, 10**9)),
    )
    return dataclasses.replace(query, **rng.choice(_IMPOSSIBLE)) if rng.random() < 0.2 else query


def ask_many(indexed: tuple[Snapshot, Embedder], count: int, seed: int) -> tuple[int, float]:
    """How many of so many random queries were answered, and the most milliseconds of processor time one took."""
    (snapshot, embedder), rng = indexed, random.Random(seed)
    count_answered, slowest = 0, 0.0
    for _ in range(count):
        query = random_query(rng)
        began = time.process_time()
        count_answered += answered(snapshot, embedder, query) is not None
        slowest = max(slowest, (time.process_time() - began) * 1000)
    return count_answered, slowest


def test_random_queries_with_random_arguments_are_answered_or_refused_by_name(indexed: Any) -> None:
    assert ask_many(indexed, 600, seed=1)[0] > 100


def test_a_megabyte_of_text_costs_no_more_than_a_long_question(indexed: Any) -> None:
    for text in (
        "login " * 200_000,
        "x" * 1_000_000,
        "aB" * 500_000,
        "日本" * 500_000,
        "\n" * 1_000_000,
        "_a" * 500_000,
    ):
        result = answered(indexed[0], indexed[1], Query(text))
        assert result is not None
        assert result.timings_ms["total"] < 10_000  # not a speed claim: without a cap this takes minutes


@pytest.mark.slow
@pytest.mark.timeout(3_600)
def test_a_hundred_thousand_random_queries(indexed: Any) -> None:
    count_answered, slowest = ask_many(indexed, SOAK_QUERIES, seed=2)
    assert count_answered > SOAK_QUERIES // 10
    assert slowest < 1_000  # not a speed claim: a cost without a cap takes seconds or minutes
    logging.getLogger(__name__).info("%d answered, the slowest took %.0f ms of processor time", count_answered, slowest)
