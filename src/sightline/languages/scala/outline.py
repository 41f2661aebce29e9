"""Scala."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.naming import (
    bare,
    child_of_type,
    field_text,
    private_word,
    text_of,
)
from sightline.languages.spec import Definition, LanguageSpec

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.types import ObjectKind


def _value(node: Node) -> tuple[ObjectKind, str] | None:
    name = node.child_by_field_name("pattern") or node.child_by_field_name("name")
    return ("constant", text_of(name)) if name is not None and name.type == "identifier" else None


def _extended(node: Node) -> str:
    """`extension (s: Session) def end` belongs to Session."""
    parent = node.parent
    if parent is not None and parent.type == "template_body":
        parent = parent.parent
    if parent is None or parent.type != "extension_definition":
        return ""
    parameters = parent.child_by_field_name("parameters")
    parameter = child_of_type(parameters, "parameter") if parameters is not None else None
    return bare(field_text(parameter, "type")) if parameter is not None else ""


def _values(node_type: str) -> tuple[str, ...]:
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
        "function_definition": Definition("function", receiver=_extended),
        "function_declaration": Definition("function", receiver=_extended),
        "val_definition": Definition("constant", body="value", refine=_value, patterns=_values("val_definition")),
        "var_definition": Definition("constant", body="value", refine=_value, patterns=_values("var_definition")),
    },
    attributes=frozenset({"annotation"}),
    constructors=frozenset({"this"}),
    imports=frozenset({"import_declaration"}),
    comments=frozenset({"comment", "block_comment"}),
    private=private_word,
)
SPECS = (SCALA,)
