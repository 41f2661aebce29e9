"""Where in the shown text the query matches: exact character spans.

A span covers a sub-word (`authenticate` inside `authenticateUser`), a whole identifier when the query names it, or
a whole word of prose. Spans are half-open `[start, end)`, sorted, and never overlap.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import accumulate

from sightline.retrieval.query import Analysis, variants
from sightline.tokens import stem

MAX_SPANS = 100  # per hit: enough for any display, bounded for a chunk that repeats one word
MAX_TEXT_CHARS = 100_000  # a chunk is far shorter; guards against a file that is one line

_IDENTIFIER = re.compile(r"([^\W_]+(?:_+[^\W_]+)*)", re.UNICODE)
_SUBWORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|[0-9]+|[^\W\d_]+", re.UNICODE)
_KEPT_IDENTIFIERS = 50_000  # cut up and remembered over all searches: about 25 MB

Span = tuple[int, int]


class Highlighter:
    """Finds the matches of one query; remembers identifiers, because code repeats them."""

    def __init__(self, analysis: Analysis) -> None:
        self._wholes = {term for term, boost in analysis.terms.items() if boost >= 1.0}
        self._forms = set(analysis.words) | {stem(word) for word in analysis.words}
        if analysis.kind == "natural":
            self._forms.update(variant for word in analysis.words for variant in variants(word))
        self._telling = self._wholes | self._forms
        self._known = _Known(self._inside)

    def spans(self, text: str) -> tuple[Span, ...]:
        """Return the spans of `text` that match the query."""
        # What lies between identifiers and the identifiers, by turns: splitting is three times faster than iterating
        # over matches, and most identifiers match nothing, so that offsets are worked out only where one does.
        parts = _IDENTIFIER.split(text if len(text) <= MAX_TEXT_CHARS else text[:MAX_TEXT_CHARS])
        known = self._known
        matching = [(n, inside) for n, inside in enumerate([known[part] for part in parts[1::2]]) if inside]
        if not matching:
            return ()
        ends = list(accumulate(map(len, parts)))
        found = [
            (ends[2 * n] + start, ends[2 * n] + end) for n, inside in matching[:MAX_SPANS] for start, end in inside
        ]
        return tuple(joined_up(text, found[:MAX_SPANS]))

    def _inside(self, identifier: str) -> tuple[Span, ...]:
        joined, words, says = _cut(identifier)
        if says.isdisjoint(self._telling):
            return ()
        if joined in self._wholes:
            return ((0, len(identifier)),)
        forms = self._forms
        return tuple([(start, end) for word, root, start, end in words if word in forms or root in forms])


class _Known(dict[str, tuple[Span, ...]]):
    """Identifier → the spans within it."""

    def __init__(self, find: Callable[[str], tuple[Span, ...]]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, identifier: str) -> tuple[Span, ...]:
        found = self[identifier] = self._find(identifier)
        return found


@lru_cache(maxsize=_KEPT_IDENTIFIERS)
def _cut(identifier: str) -> tuple[str, tuple[tuple[str, str, int, int], ...], frozenset[str]]:
    """An identifier as one word; its sub-words, each with its stem, start and end; and all that it says."""
    joined = identifier.replace("_", "").lower()
    spans = [(match.group().lower(), *match.span()) for match in _SUBWORD.finditer(identifier)]
    words = tuple([(word, stem(word), start, end) for word, start, end in spans])
    return joined, words, frozenset([joined, *(form for word, root, _, _ in words for form in (word, root))])


def highlight(text: str, analysis: Analysis) -> tuple[Span, ...]:
    """Return the spans of one text that match a query."""
    return Highlighter(analysis).spans(text)


def joined_up(text: str, spans: Iterable[Span]) -> list[Span]:
    """Merge spans that touch or are parted by underscores only: `parse_url` is one mark, not two."""
    out: list[Span] = []
    for start, end in spans:
        if out and text[out[-1][1] : start].strip("_") == "" and start - out[-1][1] <= 2:
            out[-1] = (out[-1][0], end)
        else:
            out.append((start, end))
    return out
