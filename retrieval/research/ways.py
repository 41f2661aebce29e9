"""How one symbol reaches another; where there is no way, how far each end gets and where a step may be indirect.

A stored callback, an event or a name looked up at run time leaves no call. "No way" would be false in practice, so such
an answer names the last symbols of either side and the places that say a name without calling it.
"""

from __future__ import annotations

from collections.abc import Sequence

from sightline.graph.read.adjacency import Direction
from sightline.graph.read.walk import object_at
from sightline.retrieval.research.answer import called_on
from sightline.retrieval.research.census import census
from sightline.retrieval.research.chain import Chain, chain_of, hang
from sightline.retrieval.research.evidence import CALLS, REACHES, USES, Graph, Tree
from sightline.retrieval.research.indirect import Bridge, bridges, handed_over, indirect_steps
from sightline.retrieval.research.listing import sited
from sightline.retrieval.research.model import Fact, Line
from sightline.retrieval.research.pieces import ANSWER, RELATED, Draft, checked, defined, groups
from sightline.retrieval.research.relevance import Asked, bodies
from sightline.retrieval.research.steps import Steps, functions_of
from sightline.retrieval.research.told import chain_lines
from sightline.types import Object

_REACH = 6  # hops that each end is followed where there is no way
_MAX_NODES, _MANY_NODES = 120, 600  # that are told of, and among which a way through an indirect step may go on
_MAX_BRIDGES, _MAX_FRONTIER = 2, 12  # indirect steps of one way, and functions that the second may begin at
_ENDS_SHOWN = 6
_TOPS_LOOKED_UP = 4  # names whose mentions are looked up in text
_MENTIONS = 6  # listed of each
_QUOTED_CHARS = 100  # of a line that an indirect step rests on


def path(draft: Draft, sources: Sequence[Object], targets: Sequence[Object]) -> None:
    """The shortest ways from one symbol to another; the other way round if there is none."""
    graph = draft.graph
    start = [p for _, group in groups(graph, sources) for p in group]
    end = [p for _, group in groups(graph, targets) for p in group]
    names = (_any_of(graph, start), _any_of(graph, end))
    tests = any(graph.is_test(p) for p in (*start, *end))
    for types, what in ((CALLS, "calls"), (USES, "any relationship")):
        if types is USES and _carried(draft, start, end, names):
            return
        for a, b, back in ((start, end, False), (end, start, True)):
            ways = graph.ways(called_on(graph, a), b, types, tests=tests or types is CALLS)
            forth = types is CALLS and not back
            if forth and not _is_sure(ways) and _through_registrations(draft, start, end, names):
                return
            if ways:
                _ways(draft, ways, (a, b), names, what, back=back)
                return
            if forth and (_through_indirection(draft, start, end, names) or _likely(draft, start, end, names)):
                return
    draft.head.append(
        f"No way from {names[0]} to {names[1]} or back, along calls or any other relationship; what that rests on is"
        " listed below. A step through a stored callback, an event or a name at run time is no call: see where each"
        " end stops."
    )
    _stops(draft, start, end, names)
    checked(draft, graph.objects.column("name")[end[0]], end, negative=True)


def _likely(draft: Draft, start: Sequence[int], end: Sequence[int], names: tuple[str, str]) -> bool:
    """Tell a way some steps of which only names make likely, if any: arguments without a type have no edges."""
    graph = draft.graph
    weights = dict.fromkeys(bodies(graph, (*start, *end)), 1.0)
    steps = Steps(draft, Asked(" ".join(names), None), weights, list(start))
    way = steps.far(dict.fromkeys(bodies(graph, start), 1.0), dict.fromkeys(bodies(graph, end), 1.0), least=1)
    if not way:
        return False
    chain = Chain(weights, Asked(" ".join(names), None), kept=set(functions_of(way)), begun=True)
    for step in way:
        hang(chain, [step])
    guessed = sum(step.likely for step in way)
    draft.head.append(
        f"{names[0]} reaches {names[1]} in {len(way)} steps, {guessed} of which only a name makes likely (~)."
        if guessed
        else f"{names[0]} reaches {names[1]} in {len(way)} steps (⇢: no call)."
    )
    draft.add("In order", chain_lines(draft, chain), ANSWER, what="steps")
    return True


