"""Candidates: three lanes, two retrievers each, all at once.

Chunks, objects and relationships are each searched by BM25 and by vector. The six searches run concurrently, on this
thread and on those of the pool (tantivy, numpy and LanceDB release the GIL). The query text is embedded exactly once,
beside the BM25 searches, and the vector is passed on. Whatever fails is named in a warning and the rest answers;
only when everything failed does the error come through.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from sightline.errors import StoreError
from sightline.retrieval.filters import Allowed
from sightline.retrieval.fuse import best_possible, normalised, rrf
from sightline.retrieval.pool import Task, finish, pool
from sightline.retrieval.query import MAX_VARIANT_WORDS, Analysis, variants
from sightline.types import HitType, Query, Weights

if TYPE_CHECKING:
    from sightline.embed import Embedder
    from sightline.store import Ranked, Rows, Snapshot
    from sightline.types import Vector

DEPTH = 100  # candidates per retriever, on every page; deeper changed no figure of `scripts/bench quality`
MAX_WORDS = 16  # topic words of a query that names and chunks are compared with; a longer text is no question
SMALL_ROWS = 150_000  # of all tables, about 20k chunks: below, a search is faster without help (see `pool`)
COMMON = 10_000  # chunks: a word that more have is not looked up in them, it takes longer than it tells
COVER_DEPTH = 300  # chunks asked for their coverage; the candidates are nearly always among them

TABLES: Mapping[HitType, str] = {"chunk": "chunks", "object": "objects", "relationship": "relationships"}


@dataclass(slots=True)
class Lane:
    """One table's candidates: what each retriever found, and both fused (position → score 0..1)."""

    type: HitType
    bm25: dict[int, float] = field(default_factory=dict)
    cosine: dict[int, float] = field(default_factory=dict)
    fused: dict[int, float] = field(default_factory=dict)

    def match_type(self, position: int) -> str:
        """How a row was found."""
        if position in self.cosine:
            return "hybrid" if position in self.bm25 else "semantic"
        return "bm25"


@dataclass(frozen=True, slots=True)
class Words:
    """What the index says about the query's topic words; the re-ranking goes by it."""

    wanted: tuple[str, ...] = ()
    importance: tuple[float, ...] = ()  # rare words of this index say more than common ones
    coverage: Mapping[int, float] = field(default_factory=dict)  # chunk → share of the words it has, by importance
    least_coverage: float = 0.0  # what a chunk that is not in `coverage` has at most


@dataclass(slots=True)
class Retrieved:
    """All lanes of one search, with the vector that was searched for."""

    lanes: dict[HitType, Lane]
    vector: Vector | None
    warnings: list[str]
    filled: bool = False  # whether a retriever gave as much as it may, so that there is more than was looked at
    words: Words = field(default_factory=lambda: Words())


def retrieve(
    snapshot: Snapshot, query: Query, analysis: Analysis, allowed: Allowed, embedder: Embedder | None
) -> Retrieved:
    """Run every retriever the query calls for and fuse each lane."""
    limits: dict[HitType, int] = {"chunk": DEPTH, "object": DEPTH}
    limits["relationship"] = min(DEPTH, query.relationship_limit)
    types = [kind for kind in TABLES if kind in query.types and limits[kind] > 0 and allowed.possible(kind)]
    warnings: list[str] = []
    lexical: dict[HitType, Task[Ranked]] = {}
    dense: dict[HitType, Task[Ranked]] = {}

    short = sum(table(snapshot, kind).size for kind in types) < SMALL_ROWS

    def begin_lexical() -> dict[HitType, Task[Ranked]]:
        return {
            kind: pool().begin(partial(by_words, snapshot, kind, analysis, allowed, limits[kind]), short=short)
            for kind in types
        }

    if query.mode != "vector" and not analysis.empty:
        lexical = begin_lexical()
    reranks = query.rerank and query.mode == "hybrid"
    known = pool().begin(partial(look_up, snapshot, analysis), short=short) if reranks else None
    vector = embed(query, analysis, embedder, warnings) if query.mode != "bm25" else None
    if vector is not None:
        dense = {
            kind: pool().begin(partial(by_vector, snapshot, kind, vector, allowed, limits[kind]), short=short)
            for kind in types
        }
    elif query.mode == "vector" and not analysis.empty:  # no vector can be had: words are better than nothing (UNI-2)
        lexical = begin_lexical()
    finish([*lexical.values(), *([known] if known is not None else []), *dense.values()])
    if vector is None and query.mode == "vector" and embedder is None:
        warnings.append("there is no embedder for a vector search: words were searched instead")
    if vector is None and query.min_similarity is not None:
        warnings.append("min_similarity was not applied: nothing was compared by vector")
    lanes = {kind: Lane(kind) for kind in TABLES}
    failures: list[BaseException] = []
    filled = False
    for kind in types:
        lanes[kind].bm25 = _collect(lexical.get(kind), f"BM25 search of {TABLES[kind]}", warnings, failures)
        lanes[kind].cosine = _collect(dense.get(kind), f"vector search of {TABLES[kind]}", warnings, failures)
        filled = filled or _filled(lanes[kind], limits[kind], query.min_similarity)
        if query.min_similarity is not None and vector is not None:
            _drop_dissimilar(lanes[kind], table(snapshot, kind), vector, query.min_similarity)
        _fuse(lanes[kind], query.weights, query.rrf_k)
    if failures and len(failures) == len(lexical) + len(dense):
        raise StoreError(f"every search of the index failed: {failures[0]}", hint="rebuild the index") from failures[0]
    words = known.result() if known is not None and known.error is None else Words()  # its failure shows above
    return Retrieved(lanes, vector, warnings, filled, words)


