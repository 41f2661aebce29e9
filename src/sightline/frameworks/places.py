"""The files of a root by their names alone: what is asked of them while routes are read, worked out once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

_MANIFESTS = re.compile(
    r"(?:^|/)(?:requirements[\w.-]*\.txt|pyproject\.toml|setup\.(?:py|cfg)|Pipfile|package\.json|pom\.xml|build\.gradle"
    r"(?:\.kts)?|Gemfile|[\w.-]+\.gemspec|composer\.json|go\.mod|[\w.-]+\.(?:cs|fs)proj|Directory\.Packages\.props)$"
)
_MANIFEST_ENDS = (
    ".txt", ".toml", ".py", ".cfg", "Pipfile", ".json", ".xml", ".gradle", ".kts", "Gemfile", ".gemspec", ".mod",
    "proj", ".props",
)  # fmt: skip


class Places:
    """The files of a root with their languages."""

    def __init__(self, languages: Mapping[str, str]) -> None:
        self.languages = languages
        self._matching: dict[tuple[str, frozenset[str] | None], list[str]] = {}

    def matching(self, pattern: str, languages: frozenset[str] | None = None) -> list[str]:
        """The files whose path has a pattern, in order; with `languages` only those in one of them."""
        key = (pattern, languages)
        if key not in self._matching:
            found = re.compile(pattern).search
            near = self.languages if languages is None else [p for name in languages for p in self._of.get(name, ())]
            self._matching[key] = sorted(path for path in near if found(path))
        return self._matching[key]

    @cached_property
    def _of(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path, language in self.languages.items():
            found.setdefault(language, []).append(path)
        return found

    @cached_property
    def manifests(self) -> list[str]:
        """The files that say what an application is made of."""
        return [path for path in self.languages if path.endswith(_MANIFEST_ENDS) and _MANIFESTS.search(path)]

    @cached_property
    def python(self) -> dict[str, list[str]]:
        """The modules of Python by their last name."""
        found: dict[str, list[str]] = {}
        for path in sorted(path for path in self.languages if path.endswith(".py")):
            found.setdefault(stem_of(path).rpartition("/")[2], []).append(path)
        return found


def stem_of(path: str) -> str:
    """The path of a module of Python, without what its file is called beyond that."""
    return path.removesuffix(".py").removesuffix("/__init__")
