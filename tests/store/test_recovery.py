"""What goes wrong while others read: interrupted compaction, pruned versions, folders that cannot be written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import lance
import numpy as np
import pytest

from sightline.errors import CorruptIndexError, StoreError
from sightline.store import Snapshot, SnapshotFollower, Writer, clear, lock, manifest, open_snapshot, writer_pid
from sightline.store import snapshot as snapshot_module
from sightline.store import writer as writer_module
from sightline.store.manifest import clear_pending, read_pending, write_pending
from tests.support.indexes import must_open
from tests.support.paths import REPOSITORY
from tests.support.stores import ROWS, edge, entry, open_writer, texts, two_fragments


def rows_of(folder: Path) -> int:
    snapshot = must_open(folder)
    assert texts(snapshot, "alpha") == ["alpha"] and texts(snapshot, "word7") == ["word7"]
    return len(snapshot.chunks.get(np.flatnonzero(snapshot.chunks.alive)))


_KILLED = """
import os, signal, sys
from pathlib import Path
import lance
from tests.support import stores as t
writer = t.open_writer(Path(sys.argv[1]))
t.two_fragments(writer)
write = lance.write_dataset
def die(*given, mode):
    if mode == "append": os.kill(os.getpid(), signal.SIGKILL)
    return write(*given, mode=mode)
lance.write_dataset = die
writer.tidy(force=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
def test_a_writer_killed_while_it_compacts_loses_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _KILLED, str(tmp_path / "i")]
    run = subprocess.run(command, cwd=REPOSITORY, env=os.environ | {"PYTHONHASHSEED": "0"}, check=False)
    assert run.returncode == -signal.SIGKILL
    assert rows_of(tmp_path / "i") == ROWS + 1, "readers stay with what the manifest names"
    with open_writer(tmp_path / "i") as writer:
        assert not writer.notices, "taking the table back is enough"
        writer.tidy(force=True)
    assert rows_of(tmp_path / "i") == ROWS + 1


def test_a_compaction_that_fails_half_way_is_never_committed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write: Any = lance.write_dataset

    def full(*given: Any, mode: str) -> Any:
        if mode == "append":
            raise OSError("no space left on device")
        return write(*given, mode=mode)

    with open_writer(tmp_path) as writer:
        two_fragments(writer)
        monkeypatch.setattr(lance, "write_dataset", full)
        with pytest.raises(StoreError, match="no space left"):
            writer.tidy(force=True)
        with pytest.raises(StoreError, match="half way"):
            writer.commit()
    monkeypatch.undo()
    with open_writer(tmp_path) as writer:
        assert not writer.notices
    assert rows_of(tmp_path) == ROWS + 1


def test_a_version_that_readers_hold_outlives_the_commit_that_replaces_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_module, "_KEEP_VERSIONS_FOR", timedelta(0))  # as if every version were old
    monkeypatch.setattr(writer_module, "_PRUNE_EVERY", 1)
    with open_writer(tmp_path) as writer:
        two_fragments(writer)
        held = must_open(tmp_path)
        assert held.chunks.count == ROWS + 1
        writer.replace(entry("a.py", "beta"))
        writer.commit()
        assert texts(held, "alpha") == ["alpha"]
        held = must_open(tmp_path)
        assert held.chunks.count == ROWS + 1
        writer.tidy(force=True)
        assert len(held.chunks.get(np.flatnonzero(held.chunks.alive))) == ROWS + 1


def test_versions_that_cannot_be_deleted_are_said_and_stop_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refused(*_: object) -> None:
        raise OSError("the file is in use")

    monkeypatch.setattr(lance.LanceDataset, "cleanup_old_versions", refused)
    with open_writer(tmp_path) as writer:
        two_fragments(writer)
        assert writer.tidy(force=True)
    assert "the file is in use" in caplog.text and rows_of(tmp_path) == ROWS + 1


def test_the_lock_goes_even_when_closing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = open_writer(tmp_path)

    def broken() -> None:
        raise ValueError("the lexical index is broken")

    monkeypatch.setattr(writer._lexical["chunks"], "close", broken)
    with pytest.raises(ValueError, match="broken"):
        writer.close()
    writer._lexical["chunks"]._writer = None
    assert writer_pid(tmp_path) is None
    open_writer(tmp_path).close()


def test_an_error_while_opening_is_a_named_one_and_frees_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: Path) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(writer_module, "announce_writer", refused)
    with pytest.raises(StoreError, match="no space left"):
        open_writer(tmp_path)
    monkeypatch.undo()
    open_writer(tmp_path).close()


def test_a_follower_never_builds_on_what_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    follower = SnapshotFollower(tmp_path)
    with open_writer(tmp_path) as writer:
        writer.replace(entry("a.py", "alpha"))
        writer.commit()
        first = follower.current()
        assert first is not None and first.chunks.count == 1 and first.files
        writer.replace(entry("b.py", "beta"))
        writer.commit()

        def damaged(_: Snapshot) -> None:
            raise CorruptIndexError("table files cannot be read")

        with monkeypatch.context() as patch:
            patch.setattr(Snapshot, "_load_files", damaged)
            with pytest.raises(CorruptIndexError):
                follower.current()
        second = follower.current()
    assert second is not None
    assert (second.chunks.count, second.chunks.size, len(second.chunks.alive)) == (2, 2, 2)
    assert texts(second, "beta") == ["beta"] and texts(first, "alpha") == ["alpha"]


