"""A small real project with a real index, and ways to make others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sightline.embed import Embedder
from sightline.retrieval.search import search
from sightline.store import Snapshot
from sightline.types import Query, SearchResult
from tests.support.indexes import index_folder
from tests.support.paths import SHOP


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Snapshot:
    """The index of fixtures/ranking/shop."""
    return index_folder(SHOP, tmp_path_factory.mktemp("shop-index"), embedder)


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
