"""Routes as Laravel states them: chains on `Route`, groups by closures, `resource` for seven actions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sightline.frameworks.addresses import VERBS, joined
from sightline.frameworks.masked import UNKNOWN, Argument, Call, MaskedText
from sightline.frameworks.model import FileRoutes, Handler, Mount, Rules, Stated
from sightline.frameworks.words import singular

ACTIONS: dict[str, tuple[tuple[str, ...], str]] = {
    "index": (("GET",), ""),
    "create": (("GET",), "create"),
    "store": (("POST",), ""),
    "show": (("GET",), "{id}"),
    "edit": (("GET",), "{id}/edit"),
    "update": (("PUT", "PATCH"), "{id}"),
    "destroy": (("DELETE",), "{id}"),
}
_CHAIN = re.compile(r"(?<![\w\\])(?:Route::|\$(?:this->)?(?:router|app|api)->)(?P<name>\w+)\s*\(")
_NEXT = re.compile(r"\s*->\s*(\w+)\s*\(")
_USE = re.compile(r"^[ \t]*+use[ \t]++([\w\\]+)(?:\s+as\s+(\w+))?\s*;", re.MULTILINE)
_USE_GROUP = re.compile(r"^[ \t]*+use[ \t]++([\w\\]+)\\\{([^}]{0,4000}+)\}\s*;", re.MULTILINE)
_CLASS = re.compile(r"\\?([\w\\]+)::class")
_FILE = re.compile(r"routes/[\w./-]+\.php")
_ONE_ACTION = "__invoke"
_EXPANDED = 0.9


@dataclass(slots=True)
class _Group:
    start: int
    end: int
    prefix: str
    controller: str
    namespace: str


def read(source: MaskedText, rules: Rules) -> FileRoutes:
    """Every route of a file."""
    return _Reader(source, rules).run()


class _Reader:
    def __init__(self, source: MaskedText, rules: Rules) -> None:
        self._source, self._rules = source, rules
        self._classes = _used(source)
        self._groups: list[_Group] = []
        self._found = FileRoutes()

    def run(self) -> FileRoutes:
        """Go through the chains; what is inside of a group comes behind its head."""
        for match in _CHAIN.finditer(self._source.code):
            chain = list(self._chain(match))
            around = [g for g in self._groups if g.start <= match.start() < g.end]
            group = next((call for call in chain if call.name == "group"), None)
            if group is not None:
                self._group(chain, group, around)
            else:
                self._stated(chain, around)
        return self._found

    def _chain(self, match: re.Match[str]) -> Iterator[Call]:
        call = self._source.call(match["name"], match.start(), match.end() - 1)
        yield call
        while (following := _NEXT.match(self._source.code, call.end)) is not None:
            call = self._source.call(following[1], following.start(1), following.end() - 1)
            yield call

    def _group(self, chain: list[Call], group: Call, around: list[_Group]) -> None:
        prefix = [self._text(call.plain(0)) for call in chain if call.name == "prefix"]
        controller = [self._class(call.plain(0)) for call in chain if call.name == "controller"]
        namespace = [self._text(call.plain(0)) for call in chain if call.name == "namespace"]
        first = group.plain(0)
        if first is not None and self._source.code[first.start] == "[":
            options = self._options(first)
            prefix += [self._text(options["prefix"])] if "prefix" in options else []
            namespace += [self._text(options["namespace"])] if "namespace" in options else []
        last = group.arguments[-1] if group.arguments else None
        written = self._source.written(last) if last is not None else ""
        file = _FILE.search(written)
        whole = joined(*(g.prefix for g in around), *prefix)
        if file is not None:
            self._found.mounts.append(Mount("", file[0], whole, group.start))
        self._groups.append(
            _Group(group.opened, group.end, joined(*prefix), controller[-1] if controller else "", "\\".join(namespace))
        )

    def _stated(self, chain: list[Call], around: list[_Group]) -> None:
        prefixes = [*(g.prefix for g in around), *(self._text(c.plain(0)) for c in chain if c.name == "prefix")]
        controller = next((g.controller for g in reversed(around) if g.controller), "")
        namespace = "\\".join(g.namespace for g in around if g.namespace)
        base = joined(*prefixes)
        for call in chain:
            verb = call.name.upper()
            if verb in VERBS:
                self._add((verb,), joined(base, self._text(call.plain(0))), call.plain(1), call, controller, namespace)
            elif call.name == "any":
                self._add((), joined(base, self._text(call.plain(0))), call.plain(1), call, controller, namespace)
            elif call.name == "match":
                named = call.plain(0)
                words = [w.upper() for w in self._source.strings(named)] if named is not None else []
                methods = tuple(word for word in words if word in VERBS)
                self._add(methods, joined(base, self._text(call.plain(1))), call.plain(2), call, controller, namespace)
            elif call.name in ("resource", "apiResource", "singleton"):
                self._resource(chain, call, base, call.plain(0), call.plain(1), namespace)
            elif call.name in ("resources", "apiResources"):
                self._resources(chain, call, base, namespace)

    def _resources(self, chain: list[Call], call: Call, base: str, namespace: str) -> None:
        first = call.plain(0)
        if first is None or self._source.code[first.start] != "[":
            return
        for left, right in self._source.parts(first.start + 1, first.end - 1):
            arrow = self._source.code.find("=>", left, right)
            if arrow > 0:
                self._resource(chain, call, base, Argument("", left, arrow), Argument("", arrow + 2, right), namespace)

    def _resource(
        self, chain: list[Call], call: Call, base: str, name: Argument | None, target: Argument | None, namespace: str
    ) -> None:
        if name is None or target is None:
            return
        address = self._text(name).strip("/")
        owner = self._class(target, namespace)
        if UNKNOWN in address or not owner:
            return
        *above, last = address.split(".")
        path = "".join(f"{part}/{{{_parameter(part)}}}/" for part in above) + last
        wanted = self._wanted(chain, call)
        single = call.name == "singleton"
        for action, (methods, end) in ACTIONS.items():
            if action not in wanted or (call.name.startswith("api") and action in ("create", "edit")):
                continue
            if single and action not in ("show", "edit", "update"):
                continue
            end = (
                end.replace("{id}/", "").replace("{id}", "")
                if single
                else end.replace("{id}", f"{{{_parameter(last)}}}")
            )
            self._put(
                methods,
                joined(base, path, end),
                Handler(action, "", self._source.line(call.start), owner),
                call,
                _EXPANDED,
            )

    def _wanted(self, chain: list[Call], call: Call) -> set[str]:
        wanted = set(ACTIONS)
        third = call.plain(2)
        options = self._options(third) if third is not None else {}
        only = [options["only"]] if "only" in options else []
        skipped = [options["except"]] if "except" in options else []
        only += [a for c in chain if c.name == "only" for a in c.arguments]
        skipped += [a for c in chain if c.name == "except" for a in c.arguments]
        if only:
            wanted &= {value for argument in only for value in self._source.strings(argument)}
        return wanted - {value for argument in skipped for value in self._source.strings(argument)}

    def _add(
        self,
        methods: tuple[str, ...],
        address: str,
        target: Argument | None,
        call: Call,
        controller: str,
        namespace: str,
    ) -> None:
        if target is None:
            return None
        line = self._source.line(call.start)
        code = self._source.code[target.start : target.end]
        if re.match(r"(?:static\s+)?(?:function|fn)\b", code):
            handler = Handler("", self._source.path, self._source.line(target.start), end=self._source.line(target.end))
        elif code.startswith("["):
            parts = list(self._source.parts(target.start + 1, target.end - 1))
            uses = self._options(target).get("uses")
            if uses is not None:
                return self._add(methods, address, uses, call, controller, namespace)
            if len(parts) != 2:
                return None
            owner = self._class(Argument("", *parts[0]), namespace)
            handler = Handler(self._source.value(*parts[1]), "", line, owner)
        elif "::class" in code:
            handler = Handler(_ONE_ACTION, "", line, self._class(target, namespace))
        else:
            text = self._text(target)
            owner, at, action = text.rpartition("@")
            if not at:
                owner, action = (controller, text) if controller else (text, _ONE_ACTION)
            owner = owner if owner == controller else _qualified(namespace, owner)
            handler = Handler(action, "", line, owner)
        if handler.name == UNKNOWN or UNKNOWN in handler.owner:
            return None
        self._put(methods, address, handler, call, 0.95)
        return None

    def _put(self, methods: tuple[str, ...], address: str, handler: Handler, call: Call, confidence: float) -> None:
        partial = "part of the address is put together at run time" if UNKNOWN in address else ""
        line = self._source.line(call.start)
        how = f"Route::{call.name}"
        self._found.routes.append(
            Stated(self._rules, methods, address, "", handler, call.start, line, how, confidence, partial=partial)
        )

    def _text(self, argument: Argument | None) -> str:
        return self._source.value(argument.start, argument.end) if argument is not None else ""

    def _class(self, argument: Argument | None, namespace: str = "") -> str:
        """The class that an argument names, by its whole name where the file says it."""
        if argument is None:
            return ""
        written = self._source.written(argument).strip()
        named = _CLASS.match(written)
        if named is None:
            return _qualified(namespace, self._text(argument))
        return self._classes.get(named[1], named[1])

    def _options(self, argument: Argument) -> dict[str, Argument]:
        """The entries of an array by their keys."""
        found: dict[str, Argument] = {}
        if self._source.code[argument.start] != "[":
            return found
        for left, right in self._source.parts(argument.start + 1, argument.end - 1):
            arrow = self._source.code.find("=>", left, right)
            if arrow > 0:
                value = self._source.code[arrow + 2 : right]
                begin = arrow + 2 + len(value) - len(value.lstrip())
                found[self._source.text[left:arrow].strip().strip("\"'")] = Argument("", begin, right)
        return found


def _used(source: MaskedText) -> dict[str, str]:
    found = {match[2] or match[1].rpartition("\\")[2]: match[1] for match in _USE.finditer(source.code)}
    for match in _USE_GROUP.finditer(source.code):
        for name in match[2].split(","):
            bare = name.strip()
            found[bare.rpartition("\\")[2]] = f"{match[1]}\\{bare}"
    return found


def _qualified(namespace: str, name: str) -> str:
    return f"{namespace}\\{name}" if namespace and name else name


def _parameter(name: str) -> str:
    return singular(name.rpartition("/")[2]).replace("-", "_")
