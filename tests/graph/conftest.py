"""Small repositories through the graph: extract every file, resolve, and read the edges as plain lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from sightline import languages
from sightline.embed import Embedder
from sightline.graph.build import extract, resolve
from sightline.store import Snapshot
from sightline.types import Object, Relationship
from tests.support.indexes import index_folder, write_files


class Graph:
    """Objects and relationships of a few files."""

    def __init__(self, files: Mapping[str, str]) -> None:
        extracted = {path: extract_text(path, text) for path, text in files.items()}
        self.objects: list[Object] = [o for e in extracted.values() for o in e.objects]
        self.by_id = {o.entity_id: o for o in self.objects}
        found = resolve.Resolver().update({path: e.facts for path, e in extracted.items()})
        self.relationships: list[Relationship] = [r for rs in found.values() for r in rs]

    def edges(self, *types: str, minimum: float = 0.5) -> set[str]:
        """`source type target`, qualified names; an external target is in angle brackets."""
        return {
            f"{r.source_name} {r.relationship_type} {r.target_name if r.target_id else f'<{r.target_name}>'}"
            for r in self.relationships
            if r.relationship_type in types and r.confidence >= minimum
        }

    def calls_of(self, name: str) -> set[str]:
        """The calls, however unsure, of everything that goes by a name."""
        return {call for call in self.edges("calls", minimum=0) if call.rpartition(".")[2] == name}

    def how(self, source: str, target: str) -> str:
        """The resolution of the one call or instantiation from source to target."""
        (found,) = {
            r.resolution
            for r in self.relationships
            if r.relationship_type in ("calls", "instantiates") and (r.source_name, r.target_name) == (source, target)
        }
        return found


def extract_text(path: str, text: str) -> extract.Extracted:
    """Objects and facts of one file."""
    source = text.encode()
    parsed = languages.parse(path, languages.detect(path, source[:200]), source)
    return extract.extract(parsed, languages.outline(parsed))


@pytest.fixture
def graph_of() -> Callable[[Mapping[str, str]], Graph]:
    """Build the graph of files given as text."""
    return Graph


@pytest.fixture(scope="session")
def index_of(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Callable[[Mapping[str, str]], Snapshot]:
    """Index files given as text, through the real pipeline."""

    def index(files: Mapping[str, str]) -> Snapshot:
        folder = tmp_path_factory.mktemp("graph")
        write_files(folder / "root", files)
        return index_folder(folder / "root", folder / "index", embedder)

    return index
