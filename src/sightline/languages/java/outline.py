"""Java."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.naming import field_text, has_word, private_word
from sightline.languages.spec import Definition, LanguageSpec

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.types import ObjectKind


def _constant(node: Node) -> tuple[ObjectKind, str] | None:
    """A `static final` field, or any field of an interface."""
    if node.type == "field_declaration" and not (has_word(node, "static") and has_word(node, "final")):
        return None
    declarator = node.child_by_field_name("declarator")
    name = field_text(declarator, "name") if declarator is not None else ""
    return ("constant", name) if name else None


JAVA = LanguageSpec(
    name="java",
    grammar="tree_sitter_java:language",
    extensions=(".java",),
    definitions={
        "class_declaration": Definition("class"),
        "record_declaration": Definition("class"),
        "interface_declaration": Definition("interface"),
        "annotation_type_declaration": Definition("interface"),
        "enum_declaration": Definition("enum"),
        "method_declaration": Definition("method"),
        "annotation_type_element_declaration": Definition("method"),
        "constructor_declaration": Definition("constructor"),
        "compact_constructor_declaration": Definition("constructor"),
        "field_declaration": Definition("constant", refine=_constant),
        "constant_declaration": Definition("constant", refine=_constant),
    },
    attributes=frozenset({"marker_annotation", "annotation"}),
    imports=frozenset({"import_declaration"}),
    comments=frozenset({"line_comment", "block_comment"}),
    private=private_word,
)
SPECS = (JAVA,)
