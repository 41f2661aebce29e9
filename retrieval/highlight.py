"""Where in the shown text the query matches: exact character spans.

A span covers a sub-word (`authenticate` inside `authenticateUser`), a whole identifier when the query names it, or
a whole word of prose. Spans are half-open `[start, end)`, sorted, and never overlap.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import accumulate

from sightline.retrieval.query import Analysis, variants
from sightline.tokens import stem, subwords

MAX_SPANS = 100  # per hit: enough for any display, bounded for a chunk that repeats one word
MAX_TEXT_CHARS = 100_000  # a chunk is far shorter; guards against a file that is one line

_IDENTIFIER = re.compile(r"([^\W_]+(?:_+[^\W_]+)*)", re.UNICODE)
_SUBWORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|[0-9]+|[^\W\d_]+", re.UNICODE)
_KEPT_TEXTS = 500  # taken apart and remembered: about 8 MB, less than a tenth of a millisecond a page if all are known
_MIN_BEGINNING = 3  # endings are taken off longer words only

Span = tuple[int, int]


class Highlighter:
    """Finds the matches of one query; remembers identifiers, because code repeats them."""

    def __init__(self, analysis: Analysis) -> None:
        self._wholes = {term for term, boost in analysis.terms.items() if boost >= 1.0}
        self._forms = set(analysis.words) | {stem(word) for word in analysis.words}
        if analysis.kind == "natural":
            self._forms.update(variant for word in analysis.words for variant in variants(word))
        self._beginnings = _beginnings(analysis, self._forms)
        self._seen: set[str] = set()
        self._spans: dict[str, tuple[Span, ...]] = {}  # of the identifiers that match

    def spans(self, text: str) -> tuple[Span, ...]:
        """Return the spans of `text` that match the query."""
        identifiers, distinct, starts = _split(text)
        fresh = distinct - self._seen
        self._seen |= fresh
        known = self._spans
        for identifier in self._likely(fresh):
            inside = self._inside(identifier)
            if inside:
                known[identifier] = inside
        matching = [n for n, identifier in enumerate(identifiers) if identifier in known][:MAX_SPANS]
        if not matching:
            return ()
        found = [(starts[n] + start, starts[n] + end) for n in matching for start, end in known[identifiers[n]]]
        return tuple(joined_up(text, found[:MAX_SPANS]))

    def _likely(self, identifiers: Iterable[str]) -> Iterable[str]:
        """Those that have the beginning of a wanted word in them: most have none, and finding out takes no loop."""
        listed = "\n".join(identifiers) + "\n"
        lowered = listed.lower()
        if len(lowered) != len(listed):  # a letter whose lower case is longer: places would not fit
            return listed.split()
        likely: set[str] = set()
        for beginning in self._beginnings:
            at = lowered.find(beginning)
            while at >= 0:
                end = lowered.index("\n", at)
                likely.add(listed[lowered.rfind("\n", 0, at) + 1 : end])
                at = lowered.find(beginning, end)
        return likely

    def _inside(self, identifier: str) -> tuple[Span, ...]:
        if identifier.replace("_", "").lower() in self._wholes:
            return ((0, len(identifier)),)
        found = []
        for match in _SUBWORD.finditer(identifier):
            word = match.group().lower()
            if word in self._forms or stem(word) in self._forms:
                found.append(match.span())
        return tuple(found)


def _beginnings(analysis: Analysis, forms: Iterable[str]) -> list[str]:
    """What every matching identifier has in it: a form without its last letter, which its ending may replace.

    An identifier that is named as a whole has one of its words in it, even if none is looked for by itself.
    """
    named = (word for part in _IDENTIFIER.findall(analysis.text) for word in subwords(part))
    shortest: list[str] = []
    for beginning in sorted({form[: max(_MIN_BEGINNING, len(form) - 1)] for form in (*forms, *named)}):
        if not shortest or not beginning.startswith(shortest[-1]):
            shortest.append(beginning)
    return shortest


@lru_cache(maxsize=_KEPT_TEXTS)
def _split(text: str) -> tuple[list[str], frozenset[str], list[int]]:
    """The identifiers of a text in order, the distinct ones, and where each begins.

    Splitting gives what lies between identifiers and the identifiers by turns; it is three times faster than iterating
    over matches.
    """
    parts = _IDENTIFIER.split(text if len(text) <= MAX_TEXT_CHARS else text[:MAX_TEXT_CHARS])
    identifiers = parts[1::2]
    return identifiers, frozenset(identifiers), list(accumulate(map(len, parts)))[::2]


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
