"""What a table needs from time to time: fewer fragments, a vector index, an index of paths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import lance
import pyarrow as pa
from lancedb.index import Bitmap, IvfFlat

from sightline.store import schema, vectors

_COMPACT_FRAGMENTS = 96  # every small commit adds a fragment; beyond so many reads slow down (FACTS)
_REINDEX_SHARE = 0.25  # of rows outside the vector index before it is built anew
_PATH_INDEX = "idx_path"  # finds the rows of a file that is replaced
_PATH_INDEX_ROWS = 20_000  # from so many on: without it 650,000 rows take 40 ms of a core, with it 6


def tidied(name: str, table: Any, width: int | None, *, force: bool) -> bool:
    """Do what is due for a table, whose embeddings have this width if it has any; False when nothing was."""
    rewritten = False
    fragments = len(table.to_lance().get_fragments())
    if fragments > 1 and (force or fragments > _COMPACT_FRAGMENTS):
        _rewrite(table)
        rewritten = True
    if width is not None and _vector_index_due(name, table, width):
        if schema.stored_as(table.schema) != schema.WIDE:
            _rewrite(table, schema.widened)
        _build_vector_index(name, table)
        rewritten = True
    if _path_index_due(table):
        table.create_index("path", config=Bitmap(), name=_PATH_INDEX, replace=True)
        rewritten = True
    return rewritten


def _rewrite(table: Any, change: Callable[[pa.Table], pa.Table] = lambda rows: rows) -> None:
    """Write a table anew. LanceDB's own compaction would join rows with and without embedding (`by_embedding`)."""
    dataset = table.to_lance()
    for number, part in enumerate(schema.by_embedding(change(dataset.to_table()))):
        lance.write_dataset(part, dataset.uri, mode="append" if number else "overwrite")
    table.checkout_latest()


def _path_index_due(table: Any) -> bool:
    rows = table.count_rows()
    return bool(rows > _PATH_INDEX_ROWS and _outside(table, _PATH_INDEX, rows) > _REINDEX_SHARE * rows)


def _outside(table: Any, index: str, rows: int) -> int:
    """How many rows an index does not know; all while there is none."""
    stats = table.index_stats(index)
    return rows if stats is None else int(stats.num_unindexed_rows)


def _vector_index_due(name: str, table: Any, width: int) -> bool:
    rows = int(table.count_rows("vector IS NOT NULL"))
    if vectors.held(rows, width):
        return False
    return _outside(table, vectors.INDEX_NAMES[name], rows) > _REINDEX_SHARE * rows


def _build_vector_index(name: str, table: Any) -> None:
    rows = table.count_rows("vector IS NOT NULL")
    # Few iterations and samples: recall at NPROBES is the same and training takes seconds, not minutes (FACTS).
    config = IvfFlat(distance_type="cosine", num_partitions=vectors.partitions(rows), max_iterations=15, sample_rate=64)
    table.create_index("vector", config=config, name=vectors.INDEX_NAMES[name], replace=True)
