"""A name in lines of source: where it stands as a word, and what it is there: called, said, quoted or imported.

Read off the line alone, in any language: a grammar would know better, but the point of looking is what no grammar saw.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

Kind = Literal["call", "code", "import", "string", "comment"]

_COMMENT = re.compile(r"^\s*(?:#(?!\[|include|define|if)|//|/\*|\*(?!\w)|--(?!\w)|;|<!--|\"\"\"|'''|%|\{-|@rem\b)")
_TRAILING_COMMENT = re.compile(r"(?:(?:^|\s)#|//|/\*|\s--)\s")
_IMPORTING = re.compile(r"^\s*(?:import|from|use|using|#include|require|export \{|package|namespace|pub use)\b")
_CALLED = re.compile(r"\s*(?:::)?(?:<[\w\s,.:?&\[\]]*>)?!?\s*\(")
_RECEIVER = re.compile(r"[\w$.\])>?!:-]*$")
_MAX_RECEIVER_CHARS = 200  # the pattern is tried at each of them
_NAME_END = re.compile(r"[.#/\\$:>]+")


@lru_cache(maxsize=512)
def word(name: str) -> re.Pattern[str]:
    """The name with nothing beside it that would make it another one."""
    return re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")


@lru_cache(maxsize=512)
def standing(name: str) -> re.Pattern[str]:
    """The name between what are no letters, as `grep -w` has it: `$name` too."""
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")


def simple(qualified: str) -> str:
    """The last part of a qualified name."""
    return _NAME_END.split(qualified)[-1] or qualified


def is_comment(text: str) -> bool:
    """Is a whole line a comment?"""
    return _COMMENT.match(text) is not None


def kind_of(text: str, match: re.Match[str]) -> Kind:
    """What the name is in a line of code."""
    if _COMMENT.match(text):
        return "comment"
    before = text[: match.start()]
    if any(before.count(quote) % 2 for quote in "\"'`"):
        return "string"
    if _TRAILING_COMMENT.search(before):
        return "comment"
    if _IMPORTING.match(text):
        return "import"
    return "call" if _CALLED.match(text, match.end()) else "code"


def receiver(text: str, match: re.Match[str]) -> str:
    """What stands directly before the name: `self.payload.` of `self.payload.feed()`."""
    found = _RECEIVER.search(text[max(match.start() - _MAX_RECEIVER_CHARS, 0) : match.start()])
    return found[0] if found is not None else ""
