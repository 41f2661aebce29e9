"""Where a name stands in the text: for what is gone, and for constants, whose uses are no relationships."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sightline.changes.model import Mention
from sightline.graph.read.walk import object_at
from sightline.languages import spec_of
from sightline.tokens import tokenize

if TYPE_CHECKING:
    from sightline.store import Snapshot

_MAX_CHUNKS = 150  # in which the index says that a name stands; a name in more is a common word
_MIN_CHARS = 4  # a shorter name stands everywhere


def mentions(snapshot: Snapshot, name: str, *, limit: int) -> list[Mention]:
    """Lines of code that say a name, by place."""
    found = sorted({mention for mention, _ in lines_saying(snapshot, name)}, key=lambda m: (m.path, m.line))
    return found[:limit]


def users(snapshot: Snapshot, name: str) -> dict[int, int]:
    """The objects whose code says a name, as positions, with the line."""
    found: dict[int, int] = {}
    for mention in mentions(snapshot, name, limit=_MAX_CHUNKS):
        position = object_at(snapshot, mention.path, mention.line)
        if position is not None:
            found.setdefault(position, mention.line)
    return found


def lines_saying(snapshot: Snapshot, name: str) -> Iterator[tuple[Mention, str]]:
    """Lines of code that say a name, with their text; none where the name stands everywhere."""
    terms = tokenize(name)
    if not terms or len(name) < _MIN_CHARS:
        return
    ranked = snapshot.chunks.lexical({terms[0]: 1.0}, limit=_MAX_CHUNKS)
    if len(ranked.positions) >= _MAX_CHUNKS:
        return
    languages = snapshot.chunks.column("language")
    code = [int(p) for p in ranked.positions if not spec_of(languages[int(p)]).document]
    word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    for chunk in snapshot.chunks.get(code):
        for number, line in enumerate(chunk.lines(), chunk.start_line):
            if word.search(line):
                yield Mention(name, chunk.path, number), line
