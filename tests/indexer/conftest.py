"""A small root that a service keeps fresh."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline.config import Config
from sightline.indexer import service as service_module
from tests.support.services import write_module


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Config:
    """Three modules, and a service that retries at once."""
    monkeypatch.setattr(service_module, "_RETRY_S", 0.05)
    root = tmp_path.resolve() / "root"
    for number in range(3):
        write_module(root, number)
    return Config(root, tmp_path.resolve() / "index", workers=1)
