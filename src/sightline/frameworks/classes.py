"""Routes by annotations of controllers: `@GetMapping("/x")`, `@Get(':id')`, `[HttpGet("{id}")]`.

An annotation belongs to what follows it. Above a class it gives the beginning of all addresses of the class, above a
method a route.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from sightline.frameworks.addresses import VERBS, joined
from sightline.frameworks.masked import UNKNOWN, Call, MaskedText
from sightline.frameworks.model import Controller, FileRoutes, Handler, RouteRule, Rules, Stated

NEUTRAL = "-"  # of a controller or method that has no version
USUAL_PATTERN = "by the usual pattern {controller}/{action}"
_MAX_BETWEEN = 4_000  # characters from an annotation to what it stands above
_CLASS = re.compile(r"\b(?:class|interface|record|object)\s+(?P<name>[A-Za-z_]\w*)")
_METHOD = re.compile(r"(?P<name>[A-Za-z_$][\w$]*)\s*(?:<[^<>()]*>)?\s*\(")
_NOT_METHODS = frozenset({"if", "for", "while", "switch", "catch", "return", "new", "await", "function", "super"})
_NOT_BASES = frozenset({"extends", "implements", "where", "class", "new", "abstract"})
_ENDS = re.compile(r"[{};]|=>")
_TOKEN = re.compile(r"\[(controller|action|area)\]", re.IGNORECASE)


@dataclass(slots=True)
class _Annotation:
    call: Call
    above: int  # where what it stands above begins, other annotations skipped


@dataclass(slots=True)
class _Class:
    name: str
    start: int
    end: int
    prefixes: list[str] = field(default_factory=list)
    marked: bool = False
    none: bool = False
    version: str = ""
    bases: tuple[str, ...] = ()


def read(source: MaskedText, rules: Rules) -> FileRoutes:
    """Every route of the controllers of a file."""
    found = FileRoutes()
    annotations = list(_annotations(source, rules))
    classes = _classes(source, rules, annotations)
    for annotation in annotations:
        target = _METHOD.search(source.code, annotation.above, annotation.above + _MAX_BETWEEN)
        head = _CLASS.search(source.code, annotation.above, target.end() if target else annotation.above + _MAX_BETWEEN)
        ends = _ENDS.search(source.code, annotation.above, annotation.above + _MAX_BETWEEN)
        if head is not None and (ends is None or head.start() < ends.start()):
            continue  # it stands above a class
        if target is None or target["name"] in _NOT_METHODS or (ends is not None and ends.start() < target.start()):
            continue
        inner = [c for c in classes if c.start <= annotation.call.start < c.end]
        around = min(inner, key=lambda c: c.end - c.start) if inner else None
        if around is not None and around.none:
            continue
        found.routes += _stated(source, rules, annotation, around, target)
    found.routes = _with_methods(found.routes)
    found.controllers = {c.name: Controller(tuple(c.prefixes), c.bases) for c in classes}
    return found


def _annotations(source: MaskedText, rules: Rules) -> Iterator[_Annotation]:
    names = "|".join(rule.call for rule in rules.routes)
    extra = [p for p in (rules.controllers.marks, rules.controllers.prefix, rules.controllers.none) if p]
    for match in _written("|".join([names, *extra]), bracketed=source.family == "csharp").finditer(source.code):
        opened = match.end() - 1
        if source.code[opened] == "(":
            call = source.call(match["name"], match.start("name"), opened)
        else:
            call = Call(match["name"], match.start("name"), match.end("name"), match.end("name"), [])
        yield _Annotation(call, _behind(source, call.end))


@lru_cache(maxsize=100)
def _written(names: str, *, bracketed: bool) -> re.Pattern[str]:
    before = r"(?:[\[,]\s*)" if bracketed else r"@"
    behind = r"(?:Attribute)?\s*(?:\(|(?=[\],]))" if bracketed else r"\b(?:[ \t]*\(|(?![\w.(]))"
    return re.compile(rf"{before}(?P<name>{names}){behind}")


def _behind(source: MaskedText, at: int) -> int:
    """Behind whatever other annotations follow."""
    code = source.code
    while True:
        rest = re.compile(r"[\s,]*\]?\s*").match(code, at)
        at = rest.end() if rest is not None else at
        other = re.compile(r"@(?!interface\b)[\w.]+|\[\s*(?:\w+\s*:\s*)?[A-Z][\w.]*|(?<=,)\s*[A-Z]\w*(?=[(\],])").match(
            code, at
        )
        if other is None:
            return at
        at = other.end()
        if code[other.start()] == "[":
            at = source.closing(other.start()) + 1
        else:
            opened = re.compile(r"[ \t]*\(").match(code, at)
            at = source.closing(opened.end() - 1) + 1 if opened is not None else at


def _classes(source: MaskedText, rules: Rules, annotations: list[_Annotation]) -> list[_Class]:
    found = []
    for match in _CLASS.finditer(source.code):
        opened = source.code.find("{", match.end())
        if opened < 0 or source.code[match.end() : opened].count(";"):
            continue
        bases = re.sub(r"<[^<>]*>|\([^()]*\)", "", source.code[match.end() : opened])
        known = tuple(word for word in re.findall(r"\w+", bases) if word not in _NOT_BASES)
        found.append(_Class(match["name"], match.start(), source.end(opened), bases=known))
    for annotation in annotations:
        head = _CLASS.search(source.code, annotation.above, annotation.above + _MAX_BETWEEN)
        ends = _ENDS.search(source.code, annotation.above, annotation.above + _MAX_BETWEEN)
        if head is None or (ends is not None and ends.start() < head.start()):
            continue
        owner = next((c for c in found if c.start == head.start()), None)
        if owner is None or "(" in re.sub(r"\([^()]*\)", "", source.code[annotation.above : head.start()]):
            continue
        _noted(source, rules, annotation.call, owner)
    return found


def _noted(source: MaskedText, rules: Rules, call: Call, owner: _Class) -> None:
    controllers = rules.controllers
    if controllers.none and re.fullmatch(controllers.none, call.name):
        owner.none = True
    if controllers.marks and re.fullmatch(controllers.marks, call.name):
        owner.marked = True
    if controllers.prefix and re.fullmatch(controllers.prefix, call.name):
        owner.prefixes += addresses_of(source, call)
        owner.version = _version(source, call)


def addresses_of(source: MaskedText, call: Call) -> list[str]:
    """What an annotation says the address is; [""] where it says none."""
    argument = call.keyed("value", "path", "template") or call.plain(0)
    if argument is None:
        return [""]
    code = source.code[argument.start : argument.end]
    if code.startswith("{") and source.family == "javascript":  # `@Controller({ path: 'x' })`
        keyed = source.call("", argument.start, argument.start).keyed("path")
        return source.strings(keyed) if keyed is not None else [""]
    return source.strings(argument) or [""]


def _own_version(source: MaskedText, call: Call, target: re.Match[str]) -> str:
    """The version of a method: `@Version('2')` among its annotations."""
    if source.family != "javascript":
        return ""
    before = max(source.code.rfind(mark, 0, call.start) for mark in "};{") + 1
    said = re.compile(r"@Version\(").search(source.code, before, target.start())
    if said is None:
        return ""
    first = source.call("Version", said.start(), said.end() - 1).plain(0)
    value = source.value(first.start, first.end) if first is not None else UNKNOWN
    return NEUTRAL if value == UNKNOWN else f"v{value}"


def _version(source: MaskedText, call: Call) -> str:
    """The version in `@Controller({ path: 'cats', version: '1' })`."""
    first = call.plain(0)
    if first is None or source.family != "javascript" or source.code[first.start] != "{":
        return ""
    version = source.call("", first.start, first.start).keyed("version")
    if version is None:
        return ""
    value = source.value(version.start, version.end)
    return NEUTRAL if value == UNKNOWN else f"v{value}"


def _stated(
    source: MaskedText, rules: Rules, annotation: _Annotation, around: _Class | None, target: re.Match[str]
) -> Iterator[Stated]:
    call = annotation.call
    rule = next((r for r in rules.routes if re.fullmatch(r.call, call.name)), None)
    if rule is None:
        return
    owner = around.name if around is not None else ""
    marked = around is not None and (around.marked or bool(around.prefixes))
    confidence = rule.confidence if marked else min(rules.controllers.unmarked, rule.confidence)
    handler = Handler(target["name"], source.path, source.line(target.start("name")), owner)
    prefixes = tuple(token(p, owner, handler.name) for p in around.prefixes) if around and around.prefixes else ("",)
    usual = source.family == "csharp" and not prefixes[0] and not addresses_of(source, call)[0] and owner
    if usual:  # a controller without addresses of its own goes by the pattern that the application gives
        pattern = joined(re.sub(r"Controller$", "", owner), handler.name)
        yield Stated(
            rules, _methods(source, rule, call), pattern, owner, handler, target.start("name"), source.line(call.start),
            f"[{call.name}]", rules.controllers.unmarked, ("",), USUAL_PATTERN,
        )  # fmt: skip
        return
    version = _own_version(source, call, target) or (around.version if around is not None else "")
    sign = f"[{call.name}]" if source.family == "csharp" else f"@{call.name}"
    for address in addresses_of(source, call):
        whole = token(address, owner, handler.name)
        unread = UNKNOWN in whole or any(UNKNOWN in prefix for prefix in prefixes)
        begins = ("",) if source.family == "csharp" and whole.startswith(("/", "~/")) else prefixes
        yield Stated(
            rules, _methods(source, rule, call), whole, version, handler, target.start("name"), source.line(call.start),
            sign, confidence, begins, "part of the address is a constant that was not read" if unread else "",
        )  # fmt: skip


def token(address: str, owner: str, action: str) -> str:
    """ASP.NET's `[controller]` and `[action]`."""
    known = {"controller": re.sub(r"Controller$", "", owner), "action": action}
    return _TOKEN.sub(lambda match: known.get(match[1].lower(), match[0]), address)


