"""What git's history tells: the commits of the last years with their messages and the files they touched.

Read once, then kept up with: the newest commits are listed by their ids, and only those that are not known yet are
read. History that was rewritten is thereby forgotten, another branch adds its own. It is kept beside the index in a
file of its own, which is checked before it is believed and made anew when it is damaged. Nobody's name is kept.
"""

from __future__ import annotations

import json
import logging
import os
import re
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import xxhash

from sightline.changes.repository import Repository, path_of
from sightline.config import Config

FILE = "history.bin"
FORMAT = 1
_MAGIC = b"sightline-history"
_BATCH = 4_000  # commits per run of git, which gets 15 s of processor time: django's take 0.3 s
_MAX_MESSAGE_CHARS = 1_500
_MAX_FILES = 200  # of a commit that are kept; a larger one is a move of everything and says nothing about a file
_MARK = b"\x01"
_TRAILER = re.compile(r"^[A-Za-z-]+-by:.*$", re.MULTILINE)  # who signed, reviewed, reported: nobody's name is kept
_logger = logging.getLogger(__name__)


class Commit(NamedTuple):
    """One commit that is no merge."""

    id: str
    time: int  # seconds since 1970
    message: str
    files: tuple[int, ...]  # numbers of paths; () where it touched too many


@dataclass(frozen=True)
class History:
    """The commits of a root, newest first, and the paths that they touched."""

    head: str
    limit: int
    commits: tuple[Commit, ...]
    paths: tuple[str, ...]
    shallow: bool = False


def history(config: Config, repository: Repository) -> History | None:
    """The history up to now, brought up to date first; None when nobody wants it or there is no commit."""
    head = repository.head() if config.history_commits else ""
    if not head:
        return None
    place = config.index_dir / FILE
    known = _load(place)
    if known is not None and (known.head, known.limit) == (head, config.history_commits):
        return known
    found = _read(repository, head, config.history_commits, known)
    if found is not None:
        _save(place, found)
    return found


def _read(repository: Repository, head: str, limit: int, known: History | None) -> History | None:
    listed = repository.ask("rev-list", "--no-merges", f"--max-count={limit}", "--end-of-options", head)
    if listed is None:
        return None
    wanted = listed.decode("ascii").split()
    commits = {commit.id: commit for commit in known.commits} if known is not None else {}
    numbers = {path: number for number, path in enumerate(known.paths if known is not None else ())}
    missing = [oid for oid in wanted if oid not in commits]
    for start in range(0, len(missing), _BATCH):
        batch = missing[start : start + _BATCH]
        for commit in _commits(repository, batch, numbers):
            commits[commit.id] = commit
    kept = tuple(commits[oid] for oid in wanted if oid in commits)
    return History(head, limit, kept, tuple(numbers), repository.is_shallow())


def _commits(repository: Repository, oids: Sequence[str], numbers: dict[str, int]) -> Iterator[Commit]:
    """Read commits: for each a mark with its id, its time, its message, then the paths it touched."""
    answer = repository.ask(
        "diff-tree", "--stdin", "--root", "--always", "-r", "-z", "--name-only", "--no-renames", "--relative",
        "--encoding=UTF-8",
        "--format=%x01%H%x00%ct%x00%B%x00", given="".join(f"{oid}\n" for oid in oids).encode(),
    )  # fmt: skip
    if answer is None:
        _logger.warning("git did not tell about %d commits of %s", len(oids), repository.root)
        return
    parts = answer.split(b"\0")
    starts = list(_starts(parts, oids))
    for place, (at, oid) in enumerate(starts):
        end = starts[place + 1][0] if place + 1 < len(starts) else len(parts)
        time, message = parts[at + 1], _TRAILER.sub("", parts[at + 2].decode("utf-8", "replace")).strip()
        names = [name for name in (part.lstrip(b"\n") for part in parts[at + 3 : end]) if name]
        files = names if len(names) <= _MAX_FILES else []
        touched = tuple(numbers.setdefault(path_of(name), len(numbers)) for name in files)
        yield Commit(oid, int(time) if time.isdigit() else 0, message[:_MAX_MESSAGE_CHARS], touched)


def _starts(parts: Sequence[bytes], oids: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Where each commit begins: at the mark with the id that was asked for next, whatever messages and names say."""
    at = 0
    for oid in oids:
        mark = _MARK + oid.encode()
        while at < len(parts) and parts[at].lstrip(b"\n") != mark:
            at += 1
        if at == len(parts):
            return
        yield at, oid
        at += 3


def _save(place: Path, found: History) -> None:
    """Write the history; what cannot be kept is read again the next time."""
    content = {
        "head": found.head,
        "limit": found.limit,
        "shallow": found.shallow,
        "paths": [path.encode("utf-8", "surrogateescape").decode("latin-1") for path in found.paths],
        "commits": [[c.id, c.time, c.message, list(c.files)] for c in found.commits],
    }
    body = zlib.compress(json.dumps(content, separators=(",", ":")).encode(), 1)
    header = _MAGIC + FORMAT.to_bytes(2, "big") + xxhash.xxh3_128_digest(body)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=place.parent, prefix="history-")  # only its owner may read it
        with os.fdopen(descriptor, "wb") as file:
            file.write(header + body)
        os.replace(name, place)  # noqa: PTH105
    except OSError as error:
        _logger.warning("the history is not kept: %s", error)


def _load(place: Path) -> History | None:
    """What is kept; None when there is nothing, or it is damaged or of another format."""
    try:
        data = place.read_bytes()
    except OSError:
        return None
    at = len(_MAGIC)
    checksum, body = data[at + 2 : at + 18], data[at + 18 :]
    sound = data.startswith(_MAGIC) and int.from_bytes(data[at : at + 2], "big") == FORMAT
    if not sound or xxhash.xxh3_128_digest(body) != checksum:
        return None
    content = json.loads(zlib.decompress(body))
    paths = tuple(path.encode("latin-1").decode("utf-8", "surrogateescape") for path in content["paths"])
    commits = tuple(Commit(oid, time, message, tuple(files)) for oid, time, message, files in content["commits"])
    return History(content["head"], content["limit"], commits, paths, content["shallow"])
