"""The documents name real files, and the tools look at all of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
_PATH = re.compile(r"`((?:src|server|indexer|retrieval|graph|tests|fixtures|scripts|docs|\.ci)/[\w./-]*)`")


@pytest.mark.parametrize("document", ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_every_path_a_document_names_exists(document: str) -> None:
    named = _PATH.findall((PROJECT / document).read_text(encoding="utf-8"))
    assert [path for path in named if not (PROJECT / path).exists()] == []


def test_the_folders_on_top_are_what_the_package_links_to() -> None:
    for area in ("server", "indexer", "retrieval", "graph"):
        assert (PROJECT / "src/sightline" / area).resolve() == PROJECT / area


def test_every_threat_names_a_test_that_exists() -> None:
    named = re.findall(r"`(test_\w+\.py)`", (PROJECT / "docs" / "THREATS.md").read_text(encoding="utf-8"))
    assert named
    assert [name for name in named if not (PROJECT / "tests" / "security" / name).exists()] == []
