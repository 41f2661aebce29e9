"""The index as JSON lines: what other tools can read without knowing how it is stored."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sightline.server.root import Root

TABLES = ("files", "chunks", "objects", "relationships")
GRAPH_FORMATS = ("jsonl", "graphml")
_BATCH = 1_000  # rows in memory at once


def export_lines(root: Root, tables: Sequence[str]) -> Iterator[str]:
    """One line of JSON per record, in the order of path and line; `record` names its table."""
    snapshot = root.snapshot()
    if snapshot is None:
        return
    for table in tables:
        if table == "files":
            for _, record in sorted(snapshot.files.items()):
                yield _line(root, "file", record)
            continue
        rows = getattr(snapshot, table)
        paths = snapshot.paths
        order = sorted(
            rows.alive.nonzero()[0].tolist(),
            key=lambda position: (paths[rows.path_index[position]], int(rows.start_line[position]), position),
        )
        for start in range(0, len(order), _BATCH):
            for record in rows.get(order[start : start + _BATCH]):
                yield _line(root, table.removesuffix("s"), record)


def export_graph(root: Root, graph_format: str) -> Iterator[str]:
    """All objects and relationships of a root in a format other tools read, piece by piece."""
    from sightline.graph import export

    snapshot = root.snapshot()
    if snapshot is not None:
        yield from export.graphml(snapshot) if graph_format == "graphml" else export.jsonl(snapshot)


def _line(root: Root, kind: str, record: Any) -> str:
    return json.dumps({"record": kind, "root": root.name, **dataclasses.asdict(record)}, ensure_ascii=False) + "\n"
