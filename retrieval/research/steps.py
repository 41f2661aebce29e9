"""Where one may go on from a function: a call, a method that may run instead, a function inside, a step that is no call
(`indirect`), or one that is only likely by its name (`untyped`); and the cheapest ways along such steps."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sightline.languages import jobs
from sightline.retrieval.paths import facts_of
from sightline.retrieval.research.evidence import CALLS, REGISTERS
from sightline.retrieval.research.indirect import Bridge, bridges
from sightline.retrieval.research.model import Fact
from sightline.retrieval.research.relevance import Asked, is_step, said_by, shared, weigh
from sightline.retrieval.research.untyped import likely_calls
from sightline.tokens import stem, subwords
from sightline.types import TYPE_KINDS

if TYPE_CHECKING:
    from sightline.retrieval.research.pieces import Draft

_MAX_COST = 3.6  # of a way from one to another; a step costs 1, less where it leads to what the question is about
_FAR_COST, _NAMED_COST = 6.5, 11.0  # from what the question begins with to what it ends with; from what it names
_IN_EXAMPLE = 1.0  # what a step costs more that leads into an example: it shows how code is used, not what runs
_MAX_POPPED, _MANY_POPPED, _MOST_POPPED = 250, 800, 2_000  # functions that one search for ways looks at
_CHEAPER = 0.6  # what a step saves if it leads to the most relevant function
_INDIRECT, _INSIDE = 1.4, 0.4  # what such steps cost
_LIKELY = 1.7  # what a step costs that is likely by its name only
_MAX_BRIDGED = 160  # functions whose bodies are read for steps that are no call
_MAX_READ = 400  # functions whose bodies are read for such steps
_TAIL = 2  # steps beyond the end of a way
_COVERED = 6.0  # what a way saves whose names say all words of the question
_MAX_HIDDEN = 2  # steps through stored functions and events that are told although the question did not lead there
_DOUBT = 3.0  # what it costs to begin or end a way with the least likely function
_NAMED_DOUBT = 8.0  # the same where the question names what it begins with: a long way to the right end is no guess


@dataclass(frozen=True, slots=True)
class Step:
    """How one function leads to the next."""

    source: int
    target: int
    line: int  # in the file of the source
    cost: float = 1.0
    fact: Fact | None = None
    bridge: Bridge | None = None
    likely: bool = False  # by its name only: no edge and no line says it


class Steps:
    """Where one may go on from a function; worked out when asked for."""

    def __init__(
        self, draft: Draft, asked: Asked, weights: Mapping[int, float], ends: Sequence[int], *, further: bool = False
    ) -> None:
        """`further`: steps that are no call are looked for behind such a step, too."""
        self._draft, self._asked, self._weights, self._further = draft, asked, weights, further
        self._best = best_of(weights)
        self._known: dict[int, list[Step]] = {}
        self._read = 0
        self._indirect: dict[int, list[Step]] = {}
        self._bridged: set[int] = set()
        self._bridge(ends)

    def _bridge(self, positions: Sequence[int]) -> None:
        """Look for the steps from functions that are no call."""
        wanted = [p for p in dict.fromkeys(positions) if p not in self._bridged]
        self._bridged.update(wanted)
        for bridge in bridges(self._draft, wanted):
            line = bridge.said[0][2]
            step = Step(bridge.caller, bridge.target, line, self._price(bridge.target, _INDIRECT), bridge=bridge)
            self._indirect.setdefault(bridge.caller, []).append(step)

    def _price(self, target: int, cost: float = 1.0) -> float:
        example = _IN_EXAMPLE if facts_of(self._draft.graph.path(target)).is_example else 0.0
        return cost + example - _CHEAPER * min(1.0, self._weights.get(target, 0.0) / self._best)

    def onward(self, position: int) -> list[Step]:
        """The steps from a function."""
        known = self._known.get(position)
        if known is None:
            if self._further and len(self._bridged) < _MAX_BRIDGED and is_step(self._draft.graph, position):
                self._bridge([position])
            found = [
                *self._called(position),
                *self._inside(position),
                *self._indirect.get(position, ()),
                *self._likely(position),
            ]
            known = self._known[position] = [step for step in found if self._may(step.target)]
        return known

    def _may(self, position: int) -> bool:
        return is_step(self._draft.graph, position)

    def _called(self, position: int) -> Iterator[Step]:
        graph = self._draft.graph
        for row, _, far in graph.rows([position], "out", CALLS):
            if graph.is_proven(row):
                fact = graph.fact(row)
                target = self._constructor(far)
                yield Step(position, target, fact.line, self._price(target), fact)
        for row, _, far in graph.rows([position], "out", REGISTERS):
            fact = graph.fact(row)
            if fact.label in jobs.ALL and graph.is_proven(row):
                yield Step(position, far, fact.line, self._price(far), fact)
        for fact, far in graph.overrides(position, "in"):
            yield Step(position, far, graph.line(position), self._price(far, _INDIRECT), fact)

    def _likely(self, position: int) -> Iterator[Step]:
        """Calls of what has no type, by its name; reading bodies takes time, so only the first ones are read."""
        if self._read < _MAX_READ and is_step(self._draft.graph, position):
            self._read += 1
            for likely in likely_calls(self._draft, position):
                cost = self._price(likely.target, _LIKELY)
                yield Step(position, likely.target, likely.line, cost, likely=True)

    def _constructor(self, position: int) -> int:
        graph = self._draft.graph
        made = graph.with_constructors(position) if graph.kinds[position] in TYPE_KINDS else ()
        return made[1] if len(made) > 1 else position

    def _inside(self, position: int) -> Iterator[Step]:
        graph = self._draft.graph
        for member in graph.members(position):
            yield Step(position, member, graph.line(member), self._price(member, _INSIDE + _CHEAPER))

    def between(self, ends: Sequence[int]) -> list[list[Step]]:
        """The cheapest way from each end to each other one that is near, cheapest first."""
        found: list[tuple[float, list[Step]]] = []
        for start in ends:
            found += self._ways({start: 0.0}, set(ends) - {start}, _MAX_COST, _MAX_POPPED)
        found.sort(key=lambda way: way[0] / (1 + self._weights.get(way[1][0].source, 0.0)))
        return [way for _, way in found]

    def far(
        self, first: Mapping[int, float], last: Mapping[int, float], *, least: int = 2, tail: bool = True
    ) -> list[Step]:
        """The best way from where a question begins to where it ends: short, between likely ends, and with names that
        say what the question says; [] without one."""
        ways: list[tuple[float, list[Step]]] = []
        named = is_named(first)
        most, popped = (_NAMED_COST, _MOST_POPPED) if named else (_FAR_COST, _MANY_POPPED)
        for start, likely in first.items():
            for cost, way in self._ways({start: 0.0}, set(last) - {start}, most, popped):
                if len(way) >= least:  # one step is no chain
                    doubt = (_NAMED_DOUBT if named else _DOUBT) * (2 - likely - last[way[-1].target])
                    ways.append((cost + doubt - _COVERED * self.covered(functions_of(way)), way))
        best = min(ways, key=lambda way: way[0])[1] if ways else []
        return [*best, *(self.tail(best[-1].target) if tail else ())] if best else []

    def covered(self, positions: Sequence[int]) -> float:
        """The share of the question's words that names say."""
        words = self._asked.words
        return len(shared(words, said_by(self._draft, positions))) / max(len(words), 1)

    def tail(self, last: int) -> list[Step]:
        """What the last function of a way calls that is most about the question, and what that calls."""
        way: list[Step] = []
        for _ in range(_TAIL):
            been = {last, *(step.source for step in way)}
            onward = [step for step in self.onward(last) if step.target not in been and self._says(step)]
            weights = weigh(self._draft, self._asked, list(dict.fromkeys(step.target for step in onward)))
            best = max(onward, key=lambda step: weights[step.target], default=None)
            if best is None:
                break
            way.append(best)
            last = best.target
        return way

    def _says(self, step: Step) -> bool:
        """Is this a call of something whose own name is about the question?"""
        name = self._draft.graph.objects.column("name")[step.target]
        return step.fact is not None and bool(shared(self._asked.words, {stem(part) for part in subwords(name)}))

    def hidden(self, members: Sequence[int]) -> list[list[Step]]:
        """Where functions call what was stored with them: nobody finds that by reading on, so it is always told."""
        found: list[list[Step]] = []
        for position in members:
            for step in self._indirect.get(position, ()):
                if step.bridge is not None and len(step.bridge.said) > 1 and self._may(step.target):
                    found.append([step, *self.tail(step.target)])
        return found[:_MAX_HIDDEN]

    def _ways(
        self, starts: Mapping[int, float], wanted: set[int], most: float, popped: int
    ) -> list[tuple[float, list[Step]]]:
        before: dict[int, Step] = {}
        costs = dict(starts)
        queue = [(cost, start) for start, cost in starts.items()]
        heapq.heapify(queue)
        found: list[tuple[float, list[Step]]] = []
        done: set[int] = set()
        while queue and len(done) < popped:
            cost, position = heapq.heappop(queue)
            if position in done:
                continue
            done.add(position)
            if position in wanted:
                found.append((cost, _back(before, position)))
            for step in self.onward(position):
                total = cost + step.cost
                if total <= most and total < costs.get(step.target, most + 1):
                    costs[step.target], before[step.target] = total, step
                    heapq.heappush(queue, (total, step.target))
        return found


def _back(before: Mapping[int, Step], end: int) -> list[Step]:
    way: list[Step] = []
    while end in before:
        way.append(before[end])
        end = way[-1].source
    return way[::-1]


def best_of(weights: Mapping[int, float]) -> float:
    """What others are compared with: the greatest weight, where what is named counts no more than what is found."""
    return min(max(weights.values()), 1.0)


def functions_of(way: Sequence[Step]) -> list[int]:
    return [way[0].source, *(step.target for step in way)]


def is_named(end: Mapping[int, float]) -> bool:
    """Does the question name this end? Of what it only describes all but the best are less likely than that."""
    return all(likely == 1.0 for likely in end.values())
