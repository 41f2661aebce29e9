"""A service on a machine that has other things to do: what is asked of it a moment too early or ended too late."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from sightline.config import Config
from sightline.indexer.analysis.workers import StoppedError
from sightline.indexer.pipeline import Indexer
from sightline.indexer.service import open_writer
from sightline.store import check_free, open_snapshot, writer_pid
from tests.support.indexes import finds
from tests.support.services import running, write_module
from tests.support.waiting import wait_for

PATH = frozenset({"pkg1/module_1.py"})


def held(monkeypatch: pytest.MonkeyPatch, which: Callable[[Any], bool]) -> tuple[threading.Event, threading.Event]:
    """Let updates of such paths wait after they are done; returns what says that one waits, and what lets it go on."""
    whole, waits, go_on = Indexer.update, threading.Event(), threading.Event()

    def update(indexer: Indexer, paths: Any = None, **named: Any) -> Any:
        report = whole(indexer, paths, **named)
        if which(paths) and not go_on.is_set():
            waits.set()
            assert go_on.wait(30)
        return report

    monkeypatch.setattr(Indexer, "update", update)
    return waits, go_on


def test_an_edit_right_after_the_first_index_is_indexed_on_the_spot(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits, go_on = held(monkeypatch, lambda paths: paths is None)
    with running(config) as service:
        assert waits.wait(30), "the index is complete, and the service about to say so"
        write_module(config.root, 1, word="changed")
        threading.Timer(0.05, go_on.set).start()
        assert service.refresh(PATH, timeout_s=30)
        assert finds(open_snapshot(config.index_dir), "changed")


def test_a_machine_that_is_busy_with_other_things_is_given_longer(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits, go_on = held(monkeypatch, lambda paths: paths is not None)  # without any work of this process
    with running(config) as service:
        assert service.wait_caught_up(30)
        assert not service.refresh(PATH, timeout_s=0.05), "but not for ever"
        assert waits.is_set()
        threading.Timer(0.6, go_on.set).start()
        write_module(config.root, 1, word="changed")
        assert service.refresh(PATH, timeout_s=0.5)
        assert finds(open_snapshot(config.index_dir), "changed")


def test_a_stop_while_the_writer_is_loaded_takes_no_lock(config: Config) -> None:
    with pytest.raises(StoppedError):
        open_writer(config, None, stopped=lambda: True)
    check_free(config.index_dir)
    assert writer_pid(config.index_dir) is None


def test_a_service_that_does_not_end_in_time_signs_off_all_the_same(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits, go_on = held(monkeypatch, lambda paths: paths is None)
    with running(config) as service:
        assert waits.wait(30)
        assert writer_pid(config.index_dir) is not None
        service.stop(0.05)
        assert writer_pid(config.index_dir) is None
        go_on.set()
        wait_for(lambda: service.status().role == "stopped", "the end")
