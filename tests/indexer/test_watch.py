"""Watching real folders: what is reported, how folders, rules and floods are handled, polling as the last resort."""

from __future__ import annotations

import logging
import queue
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sightline.config import Config, make_config
from sightline.indexer import watch
from sightline.indexer.watch import EVERYTHING, changes
from sightline.types import Change

_BOUND_S = 10.0  # how long an event may take on a busy machine; a quiet one needs 15 ms


class Watched:
    """A watcher in a thread, whose batches can be waited for."""

    def __init__(self, config: Config) -> None:
        self.root = config.root
        self._stop = threading.Event()
        self._batches: queue.Queue[list[Change]] = queue.Queue()
        self._thread = threading.Thread(target=self._run, args=(config,), daemon=True)
        self._thread.start()
        assert self.next() == [EVERYTHING]

    def _run(self, config: Config) -> None:
        for batch in changes(config, self._stop):
            self._batches.put(batch)

    def next(self) -> list[Change]:
        return self._batches.get(timeout=_BOUND_S)

    def until(self, wanted: Callable[[Change], bool]) -> Change:
        """Wait for a change; those of other paths before it are passed over."""
        while True:
            for change in self.next():
                if wanted(change):
                    return change

    def path(self, path: str) -> Change:
        return self.until(lambda change: change.path == path)

    def everything(self) -> None:
        self.until(lambda change: change == EVERYTHING)

    def close(self) -> None:
        self._stop.set()
        self._thread.join(_BOUND_S)
        assert not self._thread.is_alive()


@pytest.fixture
def config(tmp_path: Path) -> Config:
    root = tmp_path / "root"
    for name in ("a.py", "src/b.py", "src/deep/c.py", "node_modules/x/y.js", "out/log.txt"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")
    (root / ".gitignore").write_text("out/\n*.tmp\n")
    return make_config(root, index_dir=tmp_path / "index", environ={})


@pytest.fixture
def watched(config: Config) -> Iterator[Watched]:
    watcher = Watched(config)
    yield watcher
    watcher.close()


def test_edits_additions_and_deletions_are_reported(watched: Watched) -> None:
    (watched.root / "src" / "b.py").write_text("changed")
    assert watched.path("src/b.py").kind == "modified"
    (watched.root / "new.py").write_text("new")
    watched.path("new.py")
    (watched.root / "a.py").unlink()
    assert watched.path("a.py").kind == "deleted"


def test_an_atomic_save_is_reported_for_the_saved_file(watched: Watched) -> None:
    written = watched.root / "src" / ".b.py.swp~"
    written.write_text("saved")
    written.replace(watched.root / "src" / "b.py")
    watched.path("src/b.py")


def test_ignored_files_and_tool_folders_are_not_reported(watched: Watched) -> None:
    (watched.root / "node_modules" / "x" / "y.js").write_text("changed")
    (watched.root / "out" / "log.txt").write_text("changed")
    (watched.root / "a.tmp").write_text("changed")
    (watched.root / "out" / "more").mkdir()
    (watched.root / "a.py").write_text("the last one")
    assert {change.path for change in watched.next()} == {"a.py"}


def test_a_new_folder_is_looked_into_and_then_watched(watched: Watched) -> None:
    (watched.root / "fresh" / "deeper").mkdir(parents=True)
    (watched.root / "fresh" / "deeper" / "d.py").write_text("d")
    watched.everything()
    (watched.root / "fresh" / "deeper" / "d.py").write_text("edited")
    watched.until(lambda change: change.path in ("fresh/deeper/d.py", EVERYTHING.path))


def test_a_renamed_folder_is_looked_into_and_watched_under_its_new_name(watched: Watched) -> None:
    (watched.root / "src").rename(watched.root / "lib")
    watched.everything()
    (watched.root / "lib" / "deep" / "c.py").write_text("edited")
    watched.until(lambda change: change.path in ("lib/deep/c.py", EVERYTHING.path))


def test_a_deleted_folder_is_reported(watched: Watched) -> None:
    (watched.root / "src" / "deep" / "c.py").unlink()
    (watched.root / "src" / "deep").rmdir()
    watched.until(lambda change: change.path in ("src/deep/c.py", "src/deep"))


@pytest.mark.parametrize("name", [".gitignore", ".sightlineignore", "src/.gitignore"])
def test_changed_rules_mean_everything(watched: Watched, name: str) -> None:
    (watched.root / name).write_text("*.tmp\n")
    watched.everything()


def test_folders_that_rules_no_longer_ignore_are_watched(watched: Watched) -> None:
    (watched.root / ".gitignore").write_text("*.tmp\n")
    watched.everything()
    (watched.root / "out" / "log.txt").write_text("now it counts")
    watched.until(lambda change: change.path in ("out/log.txt", EVERYTHING.path))


def test_a_flood_becomes_one_look_at_everything(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "_FLOOD", 20)
    for number in range(400):
        (watched.root / "src" / f"f{number}.py").write_text("x")
    watched.everything()


def test_a_tracked_file_in_an_ignored_folder_is_watched(config: Config) -> None:
    subprocess.run(["git", "init", "-q"], cwd=config.root, check=True)
    subprocess.run(["git", "add", "-f", "out/log.txt"], cwd=config.root, check=True)
    watched = Watched(config)
    (config.root / "out" / "log.txt").write_text("changed")
    watched.path("out/log.txt")
    watched.close()


def test_without_notifications_the_root_is_polled_and_that_is_said(
    config: Config, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def exhausted(*_: object) -> None:
        raise OSError("OS file watch limit reached")

    monkeypatch.setattr(watch, "RustNotify", exhausted)
    monkeypatch.setattr(watch, "_POLL_S", 0.05)
    with caplog.at_level(logging.WARNING):
        watched = Watched(config)
        (config.root / "src" / "b.py").write_text("changed by an editor")
        assert watched.path("src/b.py") == Change("modified", "src/b.py")
        (config.root / "src" / "b.py").unlink()
        assert watched.path("src/b.py") == Change("deleted", "src/b.py")
        (config.root / "fresh").mkdir()
        (config.root / "fresh" / "d.py").write_text("d")
        assert watched.path("fresh/d.py") == Change("added", "fresh/d.py")
        watched.close()
    assert "watch limit reached" in caplog.text


def test_stopping_ends_the_watcher(config: Config) -> None:
    watched = Watched(config)
    watched.close()


def test_after_a_flood_everything_is_looked_at_once_more(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "_FLOOD_BEGINS", 5)  # the system may have kept fewer events than there were
    for number in range(40):
        (watched.root / "src" / f"f{number}.py").write_text("x")
    watched.until(lambda change: change.path.startswith("src/f"))
    watched.everything()


def test_a_root_that_goes_and_returns_is_watched_again(
    watched: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "_POLL_S", 0.05)
    watched.root.rename(tmp_path / "elsewhere")
    watched.root.mkdir()
    (watched.root / "a.py").write_text("another root")
    watched.everything()
    (watched.root / "a.py").write_text("edited")
    watched.path("a.py")
