"""Functions that a macro makes of its arguments, as far as the form of its use says: `TEST(name) { … }`, and in a class
`PROPERTY(type, name)`.

What a macro stands for may be written in another file, and a file states its facts alone. So the form decides: no type
before a name in capitals, and arguments that are nothing else than a name, or a type and a name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

_MACRO = re.compile(rb"[A-Z][A-Z0-9_]{2,}")
_TYPES = frozenset(
    {"primitive_type", "type_identifier", "qualified_identifier", "template_type", "sized_type_specifier"}
)


class Made(NamedTuple):
    """A function that a macro makes."""

    macro: Node  # the name of the macro
    name: Node  # the argument that names the function
    result: Node | None  # the argument that is its result's type


def made_by_macro(node: Node) -> Made | None:
    """The function that a definition or a member of a class is, where a macro makes it."""
    declarator, type_ = node.child_by_field_name("declarator"), node.child_by_field_name("type")
    if declarator is None:
        return None
    if declarator.type == "parenthesized_declarator":  # the grammar of C takes the macro for the function's type
        name = declarator.named_child(0)
        if node.type != "function_definition" or type_ is None or name is None or name.type != "identifier":
            return None
        return Made(type_, name, None) if _is_macro(type_, "type_identifier") else None
    if type_ is not None or declarator.type != "function_declarator":
        return None
    macro = declarator.child_by_field_name("declarator")
    if macro is None or not _is_macro(macro, "identifier"):
        return None
    given = declarator.child_by_field_name("parameters")
    arguments = given.named_children if given is not None else []
    if any(argument.type != "parameter_declaration" for argument in arguments):
        return None
    types = [argument.child_by_field_name("type") for argument in arguments]
    name = types[-1] if types else None
    if name is None or name.type != "type_identifier" or arguments[-1].named_child_count != 1:
        return None
    if node.type == "function_definition":
        return Made(macro, name, None) if len(types) == 1 else None
    result = types[0]
    return Made(macro, name, result) if len(types) == 2 and result is not None and result.type in _TYPES else None


def _is_macro(node: Node, kind: str) -> bool:
    return node.type == kind and _MACRO.fullmatch(node.text or b"") is not None
