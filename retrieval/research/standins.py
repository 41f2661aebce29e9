"""Types that stand in for another one without saying so: they have its methods, and are passed where it is expected.

A method whose signature changes must change there too, and no edge says so. A type counts when its public methods are
all, or nearly all, methods of the other one, and it is no relative by inheritance.
"""

from __future__ import annotations

from collections.abc import Sequence

from sightline.graph.read.symbols import names_of
from sightline.retrieval.research.evidence import SUBTYPES, Graph
from sightline.types import TYPE_KINDS

_LEAST_SHARED = 3  # public methods of one name: two happen by chance
_SHARE = 0.75  # of the stand-in's public methods
_MAX_OWNERS = 60  # types with a method of that name that are compared; of `run` there are hundreds


def stand_ins(graph: Graph, positions: Sequence[int]) -> list[int]:
    """Methods of the same name in types that have the shape of the type around the given methods."""
    found: list[int] = []
    for position in positions:
        name = graph.objects.column("name")[position]
        owner = _owner(graph, position)
        if graph.kinds[position] != "method" or owner is None or name.startswith("__"):
            continue
        wanted = _methods(graph, owner)
        relatives = _relatives(graph, owner)
        namesakes = names_of(graph.snapshot).by_name.get(name, ())
        for other in namesakes[:_MAX_OWNERS]:
            around = _owner(graph, other)
            if around is None or around in relatives or graph.is_test(other) or graph.kinds[other] != "method":
                continue
            own = _methods(graph, around)
            shared = own & wanted
            if len(shared) >= _LEAST_SHARED and len(shared) >= _SHARE * len(own):
                found.append(other)
    return list(dict.fromkeys(found))


def _owner(graph: Graph, position: int) -> int | None:
    return next((parent for parent in graph.parents(position) if graph.kinds[parent] in TYPE_KINDS), None)


def _methods(graph: Graph, owner: int) -> set[str]:
    names = graph.objects.column("name")
    return {names[m] for m in graph.members(owner) if graph.kinds[m] == "method" and not names[m].startswith("_")}


def _relatives(graph: Graph, owner: int) -> set[int]:
    """The type, its bases and subtypes."""
    found = {owner}
    for direction in ("in", "out"):
        tree = graph.tree([owner], direction, SUBTYPES, 8)
        found.update(node.position for node in tree.walk())
    return found
