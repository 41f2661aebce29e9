"""How much of a report a function's own lines say: a chunk may hold several functions, and BM25 knows chunks only.

The one part of the ranking that reads text: of the best chunks only.
"""

from __future__ import annotations

import math

from sightline.retrieval.report.units import Units
from sightline.tokens import tokenize

MAX_CHUNKS = 60  # whose text is read, best first


def covered(units: Units) -> dict[int, float]:
    """Function → the sum of what the words are worth that its lines in the best chunks have."""
    chunks, objects = units.snapshot.chunks, units.snapshot.objects
    found = units.retrieved.lanes["chunk"].bm25
    best = [chunk for chunk in sorted(found, key=lambda chunk: -found[chunk]) if units.held_by[chunk]][:MAX_CHUNKS]
    worth = {
        term: boost * math.log(1 + chunks.size / max(1, chunks.frequency(term)))
        for term, boost in units.analysis.terms.items()
    }
    had: dict[int, set[str]] = {}
    for chunk, record in zip(best, chunks.get(best), strict=True):
        lines = record.text.split("\n")
        for position in units.held_by[chunk]:
            first = max(0, int(objects.start_line[position]) - record.start_line)
            last = int(objects.end_line[position]) - record.start_line
            terms = tokenize("\n".join(lines[first : last + 1]))
            had.setdefault(position, set()).update(worth.keys() & set(terms))
    return {position: sum(worth[term] for term in terms) for position, terms in had.items()}
