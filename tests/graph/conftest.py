"""Small repositories through the graph: extract every file, resolve, and read the edges as plain lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from sightline import languages
from sightline.config import make_config
from sightline.embed import Embedder, load_embedder
from sightline.graph.build import extract, resolve
from sightline.indexer.pipeline import index_root
from sightline.indexer.service import open_writer
from sightline.store import Snapshot, open_snapshot
from sightline.types import Object, Relationship


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
def embedder() -> Embedder:
    """The embedder that ships with the package."""
    return load_embedder("static")


@pytest.fixture(scope="session")
def index_of(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Callable[[Mapping[str, str]], Snapshot]:
    """Index files given as text, through the real pipeline."""

    def index(files: Mapping[str, str]) -> Snapshot:
        folder = tmp_path_factory.mktemp("graph")
        root = folder / "root"
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        config = make_config(root, index_dir=folder / "index", workers=1)
        with open_writer(config, embedder) as writer:
            index_root(config, writer, embedder)
        snapshot = open_snapshot(config.index_dir)
        assert snapshot is not None
        return snapshot

    return index
