"""The index as JSON lines: what other tools can read without knowing how it is stored."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sightline.server import heavy

if TYPE_CHECKING:
    from sightline.server.root import Root

TABLES = ("files", "chunks", "objects", "relationships")
GRAPH_FORMATS = ("jsonl", "graphml")
_BATCH = 1_000  # rows in memory at once


def export_lines(root: Root, tables: Sequence[str]) -> Iterator[str]:
    """One line of JSON per record, by path and line; `type` says what it is, as everywhere else."""
    snapshot = root.snapshot()
    if snapshot is None:
        return
    if "files" in tables:
        for _, file in sorted(snapshot.files.items()):
            yield _line(root, {"type": "file", **dataclasses.asdict(file)})
    if "chunks" in tables:
        rows, paths = snapshot.chunks, snapshot.paths
        order = sorted(
            rows.alive.nonzero()[0].tolist(),
            key=lambda position: (paths[int(rows.path_index[position])], int(rows.start_line[position]), position),
        )
        for start in range(0, len(order), _BATCH):
            for chunk in rows.get(order[start : start + _BATCH]):
                record = {"type": "chunk", **dataclasses.asdict(chunk)}
                del record["context"]  # of the index, never shown
                yield _line(root, record)
    wanted = {table.removesuffix("s") for table in tables} & {"object", "relationship"}
    if wanted:
        for record in heavy.graph_export.objects_and_relationships(snapshot):
            if record["type"] in wanted:
                yield _line(root, record)


def export_graph(root: Root, graph_format: str) -> Iterator[str]:
    """All objects and relationships of a root in a format other tools read, piece by piece."""
    snapshot = root.snapshot()
    if snapshot is not None:
        yield from (
            heavy.graph_export.graphml(snapshot) if graph_format == "graphml" else heavy.graph_export.jsonl(snapshot)
        )


def _line(root: Root, record: dict[str, Any]) -> str:
    return json.dumps({"root": root.name, **record}, ensure_ascii=False) + "\n"
