"""Which source an open answer shows: the functions that matter most, and of a long one the lines that decide.

Those are lines that say the question's words, branch, or make a step of the chain; documentation is left to who asks
for it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sightline.graph.build.tested import is_test_file
from sightline.graph.read.spoken import documentation
from sightline.graph.read.walk import object_at
from sightline.retrieval.research.model import Line
from sightline.retrieval.research.relevance import FUNCTIONS, Asked, shared
from sightline.retrieval.research.wording import is_comment
from sightline.tokens import stem, subwords
from sightline.types import Chunk, Hit, Object

if TYPE_CHECKING:
    from sightline.retrieval.research.pieces import Draft

_LINES, _HEAD_LINES = 18, 2  # of one place: its head and what decides
_NO_FUNCTION = 0.6  # of a hit's score where it is no function
TRIVIAL_LINES, SMALLER = 4, 0.7  # a function of so few lines decides nothing, and counts less
_AT_LEAST = 3  # functions that are considered, whatever number of hits there is
_MAX_LINES = 1_000  # of a function that is read
_WORD, _BRANCH, _MARK = 1.0, 0.6, 0.2  # what a line is worth for each
_RARE = 3  # what a word is worth that one line of a place says; of one that more say each counts less
_BRANCHING = re.compile(
    r"\b(?:if|elif|else|case|match|switch|when|unless|guard|where|otherwise|cond)\b|\?\s.+:|\?\?|=>|->|^\s*\|\s"
)


@dataclass(frozen=True, slots=True)
class Spot:
    """A place whose source is worth showing."""

    path: str
    start: int
    end: int
    name: str
    weight: float
    marked: Counter[int]  # lines that match, and how often
    function: bool = False

    @property
    def heading(self) -> str:
        """`path:3-9  name`."""
        return f"{self.path}:{self.start}-{self.end}  {self.name}".rstrip()


class Focus:
    """Chooses places and lines for one question; `steps` are lines of its chain, by file, with what each is worth."""

    def __init__(self, draft: Draft, asked: Asked, steps: Mapping[str, Mapping[int, float]]) -> None:
        self._draft, self._words, self._steps = draft, asked.words, steps

    def best(self, hits: Sequence[Hit], weights: Mapping[int, float]) -> list[Spot]:
        """Places, the most telling first: functions by how much they matter, other hits by their score."""
        graph = self._draft.graph
        spots: dict[tuple[str, int], Spot] = {}
        top = hits[0].score if hits else 1.0
        for hit in hits:
            spot = self._of_hit(hit, weights, top)
            spots.setdefault((spot.path, spot.start), spot)
        for position in sorted(weights, key=lambda p: -weights[p])[: max(len(hits), _AT_LEAST)]:
            path, start = graph.path(position), graph.line(position)
            spots.setdefault((path, start), self._of_function(position, weights[position], Counter()))
        return sorted(spots.values(), key=lambda spot: -spot.weight)

    def place(self, hit: Hit) -> tuple[str, int]:
        """Where the source of a hit begins."""
        spot = self._of_hit(hit, {}, 1.0)
        return spot.path, spot.start

    def _of_hit(self, hit: Hit, weights: Mapping[int, float], top: float) -> Spot:
        graph = self._draft.graph
        if isinstance(hit.item, Object):
            position = graph.objects.position(hit.item.entity_id)
        else:
            position = object_at(graph.snapshot, hit.path, (hit.start_line + hit.end_line) // 2)
        if position is not None and graph.kinds[position] in FUNCTIONS:
            weight = weights.get(position, _NO_FUNCTION * hit.score / top if not is_test_file(hit.path) else 0.0)
            return self._of_function(position, weight, _marked(hit))
        name = hit.item.qualified_name if isinstance(hit.item, Object) else ""
        name = hit.item.symbol if isinstance(hit.item, Chunk) else name
        return Spot(hit.path, hit.start_line, hit.end_line, name, _NO_FUNCTION * hit.score / top, _marked(hit))

    def _of_function(self, position: int, weight: float, marked: Counter[int]) -> Spot:
        graph = self._draft.graph
        start, end = graph.line(position), int(graph.objects.end_line[position])
        weight *= SMALLER if end - start < TRIVIAL_LINES else 1.0
        return Spot(graph.path(position), start, end, graph.names[position], weight, marked, function=True)

    def point(self, spot: Spot) -> list[Line]:
        """A place whole if it is small, else its head and the lines that decide."""
        source, start, end = self._draft.source, spot.start, spot.end
        if end - start < _LINES + _HEAD_LINES:
            return source.excerpt(spot.path, start, end)
        lines = dict(source.lines(spot.path, start, min(end, start + _MAX_LINES)))
        body = max(start + _HEAD_LINES, start + documentation(list(lines.values())).stop)
        first = self._window(spot, lines, body)
        if first <= start + _HEAD_LINES:
            return source.excerpt(spot.path, start, start + _LINES - 1)
        head = source.excerpt(spot.path, start, start + _HEAD_LINES - 1)
        rest = source.excerpt(spot.path, first, min(first + _LINES - _HEAD_LINES - 1, end))
        return [*head, Line("    …"), *rest]

    def point_of(self, position: int) -> list[Line]:
        """The same of an object."""
        return self.point(self._of_function(position, 1.0, Counter()))

    def _window(self, spot: Spot, lines: Mapping[int, str], body: int) -> int:
        """Where the lines begin that are worth most together."""
        size = _LINES - _HEAD_LINES
        rare = self._rarity([text for line, text in lines.items() if line >= body])
        worth = {line: self._worth(spot, line, text, rare) for line, text in lines.items() if line >= body}
        last = max(worth, default=body)
        starts = range(body, max(last - size + 2, body + 1))
        return max(starts, key=lambda at: (sum(worth.get(line, 0.0) for line in range(at, at + size)), -at))

    def _rarity(self, texts: Sequence[str]) -> dict[str, float]:
        """What a word of the question is worth on a line: less where many lines of the place say it."""
        found = Counter(word for text in texts if not is_comment(text) for word in shared(self._words, _said(text)))
        return {word: _WORD * _RARE / number for word, number in found.items()}

    def _worth(self, spot: Spot, line: int, text: str, rare: Mapping[str, float]) -> float:
        if is_comment(text):
            return 0.0
        said = shared(self._words, _said(text))
        worth = sum(rare.get(word, _WORD) for word in said) + _MARK * min(spot.marked.get(line, 0), 2)
        worth += _BRANCH if _BRANCHING.search(text) else 0.0
        return worth + self._steps.get(spot.path, {}).get(line, 0.0)


def _said(text: str) -> set[str]:
    """The words that a line says, without their endings."""
    return {stem(word) for part in re.findall(r"\w+", text) for word in subwords(part)}


def _marked(hit: Hit) -> Counter[int]:
    """Lines that match the question, and how often."""
    chunk = hit.chunk if isinstance(hit.item, Object) else hit.item
    if not isinstance(chunk, Chunk):
        return Counter()
    return Counter(chunk.start_line + chunk.text.count("\n", 0, at) for at, _ in hit.highlights)
