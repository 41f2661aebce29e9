"""Symbols as people of the language call them: `expect class`, `object`, `impl Schedule for Arc<Handle>`.

The graph knows a dozen kinds for all languages; what the source says is read off the line that declares the symbol.
"""

from __future__ import annotations

import re

from sightline.retrieval.research.evidence import TYPE_KINDS, Graph
from sightline.retrieval.research.source import Source
from sightline.retrieval.research.wording import word

_DECLARED = (
    "expect actual abstract sealed open data inner value case implicit final static annotation companion"
    " class interface object trait protocol struct enum record union actor mixin extension typealias type newtype"
    " instance module"
)
_WORDS = frozenset(_DECLARED.split())
_NOUNS = frozenset(
    [
        "class",
        "interface",
        "object",
        "trait",
        "protocol",
        "struct",
        "enum",
        "record",
        "union",
        "actor",
        "mixin",
        "typealias",
    ]
)
_QUIET = frozenset({"final", "static", "open", "type"})  # true, and no help
_HEAD_LINES = 8  # annotations and comments may stand before the line that declares
_IMPL = re.compile(r"^(?P<indent>\s*)(?:unsafe )?impl\b\s*(?:<[^{;]*?>(?=\s))?\s*(?P<head>[^{;]*)")
_IMPL_LINES = 600  # above a method, in which its `impl` is looked for


def kind_said(graph: Graph, source: Source, position: int) -> str:
    """The kind of a symbol in the words of its declaration; as the graph has it where that says nothing."""
    kind = graph.kinds[position]
    if kind not in TYPE_KINDS:
        return kind
    name = word(graph.objects.column("name")[position])
    first = graph.line(position)
    for _, text in source.lines(graph.path(position), first, first + _HEAD_LINES):
        match = name.search(text)
        if match is None:
            continue
        words = [w for w in re.findall(r"[a-z]+", text[: match.start()]) if w in _WORDS]
        if words and words[-1] in _NOUNS:
            return " ".join(w for w in dict.fromkeys(words) if w not in _QUIET) or kind
        if not text[: match.start()].strip().startswith(("@", "//", "*", "/*", "#")):
            return kind
    return kind


def name_said(graph: Graph, source: Source, position: int) -> str:
    """The qualified name; of a Rust method that implements a trait with the head of its `impl`."""
    name = graph.names[position]
    path = graph.path(position)
    if not path.endswith(".rs") or graph.kinds[position] not in ("method", "constructor"):
        return name
    line = graph.line(position)
    lines = source.lines(path, max(1, line - _IMPL_LINES), line)
    own = next((len(text) - len(text.lstrip()) for number, text in reversed(lines) if number == line), 0)
    for _, text in reversed(lines):
        match = _IMPL.match(text)
        if match is not None and len(match["indent"]) < max(own, 1):
            head = " ".join(match["head"].split()).partition(" where ")[0]
            return f"{graph.objects.column('name')[position]} (impl {head})" if " for " in head else name
    return name
