"""The source shown under a hit: what makes the point, and no more.

A small function is shown whole. Of a longer one its first lines stay and what is around the line that matches best.
Comments and decorators directly above belong to it; licence headers and import blocks say nothing, and what else the
chunk holds is another symbol's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sightline.graph.read.spoken import documentation
from sightline.types import Chunk, Hit, Object
from sightline.visible import visible, visible_source

MAX_LINE_CHARS = 240  # longer lines are data or minified code
_WHOLE_LINES = 24  # a function up to so long is shown whole
_MOST_LINES = 18  # of a longer one, unless a larger answer was asked for
_MIN_CHARS = 160  # a smaller piece of source helps nobody
_LEAD_LINES = 2  # comments and decorators shown above an object
_HEAD_LINES = 2  # signature and the start of what follows stay when a body is cut
_LICENCE = re.compile(r"licen[sc]e|copyright|spdx|all rights reserved|permission is hereby", re.IGNORECASE)
_COMMENT = re.compile(
    r"\s*(?:#(?!\[|!\[|include|define|if|import|undef|else|end|pragma)|//|/?\*|--|;|<!--|%|\{-|-\}|'''|\"\"\")"
)
_ABOVE = re.compile(r"\s*(?:#|//|/?\*|--|;|%|\{-|@)")
_IMPORT = re.compile(
    r"\s*(?:import\b|from\s+\S+\s+import\b|#\s*(?:include|import|pragma|define\s+\w+_H_?$|ifndef\s+\w+_H_?$)|using\s[\w.:=\s]+;"
    r"|(?:pub(?:\([\w\s:]+\))?\s+)?use\s+[\w:{*\\]|package\s+[\w.]+;?\s*$|namespace\s+[\w\\.]+;|require(?:_relative)?[\s(]"
    r"|(?:const|let|var)\s+[\w{}\s,:]+=\s*require\(|mod\s+\w+;|alias\s+[A-Z]|extern\s+crate|<\?php|declare\(|module\s+[\w.]+\s*$)"
)


@dataclass(slots=True)
class Body:
    """Source to show under a hit."""

    hit: Hit
    first_line: int
    lines: list[str]
    own: int  # index of the line where the object begins
    marked: Counter[int] = field(default_factory=Counter)  # index of a line → spans in it that match the query

    def focus(self) -> int:
        """Index of the line with the most spans, the first one of several, but none before the object."""
        doc = documentation(self.lines)
        inside = {n: m for n, m in self.marked.items() if self.own <= n < len(self.lines) and n not in doc}
        return min(inside, key=lambda line: (-inside[line], line)) if inside else max(self.own, doc.stop)


def body_of(hit: Hit, chunk: Chunk) -> Body | None:
    """What to show of a hit: the object's own lines (its `source` where the chunk lacks some), or the chunk's;
    None when that would be nothing but a licence and imports."""
    item, lines = hit.item, chunk.lines()
    marks = Counter(chunk.start_line + chunk.text.count("\n", 0, start) for start, _ in hit.highlights)
    if not isinstance(item, Object):
        skipped = _boilerplate(lines)
        kept = lines[skipped:]
        if skipped and len(kept) < 2 and any(line.strip() for line in lines):
            return None
        return _body(hit, chunk.start_line + skipped, kept, 0, marks)
    own = max(item.start_line - chunk.start_line, 0)
    start = _lead(lines, own)
    if hit.source and item.start_line >= chunk.start_line:
        return _body(hit, chunk.start_line + start, [*lines[start:own], *hit.source], own - start, marks)
    end = max(item.end_line - chunk.start_line + 1, start + 1)
    return _body(hit, chunk.start_line + start, lines[start:end], own - start, marks)


def _body(hit: Hit, first_line: int, lines: list[str], own: int, marks: Counter[int]) -> Body:
    return Body(hit, first_line, lines, own, Counter({line - first_line: n for line, n in marks.items()}))


def _lead(lines: Sequence[str], own: int) -> int:
    """Where the comments and decorators directly above a line begin."""
    start = own
    while start > max(own - _LEAD_LINES, 0) and start <= len(lines) and _ABOVE.match(lines[start - 1]):
        start -= 1
    return start


def _boilerplate(lines: Sequence[str]) -> int:
    """How many lines at the beginning are a licence, imports and what is between them."""
    at = end = 0
    while at < len(lines):
        if not lines[at].strip():
            at += 1
        elif _IMPORT.match(lines[at]):
            at = end = _after_import(lines, at)
        elif _COMMENT.match(lines[at]):
            after = at
            while after < len(lines) and lines[after].strip() and _comment_goes_on(lines, at, after):
                after += 1
            if not any(_LICENCE.search(line) for line in lines[at:after]):
                break
            at = end = after
        else:
            break
    while end < len(lines) and end and not lines[end].strip():
        end += 1
    return end


def _comment_goes_on(lines: Sequence[str], first: int, line: int) -> bool:
    opened = lines[first].lstrip().startswith(("/*", "<!--", "{-", '"""', "'''"))
    closed = any(re.search(r"\*/|-->|-\}", text) for text in lines[first:line])
    return bool(_COMMENT.match(lines[line])) or (opened and not closed)


