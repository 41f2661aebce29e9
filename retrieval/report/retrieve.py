"""Source before everything else.

Tests, documents, examples and generated files say a report's words more often than the code that it is about. So they
are kept out of the lanes and come behind, unless the report's title asks for them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from sightline.retrieval import lanes
from sightline.retrieval.filters import Allowed, Decided, PathFilter
from sightline.retrieval.lanes import Retrieved
from sightline.retrieval.paths import facts_of
from sightline.retrieval.pool import Task
from sightline.retrieval.query import Analysis
from sightline.types import Filters, Query

if TYPE_CHECKING:
    from sightline.embed import Embedder
    from sightline.store import Snapshot

BEHIND_DEPTH = 40  # chunks looked up that are no source
_KEY = "report.source"
_KEPT_FILTERS = 16

_Wanted = tuple[bool, bool, bool]


class _Source(PathFilter):
    """The paths that a filter allows and that are source, or what else is asked for."""

    def __init__(self, filters: Filters, wanted: _Wanted) -> None:
        super().__init__(filters.file_filter, filters.exclude_filter)
        self._tests, self._documents, self._examples = wanted

    def __bool__(self) -> bool:
        return True

    def allows(self, path: str) -> bool:
        """True for source that passes."""
        facts = facts_of(path)
        behind = (
            (facts.is_test and not self._tests)
            or ((facts.is_document or facts.in_documents) and not self._documents)
            or (facts.is_example and not self._examples)
            or facts.is_generated
        )
        return not behind and super().allows(path)


def source_only(snapshot: Snapshot, filters: Filters, analysis: Analysis) -> Allowed:
    """Which rows are source; remembered, since an agent asks several questions of one snapshot."""
    wanted = (analysis.wants_tests, analysis.wants_docs, analysis.wants_examples)
    kept = snapshot.chunks.once(_KEY, dict[object, Decided])
    named = (filters.file_filter, filters.exclude_filter, tuple(sorted(filters.metadata.items())), wanted)
    found = kept.get(named)
    if found is None:
        if len(kept) >= _KEPT_FILTERS:
            kept.clear()
        found = kept[named] = Decided()
    metadata = {key.strip().lower(): str(value).strip().lower() for key, value in filters.metadata.items()}
    return Allowed(snapshot, _Source(filters, wanted), metadata, found)


def retrieve(
    snapshot: Snapshot, query: Query, analysis: Analysis, allowed: Allowed, embedder: Embedder | None
) -> Retrieved:
    """Run the lanes over the source, without relationships, which say little of what is wrong; then what is behind."""
    lean = replace(query, relationship_limit=0, rerank=False)  # what only the re-ranking of questions needs is left out
    source = source_only(snapshot, query.filters, analysis)
    retrieved = lanes.retrieve(snapshot, lean, analysis, source, embedder)
    if "chunk" in query.types:
        _add_behind(snapshot, retrieved, analysis, allowed)
    return retrieved


def _add_behind(snapshot: Snapshot, retrieved: Retrieved, analysis: Analysis, allowed: Allowed) -> None:
    """Add the best chunks that are no source, at most as good as the best that is."""
    lane = retrieved.lanes["chunk"]
    best = max(lane.bm25.values(), default=0.0)
    looking = Task(partial(lanes.by_words, snapshot, "chunk", analysis, allowed, BEHIND_DEPTH))
    looking.run()
    if looking.error is not None:
        retrieved.warnings.append(f"tests and documents were not searched: {looking.error}")
        return
    ranked = looking.result()
    for position, score in zip(ranked.positions.tolist(), ranked.scores.tolist(), strict=True):
        if position not in lane.bm25:
            lane.bm25[position] = min(score, best) if best else score
