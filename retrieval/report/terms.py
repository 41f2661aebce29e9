"""A report → what the lanes look for: its words, each weighed by where it stands, and the text that is embedded."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING

from sightline.retrieval.query import MAX_TERMS, Analysis, analyse
from sightline.retrieval.report.reading import Report
from sightline.tokens import tokenize

if TYPE_CHECKING:
    from sightline.store import Snapshot

MAX_REPORT_TERMS = 64  # looked up by BM25: more cost time and find nothing better
_LOOKED_AT = 400  # terms whose rarity is asked for, the best placed ones
_COMMON = 0.25  # of all chunks: a term that more have tells nothing
_FEW = 20  # chunks: in a small index no word is common
_MOST_OFTEN = 3.0  # what saying a word again and again can make of it
_NAME = 1.3  # a term that is a whole name of code
_TITLE, _ERROR, _PROSE, _CODE, _OUTPUT = 1.0, 0.6, 0.45, 0.25, 0.15  # what a term is worth by where it stands
_EMBEDDED_CHARS = 1_500  # of the title, twice, and the prose
# A title that says "test" mostly tells how the fault was met, as every other one of a test framework does.
_ASKS_FOR_TESTS = re.compile(
    r"\b(?:add|write|missing|more|flaky)\b(?: [\w-]+){0,2} tests?\b|\btests? (?:for|of|coverage)\b", re.IGNORECASE
)


def analysis_of(snapshot: Snapshot, report: Report) -> Analysis:
    """What the lanes shall look for."""
    title = analyse(report.title)
    return Analysis(
        text=embedded_text(report),
        kind="natural",
        terms=terms_of(snapshot, report),
        words=title.words,
        symbols=tuple(report.names)[:MAX_TERMS],
        qualifiers=(),
        phrases=(),
        wants_tests=_ASKS_FOR_TESTS.search(report.title) is not None,
        wants_docs=title.wants_docs,
        wants_examples=title.wants_examples,
        wants_copies=title.wants_copies,
        wants_relationships=False,
    )


def embedded_text(report: Report) -> str:
    """The text that the report's meaning is taken from: what a person says of it, the title twice."""
    said = f"{report.title}\n{report.title}\n{report.prose}"
    return " ".join(said[:_EMBEDDED_CHARS].split())


def terms_of(snapshot: Snapshot, report: Report) -> dict[str, float]:
    """The words to look up, the most telling of them: said often and in the right place, and rare in this index."""
    chunks = snapshot.chunks
    worth = _worths(report)
    likely = sorted(worth, key=lambda term: -worth[term])[:_LOOKED_AT]
    counts = {term: chunks.frequency(term) for term in likely}
    telling = {
        term: worth[term] * math.log(1 + chunks.size / count)
        for term, count in counts.items()
        if 0 < count < max(_FEW, chunks.size * _COMMON)
    }
    chosen = sorted(telling, key=lambda term: -telling[term])[:MAX_REPORT_TERMS]
    return {term: worth[term] for term in chosen}


def _worths(report: Report) -> dict[str, float]:
    worth: dict[str, float] = {}
    for weight, text in (
        (_TITLE, report.title),
        (_ERROR, " ".join(report.errors)),
        (_PROSE, report.prose),
        (_CODE, report.code),
        (_OUTPUT, report.output),
    ):
        for term, count in Counter(tokenize(text)).items():
            if len(term) > 1:
                worth[term] = worth.get(term, 0.0) + weight * min(_MOST_OFTEN, math.sqrt(count))
    for name in report.names:
        term = name.replace("_", "").lower()
        if term in worth:
            worth[term] *= _NAME
    return worth
