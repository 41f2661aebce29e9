"""Which repositories of a catalog somebody may see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

_WILD = frozenset("*?[")


def matches(name: str, pattern: str) -> bool:
    """Whether a name is meant by a pattern: `*` stands for anything, slashes too, `?` for a character, `[ab]` for one
    of these."""
    return fnmatchcase(name, pattern)


def is_pattern(text: str) -> bool:
    """Whether a text means names by what they look like; a name never does."""
    return not _WILD.isdisjoint(text)


@dataclass(frozen=True, slots=True)
class Grant:
    """What somebody may see, as patterns of names."""

    patterns: Sequence[str]

    def allows(self, name: str) -> bool:
        """Whether a repository of this name may be seen."""
        return any(matches(name, pattern) for pattern in self.patterns)


EVERYTHING = Grant(("*",))
