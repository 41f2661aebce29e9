"""What runs when a Python module is loaded: the calls outside of functions, bodies of classes, decorators, metaclasses.

Whoever imports the module runs them, whatever it wants from it, and a test file that cannot be loaded fails with all
its tests. Only what is sure to run counts here: calls that are proven, constructors where a class is made. A method
that something of its class might call is no reason to expect every test to fail.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from sightline.graph.build.confidence import PROVEN
from sightline.graph.build.tested import is_test_file
from sightline.graph.read.adjacency import Positions, adjacency_of, type_mask

if TYPE_CHECKING:
    from sightline.store import Snapshot

_KEY = "metaclasses"
_MAX_CHUNKS = 1_000
_MAX_RUN = 4_000  # functions, classes and modules that are looked at
_METACLASS = re.compile(r"\bclass\s+(?P<name>\w+)\s*\((?:[^()]|\([^()]*\))*?\bmetaclass\s*=\s*(?:\w+\.)*(?P<meta>\w+)")
_CONSTRUCTORS = frozenset({"__new__", "__init__", "__post_init__"})
_AT_DEFINITION = frozenset({"__new__", "__init__", "__prepare__"})  # of a metaclass
_FUNCTIONS = frozenset({"function", "method", "constructor"})
_PYTHON = "python"


class Loading:
    """What is run by definitions and imports, in one snapshot."""

    def __init__(self, snapshot: Snapshot, parents: Positions) -> None:
        self._snapshot = snapshot
        self._graph = adjacency_of(snapshot)
        self._parents = parents
        self._kinds = snapshot.objects.column("kind")
        self._names = snapshot.objects.column("name")
        self._languages = snapshot.objects.column("language")
        sure = snapshot.relationships.column("confidence") >= np.float32(PROVEN)
        self._runs = self._mask(("calls", "instantiates")) & sure
        self._decorates = self._mask(("decorates",)) & sure
        self._inherits = self._mask(("inherits",)) & sure
        self._imports = self._mask(("imports",))
        self._known: dict[tuple[int, ...], dict[int, list[int]]] = {}

    def tests(self, starts: Sequence[int]) -> dict[int, list[int]]:
        """The modules of tests that run something of these when they are loaded, each with the numbers of what it runs.

        One walk for all of them: the bits of a number say which starts are run by an object.
        """
        key = tuple(starts)
        if key not in self._known:
            self._known = {key: self._tests(starts)}
        return self._known[key]

    def _tests(self, starts: Sequence[int]) -> dict[int, list[int]]:
        python = {n: p for n, p in enumerate(starts) if self._languages[p] == _PYTHON and self._kinds[p] != "module"}
        run: dict[int, int] = defaultdict(int)
        for number, position in python.items():
            run[position] |= 1 << number
        frontier = list(run)
        while frontier and len(run) < _MAX_RUN:
            more: dict[int, None] = {}
            for near, far in self._next(frontier):
                if run[near] & ~run[far]:
                    run[far] |= run[near]
                    more.setdefault(far)
            frontier = list(more)
        modules = [p for p in run if self._kinds[p] == "module" and is_test_file(self._snapshot.objects.path(p))]
        return {module: [number for number in python if run[module] >> number & 1] for module in modules}

    def _mask(self, types: tuple[str, ...]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        mask = type_mask(self._snapshot, types)
        return mask if mask is not None else np.zeros(self._snapshot.relationships.size, np.bool_)

    def _next(self, frontier: list[int]) -> Iterator[tuple[int, int]]:
        """Who runs these, as pairs: functions, modules as they are loaded, and whoever makes a class."""
        positions = np.array(frontier, np.int64)
        into, out = self._graph.links(positions, "in"), self._graph.links(positions, "out")
        runs, decorates = self._runs[into.rows], self._decorates[out.rows]
        for near, user in zip(into.near[runs].tolist(), into.far[runs].tolist(), strict=True):
            yield from ((near, scope) for scope in self._scope(user))
        for near, decorated in zip(out.near[decorates].tolist(), out.far[decorates].tolist(), strict=True):
            yield from ((near, scope) for scope in self._scope(decorated, inside=True))
        for position in frontier:
            if self._kinds[position] == "module":
                yield from ((position, loader) for loader in self._loaders(position))
            elif self._kinds[position] in _FUNCTIONS:
                yield from ((position, user) for user in self._by_language(position))

    def _scope(self, position: int, *, inside: bool = False) -> Iterator[int]:
        """The function or module whose run is meant; of a definition (`inside`) the one around it."""
        kinds = self._kinds
        if inside and position >= 0:
            position = int(self._parents[position])
        while position >= 0 and kinds[position] not in _FUNCTIONS and kinds[position] != "module":
            position = int(self._parents[position])
        if position >= 0:
            yield position

    def _by_language(self, position: int) -> Iterator[int]:
        """Who runs a function without calling it: by making or defining a class, by importing from a module."""
        name, owner = self._names[position], int(self._parents[position])
        if owner >= 0 and self._kinds[owner] == "module" and name == "__getattr__":
            yield from self._loaders(owner)  # `from module import name` asks the module whether it is a package
        if owner < 0 or self._kinds[owner] != "class":
            return
        if name in _CONSTRUCTORS:
            classes = [owner, *self._heirs([owner])]
            into = self._graph.links(np.array(classes, np.int64), "in")
            for user in into.far[self._runs[into.rows]].tolist():
                yield from self._scope(user)
        defined = self._heirs([owner]) if name == "__init_subclass__" else []
        if name in _AT_DEFINITION:
            made = metaclasses(self._snapshot).get(self._names[owner], [])
            defined = [*made, *self._heirs(made)]
        for heir in defined:
            yield from self._scope(heir, inside=True)

    def _loaders(self, module: int) -> Iterator[int]:
        """The modules that load a module, and what a package or a `conftest.py` is loaded for."""
        links = self._graph.links(np.array([module], np.int64), "in")
        far = links.far[self._imports[links.rows]].tolist()
        yield from (p for p in far if p >= 0 and self._kinds[p] == "module")
        folder, _, name = self._snapshot.objects.path(module).rpartition("/")
        if name in ("__init__.py", "conftest.py"):
            yield from self._below(folder)

    def _below(self, folder: str) -> Iterator[int]:
        for path in self._snapshot.files:
            if path.endswith(".py") and (not folder or path.startswith(f"{folder}/")):
                positions = self._snapshot.objects.positions_of_path(path)
                if len(positions) and self._kinds[int(positions[0])] == "module":
                    yield int(positions[0])

    def _heirs(self, owners: list[int]) -> list[int]:
        found: dict[int, None] = {}
        frontier = owners
        while frontier:
            links = self._graph.links(np.array(frontier, np.int64), "in")
            far = links.far[self._inherits[links.rows]].tolist()
            frontier = [p for p in dict.fromkeys(far) if p >= 0 and p not in found]
            found |= dict.fromkeys(frontier)
        return list(found)


def metaclasses(snapshot: Snapshot) -> dict[str, list[int]]:
    """Names of metaclasses and the classes that say so, as positions of objects; worked out once per snapshot."""
    return snapshot.objects.once(_KEY, lambda: _metaclasses(snapshot))


def _metaclasses(snapshot: Snapshot) -> dict[str, list[int]]:
    ranked = snapshot.chunks.lexical({"metaclass": 1.0}, limit=_MAX_CHUNKS)
    languages = snapshot.chunks.column("language")
    names, kinds = snapshot.objects.column("name"), snapshot.objects.column("kind")
    found: dict[str, list[int]] = defaultdict(list)
    for chunk in snapshot.chunks.get([int(p) for p in ranked.positions if languages[int(p)] == _PYTHON]):
        for match in _METACLASS.finditer(chunk.text):
            for position in snapshot.objects.positions_of_path(chunk.path).tolist():
                if names[position] == match["name"] and kinds[position] == "class":
                    found[match["meta"]].append(int(position))
    return dict(found)
