"""Evidence written down: the parts that answers of several kinds share.

A `Draft` collects blocks for one answer. Every line that claims something carries its facts and names its place;
guessed edges go to blocks of their own and begin with `~ possible`; tests come last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sightline.languages.paths import is_header
from sightline.retrieval.research import proof
from sightline.retrieval.research.budget import CHECK
from sightline.retrieval.research.closing import closing_lines
from sightline.retrieval.research.evidence import CALLS, Graph, Tree
from sightline.retrieval.research.listing import (
    FEW_TESTS,
    TESTS_SHOWN,
    caller_text,
    possible_lines,
    test_lines,
    tree_lines,
)
from sightline.retrieval.research.model import Block, Fact, Line
from sightline.retrieval.research.names import by_symbol
from sightline.retrieval.research.occurrences import IndexedTexts, Texts
from sightline.retrieval.research.said import kind_said, name_said
from sightline.retrieval.research.scope import Scope
from sightline.retrieval.research.sites import Sites
from sightline.retrieval.research.source import Source
from sightline.types import TYPE_KINDS, Object

_DEFINITION_LINES = 30  # of a function shown at first; the rest follows if there is room and it is the answer
_TYPE_LINES = 14  # of a type: its declaration and how its documentation begins; its members are listed by name
_MORE_LINES = 90
_MAX_MEMBERS = 40
_MANY_LEFT = 10  # lines that may mean it: from there on the first sentences say so
_MANY_BODIES = 3  # of one function that are named at its first mention

# What is worth its room first; the check that closes an answer is short, and a question's own evidence comes next.
CLOSING, ANSWER, DEFINITION, DISPATCH, TESTS, POSSIBLE, RELATED, REST = range(8)


@dataclass(slots=True)
class Closing:
    """A check by text that an answer ends with: one for each name, whatever number of symbols have it."""

    positions: list[int]
    negative: bool
    declared: bool
    denied: dict[str, list[list[int]]] = field(default_factory=dict)  # of what, "callers", → symbols that have none


@dataclass(slots=True)
class Draft:
    """An answer in the making."""

    graph: Graph
    source: Source
    depth: int
    progress: Callable[[str], None]
    scope: Scope = field(default_factory=Scope)
    given_texts: Texts | None = None  # as they are on disk; else as they were indexed
    ample: bool = False  # a larger answer than usual was asked for
    asked: str = ""  # the question, for what it asks beside its kind
    head: list[str] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    quoting: int = 1  # hops within which callers are shown with the line that calls
    meant: frozenset[int] = frozenset()  # every symbol that is asked about
    tested: set[tuple[str, str]] = field(default_factory=set)  # tests that are listed: file, name
    closing: dict[str, Closing] = field(default_factory=dict)  # the checks by text that are still to be made
    guessed: set[tuple[str, int]] = field(default_factory=set)  # lines of guesses that are listed
    changed: set[str] = field(default_factory=set)  # files that say a name and are no longer what was indexed
    sites: Sites = field(init=False)
    texts: Texts = field(init=False)

    def __post_init__(self) -> None:
        self.sites = Sites(self.graph, self.source)
        self.texts = self.given_texts or IndexedTexts(self.source, self.graph.snapshot)

    def add(self, title: str, lines: Sequence[Line], priority: int, *, more: str = "", what: str = "lines") -> None:
        """Add a block, unless it is empty."""
        if lines:
            self.blocks.append(Block(title, lines, priority, more, what=what))

    def add_possible(self, title: str, facts: Sequence[Fact], *, closed: bool = False) -> int:
        """Add guessed edges; returns how many there are, listed or not. `closed`: a check names the others."""
        lines, unlikely = possible_lines(self, facts)
        self.guessed.update((fact.path, fact.line) for line in lines for fact in line.facts)
        number = len(lines) + unlikely
        if unlikely and not closed:
            lines.append(Line(f"{unlikely} less likely than 0.5 not listed (expand_graph min_confidence=0 lists them)"))
        self.add(title, lines, POSSIBLE, what="guesses")
        return number

    def add_tests(self, trees: Sequence[Tree], position: int, *, priority: int = TESTS) -> int:
        """Add the most direct tests among callers; returns how many there are."""
        name, path = self.graph.objects.column("name")[position], self.graph.path(position)
        about_tests = priority < TESTS or self.ample or "test" in self.asked
        lines, number = test_lines(self, trees, name, path, TESTS_SHOWN if about_tests else FEW_TESTS)
        if lines and all(line.heading or self.tested.issuperset(_tests_of(line)) for line in lines):
            return number  # told of another symbol of the name
        if priority != ANSWER and not self.ample and "test" not in self.asked and self.scope.said:
            return number  # "which functions in src/": tests are counted only
        self.tested.update(test for line in lines for test in _tests_of(line))
        listed = sum(not line.heading for line in lines)
        title = f"Tests ({number}; the {listed} most direct)" if listed < number else f"Tests ({number})"
        self.add(title, lines, priority, more="expand_graph direction=in relationship_types=tests", what="tests")
        return number


def _tests_of(line: Line) -> list[tuple[str, str]]:
    return [(fact.path, fact.source) for fact in line.facts]


def groups(graph: Graph, symbols: Sequence[Object]) -> list[tuple[str, list[int]]]:
    """Symbols by label, as positions: what is one symbol to whoever asks is one group."""
    found = by_symbol(symbols)
    ambiguous = len({name for _, name in found}) < len(found)
    labelled = [(f"{name} ({path})" if ambiguous and path else name, group) for (path, name), group in found.items()]
    placed = [(label, [graph.objects.position(symbol.entity_id) for symbol in group]) for label, group in labelled]
    return [(label, known) for label, group in placed if (known := [p for p in group if p is not None])]


def count(number: int, noun: str) -> str:
    """`1 place`, `2 places`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def named(graph: Graph, position: int) -> str:
    """`kind qualified_name`."""
    return f"{graph.kinds[position]} {graph.names[position]}"


