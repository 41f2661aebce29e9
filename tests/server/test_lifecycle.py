"""A process goes through its stages one way, starts what it keeps fresh once, and leaves nothing running behind."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sightline.errors import EmbedderError
from sightline.server import lifecycle
from sightline.server.app import App
from sightline.server.cli.catchup import catch_up
from sightline.server.embedder import RootEmbedder
from sightline.server.lifecycle import Stage
from sightline.server.preparing import prepare, prepare_graph
from sightline.server.progress import Call


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "cart.py").write_text("def add_to_cart(item):\n    return item\n")
    app = App.open([tmp_path / "root"], index_dir=tmp_path / "indexes")
    yield app
    app.close()


def test_a_process_goes_one_way_through_its_stages(app: App) -> None:
    stages = [app.life.stage]
    steps: list[Callable[[], object]] = [
        lambda: app.life.due(later=True),
        app.life.begin,
        app.life.due,
        app.life.close,
        app.life.begin,
    ]
    for step in steps:
        step()
        stages.append(app.life.stage)
    assert stages == [Stage.NEW, Stage.DUE, Stage.KEPT, Stage.KEPT, Stage.CLOSED, Stage.CLOSED]


def test_making_an_app_and_its_roots_starts_no_thread(app: App, tmp_path: Path) -> None:
    before = threading.active_count()
    App.open([tmp_path / "root"], index_dir=tmp_path / "indexes").close()
    assert threading.active_count() == before


def test_a_process_that_was_closed_keeps_nothing_fresh_any_more(app: App) -> None:
    app.close()
    app.life.keep()
    assert app.roots[0].service is None


def test_a_writer_that_was_to_come_later_does_not_come_after_the_end(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifecycle, "IN_STEP", dataclasses.replace(lifecycle.IN_STEP, writer_after_s=60))
    root = app.roots[0]
    catch_up(root, show=False)
    app.life.begin()
    app.close()
    for timer in app.life._timers:
        timer.join(30)
        assert not timer.is_alive()
    assert root.service is not None
    assert root.service._thread is None


def test_what_is_found_decides_whether_questions_wait_for_the_writer(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = app.roots[0]
    assert prepare(root) is lifecycle.UNINDEXED
    monkeypatch.setattr(lifecycle, "BIG_FILES", 0)
    assert prepare(root) is lifecycle.UNINDEXED_BIG
    catch_up(root, show=False)
    assert prepare(root) is lifecycle.IN_STEP
    (tmp_path / "root" / "new.py").write_text("def refund(): ...\n")
    behind = prepare(root)
    assert behind.behind == 1
    assert behind.waited_for
    assert not lifecycle.IN_STEP.waited_for
    app.life.begin()
    app.life.wait_for(root, Call())
    assert root.service is not None
    assert root.service.wait_caught_up(30)


@pytest.mark.parametrize("step", ["sightline.server.preparing.prepare", "sightline.indexer.service.IndexService"])
def test_a_start_that_failed_is_tried_again_by_the_next_question(
    app: App, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("no")

    with monkeypatch.context() as failing:
        failing.setattr(step, refuse)
        with pytest.raises(PermissionError):
            app.life.begin()
    stages = [app.life.stage]
    app.life.begin()
    stages.append(app.life.stage)
    assert stages == [Stage.NEW, Stage.KEPT]


def test_the_graph_of_an_empty_index_can_be_made_ready(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    app = App.open([tmp_path / "empty"], index_dir=tmp_path / "indexes")
    root = app.roots[0]
    prepare_graph(root, wanted=lambda: True)
    catch_up(root, show=False)
    assert prepare(root) is lifecycle.IN_STEP
    prepare_graph(root, wanted=lambda: True)
    app.close()


def test_an_embedder_that_cannot_be_loaded_is_a_warning_and_one_that_failed_otherwise_is_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    failures: list[BaseException] = [MemoryError("too large"), EmbedderError("no such model")]

    def fail(_: str) -> None:
        raise failures.pop(0)

    monkeypatch.setattr("sightline.embed.load_embedder", fail)
    embedder = RootEmbedder("static")
    with pytest.raises(MemoryError):
        embedder.get()
    assert not embedder.warnings()
    assert embedder.get() is None
    assert embedder.warnings() == ["no semantic search: no such model"]
    assert not failures
    assert embedder.get() is None


def test_the_client_leaves_the_collector_of_its_process_alone_and_the_command_does_not(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "cart.py").write_text("def add_to_cart(item):\n    return item\n")
    code = f"""
import gc
from sightline import Client
usual = gc.get_threshold()
with Client({str(tmp_path / "root")!r}, index_dir={str(tmp_path / "indexes")!r}) as client:
    client.search("cart")
print(gc.get_threshold() == usual, gc.get_freeze_count())
from sightline.indexer.collector import rarely_collected, this_process_is_ours
this_process_is_ours()
with rarely_collected():
    print(gc.get_threshold() == usual)
print(gc.get_threshold() == usual, gc.get_freeze_count() > 0)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60).stdout
    assert said.split("\n") == ["True 0", "False", "True True", ""]
