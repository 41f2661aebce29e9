"""A small real project with a real index, and ways to make others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from sightline.config import make_config
from sightline.embed import Embedder, load_embedder
from sightline.indexer.pipeline import index_root
from sightline.indexer.service import open_writer
from sightline.retrieval.search import search
from sightline.store import Snapshot, open_snapshot
from sightline.types import Query, SearchResult

SHOP = Path(__file__).parents[2] / "fixtures" / "ranking" / "shop"


def index_folder(root: Path, index_dir: Path, embedder: Embedder) -> Snapshot:
    """Index a folder with the pipeline and open the snapshot."""
    config = make_config(root, index_dir=index_dir, workers=1)
    with open_writer(config, embedder) as writer:
        index_root(config, writer, embedder)
    snapshot = open_snapshot(config.index_dir)
    assert snapshot is not None
    return snapshot


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """The embedder that ships with the package."""
    return load_embedder("static")


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Snapshot:
    """The index of fixtures/ranking/shop."""
    return index_folder(SHOP, tmp_path_factory.mktemp("shop-index"), embedder)


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


@pytest.fixture
def ask(shop: Snapshot, embedder: Embedder) -> Callable[..., SearchResult]:
    """Search the shop: `ask("login", limit=3)`."""

    def ask_shop(text: str, **arguments: Any) -> SearchResult:
        return search(shop, Query(text, **arguments), embedder=embedder)

    return ask_shop


class Overlay:
    """A snapshot of which one table is replaced by another thing; all else is the snapshot's own."""

    def __init__(self, snapshot: Any, **replaced: Any) -> None:
        self._snapshot = snapshot
        self.__dict__.update(replaced)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._snapshot, name)


@pytest.fixture
def overlay() -> Callable[..., Overlay]:
    """Replace parts of an object: `overlay(snapshot, chunks=…)`."""
    return Overlay
