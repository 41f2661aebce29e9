"""What goes over the wire: the answers of the tools, of `--json` and of the Python client, API version 1.

Plain typed dictionaries: they cost nothing to build, mypy checks `payload.py` against them, and `output_schema` makes
the MCP output schema from them. Changes within a version are additive (GRA-5). Version 2 differs in one point: objects
no longer carry the deprecated `id` and `canonical_id` (GRA-6).
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypedDict, Union, get_args, get_origin, get_type_hints, is_typeddict

from sightline.types import FileState, HitType, IndexState

ApiVersion = Literal[1, 2]
API_VERSION: ApiVersion = 1


class HitRef(TypedDict):
    """A hit in the fused order, light."""

    type: HitType
    id: str
    rank: int
    score: float
    match_type: str
    path: str
    start_line: int
    end_line: int
    root: NotRequired[str]
    stale: NotRequired[bool]
    why: NotRequired[dict[str, float]]


class ChunkOut(TypedDict):
    """A chunk hit, or the chunk that holds the definition of an object hit (then `entity_id` names the object)."""

    id: str
    rank: int
    score: float
    match_type: str
    path: str
    start_line: int
    end_line: int
    language: str
    symbol: str
    kind: str
    text: str
    highlights: list[list[int]]
    entity_id: NotRequired[str]
    root: NotRequired[str]
    stale: NotRequired[bool]


class Member(TypedDict):
    """A member of a class, interface, struct, enum or module."""

    entity_id: str
    name: str
    qualified_name: str
    kind: str
    signature: str
    path: str
    start_line: int
    end_line: int


class ObjectOut(TypedDict):
    """An object. `id` (= version_id) and `canonical_id` (= entity_id) are deprecated and gone in API version 2."""

    entity_id: str
    version_id: str
    id: NotRequired[str]
    canonical_id: NotRequired[str]
    name: str
    qualified_name: str
    kind: str
    language: str
    path: str
    start_line: int
    end_line: int
    signature: str
    doc: str
    visibility: str
    parent_id: str
    rank: NotRequired[int]
    score: NotRequired[float]
    match_type: NotRequired[str]
    members: NotRequired[list[Member]]
    distance: NotRequired[int]
    root: NotRequired[str]
    stale: NotRequired[bool]


class End(TypedDict):
    """One end of a relationship; `entity_id`, `path` and `line` are empty or 0 for something outside the root."""

    name: str
    entity_id: str
    path: str
    line: int


class RelationshipOut(TypedDict):
    """A relationship with how sure it is and how its target was found."""

    id: str
    relationship_type: str
    source: End
    target: End
    triplet: str
    confidence: float
    resolution: str
    path: str
    site_line: int
    rank: NotRequired[int]
    score: NotRequired[float]
    match_type: NotRequired[str]
    similarity: NotRequired[float]
    distance: NotRequired[int]
    root: NotRequired[str]
    stale: NotRequired[bool]


class IndexOut(TypedDict):
    """The state of the index that answered."""

    state: IndexState
    generation: int
    files: int
    files_failed: int
    files_total: NotRequired[int]


class SearchOut(TypedDict):
    """Answer of `search`."""

    api_version: int
    query: str
    mode: str
    strategy: str
    hits: list[HitRef]
    chunks: list[ChunkOut]
    objects: list[ObjectOut]
    relationships: list[RelationshipOut]
    warnings: list[str]
    timings_ms: dict[str, float]
    index: IndexOut
    total: int
    truncated: bool
    next_cursor: str | None


class SymbolsOut(TypedDict):
    """Answer of `symbol_search`; `nearest` names what there is instead when nothing matched."""

    api_version: int
    name: str
    objects: list[ObjectOut]
    nearest: list[str]
    warnings: list[str]
    index: IndexOut
    total: int


class LeftOut(TypedDict):
    """What the limits of an expansion cut."""

    objects: int
    relationships: int


class GraphOut(TypedDict):
    """Answer of `expand_graph`; an ambiguous start gives `candidates` and no relationships."""

    api_version: int
    start: str
    start_objects: list[ObjectOut]
    candidates: list[ObjectOut]
    nearest: list[str]
    objects: list[ObjectOut]
    relationships: list[RelationshipOut]
    warnings: list[str]
    index: IndexOut
    truncated: bool
    left_out: LeftOut


class FactOut(TypedDict):
    """One claim of a research answer and the place that shows it."""

    kind: str
    source: str
    source_path: str
    target: str
    target_path: str
    path: str
    line: int
    confidence: float
    resolution: str
    proven: bool
    hops: int
    root: NotRequired[str]


class SectionOut(TypedDict):
    """A part of a research answer, as it is shown."""

    title: str
    lines: list[str]
    root: NotRequired[str]


class EvidenceLeftOut(TypedDict):
    """Evidence that did not fit, and how to get it."""

    what: str
    count: int
    how: str


class ResearchOut(TypedDict):
    """Answer of `code_research`; `facts` are exactly the claims that the shown lines make."""

    api_version: int
    question: str
    kind: str
    objects: list[ObjectOut]
    sections: list[SectionOut]
    facts: list[FactOut]
    left_out: list[EvidenceLeftOut]
    paths: list[str]
    stale_paths: list[str]
    tokens: int
    warnings: list[str]
    timings_ms: dict[str, float]
    index: IndexOut


class FileOut(TypedDict):
    """One file of the root and why it is in the index or not."""

    path: str
    state: FileState
    reason: str
    language: str
    size_bytes: int
    lines: int
    parse_errors: bool


def output_schema(model: type) -> dict[str, Any]:
    """The JSON schema of a typed dictionary, nested ones as `$defs`."""
    definitions: dict[str, Any] = {}
    schema = _typed_dict_schema(model, definitions)
    return {**schema, "$defs": definitions} if definitions else schema


def _typed_dict_schema(model: type, definitions: dict[str, Any]) -> dict[str, Any]:
    hints: Mapping[str, Any] = get_type_hints(model, include_extras=True)
    optional = {name for name, hint in hints.items() if get_origin(hint) is NotRequired}
    return {
        "type": "object",
        "properties": {name: _schema(hint, definitions) for name, hint in hints.items()},
        "required": [name for name in hints if name not in optional],
    }


_PLAIN: Mapping[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Any: {},
}


def _schema(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is NotRequired:
        return _schema(arguments[0], definitions)
    if hint in _PLAIN:
        return dict(_PLAIN[hint])
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin is list:
        return {"type": "array", "items": _schema(arguments[0], definitions)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(arguments[1], definitions)}
    if origin is Union or origin is types.UnionType:
        return {"anyOf": [_schema(argument, definitions) for argument in arguments]}
    if is_typeddict(hint):
        if hint.__name__ not in definitions:
            definitions[hint.__name__] = {}  # stands in while its own fields are read
            definitions[hint.__name__] = _typed_dict_schema(hint, definitions)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    raise TypeError(f"no JSON schema for {hint!r}")
