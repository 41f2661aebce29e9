"""What a table needs from time to time: fewer fragments, a vector index."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from sightline.store import schema, vectors
from sightline.store.table import Table

_COMPACT_FRAGMENTS = 96  # every small commit adds a fragment; beyond so many reads slow down (FACTS)
_REINDEX_SHARE = 0.25  # of rows outside the vector index before it is built anew


def tidied(name: str, table: Table, width: int | None, *, force: bool) -> bool:
    """Do what is due for a table, whose embeddings have this width if it has any; False when nothing was."""
    rewritten = False
    fragments = len(table.dataset.get_fragments())
    if fragments > 1 and (force or fragments > _COMPACT_FRAGMENTS):
        _rewrite(table)
        rewritten = True
    if width is not None and _vector_index_due(name, table, width):
        if schema.stored_as(table.schema) != schema.WIDE:
            _rewrite(table, schema.widened)
        _build_vector_index(name, table)
        rewritten = True
    return rewritten


def _rewrite(table: Table, change: Callable[[pa.Table], pa.Table] = lambda rows: rows) -> None:
    """Write a table anew. LanceDB's own compaction would join rows with and without embedding (`by_embedding`)."""
    table.rewrite(list(schema.by_embedding(change(table.dataset.to_table()))))


def _vector_index_due(name: str, table: Table, width: int) -> bool:
    rows = table.count_rows("vector IS NOT NULL")
    if vectors.held(rows, width):
        return False
    return min(rows, table.rows_outside(vectors.INDEX_NAMES[name])) > _REINDEX_SHARE * rows


def _build_vector_index(name: str, table: Table) -> None:
    rows = table.count_rows("vector IS NOT NULL")
    table.index_vectors(vectors.INDEX_NAMES[name], partitions=vectors.partitions(rows))