def defined(draft: Draft, positions: Sequence[int]) -> str:
    """`method A.b (path:3)`: what a name was taken for, in the words of its language."""
    graph, first = draft.graph, positions[0]
    kind = kind_said(graph, draft.source, first)
    others = [
        graph.location(p) for p in positions[1:] if graph.path(p) != graph.path(first) and not is_header(graph.path(p))
    ]
    more = f" and {len(others) - _MANY_BODIES} more" if len(others) > _MANY_BODIES else ""
    also = f"; also {', '.join(others[:_MANY_BODIES])}{more}" if others else ""
    return f"{kind} {name_said(graph, draft.source, first)} ({graph.location(first)}{also})"


def definitions(
    draft: Draft,
    positions: Sequence[int],
    *,
    title: str = "Definition",
    priority: int = DEFINITION,
    whole: bool = False,
) -> None:
    """Definitions with numbered source: the beginning, of a type its head; with `whole` the rest if there is room."""
    graph = draft.graph
    draft.source.prepare(graph.path(position) for position in positions)
    for position in positions:
        path, start, end = graph.path(position), graph.line(position), int(graph.objects.end_line[position])
        whole_one = replace(graph.definition(position), line=start)
        head = Line(f"{path}:{start}-{end}  {named(graph, position)}", (whole_one,))
        is_type = graph.kinds[position] in TYPE_KINDS
        cut = min(end, start + (_TYPE_LINES if is_type else _DEFINITION_LINES) - 1)
        more = f"read {path}:{start}-{end}"
        draft.blocks.append(Block(title, [head, *draft.source.excerpt(path, start, cut)], priority, more))
        if whole and not is_type:
            rest = draft.source.excerpt(path, cut + 1, min(end, cut + _MORE_LINES))
            draft.blocks.append(Block(title, rest, REST, more, least=5, what="source lines"))


