"""Symbols of an answer as people of the language call them, read off the lines that declare them."""

from __future__ import annotations

from sightline.graph.read.spoken import IMPL_LINES, impl_head, kind_in
from sightline.retrieval.research.evidence import Graph
from sightline.retrieval.research.source import Source
from sightline.types import TYPE_KINDS

_HEAD_LINES = 8  # annotations and comments may stand before the line that declares


def kind_said(graph: Graph, source: Source, position: int) -> str:
    """The kind of a symbol in the words of its declaration; as the graph has it where that says nothing."""
    kind = graph.kinds[position]
    if kind not in TYPE_KINDS:
        return kind
    name, first = graph.objects.column("name")[position], graph.line(position)
    lines = source.lines(graph.path(position), first, first + _HEAD_LINES)
    return next((said for _, text in lines if (said := kind_in(text, name, kind)) is not None), kind)


def name_said(graph: Graph, source: Source, position: int) -> str:
    """The qualified name; of a Rust method that implements a trait with the head of its `impl`."""
    name, path = graph.names[position], graph.path(position)
    if not path.endswith(".rs") or graph.kinds[position] not in ("method", "constructor"):
        return name
    line = graph.line(position)
    head = impl_head([text for _, text in source.lines(path, max(1, line - IMPL_LINES), line)])
    return f"{graph.objects.column('name')[position]} (impl {head})" if head else name
