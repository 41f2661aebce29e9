"""Swift."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.naming import always, bare, child_of_type, field_text, has_word, text_of
from sightline.languages.spec import Definition, LanguageSpec

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.types import ObjectKind

_KINDS: dict[str, ObjectKind] = {"class": "class", "actor": "class", "struct": "struct", "enum": "enum"}
_TYPE_BODIES = ("class_body", "enum_class_body", "protocol_body")


def _type(node: Node) -> tuple[ObjectKind, str] | None:
    """A class, struct, enum or actor. An extension defines nothing itself: its members belong to the extended type."""
    keyword, name = node.child_by_field_name("declaration_kind"), field_text(node, "name")
    kind = _KINDS.get(keyword.type) if keyword is not None else None
    return (kind, name) if kind is not None and name else None


def _property(node: Node) -> tuple[ObjectKind, str] | None:
    """A constant of the file or type, or a property that computes its value."""
    name = bare(field_text(node, "name").partition(":")[0])
    if not name.isidentifier():
        return None
    if node.child_by_field_name("computed_value") is not None:
        return "method", name
    top = node.parent is not None and node.parent.type == "source_file"
    return ("constant", name) if top or has_word(node, "static") else None


def extended_type(node: Node) -> str:
    """The name of the type that an enclosing `extension` extends, "" elsewhere."""
    body = node.parent
    owner = body.parent if body is not None and body.type in _TYPE_BODIES else None
    if owner is None or owner.type != "class_declaration":
        return ""
    keyword = owner.child_by_field_name("declaration_kind")
    if keyword is None or keyword.type != "extension":
        return ""
    return bare(field_text(owner, "name"))


def _private(_: str, node: Node) -> bool:
    modifiers = text_of(child_of_type(node, "modifiers"))
    return "private" in modifiers  # fileprivate too


SWIFT = LanguageSpec(
    name="swift",
    grammar="tree_sitter_swift:language",
    extensions=(".swift",),
    shebangs=("swift",),
    definitions={
        "class_declaration": Definition("class", refine=_type, receiver=extended_type),
        "protocol_declaration": Definition("interface"),
        "function_declaration": Definition("function", receiver=extended_type),
        "protocol_function_declaration": Definition("method"),
        "property_declaration": Definition(
            "constant",
            body="computed_value",
            refine=_property,
            receiver=extended_type,
            patterns=(
                "(source_file (property_declaration) @def)",
                "(class_body (property_declaration) @def)",
                "(enum_class_body (property_declaration) @def)",
            ),
        ),
        "init_declaration": Definition("constructor", refine=always("constructor", "init"), receiver=extended_type),
        "deinit_declaration": Definition("method", refine=always("method", "deinit")),
        "subscript_declaration": Definition("method", refine=always("method", "subscript"), receiver=extended_type),
        "typealias_declaration": Definition("type_alias", receiver=extended_type),
    },
    bodies=frozenset({"computed_property", "function_body"}),
    attributes=frozenset({"attribute"}),
    imports=frozenset({"import_declaration"}),
    comments=frozenset({"comment", "multiline_comment"}),
    private=_private,
)
SPECS = (SWIFT,)
