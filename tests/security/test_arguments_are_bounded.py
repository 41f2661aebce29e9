"""What a client sends costs a bounded time and gets a short, clear refusal."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from sightline.errors import QueryError
from sightline.retrieval import filters
from sightline.retrieval.filters import PathFilter
from sightline.server import arguments
from sightline.server.arguments import SEARCH, check

FREEZE_S = 15


def refusal(given: dict[str, Any]) -> str:
    began = time.monotonic()
    with pytest.raises(QueryError) as caught:
        check(SEARCH, {"query": "x", **given})
    assert time.monotonic() - began < FREEZE_S
    assert len(str(caught.value)) < 3_000
    return str(caught.value)


def deep(levels: int) -> Any:
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value


def test_thousands_of_unknown_arguments_get_a_short_refusal() -> None:
    said = refusal({f"unknown_{number}" * 20: number for number in range(20_000)})
    assert "more arguments were not looked at" in said


@pytest.mark.parametrize(
    "given",
    [
        {"file_filter": deep(500)},
        {"limit": deep(500)},
        {"query": deep(500)},
        {"rerank": deep(100_000)},
        {"filters": deep(100_000)},
        {"weights": "{" + '"a":{' * 100_000},
        {"filters": {"x" * 1_000_000: "y"}},
        {"mode": "x" * 1_000_000},
        {"types": ["x" * 1_000_000]},
        {"x" * 1_000_000: 1},
        {"limit": "9" * 1_000_000},
        {"limit": 10**4000},
    ],
    ids=range(12),
)
def test_deep_and_long_values_get_a_short_refusal(given: dict[str, Any]) -> None:
    refusal(given)


def test_a_list_in_a_text_that_is_nested_without_end_is_a_glob_like_any_other() -> None:
    refusal({"file_filter": "[" * 100_000})
    assert check(SEARCH, {"query": "x", "file_filter": "[" * 250})["file_filter"] == ("[" * 250,)


def test_globs_are_limited_in_number_length_and_together() -> None:
    assert "at most 50 items" in refusal({"file_filter": ["a*b"] * 51})
    assert "at most 300 characters" in refusal({"exclude_filter": ["a" * 301]})
    assert "together" in refusal({"exclude_filter": ["a" * 290] * 50})
    given = {"file_filter": [f"src/module_{number}/**/*.py" for number in range(50)]}
    assert len(check(SEARCH, {"query": "x", **given})["file_filter"]) == 50
    assert arguments.MAX_GLOBS <= filters.MAX_GLOBS
    assert arguments.MAX_GLOB_CHARS <= filters.MAX_GLOB_CHARS


@pytest.mark.parametrize(
    "globs",
    [
        [f"x{number}" + "{a,b}" * 6 + "*" * 250 for number in range(50)],
        ["{a,b,c,d,e,f,g,h}{a,b,c,d,e,f,g,h}" + str(number) for number in range(50)],
        ["*a" * 140 + str(number) for number in range(50)],
    ],
)
def test_globs_that_stand_for_too_much_are_refused_before_they_are_compiled(globs: list[str]) -> None:
    began = time.monotonic()
    with pytest.raises(QueryError, match="too much together"):
        PathFilter(globs, ())
    assert time.monotonic() - began < FREEZE_S


@pytest.mark.parametrize("glob", ["a*" * 60 + "b", "**/" * 60 + "b", "**/*a*" * 40 + "/b", "*a" * 60 + "/b", "?*" * 60])
def test_no_glob_explodes(glob: str) -> None:
    began = time.monotonic()
    chosen = PathFilter([glob], ())
    for _ in range(100):
        chosen.allows("/".join(["a" * 200] * 18))
    assert time.monotonic() - began < FREEZE_S


def test_values_are_still_shown_as_they_were_sent() -> None:
    assert "not 'many'" in refusal({"limit": "many"})
    assert "not ['a', 5]" in refusal({"file_filter": ["a", 5]})
    assert json.dumps(check(SEARCH, {"query": "x", "file_filter": '["a", "b"]'})["file_filter"]) == '["a", "b"]'
