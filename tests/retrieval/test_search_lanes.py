"""Three lanes and two retrievers each: concurrent, tolerant of failure, with one embedding."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from sightline.errors import StoreError
from sightline.retrieval import lanes
from sightline.retrieval.query import analyse
from sightline.retrieval.search import search
from sightline.store import Snapshot
from sightline.types import Query
from tests.support.paths import REPOSITORY

WAIT_S = 20


class Meeting:
    """Wraps a retriever so that it goes on only when all expected ones have arrived."""

    def __init__(self, parties: int) -> None:
        self.barrier = threading.Barrier(parties)

    def wrap(self, method: Any) -> Any:
        def waiting(*args: Any, **kwargs: Any) -> Any:
            self.barrier.wait(WAIT_S)
            return method(*args, **kwargs)

        return waiting


def failing(*_: Any, **__: Any) -> Any:
    raise StoreError("the disk is gone")


class CountingEmbedder:
    """The real embedder, counted."""

    def __init__(self, embedder: Any) -> None:
        self._embedder, self.queries = embedder, 0
        self.id, self.dim = embedder.id, embedder.dim

    def encode_query(self, text: str) -> Any:
        self.queries += 1
        return self._embedder.encode_query(text)


class BrokenEmbedder:
    """Cannot embed anything."""

    id, dim = "broken", 256

    def encode_query(self, text: str) -> Any:
        raise RuntimeError("model file is damaged")


@pytest.mark.req("HYB-1")
def test_vector_and_bm25_retrieval_run_at_the_same_time(shop: Any, embedder: Any, overlay: Any) -> None:
    meeting = Meeting(2)
    chunks = overlay(shop.chunks, lexical=meeting.wrap(shop.chunks.lexical), nearest=meeting.wrap(shop.chunks.nearest))
    result = search(overlay(shop, chunks=chunks), Query("login", types=("chunk",)), embedder=embedder)
    assert result.hits
    assert not result.warnings


@pytest.mark.req("REL-10", "GRA-2")
def test_all_three_lanes_run_at_the_same_time(shop: Any, embedder: Any, overlay: Any) -> None:
    meeting = Meeting(6)
    tables = {
        name: overlay(
            getattr(shop, name),
            lexical=meeting.wrap(getattr(shop, name).lexical),
            nearest=meeting.wrap(getattr(shop, name).nearest),
        )
        for name in ("chunks", "objects", "relationships")
    }
    result = search(overlay(shop, **tables), Query("login"), embedder=embedder)
    assert result.hits
    assert not result.warnings


@pytest.mark.req("HYB-2")
@pytest.mark.parametrize(("method", "named"), [("nearest", "vector search"), ("lexical", "BM25 search")])
def test_one_failing_retriever_leaves_the_other_and_a_warning(
    shop: Any, embedder: Any, overlay: Any, method: str, named: str
) -> None:
    broken = overlay(shop, chunks=overlay(shop.chunks, **{method: failing}))
    result = search(broken, Query("login password", types=("chunk",)), embedder=embedder)
    assert result.hits
    assert len(result.warnings) == 1
    assert named in result.warnings[0]
    assert "the disk is gone" in result.warnings[0]


@pytest.mark.req("GRA-3", "REL-5")
def test_a_failing_relationship_lane_leaves_objects_and_a_warning(shop: Any, embedder: Any, overlay: Any) -> None:
    relationships = overlay(shop.relationships, lexical=failing, nearest=failing)
    query = Query("login", types=("object", "relationship"))
    result = search(overlay(shop, relationships=relationships), query, embedder=embedder)
    assert result.hits
    assert {hit.type for hit in result.hits} == {"object"}
    assert any("relationships" in warning for warning in result.warnings)


def test_when_everything_fails_the_error_comes_through(shop: Any, embedder: Any, overlay: Any) -> None:
    chunks = overlay(shop.chunks, lexical=failing, nearest=failing)
    with pytest.raises(StoreError, match="every search"):
        search(overlay(shop, chunks=chunks), Query("login", types=("chunk",)), embedder=embedder)


@pytest.mark.req("UNI-1", "UNI-6")
@pytest.mark.parametrize("depth", [0, 2])
def test_the_query_is_embedded_exactly_once(shop: Any, embedder: Any, depth: int) -> None:
    counting = CountingEmbedder(embedder)
    result = search(shop, Query("login password", depth=depth), embedder=counting)  # type: ignore[arg-type]
    assert result.hits
    assert counting.queries == 1


@pytest.mark.req("UNI-1")
def test_a_lane_on_its_own_embeds_for_itself_and_bm25_never_does(shop: Any, embedder: Any) -> None:
    counting = CountingEmbedder(embedder)
    search(shop, Query("login", types=("relationship",)), embedder=counting)  # type: ignore[arg-type]
    assert counting.queries == 1
    search(shop, Query("login", mode="bm25"), embedder=counting)  # type: ignore[arg-type]
    assert counting.queries == 1
    search(shop, Query("login", vector=embedder.encode_query("login")), embedder=counting)  # type: ignore[arg-type]
    assert counting.queries == 1


@pytest.mark.req("UNI-2")
@pytest.mark.parametrize("mode", ["hybrid", "vector"])
def test_a_failing_embedder_means_words_alone_and_one_warning(shop: Any, mode: Any) -> None:
    result = search(shop, Query("validate credentials", mode=mode), embedder=BrokenEmbedder())  # type: ignore[arg-type]
    assert result.hits[0].path == "auth/credentials.py"
    assert len(result.warnings) == 1
    assert "model file is damaged" in result.warnings[0]
    assert {hit.match_type for hit in result.hits} <= {"bm25", "symbol"}


@pytest.mark.req("HYB-8")
def test_text_alone_is_bm25_a_vector_alone_is_vector_and_both_are_hybrid(shop: Any, embedder: Any) -> None:
    vector = embedder.encode_query("check the password of a user")
    text_only = search(shop, Query("password", types=("chunk",)), embedder=None)
    assert {hit.match_type for hit in text_only.hits} == {"bm25"}
    vector_only = search(shop, Query("", vector=vector, types=("chunk",)), embedder=None)
    assert {hit.match_type for hit in vector_only.hits} == {"semantic"}
    both = search(shop, Query("password", vector=vector, types=("chunk",)), embedder=None)
    assert "hybrid" in {hit.match_type for hit in both.hits}


def test_what_cannot_be_done_without_a_vector_is_said(shop: Any) -> None:
    result = search(shop, Query("login", mode="vector", min_similarity=0.5), embedder=None)
    assert result.hits
    assert ["no embedder" in result.warnings[0], "min_similarity" in result.warnings[1]] == [True, True]


@pytest.mark.req("HYB-6")
def test_modes_choose_the_retrievers_and_have_aliases(ask: Any) -> None:
    for mode, kinds in (("bm25", {"bm25"}), ("vector", {"semantic"})):
        result = ask("login password", mode=mode, types=("chunk",))
        assert {hit.match_type for hit in result.hits} == kinds
        assert result.mode == mode
        alias = ask("login password", mode=f"{mode}-only", types=("chunk",))
        assert [hit.id for hit in alias.hits] == [hit.id for hit in result.hits]
    assert "hybrid" in {hit.match_type for hit in ask("login password", types=("chunk",)).hits}


@pytest.mark.req("REL-11")
def test_relationship_limit_caps_what_is_retrieved(shop: Any, embedder: Any, overlay: Any) -> None:
    assert Query("x").relationship_limit == 50
    asked: list[int] = []

    def counted(method: Any) -> Any:
        def call(*args: Any, limit: int, **kwargs: Any) -> Any:
            asked.append(limit)
            return method(*args, limit=limit, **kwargs)

        return call

    edges = shop.relationships
    watched = overlay(
        shop, relationships=overlay(edges, lexical=counted(edges.lexical), nearest=counted(edges.nearest))
    )
    search(watched, Query("login"), embedder=embedder)
    assert asked == [50, 50]
    result = search(watched, Query("login", types=("relationship",), relationship_limit=2), embedder=embedder)
    assert asked[2:] == [2, 2]
    assert 0 < len(result.hits) <= 4
    assert not search(watched, Query("login", types=("relationship",), relationship_limit=0), embedder=embedder).hits


@pytest.mark.req("UNI-7")
def test_the_response_says_how_long_each_stage_took(ask: Any) -> None:
    timings = ask("login", depth=1).timings_ms
    assert {"retrieve", "fuse", "rerank", "multihop", "hits", "total"} <= set(timings)
    assert timings["total"] >= timings["retrieve"] >= 0


def test_a_query_without_known_words_or_vector_still_answers(shop: Any, embedder: Any) -> None:
    assert search(shop, Query("zzqqxx", mode="bm25"), embedder=embedder).hits == []
    assert search(shop, Query("", vector=np.zeros(embedder.dim, np.float32)), embedder=embedder).hits == []


@pytest.mark.req("COD-10", "HYB-9", "REL-9")
def test_the_latency_bench_reports_every_figure_that_is_promised(shop: Any, embedder: Any, capsys: Any) -> None:
    """Speed itself is measured by `scripts/bench latency`; here its figures are made from a small index."""
    path = REPOSITORY / "scripts" / "benchmarks" / "latency.py"
    spec = importlib.util.spec_from_file_location("latency_bench", path)
    assert spec is not None
    assert spec.loader is not None
    latency = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(latency)
    texts = latency.questions(shop, 6)
    assert texts
    figures = {name: latency.measured(shop, embedder, texts, kind) for name, kind in latency.SEARCHES.items()}
    assert {"hybrid", "hybrid, no relationships", "bm25", "vector", "multi-hop depth 2"} <= set(figures)
    for stages in figures.values():
        assert stages["cpu"] > 0
        median, slow = stages["total"]
        assert 0 < median <= slow
    latency.show(figures)
    assert "relationships add" in capsys.readouterr().out


def test_words_that_most_chunks_have_do_not_count_for_what_a_chunk_covers(
    build: Callable[[Mapping[str, str]], Snapshot], monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = build({f"{n}.py": f"def session_{n}():\n    return {n}\n" for n in range(4)} | {"r.py": "renewal = 1\n"})
    question = analyse("session renewal")
    assert max(lanes.look_up(snapshot, question).coverage.values()) < 1
    monkeypatch.setattr(lanes, "COMMON", 3)
    covered = lanes.look_up(snapshot, question).coverage
    assert {snapshot.chunks.path(position): share for position, share in covered.items()} == {"r.py": pytest.approx(1)}
