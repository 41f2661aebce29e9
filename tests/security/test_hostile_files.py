"""Files that crash, hang or bloat their parser: nobody dies of them, and they are found by their words and named."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sightline.config import Config
from sightline.indexer.analysis.quarantine import CRASHES as CRASHES_ITS_PARSER
from sightline.indexer.analysis.quarantine import TOO_LONG, TOO_MUCH_MEMORY
from sightline.store import Snapshot
from tests.support.indexes import finds, index_with
from tests.support.killers import BLOAT, CRASHES, HANG, children_of, is_busy
from tests.support.waiting import wait_for

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and /proc are POSIX")
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "kept.py").write_text("def kept_function():\n    return 1\n")
    return folder


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return os.environ | {"SIGHTLINE_INDEX_DIR": str(tmp_path / "indexes"), "SIGHTLINE_EMBEDDER": "none"}


def indexed(root: Path, folder: Path) -> Snapshot:
    return index_with(Config(root.resolve(), folder, embedder="none"), None)


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Server:
    """A server process over stdio."""

    def __init__(self, root: Path, environment: dict[str, str]) -> None:
        line = [sys.executable, "-m", "sightline.server", "serve", str(root)]
        self.process = subprocess.Popen(
            line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        )
        self._number = 0
        self.ask("initialize", HELLO)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdout is not None
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        for line in self.process.stdout:
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == self._number:
                return answer
        raise AssertionError("the server went away")

    def finds(self, word: str) -> bool:
        answer = self.ask("tools/call", {"name": "search", "arguments": {"query": word, "mode": "bm25"}})
        text = json.dumps(answer["result"])
        return f"{word}" in text.replace(f'for \\"{word}\\"', "").replace(f'"query": "{word}"', "")

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()


@pytest.fixture
def server(root: Path, environment: dict[str, str]) -> Iterator[Server]:
    server = Server(root, environment)
    yield server
    server.end()


def status_of(root: Path, environment: dict[str, str], *options: str) -> str:
    line = [sys.executable, "-m", "sightline.server", "status", str(root), *options]
    done = subprocess.run(line, env=environment, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout


def worker_at_work(pid: int) -> int:
    """Wait for a worker of a process to be in the middle of a parse."""
    found: list[int] = wait_for(lambda: [child for child in children_of(pid) if is_busy(child)], "a parse that hangs")
    return found[0]


def has_ended(pid: int, parent: int) -> bool:
    return pid not in children_of(parent)


def test_files_that_crash_bash_in_most_processes_cost_nobody_anything(root: Path, tmp_path: Path) -> None:
    for number, content in enumerate(CRASHES):
        (root / f"x{number}.sh").write_bytes(content)
    (root / "y.sh").write_text("function later_function { echo word; }\n")
    for attempt in range(4):
        snapshot = indexed(root, tmp_path / f"index{attempt}")
        assert {record.state for record in snapshot.files.values()} == {"indexed"}
        assert {record.reason for record in snapshot.files.values()} <= {"", CRASHES_ITS_PARSER}
        assert finds(snapshot, "kept") and finds(snapshot, "later")


def test_hanging_and_bloating_files_are_ended_and_found_by_their_words(root: Path, tmp_path: Path) -> None:
    for name, content in (HANG, BLOAT):
        (root / name).write_bytes(b"needleword\n" + content)
    snapshot = indexed(root, tmp_path / "index")
    assert snapshot.files[HANG[0]].reason == TOO_LONG
    assert snapshot.files[BLOAT[0]].reason == TOO_MUCH_MEMORY
    assert snapshot.files["kept.py"].reason == ""
    positions = snapshot.chunks.lexical({"needleword": 1.0}, limit=5).positions
    assert {chunk.path for chunk in snapshot.chunks.get(positions)} == {HANG[0], BLOAT[0]}


@pytest.mark.skipif(sys.platform != "linux", reason="processes are told apart by /proc")
def test_a_server_answers_before_during_and_after_edits_that_kill_parsers(
    root: Path, environment: dict[str, str], server: Server
) -> None:
    wait_for(lambda: server.finds("kept_function"), "the first index")
    (root / HANG[0]).write_bytes(HANG[1])
    for _ in range(2):  # a crash is blamed on the file when it comes again in a new process
        worker = worker_at_work(server.process.pid)
        assert server.finds("kept_function")
        os.kill(worker, signal.SIGSEGV)  # what a grammar that reads beyond its tables does to itself
        wait_for(partial(has_ended, worker, server.process.pid), "the end of the process")
    for number, content in enumerate(CRASHES):
        (root / f"x{number}.sh").write_bytes(content)
    (root / BLOAT[0]).write_bytes(BLOAT[1])
    (root / "new.py").write_text("def brandnew_function():\n    return 2\n")
    wait_for(lambda: server.finds("brandnew_function"), "an edit after them", 120)
    expected = [(HANG[0], CRASHES_ITS_PARSER), (BLOAT[0], TOO_MUCH_MEMORY)]
    wait_for(lambda: f"{BLOAT[0]}: {TOO_MUCH_MEMORY}" in status_of(root, environment), "the file in the status", 120)
    for name, reason in expected:
        assert f"{name}: {reason}" in status_of(root, environment)
        assert f"{name}  ({reason})" in status_of(root, environment, "--files")
        told = json.loads(status_of(root, environment, "--json"))["roots"][0]
        assert {"path": name, "reason": reason} in told["quarantined"]
        assert told["files"]["quarantined"] == len(told["quarantined"]) >= 2
    assert server.process.poll() is None


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a worker ends with its file, not with its parent")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=["terminated", "killed"])
def test_a_server_that_ends_during_a_hanging_parse_leaves_no_process_behind(
    root: Path, server: Server, number: signal.Signals
) -> None:
    wait_for(lambda: server.finds("kept_function"), "the first index")
    (root / HANG[0]).write_bytes(HANG[1])
    worker = worker_at_work(server.process.pid)
    server.process.send_signal(number)
    began = time.monotonic()
    server.process.wait(timeout=30)
    wait_for(lambda: not lives(worker), "the end of the workers", 5)
    assert time.monotonic() - began < 5


@pytest.mark.skipif(sys.platform != "linux", reason="processes are told apart by /proc")
def test_a_search_with_nothing_to_index_starts_no_worker(root: Path, environment: dict[str, str]) -> None:
    line = [sys.executable, "-m", "sightline.server", "search", "kept_function", str(root)]
    assert subprocess.run(line, env=environment, capture_output=True, timeout=120, check=False).returncode == 0
    process = subprocess.Popen(line, env=environment, stdout=subprocess.DEVNULL)
    seen: set[str] = set()
    while process.poll() is None:
        for pid in children_of(process.pid):
            seen.add(_command(pid))
    assert process.returncode == 0
    assert not [command for command in seen if "indexer.worker" in command]


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""