def _methods(source: MaskedText, rule: RouteRule, call: Call) -> tuple[str, ...]:
    verb = re.sub(r"^(?:Http)|Mapping$", "", call.name).upper()
    if verb in VERBS:
        return (verb,)
    named = call.keyed(*(key for key in rule.methods if isinstance(key, str)))
    words = re.findall(r"[A-Za-z]+", source.written(named)) if named is not None else []
    return tuple(word.upper() for word in words if word.upper() in VERBS) or rule.default


def _with_methods(routes: list[Stated]) -> list[Stated]:
    """`[HttpGet]` and `[Route("x")]` above one method are one route."""
    by_place: dict[int, list[Stated]] = {}
    for route in routes:
        by_place.setdefault(route.offset, []).append(route)
    found: list[Stated] = []
    for together in by_place.values():
        addressed = [route for route in together if route.how == "[Route]"]
        verbs = [route for route in together if route.how != "[Route]"]
        if not addressed or not verbs:
            found += together
            continue
        for verb in verbs:
            if verb.address:
                found.append(verb)
                continue
            found += [
                Stated(
                    verb.rules, verb.methods, route.address, verb.on, verb.handler, verb.offset, verb.line, verb.how,
                    verb.confidence, route.prefixes, route.partial,
                )
                for route in addressed
            ]  # fmt: skip
    return found