def _carried(draft: Draft, start: Sequence[int], end: Sequence[int], names: tuple[str, str]) -> bool:
    """Tell how what one end makes comes to the other, if that is all that connects them."""
    weights = dict.fromkeys(bodies(draft.graph, (*start, *end)), 1.0)
    chain = chain_of(draft, Asked(" ".join(names), None), weights, {}, {})
    if chain is None or not chain.carried:
        return False
    takers = {chain.root(one.taker) for one in chain.carried if one.maker in chain.members()}
    if not any(chain.root(p) in takers for p in end):
        return False
    draft.head.append(f"No call leads from {names[0]} to {names[1]}, but what it makes is asked for there.")
    draft.add("In order", chain_lines(draft, chain), ANSWER, what="steps")
    return True


def _is_sure(ways: Sequence[Sequence[Fact]]) -> bool:
    return bool(ways) and all(fact.proven for fact in ways[0])


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
    if fact.kind == "registers":
        label = f" for `{fact.label}`" if fact.label else ""
        text = f"{indent}{mark}⇢ registers {fact.target}{label}{draft.graph.definition_of(fact)}"
        quote = draft.source.text(fact.path, fact.line)[:_QUOTED_CHARS]
        return Line(f"{text}  at {fact.path}:{fact.line}" + (f"  | {quote}" if quote else ""), (fact,))
    if fact.kind == "overrides":  # walked from the overridden method down
        return Line(f"{indent}{mark}⇢ may run {fact.source}  {fact.path}:{fact.line}", (fact,))
    verb = {"calls": "→", "instantiates": "→ new"}.get(fact.kind, f"→ ({fact.kind.replace('_', ' ')})")
    fact, where = sited(draft, fact)
    there = draft.graph.definition_of(fact)
    site, shown = draft.source.site(fact)
    quote = f"  | {site}" if site else ""
    return Line(f"{indent}{mark}{verb} {fact.target}{there}  at {where}{quote}", (fact,), shown)


# Through what is no call


def _through_registrations(draft: Draft, start: Sequence[int], end: Sequence[int], names: tuple[str, str]) -> bool:
    """Tell the way through functions that are registered, if there is one that is sure."""
    ways = draft.graph.ways(called_on(draft.graph, start), end, REACHES)
    if not _is_sure(ways):
        return False
    _ways(draft, ways, (start, end), names, "calls and registrations (⇢: kept or handed on, called later)", back=False)
    return True


def _through_indirection(draft: Draft, start: Sequence[int], end: Sequence[int], names: tuple[str, str]) -> bool:
    """Tell the way through one or two indirect steps, if there is one: calls up to each, and calls from there."""
    graph = draft.graph
    above = {*end, *(node.position for node in _reach(graph, _called_as(graph, end), "in", _MANY_NODES).walk())}
    seen = set(start)
    frontier: list[tuple[list[int], tuple[Bridge, ...]]] = [(list(start), ())]
    for _ in range(_MAX_BRIDGES):
        further: list[tuple[list[int], tuple[Bridge, ...]]] = []
        for begin, crossed in frontier:
            starts = called_on(graph, begin)
            reached = [*starts, *(node.position for node in _reach(graph, starts, "out").walk())]
            for bridge in bridges(draft, reached):
                if bridge.target in above:
                    _tell_indirect(draft, start, end, (*crossed, bridge), names)
                    return True
                if bridge.target not in seen and bridge.target not in reached:
                    seen.add(bridge.target)
                    further.append(([bridge.target], (*crossed, bridge)))
        frontier = further[:_MAX_FRONTIER]
    return False


def _tell_indirect(
    draft: Draft, start: Sequence[int], end: Sequence[int], crossed: Sequence[Bridge], names: tuple[str, str]
) -> None:
    graph = draft.graph
    lines: list[Line] = []
    at, calls, depth = list(start), 0, 0
    for bridge in crossed:
        way = _shortest(graph, at, [bridge.caller])
        if not lines:
            lines.append(Line(way[0].source if way else graph.names[bridge.caller]))
        lines += [_way_line(draft, fact, depth + number) for number, fact in enumerate(way, 1)]
        calls, depth = calls + len(way) + 1, depth + len(way) + 1
        lines += [_quoted(draft, f"{'  ' * depth}{text}", path, line) for text, path, line in bridge.said]
        lines.append(Line(f"{'  ' * depth}→ {graph.names[bridge.target]}  {graph.location(bridge.target)}"))
        at = [bridge.target]
    way = _shortest(graph, at, end)
    lines += [_way_line(draft, fact, depth + number) for number, fact in enumerate(way, 1)]
    indirect = " and ".join(bridge.what for bridge in crossed)
    draft.head.append(
        f"{names[0]} reaches {names[1]}: {calls + len(way)} steps, of which {len(crossed)} indirect ({indirect}),"
        " read off the source and not resolved."
    )
    draft.add("Way", lines, ANSWER, what="steps")


