"""What a negative answer rests on: "no callers" is a proof only beside what was looked at.

Files indexed and files that could not be parsed; places where the bare name is called but the call could not be tied to
one definition; calls of what it overrides, which may run it; and the text that mentions the name without being a call.
Mentions are found by BM25, then every line is read: the name must stand there as a word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sightline.graph.build.tested import is_test_file
from sightline.graph.read.symbols import names_of
from sightline.retrieval.research.evidence import CALLS, USES, Graph
from sightline.retrieval.research.model import Line
from sightline.tokens import tokenize

if TYPE_CHECKING:
    from sightline.store import Snapshot

_MAX_CHUNKS = 200  # chunks read for mentions of a name
_DECLARATION_LINES = 4  # decorators and comments may stand before the line that says the name
_COMMENT = re.compile(r"^\s*(?:#|//|/\*|\*|--|;|<!--|\"\"\"|'''|%)")
_IMPORTING = re.compile(r"^\s*(?:import|from|use|using|#include|require|export|package)\b")


@dataclass(frozen=True, slots=True)
class Mention:
    """A line where the name stands and that no edge accounts for."""

    path: str
    line: int
    text: str
    kind: str  # "call", "string", "code" or "text"


def looked_at(snapshot: Snapshot) -> list[Line]:
    """How many files were searched, and which of them cannot be trusted."""
    records = snapshot.files.values()
    indexed = [record for record in records if record.state == "indexed"]
    failed = sorted(record.path for record in records if record.state == "failed")
    broken = sorted(record.path for record in indexed if record.parse_errors)
    lines = [Line(f"{len(indexed)} files indexed, {len(failed)} failed, {len(broken)} with syntax the parser rejected")]
    if failed:
        lines.append(Line(f"  not read: {_some(failed)}"))
    if broken:
        lines.append(Line(f"  partly parsed: {_some(broken)}"))
    if snapshot.status().state == "indexing":
        lines.append(Line("  indexing is still going on: files not indexed yet were not searched"))
    return lines


def _some(paths: Sequence[str], limit: int = 5) -> str:
    return ", ".join(paths[:limit]) + (f" and {len(paths) - limit} more" if len(paths) > limit else "")


def mentions(graph: Graph, name: str, positions: Sequence[int]) -> tuple[list[Mention], bool]:
    """Lines that mention a name and belong to no known edge or definition; True when there were too many to read."""
    terms = tokenize(name)
    if not terms:
        return [], False
    chunks = graph.snapshot.chunks
    ranked = chunks.lexical({terms[0]: 1.0}, limit=_MAX_CHUNKS)
    word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    known = _known_lines(graph, name, positions)
    found: list[Mention] = []
    for chunk in chunks.get(ranked.positions):
        prose = chunk.kind == "document"
        for number, text in enumerate(chunk.text.split("\n"), chunk.start_line):
            match = word.search(text)
            if match is None or known.covers(chunk.path, number):
                continue
            found.append(Mention(chunk.path, number, text.strip(), _kind(text, match, prose=prose)))
    found.sort(key=lambda m: (is_test_file(m.path), m.path, m.line))
    return found, len(ranked.positions) >= _MAX_CHUNKS


def _kind(text: str, match: re.Match[str], *, prose: bool) -> str:
    if prose or _COMMENT.match(text):
        return "text"
    before, after = text[: match.start()], text[match.end() :]
    if before.count('"') % 2 or before.count("'") % 2 or before.count("`") % 2:
        return "string"
    if re.search(r"(?:#|//|--)\s", before):
        return "text"
    return "call" if re.match(r"\s*(?:<[\w, ]+>)?\(", after) and not _IMPORTING.match(text) else "code"


class _Known:
    """Lines that edges and definitions account for."""

    def __init__(self) -> None:
        self.lines: set[tuple[str, int]] = set()
        self.spans: dict[str, list[tuple[int, int]]] = {}

    def covers(self, path: str, line: int) -> bool:
        """Is a mention at this line already part of the answer?"""
        if (path, line) in self.lines:
            return True
        return any(start <= line <= end for start, end in self.spans.get(path, ()))


def _known_lines(graph: Graph, name: str, positions: Sequence[int]) -> _Known:
    """Where objects of that name are defined, and every place that an edge to one of them accounts for."""
    known, objects = _Known(), graph.objects
    namesakes = list(dict.fromkeys([*positions, *names_of(graph.snapshot).by_name.get(name, ())]))
    for position in namesakes:
        first = int(objects.start_line[position])
        known.lines.update((objects.path(position), line) for line in range(first, first + _DECLARATION_LINES))
    for row, _, source in graph.rows(namesakes, "in", USES):
        known.lines.add((graph.edges.path(row), int(graph.edges.start_line[row])))
        if graph.kinds[source] != "module":  # an edge stands for all its sites in one object; the first is its line
            known.spans.setdefault(objects.path(source), []).append(
                (int(objects.start_line[source]), int(objects.end_line[source]))
            )
    return known


def dispatch_lines(graph: Graph, positions: Sequence[int]) -> list[Line]:
    """Calls of what a method overrides: at run time they may land here."""
    lines: list[Line] = []
    for position in positions:
        for chain, base in graph.overridden(position):
            calls = graph.rows([base], "in", CALLS)
            steps = " → ".join(f"{step.target} (stated at {step.path}:{step.line})" for step in chain)
            lines.append(
                Line(f"{graph.names[position]} overrides {steps}: {len(calls)} calls of that may run it", chain)
            )
    return lines
