"""Everything an index says, to compare two of them; shared by the tests of the indexer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sightline.config import Config
from sightline.embed import Embedder
from sightline.indexer.pipeline import Indexer
from sightline.indexer.service import open_writer
from sightline.store import Snapshot, open_snapshot


def content_of(snapshot: Snapshot | None) -> dict[str, Any]:
    """Everything an index says, in an order of its own; times and row addresses aside."""
    assert snapshot is not None
    tables: dict[str, Any] = {}
    for name in ("chunks", "objects", "relationships"):
        rows = getattr(snapshot, name)
        living = np.flatnonzero(rows.alive)
        vectors = rows.vectors(living)  # to the byte: nothing of an index depends on how it came about
        records = zip(rows.get(living), map(tuple, vectors.tolist()), strict=True)
        tables[name] = sorted(records, key=repr)
        expected = sum(getattr(r, "relationship_type", "") != "contains" for r, _ in tables[name])
        searched = rows._words._searcher.num_docs
        assert searched == expected, f"BM25 has {searched} {name}, the table {expected}"
    tables["files"] = sorted(repr(replace(record, mtime_ns=0)) for record in snapshot.files.values())
    return tables


def fresh_content(root: Path, folder: Path, embedder: Embedder) -> dict[str, Any]:
    config = Config(root, folder)
    with open_writer(config, embedder) as writer:
        Indexer(config, writer, embedder).update()
    return content_of(open_snapshot(folder))
