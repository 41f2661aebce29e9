"""Worker processes that are killed, or cannot be had: no file is blamed for it and none is lost."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import pytest

from sightline.config import Config
from sightline.errors import SightlineError
from sightline.indexer.analysis import workers
from sightline.indexer.analysis.analyse import Task
from sightline.indexer.analysis.workers import HEAD_FILES, Analyser, WorkerPool
from sightline.indexer.files.walk import walk
from sightline.memory import shares
from sightline.types import FileEntry

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
    analyser.close()


def tasks_of(config: Config) -> list[Task]:
    return [Task(candidate, "") for candidate in sorted(walk(config), key=lambda candidate: candidate.path)]


def test_a_killed_worker_costs_no_file(config: Config, analyser: Analyser) -> None:
    entries = []
    for entry in analyser.run(tasks_of(config)):
        entries.append(entry)
        if len(entries) == HEAD_FILES:
            assert analyser._bulk is not None
            for process in list(analyser._bulk.processes.values()):
                process.kill()
    assert [entry.record.path for entry in entries] == [f"m{number:03}.py" for number in range(FILES)]
    assert {entry.record.state for entry in entries} == {"indexed"}


def test_processes_are_no_further_ahead_than_there_is_room(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "shares", lambda memory: replace(shares(memory), ahead_bytes=1))
    monkeypatch.setattr(workers, "_GROUP_BYTES", 100)
    waiting: list[int] = []
    submit = WorkerPool.submit

    def counted(self: WorkerPool, group: Sequence[Task]) -> Future[list[FileEntry]]:
        waiting.append(sum(task.candidate.size_bytes for task in group))
        return submit(self, group)

    monkeypatch.setattr(WorkerPool, "submit", counted)
    pool = WorkerPool(2, config, None, {})
    try:
        tasks, taken = tasks_of(config), list[str]()
        for number, answer in enumerate(pool.begin(tasks)):
            assert len(waiting) == number + 2, "one for each process"
            taken += [entry.record.path for entry in answer.result()]
            if len(taken) > FILES // 2:
                break
    finally:
        pool.close()
    assert taken == [task.candidate.path for task in tasks][: len(taken)]
    assert max(waiting) <= 100, "small files go together, up to a size"


def test_when_no_worker_can_be_started_no_file_is_blamed(
    config: Config, analyser: Analyser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(Path(config.root, "no-such-python")))
    with pytest.raises(SightlineError, match="worker processes end as soon as they are started"):
        list(analyser.run(tasks_of(config)))


def test_a_program_without_a_main_guard_is_not_run_again_by_workers(config: Config, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "print('run')\n"
        "from sightline import Client\n"
        f"with Client({str(config.root)!r}, index_dir={str(tmp_path / 'indexes')!r}) as client:\n"
        "    print('found' if client.search('f7').hits else 'nothing')\n"
    )
    environment = {**os.environ, "SIGHTLINE_WORKERS": "2"}
    done = subprocess.run(
        [sys.executable, str(program)], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.splitlines() == ["run", "found"], done.stderr


def test_modules_of_the_project_are_not_imported_in_place_of_ours(
    config: Config, analyser: Analyser, monkeypatch: pytest.MonkeyPatch
) -> None:
    (config.root / "numpy.py").write_text("raise SystemExit('imported')\n")
    monkeypatch.chdir(config.root)
    entries = list(analyser.run(tasks_of(config)))
    assert {entry.record.state for entry in entries} == {"indexed"}
