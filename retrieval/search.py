"""Journey 2: a query → hits, the whole of it, in one function.

Words and vector → three lanes → candidates → fusion → re-ranking → multi-hop → cut → hits. A text that is a report (an
issue, a stack trace) is taken apart first and ranks by what it names (`report`). One snapshot is held from start to
end; nothing here writes. Thread-safe: searches share only the pool's threads.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from sightline.errors import QueryError
from sightline.retrieval import cursor, filters, fuse, lanes, multihop, report, similar
from sightline.retrieval.candidates import gather, tie
from sightline.retrieval.hits import to_hits
from sightline.retrieval.query import analyse
from sightline.retrieval.ranking import rerank
from sightline.retrieval.timing import Clock
from sightline.types import MAX_DEPTH, MAX_LIMIT, MODES, Hit, Query, RankedFile, SearchResult

if TYPE_CHECKING:
    from sightline.embed import Embedder
    from sightline.store import Snapshot

MAX_RELATIONSHIPS = 1_000


def search(
    snapshot: Snapshot, query: Query, *, embedder: Embedder | None, without: frozenset[str] = frozenset()
) -> SearchResult:
    """Answer a query from one snapshot.

    Text and vector decide what runs (HYB-8): text alone is BM25, a vector alone is vector search, both are hybrid. An
    embedder gives a text its vector. `without` leaves ranking signals out by name, to measure what they are worth.
    """
    query, clock = checked(query, snapshot.dim), Clock()
    pasted = report.read(query.text) if report.is_report(query.text) else None
    names_files = pasted is not None
    analysis = analyse(query.text) if pasted is None else report.analysis_of(snapshot, pasted)
    if analysis.empty and query.vector is None:
        return _answer(snapshot, query, clock)
    reranks = query.rerank and query.mode == "hybrid"
    if not report.ranks(query):
        pasted = None  # its words are understood; the order is that of the mode or the strategy asked for
    with clock.stage("filter"):
        allowed = filters.allowed(snapshot, query.filters)
        seed = similar.seed_of(snapshot, query)
    with clock.stage("retrieve"):
        asked = similar.as_query(query, seed) if seed is not None else query
        if pasted is not None:
            retrieved = report.retrieve(snapshot, query, analysis, allowed, embedder)
        else:
            retrieved = lanes.retrieve(snapshot, asked, analysis, allowed, embedder)
    with clock.stage("fuse"):
        found = gather(snapshot, retrieved, chunks_wanted="chunk" in query.types)
        order = partial(tie, snapshot)
        if not reranks:
            ranked = fuse.merge(
                query.strategy, found.graph, found.text, found.relationships,
                weights=query.weights, k=query.rrf_k, tie=order,
            )  # fmt: skip
            if query.mode != "hybrid":  # ordered by the one retriever's own measure, which is also the score
                ranked = fuse.falling([(key, found.own_score(key, retrieved)) for key, _ in ranked])
    why: rerank.Why = {}
    if reranks:
        with clock.stage("rerank"):
            if pasted is not None:
                ranked = report.rank(
                    snapshot, query, pasted, analysis, retrieved, found, allowed=allowed, tie=order, why=why,
                    without=without,
                )  # fmt: skip
            else:
                ranked = rerank.apply(snapshot, query, analysis, retrieved, found, order, why, without)
    if query.depth > 0:
        with clock.stage("multihop"):
            ranked = multihop.extend(snapshot, query, ranked, found, retrieved.vector, allowed, order)
    with clock.stage("hits"):
        if seed is not None:
            ranked = [(key, score) for key, score in ranked if key not in seed.keys]
        page = ranked[query.offset : query.offset + query.limit]
        hits = to_hits(snapshot, query, analysis, page, found, retrieved, why)
        files = _files(snapshot, query, ranked) if names_files else ()
    return _answer(
        snapshot, query, clock, hits, len(ranked), files=files, at_least=retrieved.filled, warnings=retrieved.warnings
    )


def checked(query: Query, dim: int) -> Query:
    """Refuse impossible arguments by name; cap generous ones."""
    for name, value, low in (
        ("limit", query.limit, 1),
        ("offset", query.offset, 0),
        ("depth", query.depth, 0),
        ("relationship_limit", query.relationship_limit, 0),
        ("rrf_k", query.rrf_k, 1),
        ("weights.vector", query.weights.vector, 0),
        ("weights.bm25", query.weights.bm25, 0),
    ):
        if not value >= low:
            raise QueryError(f"{name}={value!r} is out of bounds", hint=f"it must be {low} or more")
    if query.weights.vector + query.weights.bm25 == 0:
        raise QueryError("vector and bm25 weight are both 0", hint="give at least one a weight above 0")
    if query.mode not in MODES:
        raise QueryError(f"unknown mode {query.mode!r}", hint="hybrid, vector or bm25")
    if query.min_similarity is not None and not -1 <= query.min_similarity <= 1:
        raise QueryError(f"min_similarity={query.min_similarity!r} is out of bounds", hint="cosine lies in -1..1")
    if query.vector is not None and not np.isfinite(query.vector).all():
        raise QueryError("the query vector contains NaN or infinity")
    if query.vector is not None and query.vector.shape != (dim,):
        raise QueryError(f"the query vector has shape {query.vector.shape}", hint=f"this index holds {dim} dimensions")
    fuse.lane_shares(query.weights)
    return dataclasses.replace(
        query,
        mode=MODES[query.mode],
        limit=min(query.limit, MAX_LIMIT + cursor.MAX_OFFSET),  # of several roots each gives all pages up to this one
        offset=min(query.offset, cursor.MAX_OFFSET),
        depth=min(query.depth, MAX_DEPTH),
        relationship_limit=min(query.relationship_limit, MAX_RELATIONSHIPS),
    )


def _files(snapshot: Snapshot, query: Query, ranked: rerank.Ranking) -> Sequence[RankedFile]:
    """The files of a page, and those that come next in the list."""
    end = query.offset + query.limit
    files = (
        RankedFile(snapshot.paths[lanes.table(snapshot, key.type).path_index[key.position]], score)
        for key, score in ranked
    )
    return report.named(islice(files, end), query.offset, files)


def _answer(
    snapshot: Snapshot,
    query: Query,
    clock: Clock,
    hits: Sequence[Hit] = (),
    total: int = 0,
    *,
    files: Sequence[RankedFile] = (),
    at_least: bool = False,
    warnings: Sequence[str] = (),
) -> SearchResult:
    end = query.offset + len(hits)
    more = total > end and end <= cursor.MAX_OFFSET and bool(hits)
    return SearchResult(
        query=query.text,
        mode=query.mode,
        strategy=query.strategy,
        hits=hits,
        total=total,
        total_at_least=at_least,
        truncated=more or at_least,
        next_cursor=cursor.encode(query, end) if more else None,
        index=snapshot.status(),
        warnings=warnings,
        timings_ms=clock.timings_ms(),
        files=files,
    )
