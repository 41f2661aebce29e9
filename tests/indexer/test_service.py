"""Many processes on one root: one writes, the others wait, and killing any of them loses nothing."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path

import pytest

from sightline.config import Config
from sightline.embed import load_embedder
from sightline.indexer.analysis.workers import StoppedError
from sightline.indexer.pipeline import Indexer
from sightline.indexer.service import IndexService, open_writer
from sightline.store import SnapshotFollower, open_snapshot, read_manifest, writer_pid
from tests.support.index_content import content_of, fresh_content
from tests.support.indexes import finds, must_open
from tests.support.services import write_module
from tests.support.waiting import wait_for

_SERVE = """
import sys
from pathlib import Path
from sightline.config import Config
from sightline.embed import load_embedder
from sightline.indexer.service import IndexService
service = IndexService(Config(Path(sys.argv[1]), Path(sys.argv[2]), workers=1), lambda: load_embedder("static"))
service.start()
print("up", flush=True)
sys.stdin.read()
service.stop()
"""


@contextmanager
def servers(root: Path, index_dir: Path, count: int) -> Iterator[list[subprocess.Popen[bytes]]]:
    command = [sys.executable, "-c", _SERVE, str(root), str(index_dir)]
    running = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(count)]
    try:
        for process in running:
            assert process.stdout is not None and process.stdout.readline() == b"up\n"
        yield running
    finally:
        for process in running:
            if process.poll() is None and process.stdin is not None:
                process.stdin.close()
        for process in running:
            process.wait(60)
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "root"
    folder.mkdir()
    for number in range(30):
        write_module(folder, number)
    return folder


def test_an_edit_is_found_while_the_service_runs(root: Path, tmp_path: Path) -> None:
    config = Config(root, tmp_path.resolve() / "index")
    embedder = load_embedder("static")
    service, follower = IndexService(config, lambda: embedder), SnapshotFollower(config.index_dir)
    service.start()
    try:
        assert service.wait_caught_up(60)
        assert service.status().role == "writer"
        (root / "new.py").write_text("def brandnewfunction(): pass\n")
        wait_for(lambda: finds(follower.current(), "brandnewfunction"), "the new file")
        (root / "pkg0").rename(root / "moved")
        wait_for(lambda: "moved/module_0.py" in must_open(config.index_dir).files, "the renamed folder")
        assert not any(path.startswith("pkg0/") for path in must_open(config.index_dir).files)
        temporary = root / "new.py.tmp"
        temporary.write_text("def savedatomically(): pass\n")
        temporary.replace(root / "new.py")
        wait_for(lambda: finds(follower.current(), "savedatomically"), "the atomic save")
        (root / "new.py").unlink()
        wait_for(lambda: not finds(follower.current(), "savedatomically"), "the deletion")
    finally:
        service.stop()
    assert service.status().role == "stopped"
    assert content_of(open_snapshot(config.index_dir)) == fresh_content(root, tmp_path / "fresh", embedder)


def test_refresh_indexes_named_paths_at_once(root: Path, tmp_path: Path) -> None:
    config = Config(root, tmp_path.resolve() / "index")
    embedder = load_embedder("static")
    service, follower = IndexService(config, lambda: embedder, watch=False), SnapshotFollower(config.index_dir)
    service.start()
    try:
        assert service.wait_caught_up(60)
        write_module(root, 3, word="refreshed")
        assert service.refresh(frozenset({"pkg3/module_3.py"}), timeout_s=30)
        assert finds(follower.current(), "refreshed")
    finally:
        service.stop()
    assert not service.refresh(frozenset({"pkg3/module_3.py"}), timeout_s=1), "a stopped service indexes nothing"


def kill_the_writer_again_and_again(root: Path, index_dir: Path, processes: int, kills: int, seed: int) -> None:
    chance = random.Random(seed)
    with servers(root, index_dir, processes) as running:
        for round_ in range(kills):
            by_pid = {process.pid: process for process in running if process.poll() is None}
            wait_for(lambda alive=by_pid: writer_pid(index_dir) in alive, "a writer")  # type: ignore[misc]
            for number in chance.sample(range(30), 10):
                write_module(root, number, word=f"round{round_}")
            time.sleep(chance.random() * 0.4)  # the moment of death is the point of the test
            pid = writer_pid(index_dir)
            if pid in by_pid:
                os.kill(pid, signal.SIGKILL)
                by_pid[pid].wait(30)
        wait_for(lambda: caught_up(root, index_dir), "the survivors to catch up", 120)
        assert [process.poll() for process in running].count(None) >= processes - kills, "nobody else died"
    assert content_of(open_snapshot(index_dir)) == fresh_content(
        root, index_dir.parent / "fresh", load_embedder("static")
    )


def caught_up(root: Path, index_dir: Path) -> bool:
    manifest = read_manifest(index_dir)
    snapshot = open_snapshot(index_dir)
    if manifest is None or manifest.state != "ready" or snapshot is None:
        return False
    on_disk = {str(p.relative_to(root)): p.stat().st_mtime_ns for p in root.rglob("*.py")}
    return {path: record.mtime_ns for path, record in snapshot.files.items()} == on_disk


def test_when_the_writer_is_killed_another_takes_over_and_nothing_is_lost(root: Path, tmp_path: Path) -> None:
    kill_the_writer_again_and_again(root, tmp_path.resolve() / "index", processes=3, kills=2, seed=1)


@pytest.mark.slow
def test_eight_servers_survive_their_writer_being_killed_again_and_again(root: Path, tmp_path: Path) -> None:
    kill_the_writer_again_and_again(root, tmp_path.resolve() / "index", processes=8, kills=7, seed=2)


def test_a_folder_that_cannot_be_written_is_said_and_retried(root: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    service = IndexService(Config(root, blocked / "index"), lambda: None, watch=False)
    service.start()
    try:
        wait_for(lambda: "cannot be written" in service.status().error, "the error in the status")
    finally:
        service.stop()


def test_an_interrupted_first_index_is_resumed_not_begun_again(root: Path, tmp_path: Path) -> None:
    for number in range(30, 200):
        write_module(root, number)
    config, embedder = Config(root, tmp_path.resolve() / "index", workers=1), load_embedder("static")
    seen: list[int] = []
    with open_writer(config, embedder) as writer, pytest.raises(StoppedError):
        Indexer(config, writer, embedder).update(
            progress=lambda p: seen.append(p.files_done), stopped=lambda: len(seen) > 100
        )
    with open_writer(config, embedder) as writer:
        committed = len(writer.records())
        assert 0 < committed < 200
        report = Indexer(config, writer, embedder).update()
        assert report.files_changed == 200 - committed
    assert content_of(open_snapshot(config.index_dir)) == fresh_content(root, tmp_path / "fresh", embedder)


def test_status_counts_the_changed_paths_that_wait(config: Config) -> None:
    service = IndexService(config, lambda: None)
    assert service.status().queued == 0
    service._requests.put((frozenset({"a.py", "b.py", "c.py"}), Future()))
    service._requests.put((None, Future()))
    assert service.status().queued == 4