def test_a_table_may_be_read_from_the_old_snapshot_while_the_new_one_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_writer(tmp_path) as writer:
        writer.replace(entry("a.py", "alpha"))
        writer.commit()
        old = must_open(tmp_path)
        assert old.chunks.count == 1
        writer.replace(entry("b.py", "beta"))
        writer.commit()
    dataset = Snapshot._dataset

    def meanwhile(self: Snapshot, name: str) -> Any:
        if self is not old:
            assert old.objects.count == 1
        return dataset(self, name)

    monkeypatch.setattr(Snapshot, "_dataset", meanwhile)
    new = open_snapshot(tmp_path, base=old)
    assert new is not None and (new.chunks.count, new.objects.count) == (2, 2)


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_readers_answer_where_nothing_can_be_written(tmp_path: Path) -> None:
    with open_writer(tmp_path) as writer:
        two_fragments(writer)
    for name in ("chunks", "objects", "relationships"):
        taken = tmp_path / "lexical" / name / ".tantivy-meta.lock"
        taken.unlink()
        taken.symlink_to(tmp_path / "missing" / "folder")  # cannot be opened for writing, not even by root
    assert rows_of(tmp_path) == ROWS + 1


def test_a_manifest_that_a_reader_has_open_is_replaced_a_moment_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace, refusals = Path.replace, iter([PermissionError("in use"), PermissionError("in use")])

    def busy(self: Path, target: Path) -> Path:
        for refusal in refusals:
            raise refusal
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", busy)
    manifest.write_pending(tmp_path, 1, ["a.py"])
    assert manifest.read_pending(tmp_path) == (1, ["a.py"])


def test_an_index_folder_below_a_file_is_no_index(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    assert SnapshotFollower(tmp_path / "file" / "index").current() is None


def test_clearing_leaves_alone_what_another_writer_begins_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_writer(tmp_path / "i").close()
    began: list[Writer] = []
    take = lock.take_lock

    class Watched:
        def __init__(self, folder: Path) -> None:
            self.lock = take(folder)

        def release(self) -> None:
            self.lock.release()
            began.append(open_writer(tmp_path / "i"))

    monkeypatch.setattr(lock, "take_lock", Watched)
    assert clear(tmp_path / "i")
    with began[0] as writer:
        two_fragments(writer)
    assert rows_of(tmp_path / "i") == ROWS + 1


def test_a_reader_waits_for_a_commit_under_way_but_not_for_ever(tmp_path: Path) -> None:
    with Writer.open(tmp_path, embedder_id="test", dim=8) as writer:
        writer.commit()
        write_pending(tmp_path, writer.generation + 1, ["a.py"])
        began = time.monotonic()
        assert open_snapshot(tmp_path) is not None, "a writer that died in the middle keeps nobody from reading"
        assert time.monotonic() - began >= snapshot_module._COMMIT_WAIT_S
        finished = threading.Timer(0.05, clear_pending, [tmp_path])
        finished.start()
        assert open_snapshot(tmp_path) is not None
        assert read_pending(tmp_path) is None, "it waited for the commit to finish"
        finished.join()


def test_a_commit_that_is_begun_early_says_what_any_other_does(tmp_path: Path) -> None:
    with open_writer(tmp_path / "i") as writer:
        writer.replace(entry("a.py", "alpha"))
        writer.begin()
        writer.replace_relationships("a.py", [edge("a.py", "g")], None)
        writer.replace_relationships("b.py", [edge("b.py", "h")], None)
        assert writer.commit() == 1
        assert read_pending(tmp_path / "i") is None
        writer.remove("a.py")
        writer.begin()
        assert writer.commit() == 2
    snapshot = must_open(tmp_path / "i")
    assert texts(snapshot, "alpha") == []
    assert len(snapshot.relationships.get(np.flatnonzero(snapshot.relationships.alive))) == 1


def test_no_file_is_staged_while_a_commit_is_under_way(tmp_path: Path) -> None:
    with open_writer(tmp_path / "i") as writer:
        writer.replace(entry("a.py", "alpha"))
        writer.begin()
        with pytest.raises(StoreError, match="under way"):
            writer.replace(entry("b.py", "beta"))
        with pytest.raises(StoreError, match="under way"):
            writer.remove("a.py")


def test_a_commit_that_was_begun_and_never_ended_is_taken_back(tmp_path: Path) -> None:
    with open_writer(tmp_path / "i") as writer:
        writer.replace(entry("a.py", "alpha"))
        writer.commit()
        writer.replace(entry("a.py", "beta"))
        writer.replace(entry("b.py", "gamma"))
        writer.begin()
    chunks = must_open(tmp_path / "i").chunks
    held = [chunk.text for chunk in chunks.get(np.flatnonzero(chunks.alive))]
    assert held == ["alpha"], "readers stay with what was committed"
    with open_writer(tmp_path / "i") as writer:
        assert not writer.notices and set(writer.records()) == {"a.py"}
        writer.replace(entry("c.py", "delta"))
        writer.commit()
    snapshot = must_open(tmp_path / "i")
    assert [texts(snapshot, word) for word in ("alpha", "beta", "gamma", "delta")] == [["alpha"], [], [], ["delta"]]
