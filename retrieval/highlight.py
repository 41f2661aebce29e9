"""Where in the shown text the query matches: exact character spans.

A span covers a sub-word (`authenticate` inside `authenticateUser`), a whole identifier when the query names it, or
a whole word of prose. Spans are half-open `[start, end)`, sorted, and never overlap.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from sightline.retrieval.query import Analysis, variants
from sightline.tokens import SUBWORD, stem, subwords

MAX_SPANS = 100  # per hit: enough for any display, bounded for a chunk that repeats one word
MAX_TEXT_CHARS = 100_000  # a chunk is far shorter; guards against a file that is one line

_IDENTIFIER = re.compile(r"[^\W_]+(?:_+[^\W_]+)*", re.UNICODE)
_MIN_BEGINNING = 3  # endings are taken off longer words only

Span = tuple[int, int]


class Highlighter:
    """Finds the matches of one query; remembers identifiers, because code repeats them."""

    def __init__(self, analysis: Analysis) -> None:
        self._wholes = {term for term, boost in analysis.terms.items() if boost >= 1.0}
        self._forms = set(analysis.words) | {stem(word) for word in analysis.words}
        if analysis.kind == "natural":
            self._forms.update(variant for word in analysis.words for variant in variants(word))
        self._beginnings = _beginnings(analysis, self._forms, self._wholes)
        self._spans: dict[str, tuple[Span, ...]] = {}  # of identifiers seen before

    def spans(self, text: str) -> tuple[Span, ...]:
        """Return the spans of `text` that match the query."""
        found: list[Span] = []
        for start, end in self._likely(text[:MAX_TEXT_CHARS]):
            identifier = text[start:end]
            inside = self._spans.get(identifier)
            if inside is None:
                inside = self._spans[identifier] = self._inside(identifier)
            found += [(start + first, start + last) for first, last in inside]
            if len(found) >= MAX_SPANS:
                break
        return tuple(joined_up(text, found[:MAX_SPANS]))

    def _likely(self, text: str) -> Iterator[Span]:
        """The identifiers that have the beginning of a wanted word in them, in order: most have none.

        Looking for the beginnings and then for what is around them takes half the time of parting the text.
        """
        lowered = text.lower()
        if len(lowered) != len(text) or "Σ" in text:  # letters whose lower case is longer, or depends on the next word
            yield from (match.span() for match in _IDENTIFIER.finditer(text))
            return
        end = 0
        for place in sorted(place for beginning in self._beginnings for place in _places(lowered, beginning)):
            if place >= end:
                start = place
                while start > end and (lowered[start - 1].isalnum() or lowered[start - 1] == "_"):
                    start -= 1
                around = _IDENTIFIER.search(text, start)
                if around is not None:
                    end = around.end()
                    yield around.span()

    def _inside(self, identifier: str) -> tuple[Span, ...]:
        if identifier.replace("_", "").lower() in self._wholes:
            return ((0, len(identifier)),)
        found = []
        for match in SUBWORD.finditer(identifier):
            word = match.group().lower()
            if word in self._forms or stem(word) in self._forms:
                found.append(match.span())
        return tuple(found)


def _beginnings(analysis: Analysis, forms: Iterable[str], wholes: Collection[str]) -> list[str]:
    """What every matching identifier has in it: a form without its last letter, which its ending may replace.

    An identifier that is named as a whole has all of its words in it, even if none is looked for by itself: the longest
    is enough to find it. A report has hundreds of other words, most of which stand in any text.
    """
    named = _longest_words((*_IDENTIFIER.findall(analysis.text), *analysis.symbols), wholes)
    shortest: list[str] = []
    for beginning in sorted({form[: max(_MIN_BEGINNING, len(form) - 1)] for form in (*forms, *named)}):
        if not shortest or not beginning.startswith(shortest[-1]):
            shortest.append(beginning)
    return shortest


def _longest_words(identifiers: Iterable[str], wholes: Collection[str]) -> Iterator[str]:
    for identifier in dict.fromkeys(identifiers):
        if identifier.replace("_", "").lower() in wholes and (parts := subwords(identifier)):
            yield max(parts, key=len)


def _places(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + len(part))


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
