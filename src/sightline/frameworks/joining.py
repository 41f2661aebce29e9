"""All routes of a root: what its files state, with the prefixes of what they are put on before it.

A router may be mounted by another file, several times or nowhere that can be read; a route has then several addresses,
or one that is said to be partial.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple, TypeVar

from sightline.frameworks import classes, files, laravel, rails, routers
from sightline.frameworks.addresses import joined
from sightline.frameworks.imports import DEFAULT, Modules
from sightline.frameworks.masked import UNKNOWN, MaskedText, TooMuchError
from sightline.frameworks.model import (
    Controller,
    FileRoutes,
    Handler,
    Mount,
    Open,
    Route,
    Router,
    Rules,
    Stated,
)
from sightline.frameworks.places import Places
from sightline.frameworks.rules import ALL

_MAX_MOUNTS = 8  # of one router that are followed
_MAX_DEPTH = 8
_READERS = {"routers": routers.read, "classes": classes.read, "rails": rails.read, "laravel": laravel.read}
_NOT_MOUNTED = "where {} is mounted was not read"
_MAX_SAYING = 40  # files that are read for one name
_T = TypeVar("_T")
Saying = Callable[[str], Sequence[str]]  # the files that say a word


class Prefix(NamedTuple):
    """What an address begins with, why that may not be all, and how sure it is."""

    text: str
    partial: str = ""
    confidence: float = 1.0


Told = Mapping[str, str | None]  # what the names are bound to that a reading asked other files about


class _Given(NamedTuple):
    """The routers of a file that functions are called with: (function, router, place); and its routers with those
    among them that have no name."""

    calls: list[tuple[str, str, int]]
    routers: list[Router]
    told: Told


class _Reading(NamedTuple):
    """What a file states, None where it takes too much to be read; and what it gives to which functions."""

    stated: FileRoutes | None
    told: Told
    given: dict[frozenset[str], _Given]


class _Application(NamedTuple):
    """What a file says of all addresses of an application."""

    prefix: str | None  # None where it says none
    versions: bool  # is a version a part of them?
    version: str  # that controllers have otherwise
    excluded: tuple[str, ...]  # addresses that nothing is put before


class Project:
    """The files of one root as far as they state routes."""

    def __init__(self, places: Places, open_: Open, is_test: Callable[[str], bool], saying: Saying) -> None:
        self._places, self._languages, self._open = places, places.languages, open_
        self._is_test, self._saying = is_test, saying
        self._bindings: dict[str, dict[str, str]] = {}
        self._sources: dict[str, MaskedText | None] = {}
        self._modules = Modules(places, self.source)
        self._stated: dict[str, dict[str, FileRoutes]] = {rules.key: {} for rules in ALL}  # by framework and path
        self._readings: dict[tuple[str, str], _Reading] = {}
        self._controllers: dict[str, dict[str, Controller]] = {}
        self._mounts: dict[str, dict[tuple[str, str], list[tuple[str, Mount]]]] = {}
        self._given: dict[str, dict[str, list[tuple[str, str, int]]]] = {}
        self._applications: dict[str, dict[str, _Application]] = {}
        self._drawn: dict[str, list[Mount]] = {}  # all mounts of a framework
        self._included: dict[str, frozenset[str]] = {}  # the files of what is mounted, and those that mount
        self._including: dict[str, frozenset[str]] = {}
        self._first: frozenset[str] | None = None
        self.given_up: set[str] = set()  # files that take too much to be read
        self._certain: dict[tuple[str, str], float] = {}
        self._homes: dict[str, list[str]] = {}

    def source(self, path: str) -> MaskedText | None:
        """A file, read once."""
        if path not in self._sources:
            opened = self._open(path) if path in self._languages else None
            self._sources[path] = MaskedText(path, self._languages[path], *opened, self._bound) if opened else None
        return self._sources[path]

    def _bound(self, name: str, path: str) -> str | None:
        """The string that a name is bound to in the files of the same language that say it; None where they differ."""
        if name not in self._bindings:
            says = [p for p in self._saying(name) if not self._is_test(p)]
            few = says if len(says) <= _MAX_SAYING else ()  # a name in more files is a common word
            sources = [s for p in few if (s := self.source(p)) is not None]
            self._bindings[name] = {s.path: value for s in sources if (value := s.binding(name)) is not None}
        family = _ending(path)
        values = {value for where, value in self._bindings[name].items() if _ending(where) == family}
        return values.pop() if len(values) == 1 else None

    def routes(self, rules: Rules, paths: Iterable[str]) -> list[Route]:
        """The routes that these files state by the rules of a framework."""
        for path in paths:
            source = self.source(path)
            if source is not None and source.language in rules.languages:
                self._read(rules, source)
        self._read_givers(rules)
        self._collect(rules)
        found: list[Route] = []
        for path, stated in self._stated[rules.key].items():
            for route in stated.routes:
                found += self._joined(rules, path, stated, route)
        return found

    def _read(self, rules: Rules, source: MaskedText) -> None:
        """What a file states, where it uses the framework: as it was noted, else by reading it."""
        home = self.home(rules, source.path) if rules.style == "files" else None
        if home is None and (rules.style == "files" or not self._certainty(rules, source)):
            return

        def read() -> _Reading:
            told = source.begin()
            try:
                stated = files.read(source, rules, home) if home is not None else _READERS[rules.style](source, rules)
            except (TooMuchError, RecursionError):
                return _Reading(None, told, {})
            return _Reading(stated, told, {})

        reading = source.notes.renewed(("stated", rules.key, home), lambda noted: self._still(source, noted.told), read)
        if reading.stated is None:
            self.given_up.add(source.path)
            return
        self._readings[rules.key, source.path] = reading
        self._stated[rules.key][source.path] = replace(reading.stated, routers=list(reading.stated.routers))

    def _still(self, source: MaskedText, told: Told) -> bool:
        """Do other files still say what they said when a file was read?"""
        return all(self._bound(name, source.path) == value for name, value in told.items())

    def _read_givers(self, rules: Rules) -> None:
        """Read the files that call a function whose parameter is a router: what they give it may have a prefix."""
        own = self._stated[rules.key]
        functions = {router.given_to for stated in own.values() for router in stated.routers if router.given_to}
        for function in sorted(functions):
            for path in self._saying(function)[:_MAX_SAYING]:
                source = self.source(path) if path not in own else None
                if source is not None and source.language in rules.languages:
                    self._read(rules, source)

    def _certainty(self, rules: Rules, source: MaskedText) -> float:
        """How sure it is that a file uses a framework: by its imports, else by the manifests above it."""
        key = (rules.key, source.path)
        if key not in self._certain:
            self._certain[key] = self._looked_up(rules, source)
        return self._certain[key]

    def _looked_up(self, rules: Rules, source: MaskedText) -> float:
        if not rules.marks or source.notes.once(("marks", rules.key), lambda: _marked(rules, source)):
            return 1.0
        if not rules.unmarked or self.home(rules, source.path) is None:
            return 0.0
        return rules.unmarked if source.notes.once(("calls", rules.key), lambda: _calling(rules, source)) else 0.0

    def home(self, rules: Rules, path: str) -> str | None:
        """The nearest folder above a file whose manifest names the framework; None where none does."""
        if not rules.manifests:
            return None
        if rules.key not in self._homes:
            found = [source for m in self._places.manifests if (source := self.source(m)) is not None]
            naming = [source.path for source in found if _names(rules, source)]
            self._homes[rules.key] = sorted({posixpath.dirname(m) for m in naming}, key=len, reverse=True)
        return next((f for f in self._homes[rules.key] if not f or path.startswith(f + "/")), None)

    def _outside_tests(self, path: str, places: list[tuple[str, _T]]) -> list[tuple[str, _T]]:
        """Where a test mounts something is not where the application does."""
        return places if self._is_test(path) else [place for place in places if not self._is_test(place[0])]

    # Prefixes

    def _collect(self, rules: Rules) -> None:
        """Who mounts which router, and to which functions routers are given."""
        mounts: dict[tuple[str, str], list[tuple[str, Mount]]] = {}
        given: dict[str, list[tuple[str, str, int]]] = {}
        own = self._stated[rules.key]
        functions = frozenset(r.given_to for stated in own.values() for r in stated.routers if r.given_to)
        for path, stated in own.items():
            source = self.source(path)
            if source is None:
                continue
            for mount in stated.mounts:
                child = self._child(rules, source, stated, mount)
                if child is not None:
                    mounts.setdefault(child, []).append((path, mount))
            for name, on, offset in self._given_by(rules, source, stated, functions) if functions else ():
                given.setdefault(name, []).append((path, on, offset))
        self._mounts[rules.key], self._given[rules.key] = mounts, given
        self._controllers[rules.key] = {n: c for stated in own.values() for n, c in stated.controllers.items()}
        self._drawn[rules.key] = [mount for stated in own.values() for mount in stated.mounts]
        self._included[rules.key] = frozenset(path for path, _ in mounts)
        self._including[rules.key] = frozenset(where for places in mounts.values() for where, _ in places)

    def _given_by(
        self, rules: Rules, source: MaskedText, stated: FileRoutes, functions: frozenset[str]
    ) -> list[tuple[str, str, int]]:
        """The calls of functions with a router of this file, which gets those that have no name."""
        noted = self._readings[rules.key, source.path].given
        given = noted.get(functions)
        if given is None or not self._still(source, given.told):
            told = source.begin()
            copy = replace(stated, routers=list(stated.routers))
            calls = []
            try:
                for match in _calls(functions).finditer(source.code):
                    calls += [(match["name"], on, match.start()) for on in _routers_given(source, copy, match)]
            except TooMuchError:
                self.given_up.add(source.path)
            noted.clear()
            given = noted[functions] = _Given(calls, copy.routers, told)
        stated.routers[:] = given.routers
        return given.calls

    def _child(self, rules: Rules, source: MaskedText, stated: FileRoutes, mount: Mount) -> tuple[str, str] | None:
        """The router that a mount names."""
        written = re.sub(r"^(?:this|self)\.|\.urls$|\.routes\(\)$", "", mount.child)
        if written.startswith("["):
            return source.path, written
        if re.fullmatch(r"[\w$.]+", written) and stated.router(written, mount.offset) is not None:
            return source.path, written
        whole = self._modules.meant(source, mount.child) if mount.child.endswith(".urls") else None
        meant = whole or self._modules.meant(source, written)
        if meant is not None:
            return meant
        if not any(rule.bare for rule in rules.mounts) or not written.isidentifier():
            return None
        return (source.path, written) if source.notes.once(("list", written), lambda: _lists(source, written)) else None

    def _joined(self, rules: Rules, path: str, stated: FileRoutes, route: Stated) -> Iterator[Route]:
        source = self.source(path)
        assert source is not None, "it was read"
        certainty = 1.0 if rules.style == "files" else self._certainty(rules, source)
        if rules.style == "classes":
            route = self._inherited(rules, stated, route)
        handler = self._imported(source, route.handler)
        for prefix in self._before(rules, path, stated, route):
            for own in route.prefixes:
                address = joined(prefix.text, own, route.address)
                partial = route.partial or prefix.partial
                if UNKNOWN in address and not partial:
                    partial = "part of the address was not read"
                confidence = round(route.confidence * prefix.confidence * certainty, 2)
                yield Route(
                    rules.name, route.methods, address, handler, path, route.line, route.how, confidence, partial
                )

    def _imported(self, source: MaskedText, handler: Handler) -> Handler:
        """A handler with the file that its name comes from."""
        if handler.path or handler.owner or not handler.name:
            return handler
        head, _, last = handler.name.rpartition(".")
        meant = self._modules.meant(source, head or last)
        if meant is None or (meant[0] == source.path and not head):
            return handler
        name = handler.name if head or meant[1] in ("", DEFAULT) else meant[1]
        return replace(handler, name=name, module=meant[0])

    def _inherited(self, rules: Rules, stated: FileRoutes, route: Stated) -> Stated:
        """A route of a controller that has its prefix from a class that it derives from."""
        owner = route.handler.owner
        own = stated.controllers.get(owner)
        absolute = "csharp" in rules.languages and route.address.startswith(("/", "~/")) and not route.partial
        if own is None or own.prefixes or absolute or not own.bases:
            return route
        known = self._controllers[rules.key]
        waiting, seen = list(own.bases), {owner}
        while waiting:
            name = waiting.pop(0)
            base = known.get(name) if name not in seen else None
            seen.add(name)
            if base is None:
                continue
            if base.prefixes:
                prefixes = tuple(classes.token(prefix, owner, route.handler.name) for prefix in base.prefixes)
                usual = route.partial == classes.USUAL_PATTERN
                address, partial = ("", "") if usual else (route.address, route.partial)
                return replace(route, prefixes=prefixes, address=address, partial=partial, confidence=0.9)
            waiting += base.bases
        return route

    def _before(self, rules: Rules, path: str, stated: FileRoutes, route: Stated) -> list[Prefix]:
        if rules.style == "rails":
            return self._of_drawn(rules, path, route.on)
        if rules.style == "laravel":
            return self._of_file(rules, path)
        if rules.style == "classes":
            return [self._of_application(rules, path, route)]
        if rules.style != "routers":
            return [Prefix("")]
        if any(rule.bare for rule in rules.routes) and "." not in route.how:
            return self._of_list(rules, path, route.on, ())
        router = stated.router(route.on, route.offset)
        if router is not None:
            return self._of(rules, path, router, ())
        source = self.source(path)
        meant = self._modules.meant(source, route.on) if source is not None else None
        if meant is not None:
            there = self._stated[rules.key].get(meant[0])
            found = there.router(meant[1], 1 << 60) if there is not None else None
            if found is not None:
                return self._of(rules, meant[0], found, ())
        if rules.usual and re.fullmatch(rules.usual, route.on) and _addressed(route.address):
            return [Prefix("", _NOT_MOUNTED.format(f"`{route.on}`"), routers.USUAL)]
        return []

    def _of_application(self, rules: Rules, path: str, route: Stated) -> Prefix:
        """What all addresses of the application begin with that a file belongs to, and the version of a controller."""
        if not rules.applications:
            return Prefix("")
        if rules.key not in self._applications:
            found = ((p, self._application(rules, p)) for p in self._places.matching(rules.applications))
            self._applications[rules.key] = {
                posixpath.dirname(p).removesuffix("src/main/resources").rstrip("/"): said
                for p, said in found
                if said is not None and (said.prefix is not None or said.versions)
            }
        mine = [f for f in self._applications[rules.key] if not f or path.startswith(f + "/")]
        if not mine:
            return Prefix("")
        said = self._applications[rules.key][max(mine, key=len)]
        own = joined(*route.prefixes[:1], route.address).strip("/")
        text = "" if said.prefix is None or own in said.excluded else said.prefix
        if said.versions:
            version = route.on or said.version
            text = joined(text, version if version != classes.NEUTRAL else "")
        return Prefix(text)

    def _application(self, rules: Rules, path: str) -> _Application | None:
        source = self.source(path)
        return source.notes.once(("all", rules.key), lambda: _said_of_all(rules, source)) if source else None

    def _roots(self) -> frozenset[str]:
        """The lists of routes that settings of Django name as the first."""
        if self._first is None:
            found = set()
            for path in [p for p in self._saying("ROOT_URLCONF") if not self._is_test(p)][:_MAX_SAYING]:
                source = self.source(path)
                name = source.binding("ROOT_URLCONF") if source is not None else None
                file = self._modules.file(source, name) if source is not None and name else None
                found |= {file or name or ""} - {""}
            self._first = frozenset(found)
        return self._first

    def _of_drawn(self, rules: Rules, path: str, engine: str) -> list[Prefix]:
        """Below what a file of Rails' routes is drawn, or an engine is mounted."""
        mounts = self._drawn[rules.key]
        if engine:
            found = [Prefix(mount.prefix) for mount in mounts if mount.child == engine]
            return found[:1] or [Prefix("", _NOT_MOUNTED.format(engine), 0.95)]
        drawn = [Prefix(mount.prefix) for mount in mounts if path.endswith(mount.child)]
        return drawn[:_MAX_MOUNTS] or [Prefix("")]

    def _of_file(self, rules: Rules, path: str) -> list[Prefix]:
        """Below what a file of Laravel's routes is loaded; `routes/api.php` is below `/api` unless something says
        otherwise."""
        mounts = self._drawn[rules.key]
        found = [Prefix(mount.prefix) for mount in mounts if path.endswith(mount.child)]
        usual = "/api" if path.endswith("routes/api.php") else ""
        return found[:_MAX_MOUNTS] or [Prefix(usual)]

    def _of(self, rules: Rules, path: str, router: Router, seen: tuple[object, ...]) -> list[Prefix]:
        """What the addresses on a router begin with."""
        key = (path, router.name, router.offset)
        if key in seen or len(seen) >= _MAX_DEPTH:
            return []
        stated = self._stated[rules.key][path]
        seen = (*seen, key)
        if router.parent:
            parent = stated.router(router.parent, router.offset - 1)
            if parent is None or parent is router:
                usual = rules.usual and re.fullmatch(rules.usual, router.parent)
                partial = _NOT_MOUNTED.format(f"`{router.parent}`")
                return [Prefix(router.prefix, partial, routers.USUAL)] if usual else []
            outer = self._of(rules, path, parent, seen)
            return [Prefix(joined(p.text, router.prefix), p.partial, p.confidence) for p in outer]
        if router.given_to:
            return self._given_prefixes(rules, path, router, seen)
        mounted = self._mounts[rules.key].get((path, router.name), [])
        if not mounted and len(stated.routers) == 1:
            mounted = [m for name in ("", DEFAULT) for m in self._mounts[rules.key].get((path, name), [])]
        mounted = self._outside_tests(path, mounted)
        found: list[Prefix] = []
        for where, mount in mounted[:_MAX_MOUNTS]:
            own = "" if mount.replaces else router.prefix
            for above in self._of_parent(rules, where, mount, seen):
                text = joined(above.text, mount.prefix, own)
                found.append(Prefix(text, above.partial, above.confidence * router.confidence))
        partial = "" if router.root else _NOT_MOUNTED.format(f"`{router.name}`")
        return found or [Prefix(router.prefix, partial, router.confidence)]

    def _of_parent(self, rules: Rules, path: str, mount: Mount, seen: tuple[object, ...]) -> list[Prefix]:
        stated = self._stated[rules.key][path]
        parent = stated.router(mount.on, mount.offset)
        if parent is not None:
            return self._of(rules, path, parent, seen)
        if any(rule.bare for rule in rules.routes):
            return self._of_list(rules, path, mount.on, seen)
        source = self.source(path)
        meant = self._modules.meant(source, mount.on) if source is not None else None
        there = self._stated[rules.key].get(meant[0]) if meant is not None else None
        found = there.router(meant[1], 1 << 60) if there is not None and meant is not None else None
        if found is not None and meant is not None:
            return self._of(rules, meant[0], found, seen)
        return [Prefix("", "" if mount.on in ("app", "server") else _NOT_MOUNTED.format(f"`{mount.on}`"), 0.95)]

    def _given_prefixes(self, rules: Rules, path: str, router: Router, seen: tuple[object, ...]) -> list[Prefix]:
        found: list[Prefix] = []
        given = [(where, (on, offset)) for where, on, offset in self._given[rules.key].get(router.given_to, [])]
        for where, (on, offset) in self._outside_tests(path, given)[:_MAX_MOUNTS]:
            stated = self._stated[rules.key][where]
            grouped = re.match(r"\((\d+)\)$", on)
            if grouped is not None:
                found += self._of(rules, where, stated.routers[int(grouped[1])], seen)
                continue
            parent = stated.router(on, offset)
            if parent is not None:
                found += self._of(rules, where, parent, seen)
        partial = "" if router.root else f"what `{router.given_to}` is given was not read"
        return found or [Prefix("", partial, 1.0 if router.root else 0.97)]

    def _of_list(self, rules: Rules, path: str, name: str, seen: tuple[object, ...]) -> list[Prefix]:
        """What the addresses of a list of routes begin with: of the module's own list, where the module is included."""
        key = (path, name)
        if key in seen or len(seen) >= _MAX_DEPTH:
            return []
        seen = (*seen, key)
        keys = [(path, name), (path, "")] if name in ("urlpatterns", "") else [(path, name)]
        mounted = self._outside_tests(path, [m for k in keys for m in self._mounts[rules.key].get(k, [])])
        found: list[Prefix] = []
        for where, mount in mounted[:_MAX_MOUNTS]:
            for above in self._of_list(rules, where, mount.on, seen):
                found.append(Prefix(joined(above.text, mount.prefix), above.partial, above.confidence))
        if found or name not in ("urlpatterns", ""):
            return found or [Prefix("", _NOT_MOUNTED.format(f"`{name}`"), 0.9)]
        others = bool(self._included[rules.key] - {path})
        includes = path in self._including[rules.key]
        lonely = path not in self._roots() if self._roots() else others and not includes
        return [Prefix("", _NOT_MOUNTED.format(path) if lonely else "")]


