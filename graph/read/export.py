"""All objects and relationships of a snapshot, for other tools and for checking: as plain values and as GraphML.

Both are a stream, ordered by path, line and id, so that two exports of the same code are the same bytes.
The ends of a relationship say everything that is needed to judge it without looking the objects up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from sightline import wire
from sightline.types import Object, Relationship

if TYPE_CHECKING:
    from sightline.store import Rows, Snapshot

FORMATS = ("jsonl", "graphml")
EXTERNAL_KIND = "external"  # of a target outside the root
_BATCH = 2_000  # records in memory at once
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0 cannot say these at all
_NODE_KEYS = ("name", "qualified_name", "kind", "language", "path", "line", "end_line", "signature", "visibility")
_EDGE_KEYS = ("relationship_type", "confidence", "resolution", "path", "site_line", "triplet", "label")
_KEY_TYPES = {"line": "int", "end_line": "int", "site_line": "int", "confidence": "double"}


def objects_and_relationships(snapshot: Snapshot) -> Iterator[dict[str, Any]]:
    """Every object, then every relationship, as plain values; `type` says which it is."""
    for batch in _batches(snapshot, snapshot.objects):
        for item in snapshot.objects.get(batch):
            yield _object(item)
    for batch in _batches(snapshot, snapshot.relationships):
        for edge in snapshot.relationships.get(batch):
            yield _relationship(snapshot, edge)


def graphml(snapshot: Snapshot) -> Iterator[str]:
    """A GraphML document, piece by piece. What lies outside the root becomes a node of kind `external`."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for domain, keys in (("node", _NODE_KEYS), ("edge", _EDGE_KEYS)):
        for key in keys:
            type_ = _KEY_TYPES.get(key, "string")
            yield f'  <key id="{domain}_{key}" for="{domain}" attr.name="{key}" attr.type="{type_}"/>\n'
    yield '  <graph id="sightline" edgedefault="directed">\n'
    outside: set[str] = set()
    for record in objects_and_relationships(snapshot):
        if record["type"] == "object":
            yield _node(record["entity_id"], {**record, "line": record["start_line"]})
            continue
        target = record["target"]
        target_id = target["entity_id"] or f"external:{target['name']}"
        if not target["entity_id"] and target_id not in outside:
            outside.add(target_id)
            yield _node(target_id, {"name": target["name"], "kind": EXTERNAL_KIND})
        yield _edge(record, target_id)
    yield "  </graph>\n</graphml>\n"


def _batches(snapshot: Snapshot, rows: Rows[Any]) -> Iterator[Sequence[int]]:
    """Positions of the living rows by path, line and id; what encloses comes before what it encloses."""
    paths = snapshot.paths
    nested = rows.column("parent") != 0 if rows is snapshot.objects else np.zeros(rows.size, bool)
    order = sorted(
        np.flatnonzero(rows.alive).tolist(),
        key=lambda p: (paths[int(rows.path_index[p])], rows.start_line[p], -rows.end_line[p], nested[p], rows.ids[p]),
    )
    for start in range(0, len(order), _BATCH):
        yield order[start : start + _BATCH]


def _object(item: Object) -> dict[str, Any]:
    ids = {"entity_id": item.entity_id, "version_id": item.version_id, **wire.renamed(item)}
    return {"type": "object", **ids, **wire.data(wire.ObjectResult, item)}


def _relationship(snapshot: Snapshot, edge: Relationship) -> dict[str, Any]:
    source = _end(snapshot, edge.source_id, edge.source_name, edge.path)
    target = _end(snapshot, edge.target_id, edge.target_name, edge.target_path)
    return {"type": "relationship", **wire.data(wire.RelationshipResult, edge, source=source, target=target)}


def _end(snapshot: Snapshot, entity_id: str, qualified_name: str, path: str) -> dict[str, Any]:
    """One end: where it is defined, or only its name when it lies outside the root."""
    objects = snapshot.objects
    position = objects.position(entity_id) if entity_id else None
    if position is None:
        name, kind, line = qualified_name, EXTERNAL_KIND, 0
    else:
        name, kind = objects.column("name")[position], objects.column("kind")[position]
        path, line = objects.path(position), int(objects.start_line[position])
    return {
        "name": name,
        "qualified_name": qualified_name,
        "kind": kind,
        "path": path,
        "line": line,
        "entity_id": entity_id,
    }


def _node(node_id: str, values: dict[str, Any]) -> str:
    data = _data("node", _NODE_KEYS, values)
    return f"    <node id={_attribute(node_id)}>{data}</node>\n"


def _edge(record: dict[str, Any], target_id: str) -> str:
    source_id, data = record["source"]["entity_id"], _data("edge", _EDGE_KEYS, record)
    ends = f"source={_attribute(source_id)} target={_attribute(target_id)}"
    return f"    <edge id={_attribute(record['id'])} {ends}>{data}</edge>\n"


def _data(domain: str, keys: Sequence[str], values: dict[str, Any]) -> str:
    return "".join(
        f'<data key="{domain}_{key}">{escape(_sayable(str(values[key])))}</data>' for key in keys if key in values
    )


def _attribute(text: str) -> str:
    return quoteattr(_sayable(text))


def _sayable(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
