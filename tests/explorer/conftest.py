"""A running explorer, and a browser to look at it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.browser import browser, context, visit
from tests.support.explorer import SHOP, Running, explorer
from tests.support.repositories import committed

__all__ = ["browser", "context", "running", "shop", "visit"]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a handful of files and two commits; tests of a module share it and its explorer."""
    root = tmp_path_factory.mktemp("explorer") / "shop"
    check = SHOP["auth/check.py"]
    committed(root, SHOP | {"auth/check.py": check.replace("password[::-1]", "password")}, "Open the shop")
    committed(root, {"auth/check.py": check}, "Turn passwords round\n\nNobody reads them then.")
    return root


@pytest.fixture(scope="module")
def running(shop: Path) -> Iterator[Running]:
    with explorer(shop, shop.parent) as served:
        yield served
