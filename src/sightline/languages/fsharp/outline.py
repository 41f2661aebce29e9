"""F#. The module or namespace at the head of a file is its package, not an object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.naming import child_of_type, field_text, has_word, named, text_of
from sightline.languages.spec import FIRST_LINE, Definition, LanguageSpec

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.types import ObjectKind

_TYPES: dict[str, ObjectKind] = {
    "record_type_defn": "struct",
    "union_type_defn": "enum",
    "enum_type_defn": "enum",
    "interface_type_defn": "interface",
    "anon_type_defn": "class",
    "type_abbrev_defn": "type_alias",
    "delegate_type_defn": "type_alias",
}


def _value(node: Node) -> tuple[ObjectKind, str] | None:
    function = child_of_type(node, "function_declaration_left")
    if function is not None:
        name = text_of(child_of_type(function, "identifier", "op_identifier", "active_pattern"))
        return ("function", name) if name else None
    value = child_of_type(node, "value_declaration_left")
    name = text_of(value.named_child(0)) if value is not None and value.named_child_count else ""
    return ("constant", name) if name.isidentifier() and name != "_" else None


def _type(node: Node) -> tuple[ObjectKind, str] | None:
    head = child_of_type(node, "type_name")
    name = field_text(head, "type_name") if head is not None else ""
    return (_TYPES[node.type], name) if name else None


def _member(node: Node) -> tuple[ObjectKind, str] | None:
    head = node.child_by_field_name("name")
    name = field_text(head, "method") or text_of(head) if head is not None else ""
    return ("method", name) if name.isidentifier() else None


def _doc(outer: Node) -> str:
    """The comment before a definition; this grammar puts it at the end of what stands there."""
    lines: list[str] = []
    before = outer.prev_named_sibling
    while before is not None and before.type not in ("xml_doc", "line_comment", "block_comment"):
        inner = before.named_child(before.named_child_count - 1) if before.named_child_count else None
        if inner is None or inner.end_byte > outer.start_byte:
            return ""
        before = inner
    row = outer.start_point.row
    while before is not None and before.type in ("xml_doc", "line_comment", "block_comment"):
        if before.end_point.row - (before.end_point.column == 0) < row - 1:
            break
        lines.append(text_of(before))
        row, before = before.start_point.row, before.prev_named_sibling
    return "\n".join(reversed(lines))


_AT_TOP = ("file", "named_module", "namespace", "module_defn", "ERROR")  # half-written files have no other top

FSHARP = LanguageSpec(
    name="fsharp",
    grammar="tree_sitter_fsharp:language",
    extra="fsharp",
    extensions=(".fs", ".fsx"),
    definitions={
        "module_defn": Definition("module", refine=named("module", "identifier"), body=FIRST_LINE),
        "function_or_value_defn": Definition(
            "function",
            refine=_value,
            body="body",
            patterns=tuple(f"({kind} (declaration_expression (function_or_value_defn) @def))" for kind in _AT_TOP),
        ),
        **{kind: Definition("class", refine=_type, body=FIRST_LINE) for kind in _TYPES},
        "member_signature": Definition("method", refine=named("method", "identifier")),
        "method_or_prop_defn": Definition("method", refine=_member, body=FIRST_LINE),
    },
    wrappers=frozenset({"declaration_expression", "type_definition", "member_defn"}),
    attributes=frozenset({"attributes"}),
    imports=frozenset({"import_decl"}),
    comments=frozenset({"line_comment", "block_comment", "xml_doc"}),
    doc_of=_doc,
    private=lambda _, node: has_word(node, "private"),
)
SPECS = (FSHARP,)
