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

_IDENTIFIER = re.compile(r"[^\W_]+(?:_+[^\W_]+)*", re.UNICODE)
_SUBWORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|[0-9]+|[^\W\d_]+", re.UNICODE)


def highlight(text: str, analysis: Analysis) -> tuple[tuple[int, int], ...]:
    """Return the spans of `text` that match the query."""
    wholes = {term for term, boost in analysis.terms.items() if boost >= 1.0}
    forms = set(analysis.words) | {stem(word) for word in analysis.words}
    if analysis.kind == "natural":
        forms.update(variant for word in analysis.words for variant in variants(word))
    spans: list[tuple[int, int]] = []
    for match in _IDENTIFIER.finditer(text, 0, min(len(text), MAX_TEXT_CHARS)):
        identifier = match.group()
        joined = identifier.replace("_", "").lower()
        if joined in wholes:
            spans.append(match.span())
        else:
            offset = match.start()
            for word in _SUBWORD.finditer(identifier):
                lowered = word.group().lower()
                if lowered in forms or stem(lowered) in forms:
                    spans.append((offset + word.start(), offset + word.end()))
        if len(spans) >= MAX_SPANS:
            break
    return tuple(joined_up(text, spans[:MAX_SPANS]))


def joined_up(text: str, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Merge spans that touch or are parted by underscores only: `parse_url` is one mark, not two."""
    out: list[tuple[int, int]] = []
    for start, end in spans:
        if out and text[out[-1][1] : start].strip("_") == "" and start - out[-1][1] <= 2:
            out[-1] = (out[-1][0], end)
        else:
            out.append((start, end))
    return out
