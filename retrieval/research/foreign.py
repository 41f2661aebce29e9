"""Implementations by what is no symbol of the root: of a trait by foreign types (`impl<S: Sink> Sink for Box<S>`), of
any type by classes without a name (`new Factory() { … }`, `object : Factory { … }`).

No edge can begin at such a type, so the lines that declare them are read off the text, and stand among the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sightline.graph.build.tested import is_test_file
from sightline.graph.read.walk import object_at
from sightline.retrieval.research.model import Fact, Line
from sightline.retrieval.research.occurrences import occurrences
from sightline.retrieval.research.wording import is_comment
from sightline.types import TYPE_KINDS

if TYPE_CHECKING:
    from sightline.retrieval.research.pieces import Draft

_FOREIGN = r"(?<![\w:])(?P<scope>(?:\w+::)*){name}(?:<[^{{]*?>)?\s+for\s+(?P<type>[^{{;]+?)\s*(?:\{{|\bwhere\b|$)"
_NAMELESS = {
    ".java": r"\bnew\s+(?:\w+\.)*{name}\s*(?:<[^;{{]*>)?\s*\([^;]*\)\s*\{{",
    ".kt": r"\bobject\s*:\s*(?:[\w.<>, ()]*[,.\s])?{name}\b",
    ".scala": r"\bnew\s+(?:\w+\.)*{name}\b[^;=]*\{{",
    ".php": r"\bnew\s+class\b[^{{]*\b(?:extends|implements)\b[^{{]*\b{name}\b",
}


def foreign_implementations(draft: Draft, positions: Sequence[int]) -> list[Line]:
    """A line for each implementation of these types that no symbol stands for, and that nobody listed yet."""
    return [line for position in positions for line in (*_of_foreign(draft, position), *_nameless(draft, position))]


def _of_foreign(draft: Draft, position: int) -> list[Line]:
    """The `impl`s of a trait for types of other crates."""
    graph, name = draft.graph, draft.graph.objects.column("name")[position]
    if graph.kinds[position] != "interface" or not graph.path(position).endswith(".rs"):
        return []
    lines = []
    for path, line, match in _declared(draft, name, ".rs", _FOREIGN):
        if _is_meant(match["scope"], graph.path(position)):  # else a trait of that name from elsewhere
            who = " ".join(match["type"].split())
            lines.append(_line(draft, position, path, line, f"impl {name} for {who}", who))
    return lines


def _nameless(draft: Draft, position: int) -> list[Line]:
    """The classes without a name that extend or implement a type."""
    graph, name = draft.graph, draft.graph.objects.column("name")[position]
    ending = next((ending for ending in _NAMELESS if graph.path(position).endswith(ending)), "")
    if not ending or graph.kinds[position] not in TYPE_KINDS:
        return []
    lines = []
    for path, line, _ in _declared(draft, name, ending, _NAMELESS[ending]):
        around = object_at(graph.snapshot, path, line)
        inside = graph.names[around] if around is not None and graph.kinds[around] != "module" else path
        lines.append(_line(draft, position, path, line, f"class without a name in {inside}", inside))
    return lines


def _declared(draft: Draft, name: str, ending: str, head: str) -> Iterator[tuple[str, int, re.Match[str]]]:
    """The lines of code that have a form and say a name."""
    form = re.compile(head.format(name=re.escape(name)))
    for file in occurrences(draft.graph.snapshot, draft.texts, name).files:
        path = file.text.path
        if not path.endswith(ending) or is_test_file(path) or not draft.scope.code(path):
            continue
        for number, line in enumerate(file.lines):
            text = file.line(number)
            match = form.search(text)
            if match is not None and not is_comment(text) and (path, line) not in draft.sites.lines:
                yield path, line, match


def _line(draft: Draft, position: int, path: str, line: int, said: str, who: str) -> Line:
    graph = draft.graph
    draft.sites.lines.add((path, line))
    target, where = graph.names[position], graph.path(position)
    fact = Fact("implements", who, path, target, where, path, line, 1.0, "external", proven=True)
    return Line(f"{said}  {path}:{line}", (fact,), path=path)


def _is_meant(scope: str, path: str) -> bool:
    """May `io::` of `io::Read` be the file or a folder of the trait?"""
    last = scope.removesuffix("::").rpartition("::")[2]
    return (
        not last
        or last in ("crate", "self", "super")
        or last.replace("_", "-") in re.split(r"[/.]", path.replace("_", "-"))
    )
