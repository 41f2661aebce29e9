"""The store seam: the only place that knows LanceDB and tantivy exist.

LanceDB tables are the record (`files`, `chunks`, `objects`, `relationships`); tantivy is the BM25 index and can be
rebuilt from them. A `Writer` stages what files contribute and commits it as a new generation: tables, then tantivy,
then one small manifest, replaced atomically. A `Snapshot` is what a query sees from start to end; `SnapshotFollower`
gives the newest one and costs a stat when nothing changed.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from sightline.store.lock import check_free, clear, live_writer, withdraw_writer, writer_pid
from sightline.store.manifest import FORMAT_VERSION, Manifest, read_manifest, report_damage, take_report

if TYPE_CHECKING:
    from sightline.store.columns import Category
    from sightline.store.rows import Ranked, Rows
    from sightline.store.snapshot import Snapshot, SnapshotFollower, open_snapshot
    from sightline.store.vectors import NPROBES, RELATIONSHIP_INDEX
    from sightline.store.writer import Writer

__all__ = [
    "FORMAT_VERSION",
    "NPROBES",
    "RELATIONSHIP_INDEX",
    "Category",
    "Manifest",
    "Ranked",
    "Rows",
    "Snapshot",
    "SnapshotFollower",
    "Writer",
    "check_free",
    "clear",
    "live_writer",
    "open_snapshot",
    "read_manifest",
    "report_damage",
    "take_report",
    "withdraw_writer",
    "writer_pid",
]


# The engines take a quarter of a second to import: seeing that an index is in step with the disk needs none of them,
# and a reader does without the writer.
_LATER = {
    "NPROBES": "vectors",
    "RELATIONSHIP_INDEX": "vectors",
    "Category": "columns",
    "Ranked": "rows",
    "Rows": "rows",
    "Snapshot": "snapshot",
    "SnapshotFollower": "snapshot",
    "Writer": "writer",
    "open_snapshot": "snapshot",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"sightline.store.{_LATER[name]}"), name)
