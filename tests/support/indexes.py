"""Real indexes of real files, made as production makes them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sightline.config import Config, make_config
from sightline.embed import Embedder
from sightline.indexer.pipeline import index_root
from sightline.indexer.service import open_writer
from sightline.store import Snapshot, open_snapshot


def write_files(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files given as path → content below a folder."""
    root.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def must_open(folder: Path) -> Snapshot:
    """The snapshot of an index that must be there."""
    snapshot = open_snapshot(folder)
    assert snapshot is not None
    return snapshot


def index_with(config: Config, embedder: Embedder | None) -> Snapshot:
    """Index a root as it is configured and open the snapshot."""
    with open_writer(config, embedder) as writer:
        index_root(config, writer, embedder)
    return must_open(config.index_dir)


def index_folder(root: Path, index_dir: Path, embedder: Embedder | None) -> Snapshot:
    """Index a folder and open the snapshot."""
    return index_with(make_config(root, index_dir=index_dir, workers=1), embedder)


def finds(snapshot: Snapshot | None, word: str) -> bool:
    """Whether a word is found in any chunk."""
    return snapshot is not None and len(snapshot.chunks.lexical({word: 1.0}, limit=1).positions) > 0
