"""The seal: what is read is what was written, and what only looks different is no damage."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier

import pytest

from sightline.errors import CorruptIndexError
from sightline.store import Snapshot, Writer, read_manifest, report_damage, take_report
from sightline.store.manifest import write_manifest
from tests.support.indexes import must_open
from tests.support.stores import entry, open_writer, texts

WAIT_S = 60.0


def data_file(folder: Path) -> Path:
    return next((folder / "tables" / "chunks.lance" / "data").iterdir())


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def commits(writer: Writer, count: int) -> None:
    for number in range(count):
        writer.replace(entry(f"f{number}.py", f"word{number}"))
        writer.commit()


def test_a_flipped_bit_is_noticed_even_when_size_and_time_are_put_back(tmp_path: Path) -> None:
    with open_writer(tmp_path) as writer:
        commits(writer, 1)
    snapshot = must_open(tmp_path)
    assert texts(snapshot, "word0") == ["word0"]
    snapshot.check()
    victim = data_file(tmp_path)
    before = victim.stat()
    flip(victim)
    os.utime(victim, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(CorruptIndexError, match=r"tables/chunks.lance/data/.* is damaged"):
        snapshot.check()


def test_what_only_looks_different_is_no_damage(tmp_path: Path) -> None:
    with open_writer(tmp_path / "i") as writer:
        commits(writer, 1)
    snapshot = must_open(tmp_path / "i")
    assert texts(snapshot, "word0") == ["word0"]
    data_file(tmp_path / "i").touch()
    data_file(tmp_path / "i").chmod(0o640)
    snapshot.check()
    shutil.copytree(tmp_path / "i", tmp_path / "copy")  # restored from a backup
    assert texts(must_open(tmp_path / "copy"), "word0") == ["word0"]
    with open_writer(tmp_path / "copy") as writer:
        assert not writer.notices


def test_a_commit_on_top_of_damage_is_refused(tmp_path: Path) -> None:
    with open_writer(tmp_path) as writer:
        commits(writer, 2)
        flip(data_file(tmp_path))
        writer.replace(entry("more.py", "more"))
        with pytest.raises(CorruptIndexError, match="is damaged"):
            writer.commit()
    with open_writer(tmp_path) as writer:
        assert len(writer.notices) == 1 and "is damaged" in writer.notices[0] and not writer.records()


def merged_without_a_seal(folder: Path) -> Path:
    """An index whose writer was killed after tantivy merged segments and before the next commit; a merged segment."""
    with open_writer(folder) as writer:
        commits(writer, 20)
    manifest = read_manifest(folder)
    assert manifest is not None
    left = {file: seal for file, seal in manifest.sealed.items() if not file.startswith("lexical/chunks/")}
    write_manifest(folder, replace(manifest, sealed=left))
    return next((folder / "lexical" / "chunks").glob("*.term"))


def test_segments_merged_since_the_last_commit_are_no_damage(tmp_path: Path) -> None:
    merged_without_a_seal(tmp_path)
    assert texts(must_open(tmp_path), "word7") == ["word7"]
    with open_writer(tmp_path) as writer:
        assert not writer.notices and len(writer.records()) == 20
    manifest = read_manifest(tmp_path)
    assert manifest is not None
    found = {f"lexical/chunks/{path.name}" for path in (tmp_path / "lexical" / "chunks").glob("*.term")}
    assert found & set(manifest.sealed), "sealed when the writer was closed"


def test_damage_of_a_segment_merged_since_the_last_commit_is_noticed(tmp_path: Path) -> None:
    flip(merged_without_a_seal(tmp_path))
    with pytest.raises(CorruptIndexError, match=r"\.term is damaged"):
        must_open(tmp_path)
    with open_writer(tmp_path) as writer:
        assert writer.notices


def test_readers_go_on_while_merges_delete_the_segments_they_read(tmp_path: Path) -> None:
    with open_writer(tmp_path) as writer:
        commits(writer, 5)
        snapshot = must_open(tmp_path)
        assert texts(snapshot, "word3") == ["word3"]
        for number in range(20):
            writer.replace(entry(f"g{number}.py", "other"))
            writer.commit()
    snapshot.check()
    assert texts(snapshot, "word3") == ["word3"]


def test_threads_that_find_the_same_merged_segments_gone_all_go_on(tmp_path: Path) -> None:
    with open_writer(tmp_path) as writer:
        commits(writer, 1)
    for number in range(12):
        with open_writer(tmp_path) as writer:
            snapshot = must_open(tmp_path)
            assert texts(snapshot, "word0") == ["word0"]
            commits(writer, 9)  # more segments than tantivy leaves apart
        together = Barrier(8)

        def check(snapshot: Snapshot = snapshot, together: Barrier = together) -> None:
            together.wait(WAIT_S)
            snapshot.check()

        with ThreadPoolExecutor(8) as threads:
            for done in [threads.submit(check) for _ in range(8)]:
                done.result(WAIT_S)
        assert texts(snapshot, "word0") == ["word0"], number


@pytest.mark.parametrize("content", [b"", b"{", b'{"xxh3":"0000000000000000","why":"x"}', b"\xff\xfe"])
def test_even_a_damaged_report_of_damage_is_taken(tmp_path: Path, content: bytes) -> None:
    assert take_report(tmp_path) == ""
    report_damage(tmp_path, "table chunks cannot be read")
    assert take_report(tmp_path) == "table chunks cannot be read"
    (tmp_path / "damaged.json").write_bytes(content)
    assert "damaged" in take_report(tmp_path)
    assert take_report(tmp_path) == ""
