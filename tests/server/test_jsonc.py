"""JSON with comments is edited in place: nothing but the one member changes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.server.install import jsonc

ENTRY = {"command": "sightline", "args": ["serve"]}
PATH = ("mcpServers", "sightline")

COMMENTED = """\
// my settings
{
    // the theme, do not touch
    "theme": "dark", /* block */
    "mcpServers": {
        "other": {"command": "x", "args": ["//no comment", "a,}"]} // trailing note
    }
}
"""


def test_comments_layout_and_foreign_entries_stay() -> None:
    after = jsonc.set_member(COMMENTED, PATH, ENTRY)
    for line in COMMENTED.splitlines():
        assert line.replace("]}", "]},") in after if "trailing note" in line else line in after
    assert jsonc.get_member(after, PATH) == ENTRY
    assert jsonc.get_member(after, ("mcpServers", "other", "args")) == ["//no comment", "a,}"]


@pytest.mark.parametrize(
    "before",
    [
        COMMENTED,
        "{}",
        '{\n  "a": 1\n}\n',
        '{\n  "a": 1,\n}\n',
        '{\r\n\t"a": {"b": [1, 2,]}\r\n}\r\n',
        "{\n  // nothing yet\n}\n",
        '{\n  "mcpServers": {\n    "other": {}\n  },\n  "z": null\n}',
    ],
)
def test_removing_what_was_set_gives_the_text_back(before: str) -> None:
    after = jsonc.set_member(before, PATH, ENTRY)
    assert after != before
    assert jsonc.set_member(after, PATH, ENTRY) == after
    assert jsonc.remove_member(after, PATH) == before


def test_a_member_in_the_middle_is_removed_cleanly() -> None:
    before = '{"mcpServers": {"a": 1, "sightline": 2, "b": 3}}'
    assert json.loads(jsonc.remove_member(before, PATH)) == {"mcpServers": {"a": 1, "b": 3}}


@pytest.mark.parametrize("text", ["{", "[1, 2", '{"a" 1}', "{'a': 1}", '{"a": 1} x', "{a: 1}", "[" * 500])
def test_what_is_not_json_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(jsonc.JsoncError, match="line"):
        jsonc.set_member(text, PATH, ENTRY)


def test_a_container_of_another_type_is_refused() -> None:
    with pytest.raises(jsonc.JsoncError, match="mcpServers is not an object"):
        jsonc.set_member('{"mcpServers": []}', PATH, ENTRY)


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=6), _VALUES, max_size=4), st.sampled_from([None, 2, "\t"]))
def test_any_object_keeps_its_other_members(value: dict[str, Any], indent: Any) -> None:
    if not isinstance(value.get("mcpServers", {}), dict):
        del value["mcpServers"]
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    after = jsonc.set_member(text, PATH, ENTRY)
    loaded = json.loads(after)
    assert loaded["mcpServers"].pop("sightline") == ENTRY
    assert loaded == {**value, "mcpServers": value.get("mcpServers", {})}
    again = json.loads(jsonc.remove_member(after, PATH))
    assert again == value or again == {k: v for k, v in value.items() if k != "mcpServers" or v}
