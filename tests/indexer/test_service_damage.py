"""A service whose index is damaged builds it anew, whoever noticed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sightline.config import Config
from sightline.indexer.service import IndexService
from sightline.store import Manifest, open_snapshot, read_manifest, report_damage
from tests.support.waiting import wait_for


@pytest.fixture
def service(tmp_path: Path) -> Iterator[IndexService]:
    root = tmp_path.resolve() / "root"
    root.mkdir()
    (root / "a.py").write_text("def login(): pass\n")
    service = IndexService(Config(root, tmp_path.resolve() / "index", embedder="none", workers=1), lambda: None)
    service.start()
    assert service.wait_caught_up(30)
    yield service
    service.stop()


def manifest_of(folder: Path) -> Manifest:
    manifest = read_manifest(folder)
    assert manifest is not None
    return manifest


def rebuilt(service: IndexService, folder: Path, old: str) -> bool:
    if not (folder / "manifest.json").exists() or not service.wait_caught_up(0):
        return False
    manifest = manifest_of(folder)
    return manifest.index_id != old and manifest.state == "ready"


def test_a_manifest_that_is_gone_is_noticed_without_a_question(service: IndexService, tmp_path: Path) -> None:
    folder = tmp_path.resolve() / "index"
    old = manifest_of(folder).index_id
    (folder / "manifest.json").unlink()
    wait_for(lambda: rebuilt(service, folder, old), "a rebuild")
    snapshot = open_snapshot(folder)
    assert snapshot is not None and set(snapshot.files) == {"a.py"}


def test_a_report_alone_changes_nothing_but_a_second_one_is_believed(service: IndexService, tmp_path: Path) -> None:
    folder = tmp_path.resolve() / "index"
    old = manifest_of(folder).index_id
    report_damage(folder, "table chunks cannot be read")
    wait_for(lambda: not (folder / "damaged.json").exists(), "the report to be taken")
    wait_for(lambda: service.status().role == "writer" and service.wait_caught_up(0), "the writer")
    assert manifest_of(folder).index_id == old, "it was looked through and is whole"
    report_damage(folder, "table chunks cannot be read")
    wait_for(lambda: rebuilt(service, folder, old), "a rebuild")
    assert not service.status().error
