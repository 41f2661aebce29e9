"""Code-aware re-ranking: which of the fused candidates answers a question about code.

Each signal of `signals.SIGNALS` adds to a candidate's score (or takes from it); what each added is kept for
`explain=True`. Then further candidates of one file are held back, so that one file does not fill the page. Runs in
mode `hybrid` and can be switched off (`rerank=False`); the other modes are ordered by their own measure.

The score shown is 0..1: the sum of what the signals added, as a share of what they could add, times how strong the
best match of the query is in absolute terms (its cosine, or BM25 where there is no vector). Within one answer that
factor is the same for all, so it never changes an order; between queries it tells a weak best hit from a strong one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

import numpy as np

from sightline.retrieval import fuse
from sightline.retrieval.candidates import BM25_HALF, Candidates, Key
from sightline.retrieval.lanes import Retrieved
from sightline.retrieval.query import Analysis
from sightline.retrieval.ranking.features import Column, Features
from sightline.retrieval.ranking.signals import SIGNALS, most_possible
from sightline.types import Query

if TYPE_CHECKING:
    from sightline.store import Snapshot

Why = dict[Key, dict[str, float]]
Ranking = list[tuple[Key, float]]
Tie = Callable[[Key], tuple[object, ...]]

SAME_FILE_DECAY = 0.3  # the second hit of a file keeps so much of its score, the third that much of it again
RELATIONSHIP_SHARE, RELATIONSHIP_DECAY = 0.35, 0.5  # of the best code hit; each further one: they support an answer …
ASKED_SHARE, ASKED_DECAY = 0.95, 0.95  # … unless the question is about them ("what calls login")
CONTAINS_SHARE = 0.3
SIGNAL_NAMES = (*(signal.name for signal in SIGNALS), "same_file")


def apply(
    snapshot: Snapshot,
    query: Query,
    analysis: Analysis,
    retrieved: Retrieved,
    found: Candidates,
    tie: Tie,
    why: Why,
    without: frozenset[str] = frozenset(),
) -> Ranking:
    """Order the candidates by relevance; fills `why` when the query asks for it."""
    features = Features(snapshot, analysis, retrieved, found)
    relevance, parts = score(features, without)
    relevance = np.clip(relevance / most_possible(features), 0.0, 1.0) * strength(retrieved)
    code = dict(zip(features.keys, relevance.tolist(), strict=True))
    edges = _relationships(snapshot, analysis, found, code, tie)
    if query.explain:
        for i, key in enumerate(features.keys):
            why[key] = {name: float(column[i]) for name, column in parts.items() if column[i]}
        for key in edges:
            why[key] = {"relationship": found.relationships[key]}
    if query.strategy == "rrf":
        if "same_file" not in without:
            code = _diverse(features, code, tie, why if query.explain else None)
        ranked = fuse.ordered(code | edges, tie)
    else:
        graph = {key: code[key] for key in found.graph}
        text = {key: code[key] for key in found.text}
        ranked = fuse.merge(query.strategy, graph, text, edges, weights=query.weights, k=query.rrf_k, tie=tie)
    if "object" in query.types:
        name_objects(features, [key for key, _ in ranked[query.offset : query.offset + query.limit]])
    return ranked


def name_objects(features: Features, shown: Collection[Key]) -> None:
    """Choose which object a hit is about where its chunk defines several: the one that the query names best."""
    names = features.snapshot.objects.column("name")
    exact = set(features.analysis.symbols)
    lane = features.retrieved.lanes["object"].fused
    place = {key: i for i, key in enumerate(features.keys)}
    for key in shown:
        if key.type == "chunk":
            ranked = [
                (names[p] in exact, 0.5 * features.name_match(names[p]) + lane.get(p, 0.0), -p)
                for p in features.defined_in(place[key])
            ]
            named, worth, position = max(ranked, default=(False, 0.0, 0))
            if named:
                features.found.named.add(key)
            if named or worth > 0:
                features.found.object_of[key] = -position


def score(features: Features, without: frozenset[str] = frozenset()) -> tuple[Column, dict[str, Column]]:
    """Return the relevance of every candidate, and what each signal added to it."""
    total = np.zeros(features.size)
    parts: dict[str, Column] = {}
    for signal in SIGNALS:
        if signal.name not in without:
            parts[signal.name] = added = signal.added(features, total)
            total = total + added
    return total, parts


def strength(retrieved: Retrieved) -> float:
    """How well the best candidate matches, 0.5..1, comparable between queries."""
    cosine = max((max(lane.cosine.values(), default=0.0) for lane in retrieved.lanes.values()), default=0.0)
    if cosine <= 0:
        bm25 = max((max(lane.bm25.values(), default=0.0) for lane in retrieved.lanes.values()), default=0.0)
        cosine = bm25 / (bm25 + BM25_HALF)
    return 0.5 + 0.5 * min(1.0, cosine)


def _diverse(features: Features, code: dict[Key, float], tie: Tie, why: Why | None) -> dict[Key, float]:
    """Hold back further candidates of a file."""
    file_of = dict(zip(features.keys, features.file.tolist(), strict=True))
    seen: dict[int, int] = {}
    out: dict[Key, float] = {}
    for key, value in fuse.ordered(code, tie):
        before = seen.get(file_of[key], 0)
        seen[file_of[key]] = before + 1
        out[key] = value * SAME_FILE_DECAY**before
        if why is not None and before:
            why[key]["same_file"] = out[key] - value
    return out


def _relationships(
    snapshot: Snapshot, analysis: Analysis, found: Candidates, code: dict[Key, float], tie: Tie
) -> dict[Key, float]:
    """Place relationships among the code: behind the answer, unless the question is about them.

    An edge counts by its place in its lane and by its confidence; that a class contains its methods is no news.
    """
    if not found.relationships:
        return {}
    rows = snapshot.relationships
    types, confidence = rows.column("relationship_type"), rows.column("confidence")
    worth = {
        key: value * float(confidence[key.position]) * (CONTAINS_SHARE if types[key.position] == "contains" else 1.0)
        for key, value in found.relationships.items()
    }
    asked = analysis.wants_relationships
    share, decay = (ASKED_SHARE, ASKED_DECAY) if asked else (RELATIONSHIP_SHARE, RELATIONSHIP_DECAY)
    best, top = max(code.values(), default=1.0), max(worth.values())
    ranked = fuse.ordered(worth, tie)
    return {key: best * share * (value / top if top else 0.0) * decay**n for n, (key, value) in enumerate(ranked)}
