"""What a table needs from time to time: fewer fragments, a vector index."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa

from sightline.memory import give_back
from sightline.store import schema, vectors
from sightline.store.table import Table

_COMPACT_FRAGMENTS = 96  # every small commit adds a fragment; beyond so many reads slow down (FACTS)
# Rows that are in memory at a time while a table is written anew. Of a table larger than so many of them on the disk
# more are: every slice becomes one or two fragments, and there must not be so many that it is due again at once.
_SLICE_BYTES, _MOST_SLICES = 64_000_000, 24
_BATCH_ROWS = 4_096
_REINDEX_SHARE = 0.25  # of rows outside the vector index before it is built anew


def tidied(name: str, table: Table, width: int | None, *, force: bool) -> bool:
    """Do what is due for a table, whose embeddings have this width if it has any; False when nothing was."""
    fragments = len(table.dataset.get_fragments())
    indexed = width is not None and _vector_index_due(name, table, width)
    if indexed and schema.stored_as(table.schema) != schema.WIDE:
        _rewrite(table, schema.widened)
    elif fragments > 1 and (force or fragments > _COMPACT_FRAGMENTS):
        _rewrite(table)
    elif not indexed:
        return False
    if indexed:
        _build_vector_index(name, table)
    give_back()  # what was read and written is free again
    return True


def _rewrite(table: Table, change: Callable[[pa.Table], pa.Table] = lambda rows: rows) -> None:
    """Write a table anew. LanceDB's own compaction would join rows with and without embedding (`by_embedding`)."""
    slice_bytes = max(_SLICE_BYTES, table.size_bytes() // _MOST_SLICES)
    table.rewrite(part for rows in _slices(table, slice_bytes) for part in schema.by_embedding(change(rows)))


def _slices(table: Table, slice_bytes: int) -> Iterator[pa.Table]:
    """All rows in their order, so many bytes at a time."""
    scanner = table.dataset.scanner(batch_size=_BATCH_ROWS, batch_readahead=1, fragment_readahead=1)
    batches, held = [], 0
    for batch in scanner.to_batches():
        batches.append(batch)
        held += batch.nbytes
        if held >= slice_bytes:
            yield pa.Table.from_batches(batches)
            batches, held = [], 0
    if batches:
        yield pa.Table.from_batches(batches)


def _vector_index_due(name: str, table: Table, width: int) -> bool:
    rows = table.count_rows("vector IS NOT NULL")
    if vectors.held(rows, width):
        return False
    return min(rows, table.rows_outside(vectors.INDEX_NAMES[name])) > _REINDEX_SHARE * rows


def _build_vector_index(name: str, table: Table) -> None:
    rows = table.count_rows("vector IS NOT NULL")
    table.index_vectors(vectors.INDEX_NAMES[name], partitions=vectors.partitions(rows))
