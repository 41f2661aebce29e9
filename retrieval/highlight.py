"""Where in the shown text the query matches: exact character spans.

A span covers a sub-word (`authenticate` inside `authenticateUser`), a whole identifier when the query names it, or
a whole word of prose. Spans are half-open `[start, end)`, sorted, and never overlap.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from sightline.retrieval.query import Analysis, variants
from sightline.tokens import stem

MAX_SPANS = 100  # per hit: enough for any display, bounded for a chunk that repeats one word
MAX_TEXT_CHARS = 100_000  # a chunk is far shorter; guards against a file that is one line
_START_CHARS = 3  # forms of one word share at least these

_IDENTIFIER = re.compile(r"[^\W_]+(?:_+[^\W_]+)*", re.UNICODE)
_SUBWORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|[0-9]+|[^\W\d_]+", re.UNICODE)


class Highlighter:
    """Finds the matches of one query; remembers identifiers, because code repeats them."""

    def __init__(self, analysis: Analysis) -> None:
        self._wholes = {term for term, boost in analysis.terms.items() if boost >= 1.0}
        self._forms = set(analysis.words) | {stem(word) for word in analysis.words}
        if analysis.kind == "natural":
            self._forms.update(variant for word in analysis.words for variant in variants(word))
        self._starts = {form[:_START_CHARS] for form in self._forms}
        self._known: dict[str, tuple[tuple[int, int], ...]] = {}  # identifier → spans within it

    def spans(self, text: str) -> tuple[tuple[int, int], ...]:
        """Return the spans of `text` that match the query."""
        found: list[tuple[int, int]] = []
        known = self._known
        for match in _IDENTIFIER.finditer(text, 0, min(len(text), MAX_TEXT_CHARS)):
            identifier = match.group()
            inside = known.get(identifier)
            if inside is None:
                inside = known[identifier] = self._inside(identifier)
            if inside:
                offset = match.start()
                found += [(offset + start, offset + end) for start, end in inside]
                if len(found) >= MAX_SPANS:
                    break
        return tuple(joined_up(text, found[:MAX_SPANS]))

    def _inside(self, identifier: str) -> tuple[tuple[int, int], ...]:
        if identifier.replace("_", "").lower() in self._wholes:
            return ((0, len(identifier)),)
        return tuple(word.span() for word in _SUBWORD.finditer(identifier) if self._matches(word.group().lower()))

    def _matches(self, word: str) -> bool:
        return word[:_START_CHARS] in self._starts and (word in self._forms or stem(word) in self._forms)


def highlight(text: str, analysis: Analysis) -> tuple[tuple[int, int], ...]:
    """Return the spans of one text that match a query."""
    return Highlighter(analysis).spans(text)


def joined_up(text: str, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Merge spans that touch or are parted by underscores only: `parse_url` is one mark, not two."""
    out: list[tuple[int, int]] = []
    for start, end in spans:
        if out and text[out[-1][1] : start].strip("_") == "" and start - out[-1][1] <= 2:
            out[-1] = (out[-1][0], end)
        else:
            out.append((start, end))
    return out
