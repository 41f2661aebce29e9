"""Arguments are checked strictly, refused by name, and described by one table."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.errors import QueryError
from sightline.retrieval.filters import METADATA_KEYS
from sightline.server import arguments, tools
from sightline.server.arguments import CODE_RESEARCH, EXPAND_GRAPH, SEARCH, SYMBOL_SEARCH, check, input_schema
from sightline.server.mcp import protocol, reference

TABLES = (SEARCH, SYMBOL_SEARCH, EXPAND_GRAPH, CODE_RESEARCH)


def refusal(table: tuple[arguments.Argument, ...], given_: dict[str, Any]) -> str:
    with pytest.raises(QueryError) as caught:
        check(table, given_)
    return str(caught.value)


def test_defaults_fill_what_is_not_given() -> None:
    values = check(SEARCH, {"query": "login"})
    assert values["limit"] == 10
    assert values["mode"] == "hybrid"
    assert values["rerank"] is True
    assert values["root"] is None


def test_an_unknown_argument_is_refused_with_the_nearest_known_one() -> None:
    assert refusal(SEARCH, {"query": "x", "limt": 3}).startswith("unknown argument `limt`; did you mean `limit`?")
    assert "known ones: query, limit" in refusal(SEARCH, {"query": "x", "zzzzzz": 3})
    assert "rrf_k" in refusal(SEARCH, {"query": "x", "limt": 3}), "those that the definition does not name too"


def test_all_that_is_wrong_is_said_at_once() -> None:
    text = refusal(SEARCH, {"query": "x", "limit": 0, "mode": "fuzzy", "colour": 1})
    assert "`limit` must be between 1 and 100" in text
    assert "`mode`" in text
    assert "unknown argument `colour`" in text


def test_a_missing_subject_is_named() -> None:
    assert refusal(SEARCH, {}) == "argument `query` is missing"


def test_camel_case_names_are_accepted() -> None:
    values = check(EXPAND_GRAPH, {"start": "login", "queryContext": "sessions", "maxNodes": 7})
    assert values["query_context"] == "sessions"
    assert values["max_nodes"] == 7


def test_harmless_slips_of_agents_are_understood() -> None:
    values = check(
        SEARCH,
        {"query": "x", "limit": "5", "file_filter": "*.py", "types": '["chunk"]', "rerank": "false", "depth": None},
    )
    assert values["limit"] == 5
    assert values["file_filter"] == ("*.py",)
    assert values["types"] == ("chunk",)
    assert values["rerank"] is False
    assert values["depth"] == 0


@pytest.mark.parametrize(
    "given_",
    [
        {"query": "x" * 65_537},
        {"query": 5},
        {"query": ["x"]},
        {"query": "x", "limit": 10**400},
        {"query": "x", "limit": 10**5_000},
        {"query": "x", "limit": 1.5},
        {"query": "x", "limit": True},
        {"query": "x", "limit": float("nan")},
        {"query": "x", "min_similarity": float("inf")},
        {"query": "x", "depth": 99},
        {"query": "x", "file_filter": ["*"] * 51},
        {"query": "x", "file_filter": [1]},
        {"query": "x", "filters": {"colour": "red"}},
        {"query": "x", "filters": "language"},
        {"query": "x", "filters": {"language": ["python", "go"]}},
        {"query": "x", "filters": {"language": None}},
        {"query": "x", "weights": {"vector": -1}},
        {"query": "x", "weights": {"vector": "much"}},
    ],
)
def test_absurd_values_are_refused_in_one_short_line(given_: dict[str, Any]) -> None:
    text = refusal(SEARCH, given_)
    assert "\n" not in text
    assert len(text) < 400


@given(st.dictionaries(st.text(max_size=20), st.none() | st.integers() | st.floats() | st.text() | st.lists(st.text())))
def test_anything_at_all_is_either_checked_or_refused(given_: dict[str, Any]) -> None:
    for table in TABLES:
        try:
            values = check(table, given_)
        except QueryError:
            continue
        assert set(values) == {argument.name for argument in table}


@given(st.text(max_size=4_000))
def test_every_string_within_the_bound_is_a_legal_query(text: str) -> None:
    assert check(SEARCH, {"query": text})["query"] == text


def test_the_schema_names_what_agents_use_and_forbids_nothing_else() -> None:
    for table in TABLES:
        schema = input_schema(table)
        assert set(schema["properties"]) == {argument.name for argument in table if argument.brief}
        assert {argument.name for argument in table if argument.required} == set(schema["required"])
        assert {"max_tokens", "root"} <= set(schema["properties"])
        assert "additionalProperties" not in schema, "a client would refuse what the tool accepts"
        assert all(len(prop["description"]) > 10 for prop in schema["properties"].values())


def test_the_definitions_of_all_tools_are_short() -> None:
    definitions = [
        {
            "name": f"mcp__sightline__{tool['name']}",
            "description": tool["description"],
            "input_schema": tool["inputSchema"],
        }
        for tool in protocol.tool_list(structured=False)["tools"]
    ]
    assert len(json.dumps(definitions, ensure_ascii=False)) <= 4_000


def test_the_definitions_say_what_to_use_a_tool_instead_of() -> None:
    for tool in tools.TOOLS:
        assert "instead of" in tool.description or "before grep" in tool.description


def test_the_reference_explains_every_argument() -> None:
    page = reference.page()
    for table in TABLES:
        for argument in table:
            mark = "" if argument.brief else f" {reference.UNNAMED}"
            assert f"| `{argument.name}`{mark} |" in page
            assert argument.help in page


def test_filter_keys_are_those_that_retrieval_knows() -> None:
    assert sorted(arguments.FILTER_KEYS) == sorted(METADATA_KEYS)


def test_an_empty_list_sent_as_text_is_an_empty_list() -> None:
    assert check(SEARCH, {"query": "x", "file_filter": "[]"})["file_filter"] == ()
    assert check(SEARCH, {"query": "x", "file_filter": "[ab].py"})["file_filter"] == ("[ab].py",), "a glob"
