"""The JSON schema of what goes over the wire, from the one place that declares it (`wire.py`)."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from sightline import wire

# What the definitions are called in the schema: published under API version 1, before the client's classes were.
_NAMES: Mapping[type, str] = {
    wire.HitResult: "HitRef",
    wire.ChunkResult: "ChunkOut",
    wire.FileResult: "FileRef",
    wire.ObjectResult: "ObjectOut",
    wire.RelationshipEnd: "End",
    wire.RelationshipResult: "RelationshipOut",
}
_PLAIN: Mapping[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Any: {},
}


def output_schema(model: type) -> dict[str, Any]:
    """The JSON schema of an answer, nested records as `$defs`."""
    definitions: dict[str, Any] = {}
    schema = _record_schema(model, definitions)
    return {**schema, "$defs": definitions} if definitions else schema


def _record_schema(model: type, definitions: dict[str, Any]) -> dict[str, Any]:
    hints: Mapping[str, Any] = get_type_hints(model, include_extras=True)
    properties: dict[str, Any] = {}
    for name in wire.fields_of(model):
        properties[name] = _schema(hints[name], definitions)
        if model is wire.ObjectResult and name == "version_id":
            properties |= {old: _schema(str, definitions) for old in wire.RENAMED}
    required = [name for name, always in wire.fields_of(model).items() if always]
    return {"type": "object", "properties": properties, "required": required}


def _schema(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _schema(arguments[1], definitions)
    if origin is NotRequired:
        return _schema(arguments[0], definitions)
    if hint in _PLAIN:
        return dict(_PLAIN[hint])
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (list, Sequence):
        return {"type": "array", "items": _schema(arguments[0], definitions)}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": _schema(arguments[1], definitions)}
    if origin is Union or origin is types.UnionType:
        return {"anyOf": [_schema(argument, definitions) for argument in arguments]}
    if is_typeddict(hint) or dataclasses.is_dataclass(hint):
        name = _NAMES.get(hint, hint.__name__)
        if name not in definitions:
            definitions[name] = {}  # stands in while its own fields are read
            definitions[name] = _record_schema(hint, definitions)
        return {"$ref": f"#/$defs/{name}"}
    raise TypeError(f"no JSON schema for {hint!r}")
