"""Haskell. A function is its signature and all its clauses; an instance's functions belong to the instance's type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.naming import child_of_type, field_text, text_of
from sightline.languages.spec import Definition, LanguageSpec

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.types import ObjectKind

# ERROR: one bad expression makes the grammar give up the whole block, but not what stands in it.
_LEVELS = ("declarations", "class_declarations", "instance_declarations", "ERROR")


def _name(node: Node) -> str:
    name = field_text(node, "name")
    if not name:
        infix = child_of_type(node, "infix")
        name = field_text(infix, "operator") if infix is not None else ""
    return name.strip("() `")


def _value(node: Node) -> tuple[ObjectKind, str] | None:
    """A signature or a clause; what has arguments, by its type or its patterns, is a function."""
    name = _name(node)
    if not name:
        return None
    if node.type == "function" or (node.parent is not None and node.parent.type in _LEVELS[1:3]):
        return "function", name
    if node.type == "bind":
        return "constant", name
    value = node.child_by_field_name("type")
    while value is not None and value.type in ("context", "forall"):
        value = value.child_by_field_name("type")
    return ("function" if value is not None and value.type == "function" else "constant"), name


def _instance(node: Node) -> str:
    """`instance Clock IO`: its functions belong to IO."""
    body = node.parent
    block = body.parent if body is not None and body.type == "instance_declarations" else None
    patterns = block.child_by_field_name("patterns") if block is not None and block.type == "instance" else None
    if patterns is None:
        return ""
    return text_of(patterns).strip("() ").split(" ")[0].strip("[]()")


def _in(node_type: str) -> tuple[str, ...]:
    return tuple(f"({level} ({node_type}) @def)" for level in _LEVELS)


def _clause(node_type: str) -> Definition:
    return Definition(
        "function", body="match", refine=_value, receiver=_instance, clauses=True, patterns=_in(node_type)
    )


HASKELL = LanguageSpec(
    name="haskell",
    grammar="tree_sitter_haskell:language",
    extensions=(".hs", ".hsc"),
    shebangs=("runhaskell", "runghc", "stack"),
    definitions={
        "signature": _clause("signature"),
        "function": _clause("function"),
        "bind": _clause("bind"),
        "data_type": Definition("struct", body="constructors"),
        "newtype": Definition("struct", body="constructor"),
        "class": Definition("interface", body=" where"),
        "type_synonym": Definition("type_alias", body=""),
        "type_family": Definition("type_alias", body=""),
        "data_family": Definition("type_alias", body=""),
    },
    imports=frozenset({"import"}),
    comments=frozenset({"comment", "haddock"}),
)
SPECS = (HASKELL,)
