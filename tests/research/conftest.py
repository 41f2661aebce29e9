"""Small real projects with real indexes, and their hand-checked facts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sightline.embed import Embedder
from sightline.retrieval.research import ResearchResult, research
from sightline.store import Snapshot
from tests.support.indexes import index_folder
from tests.support.paths import FIXTURES


@pytest.fixture(scope="session")
def fixture_index(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Callable[[str], Snapshot]:
    """The index of one of fixtures/research, made when first asked for."""
    made: dict[str, Snapshot] = {}

    def index(language: str) -> Snapshot:
        if language not in made:
            made[language] = index_folder(FIXTURES / "research" / language, tmp_path_factory.mktemp(language), embedder)
        return made[language]

    return index


@pytest.fixture
def ask(fixture_index: Callable[[str], Snapshot], embedder: Embedder) -> Callable[..., ResearchResult]:
    """Ask about a fixture repository: `ask("python", "what calls login()", depth=1)`."""

    def ask_about(language: str, question: str, **arguments: Any) -> ResearchResult:
        return research(fixture_index(language), question, embedder=embedder, **arguments)

    return ask_about
