"""Pages of one list: each hit once, in one order, and an honest word about what lies behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sightline.indexer.service import IndexService
from sightline.retrieval.lanes import DEPTH
from sightline.server import tools
from sightline.server.app import App
from sightline.server.cli.catchup import catch_up
from sightline.store import read_manifest
from sightline.store.manifest import write_manifest
from tests.support.indexes import write_files

FILES = 150  # that match, more than a retriever gives


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Roots: of the first every file matches equally well, of the second every file less well, and the third has some
    that match by their text and others that match by a name."""
    folder = tmp_path_factory.mktemp("pages")
    alike = {f"w{n:03}.py": f"def widget_{n:03}():\n    return 'widget'\n" for n in reversed(range(FILES))}
    weaker = {
        f"v{n}.py": f"def other_{n}():\n    # long text with a widget among many words\n    return {n}\n"
        for n in range(9)
    }
    write_files(folder / "many", alike)
    write_files(folder / "few", weaker)
    by_text = {f"t{n:03}.py": f"print('alpha alpha widget {n}')\n" for n in range(110)}
    padding = "    # so much text that the one word in it does not count for much\n" * 8
    by_name = {f"n{n:03}.py": f"def widget_maker_{n:03}():\n{padding}    return {n}\n" for n in range(110)}
    write_files(folder / "both", by_text | by_name)
    for root in opened(folder, "many", "few", "both").roots:
        catch_up(root, show=False)
    return folder


def opened(folder: Path, *names: str) -> App:
    roots = [folder / name for name in names or ("many", "few")]
    return App.open(roots, index_dir=folder / "indexes", embedder="none")


def pages(app: App, **asked: Any) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = []
    cursor: str | None = None
    while not found or cursor:
        arguments = {"query": "widget", "types": ["chunk"], "mode": "bm25", "cursor": cursor, **asked}
        found.append(tools.call(app, tools.SEARCH, arguments).payload)
        cursor = found[-1]["next_cursor"]
    return found


@pytest.mark.parametrize("limit", [7, 10, 30, 70, 100])
def test_the_pages_of_a_search_are_one_list_whatever_their_size(indexed: Path, limit: int) -> None:
    found = pages(opened(indexed, "many"), limit=limit)
    paths = [hit["path"] for page in found for hit in page["hits"]]
    assert paths == [f"w{n:03}.py" for n in range(DEPTH)], "equal scores stand in the order of their paths"
    assert {(page["total"], page["total_at_least"], page["truncated"]) for page in found} == {(DEPTH, True, True)}


def test_a_list_that_is_complete_says_so(indexed: Path) -> None:
    found = pages(opened(indexed, "few"), limit=4)
    assert [page["truncated"] for page in found] == [True, True, False]
    assert all(page["total"] == 9 and "total_at_least" not in page for page in found)
    assert tools.call(opened(indexed, "few"), tools.SEARCH, {"query": "widget", "types": ["chunk"]}).text.startswith(
        '9 of 9 hits for "widget"'
    )


def test_the_text_says_that_there_are_more_than_were_looked_at(indexed: Path) -> None:
    answer = tools.call(opened(indexed, "many"), tools.SEARCH, {"query": "widget", "types": ["chunk"]})
    assert answer.text.startswith(f'10 of {DEPTH}+ hits for "widget"')


@pytest.mark.parametrize("limit", [20, 50, 100])
def test_the_pages_of_several_roots_give_every_hit_once(indexed: Path, limit: int) -> None:
    found = pages(opened(indexed), limit=limit)
    shown = [(hit["root"], hit["path"]) for page in found for hit in page["hits"]]
    assert len(shown) == len(set(shown)) == DEPTH + 9
    assert {page["total"] for page in found} == {DEPTH + 9}
    scores = [hit["score"] for page in found for hit in page["hits"]]
    assert scores == sorted(scores, reverse=True)


def test_no_page_of_several_roots_ends_before_the_list_of_one_of_them(indexed: Path) -> None:
    asked = {"query": "widget alpha", "types": ["chunk", "object"], "limit": 60}
    alone = pages(opened(indexed, "both"), **asked)
    assert alone[0]["total"] > DEPTH
    found = pages(opened(indexed, "few", "both"), **asked)
    shown = [(hit["root"], hit["id"]) for page in found for hit in page["hits"]]
    assert len(shown) == len(set(shown)) == found[0]["total"]
    assert sum(root == "both" for root, _ in shown) == alone[0]["total"]


def test_hits_that_a_first_look_displaces_are_on_the_next_page(tmp_path: Path) -> None:
    indexed = {f"w{n:02}.py": f"def widget_{n:02}():\n    return 'widget, and some more words'\n" for n in range(15)}
    write_files(tmp_path / "root", indexed)
    app = App.open([tmp_path / "root"], index_dir=tmp_path / "indexes", embedder="none")
    root = app.roots[0]
    catch_up(root, show=False)
    manifest = read_manifest(root.config.index_dir)
    assert manifest is not None
    write_manifest(root.config.index_dir, replace(manifest, generation=manifest.generation + 1, state="indexing"))
    root.service = IndexService(root.config, lambda: None)  # that has not come to these files yet
    new = {f"new{n}.py": "widget widget\n" if n < 5 else "nothing of that\n" for n in range(40)}
    write_files(tmp_path / "root", new)

    found = pages(app, limit=10, mode="hybrid")
    shown = [hit["path"] for page in found for hit in page["hits"]]
    assert any(path.startswith("new") for path in shown[:10])
    assert indexed.keys() <= set(shown) and len(shown) == len(set(shown))