def _shortest(graph: Graph, start: Sequence[int], end: Sequence[int]) -> list[Fact]:
    if set(called_on(graph, start)) & set(end):
        return []
    return next(iter(graph.ways(called_on(graph, start), end, REACHES, limit=1)), [])


def _quoted(draft: Draft, text: str, path: str, line: int) -> Line:
    quote = draft.source.text(path, line)[:_QUOTED_CHARS]
    return Line(f"{text}  {path}:{line}" + (f"  | {quote}" if quote else ""), path=path)


# No way


def _stops(draft: Draft, start: Sequence[int], end: Sequence[int], names: tuple[str, str]) -> None:
    graph = draft.graph
    down = _reach(graph, called_on(graph, start), "out")
    up = _reach(graph, _called_as(graph, end), "in")
    last = [node.position for node in down.walk() if not node.children and not node.again]
    tops = [
        node.position for node in up.walk() if not node.again and all(graph.is_test(c.position) for c in node.children)
    ]
    reached = {*start, *(node.position for node in down.walk())}
    near = {graph.path(p) for p in reached}
    tops = [p for p in dict.fromkeys(tops) if not graph.is_test(p) and graph.kinds[p] != "module"] or list(end)
    tops.sort(key=lambda p: graph.path(p) not in near)
    lines = [Line(f"From {names[0]}: {_some(graph, last)}" if last else f"{names[0]} calls nothing that is resolved")]
    steps = indirect_steps(draft, [*start, *(node.position for node in down.walk())])
    for step in steps[:_MENTIONS]:
        lines.append(
            _quoted(draft, f"  {graph.names[step.caller]} calls {step.what}", graph.path(step.caller), step.line)
        )
    for handed in handed_over(draft, steps[:_MENTIONS])[:_MENTIONS]:
        lines.append(_quoted(draft, f"    {handed.step.what}: handed over", handed.path, handed.line))
    lines.append(Line(f"To {names[1]}: begins at {_some(graph, tops)}"))
    for top in tops[:_TOPS_LOOKED_UP]:
        lines += _mentions(draft, top, reached, names[0])
    draft.add("Where each end stops", lines, ANSWER)


def _reach(graph: Graph, positions: Sequence[int], direction: Direction, most: int = _MAX_NODES) -> Tree:
    return graph.tree(positions, direction, REACHES, _REACH, dispatch=True, max_nodes=most)


def _called_as(graph: Graph, positions: Sequence[int]) -> list[int]:
    """Functions and what they override: whoever calls that may run them."""
    overridden = [far for position in positions for _, far in graph.overrides(position, "out")]
    return list(dict.fromkeys([*positions, *overridden]))


def _some(graph: Graph, positions: Sequence[int]) -> str:
    unique = list(dict.fromkeys(positions))
    shown = ", ".join(f"{graph.names[p]} ({graph.location(p)})" for p in unique[:_ENDS_SHOWN])
    return shown + (f" and {len(unique) - _ENDS_SHOWN} more" if len(unique) > _ENDS_SHOWN else "")


def _mentions(draft: Draft, position: int, reached: set[int], start: str) -> list[Line]:
    """Places that say a name and are no known call of it: where it may be handed on."""
    graph = draft.graph
    name = graph.objects.column("name")[position]
    found = census(draft, name, [position]).loose()
    lines: list[Line] = []
    for file, numbers in found.items():
        for line in numbers:
            around = object_at(graph.snapshot, file, line)
            if around not in reached or around is None:
                continue  # a namesake elsewhere, more often than not
            text = f"  {graph.names[position]} is said, not called, at {file}:{line} in {graph.names[around]}"
            quote = draft.source.text(file, line)[:100]
            lines.append(Line(f"{text}, reached from {start}" + (f"  | {quote}" if quote else ""), path=file))
    return lines[:_MENTIONS]
