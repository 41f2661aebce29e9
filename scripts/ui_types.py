"""The types of the explorer's page, made from what goes over the wire: prints web/src/wire.ts.

`scripts/ui` writes it down; tests/explorer holds the file to this.
"""

from __future__ import annotations

import dataclasses
import sys
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any, get_args, get_origin, get_type_hints, is_typeddict

from sightline import wire
from sightline.server.ui import shapes

HEAD = "// Made by scripts/ui from src/sightline/wire.py and server/ui/shapes.py; change those.\n"
_PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null", Any: "unknown"}


def page() -> str:
    """All types, in the order of their modules."""
    kinds = [kind for module in (wire, shapes) for kind in vars(module).values() if _is_ours(kind, module.__name__)]
    return HEAD + "".join(f"\n{_interface(kind)}" for kind in kinds)


def _is_ours(kind: object, module: str) -> bool:
    is_record = is_typeddict(kind) or (isinstance(kind, type) and dataclasses.is_dataclass(kind))
    return is_record and getattr(kind, "__module__", "") == module


def _interface(kind: type) -> str:
    hints = get_type_hints(kind, include_extras=True)
    lines = [f"  {name}{'' if always else '?'}: {_type(hints[name])};" for name, always in wire.fields_of(kind).items()]
    doc = (kind.__doc__ or "").split("\n")[0]
    return "\n".join([f"/** {doc} */", f"export interface {kind.__name__} {{", *lines, "}", ""])


def _type(hint: Any) -> str:
    origin, inside = get_origin(hint), get_args(hint)
    if hint in _PLAIN:
        return _PLAIN[hint]
    if origin is typing.NotRequired:
        return _type(inside[0])
    if origin is typing.Annotated:  # a record as it travels, beside the class that declares it
        return str(inside[1].__name__)
    if origin is typing.Literal:
        return " | ".join(f'"{value}"' for value in inside)
    if origin in (types.UnionType, typing.Union):
        return " | ".join(map(_type, inside))
    if origin in (list, Sequence, tuple):
        item = _type(inside[0])
        return f"({item})[]" if "|" in item else f"{item}[]"
    if origin in (dict, Mapping):
        return f"Record<{_type(inside[0])}, {_type(inside[1])}>"
    return str(hint.__name__)


if __name__ == "__main__":
    sys.stdout.write(page())
