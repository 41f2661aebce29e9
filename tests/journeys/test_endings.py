"""A process ends with the exit code it means, and a server when its client goes: idle, busy, or on a busy machine."""

from __future__ import annotations

import itertools
import json
import os
import queue
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from sightline.server import lifecycle
from sightline.server.app import App
from sightline.server.mcp import stdio
from sightline.server.mcp.session import Session
from sightline.store import Writer
from sightline.types import Chunk, FileEntry, FileRecord
from tests.support.commands import Run
from tests.support.wire import Raw

ROWS = 20_000  # of texts that take a while to read into memory
_READ_AND_LEAVE = """
import sys
from pathlib import Path
from sightline.store import open_snapshot
rows = open_snapshot(Path(sys.argv[1])).chunks
for page in range(3):
    rows.get(range(page * 10, page * 10 + 10))
print("done")
"""
_BURN = "while True: pass"
_COMMANDS = (
    ("research", "how are sessions closed", "--json"),
    ("search", "session token", "--json"),
    ("symbol", "SessionStore", "--json"),
    ("expand", "SessionStore", "--json"),
    ("index",),
    ("status",),
)


@pytest.fixture(scope="module")
def large_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, chance = tmp_path_factory.mktemp("large"), random.Random(3)
    texts = [f"word {n} " + chance.randbytes(500).hex() for n in range(ROWS)]
    chunks = [Chunk("a.py", n + 1, n + 1, "python", text, "", "", "", "") for n, text in enumerate(texts)]
    with Writer.open(folder, embedder_id="none", dim=8) as writer:
        writer.replace(FileEntry(FileRecord("a.py", "python", 10, 1, "00", "indexed", "", 1, False), chunks=chunks))
        writer.commit()
    return folder


def test_a_program_that_leaves_while_texts_are_read_into_memory_ends_well(large_index: Path) -> None:
    command = [sys.executable, "-c", _READ_AND_LEAVE, str(large_index)]
    for _ in range(4):
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_every_command_ends_with_the_code_it_means(shop: Path, sightline_process: Run) -> None:
    for line in _COMMANDS:
        arguments = (line[0], *line[1:2], shop, *line[2:]) if len(line) > 1 else (line[0], shop)
        done = sightline_process(*arguments)
        assert (done.returncode, done.stderr) == (0, ""), line


def test_temporary_folders_go_at_the_end(tmp_path: Path) -> None:
    code = (
        "import tempfile, weakref, shutil; from pathlib import Path; from sightline.server.ending import end\n"
        f"folder = Path({str(tmp_path)!r}) / 'links'; folder.mkdir()\n"
        "keep = set(); weakref.finalize(keep.__class__, shutil.rmtree, folder)\n"
        "print('said', end=''); end(3)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (3, "said", "")
    assert not (tmp_path / "links").exists()


def farewell(monkeypatch: pytest.MonkeyPatch, pause_s: float, *, reads: bool) -> float:
    """How long a server is prepared to wait for answers when its input ends so long after the last line."""
    waits: list[float] = []

    def finish(_: object, timeout_s: float, *, wanted: object) -> None:
        assert callable(wanted) and wanted() is reads
        waits.append(timeout_s)

    monkeypatch.setattr(Session, "finish", finish)
    reader, writer = os.pipe()
    source = SimpleNamespace(lines=iter([b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n']))

    def readline(_: int) -> bytes:
        line = next(source.lines, b"")
        if not line:
            threading.Event().wait(pause_s)
        return line

    with os.fdopen(writer, "wb") as sink:
        output = stdio._Output(sink, broken=lambda: None)
        if not reads:
            os.close(reader)
        stdio._listen(App([]), SimpleNamespace(readline=readline), output, queue.SimpleQueue())  # type: ignore[arg-type]
        if reads:
            os.close(reader)
    return waits[0]


def test_who_closes_the_input_right_behind_the_calls_gets_their_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    assert farewell(monkeypatch, 0, reads=True) == lifecycle.LAST_ANSWERS_S


def test_who_closes_the_input_later_is_leaving(monkeypatch: pytest.MonkeyPatch) -> None:
    assert farewell(monkeypatch, lifecycle.RIGHT_BEHIND_S * 1.5, reads=True) < 1


@pytest.mark.skipif(sys.platform == "win32", reason="whether a pipe is read cannot be asked there")
def test_a_client_that_reads_no_more_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    farewell(monkeypatch, 0, reads=False)


@contextmanager
def busy_machine() -> Iterator[None]:
    burning = [subprocess.Popen([sys.executable, "-c", _BURN]) for _ in range((os.cpu_count() or 1) * 2)]
    try:
        yield
    finally:
        for process in burning:
            process.kill()
            process.wait()


def leave(shop: Path, environment: dict[str, str], calls: int) -> tuple[int, float]:
    """Start a server, ask, have calls under way, leave: (exit code, seconds until it was gone)."""
    server = Raw(shop, environment)
    server.hello()
    assert "result" in server.ask("tools/call", {"name": "search", "arguments": {"query": "session token"}})
    arguments = {"name": "code_research", "arguments": {"query": "how are sessions closed"}}
    for number in range(calls):
        request = {"jsonrpc": "2.0", "id": f"n{number}", "method": "tools/call", "params": arguments}
        server.send(json.dumps(request).encode())
    began = time.monotonic()
    return server.close(), time.monotonic() - began


def test_a_server_with_calls_under_way_goes_with_its_client(shop: Path, environment: dict[str, str]) -> None:
    with busy_machine():
        assert leave(shop, environment, calls=8)[0] == 0


@pytest.mark.slow
def test_500_starts_of_several_commands_on_a_busy_machine_all_end_well(
    shop: Path, environment: dict[str, str], sightline_process: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    starts, codes, times = int(os.environ.get("SIGHTLINE_SOAK_STARTS", "500")), Counter[tuple[str, int]](), []
    with busy_machine():
        for number, line in zip(range(starts), itertools.cycle([*_COMMANDS, ("serve",)]), strict=False):
            if line == ("serve",):
                code, seconds = leave(shop, environment, calls=number % 9)
                times.append(seconds)
            else:
                arguments = (line[0], *line[1:2], shop, *line[2:]) if len(line) > 1 else (line[0], shop)
                code = sightline_process(*arguments).returncode
            codes[line[0], code] += 1
    with capsys.disabled():
        print(f"\n{dict(codes)}; servers gone after {sorted(times)[len(times) // 2]:.2f} s, at most {max(times):.2f} s")  # noqa: T201
    assert {code for _, code in codes} == {0}
