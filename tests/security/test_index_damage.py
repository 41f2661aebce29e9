"""Any damage of an index leads to a rebuild and one plain sentence, never to a wrong answer, a failure or Rust's words.

A rebuilt index ranks a little differently from one that has seen edits: BM25 counts what was replaced until tantivy
merges it away. So there are two right answers, and which one is right is known by whether a rebuild was said.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import shutil
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sightline.errors import CorruptIndexError
from sightline.server.cli.main import run
from sightline.store import Writer, open_snapshot, seal
from sightline.store.seam import reading
from tests.support.paths import SHOP
from tests.support.wire import Raw

HEALED_S = 60  # generous: building this index anew takes a second
ASKED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("search", {"query": "session token expired", "limit": 20}),
    ("search", {"query": "validate credentials", "mode": "bm25"}),
    ("symbol_search", {"name": "SessionStore"}),
    ("expand_graph", {"start": "SessionStore"}),
)
COMMANDS = (
    ("search", "session token expired", "--limit", "20"),
    ("search", "validate credentials", "--mode", "bm25"),
    ("symbol", "SessionStore"),
    ("expand", "SessionStore"),
)


def flip(victim: Path, _: Path, chance: random.Random) -> None:
    content = bytearray(victim.read_bytes())
    for _time in range(chance.choice((1, 1, 8))):
        if content:
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    write_over(victim, bytes(content))


def truncate(victim: Path, _: Path, chance: random.Random) -> None:
    os.truncate(victim, chance.randrange(victim.stat().st_size + 1))


def zero(victim: Path, _: Path, chance: random.Random) -> None:
    size = victim.stat().st_size
    first = chance.choice((0, chance.randrange(size + 1)))
    content = bytearray(victim.read_bytes())
    content[first:] = bytes(size - first)
    write_over(victim, bytes(content))


def delete(victim: Path, _: Path, __: random.Random) -> None:
    victim.unlink()


def swap(victim: Path, other: Path, _: random.Random) -> None:
    first, second = victim.read_bytes(), other.read_bytes()
    write_over(victim, second)
    write_over(other, first)


def write_over(path: Path, content: bytes) -> None:
    with path.open("r+b") as file:  # in place, as a failing disk would
        file.write(content)
        file.truncate()


DAMAGES: tuple[Callable[[Path, Path, random.Random], None], ...] = (flip, truncate, zero, delete, swap)


def damage(index_dir: Path, chance: random.Random) -> str:
    """Damage a file of an index; returns what was done to which."""
    files = sorted(path for path in index_dir.rglob("*") if path.is_file() and path.name != "writer.lock")
    # Every kind of file as often as any other: there are far more segments than manifests.
    kind = chance.choice(sorted({kind_of(path) for path in files}))
    victim = chance.choice([path for path in files if kind_of(path) == kind])
    how = chance.choice(DAMAGES)
    how(victim, chance.choice(files), chance)
    return f"{how.__name__} {victim.relative_to(index_dir)}"


def kind_of(path: Path) -> str:
    area = path.parent.parent.name.partition(".")[0] if path.parent.name != "data" else "data"
    return f"{area}/{path.suffix or path.name}"


def told(payload: Any) -> Any:
    """What an answer says, apart from when and from which generation."""
    left_out = {"index", "timings_ms", "warnings", "generation", "elapsed_ms"}
    if isinstance(payload, dict):
        return {key: told(value) for key, value in payload.items() if key not in left_out}
    return [told(item) for item in payload] if isinstance(payload, list) else payload


class Made:
    """A small repository whose index has seen edits, and what is right to answer; made once, since it takes a while."""

    def __init__(self, folder: Path) -> None:
        self.root, self.home, self.whole = folder / "shop", folder / "indexes", folder / "whole"
        shutil.copytree(SHOP, self.root)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SIGHTLINE_INDEX_DIR", str(self.home))
            assert run(["index", str(self.root)]) == 0
            for path in sorted(self.root.rglob("*.py"))[:3]:
                path.write_text(path.read_text() + "\n\ndef added_later() -> None:\n    pass\n")
                assert run(["index", str(self.root)]) == 0
            (self.index_dir,) = (entry for entry in self.home.iterdir() if entry.is_dir())
            shutil.copytree(self.index_dir, self.whole)
            self.right = self._answers()
            assert run(["index", "--rebuild", str(self.root)]) == 0
            self.right_anew = self._answers()

    def _answers(self) -> list[Any]:
        answers = []
        for line in COMMANDS:
            with contextlib.redirect_stdout(io.StringIO()) as said:
                assert run(arguments_of(line, self.root)) == 0
            answers.append(told(json.loads(said.getvalue())))
        return answers


def arguments_of(line: tuple[str, ...], root: Path) -> list[str]:
    return [*line[:2], str(root), *line[2:], "--json"]


class Shop:
    """The repository with its index as it was before any damage."""

    def __init__(self, made: Made, capfd: pytest.CaptureFixture[str]) -> None:
        self.root, self.index_dir, self._whole = made.root, made.index_dir, made.whole
        self.right, self.right_anew = made.right, made.right_anew
        self._capfd = capfd
        self.restore()

    def restore(self) -> None:
        shutil.rmtree(self.index_dir)
        shutil.copytree(self._whole, self.index_dir)
        seal._known.clear()  # as in a new process

    def ask(self) -> tuple[list[Any], list[str]]:
        """What all commands answer, and what they say to stderr."""
        answers, notes = [], []
        for line in COMMANDS:
            self._capfd.readouterr()
            code = run(arguments_of(line, self.root))
            said = self._capfd.readouterr()
            assert code == 0, said.err
            for note in said.err.splitlines():
                assert note.startswith("sightline: index rebuilt: "), said.err
                notes.append(note)
            answers.append(told(json.loads(said.out)))
        return answers, notes


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return Made(tmp_path_factory.mktemp("damage").resolve())


@pytest.fixture
def shop(made: Made, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Shop:
    monkeypatch.setenv("SIGHTLINE_INDEX_DIR", str(made.home))
    return Shop(made, capfd)


def damage_and_run(shop: Shop, seeds: range) -> None:
    for seed in seeds:
        shop.restore()
        done = damage(shop.index_dir, random.Random(seed))
        answers, notes = shop.ask()
        assert len(notes) <= 1, f"seed {seed}: {done}: {notes}"
        assert answers == (shop.right_anew if notes else shop.right), f"seed {seed}: {done}: {notes}"


def test_commands_answer_as_if_nothing_had_happened_to_the_index(shop: Shop) -> None:
    damage_and_run(shop, range(12))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 2_000, 200))
def test_commands_answer_as_if_nothing_had_happened_2000_times(shop: Shop, first: int) -> None:
    damage_and_run(shop, range(10_000 + first, 10_200 + first))


def damage_under_a_server(shop: Shop, seeds: range) -> Counter[str]:
    """Damage the index of a running server again and again: what became of it."""
    counted: Counter[str] = Counter()
    server = Raw(shop.root, {**os.environ, "SIGHTLINE_STRUCTURED": "1"})
    try:
        server.hello()
        right = (shop.right, shop.right_anew)
        assert wait_whole(server) == shop.right
        for seed in seeds:
            done = damage(shop.index_dir, random.Random(seed))
            first, note = ask_server(server)
            if first in right:
                counted["right at once"] += 1
            else:
                assert note, f"seed {seed}: {done}: another answer, and not a word why"
                counted["said that it is not complete"] += 1
            assert wait_whole(server, f"seed {seed}: {done}") in right, f"seed {seed}: {done}"
    finally:
        assert server.close() == 0
    return counted


def ask_server(server: Raw) -> tuple[list[Any], str]:
    """All answers, and what they say about being incomplete."""
    answers, notes = [], []
    for tool, arguments in ASKED:
        answer = server.ask("tools/call", {"name": tool, "arguments": arguments})
        payload = answer["result"]["structuredContent"]
        state = payload["index"]["state"]
        notes += [state] if state != "ready" else []
        notes += payload.get("warnings", [])
        answers.append(told(payload))
    return answers, "; ".join(notes)


def wait_whole(server: Raw, after: str = "start") -> list[Any]:
    deadline, pause = time.monotonic() + HEALED_S, threading.Event()
    while True:
        answers, note = ask_server(server)
        if not note:
            return answers
        assert time.monotonic() < deadline, f"{after}: not healed: {note}"
        pause.wait(0.05)


@pytest.mark.skipif(sys.platform == "win32", reason="a file in use cannot be damaged there")
def test_a_running_server_heals_and_never_answers_wrongly(shop: Shop) -> None:
    damage_under_a_server(shop, range(8))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 2_000, 200))
def test_a_running_server_heals_2000_times(shop: Shop, first: int, capfd: pytest.CaptureFixture[str]) -> None:
    counted = damage_under_a_server(shop, range(20_000 + first, 20_200 + first))
    with capfd.disabled():
        print(f"\n{dict(counted)}")  # noqa: T201


def test_a_panic_of_rust_code_is_a_damaged_index() -> None:
    class PanicException(BaseException):
        """As pyo3 calls it."""

    with pytest.raises(CorruptIndexError, match="table chunks cannot be read"), reading("table chunks"):
        raise PanicException("index out of bounds")
    with pytest.raises(KeyboardInterrupt), reading("table chunks"):
        raise KeyboardInterrupt


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX")
def test_nobody_else_may_read_an_index_not_even_an_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "home" / "index"
    folder.mkdir(parents=True, mode=0o755)
    previous = os.umask(0o022)
    try:
        with Writer.open(folder, embedder_id="none", dim=8) as writer:
            writer.commit()
            (folder / "tables").chmod(0o755)
            everything = [folder, *folder.rglob("*")]
            sealed = [folder / file for file in writer.manifest.sealed]
            assert {path.stat().st_mode & 0o077 for path in (folder, *sealed)} == {0}
        Writer.open(folder, embedder_id="none", dim=8).close()
        assert {path.stat().st_mode & 0o077 for path in everything if path.exists()} == {0}
    finally:
        os.umask(previous)
    assert open_snapshot(folder) is not None