def members(draft: Draft, position: int) -> None:
    """What a type contains, as names with lines."""
    graph = draft.graph
    found = graph.members(position)
    here = graph.path(position)
    lines = [
        Line(
            f"{graph.kinds[m]} {graph.objects.column('name')[m]} {graph.location(m).removeprefix(here)}",
            (graph.definition(m),),
        )
        for m in found[:_MAX_MEMBERS]
    ]
    more = f"symbol_search {graph.names[position]}"
    draft.add(f"Members of {graph.names[position]} ({len(found)})", lines, RELATED, more=more, what="members")


# Dispatch and proof


def dispatch(draft: Draft, positions: Sequence[int]) -> list[Tree]:
    """Callers of what a method overrides: at run time their calls may land here."""
    graph, trees = draft.graph, []
    for position in positions:
        for chain, base in graph.overridden(position):
            tree = graph.tree([base], "in", CALLS, draft.depth, dispatch=True)
            if base in draft.meant:
                trees.append(tree)  # it is answered for itself
                continue
            title = "Callers through dynamic dispatch"
            steps = " → ".join(f"{step.target} (stated at {step.path}:{step.line})" for step in chain)
            head = Line(f"{graph.names[position]} overrides {steps}; calls of {graph.names[base]} may run it:", chain)
            lines = tree_lines(draft, tree.roots, caller_text)
            draft.add(title, [head, *lines] if lines else [], DISPATCH, what="callers")
            trees.append(tree)
    return trees


def checked(
    draft: Draft,
    name: str = "",
    positions: Sequence[int] = (),
    *,
    negative: bool = False,
    declared: bool = False,
    denied: str = "",
) -> None:
    """Have an answer closed: by what its name's occurrences in text are, and by what a negative answer rests on.

    With `denied`, what the symbol has none of, the answer's first sentence waits for that: lines that nobody could
    resolve turn "nothing calls it" into "no caller could be resolved".
    """
    if not name:
        draft.add("Looked at", proof.looked_at(draft.graph.snapshot) if negative else [], CLOSING)
        return
    known = draft.closing.setdefault(name, Closing([], negative=True, declared=True))
    known.positions += positions
    known.negative, known.declared = known.negative and negative, known.declared and declared
    if denied and negative:
        known.denied.setdefault(denied, []).append(list(positions))


def close(draft: Draft) -> None:
    """Make the checks by text, when all that the answer lists is known."""
    graph = draft.graph
    for name, check in draft.closing.items():
        lines, left = closing_lines(draft, name, check.positions, negative=check.negative, declared=check.declared)
        if check.negative:
            before = [*proof.looked_at(graph.snapshot), *proof.dispatch_lines(graph, check.positions)]
            lines = [*before, *lines]
        draft.add("Looked at" if check.negative else CHECK, lines, CLOSING)
        if not check.negative and left >= _MANY_LEFT and not check.declared:
            draft.head.append(
                f"Beside these {left} lines that say `{name}` could not be resolved and may mean it: see below."
            )
        for what, symbols in check.denied.items():
            # A prototype alone is no symbol of its own to who asks.
            shown = [s for s in symbols if check.negative or not is_header(graph.path(s[0]))]
            if shown:
                draft.head.append(_denial(what, [defined(draft, positions) for positions in shown], left))


def _denial(what: str, symbols: Sequence[str], left: int) -> str:
    of = ", ".join(symbols)
    if not left:
        return f"No {what} of {of}, as far as the index can tell; what that rests on is listed below."
    lines = "1 line that says the name" if left == 1 else f"{left} lines that say the name"
    return f"No {what} of {of} could be resolved, but {lines} may mean it: see below."


def outside(graph: Graph, positions: Sequence[int], types: Sequence[str]) -> list[Line]:
    """Edges of these types that lead out of the root, by the name as written."""
    links = graph.adjacency.links(np.array(positions, np.int64), "out")
    kinds = graph.edges.column("relationship_type")
    ends = zip(links.rows.tolist(), links.far.tolist(), strict=True)
    rows = [row for row, far in ends if far < 0 and kinds[row] in types]
    return [Line(f"{edge.target_name}  at {edge.path}:{edge.site_line}") for edge in graph.edges.get(rows)]
