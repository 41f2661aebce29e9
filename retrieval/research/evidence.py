"""The graph as evidence: edges as facts, trees of callers and callees, ways from one symbol to another.

Works on the in-memory columns only, so that even a large tree costs no read of the tables. A walk follows proven edges;
guessed ones are collected beside it and never followed. A class stands for its constructors: who instantiates it calls
them, and what they call happens when it is instantiated.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from sightline.graph.build.confidence import STRUCTURAL, is_proven
from sightline.graph.build.tested import is_test_file
from sightline.graph.read.adjacency import Direction, Mask, adjacency_of, type_mask
from sightline.graph.read.symbols import names_of
from sightline.retrieval.research.model import Fact
from sightline.retrieval.research.wording import declared_at
from sightline.types import TYPE_KINDS

if TYPE_CHECKING:
    from sightline.store import Snapshot

CALLS = ("calls", "instantiates")
REGISTERS = ("registers",)
REACHES = (*CALLS, *REGISTERS)  # by which one symbol reaches another: what is registered is called later
USES = (
    "calls", "instantiates", "uses_type", "inherits", "implements", "overrides", "imports", "decorates", "registers",
)  # fmt: skip
SUBTYPES = ("inherits", "implements")
NumberedLines = Callable[[str, int, int], Sequence[tuple[int, str]]]
_HEAD_LINES = 20  # of an object that may be annotations
MAX_NODES = 150  # of one tree; more than any budget shows


@dataclass(slots=True)
class Node:
    """An object of a tree with the edge that led to it."""

    position: int
    fact: Fact | None  # None at the root
    hops: int
    children: list[Node] = field(default_factory=list)
    again: bool = False  # shown in full elsewhere in the tree
    dispatched: bool = False  # reached through dynamic dispatch: the call names a method that another one overrides
    via: tuple[Fact, ...] = ()  # of a dispatched caller: the overrides by which its call may end up here


@dataclass(slots=True)
class Tree:
    """What a walk found from one symbol."""

    roots: list[Node]  # the nodes one step from the start
    possible: list[Fact]  # guessed edges met on the way; not followed
    size: int = 0
    cut: bool = False

    def facts(self) -> list[Fact]:
        """Every proven edge, in the order of the tree."""
        return [node.fact for node in self.walk() if node.fact is not None]

    def walk(self) -> Iterable[Node]:
        """Every node, parents before children."""
        stack = list(reversed(self.roots))
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))


class Graph:
    """One snapshot's objects and edges, seen as facts."""

    def __init__(self, snapshot: Snapshot, lines: NumberedLines | None = None) -> None:
        self.snapshot, self._lines = snapshot, lines
        self.objects, self.edges = snapshot.objects, snapshot.relationships
        self.adjacency = adjacency_of(snapshot)
        self.names: Sequence[str] = self.objects.column("qualified_name")
        self.kinds: Sequence[str] = self.objects.column("kind")
        self._types = self.edges.column("relationship_type")
        self._resolutions = self.edges.column("resolution")
        self._labels = self.edges.column("label")
        self._confidence = self.edges.column("confidence")
        self._declared: dict[int, int] = {}
        self._steps: dict[tuple[int, frozenset[str]], list[tuple[Fact, int]]] = {}

    # Objects

    def path(self, position: int) -> str:
        """The file of an object."""
        return self.objects.path(position)

    def line(self, position: int) -> int:
        """Where an object begins."""
        return int(self.objects.start_line[position])

    def declared(self, position: int) -> int:
        """The line that declares an object, for answers: what it begins with may be annotations."""
        known = self._declared.get(position)
        if known is None:
            first = self.line(position)
            last = min(int(self.objects.end_line[position]), first + _HEAD_LINES)
            read = self._lines is not None and last > first and self.kinds[position] != "module"
            lines = self._lines(self.path(position), first, last) if self._lines is not None and read else []
            known = self._declared[position] = declared_at(lines, first)
        return known

    def at_declaration(self, fact: Fact, position: int) -> Fact:
        """What an object states by its head alone, that it overrides another, at the line that declares it."""
        return replace(fact, line=self.declared(position)) if fact.line == self.line(position) else fact

    def location(self, position: int) -> str:
        """`path:line` of an object, as answers name it."""
        return f"{self.path(position)}:{self.declared(position)}"

    def is_test(self, position: int) -> bool:
        """Does an object belong to the tests?"""
        return is_test_file(self.path(position))

    def entity_id(self, position: int) -> str:
        """The id of an object, as the tools take it."""
        return f"{int(self.objects.ids[position]):016x}"

    def definition(self, position: int) -> Fact:
        """That a symbol is defined where it is."""
        path = self.path(position)
        return Fact(
            "definition", self.names[position], path, "", "", path, self.declared(position), 1.0, "local", True, 0
        )  # fmt: skip

    def definition_of(self, fact: Fact) -> str:
        """Where the target of an edge is defined, in brackets, unless that is the file of the edge."""
        if not fact.target_path or fact.target_path == fact.path:
            return ""
        return f" ({fact.target_path})"

    # Edges

    def fact(self, row: int, hops: int = 1) -> Fact:
        """An edge inside the root as a fact."""
        source, target = int(self.adjacency.source[row]), int(self.adjacency.target[row])
        confidence, how = round(float(self._confidence[row]), 3), self._resolutions[row]
        return Fact(
            kind=self._types[row],
            source=self.names[source],
            source_path=self.path(source),
            target=self.names[target],
            target_path=self.path(target),
            path=self.edges.path(row),
            line=int(self.edges.start_line[row]),
            confidence=confidence,
            resolution=how,
            proven=is_proven(confidence, how),
            hops=hops,
            label=self._labels[row],
        )

    def rows(
        self, positions: Sequence[int], direction: Direction, types: Collection[str]
    ) -> list[tuple[int, int, int]]:
        """Edges of objects inside the root as (row, near, far), in the order of path and line."""
        if not positions:
            return []
        links = self.adjacency.links(np.array(positions, np.int64), direction)
        wanted = self._mask(types)
        ok = (links.far >= 0) & wanted[links.rows]
        return list(zip(links.rows[ok].tolist(), links.near[ok].tolist(), links.far[ok].tolist(), strict=True))

    def _mask(self, types: Collection[str]) -> Mask:
        mask = self.edges.once(f"research types {','.join(sorted(types))}", lambda: type_mask(self.snapshot, types))
        assert mask is not None  # only asking for all types gives no mask
        return mask

    def is_proven(self, row: int) -> bool:
        """Is an edge stated, or only guessed?"""
        return is_proven(float(self._confidence[row]), self._resolutions[row])

    def members(self, position: int) -> list[int]:
        """What an object contains, in the order of the source; members written in other files too."""
        found = {far for _, _, far in self.rows([position], "out", ("contains",))}
        own = self.path(position)
        return sorted(found, key=lambda p: (self.path(p) != own, self.path(p), self.line(p), p))

    def parents(self, position: int) -> list[int]:
        """What contains an object."""
        return [far for _, _, far in self.rows([position], "in", ("contains",))]

    def with_constructors(self, position: int) -> list[int]:
        """A class with its constructors, a constructor with its class, anything else alone."""
        if self.kinds[position] in TYPE_KINDS:
            return [position, *(p for p in self.members(position) if self.kinds[p] == "constructor")]
        if self.kinds[position] == "constructor":
            return [position, *(p for p in self.parents(position) if self.kinds[p] in TYPE_KINDS)]
        return [position]

    def overridden(self, position: int) -> list[tuple[tuple[Fact, ...], int]]:
        """What a method overrides or implements, up to the top, each with the overrides in between."""
        return self._closure(position, "out")

    def overriders(self, position: int) -> list[tuple[tuple[Fact, ...], int]]:
        """The methods that override one, down to the bottom, each with the overrides in between."""
        return self._closure(position, "in")

    def _closure(self, position: int, direction: Direction) -> list[tuple[tuple[Fact, ...], int]]:
        found: list[tuple[tuple[Fact, ...], int]] = []
        seen = {position}
        queue: deque[tuple[tuple[Fact, ...], int]] = deque([((), position)])
        while queue:
            chain, node = queue.popleft()
            for fact, far in self.overrides(node, direction):
                if far not in seen:
                    seen.add(far)
                    found.append(((*chain, fact), far))
                    queue.append(found[-1])
        return found

    def overrides(self, position: int, direction: Direction) -> list[tuple[Fact, int]]:
        """Proven overrides of a method, by its edges; where a type has an interface by its shape (Go), by the name."""
        found = {far: self.fact(row) for row, _, far in self.rows([position], direction, ("overrides",))}
        if self.kinds[position] == "method":
            name = self.objects.column("name")[position]
            types = [far for owner in self.parents(position) for far in self._implementing(owner, direction)]
            for member in (m for owner in types for m in self.members(owner)):
                if member not in found and self.objects.column("name")[member] == name:
                    found[member] = self._by_shape(*((position, member) if direction == "out" else (member, position)))
        return [(fact, far) for far, fact in found.items() if fact.proven]

    def _implementing(self, owner: int, direction: Direction) -> list[int]:
        return [far for row, _, far in self.rows([owner], direction, ("implements",)) if self.is_proven(row)]

    def _by_shape(self, source: int, target: int) -> Fact:
        path = self.path(source)
        return Fact(
            "overrides", self.names[source], path, self.names[target], self.path(target), path, self.line(source),
            STRUCTURAL, "inherited", True,
        )  # fmt: skip

    # Walks

    def tree(
        self,
        starts: Sequence[int],
        direction: Direction,
        types: Collection[str],
        depth: int,
        *,
        later: Collection[str] | None = None,
        dispatch: bool = False,
        max_nodes: int = MAX_NODES,
    ) -> Tree:
        """Walk breadth-first along proven edges of these types, after the first step along the `later` ones.

        With `dispatch` the walk goes on through overrides: from a called method to what overrides it, and from a
        method to the callers of what it overrides (not for the starts themselves: they are the caller's to treat).
        """
        tree = Tree([], [])
        placed = {p for start in starts for p in self.with_constructors(start)}
        level = [Node(start, None, 0) for start in starts]
        for hops in range(1, depth + 1):
            reached: list[Node] = []
            for node in level:
                chosen = types if hops == 1 or later is None else later
                children = self._step(node, direction, chosen, hops, tree)
                if dispatch:
                    children += self._dispatched(node, direction, hops)
                for child in children:
                    child.again = child.position in placed
                    if tree.size >= max_nodes:
                        tree.cut = True
                        break
                    tree.size += 1
                    (node.children if node.fact is not None else tree.roots).append(child)
                    if not child.again:
                        placed.add(child.position)
                        reached.append(child)
            level = reached
        return tree

    def _step(self, node: Node, direction: Direction, types: Collection[str], hops: int, tree: Tree) -> list[Node]:
        found: dict[tuple[int, str], Node] = {}
        group = self.with_constructors(node.position) if "calls" in types else [node.position]
        for row, _, far in self.rows(group, direction, types):
            fact = self.fact(row, hops)
            if not fact.proven:
                tree.possible.append(fact)
            elif far not in group or far == node.position:
                found.setdefault((far, fact.kind), Node(far, fact, hops))
        return sorted(found.values(), key=self.order)

    def _dispatched(self, node: Node, direction: Direction, hops: int) -> list[Node]:
        """What dynamic dispatch adds: the overriders of a called method, or the callers of an overridden one."""
        if direction == "out":
            if node.dispatched:
                return []  # its overriders were added beside it
            return [Node(far, chain[-1], hops, dispatched=True) for chain, far in self.overriders(node.position)]
        if node.fact is None:
            return []
        return [
            Node(far, self.fact(row, hops), hops, dispatched=True, via=chain)
            for chain, base in self.overridden(node.position)
            for row, _, far in self.rows([base], "in", CALLS)
            if self.is_proven(row)
        ]

    def order(self, node: Node) -> tuple[bool, str, int]:
        """Where the call of a node stands, tests last."""
        assert node.fact is not None
        return (is_test_file(node.fact.path), node.fact.path, node.fact.line)

    def ways(
        self,
        sources: Sequence[int],
        targets: Sequence[int],
        types: Collection[str],
        *,
        max_depth: int = 10,
        limit: int = 3,
        tests: bool = True,
    ) -> list[list[Fact]]:
        """Shortest ways from any source to any target along proven edges and run-time dispatch; guesses as a last resort.
        Without `tests` no way leads through them."""  # noqa: E501
        for guessed in (False, True):
            found = self._ways(sources, targets, types, max_depth, limit, guessed=guessed, tests=tests)
            if found:
                return found
        return []

    def _ways(
        self,
        sources: Sequence[int],
        targets: Sequence[int],
        types: Collection[str],
        max_depth: int,
        limit: int,
        *,
        guessed: bool,
        tests: bool,
    ) -> list[list[Fact]]:
        wanted = {p for target in targets for p in self.with_constructors(target)}
        before: dict[int, list[tuple[Fact, int]]] = {s: [] for s in sources}  # object → edges it was reached by, from
        frontier = list(sources)
        for _ in range(max_depth):
            reached: dict[int, list[tuple[Fact, int]]] = {}
            for position in frontier:
                for fact, far in self._onward(position, types, guessed=guessed):
                    if far not in before and (tests or not self.is_test(far)):
                        reached.setdefault(far, []).append((fact, position))
            before |= reached
            frontier = list(reached)
            ends = [position for position in frontier if position in wanted]
            if ends:
                return [way for end in ends for way in self._back(end, before, limit)][:limit]
            if not frontier:
                break
        return []

    def _onward(self, position: int, types: Collection[str], *, guessed: bool) -> list[tuple[Fact, int]]:
        """Where a way may go on from an object; remembered, since no way means that every search saw them all."""
        key = (position, frozenset(types))
        steps = self._steps.get(key)
        if steps is None:
            rows = self.rows(self._with_overloads(position), "out", types)
            steps = [(self.fact(row), far) for row, _, far in rows] + self.overrides(position, "in")
            self._steps[key] = steps
        return steps if guessed else [(fact, far) for fact, far in steps if fact.proven]

    def _with_overloads(self, position: int) -> list[int]:
        """An object with what is called or made along with it: which of several overloads a call means is not decided
        by types, so that a way may go on from each of them."""
        found = self.with_constructors(position)
        if self.kinds[position] in TYPE_KINDS:
            return found
        path = self.path(position)
        alike = names_of(self.snapshot).by_qualified.get(self.names[position], ())
        return [*found, *(p for p in alike if p not in found and self.path(p) == path)]

    def _back(self, end: int, before: dict[int, list[tuple[Fact, int]]], limit: int) -> list[list[Fact]]:
        ways: list[tuple[int, list[Fact]]] = [(end, [])]
        while any(before[head] for head, _ in ways):
            ways = [(came, [fact, *facts]) for head, facts in ways for fact, came in before[head][:limit]][:limit]
        return [facts for _, facts in ways]
