"""Embeddings as the tables keep them: a byte per number, or half precision where LanceDB's index needs it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.store import Writer, open_snapshot, schema, upkeep, vectors
from sightline.store.table import Table
from sightline.types import FileEntry, FileRecord, Relationship
from tests.support import stores

DIM = 32


def unit_vectors(count: int, seed: int, dim: int = DIM) -> np.ndarray:
    values = np.random.default_rng(seed).normal(size=(count, dim)).astype(np.float32)
    return np.asarray(values / np.linalg.norm(values, axis=1, keepdims=True))


@given(
    st.integers(1, 40), st.integers(2, 300), st.integers(0, 2**32 - 1), st.sampled_from([schema.NARROW, schema.WIDE])
)
def test_what_is_stored_has_the_same_direction_and_unit_length(count: int, dim: int, seed: int, stored: object) -> None:
    values = unit_vectors(count, seed, dim)
    values[::3] = 0
    back, present = schema.arrow_to_vectors(schema.vectors_to_arrow(values, None, count, dim, stored), dim)
    assert present.tolist() == [n % 3 != 0 for n in range(count)]
    assert not back[~present].any()
    assert np.vecdot(back[present], values[present]).min(initial=1.0) > 0.998
    assert np.allclose(np.linalg.norm(back[present], axis=1), 1, atol=2e-3)


def edges(first: int, count: int, path: str) -> list[Relationship]:
    return [
        Relationship(
            f"{n + 1:016x}", "calls", path, f"{1:016x}", "caller", f"{n + 2:016x}", f"target_{n}", path,
            f"caller calls target_{n}", 0.9, "import", n + 1,
        )
        for n in range(first, first + count)
    ]  # fmt: skip


def test_a_table_that_outgrows_the_scan_is_widened_and_goes_on_growing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "EXACT_SCAN_FLOATS", 300 * DIM)
    monkeypatch.setattr(vectors, "HELD_FLOATS", 300 * DIM)
    values = unit_vectors(700, 5)
    stated = {"a.py": (0, 200), "b.py": (200, 400), "c.py": (600, 100)}
    kinds = []
    with Writer.open(tmp_path / "index", embedder_id="test", dim=DIM) as writer:
        for path, (first, count) in stated.items():
            writer.replace(FileEntry(FileRecord(path, "python", 10, 1, "00", "indexed", "", 1, False)))
            writer.replace_relationships(path, edges(first, count, path), values[first : first + count])
            writer.commit()
            writer.tidy()
            snapshot = open_snapshot(tmp_path / "index")
            assert snapshot is not None
            kinds.append(snapshot.relationships.holds_vectors)
    assert kinds == [True, False, False]  # scanned, then asked of the index
    assert snapshot is not None
    for n in (0, 199, 200, 599, 600, 699):
        found = snapshot.relationships.nearest(values[n], limit=1)
        assert snapshot.relationships.get(found.positions)[0].target_name == f"target_{n}"
        assert found.scores[0] == pytest.approx(1, abs=5e-3)


@given(
    st.lists(st.booleans(), max_size=40),
    st.integers(0, 10),
    st.integers(0, 30),
    st.sampled_from([schema.NARROW, schema.WIDE]),
    st.integers(0, 2**32 - 1),
)
def test_what_is_stored_is_read_back_wherever_it_lies(
    present: list[bool], start: int, length: int, stored: pa.DataType, seed: int
) -> None:
    values = unit_vectors(len(present), seed, 8)
    column = schema.vectors_to_arrow(values, present, len(present), 8, stored).slice(start, length)
    numbers, has = schema.stored_vectors(pa.chunked_array([column]), 8)
    assert has.tolist() == present[start : start + length]
    assert numbers.dtype == (np.int8 if stored == schema.NARROW else np.float16)
    expected = values[start : start + length][np.array(present[start : start + length], bool)]
    assert np.allclose(schema.unit_vectors(numbers), expected, atol=0.02)
    if stored == schema.NARROW and len(numbers):  # what a byte holds does not change by being read and narrowed again
        assert (schema.narrowed(schema.unit_vectors(numbers)) == numbers).all()


def test_a_table_is_written_anew_in_slices_with_every_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "_SLICE_BYTES", 300)
    monkeypatch.setattr(upkeep, "_BATCH_ROWS", 2)
    held: list[int] = []
    slices = upkeep._slices

    def noted(table: Table, slice_bytes: int) -> Iterator[pa.Table]:
        for rows in slices(table, slice_bytes):
            held.append(rows.num_rows)
            yield rows

    monkeypatch.setattr(upkeep, "_slices", noted)
    with Writer.open(tmp_path, embedder_id="none", dim=stores.DIM) as writer:
        for number in range(30):
            vector = stores.unit(number, 1) if number % 3 else None
            writer.replace(stores.entry(f"m{number}.py", f"text {number}", vector=vector))
            if number % 10 == 9:
                writer.commit()
        before = sorted(map(str, writer._tables["chunks"].dataset.to_table().to_pylist()))
        assert writer.tidy(force=True)
        assert sorted(map(str, writer._tables["chunks"].dataset.to_table().to_pylist())) == before
    assert len(held) > 10 and max(held) < 30, "never the whole table at a time"
