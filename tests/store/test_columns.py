"""Columns in memory say what was appended, however narrow they are, and earlier views stay as they are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from sightline.store.columns import Categories, Strings

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
BATCHES = st.lists(st.lists(st.tuples(TEXTS, TEXTS | st.none()), max_size=9), max_size=5)


@given(batches=BATCHES)
def test_strings_are_what_was_appended(batches: list[list[tuple[str, str | None]]]) -> None:
    names, qualified, expected = Strings(), Strings(), list[tuple[str, str]]()
    qualified = Strings(names)
    for batch in batches:
        said = [(name, name if other is None else f"{other}.{name}") for name, other in batch]
        table = pa.table({"name": [a for a, _ in said], "qualified": [b for _, b in said]}, TABLE)
        names.append(table["name"])
        qualified.append(table["qualified"], table["name"])
        expected += said
    assert list(zip(names, qualified, strict=True)) == expected
    assert len(names) == len(qualified) == len(expected)
    assert [qualified[position] for position in range(len(expected))] == [b for _, b in expected]


TABLE = pa.schema([("name", pa.string()), ("qualified", pa.string())])


@given(sizes=st.lists(st.integers(0, 300), min_size=1, max_size=4))
def test_codes_become_wider_when_there_are_more_names_and_earlier_views_stay(sizes: list[int]) -> None:
    categories, expected, views = Categories(), list[str](), list[tuple[object, list[str]]]()
    for size in sizes:
        values = [f"name {number}" for number in range(size)]
        categories.append(pa.chunked_array([pa.array(values, pa.string())]))
        expected += values
        views.append((categories.view(), list(expected)))
    for view, seen in views:
        assert list(view) == seen  # type: ignore[call-overload]
    assert categories.codes.view().dtype == (np.int8 if max(sizes) <= 127 else np.int16)
