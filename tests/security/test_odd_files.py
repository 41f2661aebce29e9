"""One odd file is one skipped file: the others are indexed, in bounded time."""

from __future__ import annotations

import os
import shutil
import socket
import sys
import threading
import time
from pathlib import Path

import pytest

from sightline.config import Config
from sightline.indexer.files import git as confined_git
from sightline.indexer.files.confine import MAX_DEPTH
from sightline.indexer.files.walk import accepts, ignored, walk
from sightline.indexer.pipeline import index_root
from sightline.indexer.service import open_writer
from sightline.indexer.watch import EVERYTHING, changes
from sightline.store import SnapshotFollower
from sightline.types import FileRecord
from tests.support.hostile import git, make_root

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="files of these kinds are not to be had there")


@pytest.fixture(autouse=True)
def _git_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confined_git, "_avoided", {})
    monkeypatch.setattr(confined_git, "TIMEOUT_S", 2.0)


def index(config: Config) -> dict[str, FileRecord]:
    with open_writer(config, None) as writer:
        index_root(config, writer, None)
    snapshot = SnapshotFollower(config.index_dir).current()
    assert snapshot is not None
    return dict(snapshot.files)


def without_embedder(config: Config) -> Config:
    return Config(config.root, config.index_dir, embedder="none")


@pytest.mark.parametrize("with_git", [False, True])
@pytest.mark.parametrize("kind", ["pipe", "socket", "folder", "link", "dangling", "binary"])
@pytest.mark.parametrize("name", [".gitignore", ".sightlineignore", "sub/.sightlineignore"])
def test_something_odd_in_place_of_an_ignore_file(
    tmp_path: Path, name: str, kind: str, with_git: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = make_root(tmp_path / "root", {"a.py": "a = 1\n", "sub/b.py": "b = 2\n"})
    if with_git:
        git(config.root, "init", "-q")
    file = config.root / name
    match kind:
        case "pipe":
            os.mkfifo(file)
        case "socket":
            monkeypatch.chdir(file.parent)  # the name of a socket is short
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(file.name)
        case "folder":
            file.mkdir()
        case "link":
            file.symlink_to("/dev/zero")
        case "dangling":
            file.symlink_to(tmp_path / "nowhere")
        case "binary":
            file.write_bytes(bytes(range(256)) * 100)
    assert {"a.py", "sub/b.py"} <= {candidate.path for candidate in walk(config)}
    assert accepts(config, "sub/b.py") is not None
    assert list(ignored(config)) is not None


@pytest.mark.parametrize("seconds", [13_569_465_600, 2**40, -(2**33)])
def test_a_time_beyond_what_an_index_can_hold_does_not_stop_it(tmp_path: Path, seconds: int) -> None:
    config = without_embedder(make_root(tmp_path / "root", {"a.py": "a = 1\n", "future.py": "b = 2\n"}))
    os.utime(config.root / "future.py", (seconds, seconds))
    assert {path: record.state for path, record in index(config).items()} == {"a.py": "indexed", "future.py": "indexed"}
    assert index(config).keys() == {"a.py", "future.py"}


def deep_folders(root: Path, depth: int) -> None:
    """Folders so deep that no path can name the last one."""
    folder = os.open(root, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=folder)
        inner = os.open("d", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(os.open("deep.py", os.O_WRONLY | os.O_CREAT, dir_fd=folder))
    os.close(folder)


@pytest.mark.parametrize("with_git", [False, True])
@pytest.mark.parametrize("depth", [1_050, 3_000])
def test_folders_without_end_do_not_stop_it(tmp_path: Path, depth: int, with_git: bool) -> None:
    config = without_embedder(make_root(tmp_path / "root", {"a.py": "a = 1\n", "z/b.py": "b = 2\n"}))
    deep_folders(config.root, depth)
    if with_git:
        git(config.root, "init", "-q")
    assert index(config).keys() == {"a.py", "z/b.py"}
    hidden = dict(ignored(config))
    assert "nested too deeply" in hidden.values()
    assert accepts(config, "d/" * depth + "deep.py") is None
    stop = threading.Event()
    for batch in changes(config, stop):  # watching begins, too
        assert batch == [EVERYTHING]
        stop.set()
    remove_deep(config.root)


def remove_deep(root: Path) -> None:
    """What no path can name cannot be cleaned up by path: the lower part is moved up until all of it is near."""
    turn = 0
    while (root / "d").exists():
        lower = root / ("d/" * 100)
        if lower.exists():
            lower.rename(root / f"moved{turn}")
        shutil.rmtree(root / "d")
        if (root / f"moved{turn}").exists():
            (root / f"moved{turn}").rename(root / "d")
        turn += 1


def test_the_deepest_folder_that_counts_is_indexed(tmp_path: Path) -> None:
    path = "d/" * MAX_DEPTH + "x.py"
    config = make_root(tmp_path / "root", {path: "x"})
    assert [candidate.path for candidate in walk(config)] == [path]


@pytest.mark.parametrize("with_git", [False, True])
def test_hostile_names_are_names(tmp_path: Path, with_git: bool) -> None:
    names = ["new\nline.py", "tab\t.py", "-rf.py", "--exec=x.py", ":(top)magic.py", "$(touch x).py", "x" * 250 + ".py",
             "\x1b[31mred.py", "quote\"'.py", "back\\slash.py", "*?[].py", " .py", "a b/c\nd/e.py"]  # fmt: skip
    config = without_embedder(make_root(tmp_path / "root", dict.fromkeys(names, "x = 1\n")))
    with open(os.fsencode(config.root) + b"/bad\xff\xfe.py", "wb") as file:  # noqa: PTH123
        file.write(b"x")
    if with_git:
        git(config.root, "init", "-q")
    records = index(config)
    assert {path for path, record in records.items() if record.state == "indexed"} == set(names)
    assert [record.reason for record in records.values() if record.state != "indexed"] == ["name not UTF-8"]
    for name in names:
        assert accepts(config, name) is not None


def test_huge_files_are_never_read(tmp_path: Path) -> None:
    config = without_embedder(make_root(tmp_path / "root", {"a.py": "a = 1\n", "line.py": "x" * 5_000_000}))
    with (config.root / "sparse.py").open("wb") as file:
        file.truncate(2 << 30)
    began = time.monotonic()
    records = index(config)
    assert time.monotonic() - began < 30
    assert {path: record.reason for path, record in records.items()} == {
        "a.py": "", "line.py": "too large", "sparse.py": "too large",
    }  # fmt: skip


def test_very_many_files_are_listed_in_bounded_time(tmp_path: Path) -> None:
    config = make_root(tmp_path / "root", {".gitignore": "*.log\n"})
    for folder in range(20):
        (config.root / f"d{folder}").mkdir()
        for number in range(1_000):
            os.close(os.open(config.root / f"d{folder}" / f"f{number}.py", os.O_WRONLY | os.O_CREAT))
    began = time.monotonic()
    assert len(walk(config)) == 20_001
    assert time.monotonic() - began < 60
