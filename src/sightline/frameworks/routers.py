"""Routes that are put on a router: `@app.get("/x")`, `router.post("/x", handler)`, `path("x/", view)`.

Which names are routers is read from where they are bound, from the types of parameters and, failing that, from what
such names usually are; the last costs confidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from sightline.frameworks.addresses import VERBS, of_pattern
from sightline.frameworks.imports import DEFAULT
from sightline.frameworks.masked import UNKNOWN, Argument, Call, MaskedText
from sightline.frameworks.model import (
    FileRoutes,
    Handler,
    Mount,
    MountRule,
    Router,
    RouterRule,
    RouteRule,
    Rules,
    Stated,
)

USUAL = 0.75  # what is left of the confidence where only its name says that something is a router
_NAME = r"[A-Za-z_$][\w$]*"
_DOTTED = rf"{_NAME}(?:\s*(?:\.|->|::)\s*{_NAME})*"
_BINDS = (  # `const app: Express = module.exports = `, and what is exported without a name
    rf"(?:export\s+default\s+|(?<![\w$.])(?P<name>{_DOTTED})\s*(?::\s*[\w.<>\[\]| ]{{1,60}}?)?\s*(?::=|=)\s*"
    r"(?:[\w.$]+\s*=\s*)?)(?:await\s+|new\s+)?"
)
_BOUND = re.compile(rf"{_BINDS}(?:{_NAME}\s*\.\s*)*$")
_GROUPED = re.compile(rf"{_BINDS}(?P<on>{_DOTTED})\s*\.\s*$")
_DEFINED = re.compile(
    r"\s*(?:@[\w.]+(?:\([^\n]*\))?[ \t]*\n\s*)*(?:async\s+)?(?:def|class)\s+(?P<name>\w+)"
)  # what a Python decorator stands above
_IDENTIFIER = re.compile(rf"(?:(?:this|self)\.)?({_DOTTED})(?:\s*\.\s*(?:bind|as_view)\s*\([^()]*\))?$", re.DOTALL)
_INLINE = re.compile(r"=>|\bfunction\b|\bfunc\s*\(|\blambda\b|\bdelegate\b")
_INCLUDE = re.compile(r"(?:[\w.]+\.)?include\s*\(")
_CHAINED = re.compile(r"(?:([\w.$]+)\s*(?::[^=\n]*)?=|\bexport\s+default)\s*$")
_SUM = re.compile(r"^(?P<name>\w+)[ \t]*\+?=[ \t]*(?:[\w.\[\]()\\ \t]|\+(?:[ \t]*+\n)?)*+$", re.MULTILINE)
_TERM = re.compile(r"[=+][ \t\n\\(]*([A-Za-z_]\w*)[ \t)]*(?=\+|$|\n)")
_MAX_CHAIN = 30  # calls in a row
_CALLED = re.compile(rf"{_DOTTED}\s*\(")
_EXPANDED: dict[str, tuple[tuple[tuple[str, ...], str], ...]] = {
    "": (((), ""),),
    "rest": ((("GET", "POST"), ""), (("GET", "PUT", "PATCH", "DELETE"), "{pk}/")),  # a view set
}
_METHODS = {
    "all": (),
    "any": (),
    "use": (),
    "route": (),
    "websocket": ("WEBSOCKET",),
    "websocket_route": ("WEBSOCKET",),
}


def read(source: MaskedText, rules: Rules) -> FileRoutes:
    """Everything that a file states about routers and routes."""
    found = FileRoutes()
    found.routers = sorted(_routers(source, rules), key=lambda router: router.offset)
    for rule in rules.routes:
        stated = _decorated(source, rules, rule) if rule.form == "decorator" else _called(source, rules, rule)
        found.routes += stated
    found.mounts = list(_mounts(source, rules))
    if any(rule.bare for rule in rules.mounts):
        found.mounts += _summed(source)
    return found


# Routers


def _routers(source: MaskedText, rules: Rules) -> Iterator[Router]:
    for rule in rules.routers:
        for match in _made(rule.call).finditer(source.code):
            before = (_GROUPED if rule.grouped else _BOUND).search(
                source.code[max(match.start() - 200, 0) : match.start()]
            )
            if before is None:
                continue
            call = source.call(match["call"], match.start("call"), match.end() - 1)
            name = _bare(before["name"]) if before["name"] else DEFAULT
            parent = _bare(before["on"]) if rule.grouped else ""
            start = match.start() - (len(before[0]) if rule.grouped else 0)
            yield Router(name, start, prefix_of(source, call, rule), parent, rule.root, "", rule.confidence)
    if rules.typed:
        for match in _compiled(rules.typed).finditer(source.code):
            function = _function_around(source, match.start())
            if function:
                root = match.groupdict().get("root") is not None
                until = _function_end(source, match.start())
                yield Router(match["name"], match.start(), root=root, given_to=function, until=until)
            elif "=" not in source.code[match.end() : match.end() + 3]:
                yield Router(match["name"], match.start(), root=True, confidence=0.9)  # a field of that type


@lru_cache(maxsize=200)
def _made(call: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w$])(?P<call>{call})\s*(?:<[^<>()]*>)?\s*\(")


def _bare(name: str) -> str:
    """A name without what it is a field of here."""
    return re.sub(r"^(?:this|self)\.|\s+", "", name)


def _function_around(source: MaskedText, at: int) -> str:
    """The function in whose list of parameters a place is; "" where it is in none."""
    depth = 0
    for offset in range(at - 1, max(at - 2000, -1), -1):
        character = source.code[offset]
        if character in ")]}":
            depth += 1
        elif character in "([{":
            if depth == 0:
                name = re.search(rf"({_NAME})\s*(?:<[^<>()]*>)?\s*$", source.code[max(offset - 80, 0) : offset])
                return name[1] if name is not None and character == "(" else ""
            depth -= 1
        elif character == ";":
            return ""
    return ""


def _function_end(source: MaskedText, at: int) -> int:
    """Where the function ends in whose list of parameters a place is."""
    closed = source.closing(source.around(at)[0])
    if source.language == "python":
        begins = source.code.rfind("\n", 0, source.around(at)[0]) + 1
        indent = re.match(r"[ \t]*", source.code[begins : begins + 100])
        width = len(indent[0]) if indent is not None else 0
        ends = re.compile(rf"\n[ \t]{{0,{width}}}[^\s)]").search(source.code, closed)
        return ends.start() if ends is not None else len(source.code)
    opened = source.code.find("{", closed)
    return source.end(opened) if opened >= 0 else len(source.code)


# Routes


def _decorated(source: MaskedText, rules: Rules, rule: RouteRule) -> Iterator[Stated]:
    for match in _decorator(rule.call).finditer(source.code):
        call = source.call(match["call"], match.start("on"), match.end() - 1)
        function = _DEFINED.match(source.code, call.end)
        if function is None:
            continue
        handler = Handler(function["name"], source.path, source.line(function.start("name")))
        on = match["on"]
        yield from _stated(source, rules, rule, call, on, handler, f"@{on}.{match['call']}")


@lru_cache(maxsize=200)
def _decorator(call: str) -> re.Pattern[str]:
    return re.compile(rf"^[ \t]*@(?P<on>[A-Za-z_][\w.]*)\.(?P<call>{call})\s*\(", re.MULTILINE)


def _called(source: MaskedText, rules: Rules, rule: RouteRule) -> Iterator[Stated]:
    for match in _member(rule.call, bare=rule.bare).finditer(source.code):
        call = source.call(match["call"], match.start("call"), match.end() - 1)
        if rule.bare:
            handler = None if included(source, call) else handler_of(source, _argument(call, rule.handler))
            if handler is not None:
                around = list_around(source, call.start)
                for stated in _stated(source, rules, rule, call, around, handler, match["call"]):
                    whole = handler.name.endswith(".urls")  # `admin.site.urls`: everything below
                    yield replace(stated, address=f"{stated.address}<path:rest>") if whole else stated
            continue
        on, chained = _receiver(source, match.start())
        if not on:
            continue
        if chained is not None:
            call.arguments.insert(0, chained)
        if len(call.arguments) < rule.least:
            continue
        if _after_at(source, on, match.start()):
            continue
        handler = handler_of(source, _argument(call, rule.handler))
        if handler is not None:
            yield from _stated(source, rules, rule, call, on, handler, f"{on}.{match['call']}")


@lru_cache(maxsize=200)
def _member(call: str, *, bare: bool) -> re.Pattern[str]:
    before = r"(?<![\w$.>@])" if bare else r"(?:\?\.|\.)\s*"
    return re.compile(rf"{before}(?P<call>{call})\s*(?:<[^<>()]*>)?\s*\(")


def _after_at(source: MaskedText, on: str, dot: int) -> bool:
    """Is it a decorator?"""
    line = source.code[source.code.rfind("\n", 0, dot) + 1 : dot].strip()
    return line == f"@{on}"


def _receiver(source: MaskedText, dot: int) -> tuple[str, Argument | None]:
    """What stands before a dot, through a chain of calls; of `app.route("/x")` also the address."""
    code, address, at = source.code, None, dot
    for _ in range(_MAX_CHAIN):
        end = _before_blanks(code, at)
        if not end or code[end - 1] != ")":
            return _bare(code[_name_start(code, end) : end]), address
        opened = source.opening(end - 1)
        name_end = _before_blanks(code, max(opened, 0))
        start = _name_start(code, name_end)
        called = code[start:name_end].rpartition(".")
        if opened < 0 or not called[2]:
            return "", None
        if called[2] == "route" and address is None:
            address = source.call("route", opened, opened).plain(0)
        before = code[max(start - 100, 0) : start].rstrip()
        bound = _CHAINED.search(before) if before.endswith(("=", "default")) else None
        if bound is not None:  # `const api = Router().use(…)`
            return (_bare(bound[1]) if bound[1] else DEFAULT), address
        if called[0]:  # `app.route("/x").get(…)`
            return _bare(called[0]), address
        end = _before_blanks(code, start)
        at = end - 1 if end and code[end - 1] == "." else start
    return "", None


def _before_blanks(code: str, at: int) -> int:
    while at and code[at - 1].isspace():
        at -= 1
    return at


def _name_start(code: str, end: int) -> int:
    """Where the dotted name begins that ends here."""
    at = end
    while at and (code[at - 1].isalnum() or code[at - 1] in "_$."):
        at -= 1
    return at


def _stated(
    source: MaskedText, rules: Rules, rule: RouteRule, call: Call, on: str, handler: Handler, how: str
) -> Iterator[Stated]:
    argument = _argument(call, rule.path)
    if argument is None and not rule.optional:
        return
    methods = _methods(source, rule, call)
    confidence = rule.confidence
    line = source.line(call.start)
    for address in source.strings(argument) if argument is not None else [""]:
        partial = ""
        if UNKNOWN in address:
            partial = "part of the address is put together at run time"
        elif rule.pattern:
            address = of_pattern(address)
        if address == UNKNOWN:
            continue
        for verbs, end in _EXPANDED[rule.expands]:
            whole = f"{address}/{end}" if rule.expands else address
            yield Stated(
                rules, verbs or methods, whole, on, handler, call.start, line, how, confidence, partial=partial
            )


def _methods(source: MaskedText, rule: RouteRule, call: Call) -> tuple[str, ...]:
    verb = re.sub(r"^(?:map|add)_?", "", call.name.lower())
    if verb.upper() in VERBS:
        return (verb.upper(),)
    if verb in _METHODS and not rule.methods:
        return _METHODS[verb] or rule.default
    named = _argument(call, rule.methods) if rule.methods else None
    if named is None:
        return rule.default
    words = re.findall(r"[A-Za-z]+", " ".join(source.strings(named)) or source.written(named))
    return tuple(word.upper() for word in words if word.upper() in VERBS) or rule.default


def _argument(call: Call, places: tuple[str | int, ...]) -> Argument | None:
    for place in places:
        found = call.keyed(place) if isinstance(place, str) else call.plain(place)
        if found is not None:
            return found
    return None


def prefix_of(source: MaskedText, call: Call, rule: RouterRule) -> str:
    """What the addresses of a router begin with, by its own call."""
    argument = _argument(call, rule.prefix) if rule.prefix else None
    if argument is None:
        return ""
    return source.value(argument.start, argument.end) if _stringy(source, argument) else UNKNOWN


def handler_of(source: MaskedText, argument: Argument | None) -> Handler | None:
    """What an argument hands over as the function that answers."""
    if argument is None:
        return None
    code = source.code[argument.start : argument.end].strip()
    line = source.line(argument.start)
    name = _IDENTIFIER.match(code)
    if name is not None:
        return Handler(re.sub(r"\s+", "", name[1]), "", line)
    if code.startswith("["):
        parts = list(source.parts(argument.start + 1, argument.end - 1))
        return handler_of(source, Argument("", *parts[-1])) if parts else None
    if ".as_view" in code:
        return Handler(re.sub(r"\s+", "", code.split(".as_view")[0].split("(")[-1]), "", line)
    if _INLINE.search(code):
        return Handler("", source.path, line, end=source.line(argument.end))
    if code.endswith(")") and _CALLED.match(code):
        inner = list(source.parts(source.opening(argument.end - 1) + 1, argument.end - 1))
        found = handler_of(source, Argument("", *inner[-1])) if inner else None
        return found if found is not None and found.name else Handler(code.split("(")[0].strip(), "", line)
    return None


def _stringy(source: MaskedText, argument: Argument) -> bool:
    return bool(source.written(argument).strip())


# Mounts


def _mounts(source: MaskedText, rules: Rules) -> Iterator[Mount]:
    for rule in rules.mounts:
        for match in _member(rule.call, bare=rule.bare).finditer(source.code):
            call = source.call(match["call"], match.start("call"), match.end() - 1)
            if rule.bare:
                yield from _included(source, rule, call)
                continue
            on = _receiver(source, match.start())[0]
            argument = _argument(call, rule.prefix) if rule.prefix else None
            if argument is not None and "any" in rule.child and not _is_address(source, argument):
                argument = None
            prefixes = source.strings(argument) if argument is not None else [""]
            children = call.arguments if "any" in rule.child else [_argument(call, rule.child)]
            for child in children:
                if child is None or child is argument:
                    continue
                for prefix in prefixes:
                    replaces = rule.replaces and argument is not None
                    yield Mount(on, source.written(child).strip(), prefix, call.start, replaces)


def included(source: MaskedText, call: Call) -> Call | None:
    """The call `include(…)` that stands where a handler would."""
    for argument in call.arguments[1:]:
        match = _INCLUDE.match(source.code, argument.start, argument.end)
        if match is not None:
            return source.call("include", argument.start, match.end() - 1)
    return None


def _included(source: MaskedText, rule: MountRule, call: Call) -> Iterator[Mount]:
    """Lists of routes below an address, as Django has them."""
    address, include = _argument(call, (0, "route")), included(source, call)
    if address is None or include is None or not include.arguments:
        return
    prefix = source.value(address.start, address.end)
    prefix = of_pattern(prefix) if call.name in rule.patterns else prefix
    child = source.written(include.arguments[0]).strip().lstrip("(").split(",")[0].strip()
    opened = source.code.find("[", include.opened, include.end)
    if child.startswith("["):
        child = f"[{opened}"
    yield Mount(list_around(source, call.start), child, prefix, call.start)


def _summed(source: MaskedText) -> Iterator[Mount]:
    """Lists that are put together: `urlpatterns = common_patterns + api_patterns`."""
    for match in _SUM.finditer(source.code):
        for name in _TERM.finditer(source.code, match.end("name"), match.end()):
            yield Mount(match["name"], name[1], "", name.start())


def list_around(source: MaskedText, at: int) -> str:
    """The name that the list around a place is bound to; a list without a name goes by where it begins."""
    for opened in source.around(at):
        before = source.code[max(opened - 120, 0) : opened]
        bound = re.search(r"(\w+)\s*(?::[^=\n]*)?\+?=\s*(?:[\w.]+\s*)?$", before)
        if bound is not None:
            return bound[1]
        if source.code[opened] == "[" and re.search(r"\binclude\s*\(\s*\(?\s*$", before):
            return f"[{opened}"
    return ""


def _is_address(source: MaskedText, argument: Argument) -> bool:
    return source.code[argument.start] in "\"'`[" or source.written(argument).strip() in source.constants


@lru_cache(maxsize=200)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)
