"""How the functions that a question is about come one after another: a chain of calls, read from the top.

The functions are weighed by `relevance`. Each is hung below the one that leads to it by the cheapest way: a call, a
method that may run instead, a function inside, a step that is no call (`indirect`), or a type that one makes and the
other takes. Trees that one function calls together are joined under it. What remains is printed in the order of the
source, every step with the line that makes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sightline.graph.build.tested import is_test_file
from sightline.graph.read.walk import object_at
from sightline.retrieval.research.evidence import CALLS
from sightline.retrieval.research.occurrences import occurrences
from sightline.retrieval.research.relevance import FUNCTIONS, Asked, is_step, weigh
from sightline.retrieval.research.steps import Step, Steps, best_of, functions_of, is_named
from sightline.types import TYPE_KINDS

if TYPE_CHECKING:
    from sightline.retrieval.research.pieces import Draft

_ENDS = 18  # functions that are connected
_LEAST, _LEAST_SHOWN = 0.3, 0.45  # of the best weight: what is below is no end of a way
_MAKERS, _MADE = 4, 6  # functions whose types are followed, and types that are looked up in text
_MAX_TAKERS = 4  # functions that ask for a type: more, and it says nothing about a way
_TAKER = 0.6  # what one of them weighs, in proportion to the best
_ASKS = r"(?:\bis(?:instance|subclass|_a)?\b|\binstanceof\b|\bcase\b|\bas[?!]?\s|\bdowncast|\.\()[^;]*\b{name}\b"
_MAX_LINE_CHARS = 300
_UP_HOPS, _UP_NODES = 5, 300  # within which a function that calls two trees is looked for
_MAX_STEPS = 16
_MAX_TREES, _LEAST_TREE = 3, 0.4  # trees that are told, and what each must be worth in proportion to the first
_BELOW_HOPS, _BELOW_NODES = 2, 40  # of what a question begins with, in which indirect steps are looked for
_STEP_LINE, _DECIDING_LINE = 1.5, 12.0  # what a line that makes a step is worth, when lines are chosen
_LIFTED = 5  # functions that are shown below a caller whatever it is
_AS_TELLING = 0.9  # of the words that the heaviest tree says, for the way between two ends to be the answer
_FEW_CALLERS = 4  # more are not worth naming some


@dataclass(frozen=True, slots=True)
class Carried:
    """A type that one function makes and another one asks for: what goes from one to the other without a call."""

    maker: int
    line: int
    made: int
    taker: int
    at: int  # the line that asks


@dataclass(slots=True)
class Chain:
    """The functions of an answer: how each is reached, and how much it matters."""

    weights: Mapping[int, float]
    asked: Asked
    above: dict[int, Step] = field(default_factory=dict)  # function → the step that leads to it
    ends: list[int] = field(default_factory=list)
    kept: set[int] = field(default_factory=set)  # of the way from where the question begins to where it ends
    told: set[int] = field(default_factory=set)  # behind a step that is no call
    carried: list[Carried] = field(default_factory=list)
    outside: dict[int, list[tuple[str, int]]] = field(default_factory=dict)  # function → what it calls elsewhere, line
    begun: bool = False  # the question names what it begins with

    def members(self) -> list[int]:
        """Every function of the chain."""
        return list(dict.fromkeys([*self.ends, *self.above, *(step.source for step in self.above.values())]))

    def root(self, position: int) -> int:
        """The function at the top of the tree that holds one."""
        while position in self.above:
            position = self.above[position].source
        return position

    def below(self) -> dict[int, list[Step]]:
        """The steps from each function, in the order of its source."""
        found: dict[int, list[Step]] = {}
        for step in self.above.values():
            found.setdefault(step.source, []).append(step)
        for steps in found.values():
            steps.sort(key=lambda step: step.line)
        return found


def chain_of(
    draft: Draft, asked: Asked, weights: Mapping[int, float], first: Mapping[int, float], last: Mapping[int, float]
) -> Chain | None:
    """Connect the functions that matter most; `first` and `last` are those that the question may begin and end with."""
    if not weights:
        return None
    best = best_of(weights)
    ends = [p for p in _ranked(draft, weights)[:_ENDS] if weights[p] >= _LEAST * best]
    carried = list(_carried(draft, ends[:_MAKERS]))
    connected = dict.fromkeys(p for one in carried for p in (one.maker, one.taker))
    weights = {**weights, **{p: max(weights.get(p, 0.0), _TAKER * best) for p in connected}}
    ends += [p for p in connected if p not in ends]
    steps = Steps(draft, asked, weights, [*ends, *_below(draft, first)])
    ways = steps.between(ends)
    chain = _free(draft, Chain(weights, asked, ends=ends, carried=carried), ways)
    way = steps.far(first, last)
    if way and ((is_named(first) and is_named(last)) or _tells(steps, way, chain)):
        chain = Chain(weights, asked, ends=ends, carried=carried, kept=set(functions_of(way)))
        _hang_all(chain, [way])
        _hang_all(chain, [other for other in ways if len(other) == 1 and other[0].target not in chain.kept])
    _lift(draft, chain, chain.ends[:_LIFTED])
    if carried:
        _join(draft, chain)
    for hidden in steps.hidden(chain.members()):
        hang(chain, hidden)
        chain.told.update(step.target for step in hidden)
    _trim(chain)
    return chain if chain.above else None


def _free(draft: Draft, chain: Chain, ways: Sequence[Sequence[Step]]) -> Chain:
    """The chain of whatever is connected, wherever a question may begin and end."""
    _hang_all(chain, ways)
    takers = [one.taker for one in chain.carried]
    _lift(draft, chain, takers)
    _lift(draft, chain, [chain.root(taker) for taker in takers])
    _join(draft, chain)
    return chain


def _tells(steps: Steps, way: Sequence[Step], chain: Chain) -> bool:
    """Does the way between two ends say as much of the question as the heaviest tree? Where something is carried
    from one end to the other, a way of calls that does not pass who asks for it misses the point."""
    functions = functions_of(way)
    if chain.carried and not any(one.taker in functions for one in chain.carried):
        return False
    return steps.covered(functions) >= _AS_TELLING * steps.covered(main_tree(chain))


def _hang_all(chain: Chain, ways: Sequence[Sequence[Step]]) -> None:
    for way in ways:
        hang(chain, way)


def main_tree(chain: Chain) -> list[int]:
    """The functions of the tree that is told first."""
    top = next(iter(tops(chain)), None)
    return [position for position in chain.members() if chain.root(position) == top]


def _carried(draft: Draft, ends: Sequence[int]) -> Iterator[Carried]:
    """Types that these functions make and others ask for (`isinstance(x, T)`)."""
    graph = draft.graph
    makers = dict.fromkeys([*ends, *(m for end in ends for m in graph.members(end) if graph.kinds[m] in FUNCTIONS)])
    told: set[int] = set()
    for row, maker, made in graph.rows(list(makers), "out", ("instantiates",)):
        if not graph.is_proven(row) or graph.kinds[made] not in TYPE_KINDS or made in told or len(told) >= _MADE:
            continue
        told.add(made)
        takers = dict(_takers(draft, made))
        if len(takers) <= _MAX_TAKERS:
            line = int(graph.edges.start_line[row])
            yield from (Carried(maker, line, made, taker, at) for taker, at in takers.items() if taker != maker)


def _takers(draft: Draft, made: int) -> Iterator[tuple[int, int]]:
    """Functions that ask whether something is of a type, each with the line."""
    graph = draft.graph
    name = graph.objects.column("name")[made]
    asks = re.compile(_ASKS.format(name=re.escape(name)))
    for file in occurrences(graph.snapshot, draft.texts, name).files:
        if is_test_file(file.text.path) or file.text.reason:
            continue
        for number, line in enumerate(file.lines):
            if asks.search(file.line(number)[:_MAX_LINE_CHARS]):
                around = object_at(graph.snapshot, file.text.path, line)
                if around is not None and graph.kinds[around] in FUNCTIONS:
                    yield around, line


def _ranked(draft: Draft, weights: Mapping[int, float]) -> list[int]:
    return sorted(weights, key=lambda p: (-weights[p], draft.graph.path(p), draft.graph.line(p)))


def _below(draft: Draft, first: Mapping[int, float]) -> list[int]:
    """What the first functions call: indirect steps are looked for there, too."""
    tree = draft.graph.tree(list(first), "out", CALLS, _BELOW_HOPS, max_nodes=_BELOW_NODES)
    return [node.position for node in tree.walk()]


def hang(chain: Chain, way: Sequence[Step]) -> None:
    """Add a way, as far as its functions have no place yet and none comes to stand below itself."""
    for step in reversed(way):
        if step.target in chain.above or chain.root(step.source) == step.target:
            return
        chain.above[step.target] = step


def _join(draft: Draft, chain: Chain) -> None:
    """Hang trees below a function that leads to two of them."""
    tops = dict.fromkeys(chain.root(step.target) for step in chain.above.values())
    ranked = sorted(tops, key=lambda p: -_worth(chain, p))[:4]
    callers = {top: _upward(draft, top) for top in ranked}
    for number, one in enumerate(ranked):
        for other in ranked[number + 1 :]:
            if chain.root(one) == chain.root(other):
                continue
            common = callers[one].keys() & callers[other].keys()
            if common:
                best = min(
                    common, key=lambda p: (len(callers[one][p]) + len(callers[other][p]), -chain.weights.get(p, 0))
                )
                hang(chain, callers[one][best])
                hang(chain, callers[other][best])


def tops(chain: Chain) -> list[int]:
    """The functions at the top of the trees that are worth telling, the most telling first."""
    tops = dict.fromkeys(chain.root(step.target) for step in chain.above.values())
    first = {chain.root(p) for p in (*chain.kept, *(p for one in chain.carried for p in (one.maker, one.taker)))}
    if chain.kept:
        tops = {top: None for top in tops if top in first}
    makers = {chain.root(one.maker) for one in chain.carried}
    ranked = sorted(tops, key=lambda p: (p not in makers, p not in first, -_worth(chain, p)))
    least = _LEAST_TREE * max((_worth(chain, top) for top in ranked), default=0.0)
    return [top for top in ranked[:_MAX_TREES] if top in first or _worth(chain, top) >= least]


def deciding(chain: Chain) -> tuple[dict[int, float], dict[str, dict[int, float]]]:
    """Where it is decided: the caller of the function that matters most weighs as much as that, and of the lines that
    make steps, by file, the one of that call is worth most."""
    lines: dict[str, dict[int, float]] = {}
    for step in chain.above.values():
        if step.fact is not None:
            lines.setdefault(step.fact.path, {})[step.line] = _STEP_LINE
    best = max(main_tree(chain), key=lambda p: chain.weights.get(p, 0.0), default=-1)
    decided = chain.above.get(best)
    while decided is not None and decided.fact is None:  # handed on: decided by who calls what hands it on
        decided = chain.above.get(decided.source)
    if decided is None or decided.fact is None:
        return {}, lines
    lines[decided.fact.path][decided.line] = _DECIDING_LINE
    return {decided.source: 2 * chain.weights[best]}, lines


def _lift(draft: Draft, chain: Chain, positions: Sequence[int]) -> None:
    """Hang functions that nothing leads to yet below the caller that says most."""
    graph = draft.graph
    for position in positions:
        if position in chain.above or position in chain.kept:
            continue
        rows = {
            far: row
            for row, _, far in graph.rows(graph.with_constructors(position), "in", CALLS)
            if graph.is_proven(row) and is_step(graph, far) and chain.root(far) != position
        }
        if rows and len(rows) <= _FEW_CALLERS:
            weights = weigh(draft, chain.asked, list(rows))
            best = max(rows, key=lambda p: (weights[p], -graph.line(p)))
            fact = graph.fact(rows[best])
            hang(chain, [Step(best, position, fact.line, fact=fact)])


def _worth(chain: Chain, top: int) -> float:
    """What the functions of a tree weigh together."""
    return sum(weight for p, weight in chain.weights.items() if (p in chain.above or p == top) and chain.root(p) == top)


def _upward(draft: Draft, top: int) -> dict[int, list[Step]]:
    """What leads to a function, itself included, each with the calls from there."""
    graph = draft.graph
    found: dict[int, list[Step]] = {top: []}
    level = [top]
    for _ in range(_UP_HOPS):
        reached: list[int] = []
        for position in level:
            for row, _, far in graph.rows(graph.with_constructors(position), "in", CALLS):
                counts = is_step(graph, far) and graph.is_proven(row)
                if counts and far not in found and len(found) < _UP_NODES:
                    fact = graph.fact(row)
                    found[far] = [Step(far, position, fact.line, fact=fact), *found[position]]
                    reached.append(far)
        level = reached
    return found


def _trim(chain: Chain) -> None:
    """Cut the ends that matter least until the chain is short enough, and those that hardly matter at all."""
    best = best_of(chain.weights)
    while chain.above:
        sources = {step.source for step in chain.above.values()}
        leaves = [p for p in chain.above if p not in sources]
        leaves = [p for p in leaves if p not in chain.kept and p not in chain.told]
        worst = min(leaves, key=lambda p: chain.weights.get(p, 0.0), default=None)
        few = len(chain.above) <= _MAX_STEPS
        if worst is None or (few and chain.weights.get(worst, 0.0) >= _LEAST_SHOWN * best):
            return
        del chain.above[worst]
