"""What fails while the index is kept fresh is said, retried, and never ends the keeping."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from sightline.config import Config
from sightline.embed import load_embedder
from sightline.errors import RootError, StoreError
from sightline.indexer import service as service_module
from sightline.indexer.analysis.analyse import Task
from sightline.indexer.analysis.workers import BULK_FILES, Analyser
from sightline.indexer.files.walk import walk
from sightline.indexer.pipeline import Indexer
from sightline.indexer.service import open_writer
from sightline.store import SnapshotFollower, Writer, read_manifest
from tests.support.indexes import finds
from tests.support.services import running, write_module
from tests.support.waiting import wait_for


def failing_once(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, error: Exception) -> None:
    whole, errors = getattr(owner, name), [error]

    def once(*given: Any, **named: Any) -> Any:
        if errors:
            raise errors.pop()
        return whole(*given, **named)

    monkeypatch.setattr(owner, name, once)


def test_an_unforeseen_error_is_said_and_indexing_goes_on(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_module, "_RETRY_S", 0.5)
    failing_once(monkeypatch, Indexer, "update", PermissionError("a folder cannot be listed"))
    with running(config) as service:
        wait_for(lambda: "a folder cannot be listed" in service.status().error, "the error in the status")
        assert service.wait_caught_up(60)
        assert service.status().error == ""


def test_a_refresh_that_fails_is_no_error_of_the_query(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    with running(config) as service:
        assert service.wait_caught_up(60)
        failing_once(monkeypatch, Writer, "commit", StoreError("no room"))
        write_module(config.root, 1, word="changed")
        assert not service.refresh(frozenset({"pkg1/module_1.py"}), timeout_s=30)
        follower = SnapshotFollower(config.index_dir)
        wait_for(lambda: finds(follower.current(), "changed"), "the second attempt")


def test_watching_begins_anew_after_it_failed(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    failing_once(monkeypatch, service_module, "changes", PermissionError("a folder cannot be listed"))
    follower = SnapshotFollower(config.index_dir)
    with running(config, watch=True) as service:
        assert service.wait_caught_up(60)
        (config.root / "new.py").write_text("def brandnewfunction(): pass\n")
        wait_for(lambda: finds(follower.current(), "brandnewfunction"), "the new file")


def test_an_index_that_is_never_left_in_peace_is_tidied_all_the_same(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    tidied: list[int] = []

    def tidy(writer: Writer) -> bool:
        tidied.append(writer.generation)
        return False

    monkeypatch.setattr(service_module, "_TIDY_AFTER_UPDATES", 3)
    monkeypatch.setattr(service_module, "_TIDY_AFTER_S", 3_600.0)
    monkeypatch.setattr(Writer, "tidy", tidy)
    with running(config) as service:
        assert service.wait_caught_up(60)
        for number in range(5):
            write_module(config.root, 0, word=f"edit{number}")
            assert service.refresh(frozenset({"pkg0/module_0.py"}), timeout_s=30)
    assert len(tidied) == 1


def test_a_root_that_is_not_there_keeps_its_index_and_is_taken_up_when_it_returns(
    config: Config, tmp_path: Path
) -> None:
    follower = SnapshotFollower(config.index_dir)
    with running(config, watch=True) as service:
        assert service.wait_caught_up(60)
        config.root.rename(tmp_path / "elsewhere")
        assert not service.refresh(frozenset({"pkg0/module_0.py"}), timeout_s=30)
        wait_for(lambda: "is not there" in service.status().error, "the error in the status")
        snapshot = follower.current()
        assert snapshot is not None and len(snapshot.files) == 3
        shutil.copytree(tmp_path / "elsewhere", config.root)
        (config.root / "new.py").write_text("def brandnewfunction(): pass\n")
        wait_for(lambda: finds(follower.current(), "brandnewfunction"), "the folder that came back")
        (config.root / "new.py").write_text("def anothernewfunction(): pass\n")
        wait_for(lambda: finds(follower.current(), "anothernewfunction"), "an edit in it")


def test_a_missing_root_is_a_named_error(config: Config) -> None:
    with open_writer(config, None) as writer:
        indexer = Indexer(config, writer, None)
        indexer.update()
        shutil.rmtree(config.root)
        for paths in (None, {"pkg0/module_0.py"}):
            with pytest.raises(RootError):
                indexer.update(paths)
        assert len(writer.records()) == 3


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
def test_a_worker_killed_between_two_batches_costs_no_file(config: Config) -> None:
    for number in range(BULK_FILES):
        write_module(config.root, number)
    config = Config(config.root, config.index_dir, workers=2)
    tasks = [Task(candidate, "") for candidate in walk(config)]
    analyser = Analyser(config, None)
    try:
        assert {entry.record.state for entry in analyser.run(tasks)} == {"indexed"}
        pool = analyser._bulk
        assert pool is not None and pool.processes
        for process in list(pool.processes.values()):
            process.kill()
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert {entry.record.state for entry in analyser.run(tasks)} == {"indexed"}
    finally:
        analyser.close()


def test_an_embedder_that_cannot_be_loaded_today_costs_no_vectors_of_yesterday(config: Config) -> None:
    embedder = load_embedder("static")
    with open_writer(config, embedder) as writer:
        Indexer(config, writer, embedder).update()
    with pytest.raises(StoreError, match="cannot be loaded"):
        open_writer(config, None)
    manifest = read_manifest(config.index_dir)
    assert manifest is not None and manifest.embedder_id == embedder.id and manifest.counts["chunks"] > 0
