"""The definitions of a parsed file, in order, with their nesting.

One list serves the chunker and the graph, so that both agree on what a symbol is and where it begins and ends.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tree_sitter import QueryCursor

from sightline.languages.grammar import definitions_query
from sightline.languages.spec import LanguageSpec
from sightline.languages.table import spec_of
from sightline.types import ObjectKind, ParsedFile

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_SIGNATURE_CHARS = 300
_MAX_DOC_CHARS = 200
_SPACE = re.compile(r"\s+")
_COMMENT_MARKS = re.compile(r"^[\s/*#;%!\"'<>-]+|[\s*/\"']+$")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s|\n\s*\n")


@dataclass(frozen=True, slots=True)
class Defined:
    """One definition: its node, its outermost node with decoration (`outer`), and its place in the nesting."""

    node: Node
    outer: Node
    kind: ObjectKind
    name: str
    qualified_name: str
    parent: int  # index into the outline of the enclosing definition, -1 at file level
    start_line: int
    end_line: int
    signature: str
    doc: str
    private: bool


def outline(parsed: ParsedFile) -> list[Defined]:
    """List the definitions of a file in the order they begin, outer before inner."""
    spec = spec_of(parsed.language)
    if parsed.tree is None or not spec.definitions:
        return []
    nodes = QueryCursor(definitions_query(parsed.language)).captures(parsed.tree.root_node).get("def", [])
    nodes.sort(key=lambda node: (node.start_byte, -node.end_byte))
    found: list[Defined] = []
    open_: list[tuple[int, int]] = []  # (end_byte, index) of definitions that enclose the next node
    for node in nodes:
        while open_ and open_[-1][0] < node.end_byte:
            open_.pop()
        parent = open_[-1][1] if open_ else -1
        defined = _define(parsed, spec, node, found, parent)
        if defined is not None:
            found.append(defined)
            open_.append((node.end_byte, len(found) - 1))
    return found


def _define(parsed: ParsedFile, spec: LanguageSpec, node: Node, found: list[Defined], parent: int) -> Defined | None:
    definition = spec.definitions[node.type]
    if definition.refine is not None:
        refined = definition.refine(node)
        if refined is None:
            return None
        kind, name = refined
    else:
        named = node.child_by_field_name(definition.name)
        if named is None or not named.text:
            return None
        kind, name = definition.kind, named.text.decode("utf-8", "replace")
    owner = definition.receiver(node) if definition.receiver is not None else ""
    prefix = owner or (found[parent].qualified_name if parent >= 0 else "")
    outer = _outer(spec, node)
    return Defined(
        node=node,
        outer=outer,
        kind="method" if owner and kind == "function" else kind,
        name=name,
        qualified_name=f"{prefix}.{name}" if prefix else name,
        parent=parent,
        start_line=outer.start_point.row + 1,
        end_line=last_line(outer),
        signature=_signature(parsed, node, outer, definition.body),
        doc=_doc(spec, node, outer, definition.body),
        private=spec.private(name, node) if spec.private is not None else False,
    )


def last_line(node: Node) -> int:
    """The last line a node has text on; a node that ends with its newline ends on the line before."""
    row, column = node.end_point
    return row + 1 if column > 0 or row == node.start_point.row else row


def _outer(spec: LanguageSpec, node: Node) -> Node:
    """Climb the wrappers that hold this definition alone."""
    outer = node
    while outer.parent is not None and outer.parent.type in spec.wrappers:
        siblings = [c for c in outer.parent.named_children if c.type == node.type]
        if len(siblings) > 1:
            break
        outer = outer.parent
    return outer


def _signature(parsed: ParsedFile, node: Node, outer: Node, body_field: str) -> str:
    body = node.child_by_field_name(body_field)
    end = body.start_byte if body is not None else node.end_byte
    text = parsed.source[node.start_byte : min(end, node.start_byte + 4 * _MAX_SIGNATURE_CHARS)].decode(
        "utf-8", "replace"
    )
    return _SPACE.sub(" ", text).strip(" {=:")[:_MAX_SIGNATURE_CHARS]


def _doc(spec: LanguageSpec, node: Node, outer: Node, body_field: str) -> str:
    raw = _docstring(node, body_field) if spec.doc == "docstring" else _comment_before(spec, outer)
    lines = [_COMMENT_MARKS.sub("", line) for line in raw.splitlines()]
    text = "\n".join(lines).strip()
    first = _SENTENCE_END.split(text, maxsplit=1)[0]
    return _SPACE.sub(" ", first).strip()[:_MAX_DOC_CHARS]


def _docstring(node: Node, body_field: str) -> str:
    body = node.child_by_field_name(body_field)
    first = next(iter(body.named_children), None) if body is not None else None
    string = (
        next(iter(first.named_children), None) if first is not None and first.type == "expression_statement" else first
    )
    if string is None or string.type != "string" or string.text is None:
        return ""
    return string.text.decode("utf-8", "replace").lstrip("rRuUbB").strip("\"'")


def _comment_before(spec: LanguageSpec, outer: Node) -> str:
    """The run of comments that ends on the line above the definition."""
    lines: list[str] = []
    line, sibling = outer.start_point.row, outer.prev_named_sibling
    while sibling is not None and sibling.type in spec.comments and last_line(sibling) >= line:
        if sibling.text is not None:
            lines.append(sibling.text.decode("utf-8", "replace"))
        line, sibling = sibling.start_point.row, sibling.prev_named_sibling
    return "\n".join(reversed(lines))
