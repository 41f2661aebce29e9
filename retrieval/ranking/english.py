"""How words of a question and words of code belong together: `validation` and `validate`, `config` and `configuration`.

Used by the ranking signals that compare a query with names and paths.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from sightline.retrieval.query import variants
from sightline.tokens import stem, words

SAME_STEM = 0.9  # requests, request
SAME_FAMILY = 0.8  # validation, validator
LONG_PREFIX = 0.7  # config, configuration
SHORT_PREFIX = 0.5  # req, request

_LONG_PREFIX_CHARS = 4
_SHORT_PREFIX_CHARS = 3


def kinship(a: str, b: str) -> float:
    """Return how surely two lower-case words mean the same: 1 for equal, 0 for unrelated."""
    if a == b:
        return 1.0
    if a[:_SHORT_PREFIX_CHARS] != b[:_SHORT_PREFIX_CHARS]:
        return 0.0  # every rule below leaves the beginning alone
    if stem(a) == stem(b):
        return SAME_STEM
    if a in variants(b) or b in variants(a):
        return SAME_FAMILY
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    if long.startswith(short) and short.isalpha():
        if len(short) >= _LONG_PREFIX_CHARS:
            return LONG_PREFIX
        if len(short) >= _SHORT_PREFIX_CHARS:
            return SHORT_PREFIX
    return 0.0


@lru_cache(maxsize=200_000)
def name_words(name: str) -> tuple[str, ...]:
    """The distinct sub-words of an identifier or path component, lower-case."""
    return tuple(dict.fromkeys(words(name)))


class WantedWords:
    """The topic words of one query with their importance; compares them with the words of names."""

    def __init__(self, wanted: Sequence[str], importance: Sequence[float]) -> None:
        self._importance = tuple(importance)
        self._total = sum(importance)
        self._kin: dict[str, tuple[tuple[int, float], ...]] = {}  # word at hand → (wanted word, kinship)
        self._by_start: dict[str, list[tuple[int, str]]] = {}  # kin share their first letters, see `kinship`
        for i, word in enumerate(wanted):
            self._by_start.setdefault(word[:_SHORT_PREFIX_CHARS], []).append((i, word))

    def kin(self, word: str) -> tuple[tuple[int, float], ...]:
        """Which wanted words a word is akin to; remembered, because code repeats its words."""
        found = self._kin.get(word)
        if found is None:
            near = self._by_start.get(word[:_SHORT_PREFIX_CHARS], ())
            scored = ((i, kinship(wanted, word)) for i, wanted in near)
            found = self._kin[word] = tuple((i, value) for i, value in scored if value > 0)
        return found

    def covered(self, have: Iterable[str]) -> float:
        """Return the share of the wanted words, by importance, that the words at hand cover: 0..1."""
        best: dict[int, float] = {}
        for word in have:
            for i, value in self.kin(word):
                if value > best.get(i, 0.0):
                    best[i] = value
        if not best or not self._total:
            return 0.0
        return sum(self._importance[i] * value for i, value in best.items()) / self._total

    def covering(self, have: Sequence[str]) -> float:
        """Return the share of the words at hand that the wanted words account for: 0..1."""
        if not have:
            return 0.0
        return sum(max((value for _, value in self.kin(word)), default=0.0) for word in have) / len(have)

    def match(self, name: str) -> float:
        """Return how well one name says what is wanted: harmonic mean of `covered` and `covering`, in one pass."""
        lowered = name.lower()
        if not any(start in lowered for start in self._by_start):  # so no word of it has kin; most names have none
            return 0.0
        have = name_words(name)
        best: dict[int, float] = {}
        accounted = 0.0
        for word in have:
            closest = 0.0
            for i, value in self.kin(word):
                closest = max(closest, value)
                if value > best.get(i, 0.0):
                    best[i] = value
            accounted += closest
        recall = sum(self._importance[i] * value for i, value in best.items()) / (self._total or 1.0)
        if recall == 0:
            return 0.0
        precision = accounted / len(have)
        return 2 * recall * precision / (recall + precision)
