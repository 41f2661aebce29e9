"""Files of a root, and nothing but files of that root.

Whatever the repository holds, and however it is changed while we look, no link is followed: a path is taken apart and
every folder on the way is opened inside the one before it (`openat` with O_NOFOLLOW), so that a folder or file that is
replaced by a link at any moment is refused by the system itself and never by a check that came too early. Only regular
files are opened: a pipe or device would hold the reader up, or have effects of its own.

Everything that reads a root goes through here: the walk, the ignore files, reading, the comparison with the disk,
quoted source, and the file resource. Where the system cannot open relative to a folder (Windows), the way is checked
for links before and after opening.
"""

from __future__ import annotations

import codecs
import hashlib
import os
import stat
from pathlib import Path
from typing import Self

import xxhash

from sightline.types import FileRecord

_QUICK_CHARS = 32
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
MAX_DEPTH = 128  # folders above a file; nobody's code is deeper, and trees made to exhaust us are
MAX_PATH_BYTES = 3_000  # the system's own limit is 4,096 with the root's path before it
_LAST_NS = 2**63 - 1  # what the index can hold: the year 2262
_HAS_DESCRIPTORS = os.open in os.supports_dir_fd and os.stat in os.supports_dir_fd
# O_PATH: the folders on the way are only passed through. It makes the way half as long (django: 13 instead of 29 µs).
_FOLDER = (
    os.O_RDONLY
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_PATH", 0)
)
_FILE = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
# The root itself may be named by a link: it is what the user chose, not what the repository holds.
_ROOT = _FOLDER & ~getattr(os, "O_NOFOLLOW", 0)
_LISTED = _FOLDER & ~getattr(os, "O_PATH", 0)


def content_hash_of(data: bytes) -> str:
    """The name of a content: a quick hash that tells whether a file has changed, and behind it a cryptographic one, so
    that no repository can make up a file that is taken for a file of another (`indexer/cache`)."""
    return xxhash.xxh3_128_hexdigest(data) + hashlib.blake2b(data, digest_size=16).hexdigest()


def quick_part(content_hash: str) -> str:
    """The xxh3_128 of a content, from its name."""
    return content_hash[:_QUICK_CHARS]


class NotRegularError(OSError):
    """What is there is no regular file."""


def is_plain(path: str) -> bool:
    """Root-relative, normalised and not absurdly deep: `a//b`, `./a`, `../a` and `/a` name nothing of a root."""
    if not path or "\0" in path or (os.sep != "/" and (os.sep in path or ":" in path)):
        return False
    if len(path) > MAX_PATH_BYTES // 4 and len(os.fsencode(path)) > MAX_PATH_BYTES:
        return False
    parts = path.split("/")
    return len(parts) <= MAX_DEPTH + 1 and "" not in parts and "." not in parts and ".." not in parts


def mtime_ns(status: os.stat_result) -> int:
    """When a file was changed, as far as an index can hold it: a file system may claim any year."""
    return min(max(status.st_mtime_ns, -_LAST_NS), _LAST_NS)


def looks_like(status: os.stat_result, record: FileRecord) -> bool:
    """Does a file look as it did when it was indexed?"""
    same = status.st_size == record.size_bytes and mtime_ns(status) == record.mtime_ns
    return same and stat.S_ISREG(status.st_mode)


def as_utf8(data: bytes) -> bytes:
    """A text as UTF-8, if it is in UTF-16."""
    return data.decode("utf-16", "replace").encode("utf-8", "replace") if data.startswith(_UTF16_MARKS) else data


