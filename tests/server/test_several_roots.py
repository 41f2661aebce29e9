"""Several roots in one answer: what belongs to one of them is never shown with what belongs to another."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline.server import tools
from sightline.server.app import App
from sightline.server.cli.catchup import catch_up
from tests.support.indexes import write_files

CALLER = "from b import helper\n\n\ndef caller():\n    return helper()\n"
HELPER = "def helper():\n    return 1\n"
MOVED = 40  # lines further down in the second checkout


@pytest.fixture
def checkouts(tmp_path: Path) -> App:
    """Two checkouts of one repository: the same paths, names and entity_ids, on other lines."""
    write_files(tmp_path / "one", {"a.py": CALLER, "b.py": HELPER})
    write_files(tmp_path / "two", {"a.py": CALLER, "b.py": "\n" * MOVED + HELPER})
    app = App.open([tmp_path / "one", tmp_path / "two"], index_dir=tmp_path / "indexes", embedder="none")
    for root in app.roots:
        catch_up(root, show=False)
    return app


def test_a_relationship_leads_to_the_line_of_its_own_root(checkouts: App) -> None:
    asked = {"query": "caller calls helper", "types": ["relationship"]}
    answer = tools.call(checkouts, tools.SEARCH, asked)
    lines = {
        edge["root"]: edge["target"]["line"]
        for edge in answer.payload["relationships"]
        if edge["triplet"] == "caller calls helper"
    }
    assert lines == {"one": 1, "two": MOVED + 1}
    assert "[one] Relationship: caller calls helper  (a.py:5 → b.py:1)" in answer.text
    assert f"[two] Relationship: caller calls helper  (a.py:5 → b.py:{MOVED + 1})" in answer.text


@pytest.mark.parametrize("root", [None, "two"])
def test_what_expanding_adds_names_its_root(checkouts: App, root: str | None) -> None:
    asked = {"query": "helper", "types": ["object"], "expand": True, "root": root}
    answer = tools.call(checkouts, tools.SEARCH, asked)
    lines = {
        edge["root"]: edge["target"]["line"]
        for edge in answer.payload["relationships"]
        if edge["triplet"] == "caller calls helper"
    }
    assert lines == ({"one": 1, "two": MOVED + 1} if root is None else {"two": MOVED + 1})
    related = answer.text.partition("Related:")[2]
    assert f"[two] Relationship: caller calls helper  (a.py:5 → b.py:{MOVED + 1})" in related


def test_a_name_that_one_root_has_twice_and_another_once_is_not_picked_from_the_other(tmp_path: Path) -> None:
    write_files(tmp_path / "one", {"a.py": HELPER})
    write_files(tmp_path / "two", {"b.py": HELPER, "c.py": HELPER})
    app = App.open([tmp_path / "one", tmp_path / "two"], index_dir=tmp_path / "indexes", embedder="none")
    for root in app.roots:
        catch_up(root, show=False)
    answer = tools.call(app, tools.EXPAND_GRAPH, {"start": "helper"})
    assert "is ambiguous" in answer.text
    assert {(each["root"], each["path"]) for each in answer.payload["candidates"]} == {
        ("one", "a.py"),
        ("two", "b.py"),
        ("two", "c.py"),
    }


@pytest.fixture
def packages(tmp_path: Path) -> App:
    """A package that two others import: one from where things are defined, one from the package that hands them on."""
    write_files(
        tmp_path / "shop",
        {
            "src/shop/__init__.py": "from shop.cart import Cart\n",
            "src/shop/cart.py": "class Cart:\n    def total(self): ...\n\n\ndef open_cart():\n    return Cart()\n",
            "src/shop/other.py": "def open_cart(): ...\n",
        },
    )
    write_files(
        tmp_path / "mail",
        {"mail.py": "from shop.cart import open_cart\n\n\ndef send():\n    return open_cart()\n"},
    )
    write_files(
        tmp_path / "web",
        {
            "web.py": "from shop import Cart\n\n\nclass WebCart(Cart): ...\n\n\ndef page():\n    return Cart()\n",
            "namesake.py": "from bakery.cart import open_cart\n\n\ndef bake():\n    return open_cart()\n",
        },
    )
    folders = [tmp_path / name for name in ("shop", "mail", "web")]
    app = App.open(folders, index_dir=tmp_path / "indexes", embedder="none")
    for root in app.roots:
        catch_up(root, show=False)
    return app


def used_elsewhere(app: App, start: str, **given: object) -> set[tuple[str, str, str]]:
    answer = tools.call(app, tools.EXPAND_GRAPH, {"start": start, **given})
    return {
        (edge["root"], edge["source"]["name"], edge["relationship_type"])
        for edge in answer.payload["relationships"]
        if edge["root"] != "shop"
    }


def test_who_uses_a_symbol_in_other_roots_is_found_by_the_name_that_they_import(packages: App) -> None:
    start = "src/shop/cart.py:5"
    assert used_elsewhere(packages, start) == {("mail", "send", "calls")}
    text = tools.call(packages, tools.EXPAND_GRAPH, {"start": start}).text
    assert "from other roots, by the full name that they import:\n  [mail] send calls shop.cart.open_cart" in text
    assert used_elsewhere(packages, "src/shop/other.py:1") == set(), "another module's function of the same name"


def test_what_a_package_hands_on_is_meant_too(packages: App) -> None:
    found = used_elsewhere(packages, "src/shop/cart.py:1")
    assert {("web", "WebCart", "inherits")} <= found
    assert {root for root, _, _ in found} == {"web"}


def test_other_roots_are_looked_into_only_where_that_was_asked(packages: App) -> None:
    start = "src/shop/cart.py:5"
    assert used_elsewhere(packages, start, direction="out") == set()
    assert used_elsewhere(packages, start, relationship_types=["imports"]) == set()
    assert used_elsewhere(packages, start, root="shop") == set()
