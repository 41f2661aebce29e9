"""A catalog, served: a repository is asked by name, by pattern or with all others, from what was published alone."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sightline.embed import Embedder
from sightline.errors import BundleError, ConfigError, QueryError
from sightline.indexer.bundles import catalog
from sightline.indexer.bundles.places import Folder
from sightline.server import tools
from sightline.server.catalog import shelf as shelves
from sightline.server.catalog.app import CatalogApp, open_catalog
from sightline.server.catalog.grants import EVERYTHING, Grant
from sightline.server.catalog.shelf import Shelf
from sightline.server.mcp import protocol, resources
from sightline.server.progress import Call, CallCancelledError
from sightline.store import open_snapshot
from tests.support.catalogs import REPOSITORIES, publish
from tests.support.index_content import content_of, fresh_content
from tests.support.webserver import serving


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Path:
    folder = tmp_path_factory.mktemp("published")
    for name, files in REPOSITORIES.items():
        publish(folder, name, files, str(folder / "place"), embedder)
    return folder / "place"


@pytest.fixture
def place(published: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    shutil.copytree(published, tmp_path / "place")
    return tmp_path / "place"


def opened(address: str | Path, home: Path, *, disk_mb: int = 1_000) -> CatalogApp:
    return open_catalog(str(address), home, embedder="static", disk_mb=disk_mb, memory_mb=1_000)


def asked(app: CatalogApp, tool: str, **given: object) -> str:
    result = protocol.call_tool(app, tool, given, Call())
    return str(result["content"][0]["text"])


def roots_hit(app: CatalogApp, query: str, root: str | None = None) -> set[str]:
    answer = tools.call(app, tools.SEARCH, {"query": query, "root": root})
    return {hit["root"] for hit in answer.payload["hits"]}


def bundles_here(home: Path) -> set[str]:
    return {path.name.rpartition("-")[0] for path in home.glob("catalog-*/*") if not path.name.startswith(".")}


def test_a_search_goes_over_all_repositories_and_labels_its_hits(published: Path, tmp_path: Path) -> None:
    app = opened(published, tmp_path)
    assert roots_hit(app, "cart") == {"a/shop", "a/mail", "secret/vault"}
    assert "a/shop: shop/cart.py" in asked(app, "search", query="sum of a cart with tax")
    assert roots_hit(app, "cart", "a/*") == {"a/shop", "a/mail"}
    assert roots_hit(app, "cart", "a/mail") == {"a/mail"}


def test_the_other_tools_answer_from_the_index_alone(published: Path, tmp_path: Path) -> None:
    app = opened(published, tmp_path)
    assert "[a/shop] class Cart  (shop/cart.py:4-7)" in asked(app, "symbol_search", name="Cart")
    shown = asked(app, "expand_graph", start="tax_of")
    assert "[a/shop] function tax_of" in shown
    assert "Cart.total" in shown
    answer = asked(app, "code_research", question="what calls tax_of?", root="a/shop")
    assert "Cart.total" in answer
    assert "all accounted for" in answer or "accounted for" in answer
    assert "stale" not in answer.lower()
    refused = asked(app, "code_research", question="what do my changes break?", root="a/shop")
    assert "neither changes nor history" in refused


def test_a_question_about_structure_is_asked_of_the_repositories_that_fit(
    published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sightline.server.catalog.app.ASKED_AT_ONCE", 1)
    answer = asked(opened(published, tmp_path), "code_research", question="what calls tax_of?")
    assert "asked of 1 of 3 repositories" in answer
    assert "[a/shop]" in answer
    assert "[a/mail]" not in answer


def test_a_file_is_read_by_the_name_of_its_repository(published: Path, tmp_path: Path) -> None:
    app = opened(published, tmp_path)
    wanted = REPOSITORIES["a/shop"]["shop/tax.py"]
    assert resources.read(app, "sightline://file/a/shop/shop/tax.py").text == wanted
    for path in ("shop/tax.py", "a/shop/nothing.py", "a/shop/../../etc/passwd", "a/shop"):
        with pytest.raises(QueryError, match="no file"):
            resources.read(app, f"sightline://file/{path}")


def test_what_is_served_is_what_a_fresh_index_says(published: Path, tmp_path: Path, embedder: Embedder) -> None:
    app = opened(published, tmp_path)
    (root,) = app.choose("a/shop")
    repository = published.parent / "repositories" / "a/shop"
    assert content_of(root.snapshot()) == fresh_content(repository, tmp_path / "fresh", embedder)


def test_a_repository_is_fetched_when_it_is_first_asked_of(published: Path, tmp_path: Path) -> None:
    app = opened(published, tmp_path)
    assert bundles_here(tmp_path) == set()
    asked(app, "search", query="cart", root="a/mail")
    assert bundles_here(tmp_path) == {"a!mail"}


def test_what_was_used_least_makes_room(published: Path, tmp_path: Path) -> None:
    """There is room for two, however many were asked of, and what is fetched again answers as before."""
    entries = catalog.read_catalog(Folder(published))
    room = sum(sorted(entry.size for entry in entries.values())[-2:])
    shelf = Shelf(str(published), tmp_path, disk_bytes=room, held_bytes=1)
    shelf.open()
    for name in ("a/shop", "a/mail", "secret/vault", "a/shop", "a/mail"):
        snapshot = shelf.snapshot(name, EVERYTHING)
        assert snapshot.status().files == entries[name].files
        assert len(bundles_here(tmp_path)) <= 2
        assert shelf.held() == 1
    assert bundles_here(tmp_path) == {"a!shop", "a!mail"}


def test_more_than_there_is_room_for_is_not_searched_at_once(published: Path, tmp_path: Path) -> None:
    app = opened(published, tmp_path)
    app._shelf.disk_bytes = 50_000
    with pytest.raises(QueryError, match="larger --cache-mb"):
        app.choose(None)
    assert [root.name for root in app.choose("a/shop")] == ["a/shop"]


@pytest.mark.parametrize("harm", ["blob", "description", "cached"])
def test_a_damaged_repository_is_named_and_the_others_answer(harm: str, place: Path, tmp_path: Path) -> None:
    app = opened(place, tmp_path / "home")
    if harm == "cached":
        asked(app, "search", query="cart")
        (folder,) = (tmp_path / "home").glob("catalog-*/a!shop-*")
        for table in folder.rglob("*.lance"):
            if table.is_file():
                table.write_bytes(b"x" * table.stat().st_size)
        assert roots_hit(app, "cart") == {"a/shop", "a/mail", "secret/vault"}, "it is fetched anew"
        return
    for path in (place / "repositories/a/shop" / ("blobs" if harm == "blob" else "bundles")).rglob("*"):
        if path.is_file():
            path.write_bytes(b"nothing")
    answer = tools.call(app, tools.SEARCH, {"query": "cart"})
    assert {hit["root"] for hit in answer.payload["hits"]} == {"a/mail", "secret/vault"}
    assert any("a/shop could not be asked" in warning for warning in answer.payload["warnings"])
    assert bundles_here(tmp_path / "home") == {"a!mail", "secret!vault"}


def test_what_is_published_later_is_seen_without_a_restart(
    place: Path, tmp_path: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shelves, "LOOK_AGAIN_S", 0.0)
    app = opened(place, tmp_path / "home")
    assert "No symbol" in asked(app, "symbol_search", name="brand_new", root="a/mail")
    publish(tmp_path, "a/mail", {"mail.py": "def brand_new(): ...\n"}, str(place), embedder)
    publish(tmp_path, "b/new", {"new.py": "def brand_new(): ...\n"}, str(place), embedder)
    shown = asked(app, "symbol_search", name="brand_new")
    assert "[a/mail]" in shown
    assert "[b/new]" in shown
    (place / catalog.CATALOG).write_text("{")
    assert "[b/new]" in asked(app, "symbol_search", name="brand_new"), "the last one that could be read counts"


def test_bundles_of_another_model_are_found_by_words(published: Path, tmp_path: Path) -> None:
    app = open_catalog(str(published), tmp_path, embedder="none", disk_mb=1_000, memory_mb=1_000)
    assert roots_hit(app, "receipt") == {"a/mail"}
    with pytest.raises(ConfigError, match="unknown embedder"):
        open_catalog(str(published), tmp_path, embedder="statik", disk_mb=1_000, memory_mb=1_000)


def test_who_no_longer_wants_an_answer_has_nothing_more_fetched(
    published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shelves, "_FETCHED_AT_ONCE", 1)
    app, call = opened(published, tmp_path), Call()

    def gone(what: str) -> None:
        call.cancelled.set()
        call.step(what)

    with pytest.raises(CallCancelledError):
        app._shelf.bring(sorted(REPOSITORIES), EVERYTHING, gone)
    assert 1 <= len(bundles_here(tmp_path)) < len(REPOSITORIES)


def test_a_place_without_a_catalog_is_named(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match=r"has no catalog\.json"):
        opened(tmp_path / "nothing", tmp_path / "home")


def test_a_web_server_is_enough_to_serve_from(web: str, tmp_path: Path) -> None:
    assert roots_hit(opened(web, tmp_path), "cart") == {"a/shop", "a/mail", "secret/vault"}


@pytest.fixture
def web(published: Path) -> Iterator[str]:
    with serving(published) as address:
        yield address


def test_nothing_that_was_fetched_half_is_ever_opened(
    published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever is killed in the middle leaves a folder that nobody takes for a bundle, and that goes in time."""
    program = (
        "import os, sys; from pathlib import Path; from sightline.store import base\n"
        "left = int(sys.argv[1]); placed = base._link_or_copy\n"
        "def placing(*a, **k):\n"
        "    global left; left -= 1\n"
        "    if left < 0: os.kill(os.getpid(), 9)\n"
        "    placed(*a, **k)\n"
        "base._link_or_copy = placing\n"
        "from sightline.server.catalog.app import open_catalog\n"
        "app = open_catalog(sys.argv[2], Path(sys.argv[3]), embedder='static', disk_mb=1_000, memory_mb=1_000)\n"
        "app.choose('a/mail')[0].snapshot()\n"
    )
    for written in (0, 15):
        line = [sys.executable, "-P", "-c", program, str(written), str(published), str(tmp_path)]
        assert subprocess.run(line, check=False).returncode == -9
        assert bundles_here(tmp_path) == set()
    left = list(tmp_path.glob("catalog-*/.new-*"))
    assert len(left) == 2
    assert all(open_snapshot(folder) is None for folder in left)
    assert roots_hit(opened(published, tmp_path), "receipt", "a/mail") == {"a/mail"}
    monkeypatch.setattr(shelves, "_LEFT_S", -1.0)
    opened(published, tmp_path)
    assert not list(tmp_path.glob("catalog-*/.*"))


