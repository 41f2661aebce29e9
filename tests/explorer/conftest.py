"""A running explorer, and a browser to look at it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.browser import browser, context, visit
from tests.support.explorer import SHOP, Running, explorer
from tests.support.indexes import write_files

__all__ = ["browser", "context", "running", "shop", "visit"]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a handful of files; tests of a module share it and its explorer."""
    root = tmp_path_factory.mktemp("explorer") / "shop"
    write_files(root, SHOP)
    return root


@pytest.fixture(scope="module")
def running(shop: Path) -> Iterator[Running]:
    with explorer(shop, shop.parent) as served:
        yield served
