"""Ignore files, nested, in gitignore syntax.

Git itself answers for .gitignore where there is a repository; these rules answer for .gitignore elsewhere and for
`.sightlineignore` everywhere. As in git, a deeper file overrides a shallower one, and nothing below an ignored folder
can be taken back in.
"""

from __future__ import annotations

import re
from pathlib import Path

from pathspec import GitIgnoreSpec

GITIGNORE = ".gitignore"
SIGHTLINEIGNORE = ".sightlineignore"
IGNORE_FILES = frozenset({GITIGNORE, SIGHTLINEIGNORE})
# pathspec's expressions also match all that is below a folder; this group ends where the folder itself does. Folders
# are asked about one by one here, so only a match of the path itself counts (`!*/` takes no file back in).
_FOLDER_END = "ps_d"
_Rules = tuple[tuple["re.Pattern[str]", bool], ...]  # expression and whether it ignores, the last rule first


class IgnoreRules:
    """The rules of every ignore file of one name below a root, loaded folder by folder when first asked for."""

    def __init__(self, root: Path, filename: str) -> None:
        self._root = root
        self._filename = filename
        # folder → its own rules and those of the folders above it, deepest first, each with its folder's prefix length
        self._rules: dict[str, tuple[tuple[int, _Rules], ...]] = {}
        self._ignored_folders: dict[str, bool] = {"": False}

    def ignores_file(self, path: str) -> bool:
        """Say whether a file is ignored, by a rule for it or for a folder it is in."""
        folder = path.rpartition("/")[0]
        return self.ignores_folder(folder) or self._matches(path, folder)

    def ignores_folder(self, folder: str) -> bool:
        """Say whether a folder ("" is the root) is ignored, so that nothing in it counts."""
        known = self._ignored_folders.get(folder)
        if known is None:
            above = folder.rpartition("/")[0]
            known = self.ignores_folder(above) or self._matches(folder + "/", above)
            self._ignored_folders[folder] = known
        return known

    def _matches(self, path: str, folder: str) -> bool:
        for prefix, rules in self._rules_of(folder):
            relative = path[prefix:]
            for expression, ignores in rules:
                if _matches_itself(expression, relative):
                    return ignores
        return False

    def _rules_of(self, folder: str) -> tuple[tuple[int, _Rules], ...]:
        rules = self._rules.get(folder)
        if rules is None:
            above = self._rules_of(folder.rpartition("/")[0]) if folder else ()
            own = self._load(folder)
            rules = ((len(folder) + 1 if folder else 0, own), *above) if own else above
            self._rules[folder] = rules
        return rules

    def _load(self, folder: str) -> _Rules:
        file = self._root / folder / self._filename
        try:
            if file.is_symlink():  # git does not follow these either
                return ()
            text = file.read_text(encoding="utf-8", errors="replace")
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError):
            return ()
        return tuple(rule for line in reversed(text.removeprefix("\ufeff").split("\n")) for rule in _compiled(line))


def _matches_itself(expression: re.Pattern[str], path: str) -> bool:
    if _FOLDER_END not in expression.groupindex:
        return expression.search(path) is not None
    return any(match.end(_FOLDER_END) in (-1, len(path)) for match in expression.finditer(path))


def _compiled(line: str) -> _Rules:
    """The rule of a line, if it has one; a pattern that cannot be compiled is left out, as in git."""
    if not line.strip() or line.startswith("#"):
        return ()
    try:
        patterns = GitIgnoreSpec.from_lines([line.removesuffix("\r")]).patterns
    except ValueError:
        return ()
    return tuple((p.regex, p.include) for p in patterns if p.regex is not None and p.include is not None)
