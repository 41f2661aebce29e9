"""The index as JSON lines, which other tools can read without knowing how it is stored, and as pictures for people."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sightline.errors import QueryError
from sightline.server import heavy
from sightline.server.answers import picture
from sightline.types import RELATIONSHIP_TYPES

if TYPE_CHECKING:
    from sightline.server.root import Root
    from sightline.types import Object

TABLES = ("files", "chunks", "objects", "relationships")
GRAPH_FORMATS = ("jsonl", "graphml")
PICTURES = tuple(picture.FORMATS)
_BATCH = 1_000  # rows in memory at once
_MAX_DRAWN = 120  # symbols of a neighbourhood; more cannot be told apart on paper


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
    if snapshot is None:
        return
    if graph_format == "graphml":
        yield from heavy.graph_export.graphml(snapshot)
    else:
        yield from export_lines(root, ("objects", "relationships"))


def export_picture(
    root: Root, picture_format: str, *, start: str = "", depth: int = 1, direction: str = "both", folder: str = ""
) -> str:
    """The neighbourhood of a symbol as a picture; without a start the map of the folders below one."""
    snapshot = root.snapshot()
    if snapshot is None:
        raise QueryError(f"nothing of {root.name} is indexed")
    draw = picture.FORMATS[picture_format]
    if not start:
        found = heavy.modulemap.module_map(snapshot, folder)
        if not found.areas:
            raise QueryError(f"there are no files below {folder!r}", hint="give a folder relative to the root")
        return draw(picture.of_map(f"{root.name}/{found.folder}", found))
    meant = heavy.walk.resolve_start(snapshot, start)
    if not meant.entity_ids:
        raise QueryError(f"{start!r} is not one symbol", hint=_instead(meant.candidates, meant.nearest))
    expansion = heavy.walk.expand(
        snapshot,
        meant.entity_ids,
        direction=direction,  # type: ignore[arg-type]
        relationship_types=[kind for kind in RELATIONSHIP_TYPES if kind != "contains"],
        depth=depth,
        max_nodes=_MAX_DRAWN,
        max_edges=10 * _MAX_DRAWN,
    )
    return draw(picture.of_expansion(start, expansion))


def _instead(candidates: Sequence[Object], nearest: Sequence[str]) -> str:
    """What to give instead of a name that means several symbols, or none."""
    if candidates:
        shown = ", ".join(f"{item.path}:{item.start_line} ({item.qualified_name})" for item in candidates[:5])
        return f"give one of {shown}"
    return f"nearest: {', '.join(nearest)}" if nearest else "find it with sightline symbol"


def _line(root: Root, record: dict[str, Any]) -> str:
    return json.dumps({"root": root.name, **record}, ensure_ascii=False) + "\n"
