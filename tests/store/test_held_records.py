"""Records are the same from disk and from memory, and memory is spent only on those who go on asking."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.store import Rows, Snapshot, SnapshotFollower, Writer, longcolumns
from sightline.store.packed import PackedStrings
from sightline.types import Chunk, FileEntry, FileRecord

DIM = 8


@given(st.lists(st.text(max_size=40)), st.integers(0, 5))
def test_packed_strings_are_those_of_the_column(values: list[str], skipped: int) -> None:
    column = pa.array(values, pa.string())[skipped:]
    packed = PackedStrings(column)
    assert [packed[row] for row in range(len(column))] == values[skipped:]


def test_many_long_strings_are_packed_into_blocks_that_take_less() -> None:
    values = [f"def function_{n}(argument):\n    return argument + {n}\n" * 20 for n in range(500)]
    packed = PackedStrings(pa.array(values))
    assert packed.nbytes < sum(map(len, values)) / 2
    assert [packed[row] for row in (0, 7, 250, 499)] == [values[row] for row in (0, 7, 250, 499)]


def test_where_no_temporary_file_can_be_had_strings_are_packed_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "not there"))
    packed = PackedStrings(pa.array(["one", "zwei ß", ""]))
    assert [packed[row] for row in range(3)] == ["one", "zwei ß", ""]


def test_packed_strings_leave_no_file_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    packed = PackedStrings(pa.array(["one", "two"]))
    assert packed[1] == "two"
    assert list(tmp_path.iterdir()) == []


def file_of(path: str, *texts: str) -> FileEntry:
    record = FileRecord(path, "python", 10, 1, "hash", "indexed", "", len(texts), False)
    chunks = [Chunk(path, n, n, "python", text, "f", "function", "def f()", "ctx") for n, text in enumerate(texts, 1)]
    return FileEntry(record, chunks, None, [], None, b"")


def ask_until_held(chunks: Rows[Chunk]) -> None:
    for _ in range(longcolumns._HOLD_AFTER):
        assert not chunks.holds_records
        chunks.get([0])
    for thread in threading.enumerate():
        if thread.name.startswith("sightline-hold"):
            thread.join()


def all_texts(snapshot: Snapshot) -> list[tuple[str, str]]:
    positions = np.flatnonzero(snapshot.chunks.alive)
    return sorted((chunk.path, chunk.text) for chunk in snapshot.chunks.get(positions))


def test_records_from_memory_are_those_from_disk_also_after_an_edit(tmp_path: Path) -> None:
    with Writer.open(tmp_path, embedder_id="test", dim=DIM) as writer:
        writer.replace(file_of("a.py", "one", "zwei ß", ""))
        writer.replace(file_of("b.py", "three"))
        writer.commit()
        follower = SnapshotFollower(tmp_path)
        first = follower.current()
        assert first is not None
        from_disk = all_texts(first)
        first.chunks._long._pages = 0
        ask_until_held(first.chunks)
        assert first.chunks.holds_records
        assert all_texts(first) == from_disk == [("a.py", ""), ("a.py", "one"), ("a.py", "zwei ß"), ("b.py", "three")]
        writer.replace(file_of("a.py", "four"))
        writer.commit()
        second = follower.current()
        assert second is not None
        assert second.chunks.holds_records  # what the first had read; the new row comes from disk
        assert all_texts(second) == [("a.py", "four"), ("b.py", "three")]
        assert all_texts(first) == from_disk


def test_what_is_too_large_stays_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(longcolumns, "HELD_BYTES", 10)
    with Writer.open(tmp_path, embedder_id="test", dim=DIM) as writer:
        writer.replace(file_of("a.py", "x" * 1000))
        writer.commit()
    snapshot = SnapshotFollower(tmp_path).current()
    assert snapshot is not None
    ask_until_held(snapshot.chunks)
    assert not snapshot.chunks.holds_records
    assert all_texts(snapshot) == [("a.py", "x" * 1000)]
