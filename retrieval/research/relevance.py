"""How much functions are about a question: by search, by the words of their names, and by meaning.

Search spreads its hits over files, so of the functions that work together it names one. The others are found here:
those of the best files and those that call or are called by a hit are weighed too.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sightline.graph.build.tested import is_test_file
from sightline.graph.read.walk import object_at
from sightline.retrieval.query import analyse
from sightline.retrieval.research.evidence import CALLS, Graph
from sightline.store.schema import shortened
from sightline.tokens import stem, subwords
from sightline.types import Hit, Object

if TYPE_CHECKING:
    from sightline.retrieval.research.pieces import Draft
    from sightline.types import Vector

FUNCTIONS = frozenset({"function", "method", "constructor", "macro"})
_BY_SEARCH, _BY_NAME, _BY_MEANING = 0.45, 0.4, 0.3  # what each adds at most
_NAMED = 1.3  # what the question names, more than anything that is only found
_SAME_FILE = 0.4  # of a hit's score for the other functions of its file, which search leaves out
_NEAR_HITS = 8  # whose callers and callees are weighed
_FILES = 3  # whose functions are all weighed
_MAX_WEIGHED = 500
_MIN_PREFIX = 4  # letters in which two forms of a word must agree
_MAX_NEIGHBOURS = 30  # of one hit: a helper that everything calls says nothing
_TESTED = re.compile(r"(?:^|\.)tests?\.")


@dataclass(frozen=True, slots=True)
class Asked:
    """What functions are compared with: a question, or one end of it."""

    text: str
    vector: Vector | None

    @property
    def words(self) -> frozenset[str]:
        """The words that it is about, without their endings."""
        return frozenset(stem(word) for word in analyse(self.text).words)


def relevance(draft: Draft, asked: Asked, hits: Sequence[Hit], named: Iterable[int] = ()) -> dict[int, float]:
    """Functions that may matter to a question, each with how much, 0 to about 1; what the question names has more."""
    found = _by_search(draft, hits)
    pool = _pool(draft, found, hits)
    weights = weigh(draft, asked, pool)
    files: dict[str, float] = {}
    for position, score in found.items():
        files[draft.graph.path(position)] = max(files.get(draft.graph.path(position), 0.0), _SAME_FILE * score)
    for position in pool:
        score = max(found.get(position, 0.0), files.get(draft.graph.path(position), 0.0))
        weights[position] += _BY_SEARCH * score
    weights.update(dict.fromkeys(named, _NAMED))
    return weights


def weigh(draft: Draft, asked: Asked, positions: Sequence[int]) -> dict[int, float]:
    """How much functions are about a question by their names and by meaning."""
    by_name = _by_name(draft, asked.words, positions)
    by_meaning = _by_meaning(draft, positions, asked.vector)
    return {p: _BY_NAME * by_name[p] + _BY_MEANING * by_meaning.get(p, 0.0) for p in positions}


def shared(words: Collection[str], said: Collection[str]) -> set[str]:
    """The words that are said, in another form too: `watch` by `watcher`."""
    exact = set(words) & set(said)
    longer = [word for word in said if len(word) >= _MIN_PREFIX]
    alike = {
        word
        for word in words
        if len(word) >= _MIN_PREFIX and any(other.startswith(word) or word.startswith(other) for other in longer)
    }
    return exact | alike


def said_by(draft: Draft, positions: Iterable[int]) -> frozenset[str]:
    """The words that names say, without their endings."""
    return frozenset(stem(word) for position in positions for word in subwords(draft.graph.names[position]))


def _by_search(draft: Draft, hits: Sequence[Hit]) -> dict[int, float]:
    """The functions that hits are or lie in, each with its score in proportion to the best."""
    graph, best = draft.graph, max((hit.score for hit in hits), default=1.0) or 1.0
    found: dict[int, float] = {}
    for hit in hits:
        if isinstance(hit.item, Object):
            position = graph.objects.position(hit.item.entity_id)
        else:
            position = object_at(graph.snapshot, hit.path, (hit.start_line + hit.end_line) // 2)
        if position is not None and _counts(draft, position):
            found[position] = max(found.get(position, 0.0), hit.score / best)
    return found


def is_step(graph: Graph, position: int) -> bool:
    """Can an object be a step of a chain: a function, and none of a test, which may stand in the file it tests?"""
    if graph.kinds[position] not in FUNCTIONS or is_test_file(graph.path(position)):
        return False
    return _TESTED.search(graph.names[position]) is None


def bodies(graph: Graph, positions: Iterable[int]) -> list[int]:
    """Of overloads that are only declared the one with a body."""
    found: dict[tuple[str, str], int] = {}
    for position in sorted(positions, key=lambda p: int(graph.objects.end_line[p]) - graph.line(p)):
        found[graph.path(position), graph.names[position]] = position
    return list(found.values())


def _counts(draft: Draft, position: int) -> bool:
    return is_step(draft.graph, position) and draft.scope.given.allows(draft.graph.path(position))


def _pool(draft: Draft, found: Mapping[int, float], hits: Sequence[Hit]) -> list[int]:
    graph = draft.graph
    best = sorted(found, key=lambda p: -found[p])
    pool = dict.fromkeys(best)
    for position in best[:_NEAR_HITS]:
        for direction in ("in", "out"):
            rows = [(row, far) for row, _, far in graph.rows(graph.with_constructors(position), direction, CALLS)]
            if len(rows) <= _MAX_NEIGHBOURS:
                pool.update((far, None) for row, far in rows if graph.is_proven(row))
    for path in list(dict.fromkeys(hit.path for hit in hits if not is_test_file(hit.path)))[:_FILES]:
        pool.update(dict.fromkeys(graph.objects.positions_of_path(path).tolist()))
    return [position for position in pool if _counts(draft, position)][:_MAX_WEIGHED]


def _by_name(draft: Draft, words: Collection[str], pool: Sequence[int]) -> dict[int, float]:
    """The share of the question's words that a name says; words that many names say count less."""
    names = {position: shared(words, said_by(draft, [position])) for position in pool}
    common = Counter(word for own in names.values() for word in own)
    worth = {word: math.log(1 + len(pool) / (1 + number)) for word, number in common.items()}
    total = sum(sorted(worth.values(), reverse=True)[:4]) or 1.0
    return {p: min(1.0, sum(worth[word] for word in own) / total) for p, own in names.items()}


def _by_meaning(draft: Draft, pool: Sequence[int], vector: Vector | None) -> dict[int, float]:
    if vector is None or not pool:
        return {}
    vectors = draft.graph.objects.vectors(np.array(pool, np.int64))
    near = np.vecdot(vectors, shortened(vector, vectors.shape[1])).tolist()
    top = max(max(near), 0.01)
    return {position: max(0.0, value / top) for position, value in zip(pool, near, strict=True)}
