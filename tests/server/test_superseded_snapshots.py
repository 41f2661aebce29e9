"""A snapshot that a newer one supersedes goes, whatever was asked of it.

At the end of a bulk a server takes all that was made so far out of the collector's sight (`indexer/collector.py`), so a
snapshot that is part of a cycle would stay for as long as the process lives.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sightline.config import Config
from sightline.server import tools
from sightline.server.app import App
from sightline.server.root import Root
from sightline.store import vectors
from tests.support.indexes import index_with, write_files

SOURCE = '''\
"""Numbers."""


def add(a, b):
    """Add two numbers."""
    return a + b


def twice(a):
    return add(a, a)
'''
QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    ("search", {"query": "add numbers", "file_filter": ["*.py"], "filters": {"language": "python"}}),
    ("search", {"query": "add numbers", "exclude_filter": ["*.md"], "depth": 2, "expand": True}),
    ("symbol_search", {"name": "add", "file_filter": ["*.py"]}),
    ("expand_graph", {"start": "add", "query_context": "two numbers"}),
    ("code_research", {"question": "what calls add?"}),
    ("code_research", {"question": "what depends on numbers.py?"}),
]


@pytest.fixture
def unseen_by_the_collector() -> Iterator[None]:
    """As in a server after a bulk: no cycle is found any more, neither an old nor a new one."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("held", [True, False], ids=["vectors in memory", "vectors on disk"])
def test_a_superseded_snapshot_goes_with_its_last_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unseen_by_the_collector: None, held: bool
) -> None:
    if not held:
        monkeypatch.setattr(vectors, "EXACT_SCAN_FLOATS", 4)
        monkeypatch.setattr(vectors, "HELD_FLOATS", 4)
    write_files(tmp_path / "root", {"numbers.py": SOURCE, "readme.md": "# Numbers\n"})
    config = Config((tmp_path / "root").resolve(), tmp_path.resolve() / "index", workers=1)
    root = Root(config, "root")
    index_with(config, root.embedder.get())
    app = App([root])
    for name, arguments in QUESTIONS:
        tools.call(app, tools.tool_named(name), arguments)

    old = _parts(root)
    write_files(config.root, {"numbers.py": SOURCE + "\n\ndef thrice(a):\n    return add(a, twice(a))\n"})
    index_with(config, root.embedder.get())
    _parts(root)  # reads the new one
    assert [name for name, part in old.items() if part() is not None] == [], "what is kept with a part must not hold it"


def _parts(root: Root) -> dict[str, weakref.ref[Any]]:
    snapshot = root.snapshot()
    assert snapshot is not None
    tables = (snapshot.chunks, snapshot.objects, snapshot.relationships)
    return {
        str(snapshot.generation): weakref.ref(snapshot),
        **{name: weakref.ref(table) for name, table in zip(("chunks", "objects", "edges"), tables, strict=True)},
    }
