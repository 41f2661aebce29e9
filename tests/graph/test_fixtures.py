"""The hand-checked repositories: every relationship but containment is written down in `edges.txt`.

A line is `path source type path target resolution`; `-` stands for the path of something outside the root. The files
are written by hand: a new edge is checked by a person before it gets its line.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support import paths

FIXTURES = paths.FIXTURES / "graph"


def _repositories() -> list[Path]:
    return sorted(path.parent for path in FIXTURES.glob("*/edges.txt"))


@pytest.mark.parametrize("repository", _repositories(), ids=lambda path: path.name)
def test_a_hand_checked_repository_has_exactly_its_edges(repository: Path, graph_of: Any) -> None:
    files = {
        path.relative_to(repository).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(repository.rglob("*"))
        if path.is_file() and path.name != "edges.txt"
    }
    found = {
        f"{r.path} {r.source_name} {r.relationship_type} {r.target_path or '-'} {r.target_name} {r.resolution}"
        for r in graph_of(files).relationships
        if r.relationship_type != "contains"
    }
    expected = set((repository / "edges.txt").read_text(encoding="utf-8").splitlines())
    assert found - expected == set()
    assert expected - found == set()
