"""Julia. Methods of one function are several definitions of its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.naming import child_of_type, first_child, text_of
from sightline.languages.spec import FIRST_LINE, Definition, LanguageSpec

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.types import ObjectKind

_MAX_HEAD = 8  # nodes around the name in the head of a definition: `f(x::T)::S where {T <: U}`


def called_name(head: Node | None) -> str:
    """The name in the head of a function or type; `Base.show` gives the last word."""
    for _ in range(_MAX_HEAD):
        if head is None or head.type in ("identifier", "operator"):
            break
        if head.type == "field_expression":
            head = head.named_children[-1]
            break
        head = first_child(head)
    text = text_of(head)
    return text if head is not None and head.type in ("identifier", "operator") else ""


def _function(node: Node) -> tuple[ObjectKind, str] | None:
    name = called_name(child_of_type(node, "signature"))
    return ("macro" if node.type == "macro_definition" else "function", name) if name else None


def _type(kind: ObjectKind, node: Node) -> tuple[ObjectKind, str] | None:
    name = called_name(child_of_type(node, "type_head"))
    return (kind, name) if name else None


def _assigned(node: Node) -> tuple[ObjectKind, str] | None:
    """`f(x) = …` is a function; `const a = 1` a constant."""
    left = first_child(node)
    if left is None:
        return None
    if left.type == "identifier":
        return "constant", text_of(left)
    name = called_name(left)
    return ("function", name) if name else None


def _doc(outer: Node) -> str:
    """The string, or the comment, that stands before a definition."""
    before = outer.prev_named_sibling
    if before is None or before.end_point.row < outer.start_point.row - 1:
        return ""
    if before.type == "string_literal":
        paragraphs = [part for part in text_of(before).strip('"').split("\n\n") if part.strip()]
        prose = [part for part in paragraphs if not part.strip("\n").startswith("    ")]
        return (prose or [""])[0]
    return text_of(before) if before.type in ("line_comment", "block_comment") else ""


_SHORT = "(assignment . [(call_expression) (where_expression) (typed_expression (call_expression))]) @def"

JULIA = LanguageSpec(
    name="julia",
    grammar="tree_sitter_julia:language",
    extensions=(".jl",),
    shebangs=("julia",),
    definitions={
        "module_definition": Definition("module", body=FIRST_LINE),
        "struct_definition": Definition("struct", body=FIRST_LINE, refine=lambda node: _type("struct", node)),
        "abstract_definition": Definition("interface", refine=lambda node: _type("interface", node)),
        "primitive_definition": Definition("struct", refine=lambda node: _type("struct", node)),
        "function_definition": Definition("function", body=FIRST_LINE, refine=_function),
        "macro_definition": Definition("macro", body=FIRST_LINE, refine=_function),
        "assignment": Definition(
            "function", body=FIRST_LINE, refine=_assigned, patterns=(_SHORT, "(const_statement (assignment) @def)")
        ),
    },
    wrappers=frozenset({"const_statement"}),
    imports=frozenset({"using_statement", "import_statement"}),
    comments=frozenset({"line_comment", "block_comment"}),
    doc_of=_doc,
)
SPECS = (JULIA,)
