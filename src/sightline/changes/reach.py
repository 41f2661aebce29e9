"""What depends on changed symbols, and how likely it is to run them: a walk against the direction of the edges.

From the changed symbols to whoever calls, instantiates, inherits, decorates with or names them. Every step has a share
of cases in which it carries the change on; a way is as likely as its steps together, and of all ways to a symbol the
likeliest counts.

Some steps follow no single relationship. A method that overrides another, or that an interface of its type declares,
may be what a call of the other runs, so the walk goes on from there. A constructor, an operator or a method that no
code but tests calls is called through the class: by the language or by a framework; so may one be that overrides
another. From there it goes on to whoever makes or names the class. What is only handed on (a callback, an entry of a
table) and what a constant holds is found where the text names it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from sightline.changes.loading import Loading
from sightline.changes.mentions import users
from sightline.graph.build.confidence import PROVEN, STORED
from sightline.graph.build.tested import is_test_file, is_test_name
from sightline.graph.read.adjacency import Adjacency, Links, Positions, adjacency_of, type_mask
from sightline.graph.read.walk import object_at

if TYPE_CHECKING:
    from sightline.store import Snapshot

# An edge of these types makes its source depend on its target.
USES = ("calls", "instantiates", "inherits", "implements", "uses_type", "tests")
DECORATES = ("decorates",)  # its source is the decorator: the decorated one depends on it
OVERRIDES = ("overrides",)
FOLLOW = ("overrides", "implements", "inherits")  # whose sources have to follow a changed declaration
_FUNCTIONS = frozenset({"function", "method", "constructor"})
_IMPLICIT = re.compile(r"__\w+__|constructor|init|initialize|__construct|deinit|drop|Drop")
_CLASS_METHOD = re.compile(r"\(\s*cls\s*[,:)]")
_NAMED_KINDS = _FUNCTIONS | {"constant", "class", "struct"}
CLASS_STEP = "contains"
INJECTED_STEP = "is given"
NAMED_STEP = "names"
LOADED_STEP = "when loaded, runs"
_KEY = "how many have a name"
_STORED = float(np.float32(STORED))  # as it is kept
_MAX_LOOKED_UP = 40  # names that are looked up in the text; each takes 2 to 10 ms
MAX_EACH = 200  # changed symbols that are told apart
_MAX_REACHED = 4_000  # symbols: beyond, nearly everything is reached, and in a large graph that takes minutes

# How likely a step carries a change on: what was resolved does, and guesses lower the likelihood. Chosen on flask
# and marshmallow, where 40 functions each were broken one at a time and the suite run (docs/CHANGES.md).
LIKELY: dict[str, float] = {
    "calls": 0.99,
    "tests": 0.99,
    "instantiates": 0.99,
    "inherits": 0.9,
    "implements": 0.8,
    "uses_type": 0.3,
    "decorates": 0.99,
    "overrides": 0.8,
    INJECTED_STEP: 0.99,  # a fixture, by the name of a parameter; a plugin may bring another one of that name
    NAMED_STEP: 0.9,
    LOADED_STEP: 0.95,  # a test file, what its imports run
    "imports": 0.3,
}
INSIDE = 0.99  # a function inside a function is part of it
IMPLICIT = 0.9  # constructors and operators, for whoever has the class
UNCALLED = 0.8  # other methods that only a framework can call, for whoever has the class
KEPT = 0.75  # a function or class that a variable or field holds, for whoever calls what is held
DISPATCHED = 0.85  # methods that override others, for whoever has the class: what is called may be the other one
MAKES = 0.8  # class methods, for the class: most of them make it
SHARED_NAME_IN_TEST = 0.6
SHARED_NAME = 0.4  # a name in the text that several symbols have
LEAST = 0.1  # ways that are less likely are not followed


_Step = tuple[int, int, float, float, str]


@dataclass(slots=True)
class Walk:
    """What a walk came by, by positions of objects: the likeliest way to each."""

    distance: dict[int, int] = field(default_factory=dict)
    likelihood: dict[int, float] = field(default_factory=dict)
    confidence: dict[int, float] = field(default_factory=dict)  # of the weakest relationship on the way
    through: dict[int, str] = field(default_factory=dict)
    cause: dict[int, int] = field(default_factory=dict)  # the object that it depends on

    def start(self, position: int) -> None:
        """Begin here."""
        self._set(position, 0, 1.0, 1.0, "", position)

    def step(self, near: int, far: int, likely: float, sure: float, through: str) -> bool:
        """Note a way; True when it is the likeliest so far."""
        likelihood = self.likelihood[near] * likely
        if likelihood < LEAST or likelihood <= self.likelihood.get(far, 0.0):
            return False
        self._set(far, self.distance[near] + 1, likelihood, min(self.confidence[near], sure), through, near)
        return True

    def named(self, position: int) -> bool:
        """Note a symbol that is known to say the name of something that changed."""
        if position in self.likelihood:
            return False
        self._set(position, 1, LIKELY[NAMED_STEP], LIKELY[NAMED_STEP], NAMED_STEP, position)
        return True

    def _set(self, at: int, distance: int, likelihood: float, sure: float, through: str, cause: int) -> None:
        self.distance[at], self.likelihood[at], self.confidence[at] = distance, likelihood, sure
        self.through[at], self.cause[at] = through, cause


class Reach(NamedTuple):
    """How likely each changed symbol is carried on, for each told apart."""

    carried: dict[int, npt.NDArray[np.float64]]  # by positions of objects: a likelihood per changed symbol
    paths: list[str]  # the files of the changed symbols, in that order


class Dependents:
    """Who depends on what, in one snapshot."""

    def __init__(self, snapshot: Snapshot, injected: Mapping[int, Sequence[int]] | None = None) -> None:
        self.snapshot = snapshot
        self._injected = injected or {}  # what a test runner hands to others by name, and to whom
        self.graph: Adjacency = adjacency_of(snapshot)
        edges = snapshot.relationships
        self._types = edges.column("relationship_type")
        self._sure = edges.column("confidence")
        self._uses = type_mask(snapshot, USES)
        self._decorates = type_mask(snapshot, DECORATES)
        self._overrides = type_mask(snapshot, OVERRIDES)
        self._implements = type_mask(snapshot, ("implements",))
        self._kinds = snapshot.objects.column("kind")
        self._names = snapshot.objects.column("name")
        self._looked_up: dict[int, list[int]] = {}
        self._parents: Positions = snapshot.objects.positions(snapshot.objects.column("parent"))
        self._loading = Loading(snapshot, self._parents)

    def walk(self, starts: Iterable[int], *, depth: int, named: Iterable[int] = ()) -> Walk:
        """Everything that depends on the starts, which are at distance 0; `named` are known to say their names."""
        walk = Walk()
        starts = list(dict.fromkeys(starts))
        frontier = starts
        for start in frontier:
            walk.start(start)
        modules = [start for start in frontier if self._kinds[start] == "module"]
        first = [position for position in named if walk.named(position)]
        first += [
            far for near, far in self._importers(modules) if walk.step(near, far, LIKELY["imports"], 1.0, "imports")
        ]
        for _ in range(depth):
            better = dict.fromkeys(first)
            first = []
            for near, far, likely, sure, through in self._steps(frontier):
                if walk.step(near, far, likely, sure, through):
                    better.setdefault(far)
            if not better or len(walk.distance) > _MAX_REACHED:
                break
            frontier = list(better)
        for module, numbers in self._loading.tests(starts).items():
            walk.step(starts[numbers[0]], module, LIKELY[LOADED_STEP], LIKELY[LOADED_STEP], LOADED_STEP)
        return walk

    def each(self, starts: Sequence[int], *, depth: int, named: Sequence[int] = ()) -> Reach:
        """The likelihood of every start, and of those `named` after them, to be carried on: one walk for all.

        Beyond `MAX_EACH` they are not told apart.
        """
        nothing = np.zeros(min(len(starts) + len(named), MAX_EACH))
        last = len(nothing) - 1
        found: dict[int, npt.NDArray[np.float64]] = {}
        for number, start in enumerate((*starts, *named)):
            row = found.setdefault(start, nothing.copy())
            row[min(number, last)] = 1.0 if number < len(starts) else LIKELY[NAMED_STEP]
        frontier = list(found)
        for _ in range(depth):
            better: dict[int, None] = {}
            for near, far, likely, _, _ in self._steps(frontier):
                carried = found[near] * likely
                carried[carried < LEAST] = 0.0
                known = found.get(far, nothing)
                if (carried > known).any():
                    found[far] = np.maximum(known, carried)
                    better.setdefault(far)
            frontier = list(better)
            if not frontier or len(found) > _MAX_REACHED:
                break
        for module, numbers in self._loading.tests(starts).items():
            row = found.setdefault(module, nothing.copy())
            for number in numbers:
                row[min(number, last)] = max(row[min(number, last)], LIKELY[LOADED_STEP])
        return Reach(found, [self.snapshot.objects.path(p) for p in (*starts, *named)][: len(nothing)])

    def _importers(self, modules: Sequence[int]) -> Iterable[tuple[int, int]]:
        """Who imports a module: all that can be said of code that is in no symbol."""
        links = self.graph.links(np.array(modules, np.int64), "in")
        links = _masked(links, type_mask(self.snapshot, ("imports",)))
        return [(near, far) for near, far in zip(links.near.tolist(), links.far.tolist(), strict=True) if far >= 0]

    def _steps(self, frontier: Sequence[int]) -> Iterable[_Step]:
        """One step from each: where from, where to, how likely, how sure, by which relationship."""
        near = np.array(frontier, np.int64)
        into = self.graph.links(near, "in")
        out = self.graph.links(near, "out")
        uses = _masked(into, self._uses)
        for links in (uses, _masked(out, self._decorates), _masked(out, self._overrides)):
            for row, start, end in zip(links.rows.tolist(), links.near.tolist(), links.far.tolist(), strict=True):
                if end >= 0:
                    sure, type_ = float(self._sure[row]), self._types[row]
                    likely = LIKELY[type_] * (1.0 if sure >= PROVEN else KEPT if sure <= _STORED else sure)
                    yield start, self._holder(row, end), likely, sure, type_
        for start in frontier:
            for end in self._injected.get(start, ()):
                yield start, end, LIKELY[INJECTED_STEP], LIKELY[INJECTED_STEP], INJECTED_STEP
        dispatched = set(_masked(out, self._overrides).near.tolist())
        for start in frontier:
            for end in self._declarations(start):
                dispatched.add(start)
                yield start, end, LIKELY["overrides"], 1.0, "implements"
        called = self._called(uses)
        for start in frontier:
            naming = [] if start in called else self._naming(start)
            for end in naming:
                likely = self._meant(start, end)
                yield start, end, likely, likely, NAMED_STEP
            yield from self._around(start, called=start in called or bool(naming), dispatched=start in dispatched)
            yield from self._makers(start)

    def _meant(self, position: int, user: int) -> float:
        """How likely whoever says the name of a symbol means it."""
        if _bearers(self.snapshot)[self._names[position]] <= 1:
            return LIKELY[NAMED_STEP]
        return SHARED_NAME_IN_TEST if is_test_file(self.snapshot.objects.path(user)) else SHARED_NAME

    def _holder(self, row: int, source: int) -> int:
        """What a relationship starts from; where that is a module, the constant whose value the code makes."""
        if self._kinds[source] != "module":
            return source
        line = int(self.snapshot.relationships.start_line[row])
        inside = object_at(self.snapshot, self.snapshot.objects.path(source), line)
        return inside if inside is not None and self._kinds[inside] == "constant" else source

    def _called(self, uses: Links) -> set[int]:
        """Those that code other than tests is known to use."""
        path = self.snapshot.objects.path
        sure = self._sure[uses.rows] > STORED
        pairs = zip(uses.near[sure].tolist(), uses.far[sure].tolist(), strict=True)
        return {near for near, far in pairs if far >= 0 and (not is_test_file(path(far)) or is_test_file(path(near)))}

    def _naming(self, position: int) -> list[int]:
        """Who says the name of a symbol, itself and bare imports left out."""
        if self._kinds[position] not in _NAMED_KINDS or _IMPLICIT.fullmatch(self._names[position]) is not None:
            return []
        known = self._looked_up.get(position)
        if known is None:
            if len(self._looked_up) >= _MAX_LOOKED_UP or is_test_file(self.snapshot.objects.path(position)):
                return []
            found = users(self.snapshot, self._names[position])
            name = self._names[position]
            known = [p for p in found if self._kinds[p] != "module" and self._names[p] != name]
            self._looked_up[position] = known
        return known

    def _declarations(self, position: int) -> list[int]:
        """The declarations that a method fulfils by its name: of the interfaces of its type, where no edge says so."""
        parent = int(self._parents[position])
        if parent < 0 or self._kinds[position] != "method" or self._kinds[parent] == "module":
            return []
        links = _masked(self.graph.links(np.array([parent], np.int64), "out"), self._implements)
        found = []
        for interface in links.far[links.far >= 0].tolist():
            members = self.snapshot.objects.positions_of_path(self.snapshot.objects.path(interface))
            inside = members[self._parents[members] == interface].tolist()
            found += [member for member in inside if self._names[member] == self._names[position]]
        return found

    def _makers(self, position: int) -> Iterable[_Step]:
        """Steps to the class methods of a Python class: they make it as `cls`, which no relationship says."""
        if self._kinds[position] != "class" or self.snapshot.objects.column("language")[position] != "python":
            return
        members = self.snapshot.objects.positions_of_path(self.snapshot.objects.path(position))
        inside = members[self._parents[members] == position].tolist()
        methods = [member for member in inside if self._kinds[member] == "method"]
        for member, item in zip(methods, self.snapshot.objects.get(methods), strict=True):
            if _CLASS_METHOD.search(item.signature):
                yield position, member, MAKES, MAKES, "instantiates"

    def _around(self, position: int, *, called: bool, dispatched: bool) -> Iterable[_Step]:
        """A step to what a symbol lies in, where that is how others come to it."""
        parent = int(self._parents[position])
        if parent < 0 or self._kinds[parent] == "module":
            return
        if self._kinds[parent] in _FUNCTIONS:
            yield position, parent, INSIDE, 1.0, CLASS_STEP
        elif _IMPLICIT.fullmatch(self._names[position]) is not None:
            yield position, parent, IMPLICIT, IMPLICIT, CLASS_STEP
        elif (not called or dispatched) and not self._is_test(position):
            likely = DISPATCHED if dispatched else UNCALLED
            yield position, parent, likely, likely, CLASS_STEP

    def _is_test(self, position: int) -> bool:
        """A test is called by its runner, and concerns no other one of its class."""
        named = is_test_name(self._names[position], self._kinds[position])
        return named and is_test_file(self.snapshot.objects.path(position))

    def followers(self, starts: Collection[int]) -> Walk:
        """Overrides of methods, implementers of interfaces: one step."""
        walk = Walk()
        for start in starts:
            walk.start(start)
        links = _masked(self.graph.links(np.array(list(starts), np.int64), "in"), type_mask(self.snapshot, FOLLOW))
        for row, near, far in zip(links.rows.tolist(), links.near.tolist(), links.far.tolist(), strict=True):
            if far >= 0:
                walk.step(near, far, 1.0, float(self._sure[row]), self._types[row])
        return walk


def _bearers(snapshot: Snapshot) -> Counter[str]:
    """How many symbols have a name; worked out once per snapshot. The table of names would take ten times as long."""
    objects = snapshot.objects
    return objects.once(_KEY, lambda: Counter(compress(objects.column("name"), objects.alive.tolist())))


def _masked(links: Links, mask: npt.NDArray[np.bool_] | None) -> Links:
    if mask is None:
        return links
    ok = mask[links.rows]
    return Links(links.rows[ok], links.near[ok], links.far[ok])
