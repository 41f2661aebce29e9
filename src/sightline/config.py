"""One frozen Config, built once by `server` from defaults < environment < flags, then passed down.

What is chosen about a root through the environment is read here; flags of the command line may have a variable too
(`server/cli/options.py`), and `SIGHTLINE_DEBUG` is read where a command begins (`server/cli/main.py`). Otherwise the
environment is only passed on to processes that we start, and `PATH` is searched for them (`indexer/`).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs
import xxhash

from sightline.errors import ConfigError
from sightline.memory import DEFAULT_MB, check_memory

MAX_FILE_BYTES = 1_000_000  # larger source files are nearly always generated; measured cost is parse time and noise
ENV_INDEX_DIR = "SIGHTLINE_INDEX_DIR"
ENV_EMBEDDER = "SIGHTLINE_EMBEDDER"
ENV_WORKERS = "SIGHTLINE_WORKERS"
ENV_HISTORY = "SIGHTLINE_HISTORY"
HISTORY_COMMITS = 5_000  # newest commits that are read; older ones say little about the files of today
ENV_MEMORY = "SIGHTLINE_MEMORY"
ENV_CACHE = "SIGHTLINE_CACHE_MB"
ENV_SOURCES = "SIGHTLINE_SOURCES"
CACHE_FILE = "analysis.sqlite"  # in the folder of indexes, for all roots
CACHE_MB = 2_000  # as a rule; about as much as the analysis of a hundred repositories of ten thousand files takes


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that can be chosen about one root."""

    root: Path  # absolute, symlinks resolved
    index_dir: Path  # where this root's index lives; never inside the root
    embedder: str = "static"  # "static", "none" or "fastembed:<model or directory>"
    max_file_bytes: int = MAX_FILE_BYTES
    workers: int = 0  # parsing processes; 0 = decide from the machine and the amount of work
    history_commits: int = HISTORY_COMMITS  # 0 = git's history is not read
    memory_mb: int = DEFAULT_MB  # what all processes together may hold
    cache_bytes: int = 0  # how much analysis may be kept for all roots together; 0 = none
    source: str = ""  # where published indexes may be taken from to begin with, "" = nowhere
    pins: Mapping[str, str] | None = None  # commit → sha256 of its description; only these bundles are taken


def index_key(root: Path) -> str:
    """Name a root's index folder: readable, and unique by the full path."""
    name = "".join(c if c.isalnum() or c in "-_." else "_" for c in root.name)[:40] or "root"
    return f"{name}-{xxhash.xxh3_64_hexdigest(str(root).encode())}"


def default_index_home() -> Path:
    """The folder that holds the indexes of all roots when nothing else is said."""
    try:
        home = Path(platformdirs.user_cache_dir("sightline", appauthor=False)) / "indexes"
    except RuntimeError:
        home = Path("~")
    if not home.is_absolute():  # a user without a home: `~` must not be taken for a folder of the project
        raise ConfigError("there is no home folder to keep indexes in", hint=f"set HOME or {ENV_INDEX_DIR}")
    return home


def index_home(index_dir: str | Path | None = None, environ: Mapping[str, str] = os.environ) -> Path:
    """The folder that holds the indexes of all roots."""
    return _expanded(index_dir or environ.get(ENV_INDEX_DIR) or default_index_home()).resolve()


def check_index_dir(index_dir: Path) -> None:
    """Refuse an index that somebody else could have made or can change: it is believed, and its links are followed."""
    if os.name != "posix":
        return
    for folder, shared in ((index_dir, False), (index_dir.parent, True)):
        try:
            status = os.lstat(folder)
        except OSError:
            continue  # there is none yet, or it cannot be reached: whoever opens it says so
        if not stat.S_ISDIR(status.st_mode):
            why = "is not a folder"
        elif status.st_uid not in (os.geteuid(), 0):
            why = "belongs to another user"
        elif status.st_mode & stat.S_IWOTH and not (shared and status.st_mode & stat.S_ISVTX):
            why = "can be written by everybody"
        else:
            continue
        raise ConfigError(f"the index folder {folder} {why}", hint=f"remove it, or set {ENV_INDEX_DIR} to another")


def make_config(
    root: str | Path,
    *,
    index_dir: str | Path | None = None,
    embedder: str | None = None,
    workers: int | None = None,
    max_file_bytes: int | None = None,
    memory_mb: int | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Config:
    """Build the Config of one root. `index_dir` is the home of indexes; each root gets a folder of its own in it."""
    resolved = _expanded(root).resolve()
    chosen = {
        ENV_WORKERS: environ.get(ENV_WORKERS, "0") if workers is None else str(workers),
        ENV_HISTORY: environ.get(ENV_HISTORY, str(HISTORY_COMMITS)),
        ENV_MEMORY: environ.get(ENV_MEMORY) or str(DEFAULT_MB) if memory_mb is None else str(memory_mb),
        ENV_CACHE: environ.get(ENV_CACHE, str(CACHE_MB)),
    }
    for name, text in chosen.items():
        if not (text.isascii() and text.isdecimal()):
            raise ConfigError(f"{name} must be a whole number, not {text!r}")
    check_memory(int(chosen[ENV_MEMORY]))
    return Config(
        root=resolved,
        index_dir=index_home(index_dir, environ) / index_key(resolved),
        embedder=embedder or environ.get(ENV_EMBEDDER) or "static",
        workers=int(chosen[ENV_WORKERS]),
        history_commits=int(chosen[ENV_HISTORY]),
        memory_mb=int(chosen[ENV_MEMORY]),
        cache_bytes=int(chosen[ENV_CACHE]) * 1_000_000,
        max_file_bytes=MAX_FILE_BYTES if max_file_bytes is None else max_file_bytes,
    )


def allowed_sources(environ: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The places from which the person allows indexes to be taken without being asked."""
    return tuple(filter(None, (part.strip() for part in environ.get(ENV_SOURCES, "").split(","))))


def _expanded(path: str | Path) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise ConfigError(f"{path} names a home folder that is not known", hint="give the full path") from error
