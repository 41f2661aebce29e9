"""Which files of a root count.

`walk` lists every file that is not ignored, each with one lstat and, where it is left out, the reason. `accepts` gives
the same answer for a single path, for the watcher. Git is asked where there is a repository (it knows its own rules,
tracked-but-ignored files and the user's global excludes); elsewhere nested .gitignore files are read here.
`.sightlineignore` comes on top of both. Content is never looked at: that is `read`'s part.
"""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sightline.config import Config
from sightline.indexer.files import git, skip
from sightline.indexer.files.confine import MAX_DEPTH, Confined, is_plain, mtime_ns
from sightline.indexer.files.ignore import GITIGNORE, SIGHTLINEIGNORE, IgnoreRules
from sightline.indexer.files.root import check_root
from sightline.languages import detect, spec_of

__all__ = ["Candidate", "accepts", "accepts_all", "check_root", "folders_below", "ignored", "walk"]

_DOCUMENT_MAX_BYTES = 256_000  # larger prose and data are dumps: they cost much and answer nothing
_MAX_ARGUMENTS = 1_000  # paths per git command line; more go in several calls
_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file of the root that no ignore rule hides."""

    path: str
    size_bytes: int
    mtime_ns: int
    skip_reason: str  # "" = index it
    language: str  # by its name; `read` may know better from a shebang line


def walk(config: Config) -> list[Candidate]:
    """List the files of the root that no ignore rule hides, in path order."""
    found: dict[str, Candidate] = {}
    folders = [""]  # the root, then nested repositories as they are met
    with Confined(config.root) as inside:
        rules = IgnoreRules(config.root, SIGHTLINEIGNORE, inside)
        while folders:
            prefix = folders.pop()
            for listed in sorted(_listed(config.root / prefix)):
                path = prefix + listed.rstrip("/")
                if not is_plain(path) or _pruned(path) or rules.ignores_file(path):
                    continue
                status = inside.status(path)
                if status is None:
                    continue  # deleted, but still in git's index; or it went away this moment, or behind a link
                if stat.S_ISDIR(status.st_mode):
                    if inside.status(f"{path}/.git") is not None:
                        folders.append(path + "/")
                    continue
                candidate = _candidate(config, path, status)
                found[candidate.path] = candidate
    return [found[path] for path in sorted(found)]


def accepts(config: Config, path: str) -> Candidate | None:
    """Return what `walk` would say about one path: None when it is hidden, missing or a folder."""
    return accepts_all(config, [path])[path]


def accepts_all(config: Config, paths: Iterable[str]) -> dict[str, Candidate | None]:
    """Return what `walk` would say about each of a few paths, asking git once per repository."""
    wanted = list(dict.fromkeys(paths))
    rules = IgnoreRules(config.root, SIGHTLINEIGNORE)
    possible = [path for path in wanted if is_plain(path) and not _pruned(path) and not rules.ignores_file(path)]
    with Confined(config.root) as inside:
        present = {path: status for path in sorted(possible) if (status := inside.status(path)) is not None}
    files = [path for path, status in present.items() if not stat.S_ISDIR(status.st_mode)]
    visible = _visible(config.root, files)
    return {path: _candidate(config, path, present[path]) if path in visible else None for path in wanted}


def ignored(config: Config) -> Iterator[tuple[str, str]]:
    """Name what `walk` never comes to, and why; of a folder only itself, with a slash at its end."""
    rules, git_rules = IgnoreRules(config.root, SIGHTLINEIGNORE), IgnoreRules(config.root, GITIGNORE)
    listing = _git_ignored(config.root) if _in_repository(config.root) else None

    def reason(path: str, *, folder: bool) -> str:
        if folder and path.rpartition("/")[2] in skip.PRUNED_FOLDERS:
            return "folder that is never looked into"
        if rules.ignores_folder(path) if folder else rules.ignores_file(path):
            return SIGHTLINEIGNORE
        if listing is not None:
            return GITIGNORE if path in listing else ""
        return GITIGNORE if (git_rules.ignores_folder(path) if folder else git_rules.ignores_file(path)) else ""

    waiting = [""]
    with Confined(config.root) as inside:
        while waiting:
            folder = waiting.pop()
            prefix = f"{folder}/" if folder else ""
            for name, is_folder in _entries(inside, folder):
                path = prefix + name
                if why := reason(path, folder=is_folder):
                    yield _printable(path) + ("/" if is_folder else ""), why
                elif is_folder and is_plain(f"{path}/x"):
                    waiting.append(path)
                elif is_folder:
                    yield f"{_printable(path)}/", "nested too deeply"


def folders_below(root: Path, enters: Callable[[str, str], bool]) -> Iterator[str]:
    """The folders of a root, "" first, links left out; `enters` is asked with the path and name of each."""
    waiting = [""]
    with Confined(root) as inside:
        while waiting:
            folder = waiting.pop()
            yield folder
            prefix = f"{folder}/" if folder else ""
            below = [prefix + name for name, is_folder in _entries(inside, folder) if is_folder]
            waiting += [path for path in below if is_plain(f"{path}/x") and enters(path, path.rpartition("/")[2])]


def _entries(inside: Confined, folder: str) -> list[tuple[str, bool]]:
    try:
        return inside.entries(folder)
    except OSError as error:
        _logger.warning("folder left out: %s: %s", _printable(folder), error.strerror or error)
        return []


def _git_ignored(folder: Path) -> set[str] | None:
    output = git.run(folder, "ls-files", "-oi", "--exclude-standard", "--directory", "-z", "--")
    return {os.fsdecode(name).rstrip("/") for name in output.split(b"\0") if name} if output is not None else None


def _candidate(config: Config, path: str, status: os.stat_result) -> Candidate:
    language = detect(path)
    reason = _reason(config, path, status, language)
    return Candidate(_printable(path), status.st_size, mtime_ns(status), reason, language)


def _reason(config: Config, path: str, status: os.stat_result, language: str) -> str:
    if _printable(path) != path:
        return skip.NAME_NOT_UTF8
    if stat.S_ISLNK(status.st_mode):
        return skip.SYMLINK
    if not stat.S_ISREG(status.st_mode):
        return skip.NOT_REGULAR
    named = skip.by_name(path)
    if named:
        return named
    limit = config.max_file_bytes
    if spec_of(language).document:
        limit = min(limit, _DOCUMENT_MAX_BYTES)
    return skip.TOO_LARGE if status.st_size > limit else ""


def _printable(path: str) -> str:
    """A name that is not UTF-8 cannot be stored: its broken characters are replaced for showing."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _pruned(path: str) -> bool:
    return not skip.PRUNED_FOLDERS.isdisjoint(path.split("/"))


