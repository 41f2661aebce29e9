"""Evaluations that are made once: what is kept, for how long, and what bounds the rest.

Resolving asks the same things again and again, and what it asks about may refer to itself. Three rules keep the cost of
a question independent of how the code of a root refers to itself, and its answer independent of what was asked before:

- A result that met no cycle is a pure function of the table. It is kept until the table changes, with the keys it read.
- A result that met a cycle depends on where the cycle was entered, so it is kept within its query only. A query that
  makes too many of them, or nests too deeply, is given up as a whole: what is left of it would depend on what happened
  to be kept already.
- Class hierarchies, which most questions need and which may themselves be stated by inherited names, are worked out in
  levels. At level 0 no class has bases; the bases of level n are evaluated at level n - 1. So no hierarchy is part of a
  cycle, and every one of them is kept. A result that asked for no hierarchy is the same on all levels and kept for all.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from sightline.graph.build.table import Table

TOP_LEVEL = 3  # a base found by inheritance that was itself found by inheritance is found; a fourth turn never was seen
_MAX_CYCLIC = 1000  # evaluations of one query that met a cycle; at most 23 in rails, scala, django and six others
_MAX_DEPTH = 60  # nested evaluations, at most 25 there; keeps well inside the interpreter's stack

T = TypeVar("T")
Kept = tuple[Any, Collection[int], int]  # result, keys read, how deeply its evaluation nests


def _never() -> bool:
    return False


class GivenUpError(Exception):
    """A query went round in circles for too long; nothing is known of what it asked for."""


class EnoughError(Exception):
    """Nobody needs the answers to further queries."""


class Memo:
    """Keeps evaluations over one table."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.cyclic = 0  # evaluations that met a cycle, since the file's first query
        self.enough: Callable[[], bool] = _never  # asked before every query
        self._level = TOP_LEVEL
        self._kept: dict[Any, Kept] = {}
        self._kept_at: list[dict[Any, Kept]] = [{} for _ in range(TOP_LEVEL + 1)]
        self._kept_in_query: list[dict[Any, tuple[Any, int]]] = [{} for _ in range(TOP_LEVEL + 1)]
        self._running: list[set[Any]] = [set() for _ in range(TOP_LEVEL + 1)]
        self._depth = 0  # of the evaluation under way
        self._height = 0  # how deeply the evaluations below the one under way nested
        self._cuts = 0
        self._asked_hierarchy = 0
        self._cyclic_before = 0

    @property
    def kept(self) -> int:
        """How many results are kept."""
        return len(self._kept) + sum(map(len, self._kept_at))

    def forget(self) -> None:
        """Drop kept results: the table is about to change, or there is no more room for them."""
        self._kept.clear()
        for kept in self._kept_at:
            kept.clear()

    def begin_file(self) -> None:
        """Start with the queries of another file."""
        self.cyclic = 0

    def begin_query(self) -> None:
        """Start a new top-level question; EnoughError when it is one too many."""
        if self.enough():
            raise EnoughError
        for kept in self._kept_in_query:
            if kept:  # asking is cheaper than clearing, and it hardly ever is the case
                kept.clear()
        self._cyclic_before = self.cyclic

    @contextmanager
    def one_level_down(self) -> Iterator[None]:
        """Evaluate what a hierarchy of the present level is made of."""
        level = self._level
        self._level = max(level - 1, 0)
        try:
            yield
        finally:
            self._level = level

    def asks_hierarchy(self) -> bool:
        """Note that the result under way depends on the level; False where classes have no bases yet."""
        self._asked_hierarchy += 1
        return self._level > 0

    def guarded(self, key: Any, compute: Callable[[], Any], empty: Any) -> Any:
        """Compute once; `empty` stands in for a result that is asked for while it is being computed."""
        frames, level = self.table.frames, self._level
        kept = self._kept.get(key)
        if kept is None:
            kept = self._kept_at[level].get(key)
            self._asked_hierarchy += kept is not None
        if kept is not None:
            frames[-1].update(kept[1])
            if kept[2] > self._height:
                self._reach(kept[2])
            return kept[0]
        in_query = self._kept_in_query[level].get(key)
        if in_query is not None:
            self._cuts += 1
            self._asked_hierarchy += 1
            self._reach(in_query[1])
            return in_query[0]
        if key in self._running[level]:
            self._cuts += 1
            self._asked_hierarchy += 1
            return empty
        return self._compute(key, compute)

    def _compute(self, key: Any, compute: Callable[[], Any]) -> Any:
        frames, level = self.table.frames, self._level
        running, height = self._running[level], self._height
        cuts, asked = self._cuts, self._asked_hierarchy
        self._reach(1)
        self._depth, self._height = self._depth + 1, 0
        running.add(key)
        frames.append(set())
        kept: Collection[int] | None = None
        try:
            result = compute()
            if self._cuts == cuts:
                kept = self.table.grouped(frames[-1])
        finally:
            running.discard(key)
            reads = frames.pop()
            frames[-1].update(reads if kept is None else kept)
            self._depth -= 1
            own, self._height = self._height + 1, max(height, self._height + 1)
        if kept is None:
            self._kept_in_query[level][key] = (result, own)
            self.cyclic += 1
            if self.cyclic - self._cyclic_before > _MAX_CYCLIC:
                raise GivenUpError
        elif self._asked_hierarchy == asked:
            self._kept[key] = (result, kept, own)
        else:
            self._kept_at[level][key] = (result, kept, own)
        return result

    def remembered(self, key: tuple[str, ...], answer: Callable[[], T]) -> T:
        """`Table.remember` for an answer that evaluates something: how deeply that nests counts whenever it is given.

        Otherwise what is given up would depend on who asked first.
        """
        height, self._height = self._height, 0
        try:
            value, own = self.table.remember(key, lambda: (answer(), self._height))
        finally:
            self._height = max(height, self._height)
        self._reach(own)
        return value

    def settled(self, path: str, answer: Callable[[], T]) -> T:
        """`Table.settle`, with how deeply that nests."""
        height, self._height = self._height, 0
        try:
            value, own = self.table.settle(path, lambda: (answer(), self._height))
        finally:
            self._height = max(height, self._height)
        self._reach(own)
        return value

    def _reach(self, height: int) -> None:
        """Note how deeply a result nests; whether it was kept or computed just now makes no difference."""
        if height > self._height:
            self._height = height
        if self._depth + height > _MAX_DEPTH:
            raise GivenUpError