# What a grant hides.

ONLY_A = Grant(("a/*",))


@pytest.fixture(scope="module")
def limited(published: Path, tmp_path_factory: pytest.TempPathFactory) -> CatalogApp:
    """As somebody sees it who may see `a/*`, after somebody else has asked of everything."""
    app = opened(published, tmp_path_factory.mktemp("home"))
    assert "secret/vault" in roots_hit(app, "vault")
    return app.seen_by(ONLY_A)


@pytest.mark.parametrize("root", [None, "*", "a/*", "secret/vault", "s*", "secret/*", "?ecret/vault"])
@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("search", {"query": "open the hidden vault"}),
        ("search", {"query": "open_vault", "expand": True}),
        ("symbol_search", {"name": "open_vault"}),
        ("symbol_search", {"name": "open_valt"}),
        ("expand_graph", {"start": "open_vault"}),
        ("code_research", {"question": "what calls open_vault?"}),
    ],
)
def test_a_limited_view_tells_nothing_of_the_rest(
    limited: CatalogApp, tool: str, given: dict[str, object], root: str | None
) -> None:
    said = asked(limited, tool, **given, **({"root": root} if root else {}))
    for own in [str(value) for value in (root, *given.values())]:
        said = said.replace(own, "")
    assert "secret" not in said
    assert "hidden" not in said
    assert "code)" not in said