def _marked(rules: Rules, source: MaskedText) -> bool:
    """Does a text say that it uses the framework?"""
    return re.search(rules.marks, f"{source.path}\n{source.raw}", re.MULTILINE) is not None


def _names(rules: Rules, manifest: MaskedText) -> bool:
    """Does a manifest name the framework?"""
    return manifest.notes.once(("named", rules.key), lambda: re.search(rules.manifests, manifest.raw) is not None)


def _calling(rules: Rules, source: MaskedText) -> bool:
    """Does a text have calls as those that state routes?"""
    calls = "|".join([*(rule.call for rule in rules.routes), *(rule.call for rule in rules.mounts)])
    return re.search(rf"\.(?:{calls})\(\s*[\"'`\w]", source.raw) is not None


def _lists(source: MaskedText, name: str) -> bool:
    """Is a name bound to a list?"""
    return re.search(rf"^{name}\s*(?::[^=\n]*)?=\s*\[", source.code, re.MULTILINE) is not None


def _said_of_all(rules: Rules, source: MaskedText) -> _Application:
    """What a file says of all addresses of its application."""
    said = re.search(rules.before_all, source.text, re.MULTILINE)
    prefix = None if said is None else said["prefix"] or UNKNOWN
    excluded = re.search(rules.excluded, source.text) if rules.excluded else None
    versions = bool(rules.versions) and re.search(rules.versions, source.text) is not None
    usual = re.search(rules.usual_version, source.text) if versions else None
    return _Application(
        UNKNOWN if prefix is not None and "$" in prefix else prefix,
        versions,
        f"v{usual['version']}" if usual is not None else "",
        tuple(re.findall(r"[\"'`]/?([^\"'`]*)[\"'`]", excluded["addresses"])) if excluded is not None else (),
    )


