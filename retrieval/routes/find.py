"""Reads the routes of a snapshot, and finds the objects that handle them."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sightline.frameworks.addresses import Fit, fit
from sightline.frameworks.joining import routes_of
from sightline.frameworks.model import Route
from sightline.frameworks.places import Places
from sightline.frameworks.rules import ALL
from sightline.graph.build.tested import is_test_file
from sightline.retrieval.routes.opened import Contents, Files, contents_of

if TYPE_CHECKING:
    from sightline.retrieval.research.occurrences import Texts
    from sightline.store import Snapshot

MAX_FILES = 4_000  # that are read; an application with more files of routes is not known
MAX_BYTES = 500_000  # of a file; nobody writes that many routes into one
_FUNCTIONS = frozenset({"function", "method", "constructor", "macro"})
_TYPES = frozenset({"class", "struct", "interface"})
_BY_FILE = {"Rails": "_controller.rb", "Laravel": ".php"}  # frameworks that find controllers by the names of files
_EXPANDED = frozenset({"resources", "resource", "apiResource", "apiResources", "singleton"})
_UNSEEN, _UNSEEN_EXPANDED = 0.75, 0.45  # what is left where the controller has no such method: it may inherit it
_LIKELY = 0.5  # confidence of an edge that is taken for what a name means
_BY_NAME = 0.85  # what is left of the confidence where a handler is found by its name alone
_RECENT: deque[Places] = deque(maxlen=4)  # those of the last generations of a few roots
_NO_METHOD = frozenset({"delete", "create", "update", "index", "get", "show"})  # too common to be found by name alone


@dataclass(frozen=True, slots=True)
class Answering:
    """A route with the object that answers it."""

    route: Route
    position: int | None  # of the object; None for a function without a name, or one that was not found
    path: str  # where the handler stands; where the route is stated when it was not found
    line: int
    name: str  # of the handler, as it is said
    confidence: float


@dataclass(slots=True)
class Routes:
    """All routes of a snapshot."""

    all: list[Answering]
    changed: set[str] = field(default_factory=set)  # files that are no longer what was indexed
    unread: int = 0  # files that were too many

    def answering(self, method: str, address: str) -> list[tuple[Fit, Answering]]:
        """The routes that answer a request, best first; `method` "" is any."""
        found = []
        for one in self.all:
            route = one.route
            if method and route.methods and method not in route.methods:
                continue
            fits = fit(route.address, address, partial=bool(route.partial))
            if fits is not None:
                found.append((fits, one))
        found.sort(key=lambda pair: _order(pair[0], pair[1], method))
        whole = [pair for pair in found if pair[0].whole == 0 and not is_test_file(pair[1].route.path)]
        return whole or found

    def of(self, positions: Iterable[int]) -> list[Answering]:
        """The routes that lead to one of these objects."""
        wanted = frozenset(positions)
        return [one for one in self.all if one.position in wanted]


def _order(fits: Fit, one: Answering, method: str) -> tuple[object, ...]:
    route = one.route
    exact = 0 if not method or method in route.methods else 1
    return is_test_file(route.path), fits.whole, fits.taken, fits.extra, exact, -one.confidence, route.path, route.line


def routes_in(snapshot: Snapshot, texts: Texts) -> Routes:
    """Every route that the files of a snapshot state, tests included. What was told before is told again while no file
    that it was read from has changed."""
    answers: dict[type, _Answer] = snapshot.objects.once("routes", dict[type, _Answer])
    known = answers.get(type(texts))
    if known is not None and contents_of(texts, known.contents) == known.contents:
        return known.routes
    places = _places(snapshot)
    candidates, paths, unread = snapshot.chunks.once("files of routes", lambda: _candidates(snapshot, places))
    found = Routes([], unread=unread)
    if not paths:
        return found
    files = Files(texts, snapshot.files)
    files.prepare(paths, "routes")
    saying = _Saying(snapshot)
    stated = routes_of(places, files.open, candidates, is_test=is_test_file, saying=saying)
    handlers = _Handlers(snapshot, stated)
    found.all = [handlers.of(route) for route in stated]
    found.changed = files.changed
    if not files.moving:
        answers[type(texts)] = _Answer(files.contents, found)
    return found


class _Answer(NamedTuple):
    contents: Contents  # of every file that it was read from
    routes: Routes


def _places(snapshot: Snapshot) -> Places:
    """The files that may be read. Most edits leave them as they are."""

    def find() -> Places:
        small = (r for r in snapshot.files.values() if r.state == "indexed" and r.size_bytes <= MAX_BYTES)
        languages = {record.path: record.language for record in small}
        known = next((places for places in tuple(_RECENT) if places.languages == languages), None)
        if known is None:
            known = Places(languages)
            _RECENT.append(known)
        return known

    return snapshot.chunks.once("places of routes", find)


def _candidates(snapshot: Snapshot, places: Places) -> tuple[dict[str, list[str]], list[str], int]:
    """The files that may state routes, by framework: what the index has a telling word of, and what is so called; all
    files to be read; and how many are too many."""
    languages, saying = places.languages, _Saying(snapshot)
    spoken = frozenset(languages.values())
    found: dict[str, set[str]] = {}
    for rules in ALL:
        if not rules.style or not rules.languages & spoken:
            continue
        named = places.matching(rules.files, rules.languages) if rules.files else []
        said = (path for word in rules.words for path in saying(word))
        found[rules.key] = {path for path in (*named, *said) if languages.get(path) in rules.languages}
    stating = sorted({path for mine in found.values() for path in mine}, key=lambda path: (is_test_file(path), path))
    read = frozenset(stating[:MAX_FILES])
    candidates = {key: sorted(mine & read) for key, mine in found.items()}
    return candidates, sorted({*read, *places.manifests}) if read else [], len(stating) - len(read)


class _Saying:
    """The indexed files that have a word, looked up once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._known: dict[str, list[str]] = snapshot.chunks.once("files saying", dict[str, list[str]])

    def __call__(self, word: str) -> list[str]:
        if word not in self._known:
            from sightline.retrieval.research.occurrences import holding  # which imports answers, and these routes

            self._known[word] = holding(self._snapshot, word)
        return self._known[word]