def test_who_uses_a_symbol_in_other_repositories_is_told_within_the_grant(
    published: Path, tmp_path: Path, limited: CatalogApp
) -> None:
    told = asked(opened(published, tmp_path), "expand_graph", start="tax_of", direction="in")
    assert "[secret/vault] open_vault calls shop.tax.tax_of" in told
    told = asked(limited, "expand_graph", start="tax_of", direction="in")
    assert "Cart.total" in told
    assert "vault" not in told


def test_neither_resources_nor_errors_name_what_is_hidden(limited: CatalogApp) -> None:
    assert "secret" not in resources.read(limited, "sightline://status").text
    assert "secret" not in limited.described()
    with pytest.raises(QueryError) as unknown:
        limited.choose("nothing")
    with pytest.raises(QueryError) as hidden:
        limited.choose("secret/vault")
    assert str(hidden.value).replace("secret/vault", "nothing") == str(unknown.value)
    with pytest.raises(QueryError, match=r"no file 'secret/vault/vault\.py' in any root"):
        resources.read(limited, "sightline://file/secret/vault/vault.py")


def test_what_is_hidden_is_not_opened_whoever_renders_it(limited: CatalogApp) -> None:
    """The shelf itself refuses, also for a root that was made by mistake."""
    with pytest.raises(QueryError, match="unknown root"):
        limited._shelf.snapshot("secret/vault", ONLY_A)
    with pytest.raises(QueryError, match="unknown root"):
        limited._root("secret/vault").snapshot()
    assert sorted(limited._shelf.repositories(ONLY_A)) == ["a/mail", "a/shop"]


def test_a_grant_of_nothing_sees_nothing(limited: CatalogApp) -> None:
    nobody = limited.seen_by(Grant(()))
    assert nobody.status()["roots"] == []
    assert "there is no repository here" in asked(nobody, "search", query="cart")


def test_an_entry_that_is_not_the_one_that_was_published_is_not_used(place: Path, tmp_path: Path) -> None:
    entry = catalog.read_catalog(Folder(place))["a/shop"]
    catalog.write_entry(Folder(place), replace(entry, sha256="0" * 64))
    catalog.write_catalog(Folder(place))
    assert "not the one that was listed" in asked(opened(place, tmp_path / "home"), "search", query="x", root="a/shop")
