"""How words of a question and words of code belong together: `validation` and `validate`, `config` and `configuration`.

Used by the ranking signals that compare a query with names and paths. Pure and cached.
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


@lru_cache(maxsize=200_000)
def kinship(a: str, b: str) -> float:
    """Return how surely two lower-case words mean the same: 1 for equal, 0 for unrelated."""
    if a == b:
        return 1.0
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


def best_kinship(word: str, others: Iterable[str]) -> float:
    """Return the closest kinship of a word to any of the others."""
    return max((kinship(word, other) for other in others), default=0.0)


@lru_cache(maxsize=200_000)
def name_words(name: str) -> tuple[str, ...]:
    """The distinct sub-words of an identifier or path component, lower-case."""
    return tuple(dict.fromkeys(words(name)))


def covered(wanted: Sequence[str], importance: Sequence[float], have: Sequence[str]) -> float:
    """Return the share of the wanted words, by importance, that the words at hand cover: 0..1."""
    total = sum(importance)
    if not total or not have:
        return 0.0
    return sum(weight * best_kinship(word, have) for word, weight in zip(wanted, importance, strict=True)) / total


def covering(wanted: Sequence[str], have: Sequence[str]) -> float:
    """Return the share of the words at hand that the wanted words account for: 0..1."""
    if not have:
        return 0.0
    return sum(best_kinship(word, wanted) for word in have) / len(have)