# Listing


def _listed(folder: Path) -> Iterable[str]:
    """The paths below a folder that .gitignore rules do not hide, in any order; of a nested repository its folder."""
    listing = _git_list(folder) if _in_repository(folder) else None
    return _folder_list(folder) if listing is None else listing


def _visible(folder: Path, paths: list[str]) -> set[str]:
    """Those of the given paths that a walk from `folder` would come to."""
    if not paths or not _in_repository(folder):
        return _visible_without_git(folder, paths)
    inside: dict[str, list[str]] = {}  # nested repository → paths in it
    for path in paths:
        inside.setdefault(_nested_repository(folder, path), []).append(path)
    listing = _git_list(folder, [*inside.pop("", ()), *inside])
    if listing is None:
        return _visible_without_git(folder, paths)
    visible = {path.rstrip("/") for path in listing}
    for nested in visible & inside.keys():
        below = [path[len(nested) + 1 :] for path in inside[nested]]
        visible.update(f"{nested}/{path}" for path in _visible(folder / nested, below))
    return visible


def _visible_without_git(folder: Path, paths: list[str]) -> set[str]:
    rules = IgnoreRules(folder, GITIGNORE)
    return {path for path in paths if not rules.ignores_file(path)}


def _nested_repository(folder: Path, path: str) -> str:
    """The uppermost folder on the way to `path` that is a repository of its own, "" when there is none."""
    parts = path.split("/")
    for depth in range(1, len(parts)):
        nested = "/".join(parts[:depth])
        if (folder / nested / ".git").exists():
            return nested
    return ""


def _folder_list(root: Path) -> Iterator[str]:
    """The files below a folder, links being files, as the .gitignore files in it have it."""
    waiting = [""]
    with Confined(root) as inside:
        rules = IgnoreRules(root, GITIGNORE, inside)
        while waiting:
            folder = waiting.pop()
            prefix = f"{folder}/" if folder else ""
            for name, is_folder in _entries(inside, folder):
                path = prefix + name
                if not is_folder:
                    if not rules.ignores_file(path):
                        yield path
                elif name in skip.PRUNED_FOLDERS or rules.ignores_folder(path):
                    continue
                elif is_plain(f"{path}/x"):
                    waiting.append(path)
                else:
                    _logger.warning("left out, more than %d folders deep: %s", MAX_DEPTH, _printable(path))


# Git


def _in_repository(folder: Path) -> bool:
    return git.repository_of(folder) is not None


def _git_list(folder: Path, paths: list[str] | None = None) -> list[str] | None:
    """Ask git for the tracked and untracked, not ignored files; None when it cannot tell."""
    if not (folder / ".git").exists() and git.run(folder, "check-ignore", "-q", ".") is not None:
        return None  # an outer repository ignores this whole folder, yet its owner asked for it
    command = ("--literal-pathspecs", "ls-files", "-co", "--exclude-standard", "-z", "--")
    batches = [paths[i : i + _MAX_ARGUMENTS] for i in range(0, len(paths), _MAX_ARGUMENTS)] if paths else [[]]
    found: set[str] = set()
    for batch in batches:
        output = git.run(folder, *command, *batch)
        if output is None:
            _logger.warning("git cannot list %s: ignore files are read without it", folder)
            return None
        found.update(os.fsdecode(name) for name in output.split(b"\0") if name)
    return list(found)
