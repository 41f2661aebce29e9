"""The hand-checked sets of fixtures/graph_checked: every edge that small programs have, language by language.

`expected.toml` of a language lists, as `path:name -> path:name`, the calls (creating an object counts as a call of its
class), bases, imports (file to file) and overrides of its files. `may_…` are edges on whose presence nobody would
insist. `at_least` is what was reached when it was last looked at; it may rise, not fall.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import pytest

from tests.support.paths import FIXTURES

if TYPE_CHECKING:
    from tests.graph.conftest import Graph

SETS = FIXTURES / "graph_checked"
LANGUAGES = sorted(folder.name for folder in SETS.iterdir() if folder.is_dir())
TYPES = {
    "calls": "calls",
    "instantiates": "calls",
    "inherits": "inherits",
    "implements": "inherits",
    "imports": "imports",
    "overrides": "overrides",
}
OPTIONAL = {"calls": "may_call", "inherits": "may_inherit", "imports": "may_import", "overrides": "may_override"}
MINIMUM = 0.5  # confidence from which on an edge counts as stated


def stated_edges(graph: Graph) -> set[tuple[str, str]]:
    """What the graph says, as (type, `path:name -> path:name`)."""
    edges = set()
    for edge in graph.relationships:
        if edge.relationship_type not in TYPES or not edge.target_id or edge.confidence < MINIMUM:
            continue
        type_ = TYPES[edge.relationship_type]
        ends = [graph.by_id[edge.source_id], graph.by_id[edge.target_id]]
        ends = [graph.by_id[end.parent_id] if end.kind == "constructor" else end for end in ends]
        if type_ == "imports":
            shown = [end.path for end in ends]
        else:
            shown = [f"{end.path}:{'' if end.kind == 'module' else end.qualified_name}" for end in ends]
        edges.add((type_, " -> ".join(shown)))
    return edges


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_edges_of_a_checked_program_are_found(
    language: str, graph_of: Callable[[Mapping[str, str]], Graph]
) -> None:
    folder = SETS / language
    expected = tomllib.loads((folder / "expected.toml").read_text(encoding="utf-8"))
    files = {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "expected.toml"
    }
    stated = stated_edges(graph_of(files))
    optional = {(type_, edge) for type_, name in OPTIONAL.items() for edge in expected.get(name, ())}
    truth = {(type_, edge) for type_ in OPTIONAL for edge in expected[type_]} - optional
    missed, wrong = truth - stated, stated - truth - optional
    found = len(truth & stated)
    recall, precision = found / len(truth), found / max(found + len(wrong), 1)
    explained = f"missed {sorted(missed)}\nwrong {sorted(wrong)}"
    assert recall >= expected["at_least"]["recall"], explained
    assert precision >= expected["at_least"]["precision"], explained
