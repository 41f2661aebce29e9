"""The texts of changed files: blobs out of git, files from disk, nothing that is nobody's business.

What the index leaves out by its name (secrets, binaries, generated files) is not read here either, and a file is read
up to the size that the index reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sightline.changes.model import FileChange
from sightline.changes.repository import Repository
from sightline.config import Config
from sightline.indexer.files import skip
from sightline.indexer.files.confine import is_plain, read_bytes

_LFS = b"version https://git-lfs"
_MAX_BLOBS = 4_000  # of one comparison: 40 times the largest review anybody reads
_MAX_BYTES = 100_000_000  # of blobs in one answer


@dataclass(frozen=True, slots=True)
class Sides:
    """The two texts of a changed file; None where there is no such side."""

    change: FileChange
    old: bytes | None
    new: bytes | None

    @property
    def same(self) -> bool:
        """Whether the texts differ in their line ends alone."""
        if self.old is None or self.new is None:
            return False
        return self.old == self.new or self.old.replace(b"\r\n", b"\n") == self.new.replace(b"\r\n", b"\n")


def why_not(path: str) -> str:
    """Why the symbols of a file are not compared, by its path alone; "" when they are."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return skip.NAME_NOT_UTF8
    if not is_plain(path):
        return "a path that no file of a root has"
    if not skip.PRUNED_FOLDERS.isdisjoint(path.split("/")[:-1]):
        return "in a folder that is never indexed"
    return skip.by_name(path)


def sides_of(config: Config, repository: Repository, changes: Iterable[FileChange]) -> Iterator[Sides | FileChange]:
    """Both texts of each change; the change alone, with a note, where they are not to be had."""
    wanted = [change for change in changes if not change.note]
    oids = {oid for c in wanted if not why_not(c.path) for oid in (c.old_oid, "" if c.on_disk else c.new_oid) if oid}
    texts = dict(blobs(repository, oids, config.max_file_bytes))
    for change in wanted:
        reason = why_not(change.path)
        old = texts.get(change.old_oid) if change.old_oid else None
        new = _new(config, change, texts)
        if not reason and change.status != "added" and old is None:
            reason = "too large, or git has no copy of it here"
        if not reason and change.status != "removed" and new is None:
            reason = "too large, or it cannot be read"
        if not reason and old is not None and old.startswith(_LFS):
            reason = "kept by Git LFS"
        if reason:
            yield _noted(change, reason)
        else:
            yield Sides(change, old, new)


def blobs(repository: Repository, oids: Iterable[str], max_bytes: int) -> Iterator[tuple[str, bytes]]:
    """The contents of blobs that are not too large; those that git does not have are left out."""
    wanted = sorted(set(oids))[:_MAX_BLOBS]
    if not wanted:
        return
    asked = "".join(f"{oid}\n" for oid in wanted).encode()
    known = repository.ask("cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)", given=asked) or b""
    small, total = [], 0
    for line in known.decode("ascii", "replace").splitlines():
        oid, kind, size = (*line.split(" "), "", "")[:3]
        if kind == "blob" and size.isdigit() and int(size) <= max_bytes and total + int(size) <= _MAX_BYTES:
            small.append(oid)
            total += int(size)
    if not small:
        return
    answer = repository.ask("cat-file", "--batch", given="".join(f"{oid}\n" for oid in small).encode()) or b""
    at = 0
    while (end := answer.find(b"\n", at)) >= 0:
        oid, _, size = answer[at:end].decode("ascii", "replace").split(" ")
        yield oid, answer[end + 1 : end + 1 + int(size)]
        at = end + 1 + int(size) + 1


def _new(config: Config, change: FileChange, texts: dict[str, bytes]) -> bytes | None:
    if change.status == "removed":
        return None
    if not change.on_disk:
        return texts.get(change.new_oid)
    if why_not(change.path):
        return None
    try:
        data = read_bytes(config.root, change.path, config.max_file_bytes + 1)
    except OSError:
        return None  # it went meanwhile, or it is no file of the root
    return data if len(data) <= config.max_file_bytes else None


def _noted(change: FileChange, reason: str) -> FileChange:
    return FileChange(change.path, change.status, change.old_oid, change.new_oid, change.on_disk, False, reason)
