"""TypeScript and TSX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.spec import Definition, LanguageSpec

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.types import ObjectKind

_FUNCTION_VALUES = ("arrow_function", "function_expression", "function", "generator_function")


def variable(node: Node) -> tuple[ObjectKind, str] | None:
    """A variable at module level; a function where its value is one (there and in nested scopes)."""
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None or name.type != "identifier" or name.text is None:
        return None
    if value is not None and value.type in _FUNCTION_VALUES:
        return "function", name.text.decode()
    declaration = node.parent
    outer = declaration.parent if declaration is not None else None
    if outer is not None and outer.type == "export_statement":
        outer = outer.parent
    return ("constant", name.text.decode()) if outer is not None and outer.type == "program" else None


def method(node: Node) -> tuple[ObjectKind, str] | None:
    """A method of a class; `constructor` is one of its own kind."""
    name = node.child_by_field_name("name")
    if name is None or name.text is None:
        return None
    text = name.text.decode()
    return ("constructor" if text == "constructor" else "method"), text


DEFINITIONS = {
    "function_declaration": Definition("function"),
    "generator_function_declaration": Definition("function"),
    "function_signature": Definition("function"),
    "class_declaration": Definition("class"),
    "abstract_class_declaration": Definition("class"),
    "interface_declaration": Definition("interface"),
    "enum_declaration": Definition("enum"),
    "type_alias_declaration": Definition("type_alias", body="value"),
    "internal_module": Definition("module"),
    "method_definition": Definition("method", refine=method),
    "method_signature": Definition("method", refine=method),
    "abstract_method_signature": Definition("method", refine=method),
    "variable_declarator": Definition("constant", body="value", refine=variable),
}
_WRAPPERS = frozenset({"export_statement", "lexical_declaration", "variable_declaration", "ambient_declaration"})
_IMPORTS = frozenset({"import_statement"})

TYPESCRIPT = LanguageSpec(
    name="typescript",
    grammar="tree_sitter_typescript:language_typescript",
    extensions=(".ts", ".mts", ".cts"),
    shebangs=("ts-node", "tsx", "deno", "bun"),
    definitions=DEFINITIONS,
    wrappers=_WRAPPERS,
    imports=_IMPORTS,
)
TSX = LanguageSpec(
    name="tsx",
    grammar="tree_sitter_typescript:language_tsx",
    extensions=(".tsx",),
    definitions=DEFINITIONS,
    wrappers=_WRAPPERS,
    imports=_IMPORTS,
)