def table(snapshot: Snapshot, kind: HitType) -> Rows[Any]:
    """The rows that hits of a type come from."""
    rows: Rows[Any] = getattr(snapshot, TABLES[kind])
    return rows


def by_words(snapshot: Snapshot, kind: HitType, analysis: Analysis, allowed: Allowed, limit: int) -> Ranked:
    """Search one table by BM25."""
    rows = table(snapshot, kind)
    return rows.lexical(analysis.terms, limit=limit, allowed=allowed.mask(rows, kind))


def by_vector(snapshot: Snapshot, kind: HitType, vector: Vector, allowed: Allowed, limit: int) -> Ranked:
    """Search one table by cosine similarity."""
    rows = table(snapshot, kind)
    return rows.nearest(vector, limit=limit, allowed=allowed.mask(rows, kind))


def look_up(snapshot: Snapshot, analysis: Analysis) -> Words:
    """Ask the index how rare the query's words are, and which chunks have them at all, in any of their forms."""
    chunks, wanted = snapshot.chunks, analysis.words[:MAX_WORDS]
    counts = [min(chunks.size, chunks.frequency(word)) for word in wanted]
    importance = tuple(math.log(1 + (chunks.size - count + 0.5) / (count + 0.5)) for count in counts)
    telling = [(word, weight) for word, weight, n in zip(wanted, importance, counts, strict=True) if n <= COMMON]
    total = sum(weight for _, weight in telling)
    if total <= 0:
        return Words(wanted, importance)
    inflected = set(wanted[:MAX_VARIANT_WORDS])
    groups = [((word, *variants(word)) if word in inflected else (word,), weight / total) for word, weight in telling]
    found = chunks.cover(groups, limit=COVER_DEPTH)
    coverage = dict(zip(found.positions.tolist(), found.scores.tolist(), strict=True))
    least = float(found.scores[-1]) if len(found.scores) >= COVER_DEPTH else 0.0
    return Words(wanted, importance, coverage, least)


def embed(query: Query, analysis: Analysis, embedder: Embedder | None, warnings: list[str]) -> Vector | None:
    """Return the query's vector: the caller's own, or the text embedded once; None with one warning if that fails."""
    if query.vector is not None:
        given = np.asarray(query.vector, dtype=np.float32)
        length = float(np.linalg.norm(given))
        return given / length if length > 0 else None
    if embedder is None or not analysis.text:
        return None
    encoding = Task(partial(embedder.encode_query, analysis.text))
    encoding.run()
    if encoding.error is not None:
        warnings.append(f"the query could not be embedded, words alone were searched: {encoding.error}")
        return None
    vector = np.asarray(encoding.result(), dtype=np.float32)
    return vector if vector.any() else None


def _collect(
    task: Task[Ranked] | None, what: str, warnings: list[str], failures: list[BaseException]
) -> dict[int, float]:
    if task is None:
        return {}
    if task.error is not None:
        warnings.append(f"{what} failed, the rest answered: {task.error}")
        failures.append(task.error)
        return {}
    ranked = task.result()
    return dict(zip(ranked.positions.tolist(), ranked.scores.tolist(), strict=True))


def _filled(lane: Lane, limit: int, floor: float | None) -> bool:
    """Whether a retriever may have more; what comes after a row below the floor is below it too."""
    if len(lane.bm25) >= limit:
        return True
    return len(lane.cosine) >= limit and (floor is None or min(lane.cosine.values()) >= floor)


def _drop_dissimilar(lane: Lane, rows: Rows[Any], vector: Vector, floor: float) -> None:
    """Keep only rows whose cosine similarity reaches the floor, however they were found (COD-4)."""
    found = list(dict.fromkeys([*lane.bm25, *lane.cosine]))
    similarity = dict(zip(found, rows.similarity(found, vector).tolist(), strict=True)) if found else {}
    lane.bm25 = {position: score for position, score in lane.bm25.items() if similarity[position] >= floor}
    lane.cosine = {position: score for position, score in lane.cosine.items() if score >= floor}


def _fuse(lane: Lane, weights: Weights, k: int) -> None:
    """Fuse the two lists of a lane by weighted RRF (COD-5)."""
    found = ((lane.cosine, weights.vector), (lane.bm25, weights.bm25))
    filled = [(list(keys), weight) for keys, weight in found if keys]
    if len(filled) == 1:
        filled = [(filled[0][0], 1.0)]  # a retriever on its own is not held down by its share
    lane.fused = normalised(rrf(filled, k=k), best_possible([weight for _, weight in filled], k=k))
