"""Where something is decided: the lines that set a value which is called like what is asked about, by a condition.

Search finds the functions that use a decision; the line that makes it is often in another one. A name that consists of
words of the question (`colored_output` of "whether the output is coloured") says which value it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sightline.graph.build.tested import is_test_file
from sightline.graph.read.walk import object_at
from sightline.languages import spec_of
from sightline.retrieval.research.model import Line
from sightline.retrieval.research.relevance import FUNCTIONS, Asked, shared
from sightline.retrieval.research.wording import is_comment
from sightline.tokens import stem, subwords
from sightline.types import Hit

if TYPE_CHECKING:
    from sightline.retrieval.research.pieces import Draft

_ASKED = re.compile(
    r"\bwhere\b.*\b(?:decid\w*|determin\w*|chosen|chooses?|checked|detected|computed|calculated|set)\b", re.IGNORECASE
)
_SET = re.compile(
    r"^\s*(?:(?:let|var|const|val|auto|final|bool|int|local|my|static|mut|readonly|export|boolean)\s+)*"
    r"(?:self\.|this\.|\$this->|[@$]|\w+->|\w+\.)?(?P<name>[A-Za-z_]\w*)(?:\s*:\s*[\w<>?]+)?\s*(?::=|=(?![=>~]))\s*"
    r"(?P<value>\S.*)$"
)
_BY_CONDITION = re.compile(
    r"\b(?:match|if|switch|case|when|cond|unless|and|or|not|in|is)\b|[<>]=?|[=!]=|&&|\|\||\?|(?<![\w!])!\w"
)
_FILES, _MAX_LINES, _MAX_LINE_CHARS = 14, 6_000, 240  # that are read
_SHOWN = 3  # places
_LINES = 6  # of each
_LEAST_WORDS = 2  # of the question that a line must say: one word is said everywhere
_LATER = 0.02  # what a place is worth less for each file that search found before its own


@dataclass(frozen=True, slots=True)
class _Place:
    path: str
    line: int
    worth: float
    last: int


def asks_where_decided(question: str) -> bool:
    """Is it asked where something is decided?"""
    return _ASKED.search(question) is not None


def decided(draft: Draft, asked: Asked, hits: Sequence[Hit]) -> list[Line]:
    """The lines that decide, each place with its function; [] where no line says so."""
    graph = draft.graph
    paths = [hit.path for hit in hits if not is_test_file(hit.path) and _is_code(draft, hit.path)]
    found: list[_Place] = []
    for number, path in enumerate(dict.fromkeys(paths)):
        if number >= _FILES:
            break
        found += _of_file(draft, asked, path, _LATER * number)
    found.sort(key=lambda place: (-place.worth, place.path, place.line))
    lines: list[Line] = []
    told: set[int | None] = set()
    for place in found:
        around = object_at(graph.snapshot, place.path, place.line)
        if around in told or len(told) >= _SHOWN:
            continue
        told.add(around)
        name = graph.names[around] if around is not None and graph.kinds[around] in FUNCTIONS else ""
        begins = f" (:{graph.declared(around)})" if around is not None and name else ""
        lines.append(Line(f"{place.path}:{place.line}  {name}{begins}".rstrip(), heading=True))
        lines += draft.source.excerpt(place.path, place.line, place.last)
    return lines


def _is_code(draft: Draft, path: str) -> bool:
    record = draft.graph.snapshot.files.get(path)
    return record is not None and not spec_of(record.language).document


def _of_file(draft: Draft, asked: Asked, path: str, less: float) -> Iterator[_Place]:
    number = draft.graph.snapshot.files[path].lines
    lines = draft.source.lines(path, 1, min(number, _MAX_LINES))
    for line, whole in lines:
        text = whole[:_MAX_LINE_CHARS]
        if is_comment(text):
            continue
        match = _SET.match(text)
        if match is not None:
            said = {stem(part) for part in subwords(match["name"])}
            meant = [word for word in said if shared(asked.words, {word})]
            below = " ".join(other for _, other in lines[line : line + 1])
            if len(meant) >= _LEAST_WORDS and len(meant) == len(said) and _BY_CONDITION.search(match["value"] + below):
                last = min(_closed(lines, line), line + _LINES - 1)
                yield _Place(path, line, len(meant) + 1.0 - less, last)


def _closed(lines: Sequence[tuple[int, str]], line: int) -> int:
    """The line on which a statement ends: its brackets are closed, and no operator is left open."""
    depth = 0
    for number, text in lines[line - 1 : line - 1 + _LINES]:
        depth += sum(text.count(mark) for mark in "([{") - sum(text.count(mark) for mark in ")]}")
        if depth <= 0 and not re.search(r"(?:&&|\|\||[?:=+,\\]|\band|\bor)\s*$", text):
            return number
    return line + _LINES
