"""Small real projects with real indexes, and their hand-checked facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from sightline.config import make_config
from sightline.embed import Embedder, load_embedder
from sightline.indexer.pipeline import index_root
from sightline.retrieval.research import ResearchResult, research
from sightline.store import Snapshot, Writer, open_snapshot

FIXTURES = Path(__file__).parents[2] / "fixtures" / "research"


def index_folder(root: Path, index_dir: Path, embedder: Embedder) -> Snapshot:
    """Index a folder with the pipeline and open the snapshot."""
    config = make_config(root, index_dir=index_dir, workers=1)
    with Writer.open(config.index_dir, embedder_id=embedder.id, dim=embedder.dim) as writer:
        index_root(config, writer, embedder)
    snapshot = open_snapshot(config.index_dir)
    assert snapshot is not None
    return snapshot


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """The embedder that ships with the package."""
    return load_embedder("static")


@pytest.fixture(scope="session")
def fixture_index(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Callable[[str], Snapshot]:
    """The index of one of fixtures/research, made when first asked for."""
    made: dict[str, Snapshot] = {}

    def index(language: str) -> Snapshot:
        if language not in made:
            made[language] = index_folder(FIXTURES / language, tmp_path_factory.mktemp(language), embedder)
        return made[language]

    return index


@pytest.fixture
def ask(fixture_index: Callable[[str], Snapshot], embedder: Embedder) -> Callable[..., ResearchResult]:
    """Ask about a fixture repository: `ask("python", "what calls login()", depth=1)`."""

    def ask_about(language: str, question: str, **arguments: Any) -> ResearchResult:
        return research(fixture_index(language), question, embedder=embedder, **arguments)

    return ask_about


@pytest.fixture
def build(tmp_path: Path, embedder: Embedder) -> Callable[[Mapping[str, str]], Snapshot]:
    """Index files given as path → text."""

    def build_index(files: Mapping[str, str]) -> Snapshot:
        root = tmp_path / "root"
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        return index_folder(root, tmp_path / "index", embedder)

    return build_index
