"""Replacing the rows of files: one version of a table, whatever lies where, and readers that follow it."""

from __future__ import annotations

from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings

from sightline.store import SnapshotFollower
from sightline.store.rows import Rows
from sightline.store.table import Table, Tables
from sightline.types import Chunk
from tests.support.stores import entry, open_writer

SCHEMA = pa.schema([("path", pa.string()), ("value", pa.int64())])

# A step gives files new rows; no rows: it is gone. A value of None stands for "written anew" or "opened again".
Step = dict[str, int] | None
STEPS = st.lists(st.one_of(st.none(), st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 3))), max_size=8)


def rows_of(files: dict[str, list[int]]) -> pa.Table:
    pairs = [(path, value) for path, values in files.items() for value in values]
    return pa.table([[path for path, _ in pairs], [value for _, value in pairs]], schema=SCHEMA)


def held(table: Table) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for row in table.dataset.to_table().to_pylist():
        found.setdefault(row["path"], []).append(row["value"])
    return {path: sorted(values) for path, values in found.items()}


@given(STEPS)
@settings(max_examples=25, deadline=None)
def test_a_table_holds_the_newest_rows_of_every_file(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Step]
) -> None:
    tables = Tables(tmp_path_factory.mktemp("tables"))
    table, expected, value = tables.create("t", SCHEMA), dict[str, list[int]](), 0
    for number, step in enumerate(steps):
        if step is None and number % 2:
            table.rewrite([rows_of(expected)])
            continue
        if step is None:
            table = tables.open("t")
            continue
        new = {path: list(range(value, value + count)) for path, count in step.items()}
        value += sum(step.values())
        known = [path for path in step if path in expected]
        before = table.version
        parts = (rows_of({p: v[:1] for p, v in new.items()}), rows_of({p: v[1:] for p, v in new.items()}))
        table.replace(known, [part for part in parts if part.num_rows])
        expected = {path: v for path, v in {**expected, **new}.items() if v}
        assert held(table) == expected
        assert table.version - before == bool(known or any(new.values())), "one version, or none"
    assert held(tables.open("t")) == expected


def test_more_files_than_one_condition_names_are_replaced_at_once(tmp_path: Path) -> None:
    files = {f"it's file {number}.py": [number] for number in range(1_201)}
    table = Tables(tmp_path).create("t", SCHEMA)
    table.replace([], [rows_of(files)])
    kept = "it's file 7.py"
    table.replace([path for path in files if path != kept], [rows_of({"new.py": [1]})])
    assert held(table) == {kept: [7], "new.py": [1]}


def test_a_fragment_without_rows_is_gone(tmp_path: Path) -> None:
    table = Tables(tmp_path).create("t", SCHEMA)
    for number in range(5):
        table.replace(["a.py"] if number else [], [rows_of({"a.py": [number]})])
    assert held(table) == {"a.py": [4]}
    assert len(table.dataset.get_fragments()) == 1


@given(st.lists(st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 3), min_size=1), min_size=1, max_size=5))
@settings(max_examples=15, deadline=None)
def test_keys_are_found_in_every_generation_whether_or_not_the_one_before_was_asked(
    tmp_path_factory: pytest.TempPathFactory, edits: list[dict[str, int]]
) -> None:
    folder, text = tmp_path_factory.mktemp("index"), 0
    follower = SnapshotFollower(folder)
    with open_writer(folder) as writer:
        for number, edit in enumerate(edits):
            for path, count in edit.items():
                writer.replace(entry(path, *(f"text {text + n}" for n in range(count))))
                text += count
            writer.commit()
            snapshot = follower.current()
            assert snapshot is not None
            if number % 2 == 0 or number == len(edits) - 1:  # the next one begins with what this one has sorted or not
                check_positions(snapshot.chunks)


def check_positions(rows: Rows[Chunk]) -> None:
    everything = np.arange(rows.size)
    assert rows.positions(rows.ids[rows.alive]).tolist() == everything[rows.alive].tolist()
    gone = np.setdiff1d(rows.ids[~rows.alive], rows.ids[rows.alive])
    assert (rows.positions(gone) == -1).all()
