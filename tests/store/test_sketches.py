"""Embeddings held as sketches: what they leave out is little, and what they say is exact."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.store import embeddings
from sightline.store.embeddings import ExactHolder, SketchHolder, sketches


def unit_vectors(count: int, dim: int, seed: int) -> np.ndarray:
    """Embeddings around a few topics, as real ones are."""
    rng = np.random.default_rng(seed)
    topics = rng.normal(size=(12, dim))
    values = (topics[rng.integers(0, 12, count)] + rng.normal(size=(count, dim))).astype(np.float32)
    return np.asarray(values / np.linalg.norm(values, axis=1, keepdims=True))


@settings(deadline=None, max_examples=40)
@given(
    st.integers(0, 300),
    st.integers(2, 200),
    st.integers(1, 40),
    st.integers(0, 2**32 - 1),
    st.one_of(st.none(), st.floats(0, 1)),
)
def test_few_embeddings_are_all_compared(count: int, dim: int, limit: int, seed: int, shown: float | None) -> None:
    values, rng = unit_vectors(count + 1, dim, seed), np.random.default_rng(seed)
    query, values = values[0], values[1:]
    allowed = None if shown is None else rng.random(count) < shown
    exact, sketched = ExactHolder(dim), SketchHolder(dim)
    for part in np.array_split(values, 3):
        exact.append(part)
        sketched.append(part)
    found, scores = sketched.view().nearest(query, limit, allowed)
    best, expected = exact.view().nearest(query, limit, allowed)
    assert len(set(found.tolist())) == len(found)
    assert min(limit, len(found)) == min(limit, len(best)), "more than asked for only when the last are equal"
    assert np.allclose(scores[:limit], expected[:limit], atol=0.01)
    assert allowed is None or allowed[found].all()


def test_of_many_embeddings_nearly_all_of_the_nearest_are_found() -> None:
    dim, values = 256, unit_vectors(40_000, 256, 3)
    exact, sketched = ExactHolder(dim), SketchHolder(dim)
    exact.append(values)
    sketched.append(values)
    shares = []
    for query in unit_vectors(20, dim, 3)[:20] + 0.3 * unit_vectors(20, dim, 4):
        query = (query / np.linalg.norm(query)).astype(np.float32)
        best = exact.view().nearest(query, 50, None)[0]
        found = sketched.view().nearest(query, 50, None)[0]
        shares.append(len(np.intersect1d(best, found)) / 50)
    assert np.mean(shares) > 0.9


def test_a_view_does_not_see_what_is_appended_later() -> None:
    values, holder = unit_vectors(20, 32, 1), SketchHolder(32)
    holder.append(values[:10])
    view = holder.view()
    holder.append(values[10:])
    assert view.nearest(values[15], 20, None)[0].max() < 10
    assert holder.view().nearest(values[15], 1, None)[0].tolist() == [15]
    assert np.allclose(holder.view().rows(np.array([15])), values[15], atol=0.01)


@pytest.mark.parametrize(("dim", "bits"), [(64, 256), (160, 256), (256, 256), (384, 384), (400, 448)])
def test_narrow_embeddings_get_sketches_as_long_as_wide_ones(dim: int, bits: int) -> None:
    assert len(sketches(unit_vectors(3, dim, 1))) * 64 == bits
    planes = embeddings._planes(dim) / embeddings._PLANE_UNIT
    assert planes.shape == (dim, bits)
    assert np.allclose(np.linalg.norm(planes, axis=0), 1, atol=1e-3)
    first = planes[:, : min(dim, bits)]
    assert np.allclose(first.T @ first, np.eye(first.shape[1]), atol=1e-3)


@pytest.mark.parametrize("dim", [64, 160, 256, 1024])
def test_a_sketch_does_not_depend_on_what_it_is_made_together_with(dim: int) -> None:
    stored = np.random.default_rng(dim).integers(-127, 128, (200, dim)).astype(np.float32)
    together = np.array(sketches(stored)).T
    alone = np.array([np.array(sketches(row[None]))[:, 0] for row in stored])
    assert np.array_equal(together, alone)
    assert 127 * np.abs(embeddings._planes(dim)).sum(axis=0).max() < 2**24, "what single precision holds exactly"


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2_000), st.integers(1, 300), st.integers(0, 2**32 - 1), st.sampled_from(["any", "near", "far"]))
def test_those_that_differ_least_are_the_same_whatever_a_sample_of_them_says(
    count: int, wanted: int, seed: int, sampled: str
) -> None:
    rng, farthest = np.random.default_rng(seed), 256
    differing = rng.integers(60, farthest + 2, count).astype(np.int16)  # the largest stands for what is not allowed
    if sampled != "any":
        differing[:: embeddings._SAMPLED] = 1 if sampled == "near" else farthest + 1
    found = embeddings._least(differing, wanted, farthest)
    allowed = np.sort(differing[differing <= farthest])
    bound = allowed[min(wanted, len(allowed)) - 1] if len(allowed) else -1
    assert found.tolist() == np.flatnonzero(differing <= bound).tolist()
