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
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sightline.config import Config
from sightline.indexer import skip
from sightline.indexer.ignore import GITIGNORE, SIGHTLINEIGNORE, IgnoreRules
from sightline.indexer.root import check_root
from sightline.languages import detect, spec_of

__all__ = ["Candidate", "accepts", "accepts_all", "check_root", "ignored", "walk"]

_DOCUMENT_MAX_BYTES = 256_000  # larger prose and data are dumps: they cost much and answer nothing
_GIT_TIMEOUT_S = 60
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
    rules = IgnoreRules(config.root, SIGHTLINEIGNORE)
    found: dict[str, Candidate] = {}
    folders = [""]  # the root, then nested repositories as they are met
    while folders:
        prefix = folders.pop()
        for listed in _listed(config.root / prefix):
            path = prefix + listed.rstrip("/")
            if _pruned(path) or rules.ignores_file(path):
                continue
            status = _lstat(config.root, path)
            if status is not None and stat.S_ISDIR(status.st_mode):
                if (config.root / path / ".git").exists():
                    folders.append(path + "/")
                continue
            candidate = _candidate(config, path, status)
            if candidate is not None:
                found[candidate.path] = candidate
    return [found[path] for path in sorted(found)]


def accepts(config: Config, path: str) -> Candidate | None:
    """Return what `walk` would say about one path: None when it is hidden, missing or a folder."""
    return accepts_all(config, [path])[path]


def accepts_all(config: Config, paths: Iterable[str]) -> dict[str, Candidate | None]:
    """Return what `walk` would say about each of a few paths, asking git once per repository."""
    wanted = list(dict.fromkeys(paths))
    rules = IgnoreRules(config.root, SIGHTLINEIGNORE)
    possible = [path for path in wanted if _plain(path) and not _pruned(path) and not rules.ignores_file(path)]
    present = [path for path in possible if not _below_symlink(config.root, path)]
    visible = _visible(config.root, present)
    return {path: _candidate(config, path, _lstat(config.root, path)) if path in visible else None for path in wanted}


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

    for where, folders, files in os.walk(config.root):
        prefix = "" if Path(where) == config.root else Path(where).relative_to(config.root).as_posix() + "/"
        entered = []
        for name in sorted(folders):
            if why := reason(prefix + name, folder=True):
                yield f"{_printable(prefix + name)}/", why
            elif not (Path(where) / name).is_symlink():
                entered.append(name)
        folders[:] = entered
        for name in sorted(files):
            if why := reason(prefix + name, folder=False):
                yield _printable(prefix + name), why


def _git_ignored(folder: Path) -> set[str] | None:
    output = _git(folder, "ls-files", "-oi", "--exclude-standard", "--directory", "-z", "--")
    return {os.fsdecode(name).rstrip("/") for name in output.split(b"\0") if name} if output is not None else None


def _lstat(root: Path, path: str) -> os.stat_result | None:
    try:
        return os.lstat(root / path)
    except (FileNotFoundError, NotADirectoryError):
        return None  # deleted, but still in git's index; or it went away this moment


def _candidate(config: Config, path: str, status: os.stat_result | None) -> Candidate | None:
    if status is None or stat.S_ISDIR(status.st_mode):
        return None
    language = detect(path)
    reason = _reason(config, path, status, language)
    return Candidate(_printable(path), status.st_size, status.st_mtime_ns, reason, language)


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


def _plain(path: str) -> bool:
    """Root-relative, normalised: `a//b`, `./a`, `../a` and `/a` name nothing that a walk would list."""
    return bool(path) and all(part not in ("", ".", "..") for part in path.split("/"))


def _pruned(path: str) -> bool:
    return not skip.PRUNED_FOLDERS.isdisjoint(path.split("/"))


def _below_symlink(root: Path, path: str) -> bool:
    """Say whether a folder on the way is a link: a walk never enters those, so nothing is indexed twice."""
    folder = root
    for part in path.split("/")[:-1]:
        folder = folder / part
        if folder.is_symlink():
            return True
    return False


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
    rules = IgnoreRules(root, GITIGNORE)

    def failed(error: OSError) -> None:
        _logger.warning("folder left out: %s", error)

    for where, folders, files in os.walk(root, onerror=failed):
        folder = Path(where).relative_to(root).as_posix()
        prefix = "" if folder == "." else folder + "/"
        linked = [name for name in folders if (Path(where) / name).is_symlink()]
        folders[:] = [
            name
            for name in folders
            if name not in skip.PRUNED_FOLDERS and name not in linked and not rules.ignores_folder(prefix + name)
        ]
        yield from (prefix + name for name in (*files, *linked) if not rules.ignores_file(prefix + name))


# Git


def _in_repository(folder: Path) -> bool:
    return any((candidate / ".git").exists() for candidate in (folder, *folder.parents))


def _git_list(folder: Path, paths: list[str] | None = None) -> list[str] | None:
    """Ask git for the tracked and untracked, not ignored files; None when it cannot tell."""
    if not (folder / ".git").exists() and _git(folder, "check-ignore", "-q", ".") is not None:
        return None  # an outer repository ignores this whole folder, yet its owner asked for it
    command = ("--literal-pathspecs", "ls-files", "-co", "--exclude-standard", "-z", "--")
    batches = [paths[i : i + _MAX_ARGUMENTS] for i in range(0, len(paths), _MAX_ARGUMENTS)] if paths else [[]]
    found: set[str] = set()
    for batch in batches:
        output = _git(folder, *command, *batch)
        if output is None:
            _logger.warning("git cannot list %s: ignore files are read without it", folder)
            return None
        found.update(os.fsdecode(name) for name in output.split(b"\0") if name)
    return list(found)


def _git(folder: Path, *arguments: str) -> bytes | None:
    """Run git; None when there is no git or it refuses. Nothing the repository configures may be executed."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            ["git", "-c", "core.fsmonitor=false", *arguments],
            cwd=folder,
            env={**inherited, "GIT_OPTIONAL_LOCKS": "0"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_GIT_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
