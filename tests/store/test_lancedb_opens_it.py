"""The tables are LanceDB's: its own client opens what we write, and we never have to load that client."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import lancedb
import pytest

from sightline.config import make_config
from sightline.embed import load_embedder
from sightline.indexer.pipeline import index_root
from sightline.indexer.service import open_writer
from sightline.store.manifest import TABLES


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "a.py").write_text("def first():\n    return second()\n\n\ndef second():\n    return 2\n")
    (folder / "b.md").write_text("# Notes\n\nfirst comes first\n")
    return folder


def test_the_lancedb_client_opens_and_searches_the_tables(root: Path, tmp_path: Path) -> None:
    config = make_config(root, index_dir=tmp_path / "indexes", environ={})
    embedder = load_embedder("static")
    with open_writer(config, embedder) as writer:
        index_root(config, writer, embedder)
        (root / "b.md").write_text("# Notes\n\nsecond comes second\n")
        index_root(config, writer, embedder)
        versions = writer.manifest.versions
    database = lancedb.connect(str(config.index_dir / "tables"))
    tables = {name: database.open_table(name) for name in TABLES}
    assert {name: table.version for name, table in tables.items()} == versions
    assert set(tables["files"].to_arrow()["path"].to_pylist()) == {"a.py", "b.md"}
    assert "second comes second" in "".join(tables["chunks"].to_arrow()["text"].to_pylist())
    assert tables["relationships"].count_rows("relationship_type = 'calls'") == 1


def test_indexing_and_asking_never_load_the_lancedb_client(root: Path, tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from sightline.server.cli.main import run\n"
        f"codes = [run(['index', {str(root)!r}]), run(['search', 'first', {str(root)!r}])]\n"
        "print('CODES', codes, 'lancedb' in sys.modules, 'lance' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        env={"SIGHTLINE_INDEX_DIR": str(tmp_path / "indexes"), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "CODES [0, 0] False True"
