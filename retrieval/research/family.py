"""Calls that go through another declaration of a method: what overrides it has its signature, and follows its changes.

`pipeline.fireRead()` names the method of `Pipeline`, which overrides that of `Invoker`: to who asks about the latter it
is a call of it, told with the declaration that it goes through.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sightline.retrieval.research.evidence import CALLS, MAX_NODES, Graph, Node, Tree
from sightline.retrieval.research.listing import shown

if TYPE_CHECKING:
    from sightline.retrieval.research.pieces import Draft


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
