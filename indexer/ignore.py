"""Ignore files, nested, in gitignore syntax.

Git itself answers for .gitignore where there is a repository; these rules answer for .gitignore elsewhere and for
`.sightlineignore` everywhere. As in git, a deeper file overrides a shallower one, and nothing below an ignored folder
can be taken back in.
"""

from __future__ import annotations

from pathlib import Path

from pathspec import GitIgnoreSpec

GITIGNORE = ".gitignore"
SIGHTLINEIGNORE = ".sightlineignore"
IGNORE_FILES = frozenset({GITIGNORE, SIGHTLINEIGNORE})


class IgnoreRules:
    """The rules of every ignore file of one name below a root, loaded folder by folder when first asked for."""

    def __init__(self, root: Path, filename: str) -> None:
        self._root = root
        self._filename = filename
        # folder → its own spec and those of the folders above it, deepest first, each with its folder's prefix length
        self._specs: dict[str, tuple[tuple[int, GitIgnoreSpec], ...]] = {}
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
        for prefix, spec in self._specs_of(folder):
            verdict = spec.check_file(path[prefix:]).include
            if verdict is not None:
                return verdict
        return False

    def _specs_of(self, folder: str) -> tuple[tuple[int, GitIgnoreSpec], ...]:
        specs = self._specs.get(folder)
        if specs is None:
            above = self._specs_of(folder.rpartition("/")[0]) if folder else ()
            own = self._load(folder)
            specs = above if own is None else ((len(folder) + 1 if folder else 0, own), *above)
            self._specs[folder] = specs
        return specs

    def _load(self, folder: str) -> GitIgnoreSpec | None:
        file = self._root / folder / self._filename
        try:
            if file.is_symlink():  # git does not follow these either
                return None
            text = file.read_text(encoding="utf-8", errors="replace")
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError):
            return None
        lines = [line for line in text.lstrip("\ufeff").splitlines() if _legal(line)]
        return GitIgnoreSpec.from_lines(lines) if lines else None


def _legal(line: str) -> bool:
    """Keep the lines pathspec can compile: one bad pattern must not cost the whole file, as in git."""
    if not line.strip() or line.startswith("#"):
        return False
    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True
