"""Another process writes the index, or it was made in another way: nobody hangs, and nothing is thrown away."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sightline import Client
from sightline.config import Config
from sightline.errors import ConfigError, StoreError
from sightline.server import tools
from sightline.server.app import App
from sightline.server.catchup import catch_up
from sightline.server.root import Root
from sightline.store import read_manifest
from sightline.store.manifest import write_manifest
from tests.support.indexes import index_with, write_files

HOLD = """
import pathlib, sys
from sightline.store.lock import announce_writer, take_lock
lock = take_lock(pathlib.Path(sys.argv[1]))
announce_writer(pathlib.Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def root(tmp_path: Path) -> Root:
    write_files(tmp_path / "root", {"a.py": "def login(): pass\n"})
    root = Root(Config((tmp_path / "root").resolve(), tmp_path.resolve() / "index", embedder="none", workers=1), "root")
    index_with(root.config, None)
    return root


@pytest.fixture
def hold(root: Root) -> Iterator[Callable[[], subprocess.Popen[bytes]]]:
    """Have another process hold the lock of the index."""
    holders = []

    def begin() -> subprocess.Popen[bytes]:
        line = [sys.executable, "-c", HOLD, str(root.config.index_dir)]
        holder = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        holders.append(holder)
        assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
        return holder

    yield begin
    for holder in holders:
        holder.kill()
        holder.communicate()


def of_another_format(root: Root) -> None:
    path = root.config.index_dir / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format_version": 1}))


def half_indexed(root: Root) -> None:
    manifest = read_manifest(root.config.index_dir)
    assert manifest is not None
    write_manifest(root.config.index_dir, replace(manifest, generation=manifest.generation + 1, state="indexing"))


@pytest.mark.parametrize("partial", [True, False], ids=["a question", "index"])
def test_a_command_says_at_once_that_a_process_of_another_version_keeps_the_index(
    root: Root, hold: Callable[[], subprocess.Popen[bytes]], partial: bool
) -> None:
    of_another_format(root)
    holder = hold()
    with pytest.raises(StoreError, match=f"process {holder.pid}, which is of another version.*restart"):
        catch_up(root, partial=partial)


def test_a_server_says_that_a_process_of_another_version_keeps_the_index(
    root: Root, hold: Callable[[], subprocess.Popen[bytes]]
) -> None:
    of_another_format(root)
    holder = hold()
    app = App([root])
    app.life.begin()
    try:
        for tool in tools.TOOLS:
            answer = tools.call(app, tool, {tool.subject.name: "login"})
            assert f"process {holder.pid}, which is of another version" in answer.text
            assert "still indexing" not in answer.text, "nobody is"
    finally:
        app.close()


def test_a_question_is_answered_from_what_another_process_has_indexed_so_far(
    root: Root, hold: Callable[[], subprocess.Popen[bytes]]
) -> None:
    half_indexed(root)
    hold()
    catch_up(root, partial=True)
    answer = tools.call(App([root]), tools.SEARCH, {"query": "login"})
    assert "1 of 1 hits" in answer.text and "still indexing" in answer.text


def test_indexing_says_for_whom_it_waits_and_goes_on_when_that_one_ends(
    root: Root, hold: Callable[[], subprocess.Popen[bytes]]
) -> None:
    half_indexed(root)
    holder = hold()
    said: list[str] = []

    def end_it(what: str) -> None:
        said.append(what)
        holder.kill()
        holder.wait()

    done = catch_up(root, say=end_it)
    assert said == [f"waiting for process {holder.pid}, which is indexing {root.config.root}"]
    assert done["files"] == 1
    snapshot = root.snapshot()
    assert snapshot is not None and snapshot.status().state == "ready"


def test_asking_with_another_embedder_leaves_the_index_as_it_is(tmp_path: Path) -> None:
    write_files(tmp_path / "root", {"a.py": "def login(): pass\n"})
    folder = tmp_path / "indexes"
    with Client(tmp_path / "root", index_dir=folder) as client:
        assert client.search("login").hits
        index_dir = client._app.roots[0].config.index_dir
    before = read_manifest(index_dir)
    assert before is not None

    with pytest.raises(ConfigError, match=f"made with the embedder {before.embedder_id}, and none was chosen"):
        Client(tmp_path / "root", index_dir=folder, embedder="none").search("login")
    assert read_manifest(index_dir) == before

    other = Root(Config((tmp_path / "root").resolve(), index_dir, embedder="none", workers=1), "root")
    assert any("embedder" in notice for notice in catch_up(other)["notices"]), "whoever indexes chooses"
