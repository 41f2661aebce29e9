"""One tokenizer for documents and queries.

Tantivy has no tokenizer that knows identifiers, so text is expanded here and indexed with its `whitespace` tokenizer:
`parseHTTPResponse` becomes `parsehttpresponse parse http response`. Query and document go through the same function,
therefore any string is a legal query and punctuation can never reach a query parser (COD-3).
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

_IDENTIFIER = re.compile(r"[^\W_]+(?:_+[^\W_]+)*", re.UNICODE)
_SUBWORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|[0-9]+|[^\W\d_]+", re.UNICODE)
_MAX_TOKEN_CHARS = 100  # longer ones are base64 or minified code; tantivy drops terms beyond 65,530 bytes
_SUFFIXES = (("sses", "ss"), ("ies", "y"), ("ing", ""), ("ers", "er"), ("ed", ""), ("s", ""))
_MIN_STEM_CHARS = 4
CHARS_PER_TOKEN = 3.5  # code and paths in the common model tokenizers: 3.2 to 3.8


def subwords(identifier: str) -> list[str]:
    """Split one identifier at case, digit and underscore boundaries, lower-cased."""
    return [word.lower() for word in _SUBWORD.findall(identifier)]


@lru_cache(maxsize=200_000)
def _expand(identifier: str) -> tuple[str, ...]:
    if len(identifier) > _MAX_TOKEN_CHARS:
        return ()
    whole = identifier.lower()
    parts = subwords(identifier)
    if len(parts) <= 1:
        return (whole,)
    joined = whole.replace("_", "")
    return (joined, *parts)


def tokenize(text: str) -> list[str]:
    """Return the index terms of a text, in order: each identifier as one joined word, then its sub-words."""
    out: list[str] = []
    for match in _IDENTIFIER.finditer(text):
        out.extend(_expand(match.group()))
    return out


def expand(text: str) -> str:
    """Return the text as tantivy's whitespace tokenizer shall see it."""
    return " ".join(tokenize(text))


def words(text: str) -> list[str]:
    """Return only the sub-words of a text, in order; the joined identifiers are left out."""
    out: list[str] = []
    for match in _IDENTIFIER.finditer(text):
        out.extend(subwords(match.group()))
    return out


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """Strip common English endings: `requests`, `requesting`, `requested` → `request`. Light on purpose."""
    for suffix, replacement in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) + len(replacement) >= _MIN_STEM_CHARS:
            if suffix == "s" and word.endswith(("ss", "us", "is")):
                return word
            stripped = word[: -len(suffix)] + replacement
            if (
                suffix in ("ing", "ed")
                and len(stripped) > _MIN_STEM_CHARS
                and stripped[-1] == stripped[-2]
                and stripped[-1] not in "lsz"
            ):
                return stripped[:-1]
            return stripped
    return word


def estimate_tokens(text: str) -> int:
    """Return how many model tokens a text costs. The one estimate of every budget: characters / 3.5, rounded up."""
    return math.ceil(len(text) / CHARS_PER_TOKEN)


def chars_within(max_tokens: int) -> int:
    """Return the longest text, in characters, whose estimate stays within a budget."""
    return int(max_tokens * CHARS_PER_TOKEN)