def files_saying(snapshot: Snapshot, word: str) -> list[str]:
    """The indexed files that have a word."""
    return _Saying(snapshot)(word)


class _Handlers:
    """Finds what a handler is in the index."""

    def __init__(self, snapshot: Snapshot, routes: Iterable[Route]) -> None:
        self._objects, self._edges = snapshot.objects, snapshot.relationships
        self._names: Sequence[str] = self._objects.column("name")
        self._qualified: Sequence[str] = self._objects.column("qualified_name")
        self._kinds: Sequence[str] = self._objects.column("kind")
        self._by_name = self._bearers({_parts(route.handler.name)[-1] for route in routes})
        self._targets: dict[str, dict[int, list[int]]] = {}
        self._snapshot = snapshot
        self._by_file: dict[str, list[str]] | None = None

    def _bearers(self, wanted: set[str]) -> dict[str, list[int]]:
        """The objects of some names. One look at all is a tenth of making the table of all names."""
        names = self._names
        found: dict[str, list[int]] = {}
        for position in np.flatnonzero(self._objects.alive).tolist():
            if names[position] in wanted:
                found.setdefault(names[position], []).append(position)
        return found

    def of(self, route: Route) -> Answering:
        """A route with its handler."""
        handler = route.handler
        if handler.path and not handler.name:
            return Answering(route, None, handler.path, handler.line, "", route.confidence)
        if route.framework in _BY_FILE and handler.owner:
            position, confidence = self._in_file(route)
        else:
            position, confidence = self._beside(route) if handler.path else self._named(route)
        name = handler.name if not handler.owner else f"{handler.owner}.{handler.name}"
        if position is None:
            where = (handler.path, handler.line) if handler.path else (route.path, route.line)
            return Answering(route, None, *where, name, round(route.confidence * confidence, 2))
        if handler.owner and not handler.path and self._names[position] != handler.name:  # the class alone was found
            where = (self._objects.path(position), int(self._objects.start_line[position]))
            said = f"{self._qualified[position]}.{handler.name}"
            return Answering(route, position, *where, said, round(route.confidence * confidence, 2))
        line = handler.line if handler.path else int(self._objects.start_line[position])
        said = self._qualified[position]
        return Answering(
            route, position, self._objects.path(position), line, said, round(route.confidence * confidence, 2)
        )

    def _beside(self, route: Route) -> tuple[int | None, float]:
        """A function that stands in the file, on a line that the text tells."""
        handler = route.handler
        own = self._objects.positions_of_path(handler.path).tolist()
        fitting = [p for p in own if self._names[p] == handler.name]
        if not fitting:
            return None, 1.0
        starts, ends = self._objects.start_line, self._objects.end_line
        inside = [p for p in fitting if starts[p] <= handler.line <= ends[p]]
        return min(inside or fitting, key=lambda p: abs(int(starts[p]) - handler.line)), 1.0

    def _in_file(self, route: Route) -> tuple[int | None, float]:
        """A method of a controller, whose file is called like it."""
        ending = _BY_FILE[route.framework]
        parts = [part for part in re.split(r"[/\\]|::", route.handler.owner) if part]
        expanded = route.how.rpartition(":")[2] in _EXPANDED
        files = self._files().get(f"{parts[-1]}{ending}".lower(), [])
        if not files:
            return None, _UNSEEN_EXPANDED if expanded else _UNSEEN
        best = max(files, key=lambda path: _alike(path, parts, ending, route.path))
        own = self._objects.positions_of_path(best).tolist()
        methods = [p for p in own if self._names[p] == route.handler.name and self._kinds[p] in _FUNCTIONS]
        if methods:
            return methods[0], 1.0
        classes = [p for p in own if self._kinds[p] in _TYPES]
        return (classes[-1] if classes else None), _UNSEEN_EXPANDED if expanded else _UNSEEN

    def _files(self) -> dict[str, list[str]]:
        if self._by_file is None:
            self._by_file = {}
            for path in self._snapshot.files:
                self._by_file.setdefault(path.rpartition("/")[2].lower(), []).append(path)
        return self._by_file

    def _named(self, route: Route) -> tuple[int | None, float]:
        """What a name means where a route hands it over: by an edge of that line, in the file, in the root."""
        parts = _parts(route.handler.name)
        name = parts[-1]
        owner = route.handler.owner or (parts[-2] if len(parts) > 1 else "")
        lines = range(route.line, max(route.line, route.handler.line) + 1)
        linked = [p for line in lines for p in self._edges_at(route.path).get(line, ()) if self._names[p] == name]
        if linked:
            return linked[0], 1.0
        if route.handler.module:
            there = self._objects.positions_of_path(route.handler.module).tolist()
            named = [p for p in there if self._names[p] == name and self._kinds[p] != "module"]
            if named:
                return min(named, key=lambda p: self._qualified[p].count(".")), 1.0
        kinds = _FUNCTIONS | _TYPES
        alike = [p for p in self._by_name.get(name, ()) if self._kinds[p] in kinds]
        if owner:
            owned = [p for p in alike if self._qualified[p].split(".")[-2:-1] == [owner]]
            if not owned:  # `auth.login` of auth.js, `authController.login` of auth.controller.ts
                every = [p for p in self._by_name.get(name, ()) if self._kinds[p] != "module"]
                owned = [p for p in every if owner.lower() in _stems(self._objects.path(p))]
            if len(owned) == 1:
                return owned[0], 0.97
            if owned:
                return self._nearest(route.path, owned), 0.9
        here = [p for p in alike if self._objects.path(p) == route.path]
        if len(here) == 1 and not owner:
            return here[0], 1.0
        if len(alike) == 1 and not owner and name.lower() not in _NO_METHOD:
            return alike[0], _BY_NAME
        return None, 1.0

    def _nearest(self, path: str, positions: Sequence[int]) -> int:
        return max(positions, key=lambda p: (_shared(path, self._objects.path(p)), -p))

    def _edges_at(self, path: str) -> dict[int, list[int]]:
        """The objects that edges of a file lead to, by line."""
        if path not in self._targets:
            found: dict[int, list[int]] = {}
            rows = self._edges.positions_of_path(path)
            rows = rows[self._edges.column("confidence")[rows] >= _LIKELY]
            targets = self._objects.positions(self._edges.column("target")[rows])
            for position, line in zip(targets.tolist(), self._edges.start_line[rows].tolist(), strict=True):
                if position >= 0 and self._kinds[position] in _FUNCTIONS | _TYPES:
                    found.setdefault(line, []).append(position)
            self._targets[path] = found
        return self._targets[path]


