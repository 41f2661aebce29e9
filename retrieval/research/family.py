"""Calls that reach a function without saying its name, told with what they go through.

Through another declaration of a method: `pipeline.fireRead()` names the method of `Pipeline`, which overrides that of
`Invoker` and follows its changes. Through a dispatcher: a function that does little else than to call the field in
which another one is kept (`return source->freshen(source, oid)`) stands between it and all who call it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sightline.retrieval.research.evidence import CALLS, MAX_NODES, REGISTERS, Graph, Node, Tree
from sightline.retrieval.research.listing import shown
from sightline.retrieval.research.wording import is_comment, simple, word

if TYPE_CHECKING:
    from sightline.retrieval.research.pieces import Draft

_FIELD_CALLED = re.compile(r"(?:->|\.)\w+\s*\)?\s*\(")
_LITTLE_ELSE = 6  # lines of a body that may check the field before it is called
_MAX_LINES = 30  # of a whole function that is read for them


def through_overrides(draft: Draft, positions: Sequence[int], known: Tree) -> dict[str, Tree]:
    """Callers of what overrides a method, by the type whose declaration they call; `known` ones and those of overrides
    that are asked about, too, are told elsewhere."""
    graph, names = draft.graph, draft.graph.objects.column("name")
    told = {(node.fact.path, node.fact.source, node.fact.line) for node in known.roots if node.fact is not None}
    beside = {far for p in positions for _, far in graph.overriders(p) if graph.kinds[p] != "constructor"}
    found: dict[str, dict[tuple[int, str], Node]] = {}
    size = 0
    for row, near, far in graph.rows(sorted(beside - {*positions, *draft.meant}), "in", CALLS):
        fact = graph.fact(row)
        if not fact.proven or (fact.path, fact.source, fact.line) in told:
            continue
        owner = graph.names[near].removesuffix(names[near]).rstrip(".:#") or graph.names[near]
        nodes = found.setdefault(owner, {})
        node = Node(far, fact, 1)
        listed = (far, fact.kind) not in nodes and shown(draft, node)
        size += listed
        if not listed or size <= MAX_NODES:
            nodes.setdefault((far, fact.kind), node)
    return {owner: Tree(sorted(nodes.values(), key=graph.order), [], len(nodes)) for owner, nodes in found.items()}


def declarations(graph: Graph, positions: Sequence[int]) -> set[int]:
    """What a method overrides and what overrides it: calls of these are none of namesakes."""
    around = (graph.overriders(p) + graph.overridden(p) for p in positions if graph.kinds[p] != "constructor")
    return {far for each in around for _, far in each} - set(positions)


def through_dispatchers(draft: Draft, positions: Sequence[int], known: Tree) -> dict[str, Tree]:
    """Where a function is registered and all that call it are dispatchers: who calls these, by dispatcher."""
    graph = draft.graph
    rows = [row for row in graph.rows(positions, "in", CALLS) if shown(draft, Node(row[2], graph.fact(row[0]), 1))]
    if not rows or not graph.rows(positions, "in", REGISTERS):
        return {}
    if not all(_dispatches(draft, row, near, far) for row, near, far in rows):
        return {}
    told = {node.position for node in known.walk()}
    found = {far: graph.tree([far], "in", CALLS, 1) for _, _, far in rows}
    for tree in found.values():
        tree.roots = [node for node in tree.roots if node.position not in told]
    return {graph.names[far]: tree for far, tree in found.items() if tree.roots}


def _dispatches(draft: Draft, row: int, target: int, caller: int) -> bool:
    """Is a call one of a field, and the caller's body little else?"""
    graph, source = draft.graph, draft.source
    path, first, last = graph.path(caller), graph.line(caller), int(graph.objects.end_line[caller])
    said = source.text(graph.edges.path(row), int(graph.edges.start_line[row]))
    if last - first > _MAX_LINES or word(simple(graph.names[target])).search(said) or not _FIELD_CALLED.search(said):
        return False
    whole = "\n".join(text for _, text in source.lines(path, first, last))
    body = re.split(r"\{|:\n", whole, maxsplit=1)[-1]
    return sum(bool(re.search(r"\w", text)) and not is_comment(text) for text in body.split("\n")) <= _LITTLE_ELSE
