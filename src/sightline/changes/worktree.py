"""Which files on disk differ from git's index, without git looking at them.

To compare a file with its blob git may run the filters that a repository's settings name. So git only lists what its
index knows (`ls-files --debug`: size and time of each file when it was last compared), and whatever differs from that,
or was written too late to tell, is hashed here as git would hash it. What only a filter could undo (Git LFS) differs by
its bytes and is told apart by the pointer that git holds; line ends are told apart when both texts are read.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from sightline.changes.model import FileChange
from sightline.changes.repository import Repository, path_of
from sightline.errors import QueryError
from sightline.indexer.files.confine import Confined, mtime_ns

_ENTRY = re.compile(
    rb"(?P<tag>\S) (?P<mode>[0-7]{6}) (?P<oid>[0-9a-f]{40,64}) (?P<stage>\d)\t(?P<path>[^\0]*)\0"
    rb"\s+ctime: \d+:\d+\s+mtime: (?P<seconds>\d+):(?P<nanoseconds>\d+)\s+dev: \d+\s+ino: \d+\s+uid: \d+\s+gid: \d+"
    rb"\s+size: (?P<size>\d+)\s+flags: [0-9a-f]+\n"
)
_READ_BYTES = 1 << 20
_SUBMODULE, _LINK = b"160000", b"120000"
_NANOSECONDS = 1_000_000_000


class _Entry(NamedTuple):
    """A file of git's index."""

    path: str
    oid: str
    size: int
    mtime_ns: int
    merged: bool


def on_disk(repository: Repository, base: str) -> list[FileChange]:
    """Files on disk that differ from a commit ("" = from nothing), those that git does not track yet included."""
    with ThreadPoolExecutor(2, thread_name_prefix="sightline-git") as pool:  # git looks while we look
        others = pool.submit(_untracked, repository)
        indexed = pool.submit(repository.staged, base)
        moved = {change.path: change for change in _unlike(repository, _entries(repository))}
        staged = {change.path: change for change in indexed.result()}
        untracked = others.result()
    changed: dict[str, FileChange] = {}
    for path, change in staged.items():
        if path not in moved:
            on_disk_now = change.status != "removed" and not change.note
            changed[path] = _as_on_disk(change) if on_disk_now else change
    for path, change in moved.items():
        before = staged.get(path)
        joined = _joined(before, change)
        if joined is not None:
            changed[path] = joined
    for path in untracked:
        removed = staged.get(path)  # taken out of the index, but still there
        old = removed.old_oid if removed is not None else ""
        changed[path] = FileChange(path, "modified" if old else "added", old, on_disk=True)
    return [changed[path] for path in sorted(changed)]


def _as_on_disk(change: FileChange) -> FileChange:
    return FileChange(change.path, change.status, change.old_oid, change.new_oid, on_disk=True)


def _joined(before: FileChange | None, now: FileChange) -> FileChange | None:
    """What differs from the commit, from what differs in the index and what differs on disk; None when nothing does."""
    if before is None:
        return now
    if now.status == "removed":
        return FileChange(now.path, "removed", before.old_oid) if before.old_oid else None
    if before.old_oid and before.old_oid == now.new_oid:
        return None
    return FileChange(now.path, before.status, before.old_oid, now.new_oid, on_disk=True, note=before.note)


def _entries(repository: Repository) -> list[_Entry]:
    listed = repository.ask("ls-files", "-t", "--stage", "-z", "--debug")
    if listed is None:
        raise QueryError("git could not list its index", hint="it was stopped at its limits, or the index is damaged")
    found, end = [], 0
    for match in _ENTRY.finditer(listed):
        if match.start() != end:
            break
        end = match.end()
        tag, mode, oid, stage, path, seconds, nanoseconds, size = match.groups()
        if mode in (_SUBMODULE, _LINK) or tag == b"S":
            continue
        time = int(seconds) * _NANOSECONDS + int(nanoseconds)
        found.append(_Entry(path_of(path), oid.decode(), int(size), time, stage == b"0"))
    if end != len(listed):
        raise QueryError("this git lists its index in an unknown way", hint="compare commits as A..B, or use --staged")
    return found


def _unlike(repository: Repository, entries: list[_Entry]) -> list[FileChange]:
    """Files that are not what git's index holds."""
    written = _index_time(repository)
    found: dict[str, FileChange] = {}
    with Confined(repository.root) as inside:
        for entry in entries:
            status = inside.status(entry.path)
            if status is None or not stat.S_ISREG(status.st_mode):
                found[entry.path] = FileChange(entry.path, "removed", entry.oid)
                continue
            time = mtime_ns(status)
            # Git cuts sizes to 32 bits. A file that was written when the index was, or later, may have changed
            # without a sign of it.
            same = status.st_size & 0xFFFFFFFF == entry.size and time == entry.mtime_ns and time < written
            if same and entry.merged:
                continue
            oid = _oid(inside, entry.path, len(entry.oid))
            if oid != entry.oid or not entry.merged:
                found[entry.path] = FileChange(entry.path, "modified", entry.oid, oid, on_disk=True)
    return list(found.values())


def _index_time(repository: Repository) -> int:
    """When git wrote its index; 0, and so earlier than every file, when that cannot be told."""
    place = repository.tell("rev-parse", "--git-path", "index")
    try:
        return os.stat(repository.root / place).st_mtime_ns if place else 0  # noqa: PTH116
    except OSError:
        return 0


def _oid(inside: Confined, path: str, length: int) -> str:
    """The id that git would give the bytes of a file; "" when it cannot be read."""
    try:
        descriptor, status = inside.open(path)
    except OSError:
        return ""
    digest = hashlib.sha1(usedforsecurity=False) if length == 40 else hashlib.sha256(usedforsecurity=False)
    digest.update(b"blob %d\0" % status.st_size)
    with os.fdopen(descriptor, "rb") as file:
        while block := file.read(_READ_BYTES):
            digest.update(block)
    return digest.hexdigest()


def _untracked(repository: Repository) -> list[str]:
    listed = repository.ask("ls-files", "--others", "--exclude-standard", "-z") or b""
    return [path_of(name) for name in listed.split(b"\0") if name and not name.endswith(b"/")]