def _parts(name: str) -> list[str]:
    """The parts of a name as it is written where a route is stated."""
    return re.split(r"[.:>\\]+|->|::", name)


def _stems(path: str) -> tuple[str, str]:
    """What a module may be called after its file: `auth` or `authcontroller` for auth.controller.ts."""
    name = path.rpartition("/")[2].lower()
    bare = name.rpartition(".")[0]
    return name.partition(".")[0], re.sub(r"[^a-z0-9]", "", bare)


def _alike(path: str, parts: Sequence[str], ending: str, stated: str) -> tuple[int, bool, int, int]:
    """How well a file fits a controller: by its folders, and by how near it is to what states the route."""
    folders = [folder.lower() for folder in path.removesuffix(ending).split("/")][:-1]
    wanted = [part.lower() for part in parts[:-1]]
    same = 0
    while same < min(len(folders), len(wanted)) and folders[-1 - same] == wanted[-1 - same]:
        same += 1
    return same, not wanted and folders[-1:] == ["controllers"], _shared(path, stated), -len(path)


def _shared(one: str, other: str) -> int:
    """Folders that two paths have in common."""
    count = 0
    for a, b in zip(one.split("/")[:-1], other.split("/")[:-1], strict=False):
        if a != b:
            break
        count += 1
    return count
