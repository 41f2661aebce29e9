"""Programs that are nearly right: the sample of a language, cut, doubled, nested and mixed with another's."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import cache

from tests.support.killers import GRAMMARS, NESTS
from tests.support.samples import sample

MOST_CHARACTERS = 20_000
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")

Change = Callable[[random.Random, list[str]], list[str]]


@cache
def _tokens_of(language: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(sample(language).read_text(encoding="utf-8")))


def _span(chance: random.Random, tokens: list[str], longest: int = 60) -> tuple[int, int]:
    start = chance.randrange(len(tokens) + 1)
    return start, min(len(tokens), start + chance.randint(1, longest))


def _cut(chance: random.Random, tokens: list[str]) -> list[str]:
    start, end = _span(chance, tokens)
    return tokens[:start] + tokens[end:]


def _double(chance: random.Random, tokens: list[str]) -> list[str]:
    start, end = _span(chance, tokens)
    return tokens[:end] + tokens[start:end] * chance.randint(1, 30) + tokens[end:]


def _swap(chance: random.Random, tokens: list[str]) -> list[str]:
    for _ in range(min(len(tokens), chance.randint(1, 10))):
        one, other = chance.randrange(len(tokens)), chance.randrange(len(tokens))
        tokens[one], tokens[other] = tokens[other], tokens[one]
    return tokens


def _nest(chance: random.Random, tokens: list[str]) -> list[str]:
    left, _, right = chance.choice(NESTS)
    (start, end), depth = _span(chance, tokens), chance.randint(1, 80)
    return [*tokens[:start], left * depth, *tokens[start:end], right * depth, *tokens[end:]]


def _splice(chance: random.Random, tokens: list[str]) -> list[str]:
    other = list(_tokens_of(chance.choice(GRAMMARS)))
    start, end = _span(chance, other)
    at = chance.randrange(len(tokens) + 1)
    return tokens[:at] + other[start:end] + tokens[at:]


def _odd_character(chance: random.Random, tokens: list[str]) -> list[str]:
    tokens.insert(chance.randrange(len(tokens) + 1), chance.choice("\0\r\x0c\u2028\u202e\ufeff\ud7ff\U0010ffff\\\"'`"))
    return tokens


_CHANGES: tuple[Change, ...] = (_cut, _double, _swap, _nest, _splice, _odd_character)


def nearly_right(language: str, seed: int) -> bytes:
    """The sample of a language after one to six changes, each of a kind that an editor or an attacker makes."""
    chance = random.Random(f"{language} {seed}")
    tokens = list(_tokens_of(language))
    for _ in range(chance.randint(1, 6)):
        tokens = chance.choice(_CHANGES)(chance, tokens)
    return "".join(tokens)[:MOST_CHARACTERS].encode()
