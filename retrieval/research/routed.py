"""Answers about routes: what answers an address, and which addresses lead to a symbol.

A route is read off the source by what is known of a framework and is never shown like a proven call: every line says by
what it was found, and how sure that is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sightline.graph.build.tested import is_test_file
from sightline.retrieval.research import wired
from sightline.retrieval.research.evidence import REACHES, Node
from sightline.retrieval.research.model import Fact, Line
from sightline.retrieval.research.names import symbols_of
from sightline.retrieval.research.pieces import ANSWER, CLOSING, DISPATCH, TESTS, Draft, count, definitions
from sightline.retrieval.research.question import Subject
from sightline.retrieval.routes.find import Answering, Routes, routes_in
from sightline.retrieval.routes.lines import route_line

if TYPE_CHECKING:
    from sightline.retrieval.routes.asked import Asked
    from sightline.types import Object

_MANY = 40  # routes that are listed where all are asked for; a larger budget brings all
_FEW = 8  # of other routes, beside those that fit best
_SHOWN = 2  # handlers whose source is shown
_DEPTH = 5  # calls from a handler down to a symbol


def routed(draft: Draft, asked: Asked) -> list[Object] | None:
    """Answer a question about routes; None where there are no routes, or none of what is asked."""
    if asked.kind in ("tables", "table"):
        return wired.tables(draft, asked)
    if asked.kind in ("injected", "injections"):
        return wired.injections(draft, asked)
    draft.progress("reading routes")
    found = routes_in(draft.graph.snapshot, draft.texts)
    draft.changed |= found.changed
    if not found.all:
        return None
    if asked.kind == "answers":
        return _answers(draft, asked, found)
    if asked.kind == "leads":
        return _leads(draft, asked, found)
    return _list(draft, found)


def _answers(draft: Draft, asked: Asked, found: Routes) -> list[Object] | None:
    request = f"{asked.method} {asked.address}".strip()
    fitting = [pair for pair in found.answering(asked.method, asked.address) if draft.scope.code(pair[1].route.path)]
    if not fitting:
        others = [pair for pair in found.answering("", asked.address) if draft.scope.code(pair[1].route.path)]
        if not others:
            draft.head.append(
                f"No route that answers {request} was read ({count(len(found.all), 'route')} were: ask for all routes)."
            )
            return None
        draft.head.append(f"No route that answers {request} was read; the address answers to other methods.")
        draft.add("Other methods", _lines([one for _, one in others[:_FEW]]), ANSWER, what="routes")
        _rests_on(draft, found)
        return []
    best = [one for fits, one in fitting if fits == fitting[0][0]]
    first = best[0]
    if fitting[0][0].whole:
        draft.head.append(f"No route is exactly {request}; these end so, or their whole address was not read.")
    else:
        said = f"{first.name or 'a function without a name'} ({first.path}:{first.line})"
        draft.head.append(f"{request} is answered by {said}, as far as the source tells.")
    draft.add("Routes", _lines(best), ANSWER, what="routes")
    rest = [one for fits, one in fitting if fits != fitting[0][0]]
    draft.add("Also fitting", _lines(rest[:_FEW]), DISPATCH, what="routes")
    _source(draft, best)
    _rests_on(draft, found)
    return _objects(draft, best)


def _leads(draft: Draft, asked: Asked, found: Routes) -> list[Object] | None:
    graph = draft.graph
    meant = symbols_of(graph.snapshot, Subject(asked.name, marked=True), "callers")
    if not meant.symbols or meant.corrected:
        return None
    positions = [p for s in meant.symbols if (p := graph.objects.position(s.entity_id)) is not None]
    inside = [member for position in positions for member in graph.members(position)]
    direct = found.of([*positions, *inside])
    direct += [
        one for one in found.all if one.position is None and one.name.replace(":", ".").split(".")[-1] == asked.name
    ]
    label = ", ".join(dict.fromkeys(s.qualified_name for s in meant.symbols))
    draft.add("Routes", _lines(_first_tests_last(direct)), ANSWER, what="routes")
    through = _through(draft, positions, found, {id(one) for one in direct})
    lines = [
        Line(f"{route_line(one)}; {' → '.join(way)}", (fact_of(one),), path=one.path) for one, way in through[:_MANY]
    ]
    draft.add("Routes whose handler calls it", lines, DISPATCH if direct else ANSWER, what="routes")
    if not direct and not through:
        draft.head.append(f"No route that leads to {label} was read ({count(len(found.all), 'route')} were).")
    else:
        said = [f"{count(len(direct), 'route')} lead to {label}"] if direct else []
        said += [f"{count(len(through), 'route')} lead to it through calls"] if through else []
        draft.head.append("; ".join(said) + ", as far as the source tells.")
    _rests_on(draft, found)
    return list(meant.symbols)


def _through(
    draft: Draft, positions: Sequence[int], found: Routes, listed: set[int]
) -> list[tuple[Answering, tuple[str, ...]]]:
    """Routes whose handlers reach a symbol by calls, with the way."""
    graph = draft.graph
    by_position: dict[int, list[Answering]] = {}
    inline: dict[str, list[Answering]] = {}
    for one in found.all:
        if one.position is not None:
            by_position.setdefault(one.position, []).append(one)
        elif one.route.handler.end:
            inline.setdefault(one.path, []).append(one)
    result: dict[int, tuple[Answering, tuple[str, ...]]] = {}

    def visit(nodes: Sequence[Node], below: tuple[str, ...]) -> None:
        for node in nodes:
            fact = node.fact
            if fact is not None:
                for one in inline.get(fact.path, ()):
                    handler = one.route.handler
                    if handler.line <= fact.line <= handler.end and id(one) not in listed:
                        result.setdefault(id(one), (one, below))
            name = graph.names[node.position]
            for one in by_position.get(node.position, ()):
                if id(one) not in listed:
                    result.setdefault(id(one), (one, (name, *below)))
            visit(node.children, (name, *below))

    for position in positions:
        tree = graph.tree([position], "in", REACHES, max(draft.depth, _DEPTH))
        visit(tree.roots, (graph.names[position],))
    return sorted(
        result.values(),
        key=lambda pair: (is_test_file(pair[0].route.path), len(pair[1]), pair[0].route.path, pair[0].route.line),
    )


def _list(draft: Draft, found: Routes) -> list[Object]:
    mine = [one for one in found.all if draft.scope.code(one.route.path)]
    code = [one for one in mine if not is_test_file(one.route.path)]
    frameworks: dict[str, int] = {}
    for one in code:
        frameworks[one.route.framework] = frameworks.get(one.route.framework, 0) + 1
    said = ", ".join(f"{name} {number}" for name, number in sorted(frameworks.items(), key=lambda pair: -pair[1]))
    tests = f"; {count(len(mine) - len(code), 'route')} of tests not listed" if len(code) < len(mine) else ""
    draft.head.append(f"{count(len(code), 'route')} were read{f' ({said})' if said else ''}{tests}.")
    order = sorted(code, key=lambda one: (one.route.address, one.route.methods, one.route.path, one.route.line))
    shown = order if draft.ample else order[:_MANY]
    more = "ask about one address, or for one folder"
    lines = _lines(shown)
    if len(shown) < len(order):
        lines.append(Line(f"and {len(order) - len(shown):,} more: {more}, or raise max_tokens"))
    draft.add("Routes", lines, ANSWER, more=more, what="routes")
    _rests_on(draft, found)
    return []


def _lines(found: Sequence[Answering]) -> list[Line]:
    return [Line(route_line(one), (fact_of(one),), path=one.path) for one in found]


def _first_tests_last(found: Sequence[Answering]) -> list[Answering]:
    return sorted(found, key=lambda one: (is_test_file(one.route.path), one.route.path, one.route.line))


def fact_of(one: Answering) -> Fact:
    """A route as a claim: never proven."""
    route = one.route
    methods = ",".join(route.methods) or "ANY"
    target = one.name if one.position is not None else ""
    return Fact(
        "routes", f"{methods} {route.address}", route.path, target, one.path if target else "", route.path, route.line,
        one.confidence, "framework", False, 1, f"{route.framework} {route.how}",
    )  # fmt: skip


def _source(draft: Draft, best: Sequence[Answering]) -> None:
    """The source of what answers."""
    named = list(dict.fromkeys(one.position for one in best if one.position is not None))[:_SHOWN]
    definitions(draft, named, title="What answers")
    if not named and best:
        one = best[0]
        end = max(one.route.handler.end, one.line + 12)
        draft.add("What answers", draft.source.excerpt(one.path, one.line, min(end, one.line + 29)), TESTS)


def _objects(draft: Draft, best: Sequence[Answering]) -> list[Object]:
    positions = dict.fromkeys(one.position for one in best if one.position is not None)
    return draft.graph.objects.get(list(positions))


def _rests_on(draft: Draft, found: Routes) -> None:
    lines = [
        Line("Routes are read off the source by rules of each framework; what is put together at run time is not.")
    ]
    if found.unread:
        lines.append(Line(f"{count(found.unread, 'file')} that may state routes were too many to be read."))
    draft.add("What that rests on", lines, CLOSING)
