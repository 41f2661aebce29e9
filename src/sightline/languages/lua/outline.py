"""Lua. Tables are modules and classes: `function M.f()` and `function M:f()` belong to M."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.naming import child_of_type, field_text, has_word, text_of
from sightline.languages.spec import FIRST_LINE, Definition, LanguageSpec

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.types import ObjectKind


def _target(node: Node) -> Node | None:
    """What a function or value is given to: an identifier, `M.f` or `M:f`."""
    named = node.child_by_field_name("name")
    if named is None:
        variables = child_of_type(node, "variable_list")
        named = variables.child_by_field_name("name") if variables is not None else None
    return named


def _function(node: Node) -> tuple[ObjectKind, str] | None:
    target = _target(node)
    if target is None:
        return None
    name = field_text(target, "field") or field_text(target, "method") or text_of(target)
    name = name.strip("\"'")
    return ("function", name) if name else None


def _table(node: Node) -> str:
    target = _target(node)
    return field_text(target, "table") if target is not None and target.type.endswith("index_expression") else ""


def _assignment(node: Node) -> tuple[ObjectKind, str] | None:
    """A function given to a name; of the file's own variables a table with a capital is a class, the rest constants."""
    values = child_of_type(node, "expression_list")
    value = values.child_by_field_name("value") if values is not None else None
    if value is None or text_of(value.child_by_field_name("name")) == "require":
        return None
    if value.type == "function_definition":
        return _function(node)
    target = _target(node)
    if target is None or target.type != "identifier":
        return None
    name = text_of(target)
    return ("class" if value.type == "table_constructor" and name[:1].isupper() and len(name) > 1 else "constant"), name


_FUNCTION_VALUE = "(expression_list value: (function_definition))"

LUA = LanguageSpec(
    name="lua",
    grammar="tree_sitter_lua:language",
    extensions=(".lua", ".rockspec"),
    shebangs=("lua", "luajit"),
    definitions={
        "function_declaration": Definition("function", refine=_function, receiver=_table),
        "assignment_statement": Definition(
            "constant",
            body=FIRST_LINE,
            refine=_assignment,
            receiver=_table,
            patterns=(
                "(chunk (variable_declaration (assignment_statement) @def))",
                f"(assignment_statement {_FUNCTION_VALUE}) @def",
            ),
        ),
        "field": Definition(
            "method",
            body="value",
            refine=_function,
            patterns=("(field name: (identifier) value: (function_definition)) @def",),
        ),
    },
    wrappers=frozenset({"variable_declaration"}),
    import_patterns=(
        "(variable_declaration (assignment_statement (expression_list value: (function_call name: (identifier) @_f"
        ' (#eq? @_f "require"))))) @import',
    ),
    private=lambda name, node: name.startswith("_") or has_word(node, "local"),
)
SPECS = (LUA,)
