"""Many files are resolved in several processes, with what one process would state."""

from __future__ import annotations

import gc
import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.config import Config
from sightline.embed import load_embedder
from sightline.indexer.analysis import resolving, workers
from sightline.indexer.analysis.process import WorkerProcess
from sightline.indexer.analysis.said import ToResolve
from sightline.indexer.pipeline import index_root
from sightline.indexer.service import open_writer
from tests.support.waiting import wait_for

FILES = 160


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    for number in range(FILES):
        callee = (number * 7) % FILES
        (root / f"m{number:03}.py").write_text(
            f"from m{callee:03} import f{callee}\n\nclass C{number}:\n    def run(self):\n        return f{callee}()\n"
            f"\n\ndef f{number}():\n    return C{number}().run()\n"
        )
    return root


def stated(root: Path, index_dir: Path, processes: int) -> tuple[object, object]:
    """Index a root; returns its relationships with their vectors, and its look-ups."""
    config = Config(root, index_dir, workers=processes, cache_bytes=0)
    embedder = load_embedder("static")
    with open_writer(config, embedder) as writer:
        index_root(config, writer, embedder)
        lookups = dict(writer.lookups())
        rows = writer._tables["relationships"].dataset.to_table().to_pylist()
    return sorted(rows, key=lambda row: str(row["id"])), lookups


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[ToResolve]]:
    """What worker processes are asked to resolve."""
    seen: list[ToResolve] = []
    resolve = WorkerProcess.resolve

    def noted(self: WorkerProcess, asked: ToResolve) -> object:
        seen.append(asked)
        return resolve(self, asked)

    monkeypatch.setattr(WorkerProcess, "resolve", noted)
    yield seen


def test_several_processes_state_what_one_states(root: Path, tmp_path: Path, asked: list[ToResolve]) -> None:
    alone = stated(root, tmp_path / "alone", 1)
    assert not asked
    assert stated(root, tmp_path / "beside", 2) == alone
    assert sorted(itertools.chain.from_iterable(each.paths for each in asked)) == [
        f"m{number:03}.py" for number in range(FILES)
    ]
    gc.collect()  # an indexer that has ended goes with its resolver
    assert not list((tmp_path / "beside").glob("facts-*")), "nothing of it is left"


def test_what_a_killed_process_was_to_resolve_is_resolved_here(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    resolve, kills = WorkerProcess.resolve, itertools.count()

    def killed(self: WorkerProcess, asked: ToResolve) -> object:
        if next(kills) % 3 == 0:
            self.kill()
            wait_for(lambda: self._process.poll() is not None, "the end of the process")
        return resolve(self, asked)

    monkeypatch.setattr(WorkerProcess, "resolve", killed)
    assert stated(root, tmp_path / "beside", 2) == stated(root, tmp_path / "alone", 1)
    assert "are resolved here instead" in caplog.text


def test_few_files_are_resolved_here(
    root: Path, tmp_path: Path, asked: list[ToResolve], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "RESOLVED_BESIDE", FILES + 1)
    stated(root, tmp_path / "index", 2)
    assert not asked


@given(costs=st.lists(st.integers(0, 400_000), max_size=300), processes=st.integers(1, 8))
def test_groups_hold_every_file_once_in_order_and_no_more_than_they_may(costs: list[int], processes: int) -> None:
    files = [(f"{number}.py", cost) for number, cost in enumerate(costs)]
    groups = list(resolving.groups(files, processes))
    assert [path for group in groups for path in group] == [path for path, _ in files]
    for group in groups:
        assert 1 <= len(group) <= resolving._GROUP_FILES
        assert len(group) == 1 or sum(costs[int(path[:-3])] for path in group) <= resolving._GROUP_BYTES
