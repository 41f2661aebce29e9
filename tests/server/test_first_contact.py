"""What a new process answers before its index is complete, or before it knows whether the index is."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from sightline.config import make_config
from sightline.embed import Embedder, load_embedder
from sightline.server.app import App
from sightline.server.cli.catchup import catch_up
from sightline.server.firstlook import MATCH_TYPE, Looker
from sightline.server.freshness import Lines
from sightline.server.lifecycle import IN_STEP
from sightline.server.preparing import prepare
from sightline.server.progress import Call, CallCancelledError
from sightline.types import Filters, Query
from tests.support.indexes import write_files

FILES = {
    "src/sessions.py": '"""Sessions."""\n\n\n' + "def unrelated(): ...\n\n\n" * 20 + "def remove_expired(): ...\n",
    "src/cart.py": "def add_to_cart(item): ...\n",
    "tests/test_sessions.py": "def test_expired_sessions_are_removed(): ...\n",
    "docs/sessions.md": "# Expired sessions\n\nThey are removed, these expired sessions.\n",
    ".env": "EXPIRED_SESSIONS=remove\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.fixture
def app(root: Path, tmp_path: Path) -> Iterator[App]:
    app = App.open([root], index_dir=tmp_path / "indexes")
    yield app
    app.close()


def test_a_first_look_finds_code_by_its_words_and_shows_the_lines_on_disk(root: Path, tmp_path: Path) -> None:
    looker = Looker(make_config(root, index_dir=tmp_path))
    found = looker.look(Query("remove expired sessions"), ())
    assert [hit.path for hit in found.hits] == ["src/sessions.py", "tests/test_sessions.py", "docs/sessions.md"]
    best = found.hits[0]
    shown = FILES["src/sessions.py"].split("\n")[best.start_line - 1 : best.end_line]
    assert best.chunk is None
    assert best.item.text == "\n".join(shown)  # type: ignore[union-attr]
    assert "remove_expired" in best.item.text  # type: ignore[union-attr]
    assert best.match_type == MATCH_TYPE
    assert best.highlights
    assert found.files_read == found.files == 4, "secrets are not read"


def test_a_first_look_puts_copies_first_only_for_who_asks_for_them(tmp_path: Path) -> None:
    text = "def settle_promise():\n    return 1\n"
    write_files(tmp_path / "shop", {"src/promise.py": text, "compat/promise.py": text, "tests/promise.py": text})
    looker = Looker(make_config(tmp_path / "shop", index_dir=tmp_path / "index"))

    def scores(query: str) -> dict[str, float]:
        return {hit.path.partition("/")[0]: hit.score for hit in looker.look(Query(query), ()).hits}

    asked_for_copies, asked_for_tests = scores("compat of settle_promise"), scores("tests of settle_promise")
    assert asked_for_copies["compat"] >= asked_for_copies["src"] > asked_for_copies["tests"]
    assert asked_for_tests["tests"] >= asked_for_tests["src"] > asked_for_tests["compat"]


def test_a_first_look_keeps_to_filters_to_what_is_not_indexed_and_to_its_time(root: Path, tmp_path: Path) -> None:
    looker = Looker(make_config(root, index_dir=tmp_path))
    only_tests = Query("expired sessions", filters=Filters(file_filter=("tests",)))
    assert [hit.path for hit in looker.look(only_tests, ()).hits] == ["tests/test_sessions.py"]
    without = looker.look(Query("expired sessions"), {"src/sessions.py", "tests/test_sessions.py"})
    assert [hit.path for hit in without.hits] == ["docs/sessions.md"]
    assert looker.look(Query("expired sessions"), (), budget_s=-1).files_read == 0
    assert not looker.look(Query("?!"), ()).hits


def test_an_index_in_step_with_the_disk_is_answered_from_before_a_writer_is_there(app: App) -> None:
    catch_up(app.roots[0], show=False)
    root = App.open([app.roots[0].config.root], index_dir=app.roots[0].config.index_dir.parent).roots[0]
    assert prepare(root) is IN_STEP
    assert root.search(Query("cart")).index.state == "ready"


def test_an_index_that_is_behind_says_so_until_it_has_caught_up(app: App, root: Path) -> None:
    catch_up(app.roots[0], show=False)
    (root / "src/new.py").write_text("def brand_new(): ...\n")
    fresh = App.open([root], index_dir=app.roots[0].config.index_dir.parent).roots[0]
    fresh.found = prepare(fresh)
    assert fresh.search(Query("cart")).index.state == "stale"
    catch_up(fresh, show=False)
    assert fresh.search(Query("cart")).index.state == "ready"


def test_a_question_does_not_wait_for_an_embedder_that_takes_long(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    root = app.roots[0]
    catch_up(root, show=False)
    other = App.open([root.config.root], index_dir=root.config.index_dir.parent).roots[0]
    done = threading.Event()

    def load_slowly(name: str) -> Embedder:
        done.wait(30)
        return load_embedder(name)

    monkeypatch.setattr("sightline.embed.load_embedder", load_slowly)
    other.embedder.start_loading()
    while not other.embedder.warnings():
        pass
    try:
        result = other.search(Query("add to cart"))
    finally:
        done.set()
    assert result.hits
    assert any("still being loaded" in warning for warning in result.warnings)
    assert other.embedder.get() is not None
    assert not other.search(Query("add to cart")).warnings


def test_a_cancelled_call_stops_between_its_steps(app: App) -> None:
    root = app.roots[0]
    catch_up(root, show=False)
    said: list[str] = []

    def change_of_mind(what: str) -> None:
        said.append(what)
        call.cancelled.set()

    call = Call(change_of_mind)
    with pytest.raises(CallCancelledError):
        root.research("how are sessions removed", depth=2, max_tokens=4_000, call=call)
    assert len(said) == 1
    with pytest.raises(CallCancelledError):
        root.search(Query("cart"), call=call)
    with pytest.raises(CallCancelledError):
        Looker(root.config).look(Query("cart"), (), check=call.check)


def test_research_shows_no_source_of_a_file_that_changed_and_says_so(app: App, root: Path) -> None:
    catch_up(app.roots[0], show=False)
    before = app.roots[0].research("what is add_to_cart", depth=2, max_tokens=4_000, call=Call())
    assert before.result is not None
    assert "def add_to_cart(item): ..." in before.result.text
    path = root / "src/cart.py"
    path.write_text("# moved\n" * 3 + path.read_text())
    after = app.roots[0].research("what is add_to_cart", depth=2, max_tokens=4_000, call=Call())
    assert after.result is not None
    assert "def add_to_cart(item): ..." not in after.result.text
    assert after.stale == {"src/cart.py"}


def test_lines_are_those_on_disk_whatever_their_encoding(tmp_path: Path) -> None:
    (tmp_path / "dos.py").write_bytes(b"\xef\xbb\xbfone\r\ntwo\x0cstill two\r\n")
    (tmp_path / "wide.py").write_bytes("eins\nzwei\n".encode("utf-16"))
    app = App.open([tmp_path], index_dir=tmp_path.parent / "indexes")
    catch_up(app.roots[0], show=False)
    snapshot = app.roots[0].snapshot()
    assert snapshot is not None
    lines = Lines(app.roots[0].config.root, snapshot.files)
    assert lines.read("dos.py", 1, 2) == ["one", "two\x0cstill two"]
    assert lines.read("wide.py", 2, 2) == ["zwei"]
    assert lines.read("missing.py", 1, 1) is None
