"""The first sentence of a definition's documentation, clean of comment marks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sightline.languages.naming import first_child
from sightline.languages.spec import LanguageSpec
from sightline.languages.table import spec_of
from sightline.types import ParsedFile

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_DOC_CHARS = 200
_MAX_COMMENT_BYTES = 4_000  # the first sentence is nearer than that
_SPACE = re.compile(r"\s+")
_MARKS = re.compile(
    r"^\s*(?:/\*[*!]*|\(\*+|\*+/?|//[/!]*|--\[=*\[|--+|#+!?|;+|%+|<!--|\{-|['\"]{3})[ \t]*[|^]?"
    r"|\s*(?:\*+/|\*+\)|-\}|-->|\]=*\])\s*$"
)
_TAG = re.compile(r"</?(?:summary|remarks|para|returns|value|inheritdoc|c|code|p|b|i|em|strong|br)\b[^>]*>")
_REFERENCE = re.compile(r"<(?:see|seealso|paramref|typeparamref)\s+\w+=\"(?:\w:)?([^\"]*)\"\s*/?>|\{@\w+\s+([^}]*)\}")
_SECTION = re.compile(r"^\s*(?:@\w|<(?:param|typeparam|exception|example)\b|:param|Args:|Parameters$)")
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)\s+(?=[^a-z])|\n\s*\n")
_BEFORE_DOC = frozenset({"pragma", "hash_bang_line", "php_tag"})
_NOT_DOC = re.compile(
    r"copyright|license|SPDX|coding[:=]|eslint|prettier|@ts-|frozen_string_literal|^\s*!", re.IGNORECASE
)


def doc_of(spec: LanguageSpec, node: Node, outer: Node, body_field: str) -> str:
    """Return the first sentence of what documents a definition, "" when nothing does."""
    if spec.doc_of is not None:
        raw = spec.doc_of(outer)
    elif spec.doc == "docstring":
        raw = _docstring(node.child_by_field_name(body_field)) or _comment_before(spec, outer)
    else:
        raw = _comment_before(spec, outer)
    return first_sentence(raw) if raw else ""


def module_doc(parsed: ParsedFile) -> str:
    """Return the first sentence of what documents a file: its docstring or the comment it opens with."""
    spec = spec_of(parsed.language)
    if parsed.tree is None or spec.document:
        return ""
    if spec.doc == "docstring":
        raw = _docstring(parsed.tree.root_node)
        if raw:
            return first_sentence(raw)
    lines: list[str] = []
    row = -1
    for child in parsed.tree.root_node.named_children:
        if child.type in _BEFORE_DOC:
            continue
        text = _text(child)
        if child.type not in spec.comments or (lines and child.start_point.row > row + 1):
            break
        if text.startswith("#!") or _NOT_DOC.search(text):
            if lines:
                break
            continue
        lines.append(text)
        row = child.end_point.row - (child.end_point.column == 0)
    return first_sentence("\n".join(lines))


def first_sentence(raw: str) -> str:
    """Strip comment marks and markup from a comment or docstring and return its first sentence."""
    lines: list[str] = []
    for line in raw.strip().splitlines():
        clean = _MARKS.sub("", _MARKS.sub("", line)).strip()
        if _SECTION.match(clean) or (lines and not clean and lines != [""]):
            break
        lines.append(_TAG.sub("", clean))
    text = _REFERENCE.sub(lambda match: match.group(1) or match.group(2), "\n".join(lines)).strip()
    first = _SENTENCE_END.split(text, maxsplit=1)[0]
    return _SPACE.sub(" ", first).strip()[:_MAX_DOC_CHARS]


def _text(node: Node) -> str:
    text = node.text
    return text[:_MAX_COMMENT_BYTES].decode("utf-8", "replace") if text is not None else ""


def _docstring(body: Node | None) -> str:
    first = first_child(body)
    while first is not None and first.type == "comment":
        first = first.next_named_sibling
    string = first_child(first) if first is not None and first.type == "expression_statement" else first
    if string is None or string.type != "string":
        return ""
    return _text(string).lstrip("rRuUbBfF").strip("\"'")


def _comment_before(spec: LanguageSpec, outer: Node) -> str:
    """The run of comments that ends on the line above the definition; attributes between them are passed over."""
    lines: list[str] = []
    line, sibling = outer.start_point.row, _before(outer)
    while sibling is not None:
        end = sibling.end_point
        last_row = end.row - (end.column == 0)
        if sibling.type in spec.attributes:
            line, sibling = sibling.start_point.row, sibling.prev_named_sibling
            continue
        if sibling.type not in spec.comments or last_row < line - 1:
            break
        before = sibling.prev_named_sibling
        start_row = sibling.start_point.row
        if before is not None and before.end_point.row == start_row and before.end_point.column > 0:
            break  # a comment behind the code of the line before
        text = _text(sibling)
        if text.startswith("#!"):
            break
        lines.append(text)
        line, sibling = start_row, before
    return "\n".join(reversed(lines))


def _before(node: Node) -> Node | None:
    """What stands before a node, also where the grammar puts it outside the block that the node opens."""
    sibling = node.prev_named_sibling
    while sibling is None:
        parent = node.parent
        if parent is None or parent.parent is None or parent.start_byte != node.start_byte:
            return None
        node, sibling = parent, parent.prev_named_sibling
    if sibling.child_count and sibling.end_byte <= node.start_byte:
        last = sibling.named_child(sibling.named_child_count - 1) if sibling.named_child_count else None
        if last is not None and "haddock" in last.type:
            return last
    return sibling