class Confined:
    """A look at the files of one root. It remembers the way to the last folder: paths that come sorted are cheap.

    Keep it for one task only: folders that are replaced meanwhile are still the old ones for it.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._parts: list[str] = []  # the way to the last folder
        self._folders: list[int] = []  # a descriptor for the root and for each of the parts, once something is asked

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the descriptors back."""
        self._leave(0)
        while self._folders:
            os.close(self._folders.pop())

    def status(self, path: str) -> os.stat_result | None:
        """What is at a path, a link being a link; None when nothing of the root is: it is missing or behind a link."""
        try:
            name, folder = self._way(path)
            return os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError:
            return None

    def open(self, path: str) -> tuple[int, os.stat_result]:
        """Open a regular file for reading: its descriptor and status; OSError when there is none inside the root."""
        name, folder = self._way(path)
        descriptor = os.open(name, _FILE, dir_fd=folder)
        try:
            status = os.fstat(descriptor)
            _check_regular(status, path)
            if folder is None:
                self._check_way(path)
                if not os.path.samestat(status, os.lstat(name)):
                    raise FileNotFoundError(f"{path} was replaced while it was opened")
        except OSError:
            os.close(descriptor)
            raise
        return descriptor, status

    def read_bytes(self, path: str, limit: int) -> bytes:
        """The content of a regular file, at most `limit` bytes of it; OSError when there is none inside the root."""
        with os.fdopen(self.open(path)[0], "rb") as file:
            return file.read(limit)

    def entries(self, folder: str) -> list[tuple[str, bool]]:
        """The names in a folder ("" is the root) and whether each is a folder, a link being none; in order."""
        if not _HAS_DESCRIPTORS:
            if folder:
                self._check_way(f"{folder}/.")
            with os.scandir(self._root / folder) as found:
                return sorted((entry.name, _is_folder(entry)) for entry in found)
        parent = self._descend(folder.split("/") if folder else [])
        descriptor = os.open(".", _LISTED, dir_fd=parent)
        try:
            with os.scandir(descriptor) as found:
                return sorted((entry.name, _is_folder(entry)) for entry in found)
        finally:
            os.close(descriptor)

    def _way(self, path: str) -> tuple[str, int | None]:
        """The name to use and the folder it is in; without descriptors the whole path, checked."""
        if not is_plain(path):
            raise FileNotFoundError(f"{path[:200]!r} is not a path of a root")
        if not _HAS_DESCRIPTORS:
            self._check_way(path)
            return str(self._root / path), None
        *parts, name = path.split("/")
        return name, self._descend(parts)

    def _descend(self, parts: list[str]) -> int:
        shared = 0
        for known, part in zip(self._parts, parts, strict=False):
            if known != part:
                break
            shared += 1
        self._leave(shared)
        if not self._folders:
            self._folders.append(os.open(self._root, _ROOT))
        for part in parts[shared:]:
            self._folders.append(os.open(part, _FOLDER, dir_fd=self._folders[-1]))
            self._parts.append(part)
        return self._folders[-1]

    def _leave(self, depth: int) -> None:
        while len(self._parts) > depth:
            self._parts.pop()
            os.close(self._folders.pop())

    def _check_way(self, path: str) -> None:
        folder = self._root
        for part in path.split("/")[:-1]:
            folder = folder / part
            status = os.lstat(folder)
            if not stat.S_ISDIR(status.st_mode) or getattr(status, "st_reparse_tag", False):
                raise NotADirectoryError(f"{folder} is a link or no folder")


def open_file(root: Path, path: str) -> tuple[int, os.stat_result]:
    """Open one regular file of a root for reading; OSError when there is none inside it."""
    if not _HAS_DESCRIPTORS or not is_plain(path):
        with Confined(root) as inside:
            return inside.open(path)
    *parts, name = path.split("/")
    folder = os.open(root, _ROOT)  # the same way as above, with nothing to remember: this is done for every file
    try:
        for part in parts:
            above, folder = folder, os.open(part, _FOLDER, dir_fd=folder)
            os.close(above)
        descriptor = os.open(name, _FILE, dir_fd=folder)
    finally:
        os.close(folder)
    status = os.fstat(descriptor)
    try:
        _check_regular(status, path)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor, status


def read_bytes(root: Path, path: str, limit: int) -> bytes:
    """The content of one regular file of a root, at most `limit` bytes of it; OSError when there is none inside it."""
    with os.fdopen(open_file(root, path)[0], "rb") as file:
        return file.read(limit)


def _check_regular(status: os.stat_result, path: str) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise NotRegularError(f"{path} is not a regular file")


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False  # it went this moment
