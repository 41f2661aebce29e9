"""A chain written down: its trees from the top, each step with the line that makes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sightline.graph.build.tested import is_test_file
from sightline.graph.read.walk import object_at
from sightline.retrieval.research.chain import Carried, Chain, tops
from sightline.retrieval.research.evidence import CALLS
from sightline.retrieval.research.listing import location
from sightline.retrieval.research.model import Line
from sightline.retrieval.research.relevance import FUNCTIONS, weigh
from sightline.retrieval.research.steps import Step
from sightline.retrieval.research.untyped import unnamed_calls
from sightline.retrieval.research.wording import kind_of, word

if TYPE_CHECKING:
    from sightline.retrieval.research.pieces import Draft

_MAX_LINE_CHARS = 300
_FEW_CALLERS = 4  # more are not worth naming some
_MAX_CALLERS = 2  # of a tree's first function that are named
_MAX_INSTEAD = 4  # methods named that may run instead of one
_UNNAMED_EACH, _MAX_UNNAMED = 3, 6  # lines quoted that call what nothing names, of one function and in all
_MAX_QUOTE = 110


def chain_lines(draft: Draft, chain: Chain, most: int | None = None) -> list[Line]:
    """The trees of a chain, the weightiest first, each step with the line that makes it; of several at most so many."""
    below = chain.below()
    graph = draft.graph
    lines: list[Line] = []
    instead: dict[int, list[Step]] = {}
    for step in chain.above.values():
        if step.fact is not None and step.fact.kind == "overrides":
            instead.setdefault(step.source, []).append(step)
    quoted = _unnamed(draft, chain)
    quoted_lines: set[tuple[int, int]] = set()
    opened: dict[int, str] = {}  # the line of a step that is no call, by function: told once
    for top in tops(chain)[:most]:
        callers = "" if chain.begun and not draft.ample else _callers(draft, top)
        lines.append(Line(f"{graph.names[top]}  {graph.location(top)}{callers}", (graph.definition(top),)))
        lines += _carried_lines(draft, chain, top, "  ")
        stack = _items(below, quoted, top, 1)
        while stack:
            item, depth = stack.pop()
            if isinstance(item, Line):
                lines.append(replace(item, text="  " * depth + item.text))
                continue
            leaf = [other for other in instead.get(item.source, ()) if other.target not in below]
            if item in leaf and len(leaf) > 1:
                if item == leaf[0]:
                    lines.append(_instead(draft, leaf, "  " * depth))
                continue
            others = "" if chain.begun and not draft.ample else _others(draft, chain, item)
            told = _step_lines(draft, item, "  " * depth, others)
            if item.bridge is not None and len(told) > 1 and told[0].text == opened.get(item.source):
                told = told[1:]  # another one that the same field may hold
            elif item.bridge is not None and len(told) > 1:
                opened[item.source] = told[0].text
                told += _also_held(draft, chain, item, "  " * depth)
            at = (item.source, item.line)
            if at in quoted_lines and item.bridge is None and len(told) == 1:
                told = [replace(told[0], text=told[0].text.partition("  | ")[0])]  # quoted with another call on it
            quoted_lines.add(at)
            lines += told
            lines += _carried_lines(draft, chain, item.target, "  " * (depth + 1))
            deeper = depth + (2 if item.bridge is not None and len(item.bridge.said) > 1 else 1)
            stack += _items(below, quoted, item.target, deeper)
    return lines


def _also_held(draft: Draft, chain: Chain, step: Step, indent: str) -> list[Line]:
    """What a field that is called may hold beside what is told."""
    graph = draft.graph
    here = graph.path(step.source)
    others = [p for p in (step.bridge.others if step.bridge is not None else ()) if p not in chain.above]
    said = [f"{graph.names[p]} ({location(graph.path(p), [graph.declared(p)], here)})" for p in others[:_MAX_INSTEAD]]
    more = f" and {len(others) - len(said)} more" if len(others) > len(said) else ""
    return [Line(f"{indent}  ⇢ or {', '.join(said)}{more}")] if said else []


def _items(
    below: Mapping[int, Sequence[Step]], quoted: Mapping[int, Mapping[int, Line]], position: int, depth: int
) -> list[tuple[Step | Line, int]]:
    """What is told below a function, the last line first."""
    found: list[tuple[int, Step | Line]] = [(step.line, step) for step in below.get(position, ())]
    found += list(quoted.get(position, {}).items())
    found.sort(key=lambda item: item[0])
    return [(item, depth) for _, item in reversed(found)]


def _unnamed(draft: Draft, chain: Chain) -> dict[int, dict[int, Line]]:
    """Lines that call what another library defines and the question ends with, or what nothing names: by function."""
    if not chain.begun:
        return {}
    graph, names = draft.graph, draft.graph.objects.column("name")
    found: dict[int, dict[int, Line]] = {}
    likely: list[tuple[float, int, int]] = []
    for number, position in enumerate(chain.members()):
        path = graph.path(position)
        for name, line in chain.outside.get(position, ()):
            text = f":{line} → {name}, outside of this root"
            found.setdefault(position, {})[line] = _quoted(draft, text, path, line)
        steps = [step for step in chain.above.values() if step.source == position]
        known = {names[far] for row, _, far in graph.rows([position], "out", CALLS) if graph.is_proven(row)}
        known |= {names[step.target] for step in steps}
        told = {step.line for step in steps} | set(found.get(position, ()))
        worth = unnamed_calls(draft, position, chain.asked.words, known)
        best = sorted((line for line in worth if line not in told), key=lambda line: (-worth[line], line))
        likely += [(-worth[line], number, line) for line in best[:_UNNAMED_EACH]]
    members = chain.members()
    for _, number, line in sorted(likely)[:_MAX_UNNAMED]:
        position = members[number]
        found.setdefault(position, {})[line] = _quoted(draft, f":{line} calls", graph.path(position), line)
    return found


def _instead(draft: Draft, steps: Sequence[Step], indent: str) -> Line:
    """Methods that may run instead of one, where nothing further is told of them: in one line."""
    graph = draft.graph
    here = graph.path(steps[0].source)
    said = [
        f"{graph.names[step.target]} ({location(graph.path(step.target), [graph.declared(step.target)], here)})"
        for step in steps[:_MAX_INSTEAD]
    ]
    more = len(graph.overrides(steps[0].source, "in")) - len(said)
    text = f"{indent}⇢ may run {', '.join(said)}" + (f" and {more} more" if more > 0 else "")
    return Line(text, tuple(step.fact for step in steps[:_MAX_INSTEAD] if step.fact is not None))


def _carried_lines(draft: Draft, chain: Chain, maker: int, indent: str) -> list[Line]:
    graph = draft.graph
    here = graph.path(maker)
    lines: list[Line] = []
    by_type: dict[int, list[Carried]] = {}
    for one in chain.carried:
        if one.maker == maker:
            by_type.setdefault(one.made, []).append(one)
    for made, found in by_type.items():
        takers = [f"{graph.names[one.taker]} ({location(graph.path(one.taker), [one.at], here)})" for one in found]
        text = f"{indent}:{found[0].line} ⇢ makes {graph.names[made]}, asked for by {', '.join(takers)}"
        lines.append(
            Line(text + _quote(draft, graph.path(found[0].taker), found[0].at), path=graph.path(found[0].taker))
        )
    return lines


def _callers(draft: Draft, top: int) -> str:
    """Who calls the first function of a tree, if they are few; else who hands it on in its own file."""
    graph = draft.graph
    here = graph.path(top)
    rows = {
        far: row
        for row, _, far in graph.rows(graph.with_constructors(top), "in", CALLS)
        if graph.is_proven(row) and not is_test_file(graph.edges.path(row))
    }
    if len(rows) > _MAX_CALLERS:
        return f"  ← {len(rows)} callers"
    said = [
        f"{graph.names[far]} {location(graph.edges.path(row), [int(graph.edges.start_line[row])], here)}"
        for far, row in rows.items()
    ]
    return f"  ← {', '.join(said or _handed_on(draft, top))}" if said or _handed_on(draft, top) else ""


def _handed_on(draft: Draft, top: int) -> list[str]:
    graph = draft.graph
    path, pattern = graph.path(top), word(graph.objects.column("name")[top])
    for line, text in draft.source.lines(path, 1, graph.snapshot.files[path].lines):
        match = pattern.search(text[:_MAX_LINE_CHARS])
        if match is not None and kind_of(text, match) == "code" and line != graph.line(top):
            by = object_at(graph.snapshot, path, line)
            if by is not None and graph.kinds[by] in FUNCTIONS and by != top:
                return [f"handed on by {graph.names[by]} :{line}{_quote(draft, path, line)}"]
    return []


def _others(draft: Draft, chain: Chain, step: Step) -> str:
    """Other functions that call the same, if they are few."""
    graph = draft.graph
    rows = {
        far: row
        for row, _, far in graph.rows(graph.with_constructors(step.target), "in", CALLS)
        if graph.is_proven(row) and not is_test_file(graph.edges.path(row))
    }
    found = [far for far in rows if far not in (step.source, step.target)]
    if not found or len(rows) > _FEW_CALLERS:
        return ""
    weights = weigh(draft, chain.asked, found)
    here = graph.path(step.target)
    said = [
        f"{graph.names[far]} {location(graph.edges.path(rows[far]), [int(graph.edges.start_line[rows[far]])], here)}"
        for far in sorted(found, key=lambda p: -weights[p])[:_MAX_CALLERS]
        if draft.ample or graph.edges.path(rows[far]) == here  # a path of another file costs more than it tells
    ]
    return f", also from {', '.join(said)}" if said else ""


def _step_lines(draft: Draft, step: Step, indent: str, others: str) -> list[Line]:
    """`:93 → Watcher.handle (:171)  | this.handle(id)`: the line of the step is one of the function above."""
    graph = draft.graph
    here = graph.path(step.source)
    target = (
        f"{graph.names[step.target]} ({location(graph.path(step.target), [graph.declared(step.target)], here)}{others})"
    )
    if step.bridge is not None:
        what, path, line = step.bridge.said[0]
        lines = [_quoted(draft, f"{indent}:{line} {what}", path, line)]
        if step.bridge.held:  # the line that stores it says no more than its name
            words, where, at = step.bridge.said[1]
            stored = f", {words.strip()} {location(where, [at], here)}"
            return [*lines, Line(f"{indent}  ⇢ {target}{stored}", path=graph.path(step.target))]
        lines += [
            _quoted(draft, f"{indent}  {words.strip()} {location(where, [at], here)}", where, at)
            for words, where, at in step.bridge.said[1:]
        ]
        if len(step.bridge.said) == 1:
            return [
                Line(f"{indent}:{line} ⇢ hands on {target}{_quote(draft, path, line)}", path=graph.path(step.target))
            ]
        return [*lines, Line(f"{indent}  ⇢ {target}", path=graph.path(step.target))]
    if step.likely:
        if step.line == graph.line(step.source):  # it is left to others
            return [Line(f"{indent}~ may run {target}", path=graph.path(step.target))]
        quote = _quote(draft, here, step.line)
        return [Line(f"{indent}:{step.line} ~ {target}{quote}", path=graph.path(step.target))]
    if step.fact is None:
        return [Line(f"{indent}:{step.line} defines {graph.names[step.target]}", path=here)]
    if step.fact.kind == "overrides":
        return [Line(f"{indent}⇢ may run {target}", (step.fact,))]
    fact = draft.sites.complete(step.fact)
    sign = "⇢ queues" if fact.kind == "registers" else "→"
    return [Line(f"{indent}{location('', fact.sites)} {sign} {target}{_quote(draft, fact.path, fact.line)}", (fact,))]


def _quoted(draft: Draft, text: str, path: str, line: int) -> Line:
    return Line(text + _quote(draft, path, line), path=path)


def _quote(draft: Draft, path: str, line: int) -> str:
    text = draft.source.text(path, line)
    if not text:
        return ""
    return f"  | {text if len(text) <= _MAX_QUOTE else text[:_MAX_QUOTE] + '…'}"
