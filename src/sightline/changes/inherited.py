"""Tests that are run in more than one place: pytest runs those of a class again in every class that inherits from it,
and in every module of tests that imports it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from sightline.graph.build.tested import is_test_file
from sightline.graph.read.adjacency import Direction, adjacency_of, type_mask

if TYPE_CHECKING:
    from sightline.store import Snapshot
    from sightline.types import Object

_MAX_CLASSES = 200  # that inherit from one


class Members:
    """The symbols of files and classes; each file is read once, each relationship followed once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._files: dict[str, list[Object]] = {}
        self._functions: dict[str, dict[str, int]] = {}  # of a file, by their qualified names
        self._masks = {type_: type_mask(snapshot, (type_,)) for type_ in ("inherits", "imports")}
        self._linked: dict[tuple[int, Direction, str], list[int]] = {}
        self._heirs: dict[int, list[tuple[int, Object]]] = {}

    def read(self, paths: Collection[str]) -> None:
        """Read what files define, all at once: one by one it takes ten times as long."""
        places = [self.snapshot.objects.positions_of_path(path) for path in paths]
        items = iter(self.snapshot.objects.get(np.concatenate(places)) if places else ())
        for path, positions in zip(paths, places, strict=True):
            self._files[path] = list(islice(items, len(positions)))

    def of_file(self, path: str) -> list[Object]:
        """Everything that a file defines."""
        if path not in self._files:
            self._files[path] = self.snapshot.objects.get(self.snapshot.objects.positions_of_path(path))
        return self._files[path]

    def outermost(self, item: Object) -> Object:
        """The outermost function around a function, the only one that a runner knows; itself where there is none."""
        if item.path not in self._functions:
            objects = self.snapshot.objects
            names, kinds = objects.column("qualified_name"), objects.column("kind")
            own = objects.positions_of_path(item.path).tolist()
            self._functions[item.path] = {names[p]: p for p in own if kinds[p] in ("function", "method")}
        parts = item.qualified_name.split(".")
        outer = (self._functions[item.path].get(".".join(parts[:size])) for size in range(1, len(parts)))
        found = next((position for position in outer if position is not None), None)
        return item if found is None else self.snapshot.objects.get([found])[0]

    def of_class(self, owner: Object) -> list[Object]:
        """What a class defines itself."""
        return [member for member in self.of_file(owner.path) if member.parent_id == owner.entity_id]

    def heirs(self, owner: int) -> list[tuple[int, Object]]:
        """The classes that inherit from one, however far."""
        if owner not in self._heirs:
            positions = self.linked(owner, "in", "inherits")
            self._heirs[owner] = list(zip(positions, self.snapshot.objects.get(positions), strict=True))
        return self._heirs[owner]

    def linked(self, start: int, direction: Direction, type_: str, *, far: bool = True) -> list[int]:
        """What a kind of relationship leads to, over one step or (`far`) over as many as there are; in order."""
        key = start, direction, type_
        if key not in self._linked:
            self._linked[key] = self._follow(start, direction, type_, far=far)
        return self._linked[key]

    def _follow(self, start: int, direction: Direction, type_: str, *, far: bool) -> list[int]:
        graph, wanted = adjacency_of(self.snapshot), self._masks[type_]
        assert wanted is not None
        found: dict[int, None] = {}
        frontier = [start]
        while frontier and len(found) < _MAX_CLASSES:
            links = graph.links(np.array(frontier, np.int64), direction)
            ends = links.far[wanted[links.rows] & (links.far >= 0)].tolist()
            frontier = [end for end in dict.fromkeys(ends) if end not in found and end != start] if far else []
            found |= dict.fromkeys(end for end in ends if end != start)
        return list(found)


def elsewhere(members: Members, test: Object) -> Iterator[Object]:
    """The test as it is run in other classes and modules."""
    snapshot = members.snapshot
    owner = snapshot.objects.position(test.parent_id) if test.parent_id else None
    if owner is None or test.language != "python" or snapshot.objects.column("kind")[owner] != "class":
        return
    classes = [(owner, test)]
    for position, heir in members.heirs(owner):
        if members.outermost(heir) is heir and test.name not in {member.name for member in members.of_class(heir)}:
            classes.append((position, under(test, heir)))
    yield from (as_run for _, as_run in classes[1:])
    for position, as_run in classes:
        for module in members.linked(position, "in", "imports", far=False):
            path = snapshot.objects.path(module)
            if is_test_file(path) and path != as_run.path:
                yield replace(as_run, path=path)


def inherited(members: Members, heir: Object) -> Iterator[Object]:
    """What a class of tests has from the classes it inherits from, as its own."""
    snapshot = members.snapshot
    position = snapshot.objects.position(heir.entity_id)
    if position is None or heir.kind != "class" or heir.language != "python" or members.outermost(heir) is not heir:
        return  # a class inside a function is nothing that a runner collects
    seen = {member.name for member in members.of_class(heir)}
    for base in snapshot.objects.get(members.linked(position, "out", "inherits")):
        for member in members.of_class(base):
            if member.name not in seen:
                seen.add(member.name)
                yield under(member, heir)


def under(test: Object, heir: Object) -> Object:
    """A test as a member of another class."""
    return replace(test, path=heir.path, qualified_name=f"{heir.qualified_name}.{test.name}")
