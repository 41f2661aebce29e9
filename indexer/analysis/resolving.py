"""Files resolved in a worker process, from a table that it shares with the process that writes (`graph.build.shared`).

Resolving is where an index of a large repository spends its time, and it is pure Python: only processes side by side
make it take less. Each has caches of its own, so that what several files ask for is worked out once in each process.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from sightline.graph.build.outcomes import Outcome, Outcomes
from sightline.graph.build.shared import Shared, opened
from sightline.indexer.analysis.said import ToResolve
from sightline.indexer.analysis.vectors import embed_relationships
from sightline.memory import give_back, is_crowded
from sightline.types import Relationship

if TYPE_CHECKING:
    from sightline.embed import Embedder

_GROUPS_PER_WORKER = 8  # at least, so that all end at about the same time
_GROUP_FILES = 64  # neighbours ask for the same things, so that large groups take less time altogether
_GROUP_BYTES = 250_000  # of encoded facts; what they state waits in memory and is up to fifty times that
_COLUMNS = tuple(field.name for field in fields(Relationship))
_row = attrgetter(*_COLUMNS)


class Resolving:
    """Answers what comes from one shared table after the other."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder
        self._shared: Shared | None = None
        self._outcomes: Outcomes | None = None

    def answer(self, asked: ToResolve) -> list[tuple[Any, ...]]:
        """The outcomes of files, with plain rows for relationships: they are pickled in a fifth of the time."""
        outcomes = self._over(asked)
        answers = []
        for path in asked.paths:
            outcome = outcomes.of(path)
            embedded = embed_relationships(outcome.relationships, self._embedder, short=True)
            rows = list(map(_row, outcome.relationships))
            answers.append(tuple(outcome._replace(relationships=rows, embedded=embedded)))  # type: ignore[arg-type]
        return answers

    def _over(self, asked: ToResolve) -> Outcomes:
        if self._outcomes is None or self._shared != asked.shared:
            give_back()  # what parsing has left
            others = [pid for pid in asked.beside if pid != os.getpid()]
            table = opened(asked.shared, asked.room)
            self._outcomes = Outcomes(table, asked.room, asked.kept, lambda: is_crowded(asked.memory_mb, others))
            self._shared = asked.shared
        return self._outcomes


def outcomes_of(answer: Sequence[Sequence[Any]]) -> Iterator[Outcome]:
    """What a worker process answered."""
    for path, rows, *rest in answer:
        yield Outcome(path, [Relationship(*row) for row in rows], *rest)


def groups(costs: Sequence[tuple[str, int]], workers: int) -> Iterator[list[str]]:
    """Files that are resolved together, in their order. `costs` has the encoded bytes of each."""
    most = min(_GROUP_FILES, max(1, len(costs) // (workers * _GROUPS_PER_WORKER)))
    group: list[str] = []
    size = 0
    for path, cost in costs:
        if group and (len(group) == most or size + cost > _GROUP_BYTES):
            yield group
            group, size = [], 0
        group.append(path)
        size += cost
    if group:
        yield group
