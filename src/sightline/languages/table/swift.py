"""Swift."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.spec import Definition, LanguageSpec

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.types import ObjectKind

_KINDS: dict[str, ObjectKind] = {"class": "class", "actor": "class", "struct": "struct", "enum": "enum"}
_TYPE_BODIES = ("class_body", "enum_class_body", "protocol_body")


def _type(node: Node) -> tuple[ObjectKind, str] | None:
    """A class, struct, enum or actor. An extension defines nothing itself: its members belong to the extended type."""
    keyword, name = node.child_by_field_name("declaration_kind"), node.child_by_field_name("name")
    if keyword is None or name is None or name.text is None:
        return None
    kind = _KINDS.get(keyword.type)
    return (kind, name.text.decode()) if kind is not None else None


def _function(node: Node) -> tuple[ObjectKind, str] | None:
    name = node.child_by_field_name("name")
    if name is None or name.text is None:
        return None
    inside = node.parent is not None and node.parent.type in _TYPE_BODIES
    return ("method" if inside else "function"), name.text.decode()


def extended_type(node: Node) -> str:
    """The name of the type that an enclosing `extension` extends, "" elsewhere."""
    body = node.parent
    owner = body.parent if body is not None and body.type in _TYPE_BODIES else None
    if owner is None or owner.type != "class_declaration":
        return ""
    keyword, name = owner.child_by_field_name("declaration_kind"), owner.child_by_field_name("name")
    if keyword is None or keyword.type != "extension" or name is None or name.text is None:
        return ""
    return name.text.decode().partition("<")[0]


SWIFT = LanguageSpec(
    name="swift",
    grammar="tree_sitter_swift:language",
    extensions=(".swift",),
    shebangs=("swift",),
    definitions={
        "class_declaration": Definition("class", refine=_type),
        "protocol_declaration": Definition("interface"),
        "function_declaration": Definition("function", refine=_function, receiver=extended_type),
        "protocol_function_declaration": Definition("method"),
        "init_declaration": Definition("constructor", refine=lambda _: ("constructor", "init"), receiver=extended_type),
        "typealias_declaration": Definition("type_alias"),
    },
    imports=frozenset({"import_declaration"}),
    comments=frozenset({"comment", "multiline_comment"}),
)
