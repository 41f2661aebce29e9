"""One frozen Config, built once by `server` from defaults < environment < flags, then passed down.

No other module reads the environment.
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

MAX_FILE_BYTES = 1_000_000  # larger source files are nearly always generated; measured cost is parse time and noise
ENV_INDEX_DIR = "SIGHTLINE_INDEX_DIR"
ENV_EMBEDDER = "SIGHTLINE_EMBEDDER"
ENV_WORKERS = "SIGHTLINE_WORKERS"


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that can be chosen about one root."""

    root: Path  # absolute, symlinks resolved
    index_dir: Path  # where this root's index lives; never inside the root
    embedder: str = "static"  # "static", "none" or "fastembed:<model or directory>"
    max_file_bytes: int = MAX_FILE_BYTES
    workers: int = 0  # parsing processes; 0 = decide from the machine and the amount of work


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
    environ: Mapping[str, str] = os.environ,
) -> Config:
    """Build the Config of one root. `index_dir` is the home of indexes; each root gets a folder of its own in it."""
    resolved = _expanded(root).resolve()
    home = _expanded(index_dir or environ.get(ENV_INDEX_DIR) or default_index_home())
    workers_text = environ.get(ENV_WORKERS, "0") if workers is None else str(workers)
    if not workers_text.isdigit():
        raise ConfigError(f"{ENV_WORKERS} must be a whole number, not {workers_text!r}")
    return Config(
        root=resolved,
        index_dir=home.resolve() / index_key(resolved),
        embedder=embedder or environ.get(ENV_EMBEDDER) or "static",
        workers=int(workers_text),
        max_file_bytes=MAX_FILE_BYTES if max_file_bytes is None else max_file_bytes,
    )


def _expanded(path: str | Path) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise ConfigError(f"{path} names a home folder that is not known", hint="give the full path") from error
