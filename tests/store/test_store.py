"""The store seam: what is written is read back, generation by generation, whatever happens in between."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from sightline.errors import CorruptIndexError, FormatVersionError, WriterBusyError
from sightline.store import SnapshotFollower, Writer, clear, open_snapshot
from sightline.store.manifest import read_manifest, write_manifest
from tests.support.indexes import must_open
from tests.support.paths import REPOSITORY
from tests.support.stores import DIM, edge, entry, open_writer, texts, unit


def test_nothing_is_there_before_the_first_commit(tmp_path: Path) -> None:
    assert open_snapshot(tmp_path / "index") is None


def test_records_come_back_as_they_were_written(tmp_path: Path) -> None:
    written = entry("a.py", "def login(): pass", "x = 1", vector=unit(1))
    with open_writer(tmp_path) as writer:
        writer.replace(written)
        writer.replace_relationships("a.py", [edge("a.py", "validate")], np.array([unit(0, 1)], np.float32))
        writer.commit()
        assert dict(writer.facts()) == {"a.py": b"facts of a.py"}
    snapshot = must_open(tmp_path)
    assert snapshot.files == {"a.py": written.record}
    assert snapshot.chunks.get(range(2)) == list(written.chunks)
    assert snapshot.objects.get([0]) == list(written.objects)
    assert snapshot.relationships.get([0]) == [edge("a.py", "validate")]
    assert texts(snapshot, "login") == ["def login(): pass"]


def test_tables_that_are_read_side_by_side_agree_on_the_numbers_of_paths(tmp_path: Path) -> None:
    paths = [f"f{number}.py" for number in range(200)]
    with open_writer(tmp_path) as writer:
        for path in paths:
            writer.replace(entry(path, f"text of {path}"))
        writer.commit()
    for _ in range(5):
        snapshot = must_open(tmp_path)
        with ThreadPoolExecutor(2) as pool:
            chunks, objects = pool.map(partial(getattr, snapshot), ("chunks", "objects"))
        assert sorted(snapshot.paths) == sorted(paths)
        for path in paths:
            assert [chunk.path for chunk in chunks.get(chunks.positions_of_path(path))] == [path]
            assert [obj.path for obj in objects.get(objects.positions_of_path(path))] == [path]


def test_a_replaced_file_leaves_nothing_of_its_old_content(tmp_path: Path) -> None:
    follower = SnapshotFollower(tmp_path)
    with open_writer(tmp_path) as writer:
        writer.replace(entry("a.py", "alpha", vector=unit(1)))
        writer.replace(entry("b.py", "beta", vector=unit(0, 1)))
        writer.commit()
        before = follower.current()
        assert before is not None and texts(before, "alpha") == ["alpha"]
        writer.replace(entry("a.py", "gamma", vector=unit(0, 0, 1)))
        writer.commit()
        after = follower.current()
    assert after is not None
    assert texts(after, "alpha") == [] and texts(after, "gamma") == ["gamma"] and texts(after, "beta") == ["beta"]
    ranked = after.chunks.nearest(np.array(unit(1), np.float32), limit=5)
    assert {chunk.text for chunk in after.chunks.get(ranked.positions)} == {"gamma", "beta"}
    assert texts(before, "alpha") == ["alpha"], "a held snapshot is never disturbed"


def test_a_removed_file_takes_its_relationships_along(tmp_path: Path) -> None:
    with open_writer(tmp_path) as writer:
        writer.replace(entry("a.py", "alpha"))
        writer.replace_relationships("a.py", [edge("a.py", "x")], None)
        writer.commit()
        writer.remove("a.py")
        writer.commit()
    snapshot = must_open(tmp_path)
    assert (snapshot.chunks.count, snapshot.objects.count, snapshot.relationships.count) == (0, 0, 0)


@pytest.mark.req("REL-2")
def test_rows_without_an_embedding_are_never_nearest(tmp_path: Path) -> None:
    with open_writer(tmp_path) as writer:
        writer.replace(entry("a.py", "has none"))
        writer.replace(entry("b.py", "has one", vector=unit(1)))
        writer.replace_relationships(
            "b.py", [edge("b.py", "x"), edge("b.py", "y")], np.array([unit(1), [0.0] * DIM], np.float32)
        )
        writer.commit()
    snapshot = must_open(tmp_path)
    query = np.array(unit(1, 1), np.float32)
    assert [c.text for c in snapshot.chunks.get(snapshot.chunks.nearest(query, limit=9).positions)] == ["has one"]
    found = snapshot.relationships.get(snapshot.relationships.nearest(query, limit=9).positions)
    assert [r.target_name for r in found] == ["x"]


def test_a_filter_is_applied_before_the_cut(tmp_path: Path) -> None:
    with open_writer(tmp_path) as writer:
        for n in range(200):
            writer.replace(entry(f"noise/{n}.py", "needle " * 5, vector=unit(1)))
        writer.replace(entry("wanted/z.py", "needle in a long " + "hay " * 50, vector=unit(0.1, 1)))
        writer.commit()
    snapshot = must_open(tmp_path)
    allowed = np.zeros(snapshot.chunks.size, bool)
    allowed[snapshot.chunks.positions_of_path("wanted/z.py")] = True
    assert len(texts(snapshot, "needle", allowed=allowed)) == 1
    assert len(snapshot.chunks.nearest(np.array(unit(1), np.float32), limit=3, allowed=allowed).positions) == 1


def test_only_one_writer_at_a_time(tmp_path: Path) -> None:
    with open_writer(tmp_path), pytest.raises(WriterBusyError):
        open_writer(tmp_path)
    open_writer(tmp_path).close()


def test_another_embedder_means_a_rebuild_that_is_announced(tmp_path: Path) -> None:
    with open_writer(tmp_path) as writer:
        writer.replace(entry("a.py", "alpha"))
        writer.commit()
    with Writer.open(tmp_path, embedder_id="other", dim=4) as writer:
        assert writer.records() == {}
        assert any("embedder" in notice for notice in writer.notices)


def test_another_format_version_is_a_named_error_and_a_rebuild(tmp_path: Path) -> None:
    open_writer(tmp_path).close()
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    (tmp_path / "manifest.json").write_text(json.dumps(manifest | {"format_version": 999}))
    with pytest.raises(FormatVersionError):
        open_snapshot(tmp_path)
    with open_writer(tmp_path) as writer:
        assert any("format" in notice for notice in writer.notices)


@pytest.mark.parametrize(
    "victim", ["manifest.json", "tables/chunks.lance", "tables/files.lance", "lexical/chunks/meta.json"]
)
@pytest.mark.parametrize("damage", [b"", b"garbage" * 100])
def test_damage_is_a_named_error_for_readers_and_a_rebuild_for_the_writer(
    tmp_path: Path, victim: str, damage: bytes
) -> None:
    with open_writer(tmp_path) as writer:
        writer.replace(entry("a.py", "alpha"))
        writer.commit()
    target = tmp_path / victim
    for path in [target] if target.is_file() else [p for p in target.rglob("*") if p.is_file()]:
        path.write_bytes(damage)
    with pytest.raises(CorruptIndexError):
        texts(must_open(tmp_path), "alpha")
        _ = must_open(tmp_path).files
    with open_writer(tmp_path) as writer:
        assert writer.notices and writer.records() == {}
        writer.replace(entry("a.py", "alpha"))
        writer.commit()
    assert texts(must_open(tmp_path), "alpha") == ["alpha"]


_KILLED = """
import os, signal, sys
from pathlib import Path
from tests.support import stores as t
from sightline.store import writer as w
folder = Path(sys.argv[1])
writer = t.open_writer(folder)
writer.replace(t.entry("a.py", "alpha")); writer.replace(t.entry("b.py", "beta")); writer.commit()
stage = sys.argv[2]
def die(*_): os.kill(os.getpid(), signal.SIGKILL)
if stage == "before manifest": w.write_manifest = die
if stage == "after manifest": w.clear_pending = die
if stage == "between table and tantivy": w.Writer._replace_documents = die
writer.replace(t.entry("a.py", "gamma")); writer.remove("b.py"); writer.commit()
"""


@pytest.mark.parametrize("stage", ["before manifest", "after manifest", "between table and tantivy"])
def test_a_writer_killed_in_the_middle_of_a_commit_leaves_a_consistent_index(tmp_path: Path, stage: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", _KILLED, str(tmp_path / "i"), stage],
        cwd=REPOSITORY,
        env=os.environ | {"PYTHONHASHSEED": "0"},
        check=False,
    )
    assert run.returncode == -signal.SIGKILL
    committed = stage == "after manifest"
    expected = {"gamma"} if committed else {"alpha", "beta"}
    with open_writer(tmp_path / "i") as writer:
        assert not writer.notices, "a repair is enough, nothing is rebuilt"
        assert set(writer.records()) == ({"a.py"} if committed else {"a.py", "b.py"})
    snapshot = must_open(tmp_path / "i")
    assert {c.text for c in snapshot.chunks.get(np.flatnonzero(snapshot.chunks.alive))} == expected
    assert {text for term in ("alpha", "beta", "gamma") for text in texts(snapshot, term)} == expected


def test_compaction_keeps_every_row_and_readers_follow(tmp_path: Path) -> None:
    follower = SnapshotFollower(tmp_path)
    with open_writer(tmp_path) as writer:
        for n in range(12):
            writer.replace(entry(f"{n}.py", f"word{n}", vector=unit(1, n)))
            writer.commit()
        assert follower.current() is not None and texts(follower.current(), "word3") == ["word3"]  # type: ignore[arg-type]
        assert writer.tidy(force=True)
        snapshot = follower.current()
        assert snapshot is not None
        assert [texts(snapshot, f"word{n}") for n in range(12)] == [[f"word{n}"] for n in range(12)]
        writer.replace(entry("3.py", "changed"))
        writer.commit()
    after = follower.current()
    assert after is not None and texts(after, "word3") == [] and texts(after, "changed") == ["changed"]


def test_new_relationships_or_times_alone_leave_a_readers_chunks_and_objects_alive(tmp_path: Path) -> None:
    follower = SnapshotFollower(tmp_path)
    with open_writer(tmp_path) as writer:
        writer.replace(entry("a.py", "alpha"))
        writer.replace(entry("b.py", "beta"))
        writer.replace_relationships("a.py", [edge("a.py", "g")], None)
        writer.commit()
        first = follower.current()
        assert first is not None and first.files and (first.chunks.count, first.objects.count) == (2, 2)
        assert first.relationships.count == 1
        writer.replace_relationships("a.py", [edge("a.py", "h"), edge("a.py", "k")], None)
        writer.commit()
        second = follower.current()
        assert second is not None and texts(second, "alpha") == ["alpha"]
        assert (second.chunks.count, second.objects.count, second.relationships.count) == (2, 2, 2)
        writer.touch("a.py", 7)
        writer.commit()
        third = follower.current()
        assert third is not None and third.files["a.py"].mtime_ns == 7
        assert (third.chunks.count, third.objects.count, third.relationships.count) == (2, 2, 2)
        writer.remove("a.py")
        writer.commit()
    last = follower.current()
    assert last is not None and "a.py" not in last.files
    assert (last.chunks.count, last.objects.count, last.relationships.count) == (1, 1, 0)


def test_a_reader_far_behind_reads_everything_anew(tmp_path: Path) -> None:
    follower = SnapshotFollower(tmp_path)
    with open_writer(tmp_path) as writer:
        writer.replace(entry("a.py", "alpha"))
        writer.commit()
        follower.current()
        for n in range(3):
            for m in range(900):
                writer.replace(entry(f"{n}/{m}.py", f"w{n}x{m}"))
            writer.commit()
    manifest, snapshot = read_manifest(tmp_path), follower.current()
    assert manifest is not None and manifest.changed_since(1) is None
    assert snapshot is not None and snapshot.chunks.count == 2_701


def test_clear_removes_the_index(tmp_path: Path) -> None:
    open_writer(tmp_path / "i").close()
    assert clear(tmp_path / "i") and not (tmp_path / "i").exists()
    assert not clear(tmp_path / "i")


def test_an_index_of_another_version_is_rebuilt_since_that_may_see_more_in_the_same_files(tmp_path: Path) -> None:
    with open_writer(tmp_path) as writer:
        writer.replace(entry("a.py", "alpha"))
        writer.commit()
    manifest = read_manifest(tmp_path)
    assert manifest is not None
    write_manifest(tmp_path, replace(manifest, made_by="0.0.1"))
    with open_writer(tmp_path) as writer:
        assert any("0.0.1" in notice for notice in writer.notices) and writer.records() == {}
