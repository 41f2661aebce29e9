"""How the functions that a question is about come one after another: a chain of calls, read from the top.

The functions are weighed by `relevance`. Each is hung below the one that leads to it by the cheapest way: a call, a
method that may run instead, a function inside, a step that is no call (`indirect`), or a type that one makes and the
other takes. Trees that one function calls together are joined under it. What remains is printed in the order of the
source, every step with the line that makes it.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sightline.graph.build.tested import is_test_file
from sightline.graph.read.walk import object_at
from sightline.retrieval.paths import facts_of
from sightline.retrieval.research.evidence import CALLS
from sightline.retrieval.research.indirect import Bridge, bridges
from sightline.retrieval.research.listing import location
from sightline.retrieval.research.model import Fact, Line
from sightline.retrieval.research.occurrences import occurrences
from sightline.retrieval.research.relevance import FUNCTIONS, Asked, is_step, said_by, shared, weigh
from sightline.retrieval.research.wording import kind_of, word
from sightline.tokens import stem, subwords
from sightline.types import TYPE_KINDS

if TYPE_CHECKING:
    from sightline.retrieval.research.pieces import Draft

_ENDS = 18  # functions that are connected
_LEAST, _LEAST_SHOWN = 0.3, 0.45  # of the best weight: what is below is no end of a way
_MAX_COST = 3.6  # of a way from one to another; a step costs 1, less where it leads to what the question is about
_FAR_COST, _NAMED_COST = 6.5, 11.0  # from what the question begins with to what it ends with; from what it names
_IN_EXAMPLE = 1.0  # what a step costs more that leads into an example: it shows how code is used, not what runs
_MAX_POPPED, _MANY_POPPED, _MOST_POPPED = 250, 800, 2_000  # functions that one search for ways looks at
_CHEAPER = 0.6  # what a step saves if it leads to the most relevant function
_INDIRECT, _INSIDE = 1.4, 0.4  # what such steps cost
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
_TAIL = 2  # steps beyond the end of a way
_COVERED = 6.0  # what a way saves whose names say all words of the question
_AS_TELLING = 0.9  # of the words that the heaviest tree says, for the way between two ends to be the answer
_MAX_HIDDEN = 2  # steps through stored functions and events that are told although the question did not lead there
_DOUBT = 3.0  # what it costs to begin or end a way with the least likely function
_NAMED_DOUBT = 8.0  # the same where the question names what it begins with: a long way to the right end is no guess
_FEW_CALLERS = 4  # more are not worth naming some
_MAX_CALLERS = 2  # of a tree's first function that are named
_MAX_QUOTE = 110


@dataclass(frozen=True, slots=True)
class Step:
    """How one function leads to the next."""

    source: int
    target: int
    line: int  # in the file of the source
    cost: float = 1.0
    fact: Fact | None = None
    bridge: Bridge | None = None


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
    best = _best(weights)
    ends = [p for p in _ranked(draft, weights)[:_ENDS] if weights[p] >= _LEAST * best]
    carried = list(_carried(draft, ends[:_MAKERS]))
    connected = dict.fromkeys(p for one in carried for p in (one.maker, one.taker))
    weights = {**weights, **{p: max(weights.get(p, 0.0), _TAKER * best) for p in connected}}
    ends += [p for p in connected if p not in ends]
    steps = _Steps(draft, asked, weights, [*ends, *_below(draft, first)])
    ways = steps.between(ends)
    chain = _free(draft, Chain(weights, asked, ends=ends, carried=carried), ways)
    way = steps.far(first, last)
    if way and ((_is_named(first) and _is_named(last)) or _tells(steps, way, chain)):
        chain = Chain(weights, asked, ends=ends, carried=carried, kept=set(_functions(way)))
        _hang_all(chain, [way])
        _hang_all(chain, [other for other in ways if len(other) == 1 and other[0].target not in chain.kept])
    _lift(draft, chain, chain.ends[:_LIFTED])
    if carried:
        _join(draft, chain)
    for hidden in steps.hidden(chain.members()):
        _hang(chain, hidden)
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


def _is_named(end: Mapping[int, float]) -> bool:
    """Does the question name this end? Of what it only describes all but the best are less likely than that."""
    return all(likely == 1.0 for likely in end.values())


def _tells(steps: _Steps, way: Sequence[Step], chain: Chain) -> bool:
    """Does the way between two ends say as much of the question as the heaviest tree? Where something is carried
    from one end to the other, a way of calls that does not pass who asks for it misses the point."""
    functions = _functions(way)
    if chain.carried and not any(one.taker in functions for one in chain.carried):
        return False
    return steps.covered(functions) >= _AS_TELLING * steps.covered(main_tree(chain))


def _best(weights: Mapping[int, float]) -> float:
    """What others are compared with: the greatest weight, where what is named counts no more than what is found."""
    return min(max(weights.values()), 1.0)


def _functions(way: Sequence[Step]) -> list[int]:
    return [way[0].source, *(step.target for step in way)]


def _hang_all(chain: Chain, ways: Sequence[Sequence[Step]]) -> None:
    for way in ways:
        _hang(chain, way)


def main_tree(chain: Chain) -> list[int]:
    """The functions of the tree that is told first."""
    top = next(iter(_tops(chain)), None)
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


class _Steps:
    """Where one may go on from a function; worked out when asked for."""

    def __init__(self, draft: Draft, asked: Asked, weights: Mapping[int, float], ends: Sequence[int]) -> None:
        self._draft, self._asked, self._weights = draft, asked, weights
        self._best = _best(weights)
        self._known: dict[int, list[Step]] = {}
        self._indirect: dict[int, list[Step]] = {}
        for bridge in bridges(draft, ends):
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
            found = [*self._called(position), *self._inside(position), *self._indirect.get(position, ())]
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
        for fact, far in graph.overrides(position, "in"):
            yield Step(position, far, graph.line(position), self._price(far, _INDIRECT), fact)

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

    def far(self, first: Mapping[int, float], last: Mapping[int, float]) -> list[Step]:
        """The best way from where a question begins to where it ends: short, between likely ends, and with names that
        say what the question says; [] without one."""
        ways: list[tuple[float, list[Step]]] = []
        named = _is_named(first)
        most, popped = (_NAMED_COST, _MOST_POPPED) if named else (_FAR_COST, _MANY_POPPED)
        for start, likely in first.items():
            for cost, way in self._ways({start: 0.0}, set(last) - {start}, most, popped):
                if len(way) > 1:  # one step is no chain
                    doubt = (_NAMED_DOUBT if named else _DOUBT) * (2 - likely - last[way[-1].target])
                    ways.append((cost + doubt - _COVERED * self.covered(_functions(way)), way))
        best = min(ways, key=lambda way: way[0])[1] if ways else []
        return [*best, *self.tail(best[-1].target)] if best else []

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


def _hang(chain: Chain, way: Sequence[Step]) -> None:
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
                _hang(chain, callers[one][best])
                _hang(chain, callers[other][best])


def _tops(chain: Chain) -> list[int]:
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
            _hang(chain, [Step(best, position, fact.line, fact=fact)])


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
    best = _best(chain.weights)
    while chain.above:
        sources = {step.source for step in chain.above.values()}
        leaves = [p for p in chain.above if p not in sources]
        leaves = [p for p in leaves if p not in chain.kept and p not in chain.told]
        worst = min(leaves, key=lambda p: chain.weights.get(p, 0.0), default=None)
        few = len(chain.above) <= _MAX_STEPS
        if worst is None or (few and chain.weights.get(worst, 0.0) >= _LEAST_SHOWN * best):
            return
        del chain.above[worst]


# Written down


def chain_lines(draft: Draft, chain: Chain) -> list[Line]:
    """The trees of a chain, the weightiest first, each step with the line that makes it."""
    below = chain.below()
    graph = draft.graph
    lines: list[Line] = []
    for top in _tops(chain):
        lines.append(Line(f"{graph.names[top]}  {graph.location(top)}{_callers(draft, top)}", (graph.definition(top),)))
        lines += _carried_lines(draft, chain, top, "  ")
        stack = [(step, 1) for step in reversed(below.get(top, ()))]
        while stack:
            step, depth = stack.pop()
            lines += _step_lines(draft, step, "  " * depth, _others(draft, chain, step))
            lines += _carried_lines(draft, chain, step.target, "  " * (depth + 1))
            deeper = depth + (2 if step.bridge is not None and len(step.bridge.said) > 1 else 1)
            stack += [(further, deeper) for further in reversed(below.get(step.target, ()))]
    return lines


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
        f"{graph.names[step.target]} ({location(graph.path(step.target), [graph.line(step.target)], here)}{others})"
    )
    if step.bridge is not None:
        what, path, line = step.bridge.said[0]
        lines = [_quoted(draft, f"{indent}:{line} {what}", path, line)]
        lines += [
            _quoted(draft, f"{indent}  {words.strip()} {location(where, [at], here)}", where, at)
            for words, where, at in step.bridge.said[1:]
        ]
        if len(step.bridge.said) == 1:
            return [
                Line(f"{indent}:{line} ⇢ hands on {target}{_quote(draft, path, line)}", path=graph.path(step.target))
            ]
        return [*lines, Line(f"{indent}  ⇢ {target}", path=graph.path(step.target))]
    if step.fact is None:
        return [Line(f"{indent}:{step.line} defines {graph.names[step.target]}", path=here)]
    if step.fact.kind == "overrides":
        return [Line(f"{indent}⇢ may run {target}", (step.fact,))]
    fact = draft.sites.complete(step.fact)
    return [Line(f"{indent}{location('', fact.sites)} → {target}{_quote(draft, fact.path, fact.line)}", (fact,))]


def _quoted(draft: Draft, text: str, path: str, line: int) -> Line:
    return Line(text + _quote(draft, path, line), path=path)


def _quote(draft: Draft, path: str, line: int) -> str:
    text = draft.source.text(path, line)
    if not text:
        return ""
    return f"  | {text if len(text) <= _MAX_QUOTE else text[:_MAX_QUOTE] + '…'}"
