"""A root answers although its index was pruned, rebuilt or could not be written meanwhile."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sightline.config import Config
from sightline.errors import CorruptIndexError, StoreError
from sightline.indexer.pipeline import index_root
from sightline.indexer.service import open_writer
from sightline.server.app import App
from sightline.server.cli import commands
from sightline.server.progress import Call
from sightline.server.root import Root
from sightline.store import Snapshot, clear


@pytest.fixture
def root(tmp_path: Path) -> Root:
    folder = tmp_path.resolve() / "root"
    folder.mkdir()
    (folder / "a.py").write_text("def login(): pass\n")
    root = Root(Config(folder, tmp_path.resolve() / "index", embedder="none", workers=1), "root")
    build(root)
    return root


def build(root: Root) -> None:
    with open_writer(root.config, None) as writer:
        index_root(root.config, writer, None)


def chunk_texts(snapshot: Snapshot) -> list[str]:
    return [chunk.text for chunk in snapshot.chunks.get(snapshot.chunks.alive.nonzero()[0])]


def test_a_query_whose_tables_go_meanwhile_is_answered_from_the_new_ones(root: Root) -> None:
    asked: list[str] = []

    def ask(snapshot: Snapshot) -> list[str]:
        positions = snapshot.chunks.alive.nonzero()[0]
        if not asked:
            clear(root.config.index_dir)
            build(root)
        asked.append(snapshot.manifest.index_id)
        return [chunk.text for chunk in snapshot.chunks.get(positions)]

    found, answered = root.ask(ask, lambda _: ["a.py"], Call())
    assert found == ["def login(): pass"] and not answered.stale
    assert len(set(asked)) == 2, "once from each index"


def test_damage_that_stays_is_an_error_and_not_an_endless_try(root: Root) -> None:
    shutil.rmtree(root.config.index_dir / "tables" / "chunks.lance" / "data")
    with pytest.raises(CorruptIndexError):
        root.ask(chunk_texts, lambda _: [], Call())


def test_answers_say_why_the_index_is_not_kept_up_to_date(root: Root) -> None:
    (root.config.root / "a.py").unlink()
    root.config.root.rmdir()
    app = App([root])
    app.life.keep()
    try:
        assert root.service is not None
        while not root.service.status().error:
            assert not root.service.wait_caught_up(0.02)
        assert any("is not there" in warning for warning in root.warnings(None))
    finally:
        app.close()


def test_a_query_command_answers_from_an_index_that_cannot_be_written(
    root: Root, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise StoreError("the index folder cannot be written")

    monkeypatch.setattr(commands, "_catch_up", refused)
    commands.catch_up_if_possible(App([root]), quiet=True)
    assert "cannot be written" in capsys.readouterr().err
    clear(root.config.index_dir)
    with pytest.raises(StoreError):
        commands.catch_up_if_possible(App([root]), quiet=True)
