"""An answer to a report names the files that come after those of its hits; other answers say nothing of the kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sightline.client import Client, FileResult
from sightline.indexer.service import IndexService
from sightline.retrieval.report import FILES as FILES_NAMED
from sightline.server import tools
from sightline.server.answers.render import budget_chars, search_text
from sightline.server.app import App
from sightline.server.arguments import MAX_TOKENS, MIN_TOKENS
from sightline.server.cli.catchup import catch_up
from sightline.store import read_manifest
from sightline.store.manifest import write_manifest
from sightline.types import RankedFile
from tests.support.hits import chunk, chunk_hit, result
from tests.support.indexes import write_files
from tests.support.waiting import BOUND_S

LINE = "Further files, likeliest first: "
ROUNDED = "The total of an invoice is rounded\n\n" + "The total of every invoice that I print is rounded wrongly. " * 3
INVOICES = "\n\n".join(
    f"def invoice_total_{n}(invoice):\n    '''The total of an invoice, rounded.'''\n    return invoice.total // {n}\n"
    for n in range(1, 21)
)
SHOP = {
    "shop/invoices.py": INVOICES,
    **{f"shop/sum_{n}.py": f"def total_{n}(total):\n    return total + {n}\n" for n in range(12)},
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> App:
    folder = tmp_path_factory.mktemp("named")
    write_files(folder / "shop", SHOP)
    return opened(folder, "shop")


def opened(folder: Path, *names: str) -> App:
    app = App.open([folder / name for name in names], index_dir=folder / "indexes", embedder="none")
    for root in app.roots:
        catch_up(root, show=False)
    return app


def ask(app: App, **asked: Any) -> tools.Answer:
    return tools.call(app, tools.SEARCH, {"query": ROUNDED, **asked})


def paths(payload: Mapping[str, Any], kind: str) -> list[tuple[str, str]]:
    return list(dict.fromkeys((item.get("root", ""), item["path"]) for item in payload[kind]))


def in_text(answer: tools.Answer) -> list[str]:
    lines = [line for line in answer.text.split("\n") if line.startswith(LINE)]
    assert len(lines) <= 1
    return lines[0].removeprefix(LINE).split(", ") if lines else []


def test_the_text_names_the_files_that_the_data_has_beyond_the_hits(shop: App) -> None:
    answer = ask(shop, limit=3)
    of_hits, named = paths(answer.payload, "hits"), paths(answer.payload, "files")
    assert len(named) == FILES_NAMED
    assert named[: len(of_hits)] == of_hits
    assert in_text(answer) == [path for _, path in named[len(of_hits) :]]


def test_the_named_files_stand_behind_the_hits_and_before_the_cursor(shop: App) -> None:
    lines = ask(shop, limit=3).text.split("\n")
    assert lines[-2].startswith(LINE)
    assert lines[-1].startswith("More hits: same call with cursor=")


def test_pages_go_on_from_the_hits_and_no_file_is_named_behind_them_twice(shop: App) -> None:
    whole = paths(ask(shop, limit=100).payload, "hits")
    seen: list[tuple[str, str]] = []
    cursor: str | None = None
    while not seen or cursor:
        answer = ask(shop, limit=4, cursor=cursor)
        of_hits, named = paths(answer.payload, "hits"), paths(answer.payload, "files")
        seen = list(dict.fromkeys([*seen, *of_hits]))
        assert list(dict.fromkeys([*seen, *named])) == whole[: max(len(seen), FILES_NAMED)]
        assert in_text(answer) == [path for _, path in named[len(of_hits) :]]
        cursor = answer.payload["next_cursor"]
    assert seen == whole


def test_filters_hold_for_the_named_files(shop: App) -> None:
    answer = ask(shop, limit=2, exclude_filter=["sum_1*.py"])
    assert in_text(answer)
    assert not any("sum_1" in path for path in in_text(answer))


@pytest.mark.parametrize("tokens", [MIN_TOKENS, MIN_TOKENS + 40, 300, 500, 2_000, MAX_TOKENS])
def test_the_named_files_keep_to_the_budget(shop: App, tokens: int) -> None:
    answer = ask(shop, limit=10, max_tokens=tokens)
    assert len(answer.text) <= budget_chars(tokens)
    assert "cursor=" in answer.text.split("\n")[-1], "nothing is cut off at the end"
    known = {path for _, path in paths(answer.payload, "files")}
    assert set(in_text(answer)) <= known


def test_files_whose_hits_do_not_fit_are_named_instead() -> None:
    hits = [chunk_hit(chunk(f"src/{n}.py", symbol="long" * 60)) for n in range(9)]
    files = [RankedFile(hit.path, hit.score) for hit in hits] + [RankedFile("src/next.py", 0.1)]
    text = search_text(result(hits, files=files), max_tokens=400)
    shown, _, rest = text.partition(LINE)
    named = rest.split("\n")[0].split(", ")
    assert "hits did not fit" in rest
    assert named and all(f"{path}\n" not in shown for path in named)
    assert named[0] == f"src/{shown.count('#')}.py", "the first one that is not shown"
    assert len(text) <= budget_chars(400)


def test_a_file_that_changed_or_went_is_named_as_stale(tmp_path: Path) -> None:
    write_files(tmp_path / "shop", SHOP)
    app = opened(tmp_path, "shop")
    (_, last) = paths(ask(app, limit=2).payload, "files")[-1]
    (tmp_path / "shop" / last).unlink()
    answer = ask(app, limit=2)
    assert in_text(answer)[-1] == f"{last} [stale]"
    assert [file["path"] for file in answer.payload["files"] if file.get("stale")] == [last]


def test_a_file_that_went_is_not_named_by_who_keeps_the_index_fresh(tmp_path: Path) -> None:
    write_files(tmp_path / "shop", SHOP)
    app = opened(tmp_path, "shop")
    [root] = app.roots
    (_, last) = paths(ask(app, limit=2).payload, "files")[-1]
    root.service = IndexService(root.config, lambda: None, watch=False)
    root.service.start()
    try:
        assert root.service.wait_caught_up(BOUND_S)
        (tmp_path / "shop" / last).unlink()
        answer = ask(app, limit=2)
        assert last not in [path for _, path in paths(answer.payload, "files")]
        assert len(in_text(answer)) == FILES_NAMED - 1
    finally:
        root.service.stop()


def test_the_files_of_several_roots_are_one_list_and_each_names_its_root(tmp_path: Path) -> None:
    write_files(tmp_path / "shop", SHOP)
    write_files(tmp_path / "bank", {f"sum_{n}.py": f"def total_{n}(total):\n    return total\n" for n in range(5)})
    app = opened(tmp_path, "shop", "bank")
    whole = paths(ask(app, limit=100).payload, "hits")
    answer = ask(app, limit=3)
    of_hits, named = paths(answer.payload, "hits"), paths(answer.payload, "files")
    assert named == whole[:FILES_NAMED]
    assert in_text(answer) == [f"{root}: {path}" for root, path in named[len(of_hits) :]]
    assert {root for root, _ in paths(ask(app, limit=3, root="bank").payload, "files")} == {"bank"}


def test_while_an_index_is_built_the_files_of_the_hits_that_are_shown_come_first(tmp_path: Path) -> None:
    write_files(tmp_path / "shop", SHOP)
    app = opened(tmp_path, "shop")
    [root] = app.roots
    manifest = read_manifest(root.config.index_dir)
    assert manifest is not None
    write_manifest(root.config.index_dir, replace(manifest, generation=manifest.generation + 1, state="indexing"))
    root.service = IndexService(root.config, lambda: None)  # that has not come to the new file yet
    write_files(tmp_path / "shop", {"shop/new.py": "# the total of every invoice is printed wrongly rounded\n" * 3})
    answer = ask(app, limit=3)
    of_hits, named = paths(answer.payload, "hits"), paths(answer.payload, "files")
    assert ("", "shop/new.py") in of_hits
    assert named[: len(of_hits)] == of_hits
    assert len(named) == FILES_NAMED


@pytest.mark.parametrize("query", ["invoice total rounded", "where is the total of an invoice", "invoice_total_3", "?"])
def test_an_answer_to_a_question_says_nothing_of_further_files(shop: App, query: str) -> None:
    answer = ask(shop, query=query, limit=2)
    assert LINE not in answer.text
    assert "files" not in answer.payload


def test_the_client_gives_the_named_files(tmp_path: Path) -> None:
    write_files(tmp_path / "shop", SHOP)
    with Client(tmp_path / "shop", index_dir=tmp_path / "index", embedder="none") as client:
        response = client.search(ROUNDED, limit=3)
        assert len(response.files) == FILES_NAMED
        assert response.files[0] == FileResult(response.hits[0].path)
        assert client.search("invoice").files == ()
