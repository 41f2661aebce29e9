"""The best scores of many, found block by block."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sightline.store.vectors import top


@given(st.integers(0, 20_000), st.integers(0, 30), st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_the_best_scores_are_those_of_a_full_sort(size: int, limit: int, seed: int, hidden: float) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=size).astype(np.float32)
    scores[rng.random(size) < hidden] = -np.inf
    found = top(scores, limit)
    expected = np.sort(scores[np.isfinite(scores)])[::-1][:limit]
    assert np.array_equal(scores[found], expected)
    assert len(set(found.tolist())) == len(found)


@given(st.integers(1, 5_000), st.integers(1, 30), st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_all_that_are_as_good_as_the_last_come_in(size: int, limit: int, values: int, seed: int) -> None:
    scores = np.random.default_rng(seed).integers(0, values, size).astype(np.float32)
    last = np.sort(scores)[::-1][:limit][-1]
    assert sorted(top(scores, limit).tolist()) == np.flatnonzero(scores >= last).tolist()
