"""Kotlin and Scala."""

from __future__ import annotations

from typing import TYPE_CHECKING

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


def _kotlin_class(node: Node) -> tuple[ObjectKind, str] | None:
    name = field_text(node, "name")
    if not name:
        return None
    if any(child.type == "interface" for child in node.children):
        return "interface", name
    return ("enum" if has_word(node, "enum") else "class"), name


def _kotlin_property(node: Node) -> tuple[ObjectKind, str] | None:
    """A constant: `const val`, or a `val` of the file."""
    declaration = child_of_type(node, "variable_declaration")
    name = text_of(child_of_type(declaration, "identifier")) if declaration is not None else ""
    top = node.parent is not None and node.parent.type == "source_file"
    return ("constant", name) if name and (top or has_word(node, "const")) else None


def _kotlin_receiver(node: Node) -> str:
    """`fun Session.end()` belongs to Session."""
    name = node.child_by_field_name("name")
    for child in node.named_children:
        if name is not None and child.start_byte >= name.start_byte:
            break
        if child.type in ("user_type", "nullable_type", "parenthesized_type"):
            return bare(text_of(child).strip("()"))
    return ""


KOTLIN = LanguageSpec(
    name="kotlin",
    grammar="tree_sitter_kotlin:language",
    extensions=(".kt", ".kts"),
    shebangs=("kotlin",),
    definitions={
        "class_declaration": Definition("class", refine=_kotlin_class),
        "object_declaration": Definition("class"),
        "function_declaration": Definition("function", receiver=_kotlin_receiver),
        "secondary_constructor": Definition("constructor", refine=always("constructor", "constructor")),
        "type_alias": Definition("type_alias", name="type"),
        "property_declaration": Definition(
            "constant",
            refine=_kotlin_property,
            patterns=("(source_file (property_declaration) @def)", "(class_body (property_declaration) @def)"),
        ),
    },
    bodies=frozenset({"class_body", "enum_class_body", "function_body", "block"}),
    attributes=frozenset({"annotation"}),
    imports=frozenset({"import"}),
    comments=frozenset({"line_comment", "block_comment"}),
    private=private_word,
)


def _scala_value(node: Node) -> tuple[ObjectKind, str] | None:
    name = node.child_by_field_name("pattern") or node.child_by_field_name("name")
    return ("constant", text_of(name)) if name is not None and name.type == "identifier" else None


def _scala_extended(node: Node) -> str:
    """`extension (s: Session) def end` belongs to Session."""
    parent = node.parent
    if parent is not None and parent.type == "template_body":
        parent = parent.parent
    if parent is None or parent.type != "extension_definition":
        return ""
    parameters = parent.child_by_field_name("parameters")
    parameter = child_of_type(parameters, "parameter") if parameters is not None else None
    return bare(field_text(parameter, "type")) if parameter is not None else ""


def _scala_values(node_type: str) -> tuple[str, ...]:
    owners = ("object_definition", "package_object")
    return (
        f"(compilation_unit ({node_type}) @def)",
        *(f"({owner} body: (template_body ({node_type}) @def))" for owner in owners),
    )


SCALA = LanguageSpec(
    name="scala",
    grammar="tree_sitter_scala:language",
    extensions=(".scala", ".sc", ".sbt"),
    shebangs=("scala", "scala-cli"),
    definitions={
        "class_definition": Definition("class"),
        "object_definition": Definition("class"),
        "package_object": Definition("module"),
        "trait_definition": Definition("interface"),
        "enum_definition": Definition("enum"),
        "given_definition": Definition("class"),
        "type_definition": Definition("type_alias", body=""),
        "function_definition": Definition("function", receiver=_scala_extended),
        "function_declaration": Definition("function", receiver=_scala_extended),
        "val_definition": Definition(
            "constant", body="value", refine=_scala_value, patterns=_scala_values("val_definition")
        ),
        "var_definition": Definition(
            "constant", body="value", refine=_scala_value, patterns=_scala_values("var_definition")
        ),
    },
    attributes=frozenset({"annotation"}),
    constructors=frozenset({"this"}),
    imports=frozenset({"import_declaration"}),
    comments=frozenset({"comment", "block_comment"}),
    private=private_word,
)
