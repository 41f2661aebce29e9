"""The definitions of a parsed file, in order, with their nesting.

One list serves the chunker and the graph, so that both agree on what a symbol is and where it begins and ends.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sightline.languages.documentation import doc_of
from sightline.languages.grammar import defining
from sightline.languages.spec import Definition, LanguageSpec
from sightline.languages.table import spec_of
from sightline.types import ObjectKind, ParsedFile

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_SIGNATURE_CHARS = 300
_MAX_CONSTANT_CHARS = 120  # a constant's signature is its first line
_SIGNATURE_END, _ARROWS = "{=:; ", ("=>", "->")
_WORDS = re.compile(r"[\w \t<>?]*")
_TYPES = frozenset({"class", "interface", "struct", "enum"})
_DOTTED = re.compile(r"[\w?!]+(?:\.[\w?!]+)+")


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
    owner: str = ""  # qualified name of the type it belongs to where nesting does not say so (extension, receiver)
    rest: tuple[Node, ...] = ()  # further nodes of it: a body that is a sibling, more clauses


def outline(parsed: ParsedFile) -> list[Defined]:
    """List the definitions of a file in the order they begin, outer before inner."""
    spec = spec_of(parsed.language)
    if parsed.tree is None or not spec.definitions:
        return []
    nodes = defining(parsed)
    found: list[Defined] = []
    groups: dict[int, bool] = {}
    open_: list[tuple[int, int]] = []  # (end_byte, index) of definitions that enclose the next node
    last_id = -1
    lasting = ""  # the qualified name of the definition that what follows belongs to
    for node in nodes:
        if node.id == last_id:  # two patterns may find one node
            continue
        last_id = node.id
        while open_ and open_[-1][0] < node.end_byte:
            open_.pop()
        parent = open_[-1][1] if open_ else -1
        enclosing = found[parent] if parent >= 0 else None
        defined = _define(parsed, spec, node, _outer(spec, node, groups), enclosing, parent, lasting)
        if spec.definitions[node.type].lasts and _body(spec, spec.definitions[node.type], node) is None:
            lasting = defined.qualified_name if defined is not None else ""
        if defined is None:
            continue
        index = _clause_of(spec, found, defined)
        if index >= 0:
            before = found[index]
            found[index] = replace(
                before,
                end_line=defined.end_line,
                kind=defined.kind if before.kind == "constant" else before.kind,
                rest=(*before.rest, node),
            )
        else:
            found.append(defined)
            index = len(found) - 1
        end = defined.rest[-1].end_byte if defined.rest else node.end_byte
        open_.append((end, index))
    return found


def _clause_of(spec: LanguageSpec, found: list[Defined], defined: Defined) -> int:
    """The index of the definition that this one continues, -1 when it stands for itself."""
    if not spec.definitions[defined.node.type].clauses:
        return -1
    index = len(found) - 1
    while index >= 0 and found[index].parent > defined.parent:  # inner definitions of the clause before
        index -= 1
    if index < 0:
        return -1
    before = found[index]
    same = before.qualified_name == defined.qualified_name and before.parent == defined.parent
    return index if same and spec.definitions[before.node.type].clauses else -1


def _define(
    parsed: ParsedFile,
    spec: LanguageSpec,
    node: Node,
    outer: Node,
    enclosing: Defined | None,
    parent: int,
    lasting: str,
) -> Defined | None:
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
    receiver = definition.receiver(node) if definition.receiver is not None else ""
    if enclosing is None and not definition.lasts:
        receiver = receiver or lasting
    prefix = enclosing.qualified_name if enclosing is not None else ""
    owner = ".".join(part for part in (prefix, receiver) if part) if receiver else ""
    scope = owner or prefix
    if kind == "function" and (owner or (enclosing is not None and enclosing.kind in _TYPES)):
        kind = "method"
    if kind == "method" and name in spec.constructors:
        kind = "constructor"
    tail = outer.next_named_sibling if spec.tails else None
    rest = (tail,) if tail is not None and tail.type in spec.tails else ()
    return Defined(
        node=node,
        outer=outer,
        kind=kind,
        name=name.rpartition(".")[2] if _DOTTED.fullmatch(name) else name,
        qualified_name=f"{scope}.{name}" if scope else name,
        parent=parent,
        start_line=outer.start_point.row + 1,
        end_line=last_line(rest[0] if rest else outer),
        signature=_signature(parsed, spec, definition, kind, node, outer, name),
        doc=doc_of(spec, node, outer, definition.body),
        private=spec.private(name, node) if spec.private is not None else False,
        owner=owner,
        rest=rest,
    )


def last_line(node: Node) -> int:
    """The last line a node has text on; a node that ends with its newline ends on the line before."""
    row, column = node.end_point
    return row + 1 if column > 0 or row == node.start_point.row else row


def _outer(spec: LanguageSpec, node: Node, groups: dict[int, bool]) -> Node:
    """Climb the wrappers that hold this definition alone; `groups` keeps which wrappers hold several."""
    outer = node
    while (parent := outer.parent) is not None and parent.type in spec.wrappers:
        several = groups.get(parent.id)
        if several is None:
            several = sum(child.type in spec.definitions for child in parent.named_children) > 1
            groups[parent.id] = several
        if several:
            break
        outer = parent
    return outer


def _signature(
    parsed: ParsedFile, spec: LanguageSpec, definition: Definition, kind: ObjectKind, node: Node, outer: Node, name: str
) -> str:
    """What a reader needs to use it: from its first keyword to where its body begins, on one line."""
    start = _signature_start(parsed, spec, outer)
    body = _body(spec, definition, node)
    end = body.start_byte if body is not None and kind != "constant" else outer.end_byte
    text = parsed.source[start : min(end, start + 4 * _MAX_SIGNATURE_CHARS)].decode("utf-8", "replace")
    if (group := outer.parent) is not None and group.type in spec.wrappers:
        keyword = group.child(0)  # `type`, `const`: the group's word stands before each of the group
        if keyword is not None and not keyword.is_named:
            text = f"{keyword.type} {text}"
    if kind == "constant":
        line_start = parsed.source.rfind(b"\n", 0, start) + 1
        before = parsed.source[line_start:start].decode("utf-8", "replace")
        text = before + text if _WORDS.fullmatch(before) else text  # `const int`, where the grammar has it outside
        return text.strip().partition("\n")[0].rstrip(" ;{[(\r")[:_MAX_CONSTANT_CHARS]
    if definition.body and not definition.body.isidentifier():
        text = text.partition(definition.body)[0]
    text = _without_end(" ".join(text.split()))[:_MAX_SIGNATURE_CHARS]
    named = kind == "constructor" or name.rpartition(".")[2] in text
    return text if named else f"{text} {name}"  # `typedef struct { … } point_t`: the name comes last


def _without_end(text: str) -> str:
    """A signature without what leads to the body."""
    text = text.rstrip(_SIGNATURE_END)
    while text.endswith(_ARROWS):
        text = text[:-2].rstrip(_SIGNATURE_END)
    return text


def _signature_start(parsed: ParsedFile, spec: LanguageSpec, outer: Node) -> int:
    """Where the definition begins behind its decorators and annotations."""
    start = outer.start_byte
    if not spec.attributes or parsed.source[start : start + 1] not in (b"@", b"[", b"#"):
        return start
    for child in outer.children:
        if child.type in spec.attributes:
            start = child.end_byte
        elif "modifier" in child.type and child.start_byte >= start:
            inner = [part for part in child.children if part.type in spec.attributes]
            return inner[-1].end_byte if inner else start
        else:
            break
    return start


def _body(spec: LanguageSpec, definition: Definition, node: Node) -> Node | None:
    body = node.child_by_field_name(definition.body) if definition.body.isidentifier() else None
    if body is not None:
        return body.child_by_field_name("body") or body
    if spec.bodies:
        return next((child for child in reversed(node.children) if child.type in spec.bodies), None)
    return None
