"""Types that PHP's documentation comments state: `@var list<Handler>`, `@param Node[] $nodes`, `@return static`.

PHP has no types for what arrays hold, so that code says it there. The parser knows the forms that are in use: unions,
`T[]`, type arguments, shapes and callables (of which nothing is taken), and is bounded in depth and length.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from sightline.languages.library import words

_TAG = re.compile(r"@(?:phpstan-|psalm-|phan-)?(var|param|return)\s+")
_WORD = re.compile(r"[\\\w][\\\w-]*|\$this")
_VARIABLE = re.compile(r"\s*&?(?:\.\.\.)?(\$\w+)")
_ITSELF = frozenset({"self", "static", "$this"})
_LISTS = frozenset(
    {"array", "list", "iterable", "non-empty-list", "non-empty-array", "generator", "iterator", "traversable"}
)
_PLAIN = words(
    "array-key bool boolean callable class-string false float int integer mixed never null numeric object positive-int"
    " resource scalar string non-empty-string true void"
)
_MAX_DEPTH = 8
_MAX_CHARS = 8_000
ARRAY = "array"


@dataclass
class Documented:
    """What one comment says."""

    var: int = -1
    variable: str = ""  # that `@var` names
    result: int = -1
    parameters: dict[str, int] = field(default_factory=dict)


@dataclass
class Types:
    """How types become expressions: by a class's name, of elements, of alternatives."""

    named: Callable[[str], int]
    generic: Callable[[str, int], int]
    union: Callable[[list[int]], int]
    unknown: int


def documented(text: str, types: Types) -> Documented:
    """Read a comment; of several that say the same the last one that says something known counts."""
    said = Documented()
    for tag in _TAG.finditer(text[:_MAX_CHARS]):
        parser = _Parser(text, tag.end(), types)
        type_ = parser.union(0)
        if type_ == types.unknown:
            continue
        variable = _VARIABLE.match(text, parser.at)
        if tag[1] == "return":
            said.result = type_
        elif tag[1] == "var":
            said.var, said.variable = type_, variable[1] if variable is not None else ""
        elif variable is not None:
            said.parameters[variable[1]] = type_
    return said


class _Parser:
    def __init__(self, text: str, at: int, types: Types) -> None:
        self.text, self.at, self.types = text, at, types

    def union(self, depth: int) -> int:
        """`A|B`, `A&B`."""
        found = [self._listed(depth)]
        while self._takes("|", depth) or (not self._sees("&$") and self._takes("&", depth)):
            found.append(self._listed(depth))
        return self.types.union(found)

    def _listed(self, depth: int) -> int:
        """`A[]`."""
        found = self._one(depth)
        while self._takes("[]", depth):
            found = self.types.generic(ARRAY, found) if found != self.types.unknown else found
        return found

    def _one(self, depth: int) -> int:
        if depth > _MAX_DEPTH:
            return self.types.unknown
        self._takes("?", depth)
        if self._takes("(", depth):
            found = self.union(depth + 1)
            return found if self._takes(")", depth + 1) else self.types.unknown
        word = _WORD.match(self.text, self.at)
        if word is None:
            return self.types.unknown
        self.at = word.end()
        name = word[0].lower()
        given = self._arguments(depth) if self._takes("<", depth) else []
        if self._sees("{") or self._sees("("):
            self._pass_over()
            if self._takes(":", depth):
                self.union(depth + 1)  # what a callable gives
            return self.types.unknown
        if name in _ITSELF:
            return self.types.named("self")
        if name.lstrip("\\") in _LISTS:
            held = given[-1] if given else self.types.unknown
            return self.types.generic(ARRAY, held) if held != self.types.unknown else held
        if name in _PLAIN:
            return self.types.unknown
        held = given[-1] if given else self.types.unknown
        return self.types.generic(word[0], held) if held != self.types.unknown else self.types.named(word[0])

    def _arguments(self, depth: int) -> list[int]:
        given = [self.union(depth + 1)]
        while self._takes(",", depth + 1):
            given.append(self.union(depth + 1))
        return given if self._takes(">", depth + 1) else []

    def _sees(self, mark: str) -> bool:
        return self.text.startswith(mark, self.at)

    def _takes(self, mark: str, depth: int) -> bool:
        """Go behind a mark, if it is next; inside of brackets behind spaces and the stars of a comment, too."""
        at = self.at
        while depth and at < len(self.text) and self.text[at] in " \t\r\n*":
            at += 1
        if not self.text.startswith(mark, at):
            return False
        self.at = at + len(mark)
        while depth and self.at < len(self.text) and self.text[self.at] in " \t\r\n*":
            self.at += 1
        return True

    def _pass_over(self) -> None:
        """Go behind what brackets enclose."""
        open_ = 0
        while self.at < len(self.text):
            open_ += (self.text[self.at] in "{(<") - (self.text[self.at] in "})>")
            self.at += 1
            if not open_:
                return
