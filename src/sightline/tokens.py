"""One tokenizer for documents and queries.

Tantivy has no tokenizer that knows identifiers, so text is expanded here and indexed with its `whitespace` tokenizer:
`parseHTTPResponse` becomes `parsehttpresponse parse http response`. Query and document go through the same function,
therefore any string is a legal query and punctuation can never reach a query parser (COD-3).
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

_IDENTIFIER = re.compile(r"\w+", re.UNICODE)
_TO_SPACE = "".join(chr(c) if chr(c).isalnum() or chr(c) == "_" else " " for c in range(128))
# Also what the static model was trained on: another pattern needs another model.
SUBWORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|[0-9]+|[^\W\d_]+", re.UNICODE)
_MAX_KNOWN = 200_000  # identifiers whose terms are remembered; a large repository has fewer
_MAX_TOKEN_CHARS = 100  # longer ones are base64 or minified code; tantivy drops terms beyond 65,530 bytes
_SUFFIXES = (("sses", "ss"), ("ies", "y"), ("ing", ""), ("ers", "er"), ("ed", ""), ("s", ""))
_MIN_STEM_CHARS = 4
CHARS_PER_TOKEN = 3.5  # code and paths in the common model tokenizers: 3.2 to 3.8


def subwords(identifier: str) -> list[str]:
    """Split one identifier at case, digit and underscore boundaries, lower-cased."""
    return [word.lower() for word in SUBWORD.findall(identifier)]


class _Expansions(dict[str, str]):
    """The index terms of each identifier met so far, as text. Documents consist of identifiers met before, and a plain
    look-up costs a fraction of a cached function's call."""

    def __missing__(self, identifier: str) -> str:
        if len(self) >= _MAX_KNOWN:
            self.clear()
        terms = self[identifier] = _expand(identifier)
        return terms


def _expand(identifier: str) -> str:
    bare = identifier.strip("_")
    if len(bare) > _MAX_TOKEN_CHARS:
        return ""
    parts, whole = subwords(bare), bare.lower()
    return " ".join((whole.replace("_", ""), *parts)) if len(parts) > 1 else whole


_expansions = _Expansions()


def expand(text: str) -> str:
    """Return the text as tantivy's whitespace tokenizer shall see it: each identifier as one joined word, then its
    sub-words."""
    return " ".join(map(_expansions.__getitem__, identifiers(text)))


def tokenize(text: str) -> list[str]:
    """Return the index terms of a text, in order."""
    return expand(text).split()


def terms_in(text: str) -> set[str]:
    """Return the index terms that a text has at all; each identifier is expanded once, however often it is said."""
    return set(" ".join(map(_expansions.__getitem__, set(identifiers(text)))).split())


def identifiers(text: str) -> list[str]:
    """Return the words of a text as they are written, code's names whole, in order."""
    if text.isascii():  # nearly all code, and three times as fast
        return text.translate(_TO_SPACE).split()
    return _IDENTIFIER.findall(text)


def words(text: str) -> list[str]:
    """Return only the sub-words of a text, in order; the joined identifiers are left out."""
    out: list[str] = []
    for identifier in identifiers(text):
        out.extend(subwords(identifier))
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
