"""How one symbol reaches another; where there is no way, how far each end gets and where a step may be indirect.

A stored callback, an event or a name looked up at run time leaves no call. "No way" would be false in practice, so such
an answer names the last symbols of either side and the places that say a name without calling it.
"""

from __future__ import annotations

from collections.abc import Sequence

from sightline.graph.read.adjacency import Direction
from sightline.graph.read.walk import object_at
from sightline.retrieval.research.answer import called_on
from sightline.retrieval.research.closing import census
from sightline.retrieval.research.evidence import CALLS, USES, Graph, Tree
from sightline.retrieval.research.listing import sited
from sightline.retrieval.research.model import Fact, Line
from sightline.retrieval.research.pieces import ANSWER, RELATED, Draft, checked, defined, groups
from sightline.types import Object

_REACH = 6  # hops that each end is followed where there is no way
_MAX_NODES = 120
_ENDS_SHOWN = 6
_TOPS_LOOKED_UP = 4  # names whose mentions are looked up in text
_MENTIONS = 6  # listed of each


def path(draft: Draft, sources: Sequence[Object], targets: Sequence[Object]) -> None:
    """The shortest ways from one symbol to another; the other way round if there is none."""
    graph = draft.graph
    start = [p for _, group in groups(graph, sources) for p in group]
    end = [p for _, group in groups(graph, targets) for p in group]
    names = (_any_of(graph, start), _any_of(graph, end))
    for types, what in ((CALLS, "calls"), (USES, "any relationship")):
        for a, b, back in ((start, end, False), (end, start, True)):
            ways = graph.ways(called_on(graph, a), b, types)
            if ways:
                _ways(draft, ways, (a, b), names, what, back=back)
                return
    draft.head.append(
        f"No way from {names[0]} to {names[1]} or back, along calls or any other relationship; what that rests on is"
        " listed below. A step through a stored callback, an event or a name at run time is no call: see where each"
        " end stops."
    )
    _stops(draft, start, end, names)
    checked(draft, graph.objects.column("name")[end[0]], end, negative=True)


def _any_of(graph: Graph, positions: Sequence[int]) -> str:
    """Every symbol that a name was taken for."""
    return " or ".join(dict.fromkeys(graph.names[position] for position in positions))


def _ways(
    draft: Draft,
    ways: list[list[Fact]],
    ends: tuple[Sequence[int], Sequence[int]],
    names: tuple[str, str],
    what: str,
    *,
    back: bool,
) -> None:
    a, b = reversed(names) if back else names
    sure = all(fact.proven for way in ways for fact in way)
    draft.head.append(
        (f"No way from {names[0]} to {names[1]}, but the other way round: " if back else "")
        + f"{a} reaches {b} in {len(ways[0])} steps along {what}"
        + ("." if sure else "; some steps are guessed and marked.")
    )
    told: set[Fact] = set()
    for number, way in enumerate(ways, 1):
        first = Line(defined(draft, ends[0]) if len(ends[0]) == 1 else way[0].source if way else a)
        lines = [first] if number == 1 else []
        for step, fact in enumerate(way, 1):
            if fact not in told:
                lines.append(_way_line(draft, fact, step))
        if number > 1 and lines:
            lines.insert(0, Line(f"also, from {lines[0].facts[0].source}:"))
        told.update(way)
        draft.add(f"Way {number}" if len(ways) > 1 else "Way", lines, ANSWER if number == 1 else RELATED, what="steps")


def _way_line(draft: Draft, fact: Fact, step: int) -> Line:
    indent = "  " * step
    mark = "" if fact.proven else f"~ possible, {fact.confidence:.1f}: "
    if fact.kind == "overrides":  # walked from the overridden method down
        return Line(f"{indent}{mark}⇢ may run {fact.source}  {fact.path}:{fact.line}", (fact,))
    verb = {"calls": "→", "instantiates": "→ new"}.get(fact.kind, f"→ ({fact.kind.replace('_', ' ')})")
    fact, where = sited(draft, fact)
    there = draft.graph.definition_of(fact)
    return Line(f"{indent}{mark}{verb} {fact.target}{there}  at {where}", (fact,))


# No way


def _stops(draft: Draft, start: Sequence[int], end: Sequence[int], names: tuple[str, str]) -> None:
    graph = draft.graph
    down = _reach(graph, called_on(graph, start), "out")
    up = _reach(graph, end, "in")
    last = [node.position for node in down.walk() if not node.children and not node.again]
    tops = [node.position for node in up.walk() if not node.children and not node.again]
    reached = {*start, *(node.position for node in down.walk())}
    near = {graph.path(p) for p in reached}
    tops = [p for p in dict.fromkeys(tops or list(end)) if not graph.is_test(p) and graph.kinds[p] != "module"]
    tops.sort(key=lambda p: graph.path(p) not in near)
    lines = [Line(f"From {names[0]}: {_some(graph, last)}" if last else f"{names[0]} calls nothing that is resolved")]
    lines.append(Line(f"To {names[1]}: begins at {_some(graph, tops)}"))
    for top in tops[:_TOPS_LOOKED_UP]:
        lines += _mentions(draft, top, reached, names[0])
    draft.add("Where each end stops", lines, ANSWER)


def _reach(graph: Graph, positions: Sequence[int], direction: Direction) -> Tree:
    return graph.tree(positions, direction, CALLS, _REACH, dispatch=True, max_nodes=_MAX_NODES)


def _some(graph: Graph, positions: Sequence[int]) -> str:
    unique = list(dict.fromkeys(positions))
    shown = ", ".join(f"{graph.names[p]} ({graph.place(p)})" for p in unique[:_ENDS_SHOWN])
    return shown + (f" and {len(unique) - _ENDS_SHOWN} more" if len(unique) > _ENDS_SHOWN else "")


def _mentions(draft: Draft, position: int, reached: set[int], start: str) -> list[Line]:
    """Places that say a name and are no known call of it: where it may be handed on."""
    graph = draft.graph
    name = graph.objects.column("name")[position]
    found = census(draft, name, [position]).places.get("open", {})
    near = {graph.path(p) for p in reached}
    lines: list[tuple[bool, Line]] = []
    for file, numbers in found.items():
        if file not in near:
            continue  # a namesake elsewhere, more often than not
        for line in numbers:
            around = object_at(graph.snapshot, file, line)
            inside = around in reached
            by = f" in {graph.names[around]}" if around is not None and graph.kinds[around] != "module" else ""
            note = f", reached from {start}" if inside else ""
            text = f"  {graph.names[position]} is said, not called, at {file}:{line}{by}{note}"
            quote = draft.source.text(file, line)[:100]
            lines.append((not inside, Line(f"{text}  | {quote}" if quote else text, path=file)))
    return [line for _, line in sorted(lines, key=lambda pair: pair[0])[:_MENTIONS]]
