"""Every answer says which of its lines are not those on disk any more, and whether the index is behind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from sightline.server import lifecycle, tools
from sightline.server.app import App
from sightline.server.cli.catchup import catch_up
from sightline.server.progress import Call
from sightline.server.ui import pages
from tests.support.hostile import git
from tests.support.indexes import write_files

FILES = {
    "a.py": "from b import helper\n\n\ndef caller():\n    return helper()\n",
    "b.py": "def helper():\n    return 1\n\n\nclass Box:\n    def twin(self):\n        return 2\n",
    "c.py": "class Bag:\n    def twin(self):\n        return 3\n",
}
EDGE = "caller calls helper"
QUESTIONS: list[tuple[str, Mapping[str, Any], str, str]] = [  # with what is marked in the data, and where in the text
    ("search", {"query": "helper", "types": ["chunk"]}, "b.py", "class Box"),
    ("search", {"query": EDGE, "types": ["relationship"]}, EDGE, EDGE),
    ("search", {"query": "caller", "types": ["object"], "expand": True}, EDGE, EDGE),
    ("symbol_search", {"name": "helper"}, "helper", "function helper"),
    ("expand_graph", {"start": "caller", "direction": "out"}, EDGE, "helper"),
    ("expand_graph", {"start": "helper", "direction": "in"}, EDGE, "caller"),
    ("expand_graph", {"start": "twin"}, "Box.twin", "Box.twin"),
    ("code_research", {"question": "what calls helper?"}, "b.py", "b.py"),
]


@pytest.fixture
def app(tmp_path: Path) -> App:
    """An indexed root that nobody keeps fresh."""
    write_files(tmp_path / "root", FILES)
    app = App.open([tmp_path / "root"], index_dir=tmp_path / "indexes", embedder="none")
    catch_up(app.roots[0], show=False)
    return app


def marked(data: Any) -> Iterator[Any]:
    """Whatever is said to be stale, at any depth of an answer."""
    if isinstance(data, Mapping):
        if data.get("stale"):
            yield data.get("triplet") or data.get("qualified_name") or data.get("path")
        yield from data.get("stale_paths", ())
        for value in data.values():
            yield from marked(value)
    elif isinstance(data, list):
        for value in data:
            yield from marked(value)


@pytest.mark.parametrize(("name", "arguments", "item", "line"), QUESTIONS)
def test_lines_that_moved_are_marked(app: App, name: str, arguments: Mapping[str, Any], item: str, line: str) -> None:
    tool = tools.tool_named(name)
    before = tools.call(app, tool, arguments)
    assert "stale" not in before.text.lower() and not list(marked(before.payload))

    path = app.roots[0].config.root / "b.py"
    path.write_text("\n" * 30 + path.read_text())
    after = tools.call(app, tool, arguments)

    assert item in list(marked(after.payload))
    assert any("stale" in shown.lower() for shown in after.text.split("\n") if line in shown), after.text


@pytest.mark.parametrize(("name", "arguments"), [question[:2] for question in QUESTIONS])
def test_an_index_that_is_behind_says_so(app: App, name: str, arguments: Mapping[str, Any]) -> None:
    snapshot = app.roots[0].snapshot()
    assert snapshot is not None
    app.roots[0].found = lifecycle.found_behind(snapshot.generation)
    answer = tools.call(app, tools.tool_named(name), arguments)
    assert answer.payload["index"]["state"] == "stale"
    assert "older than the files on disk" in answer.text


def test_a_question_about_history_says_that_its_lines_moved(app: App) -> None:
    root = app.roots[0].config.root
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    asked = {"question": "when did helper last change?"}
    before = tools.call(app, tools.tool_named("code_research"), asked)
    assert "b.py:1" in before.text and not list(marked(before.payload))
    (root / "b.py").write_text("\n" * 30 + FILES["b.py"])
    after = tools.call(app, tools.tool_named("code_research"), asked)
    assert "b.py" in list(marked(after.payload)) and "stale" in after.text.lower()


def test_the_explorers_graph_says_that_its_start_moved(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "wait_answerable", lambda *_: None)  # else it would begin to keep the root fresh
    asked: dict[str, Any] = {"root": None, "start": "helper", "direction": "both", "relationship_types": []}
    (app.roots[0].config.root / "b.py").write_text("\n" * 30 + FILES["b.py"])
    assert "helper" in list(
        marked(pages.graph(app, asked | {"depth": 1, "max_nodes": 9, "min_confidence": 0.0}, Call()))
    )
