"""A name in lines of source: where it stands as a word, and what it is there: called, said, quoted or imported.

Read off the line alone, in any language: a grammar would know better, but the point of looking is what no grammar saw.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

Kind = Literal["call", "code", "import", "string", "comment"]

_COMMENT = re.compile(r"^\s*(?:#(?!\[|include|define|if)|//|/\*|\*(?!\w)|--(?!\w)|;|<!--|\"\"\"|'''|%|\{-|@rem\b)")
_TRAILING_COMMENT = re.compile(r"(?:(?:^|\s)#|//|/\*|\s--)\s")
_IMPORTING = re.compile(r"^\s*(?:import|from|use|using|#include|require|export \{|package|namespace|pub use)\b")
_CALLED = re.compile(r"\s*(?:::)?(?:<[\w\s,.:?&\[\]]*>)?!?\s*\(")
_RECEIVER = re.compile(r"[\w$.\])>?!:-]*$")
_MAX_RECEIVER_CHARS = 200  # the pattern is tried at each of them
_ANNOTATION = re.compile(r"\s*(?:@[\w.:]+(?P<given>\()?|(?P<bracket>#?!?\[))")
_BRACKET_OR_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|[()\[\]{}]")
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


def declared_at(lines: Iterable[tuple[int, str]], first: int) -> int:
    """Of the lines that a declaration begins with, the one that is no annotation, attribute, decorator or comment."""
    depth = 0  # of brackets that an annotation has opened
    for number, text in lines:
        rest, depth = _past_annotations(text, depth)
        if rest.strip() and not is_comment(rest):
            return number
    return first


def _past_annotations(text: str, depth: int) -> tuple[str, int]:
    """What is left of a line behind its annotations, and how many of their brackets are open at its end."""
    at = 0
    while True:
        while depth:
            found = _BRACKET_OR_STRING.search(text, at)
            if found is None:
                return "", depth
            depth += 1 if found[0] in "([{" else -1 if found[0] in ")]}" else 0
            at = found.end()
        opened = _ANNOTATION.match(text, at)
        if opened is None:
            return text[at:], 0
        at, depth = opened.end(), 1 if opened["given"] or opened["bracket"] else 0


def receiver(text: str, match: re.Match[str]) -> str:
    """What stands directly before the name: `self.payload.` of `self.payload.feed()`."""
    found = _RECEIVER.search(text[max(match.start() - _MAX_RECEIVER_CHARS, 0) : match.start()])
    return found[0] if found is not None else ""
