"""Kotlin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.kotlin.mending import mended
from sightline.languages.naming import (
    always,
    bare,
    child_of_type,
    field_text,
    has_word,
    private_word,
    text_of,
)
from sightline.languages.spec import Definition, LanguageSpec

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.types import ObjectKind


def _class(node: Node) -> tuple[ObjectKind, str] | None:
    name = field_text(node, "name")
    if not name:
        return None
    if any(child.type == "interface" for child in node.children):
        return "interface", name
    return ("enum" if has_word(node, "enum") else "class"), name


def _property(node: Node) -> tuple[ObjectKind, str] | None:
    """A constant: `const val`, or a `val` of the file."""
    declaration = child_of_type(node, "variable_declaration")
    name = text_of(child_of_type(declaration, "identifier")) if declaration is not None else ""
    top = node.parent is not None and node.parent.type == "source_file"
    return ("constant", name) if name and (top or has_word(node, "const")) else None


def _receiver(node: Node) -> str:
    """`fun Session.end()` belongs to Session."""
    name = node.child_by_field_name("name")
    for child in node.named_children:
        if name is not None and child.start_byte >= name.start_byte:
            break
        if child.type in ("user_type", "nullable_type", "parenthesized_type"):
            bound = bound_of(node, text_of(child))
            return bare(text_of(bound if bound is not None else child).strip("()"))
    return ""


def bound_of(node: Node, name: str) -> Node | None:
    """What a type parameter of a function has to be: `<T : Shape> T.draw()` draws shapes."""
    listed = child_of_type(node, "type_parameters")
    for parameter in listed.named_children if listed is not None else ():
        if parameter.type == "type_parameter" and text_of(child_of_type(parameter, "identifier")) == name.rstrip("?"):
            return next((c for c in parameter.named_children if c.type in ("user_type", "nullable_type")), None)
    return None


KOTLIN = LanguageSpec(
    name="kotlin",
    grammar="tree_sitter_kotlin:language",
    extensions=(".kt", ".kts"),
    shebangs=("kotlin",),
    definitions={
        "class_declaration": Definition("class", refine=_class),
        "object_declaration": Definition("class"),
        "function_declaration": Definition("function", receiver=_receiver),
        "secondary_constructor": Definition("constructor", refine=always("constructor", "constructor")),
        "type_alias": Definition("type_alias", name="type"),
        "property_declaration": Definition(
            "constant",
            refine=_property,
            patterns=("(source_file (property_declaration) @def)", "(class_body (property_declaration) @def)"),
        ),
    },
    bodies=frozenset({"class_body", "enum_class_body", "function_body", "block"}),
    attributes=frozenset({"annotation"}),
    imports=frozenset({"import"}),
    comments=frozenset({"line_comment", "block_comment"}),
    private=private_word,
    mended=mended,
)
SPECS = (KOTLIN,)
