"""The documents name real files, and the tools look at all of the code."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import tomllib
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
_PATH = re.compile(r"`((?:src|server|indexer|retrieval|graph|tests|fixtures|scripts|docs|\.ci)/[\w./-]*)`")


def sources() -> list[Path]:
    """Every module of the package."""
    folders = ("src/sightline", "server", "indexer", "retrieval", "graph")
    return [path for folder in folders for path in (PROJECT / folder).rglob("*.py")]


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
    assert [name for name in named if not list((PROJECT / "tests").rglob(name))] == []


def test_the_direction_of_imports_is_documented_as_it_is_checked() -> None:
    contracts = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    layers = [layer for layer in contracts["contracts"][0]["layers"] if not layer.startswith("(")]
    assert " → ".join(layers) in (PROJECT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def test_the_package_requires_exactly_what_it_imports() -> None:
    """Grammars, which are imported by name, and what only tests import are declared elsewhere."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required = {re.split(r"[<>=\s]", line)[0] for line in project["dependencies"]}
    modules = set()
    for node in (node for path in sources() for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))):
        if isinstance(node, ast.Import):
            modules |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules.add(node.module.partition(".")[0])
    providers = importlib.metadata.packages_distributions()
    imported = {providers[module][0].lower().replace("_", "-") for module in modules if module in providers}
    assert imported - {"sightline"} == {name for name in required if not name.startswith("tree-sitter-")}


def test_the_garbage_collector_is_set_in_one_place() -> None:
    setting = [p for p in sources() if re.search(r"^\s*(?:import|from) gc\b", p.read_text("utf-8"), re.MULTILINE)]
    assert setting == [PROJECT / "indexer/collector.py"]
