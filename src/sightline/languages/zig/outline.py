"""Zig. Types are constants whose value is a container."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.naming import child_of_type, first_child, has_word, text_of
from sightline.languages.spec import UNTIL_BRACE, Definition, LanguageSpec

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.types import ObjectKind

_CONTAINERS: dict[str, ObjectKind] = {
    "struct_declaration": "struct",
    "opaque_declaration": "struct",
    "union_declaration": "struct",
    "enum_declaration": "enum",
    "error_set_declaration": "enum",
}
_BUILTINS_THAT_NAME = ("@import", "@This", "@cImport")


def _variable(node: Node) -> tuple[ObjectKind, str] | None:
    children = node.named_children
    name = children[0] if children else None
    if name is None or name.type != "identifier":
        return None
    value = children[-1]
    if _is_import(value):
        return None
    return _CONTAINERS.get(value.type, "constant"), text_of(name)


def _is_import(value: Node) -> bool:
    """`@import("x")`, `@import("x").Y` and `@This()` only give something another name."""
    while value.type == "field_expression":
        inner = value.child_by_field_name("object")
        if inner is None:
            return False
        value = inner
    return value.type == "builtin_function" and text_of(first_child(value)) in _BUILTINS_THAT_NAME


def _test(node: Node) -> tuple[ObjectKind, str] | None:
    name = text_of(child_of_type(node, "string", "identifier")).strip('"')
    return ("function", name) if name else None


ZIG = LanguageSpec(
    name="zig",
    grammar="tree_sitter_zig:language",
    extensions=(".zig", ".zon"),
    definitions={
        "function_declaration": Definition("function"),
        "test_declaration": Definition("function", refine=_test),
        "variable_declaration": Definition(
            "constant",
            body=UNTIL_BRACE,
            refine=_variable,
            patterns=(
                "(source_file (variable_declaration) @def)",
                *(
                    f"({container} (variable_declaration) @def)"
                    for container in _CONTAINERS
                    if "error" not in container
                ),
            ),
        ),
    },
    bodies=frozenset({"block"}),
    import_patterns=(
        '(source_file (variable_declaration (builtin_function (builtin_identifier) @_b (#eq? @_b "@import"))) @import)',
        "(source_file (variable_declaration (field_expression object: (builtin_function (builtin_identifier) @_b"
        ' (#eq? @_b "@import")))) @import)',
    ),
    private=lambda _, node: not has_word(node, "pub"),
)
SPECS = (ZIG,)
