"""The cache of analysis: what was analysed once is not again, whichever root it is in; and it is never needed."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.config import CACHE_FILE, Config
from sightline.embed import Embedder
from sightline.indexer.cache import keys, packing
from sightline.indexer.cache.shelf import Shelf, ShelfError
from sightline.indexer.pipeline import Report, index_root
from sightline.indexer.service import open_writer
from sightline.store import open_snapshot
from sightline.types import Chunk, FileEntry, FileRecord
from tests.support.index_content import content_of, fresh_content
from tests.support.indexes import write_files

FILES: Mapping[str, str] = {
    "a.py": "from b import beta\n\n\ndef alpha():\n    return beta()\n",
    "b.py": "def beta():\n    '''Says beta.'''\n    return 1\n",
    "web/c.ts": "export class Gamma { delta() { return 1 } }\n",
    "README.md": "# Title\n\nwords\n",
    "empty.py": "",
    "broken.py": "def broken(:\n",
}
MB = 1_000_000


def indexed(root: Path, index_dir: Path, embedder: Embedder | None, cache_bytes: int = 100 * MB) -> Report:
    """Index a root with the cache, and without the other shortcut: beginning with the index of another root."""
    config = Config(root, index_dir, cache_bytes=cache_bytes)
    with open_writer(config, embedder, beside=False) as writer:
        return index_root(config, writer, embedder)


@pytest.fixture
def roots(tmp_path: Path) -> tuple[Path, Path]:
    for name in ("one", "two"):
        write_files(tmp_path / "roots" / name, FILES)
    return tmp_path / "roots" / "one", tmp_path / "roots" / "two"


def test_another_work_tree_of_the_same_files_parses_nothing_and_has_the_same_index(
    roots: tuple[Path, Path], tmp_path: Path, embedder: Embedder
) -> None:
    assert indexed(roots[0], tmp_path / "home" / "one", embedder).files_from_cache == 0
    report = indexed(roots[1], tmp_path / "home" / "two", embedder)
    assert report.files_from_cache == report.files_changed == len(FILES)
    expected = fresh_content(roots[1], tmp_path / "fresh", embedder)
    assert content_of(open_snapshot(tmp_path / "home" / "two")) == expected


def test_another_work_tree_that_differs_in_nothing_but_times_needs_no_graph(
    roots: tuple[Path, Path], tmp_path: Path, embedder: Embedder
) -> None:
    """Files that are in no graph, such as pictures, are no reason for one either."""
    for number, root in enumerate(roots):
        (root / "picture.png").write_bytes(b"\x89PNG\0\0")
        for path in root.rglob("*.*"):
            os.utime(path, (1_000_000_000, 1_000_000_000 + number))
        config = Config(root, tmp_path / "home" / root.name, cache_bytes=100 * MB)
        with open_writer(config, embedder) as writer:
            report = index_root(config, writer, embedder)
    assert report.files_changed == len(FILES) + 1
    assert "graph" not in report.stages_s
    expected = fresh_content(roots[1], tmp_path / "fresh", embedder)
    assert content_of(open_snapshot(tmp_path / "home" / "two")) == expected


def test_a_switch_of_branch_and_back_parses_each_content_once(
    roots: tuple[Path, Path], tmp_path: Path, embedder: Embedder
) -> None:
    root, index_dir = roots[0], tmp_path / "home" / "one"
    indexed(root, index_dir, embedder)
    write_files(root, {"b.py": "def beta():\n    return 2\n"})
    assert indexed(root, index_dir, embedder).files_from_cache == 0
    write_files(root, {"b.py": FILES["b.py"]})
    report = indexed(root, index_dir, embedder)
    assert (report.files_changed, report.files_from_cache) == (1, 1)
    assert content_of(open_snapshot(index_dir)) == fresh_content(root, tmp_path / "fresh", embedder)


def test_without_a_model_nothing_of_one_with_a_model_is_used(
    roots: tuple[Path, Path], tmp_path: Path, embedder: Embedder
) -> None:
    indexed(roots[0], tmp_path / "home" / "one", embedder)
    config = Config(roots[1], tmp_path / "home" / "two", embedder="none", cache_bytes=MB)
    with open_writer(config, None, beside=False) as writer:
        assert index_root(config, writer, None).files_from_cache == 0


def test_code_that_reads_files_differently_finds_nothing(
    roots: tuple[Path, Path], tmp_path: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexed(roots[0], tmp_path / "home" / "one", embedder)
    monkeypatch.setattr(keys, "analysis_version", lambda: "another")
    assert indexed(roots[1], tmp_path / "home" / "two", embedder).files_from_cache == 0


def test_it_can_be_switched_off(roots: tuple[Path, Path], tmp_path: Path, embedder: Embedder) -> None:
    indexed(roots[0], tmp_path / "home" / "one", embedder, cache_bytes=0)
    assert not (tmp_path / "home" / CACHE_FILE).exists()


@pytest.mark.skipif(sys.platform == "win32", reason="modes and links")
def test_it_is_the_persons_alone_and_no_link_is_followed(
    roots: tuple[Path, Path], tmp_path: Path, embedder: Embedder
) -> None:
    indexed(roots[0], tmp_path / "home" / "one", embedder)
    assert stat.S_IMODE((tmp_path / "home" / CACHE_FILE).stat().st_mode) == 0o600
    (tmp_path / "theirs").write_text("theirs")
    (tmp_path / "link").symlink_to(tmp_path / "theirs")
    with pytest.raises(ShelfError):
        Shelf(tmp_path / "link", MB)
    assert (tmp_path / "theirs").read_text() == "theirs"


@pytest.mark.parametrize("damage", ["head", "middle", "zeros", "text", "short", "folder", "other format"])
def test_damage_of_the_file_costs_nothing_but_time(
    damage: str, roots: tuple[Path, Path], tmp_path: Path, embedder: Embedder
) -> None:
    indexed(roots[0], tmp_path / "home" / "one", embedder)
    path = tmp_path / "home" / CACHE_FILE
    content = bytearray(path.read_bytes())
    if damage == "head":
        content[:64] = os.urandom(64)
    elif damage == "middle":
        for at in range(4_096, len(content), 512):
            content[at : at + 64] = b"\xff" * 64
    elif damage == "zeros":
        content[:] = bytes(len(content))
    elif damage == "text":
        content[:] = b"not a database" * 100
    elif damage == "short":
        del content[len(content) // 2 :]
    if damage == "folder":
        path.unlink()
        path.mkdir()
    elif damage == "other format":
        with sqlite3.connect(path) as database:
            database.execute("PRAGMA user_version = 99")
        database.close()
    else:
        path.write_bytes(content)
    indexed(roots[1], tmp_path / "home" / "two", embedder)
    expected = fresh_content(roots[1], tmp_path / "fresh", embedder)
    assert content_of(open_snapshot(tmp_path / "home" / "two")) == expected


def test_an_entry_that_was_changed_is_noticed_and_made_anew(
    roots: tuple[Path, Path], tmp_path: Path, embedder: Embedder
) -> None:
    indexed(roots[0], tmp_path / "home" / "one", embedder)
    database = sqlite3.connect(tmp_path / "home" / CACHE_FILE)
    for number, data in database.execute("SELECT id, data FROM packed").fetchall():
        changed = bytearray(data)
        changed[len(changed) // 2] ^= 1
        database.execute("UPDATE packed SET data = ? WHERE id = ?", (bytes(changed), number))
    database.commit()
    database.close()
    assert indexed(roots[1], tmp_path / "home" / "two", embedder).files_from_cache == 0
    expected = fresh_content(roots[1], tmp_path / "fresh", embedder)
    assert content_of(open_snapshot(tmp_path / "home" / "two")) == expected
    write_files(tmp_path / "roots" / "three", FILES)
    assert indexed(tmp_path / "roots" / "three", tmp_path / "home" / "three", embedder).files_from_cache == len(FILES)


def test_entries_of_one_key_are_not_taken_for_those_of_another() -> None:
    record = FileRecord("a.py", "python", 1, 0, "hash", "indexed", "", 1, False)
    entry = FileEntry(record, [Chunk("a.py", 1, 1, "python", "x", "", "", "", "")], facts=b"facts")
    data = packing.pack(b"k" * 20, entry, 8)
    assert packing.unpack(b"k" * 20, data, record) == replace(entry, objects=[])
    with pytest.raises(packing.DamagedError):
        packing.unpack(b"o" * 20, data, record)


@settings(max_examples=200)
@given(st.binary(max_size=200), st.integers(0, 400))
def test_no_bytes_make_unpacking_do_anything_but_refuse(noise: bytes, at: int) -> None:
    record = FileRecord("a.py", "python", 1, 0, "hash", "indexed", "", 1, False)
    whole = packing.pack(b"k", FileEntry(record, [Chunk("a.py", 1, 1, "python", "x" * 50, "", "", "", "")]), 8)
    for data in (noise, whole[:at], whole[:at] + noise + whole[at + len(noise) :]):
        if data == whole:
            continue
        with pytest.raises(packing.DamagedError):
            packing.unpack(b"k", data, record)


def test_it_is_bounded_and_what_was_not_used_for_longest_goes_first(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / CACHE_FILE, 10_000)
    for number in range(9):
        shelf.add([(bytes([number]), bytes([number]), b"x" * 1_000)], [])
    first = shelf.ids([bytes([0])])[bytes([0])]
    shelf.add([], [first])
    for number in range(9, 14):
        shelf.add([(bytes([number]), bytes([number]), b"x" * 1_000)], [])
    assert shelf.size()[1] <= 10_000
    left = shelf.ids(bytes([number]) for number in range(14))
    assert bytes([0]) in left, "it was used"
    assert bytes([1]) not in left
    assert bytes([13]) in left
    shelf.close()


def test_several_processes_write_at_once_and_one_that_is_killed_leaves_nothing_half_written(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from sightline.indexer.cache.shelf import Shelf, ShelfError\n"
        "shelf = Shelf(Path(sys.argv[1]), 10**9); n = 0\n"
        "while True:\n"
        "    n += 1; key = f'{sys.argv[2]}-{n}'.encode()\n"
        "    try: shelf.add([(key, key, key * 2_000)], [])\n"
        "    except ShelfError: pass\n"
        "    print(n, flush=True)\n"
    )
    path = tmp_path / CACHE_FILE
    for round_ in range(3):
        writers = [
            subprocess.Popen(
                [sys.executable, "-P", "-c", program, str(path), f"{round_}.{number}"], stdout=subprocess.PIPE
            )
            for number in range(3)
        ]
        for number, writer in enumerate(writers):
            assert writer.stdout is not None
            for _ in range(20 + 17 * number):  # then it is killed, in the middle of the next one or of another's
                writer.stdout.readline()
            writer.kill()
            writer.wait()
            writer.stdout.close()
        shelf = Shelf(path, 10**9)
        assert shelf._db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        rows = shelf._db.execute("SELECT key, data FROM entries JOIN packed USING (id)").fetchall()
        assert rows
        assert all(data == key * 2_000 for key, data in rows)
        shelf.close()