def _after_import(lines: Sequence[str], at: int) -> int:
    """The line after an import, which may be written over several lines in brackets."""
    depth = 0
    for number in range(at, min(at + 60, len(lines))):
        depth += sum(lines[number].count(c) for c in "({") - sum(lines[number].count(c) for c in ")}")
        if depth <= 0:
            return number + 1
    return at + 1


def numbered(lines: Sequence[str], first_line: int) -> list[str]:
    """Source lines with their numbers; an over-long line is cut."""
    width = len(str(first_line + len(lines) - 1))
    return [
        f"{number:{width}} {cut(visible_source(line.rstrip()))}".rstrip()
        for number, line in enumerate(lines, start=first_line)
    ]


def cut(line: str) -> str:
    """A line of bearable length."""
    return line if len(line) <= MAX_LINE_CHARS else line[:MAX_LINE_CHARS] + "…"


def size_if_small(body: Body) -> int:
    """Characters of a body that is small enough to be shown whole, else 0."""
    if len(body.lines) > _WHOLE_LINES:
        return 0
    return sum(len(line) + 1 for line in numbered(body.lines, body.first_line))


def body_lines(body: Body, room: int, *, ample: bool) -> list[str]:
    """The source within `room` characters: all of it if it is small, or its head and the lines around the focus."""
    lines = numbered(body.lines, body.first_line)
    sizes = [len(line) + 1 for line in lines]
    if sum(sizes) <= room and (ample or len(lines) <= _WHOLE_LINES):
        return lines
    last_line = body.first_line + len(lines) - 1
    note = visible(f"… more: {body.hit.path}:{body.first_line}-{last_line}")
    room -= len(note) + 1
    if room < _MIN_CHARS:
        return []
    chosen: set[int] = set()
    for index in _by_interest(len(lines), body.focus(), documentation(body.lines)):
        room -= sizes[index]
        if room < 0 or (len(chosen) >= _MOST_LINES and not ample):
            break
        chosen.add(index)
    out: list[str] = []
    previous = -1
    for index in sorted(chosen):
        if index != previous + 1:
            out.append("…")
        out.append(lines[index])
        previous = index
    return [*out, note] if chosen else []


def _by_interest(count: int, focus: int, doc: range) -> Iterable[int]:
    """Line indexes, most interesting first: the head, then outwards from the focus, documentation last."""
    head = min(_HEAD_LINES, count)
    yield from range(head)
    start = min(max(focus, head), count)
    after, before = start, start - 1
    while after < count or before >= head:
        if after < count:
            if after not in doc:
                yield after
            after += 1
        if before >= head:
            if before not in doc:
                yield before
            before -= 1
    yield from (index for index in doc if index >= head)
