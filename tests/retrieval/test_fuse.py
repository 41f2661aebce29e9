"""Several ranked lists become one, by rules that can be checked by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.errors import QueryError
from sightline.retrieval.fuse import best_possible, lane_shares, merge, normalised, ordered, rrf
from sightline.types import Strategy, Weights

LANE = st.lists(st.integers(0, 30), unique=True, max_size=20)


def by_key(key: object) -> tuple[object, ...]:
    return (key,)


def fused(strategy: Strategy, graph: str, text: str, relationships: str, weights: Weights | None = None) -> str:
    lanes = [{key: 1.0 - 0.1 * rank for rank, key in enumerate(lane)} for lane in (graph, text, relationships)]
    merged = merge(strategy, *lanes, weights=weights or Weights(), k=60, tie=by_key)
    return "".join(key for key, _ in merged)


@pytest.mark.req("HYB-3", "REL-4")
def test_rrf_gives_the_sum_of_reciprocal_ranks() -> None:
    scores = rrf([(["A", "B", "C"], 1.0), (["B", "A", "D"], 1.0)], k=60)
    assert scores == pytest.approx({"A": 1 / 61 + 1 / 62, "B": 1 / 62 + 1 / 61, "C": 1 / 63, "D": 1 / 63})
    assert [key for key, _ in ordered(scores, by_key)] == ["A", "B", "C", "D"]


@pytest.mark.req("HYB-3")
def test_k_is_configurable() -> None:
    assert rrf([(["A"], 1.0)], k=9) == pytest.approx({"A": 0.1})


@pytest.mark.req("HYB-4", "COD-5")
def test_default_weights_are_seven_to_three_and_custom_ones_apply() -> None:
    assert (Weights().vector, Weights().bm25) == (0.7, 0.3)
    vector, bm25 = ["A", "B"], ["B", "A"]
    default = rrf([(vector, Weights().vector), (bm25, Weights().bm25)])
    assert default["A"] > default["B"]
    reversed_ = rrf([(vector, 0.1), (bm25, 0.9)])
    assert reversed_["B"] > reversed_["A"]
    equal = rrf([(vector, 0.5), (bm25, 0.5)])
    assert equal["A"] == pytest.approx(equal["B"])


@pytest.mark.req("HYB-5", "COD-5")
def test_an_item_of_both_lists_counts_once_and_ranks_higher() -> None:
    scores = rrf([(["A", "B", "C"], 0.5), (["C", "D", "E"], 0.5)])
    assert set(scores) == set("ABCDE")
    assert max(scores, key=lambda key: scores[key]) == "C"
    assert scores["B"] == pytest.approx(0.5 / 62)


@pytest.mark.req("COD-7")
def test_scores_are_scaled_to_first_place_everywhere() -> None:
    scores = normalised(rrf([(["A"], 0.7), (["A", "B"], 0.3)]), best_possible([0.7, 0.3]))
    assert scores["A"] == pytest.approx(1.0)
    assert 0 < scores["B"] < 0.3


@pytest.mark.req("UNI-3", "REL-4")
def test_five_strategies_order_three_lanes() -> None:
    assert fused("interleave", "ab", "cdef", "gh") == "acgbdhef"
    assert fused("graph_first", "ab", "cd", "ef") == "abefcd"
    assert fused("text_first", "ab", "cd", "ef") == "cdefab"
    assert fused("rrf", "ab", "bc", "d") == "badc"
    weights = Weights(graph=0.2, text=0.6, relationship=0.2)
    assert fused("weighted", "ab", "cd", "ef", weights)[:2] == "cd"


@pytest.mark.req("UNI-3")
@pytest.mark.parametrize("strategy", ["rrf", "weighted", "interleave", "graph_first", "text_first"])
def test_every_strategy_includes_every_lane(strategy: Strategy) -> None:
    assert set(fused(strategy, "ab", "cd", "ef")) == set("abcdef")
    assert fused(strategy, "ab", "", "") == "ab"
    assert fused(strategy, "", "", "ef") == "ef"
    assert fused(strategy, "", "", "") == ""


def test_an_unknown_strategy_is_refused_with_the_known_ones() -> None:
    with pytest.raises(QueryError, match="interleave"):
        merge("best", {}, {}, {}, weights=Weights(), k=60, tie=by_key)  # type: ignore[arg-type]


@pytest.mark.req("UNI-4")
def test_a_relationship_weight_is_normalised_with_the_others() -> None:
    assert lane_shares(Weights(graph=0.6, text=0.4, relationship=1.0)) == pytest.approx((0.3, 0.2, 0.5))


@pytest.mark.req("UNI-4")
@pytest.mark.parametrize("omitted", [None, 0.0])
def test_without_a_relationship_weight_relationships_take_the_graph_share(omitted: float | None) -> None:
    assert lane_shares(Weights(graph=3, text=1, relationship=omitted)) == pytest.approx((0.75, 0.25, 0.75))


def test_impossible_weights_are_refused() -> None:
    with pytest.raises(QueryError, match="negative"):
        lane_shares(Weights(graph=-1))
    with pytest.raises(QueryError, match="both 0"):
        lane_shares(Weights(graph=0, text=0))


@given(LANE, LANE, LANE, st.sampled_from(["rrf", "weighted", "interleave", "graph_first", "text_first"]))
def test_fusion_loses_nothing_repeats_nothing_and_never_rises(
    graph: list[int], text: list[int], relationships: list[int], strategy: Strategy
) -> None:
    lanes = [{key: 1 / (1 + rank) for rank, key in enumerate(lane)} for lane in (graph, text, relationships)]
    merged = merge(strategy, *lanes, weights=Weights(), k=60, tie=by_key)
    keys = [key for key, _ in merged]
    scores = [score for _, score in merged]
    assert sorted(keys) == sorted({*graph, *text, *relationships})
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