@lru_cache(maxsize=50)
def _calls(functions: frozenset[str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?P<name>{'|'.join(map(re.escape, sorted(functions)))})\s*\(")


def _routers_given(source: MaskedText, stated: FileRoutes, match: re.Match[str]) -> Iterator[str]:
    """The routers among what a function is called with, the one that it is a member of included."""
    call = source.call(match["name"], match.start("name"), match.end() - 1)
    if re.search(
        r"\bfunc\s*(?:\([^()]*\)\s*)?$|\b(?:def|function)\s+$", source.code[max(match.start() - 80, 0) : match.start()]
    ):
        return
    for argument in call.arguments:
        written = source.written(argument).strip()
        group = re.match(r"([\w.]+)\.(?:Group|MapGroup)\s*\(", written)
        if group is not None:
            opened = source.code.index("(", argument.start)
            first = source.call("Group", opened, opened).plain(0)
            prefix = source.value(first.start, first.end) if first is not None else UNKNOWN
            stated.routers.append(Router(f"({match.start()})", match.start(), prefix, parent=group[1]))
            yield f"({len(stated.routers) - 1})"
        elif stated.router(written, match.start()) is not None:
            yield written
    before = re.search(r"([\w.]+)\s*\.\s*$", source.code[max(match.start() - 100, 0) : match.start()])
    on = re.sub(r"^(?:this|self)\.", "", before[1]) if before is not None else ""
    if on and stated.router(on, match.start()) is not None:
        yield on
    elif source.family == "csharp" and (chained := _grouped_before(source, match.start("name"))) is not None:
        parent, prefix = chained
        stated.routers.append(Router(f"({match.start()})", match.start(), prefix, parent=parent))
        yield f"({len(stated.routers) - 1})"


def _grouped_before(source: MaskedText, at: int) -> tuple[str, str] | None:
    """`app.MapGroup("/todos").` before a name: the router and the prefix."""
    near = source.code[max(at - 100, 0) : at]
    before = near.rstrip().removesuffix(".").rstrip()
    if not before.endswith(")"):
        return None
    opened = source.opening(at - len(near) + len(before) - 1)
    called = re.search(r"([\w.]+)\.MapGroup\s*$", source.code[max(opened - 100, 0) : opened])
    first = source.call("MapGroup", opened, opened).plain(0)
    if called is None or first is None:
        return None
    return called[1], source.value(first.start, first.end)


def _ending(path: str) -> str:
    return path.rpartition(".")[2].replace("tsx", "js").replace("ts", "js").replace("mjs", "js")


def _addressed(address: str) -> bool:
    return address.startswith(("/", "*", UNKNOWN)) or address == ""


def routes_of(
    places: Places,
    open_: Open,
    candidates: Mapping[str, Iterable[str]],
    *,
    is_test: Callable[[str], bool] = lambda path: False,
    saying: Saying = lambda word: (),
) -> list[Route]:
    """All routes of a root: `places` are its files, `candidates` those to be read for each framework.

    `saying` names the files with a word, for constants and functions of other files."""
    project = Project(places, open_, is_test, saying)
    found = [route for rules in ALL if rules.style for route in project.routes(rules, candidates.get(rules.key, ()))]
    best: dict[tuple[object, ...], Route] = {}
    for route in sorted(found, key=lambda r: (bool(r.partial), -r.confidence, r.partial)):  # mounted twice, once known
        best.setdefault((route.framework, route.path, route.line, route.address, route.methods, route.handler), route)
    return sorted(best.values(), key=lambda r: (r.path, r.line, r.address, r.methods))
