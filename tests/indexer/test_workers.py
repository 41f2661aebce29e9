"""Worker processes that are killed, or cannot be had: no file is blamed for it and none is lost."""

from __future__ import annotations

import multiprocessing
import multiprocessing.spawn
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from sightline.config import Config
from sightline.errors import SightlineError
from sightline.indexer.analyse import HEAD_FILES, Analyser, Task
from sightline.indexer.walk import walk

FILES = 3 * HEAD_FILES


@pytest.fixture
def config(tmp_path: Path) -> Config:
    root = tmp_path / "root"
    root.mkdir()
    for number in range(FILES):
        (root / f"m{number:03}.py").write_text(f"def f{number}():\n    return {number}\n")
    return Config(root, tmp_path / "index", workers=2)


@pytest.fixture
def analyser(config: Config) -> Iterator[Analyser]:
    analyser = Analyser(config, None)
    yield analyser
    analyser.release()


def tasks_of(config: Config) -> list[Task]:
    return [Task(candidate, "") for candidate in sorted(walk(config), key=lambda candidate: candidate.path)]


def test_a_killed_worker_costs_no_file(config: Config, analyser: Analyser) -> None:
    entries = []
    for entry in analyser.run(tasks_of(config)):
        entries.append(entry)
        if len(entries) == HEAD_FILES:
            assert analyser._pool is not None
            for pid in analyser._pool._processes:
                os.kill(pid, signal.SIGKILL)
    assert [entry.record.path for entry in entries] == [f"m{number:03}.py" for number in range(FILES)]
    assert {entry.record.state for entry in entries} == {"indexed"}


@pytest.mark.skipif(not Path("/bin/false").exists(), reason="needs a program that ends at once")
def test_when_no_worker_can_be_started_no_file_is_blamed(config: Config, analyser: Analyser) -> None:
    usual = multiprocessing.spawn.get_executable()
    multiprocessing.set_executable("/bin/false")
    try:
        with pytest.raises(SightlineError, match="worker processes end as soon as they are started"):
            list(analyser.run(tasks_of(config)))
    finally:
        multiprocessing.set_executable(usual)
