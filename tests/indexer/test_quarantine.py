"""Files that cannot be parsed safely: known by their content, left alone until it changes, and nobody else's loss."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from sightline.config import Config
from sightline.embed import load_embedder
from sightline.indexer.analysis import process, quarantine
from sightline.indexer.analysis.analyse import Task
from sightline.indexer.analysis.limits import OUT_OF_MEMORY, listed_bytes, resident_bytes
from sightline.indexer.analysis.workers import BULK_FILES, Analyser
from sightline.indexer.files.walk import walk
from sightline.indexer.pipeline import Indexer, index_root
from sightline.indexer.service import open_writer
from sightline.store import open_snapshot
from sightline.types import FileRecord
from tests.support.index_content import content_of, fresh_content
from tests.support.killers import BLOAT, HANG, children_of, is_busy
from tests.support.waiting import wait_for

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")


@pytest.fixture
def config(tmp_path: Path) -> Config:
    root = tmp_path / "root"
    root.mkdir()
    (root / "kept.py").write_text("def kept_function():\n    return 1\n")
    return Config(root.resolve(), tmp_path / "index", embedder="none")


def index(config: Config) -> dict[str, FileRecord]:
    with open_writer(config, None) as writer:
        index_root(config, writer, None)
        return dict(writer.records())


def crash_workers_at_work(until: threading.Event) -> None:
    """Send every worker of this process that hangs in a parse what a crash would."""
    while not until.wait(0.05):
        for pid in children_of(os.getpid()):
            if is_busy(pid):
                os.kill(pid, signal.SIGSEGV)


@pytest.mark.skipif(sys.platform != "linux", reason="processes are told apart by /proc")
def test_a_quarantined_file_is_parsed_again_only_when_its_content_changes(config: Config) -> None:
    killer = config.root / HANG[0]
    killer.write_bytes(HANG[1])
    done = threading.Event()
    crasher = threading.Thread(target=crash_workers_at_work, args=(done,))
    crasher.start()
    try:
        assert index(config)[HANG[0]].reason == quarantine.CRASHES
    finally:
        done.set()
        crasher.join()
    # From here on nobody crashes anything: parsing it once more would be found to take too long.
    shutil.copy(killer, config.root / "copy.rs")
    os.utime(killer, ns=(1, 1))
    records = index(config)
    assert records[HANG[0]].reason == records["copy.rs"].reason == quarantine.CRASHES
    assert records[HANG[0]].mtime_ns == 1
    killer.write_text("fn mended() {}\n")
    records = index(config)
    assert records[HANG[0]].reason == ""
    assert records["copy.rs"].reason == quarantine.CRASHES
    snapshot = open_snapshot(config.index_dir)
    assert snapshot is not None
    assert "mended" in [found.name for found in snapshot.objects.get(range(snapshot.objects.count))]


def test_an_index_with_a_quarantined_file_equals_a_fresh_one(config: Config, tmp_path: Path) -> None:
    embedder = load_embedder("static")
    with open_writer(config, embedder) as writer:
        indexer = Indexer(config, writer, embedder)
        indexer.update()
        (config.root / BLOAT[0]).write_bytes(BLOAT[1])
        (config.root / "kept.py").write_text("def kept_function():\n    return 2\n")
        indexer.update({BLOAT[0], "kept.py"})
        indexer.close()
    incremental = content_of(open_snapshot(config.index_dir))
    assert incremental == fresh_content(config.root, tmp_path / "fresh", embedder)
    assert quarantine.TOO_MUCH_MEMORY in str(incremental["files"])


def test_the_files_beside_one_that_kills_lose_nothing(config: Config) -> None:
    for number in range(2 * BULK_FILES):
        (config.root / f"m{number:03}.c").write_text(f"int f{number}(void) {{ return {number}; }}\n")
    (config.root / "m070b.c").write_bytes(BLOAT[1])
    config = Config(config.root, config.index_dir, workers=2)
    analyser = Analyser(config, load_embedder("static"))
    try:
        entries = list(analyser.run([Task(candidate, "") for candidate in walk(config)]))
    finally:
        analyser.close()
    assert [entry.record.path for entry in entries] == sorted(entry.record.path for entry in entries)
    assert len(entries) == 2 * BULK_FILES + 2
    for entry in entries:
        blamed = entry.record.path == "m070b.c"
        assert entry.record.reason == (quarantine.TOO_MUCH_MEMORY if blamed else "")
        assert len(entry.objects) == (1 if blamed else 2)
        assert entry.chunk_vectors is not None and len(entry.chunk_vectors) == len(entry.chunks) > 0


def test_a_machine_that_stood_still_loses_no_file(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    analyser = Analyser(config, None)
    tasks = [Task(candidate, "") for candidate in walk(config)]
    list(analyser.run(tasks))
    stopped = analyser.ready().processes[0].pid
    os.kill(stopped, signal.SIGSTOP)
    monkeypatch.setattr(process, "CLOCK_S", 2.0)

    def let_the_clock_go_on() -> None:
        processes = analyser.ready().processes
        wait_for(lambda: 0 in processes and processes[0].pid != stopped, "a process in place of the one that stood")
        monkeypatch.undo()

    waiting = threading.Thread(target=let_the_clock_go_on)
    waiting.start()
    try:
        (entry,) = analyser.run(tasks)
    finally:
        waiting.join()
        analyser.close()
    assert (entry.record.state, entry.record.reason) == ("indexed", "")


def test_stopping_does_not_wait_for_a_parse_that_hangs(config: Config) -> None:
    (config.root / HANG[0]).write_bytes(HANG[1])
    began = time.monotonic()
    with open_writer(config, None) as writer:
        indexer = Indexer(config, writer, None)
        with pytest.raises(Exception, match="indexing was stopped"):
            indexer.update(stopped=lambda: time.monotonic() - began > 2)
        indexer.close()
    assert time.monotonic() - began < 8  # the parse alone takes longer


@pytest.mark.parametrize(
    ("exit_code", "held_share", "reason", "certain"),
    [
        (-signal.SIGSEGV, 0.0, quarantine.CRASHES, True),
        (-signal.SIGABRT, 0.1, quarantine.CRASHES, True),
        (-signal.SIGSEGV, 0.9, quarantine.TOO_MUCH_MEMORY, True),
        (OUT_OF_MEMORY, 0.0, quarantine.TOO_MUCH_MEMORY, True),
        (-getattr(signal, "SIGXCPU", 24), 0.0, quarantine.TOO_LONG, True),
        (-getattr(signal, "SIGKILL", 9), 0.0, quarantine.CRASHES, False),
        (-signal.SIGTERM, 0.9, quarantine.TOO_MUCH_MEMORY, False),
        (0xC0000005, 0.0, quarantine.CRASHES, True),
        (1, 0.0, quarantine.CRASHES, False),
    ],
)
def test_the_end_of_a_worker_tells_what_the_file_did(
    exit_code: int, held_share: float, reason: str, certain: bool
) -> None:
    assert quarantine.verdict(exit_code, held_share) == (reason, certain)


def test_what_a_process_holds_is_told_alike_by_the_system_and_by_ps() -> None:
    if shutil.which("ps") is None:
        pytest.skip("there is no ps")
    listed, told = listed_bytes(os.getpid()), resident_bytes(os.getpid())
    assert 0 < listed < 2 * told
    assert told < 2 * listed
    assert resident_bytes(2**22 + 1) == listed_bytes(2**22 + 1) == 0  # nobody has that number
