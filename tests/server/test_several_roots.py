"""Several roots in one answer: what belongs to one of them is never shown with what belongs to another."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline.server import tools
from sightline.server.app import App
from sightline.server.cli.catchup import catch_up
from tests.support.indexes import write_files

CALLER = "from b import helper\n\n\ndef caller():\n    return helper()\n"
HELPER = "def helper():\n    return 1\n"
MOVED = 40  # lines further down in the second checkout


@pytest.fixture
def checkouts(tmp_path: Path) -> App:
    """Two checkouts of one repository: the same paths, names and entity_ids, on other lines."""
    write_files(tmp_path / "one", {"a.py": CALLER, "b.py": HELPER})
    write_files(tmp_path / "two", {"a.py": CALLER, "b.py": "\n" * MOVED + HELPER})
    app = App.open([tmp_path / "one", tmp_path / "two"], index_dir=tmp_path / "indexes", embedder="none")
    for root in app.roots:
        catch_up(root, show=False)
    return app


def test_a_relationship_leads_to_the_line_of_its_own_root(checkouts: App) -> None:
    asked = {"query": "caller calls helper", "types": ["relationship"]}
    answer = tools.call(checkouts, tools.SEARCH, asked)
    lines = {
        edge["root"]: edge["target"]["line"]
        for edge in answer.payload["relationships"]
        if edge["triplet"] == "caller calls helper"
    }
    assert lines == {"one": 1, "two": MOVED + 1}
    assert "[one] Relationship: caller calls helper  (a.py:5 → b.py:1)" in answer.text
    assert f"[two] Relationship: caller calls helper  (a.py:5 → b.py:{MOVED + 1})" in answer.text


@pytest.mark.parametrize("root", [None, "two"])
def test_what_expanding_adds_names_its_root(checkouts: App, root: str | None) -> None:
    asked = {"query": "helper", "types": ["object"], "expand": True, "root": root}
    answer = tools.call(checkouts, tools.SEARCH, asked)
    lines = {
        edge["root"]: edge["target"]["line"]
        for edge in answer.payload["relationships"]
        if edge["triplet"] == "caller calls helper"
    }
    assert lines == ({"one": 1, "two": MOVED + 1} if root is None else {"two": MOVED + 1})
    related = answer.text.partition("Related:")[2]
    assert f"[two] Relationship: caller calls helper  (a.py:5 → b.py:{MOVED + 1})" in related
