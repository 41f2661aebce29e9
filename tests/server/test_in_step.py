"""`sightline index` with nothing to do: seen without opening the index, and never believed too easily."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sightline.config import make_config
from sightline.indexer.instep import compare
from sightline.server.app import App
from sightline.server.catchup import catch_up
from sightline.store import open_snapshot, read_manifest

SOURCES = {"a.py": "def first():\n    return 1\n", "b.py": "def second():\n    return 2\n", "notes.bin": "\0\1"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    for name, text in SOURCES.items():
        (folder / name).write_text(text)
    indexed(folder)
    return folder


def indexed(root: Path, embedder: str = "static") -> dict[str, Any]:
    app = App.open([root], index_dir=root.parent / "indexes", embedder=embedder)
    try:
        return catch_up(app.roots[0])
    finally:
        app.close()


def index_dir(root: Path) -> Path:
    return make_config(root, index_dir=root.parent / "indexes").index_dir


def seen_without_opening(root: Path) -> bool:
    manifest = read_manifest(index_dir(root))
    assert manifest is not None
    found = compare(make_config(root, index_dir=root.parent / "indexes"), lambda: manifest.embedder_id)
    return found is not None and not found.differing


def test_nothing_to_do_is_seen_without_loading_the_engines(root: Path) -> None:
    program = (
        "import sys; from sightline.server.cli.main import run; code = run(sys.argv[1:]); "
        "print(sorted({'lance', 'tantivy', 'pyarrow', 'numpy'} & set(sys.modules))); sys.exit(code)"
    )
    line = ["index", str(root), "--index-dir", str(root.parent / "indexes")]
    done = subprocess.run([sys.executable, "-P", "-c", program, *line], capture_output=True, text=True, check=True)
    said, loaded = done.stdout.splitlines()
    assert "2 files indexed (0 new or changed, 0 removed)" in said
    assert loaded == "[]"


def test_the_report_is_the_same_as_that_of_opening_the_index(root: Path) -> None:
    quick = indexed(root)
    (index_dir(root) / "files.json").unlink()
    opened = indexed(root)
    told = {"root", "generation", "files", "files_failed", "files_changed", "files_removed", "bytes_read", "notices"}
    assert {key: quick[key] for key in told} == {key: opened[key] for key in told}
    assert quick.keys() == opened.keys()
    assert seen_without_opening(root), "who opened it leaves the note again"


def test_a_root_of_which_a_rule_hides_everything_says_so(root: Path) -> None:
    (root / ".gitignore").write_text("/*\n!/debian/\n")
    assert "nothing is left to index" in indexed(root)["text"]
    assert "4 by .gitignore" in indexed(root)["text"], "also when nothing has changed since"
    (root / ".gitignore").unlink()
    assert "nothing is left" not in indexed(root)["text"]


def edit(root: Path) -> None:
    (root / "a.py").write_text("def other():\n    return 3\n")


def touch(root: Path) -> None:
    os.utime(root / "a.py", ns=(1, 1))


def remove(root: Path) -> None:
    (root / "a.py").unlink()


def add(root: Path) -> None:
    (root / "c.py").write_text("def third():\n    return 3\n")


def ignore(root: Path) -> None:
    (root / ".sightlineignore").write_text("a.py\n")


@pytest.mark.parametrize("change", [edit, touch, remove, add, ignore])
def test_whatever_differs_on_disk_is_indexed(root: Path, change: Any) -> None:
    change(root)
    assert not seen_without_opening(root)
    report = indexed(root)
    assert report["files_changed"] + report["files_removed"] >= 1
    assert indexed(root)["files_changed"] == 0


def test_a_damaged_index_is_built_anew_although_no_file_changed(root: Path) -> None:
    victim = next((index_dir(root) / "tables" / "chunks.lance" / "data").iterdir())
    victim.write_bytes(victim.read_bytes()[:-1] + b"\0")
    report = indexed(root)
    assert any("index rebuilt" in notice for notice in report["notices"])
    assert report["files_changed"] == len(SOURCES)


def test_an_interrupted_commit_is_repaired_although_no_file_changed(root: Path) -> None:
    from sightline.store.manifest import write_pending

    manifest = read_manifest(index_dir(root))
    assert manifest is not None
    write_pending(index_dir(root), manifest.generation + 1, ["a.py"])
    indexed(root)
    assert not (index_dir(root) / "pending.json").exists()


def test_another_embedder_is_another_index(root: Path) -> None:
    assert indexed(root, embedder="none")["files_changed"] == len(SOURCES)
    assert indexed(root, embedder="none")["files_changed"] == 0


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b'{"xxh3":"0000000000000000","files":{}}', b'{"xxh3":"x","index_id":1}']
)
def test_a_damaged_note_means_that_the_index_is_opened(root: Path, damage: bytes) -> None:
    (index_dir(root) / "files.json").write_bytes(damage)
    assert not seen_without_opening(root)
    assert indexed(root)["notices"] == []


def test_a_note_of_an_older_generation_is_not_believed(root: Path) -> None:
    note = index_dir(root) / "files.json"
    older = note.read_bytes()
    edit(root)
    indexed(root)
    note.write_bytes(older)
    assert json.loads(older)["generation"] < json.loads((index_dir(root) / "manifest.json").read_bytes())["generation"]
    (root / "a.py").write_text(SOURCES["a.py"])
    assert indexed(root)["files_changed"] == 1


def test_what_differs_is_all_that_is_looked_at_again(root: Path) -> None:
    edit(root)
    (root / "new").mkdir()
    (root / "new" / "c.py").write_text("def added():\n    return 1\n")
    (root / "b.py").unlink()
    manifest = read_manifest(index_dir(root))
    assert manifest is not None
    found = compare(make_config(root, index_dir=root.parent / "indexes"), lambda: manifest.embedder_id)
    assert found is not None and found.differing == {"a.py", "b.py", "new/c.py"}
    report = indexed(root)
    assert (report["files_changed"], report["files_removed"]) == (2, 1)
    snapshot = open_snapshot(index_dir(root))
    assert snapshot is not None and snapshot.files.keys() == {"a.py", "new/c.py", "notes.bin"}
    assert seen_without_opening(root)


def test_a_generation_that_came_in_between_is_compared_anew(root: Path) -> None:
    manifest = read_manifest(index_dir(root))
    assert manifest is not None
    found = compare(make_config(root, index_dir=root.parent / "indexes"), lambda: manifest.embedder_id)
    edit(root)
    indexed(root)
    newer = read_manifest(index_dir(root))
    assert found is not None and newer is not None
    assert found.is_of(manifest) and not found.is_of(newer)
