"""A service on a machine that has other things to do: what is asked of it a moment too early or ended too late."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from sightline.config import Config
from sightline.errors import RootError
from sightline.indexer import service as service_module
from sightline.indexer.analysis.workers import StoppedError
from sightline.indexer.pipeline import Indexer
from sightline.indexer.service import IndexService, open_writer
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
        monkeypatch.setattr(service_module, "_BUSY_TIMES", 200)  # this machine may be busy indeed
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


def answer_within_a_minute(service: IndexService) -> bool:
    """The answer to a refresh that would wait for an hour."""
    with ThreadPoolExecutor(1) as asking:
        answer = asking.submit(service.refresh, PATH, timeout_s=600)
        try:
            return answer.result(60)
        finally:
            service.stop_soon()  # or a hanging question would hold up the end of the test


def test_who_waits_for_a_first_index_that_fails_is_answered_at_once(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    catching_up, fail = threading.Event(), threading.Event()

    def update(*_: Any, **__: Any) -> Any:
        catching_up.set()
        assert fail.wait(60)
        raise RootError("the root is not there", hint="")

    monkeypatch.setattr(Indexer, "update", update)
    with running(config) as service:
        assert catching_up.wait(60)
        threading.Timer(0.2, fail.set).start()
        assert not answer_within_a_minute(service)


def test_what_is_asked_a_moment_after_the_writer_failed_is_answered_at_once(
    config: Config, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with running(config) as service:
        assert service.wait_caught_up(60)
        put = service._requests.put

        def put_too_late(request: Any) -> None:
            config.root.rename(tmp_path / "elsewhere")
            put((None, Future()))
            wait_for(lambda: service.status().error, "the writer to fail")
            put(request)

        monkeypatch.setattr(service._requests, "put", put_too_late)
        assert not answer_within_a_minute(service)


def test_what_is_asked_while_another_process_takes_the_lock_is_declined(config: Config) -> None:
    with open_writer(config, None):  # somebody else writes
        service = IndexService(config, lambda: None, watch=False)
        asked: Future[bool] = Future()
        service._requests.put((PATH, asked))
        service.start()
        try:
            assert asked.result(60) is False
        finally:
            service.stop()
