"""What comes after a function that the question names: its calls, theirs, and so on, as far as they matter.

A question that says where to begin needs no search for that. From there the chain grows by the step that is worth most:
to what the question is about, to what nobody else calls (a helper of everything is no step of a journey), to what is
long enough to do something. Where the question also says where it ends, the way there is kept whatever it is worth.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from sightline.graph.build.tested import is_test_file
from sightline.retrieval.research.chain import Chain, hang, main_tree
from sightline.retrieval.research.evidence import CALLS
from sightline.retrieval.research.relevance import FUNCTIONS, Asked, said_by, shared
from sightline.retrieval.research.steps import Step, Steps, functions_of, is_named
from sightline.store.schema import shortened
from sightline.tokens import stem, subwords

if TYPE_CHECKING:
    from sightline.retrieval.research.pieces import Draft

_GROWN = 11  # steps beside the way from the first function to the last
_GROWN_BESIDE = 7  # where the question names both
_MAX_LAST = 4  # functions that it may end with, to each of which the way is told
_MOST = 18  # steps in all
_ABOUT, _RARE, _LONG = 0.5, 0.3, 0.2  # what makes a step worth telling, at most
_STUB_LINES = 4  # of a function that leaves the work to those that override it
_LONG_LINES = 14  # of a function that does something of its own
_DEEPER = 0.03  # what a step is worth less for each one before it
_UNSURE, _INSTEAD, _INSIDE = 0.1, 0.22, 0.35  # and where it is likely only, an override, a function inside
_ASIDE = 0.15  # and where it makes something, asks something or is about what went wrong
_ASIDE_WORDS = frozenset("error err raise invalid log warn warning deprecat abort help usage debug except fail".split())  # noqa: SIM905
_LEAST, _LEAST_FIRST = 0.42, 0.25  # what is below is not told; of the first function more is
_WORDS = 3  # of a question that a name says: more make it no more telling
_SAME_FILE = 0.05
_MAX_INSTEAD = 4  # methods told of that may run instead of one
_SEQUENCE_LINES, _SEQUENCE, _MAX_SEQUENCE = 16, 4, 9  # a short function of several calls is told with all of them
_HELPER_CALLERS = 5  # what more functions call than so many is a helper, in a sequence too
_SEQUENCE_COST = 0.4  # what each of these counts
_FROM_ASIDE = 5  # how much deeper what follows from a constructor or a question is
_SHORT = 9  # functions of a chain that goes on by itself
_ENOUGH = 3  # steps that a chain must have which does not reach what the question describes
_FEW = 4  # steps that a chain has at least, where there are any


def flow_of(
    draft: Draft,
    asked: Asked,
    weights: Mapping[int, float],
    starts: Sequence[int],
    last: Mapping[int, float],
    outside: Mapping[int, list[tuple[str, int]]],
) -> Chain | None:
    """The chain from the function that the question begins with; None if that leads nowhere."""
    steps = Steps(draft, asked, weights, [*starts, *_near(draft, starts)], further=True)
    way = steps.far(dict.fromkeys(starts, 1.0), last, least=1 if is_named(last) else 2) if last else []
    start = way[0].source if way else _start(draft, steps, starts, weights)
    chain = Chain(
        {**weights, start: max(weights.get(start, 0.0), 1.0)},
        asked,
        ends=[start, *([step.target for step in way if step.target in last][-1:] if is_named(last) else [])],
        kept={start, *(functions_of(way) if way else ())},
        begun=True,
        outside=dict(outside),
    )
    for step in way:
        hang(chain, [step])
    if is_named(last) and len(last) <= _MAX_LAST:  # the methods of a type that the question ends with
        for other in last:
            if other not in chain.kept:
                further = steps.far({start: 1.0}, {other: 1.0}, least=1, tail=False)
                chain.kept.update(functions_of(further) if further else ())
                for step in further:
                    hang(chain, [step])
    for end in [p for p in last if p in chain.kept]:  # what it calls that no edge names may be what is asked for
        for step in steps.onward(end):
            if step.bridge is not None and step.bridge.held and step.target not in chain.above:
                hang(chain, [step])
                chain.told.add(step.target)
    grown = _GROWN_BESIDE if way and is_named(last) else _GROWN
    _grow(draft, steps, chain, [start, *(p for p in chain.kept if p != start)], min(_MOST, len(way) + grown))
    enough = (way and is_named(last)) or len(chain.above) >= (_ENOUGH if last else 1)
    return chain if enough and chain.above else None


def _start(draft: Draft, steps: Steps, starts: Sequence[int], weights: Mapping[int, float]) -> int:
    """Of several functions of the name the one that leads on."""
    graph = draft.graph
    return max(
        starts,
        key=lambda p: (
            not is_test_file(graph.path(p)),
            bool(steps.onward(p)),
            min(weights.get(p, 0.0), 1.0),
            len(steps.onward(p)),
            -starts.index(p),
        ),
    )


def _near(draft: Draft, starts: Sequence[int]) -> list[int]:
    tree = draft.graph.tree(list(starts), "out", CALLS, 3, dispatch=True, max_nodes=60)
    return [node.position for node in tree.walk() if draft.graph.kinds[node.position] in FUNCTIONS]


def extend(draft: Draft, chain: Chain) -> None:
    """Let a chain that was put together of what search found go on to what follows, where it is short."""
    functions = main_tree(chain)
    if functions and len(functions) < _SHORT:
        steps = Steps(draft, chain.asked, chain.weights, functions)
        _grow(draft, steps, chain, functions, len(chain.above) + _SHORT - len(functions))


def _grow(draft: Draft, steps: Steps, chain: Chain, seeds: Sequence[int], most: int) -> None:
    """Add the steps that are worth most, one after another; of the first seed more is told than of the others."""
    worth = Worth(draft, chain.asked, chain.weights)
    start, depth = seeds[0], dict.fromkeys(seeds, 0)
    queue: list[tuple[float, int, Step]] = []

    def offer(position: int) -> None:
        for step in steps.onward(position):
            value = worth.of(step) - _DEEPER * depth[position]
            heapq.heappush(queue, (-value, len(queue) + 1000 * len(chain.above), step))

    for position in seeds:
        offer(position)
    instead: dict[int, int] = {}  # methods that may run instead of one
    number: float = len(chain.above)
    while queue and number < most:
        value, _, step = heapq.heappop(queue)
        first = chain.begun and (step.source == start or len(chain.above) < _FEW)
        if -value < (_LEAST_FIRST if first else _LEAST):
            continue
        if step.target in chain.above or chain.root(step.source) == step.target:
            continue
        overrides = step.fact is not None and step.fact.kind == "overrides"
        if overrides and instead.get(step.source, 0) >= _MAX_INSTEAD:
            continue
        instead[step.source] = instead.get(step.source, 0) + overrides
        number += not overrides
        hang(chain, [step])
        chain.told.add(step.target)
        depth[step.target] = depth[step.source] + 1 + (_FROM_ASIDE if worth.is_aside(step.target) else 0)
        onward = steps.onward(step.target)
        if _is_sequence(draft, step.target, onward):  # what it does is to call these: none of them is left out
            for call in onward[:_MAX_SEQUENCE]:
                if worth.callers(call.target) > _HELPER_CALLERS:
                    continue
                if call.fact is not None and call.target not in chain.above and chain.root(call.source) != call.target:
                    hang(chain, [call])
                    chain.told.add(call.target)
                    depth[call.target] = depth[step.target] + 1
                    number += _SEQUENCE_COST
                    offer(call.target)
        offer(step.target)


def _is_sequence(draft: Draft, position: int, onward: Sequence[Step]) -> bool:
    """Is a function little more than what it calls, one after another?"""
    graph = draft.graph
    lines = int(graph.objects.end_line[position]) - graph.line(position)
    calls = {step.target for step in onward if step.fact is not None and step.fact.kind in CALLS}
    return lines <= _SEQUENCE_LINES and len(calls) >= _SEQUENCE


class Worth:
    """How much a step is worth to whoever follows a chain."""

    def __init__(self, draft: Draft, asked: Asked, weights: Mapping[int, float]) -> None:
        self._draft, self._asked, self._weights = draft, asked, weights
        self._best = max((w for w in weights.values() if w <= 1.0), default=1.0) or 1.0
        near = self._near(list(weights)[:200]) if weights else []
        self._top = max([0.2, *near])

    def of(self, step: Step) -> float:
        """What a step is worth, 0 to about 1."""
        graph, target = self._draft.graph, step.target
        short = int(graph.objects.end_line[target]) - graph.line(target) < _STUB_LINES
        instead = [far for _, far in graph.overrides(target, "in")][:_MAX_INSTEAD] if short else []  # these do the work
        lines = max(int(graph.objects.end_line[p]) - graph.line(p) + 1 for p in (target, *instead))
        worth = _ABOUT * max(map(self._about, (target, *instead))) + _RARE / self.callers(target)
        worth += _LONG * min(1.0, lines / _LONG_LINES)
        worth += _SAME_FILE if graph.path(target) == graph.path(step.source) else 0.0
        if step.likely:
            worth -= _UNSURE
        elif step.fact is None and step.bridge is None:
            worth -= _INSIDE
        elif step.fact is not None and step.fact.kind == "overrides":
            worth -= _INSTEAD
        return worth - (_ASIDE if self.is_aside(target) else 0.0)

    def is_aside(self, position: int) -> bool:
        """Is a function beside the point: one that makes or asks something, or is about what went wrong?"""
        graph = self._draft.graph
        name = graph.objects.column("name")[position]
        words = [stem(word) for word in subwords(name)]
        asks = name.endswith("?") or (words[:1] and words[0] in ("is", "has") and len(words) > 1)
        wrong = {word for word in words if word in _ASIDE_WORDS} - self._asked.words
        return bool(graph.kinds[position] == "constructor" or asks or wrong)

    def _about(self, position: int) -> float:
        words = self._asked.words
        said = len(shared(words, said_by(self._draft, [position]))) / max(1, min(len(words), _WORDS))
        meant = max(0.0, self._near([position])[0]) / self._top if self._asked.vector is not None else 0.0
        found = self._weights.get(position, 0.0) / self._best
        return min(1.0, 0.5 * min(said, 1.0) + 0.3 * min(meant, 1.0) + 0.3 * min(found, 1.0))

    def _near(self, positions: Sequence[int]) -> list[float]:
        if self._asked.vector is None or not positions:
            return [0.0] * len(positions)
        vectors = self._draft.graph.objects.vectors(np.array(positions, np.int64))
        near: list[float] = np.vecdot(vectors, shortened(self._asked.vector, vectors.shape[1])).tolist()
        return near

    def callers(self, position: int) -> int:
        """How many functions call one, at least 1."""
        graph = self._draft.graph
        rows = graph.rows(graph.with_constructors(position), "in", CALLS)
        found = {far for row, _, far in rows if graph.is_proven(row) and not graph.is_test(far)}
        return max(1, len(found))
