"""Addresses that changed code answers: by the decorators and attributes of its functions, and where it is registered.

Frameworks differ, but nearly all write the method and the address beside the function (`@app.get("/x")`,
`@GetMapping("/x")`, `[HttpGet("/x")]`, `#[get("/x")]`) or hand it over by name (`router.get("/x", handler)`,
`path("x/", views.handler)`). What is put together at run time is not seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from sightline.changes.mentions import lines_saying
from sightline.changes.model import Reached, Route, SymbolChange
from sightline.graph.build.tested import is_test_file

if TYPE_CHECKING:
    from sightline.store import Snapshot
    from sightline.types import Object

MAX_LOOKED_AT = 200  # functions whose decorators are read
_MAX_REGISTERED = 20  # functions whose names are looked up
_HEAD_LINES = 12  # above the name of a function that decorators take
_VERBS = "get|post|put|patch|delete|head|options|all|any|websocket|route|api_route"
_QUOTED = r"[rbfu]?[\"'`](?P<address>[^\"'`\n]{0,200})[\"'`]"
_DECORATED = re.compile(
    rf"(?:^|\s)(?:@[\w.]*?\b(?P<py>{_VERBS})|#\[(?P<rs>{_VERBS})|@(?P<ts>Get|Post|Put|Patch|Delete|Head|Options|All)"
    rf"|@(?P<java>Get|Post|Put|Patch|Delete|Request)Mapping|\[(?:Http)?(?P<cs>Get|Post|Put|Patch|Delete|Route))"
    rf"\(\s*(?:(?:value|path)\s*=\s*)?\{{?\s*{_QUOTED}"
)
_REGISTERED = re.compile(
    rf"\b(?P<verb>{_VERBS}|Get|Post|Put|Patch|Delete|GET|POST|PUT|PATCH|DELETE|Handle|HandleFunc|Method|path|re_path|url"
    rf"|add_url_rule|use)\(\s*{_QUOTED}\s*,"
)
_MARKS = ("@", "[", "#[")
_FUNCTIONS = frozenset({"function", "method", "constructor"})


def routes(snapshot: Snapshot, symbols: Iterable[SymbolChange], reached: Iterable[Reached]) -> list[Route]:
    """The addresses that changed functions, and those that depend on them, answer; nearest first."""
    changed = [(change.new, 0) for change in symbols if change.new is not None]
    functions = [(o, d) for o, d in (*changed, *((r.item, r.distance) for r in reached)) if o.kind in _FUNCTIONS]
    functions = [(o, d) for o, d in functions if not is_test_file(o.path)][:MAX_LOOKED_AT]
    found: dict[tuple[str, str], Route] = {}
    for number, (item, distance) in enumerate(functions):
        named = [*_decorated(snapshot, item), *(_registered(snapshot, item) if number < _MAX_REGISTERED else ())]
        for method, address in named:
            found.setdefault((method, address), Route(method, address, item, distance))
    return list(found.values())


def _decorated(snapshot: Snapshot, item: Object) -> Iterator[tuple[str, str]]:
    """What stands above a function's name."""
    above, inside = _lines(snapshot, item)
    head: list[str] = []
    for line in reversed(above):  # where the grammar has decorators beside the function
        if not line.lstrip().startswith(_MARKS):
            break
        head.insert(0, line)
    for line in inside[:_HEAD_LINES]:
        if re.search(rf"\b{re.escape(item.name)}\b\s*[(<:=]", line) and not line.lstrip().startswith(_MARKS):
            break
        head.append(line)
    for match in _DECORATED.finditer("\n".join(head)):
        verb = next(part for part in match.group("py", "rs", "ts", "java", "cs") if part)
        yield _method(verb), match["address"]


def _lines(snapshot: Snapshot, item: Object) -> tuple[Sequence[str], Sequence[str]]:
    """The lines above a function, and those of it, as far as they are in the chunk in which it begins."""
    chunks = snapshot.chunks
    for position in chunks.positions_of_path(item.path).tolist():
        if chunks.start_line[position] <= item.start_line <= chunks.end_line[position]:
            (chunk,) = chunks.get([position])
            lines, at = chunk.lines(), item.start_line - chunk.start_line
            return lines[:at], lines[at:]
    return [], []


def _registered(snapshot: Snapshot, item: Object) -> Iterator[tuple[str, str]]:
    """Where a function is handed to a router by its name."""
    for mention, line in lines_saying(snapshot, item.name):
        match = _REGISTERED.search(line)
        if match is not None and not is_test_file(mention.path) and item.name in line[match.end() :]:
            yield _method(match["verb"]), match["address"]


def _method(verb: str) -> str:
    """`GET`, or `ANY` where the address answers to more than one."""
    name = verb.upper()
    return name if name in ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "WEBSOCKET") else "ANY"
