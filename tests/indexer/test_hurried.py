"""What was just written is found before the memory of a large graph has been read; its relationships follow."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline.config import Config
from sightline.embed import load_embedder
from sightline.indexer.pipeline import Indexer
from sightline.indexer.service import open_writer
from sightline.store import Snapshot
from tests.support.index_content import content_of, fresh_content
from tests.support.indexes import finds, must_open


@pytest.fixture
def config(tmp_path: Path) -> Config:
    root = tmp_path / "root"
    root.mkdir()
    (root / "shop.py").write_text("def pay():\n    return 1\n")
    (root / "cart.py").write_text("from shop import pay\n\ndef check_out():\n    return pay()\n")
    return Config(root, tmp_path / "index")


def opened(config: Config) -> Snapshot:
    return must_open(config.index_dir)


def owes(indexer: Indexer) -> bool:
    """Whether relationships are owed; a call, since it changes with every update."""
    return indexer.owes


def test_content_is_committed_first_and_relationships_are_made_up_for(config: Config, tmp_path: Path) -> None:
    root, embedder = config.root, load_embedder("static")
    with open_writer(config, embedder) as writer:
        Indexer(config, writer, embedder).update()
        indexer = Indexer(config, writer, embedder)  # as after a restart: it knows nothing of the graph yet
        (root / "shop.py").write_text("def pay_quickly():\n    return 'marker'\n")
        indexer.update({"shop.py"}, hurried=lambda: True)
        assert owes(indexer)
        assert finds(opened(config), "marker")
        assert opened(config).manifest.state == "indexing"
        (root / "cart.py").write_text("from shop import pay_quickly\n\ndef check_out():\n    return pay_quickly()\n")
        indexer.update({"cart.py"}, hurried=lambda: True)
        assert finds(opened(config), "payquickly")
        assert indexer.warm()
        indexer.update(())
        assert not owes(indexer)
        assert opened(config).manifest.state == "ready"
    assert content_of(opened(config)) == fresh_content(root, tmp_path / "fresh", embedder)


def test_a_process_that_ends_while_relationships_are_owed_leaves_them_to_the_next(
    config: Config, tmp_path: Path
) -> None:
    root, embedder = config.root, load_embedder("static")
    with open_writer(config, embedder) as writer:
        Indexer(config, writer, embedder).update()
        (root / "shop.py").write_text("def settle():\n    return 1\n")
        Indexer(config, writer, embedder).update({"shop.py"}, hurried=lambda: True)
    with open_writer(config, embedder) as writer:
        Indexer(config, writer, embedder).update()
    assert content_of(opened(config)) == fresh_content(root, tmp_path / "fresh", embedder)
