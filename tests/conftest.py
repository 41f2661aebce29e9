"""What all tests share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from sightline.embed import Embedder, load_embedder
from sightline.store import Snapshot
from tests.support.indexes import index_folder, write_files

# A busy machine is no reason to fail: speed is measured by scripts/bench, not by tests.
settings.register_profile("sightline", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("sightline")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update` rewrites golden files instead of comparing with them; then read the diff."""
    parser.addoption("--update", action="store_true", default=False, help="rewrite golden files")


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """The embedder that ships with the package."""
    return load_embedder("static")


@pytest.fixture
def build(tmp_path: Path, embedder: Embedder) -> Callable[[Mapping[str, str]], Snapshot]:
    """Index files given as path → text."""

    def build_index(files: Mapping[str, str]) -> Snapshot:
        write_files(tmp_path / "root", files)
        return index_folder(tmp_path / "root", tmp_path / "index", embedder)

    return build_index
