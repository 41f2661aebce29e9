"""Nothing outside the root is read: not through links that were there, nor through links that come while we look."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sightline.config import Config
from sightline.embed import load_embedder
from sightline.indexer.files.confine import Confined, NotRegularError, open_file, read_bytes
from sightline.indexer.files.read import Source, read
from sightline.indexer.files.walk import accepts_all, walk
from sightline.indexer.pipeline import index_root
from sightline.indexer.service import open_writer
from sightline.server import freshness as fresh
from sightline.server.app import App
from sightline.server.progress import Call
from sightline.store import SnapshotFollower
from tests.support.hostile import git, make_root

SECRET = b"def outsid_thing():\n    return 'OUTSIDE'\n"
INSIDE = b"def inside_thing():\n    return 'INSIDE!'\n"
assert len(SECRET) == len(INSIDE)
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")


def root_and_outside(tmp_path: Path) -> tuple[Config, Path]:
    config = make_root(tmp_path / "root", {f"pkg/mod{number}.py": INSIDE for number in range(5)})
    outside = make_root(tmp_path / "outside", {f"mod{number}.py": SECRET for number in range(5)}).root
    return config, outside


def texts(config: Config) -> set[bytes]:
    return {found.text for candidate in walk(config) if isinstance(found := read(config, candidate), Source)}


@pytest.mark.parametrize("with_git", [False, True])
def test_a_tracked_folder_that_became_a_link_is_not_entered(tmp_path: Path, with_git: bool) -> None:
    config, outside = root_and_outside(tmp_path)
    if with_git:
        git(config.root, "init", "-q")
        git(config.root, "add", ".")
    before = {candidate.path: candidate for candidate in walk(config)}
    (config.root / "pkg").rename(tmp_path / "moved")
    (config.root / "pkg").symlink_to(outside)
    assert [c.path for c in walk(config) if c.path.startswith("pkg/")] == []
    assert accepts_all(config, before) == dict.fromkeys(before)
    for candidate in before.values():  # what was listed before the swap is read after it
        assert not isinstance(read(config, candidate), Source)
    assert texts(config) == set()


@contextmanager
def swapped_again_and_again(swap: Callable[[], None]) -> Iterator[None]:
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            swap()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(20)


def test_a_race_of_folder_swaps_leaks_nothing(tmp_path: Path) -> None:
    config, outside = root_and_outside(tmp_path)
    folder, link, parked = config.root / "pkg", config.root / "link", config.root / "parked"
    link.symlink_to(outside)

    def swap() -> None:
        folder.rename(parked)
        link.rename(folder)
        folder.rename(link)
        parked.rename(folder)

    seen: set[bytes] = set()
    with swapped_again_and_again(swap):
        for _ in range(150):
            seen |= texts(config)
    assert seen <= {INSIDE}


def test_a_race_of_file_swaps_leaks_nothing(tmp_path: Path) -> None:
    config, outside = root_and_outside(tmp_path)
    file, link, parked = config.root / "pkg/mod0.py", config.root / "link.py", config.root / "parked.py"
    link.symlink_to(outside / "mod0.py")

    def swap() -> None:
        file.rename(parked)
        link.rename(file)
        file.rename(link)
        parked.rename(file)

    seen: set[bytes] = set()
    with swapped_again_and_again(swap):
        for _ in range(150):
            seen |= texts(config)
    assert seen <= {INSIDE}


def indexed(config: Config) -> Config:
    embedder = load_embedder("static")
    with open_writer(config, embedder) as writer:
        index_root(config, writer, embedder)
    return config


def replace_by_link(config: Config, outside: Path, kind: str) -> None:
    """Put something of the same size and times in place of what was indexed."""
    times = (config.root / "pkg/mod0.py").stat()
    for name in outside.iterdir():
        os.utime(name, ns=(times.st_atime_ns, times.st_mtime_ns))
    if kind == "folder":
        (config.root / "pkg").rename(outside.parent / "moved")
        (config.root / "pkg").symlink_to(outside)
    else:
        (config.root / "pkg/mod0.py").unlink()
        (config.root / "pkg/mod0.py").symlink_to(outside / "mod0.py")
        os.utime(config.root / "pkg/mod0.py", ns=(times.st_atime_ns, times.st_mtime_ns), follow_symlinks=False)


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_source_is_not_quoted_through_a_link_that_replaced_what_was_indexed(tmp_path: Path, kind: str) -> None:
    config, outside = root_and_outside(tmp_path)
    indexed(config)
    snapshot = SnapshotFollower(config.index_dir).current()
    assert snapshot is not None
    replace_by_link(config, outside, kind)
    assert fresh.Lines(config.root, snapshot.files).read("pkg/mod0.py", 1, 9) is None
    assert fresh.changed(config.root, snapshot.files, ["pkg/mod0.py"]) == ["pkg/mod0.py"]
    app = App.open([config.root], index_dir=tmp_path / "indexes")
    try:
        for question in ("how does inside_thing work?", "what is defined in pkg/mod0.py?"):
            found = app.roots[0].research(question, depth=2, max_tokens=4_000, call=Call())
            assert "OUTSIDE" not in repr(found)
    finally:
        app.close()


def test_only_regular_files_are_opened_and_no_pipe_is_waited_for(tmp_path: Path) -> None:
    config, _ = root_and_outside(tmp_path)
    os.mkfifo(config.root / "pipe.py")
    (config.root / "null.py").symlink_to("/dev/null")
    with pytest.raises(NotRegularError):
        open_file(config.root, "pipe.py")
    for path in ("null.py", "missing.py", "pkg", "pkg/mod0.py/x", "../outside/mod0.py", "/etc/passwd", "pkg//mod0.py",
                 "pkg/../pkg/mod0.py", "", ".", "pkg/\0", "x/" * 5_000 + "x"):  # fmt: skip
        with pytest.raises(OSError):
            open_file(config.root, path)
        with Confined(config.root) as inside, pytest.raises(OSError):
            inside.open(path)
    assert read_bytes(config.root, "pkg/mod1.py", 10_000) == INSIDE


def test_looking_leaves_no_descriptor_open(tmp_path: Path) -> None:
    config, outside = root_and_outside(tmp_path)
    (config.root / "link").symlink_to(outside)
    descriptors = Path("/proc/self/fd") if Path("/proc/self/fd").is_dir() else Path("/dev/fd")
    before = len(list(descriptors.iterdir()))
    for _ in range(20):
        texts(config)
        for path in ("link/mod0.py", "pkg", "missing"):
            with pytest.raises(OSError):
                open_file(config.root, path)
    assert len(list(descriptors.iterdir())) <= before
