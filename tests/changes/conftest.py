"""A repository with a history, and the report about what was done to it since."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from sightline.changes.asked import Asked
from sightline.changes.model import Report
from sightline.changes.report import report
from sightline.config import make_config
from tests.support.hostile import git
from tests.support.indexes import index_with, write_files

FILES: Mapping[str, str | bytes] = {
    "shop/prices.py": (
        "RATE = 0.19\n\n\n"
        "def tax(amount: float) -> float:\n    return amount * RATE\n\n\n"
        "def gross(amount: float) -> float:\n    return amount + tax(amount)\n\n\n"
        "def _rounded(amount: float) -> float:\n    return round(amount, 2)\n"
    ),
    "shop/cart.py": (
        "from shop.prices import gross\n\n\n"
        "class Cart:\n    def __init__(self) -> None:\n        self.items: list[float] = []\n\n"
        "    def total(self) -> float:\n        return sum(gross(item) for item in self.items)\n"
    ),
    "tests/conftest.py": (
        "import pytest\n\nfrom shop.cart import Cart\n\n\n@pytest.fixture\ndef cart() -> Cart:\n    return Cart()\n"
    ),
    "tests/test_prices.py": (
        "from shop.prices import gross\n\n\ndef test_gross() -> None:\n    assert gross(1) > 1\n\n\n"
        "def test_nothing() -> None:\n    assert True\n"
    ),
    "tests/test_cart.py": (
        "class TestCart:\n    def test_total(self, cart) -> None:\n        assert cart.total() == 0\n"
    ),
    "README.md": "# Shop\n",
}


class Shop:
    """The repository."""

    def __init__(self, root: Path) -> None:
        self.root = root
        write_files(root, FILES)
        git(root, "init", "-q", "-b", "main")
        self.commit("first")

    def write(self, **files: str) -> None:
        """Write files, `shop__prices` being `shop/prices.py`."""
        write_files(self.root, {f"{name.replace('__', '/')}.py": text for name, text in files.items()})

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace a text that must be there."""
        text = (self.root / path).read_text()
        assert old in text
        (self.root / path).write_text(text.replace(old, new))

    def commit(self, message: str) -> str:
        """Commit everything."""
        git(self.root, "add", "-A")
        git(self.root, "commit", "-qm", message)
        return git(self.root, "rev-parse", "HEAD").strip()

    def report(self, asked: Asked | None = None, *, root: Path | None = None) -> Report:
        """Index what is on disk, then ask."""
        config = make_config(root or self.root, index_dir=self.root.parent / "indexes", embedder="none", environ={})
        return report(config, index_with(config, None), asked or Asked())


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """A committed repository."""
    return Shop(tmp_path / "root")


@pytest.fixture
def statuses() -> Callable[[Report], dict[str, str]]:
    """What happened to each symbol that is listed."""
    return lambda found: {change.item.qualified_name: change.status for change in found.symbols}
