"""Several ranked lists → one.

Two stages use this module. Inside a lane, BM25 and vector results become one list by weighted Reciprocal Rank Fusion.
Across the three lanes (graph objects, text chunks, relationships) one of five strategies decides. Everything here is
pure: lists of keys in, keys with scores out, in a total order.

Scores are 0..1: an RRF score is divided by the largest value its lists and weights could give (first place
everywhere), so that 1.0 means the same for every query, and the scale never changes an order.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import TypeVar

from sightline.errors import QueryError
from sightline.types import Strategy, Weights

RRF_K = 60  # the constant of the original paper and of the specification (HYB-3, REL-4)

Key = TypeVar("Key", bound=Hashable)


def rrf(lists: Iterable[tuple[Sequence[Key], float]], *, k: int = RRF_K) -> dict[Key, float]:
    """Return Σ weight/(k + rank) per key, rank counted from 1; a key in several lists gets one combined score."""
    scores: dict[Key, float] = {}
    for keys, weight in lists:
        for rank, key in enumerate(keys, start=1):
            scores[key] = scores.get(key, 0.0) + weight / (k + rank)
    return scores


def best_possible(weights: Iterable[float], *, k: int = RRF_K) -> float:
    """Return the RRF score of a key that is first in every list."""
    return sum(weights) / (k + 1)


def normalised(scores: Mapping[Key, float], best: float) -> dict[Key, float]:
    """Scale scores, none of them negative, so that `best` becomes 1.0; nothing leaves 0..1."""
    if best <= 0:
        return dict.fromkeys(scores, 0.0)
    scale = 1.0 / best
    return {key: min(1.0, score * scale) for key, score in scores.items()}


def ordered(scores: Mapping[Key, float], tie: Callable[[Key], tuple[object, ...]]) -> list[tuple[Key, float]]:
    """Sort best first; equal scores are ordered by `tie`, never by chance. `tie` is asked only where it decides."""
    items = sorted(scores.items(), key=itemgetter(1), reverse=True)
    start = 0
    for end in range(1, len(items) + 1):
        if end == len(items) or items[end][1] != items[start][1]:
            if end - start > 1:
                items[start:end] = sorted(items[start:end], key=lambda item: tie(item[0]))
            start = end
    return items


def lane_shares(weights: Weights) -> tuple[float, float, float]:
    """Return the shares of (graph, text, relationship) for the `weighted` strategy (UNI-4).

    A relationship weight above 0 is normalised together with the others. Without one, graph and text are normalised
    between themselves and relationships take the normalised graph share, as they did before they had a weight.
    """
    graph, text, relationship = weights.graph, weights.text, weights.relationship or 0.0
    if min(graph, text, relationship) < 0:
        raise QueryError("weights must not be negative", hint="use numbers from 0 upwards, e.g. graph=0.5, text=0.5")
    if relationship > 0:
        total = graph + text + relationship
        return graph / total, text / total, relationship / total
    total = graph + text
    if total == 0:
        raise QueryError("graph and text weight are both 0", hint="give at least one lane a weight above 0")
    return graph / total, text / total, graph / total


def merge(
    strategy: Strategy,
    graph: Mapping[Key, float],
    text: Mapping[Key, float],
    relationships: Mapping[Key, float],
    *,
    weights: Weights,
    k: int,
    tie: Callable[[Key], tuple[object, ...]],
) -> list[tuple[Key, float]]:
    """Fuse three lanes (key → score 0..1) by a strategy; all five include relationships (UNI-3).

    `rrf` looks only at ranks, `weighted` only at scores times the lane's share; the other three only at the order in
    each lane. There a hit keeps its own score unless a better-placed one has less, so scores never rise down the list.
    """
    lanes = [[key for key, _ in ordered(lane, tie)] for lane in (graph, text, relationships)]
    if strategy == "rrf":
        filled = sum(1 for lane in lanes if lane)
        fused = rrf([(lane, 1.0) for lane in lanes], k=k)
        return ordered(normalised(fused, best_possible([1.0] * filled, k=k)), tie)
    if strategy == "weighted":
        return ordered(_weighted((graph, text, relationships), lane_shares(weights)), tie)
    by_graph, by_text, by_relationship = lanes
    if strategy == "interleave":
        sequence = round_robin([by_graph, by_text, by_relationship])
    elif strategy == "graph_first":
        sequence = [*by_graph, *by_relationship, *by_text]
    elif strategy == "text_first":
        sequence = [*by_text, *by_relationship, *by_graph]
    else:
        raise QueryError(f"unknown strategy {strategy!r}", hint="rrf, weighted, interleave, graph_first or text_first")
    scores: dict[Key, float] = {}
    for lane in (graph, text, relationships):
        for key, score in lane.items():
            scores[key] = max(score, scores.get(key, 0.0))
    return falling([(key, scores[key]) for key in dict.fromkeys(sequence)])


def round_robin(lists: Sequence[Sequence[Key]]) -> list[Key]:
    """Take one from each list in turn; go on with the others when one runs dry; a key counts once."""
    out: dict[Key, None] = {}
    for turn in range(max((len(keys) for keys in lists), default=0)):
        for keys in lists:
            if turn < len(keys):
                out.setdefault(keys[turn])
    return list(out)


def falling(items: Sequence[tuple[Key, float]]) -> list[tuple[Key, float]]:
    """Keep the order and cap each score by the one before it."""
    out: list[tuple[Key, float]] = []
    cap = 1.0
    for key, score in items:
        cap = min(cap, score)
        out.append((key, cap))
    return out


def _weighted(lanes: Sequence[Mapping[Key, float]], shares: Sequence[float]) -> dict[Key, float]:
    scores: dict[Key, float] = {}
    for lane, share in zip(lanes, shares, strict=True):
        for key, score in lane.items():
            scores[key] = scores.get(key, 0.0) + share * score
    return normalised(scores, 1.0)
