"""The seal of a generation: size and hash of every file it consists of, so that damage never gives a wrong answer.

The manifest carries the seal. A file is compared with it before anything of it is read, once per process: after that a
stat tells whether it is still the file that was looked at (xxh3 takes 15 ms per 100 MB, a stat 2 µs). Files of LanceDB
and tantivy never change once written, apart from tantivy's `meta.json`: it also changes when a merge ends between two
commits. The segments of such a merge are held to tantivy's own checksums until the next commit seals them.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
import struct
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

import xxhash

from sightline.errors import CorruptIndexError

_BLOCK = 1 << 20
_META = "meta.json"
LEXICAL = ("chunks", "objects", "relationships")  # the tables that tantivy indexes
_COMPONENTS = ("idx", "pos", "term", "store", "fast", "fieldnorm")  # the files of a tantivy segment
_SEGMENT = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_FOOTER = struct.Struct("<II")  # at the end of each: length of the footer before it, a magic number
_FOOTER_MAGIC = 1337
_YOUNG_NS = 100_000_000  # so soon after a change the clock of the disk may not show another one
_MAX_KNOWN = 50_000  # files whose stamps a process remembers
_META_ATTEMPTS = 3  # while merges end
_PRIVATE_FILE, _PRIVATE_FOLDER, _OTHERS = 0o600, 0o700, 0o077

Seal = dict[str, tuple[int, str]]  # path in the index folder, with "/" → size, xxh3
_CRC = "crc"  # what is remembered instead of a hash when tantivy's own checksum was right


class _Stamp(NamedTuple):
    """What changes whenever somebody writes to a file or puts another one in its place."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class Lexicon(NamedTuple):
    """What a tantivy index is known by, whatever its segments: how many documents, and a hash of their schema."""

    documents: int
    shape: str


_known: dict[str, tuple[_Stamp, str]] = {}  # files that were read and found right
_known_lock = threading.Lock()


def _stamp(path: str) -> _Stamp:
    found = os.stat(path)  # noqa: PTH116  # asked of every file at every answer
    return _Stamp(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def _digest(path: str) -> str:
    with Path(path).open("rb", buffering=0) as file:
        if os.fstat(file.fileno()).st_size < _BLOCK:  # most are: an edit writes some forty small files
            return xxhash.xxh3_64_hexdigest(file.read())
        digest, block = xxhash.xxh3_64(), memoryview(bytearray(_BLOCK))
        while count := file.readinto(block):
            digest.update(block[:count])
    return digest.hexdigest()


def _crc_right(path: str) -> bool:
    """Whether a file of tantivy is as its footer says."""
    content = Path(path).read_bytes()
    if len(content) < _FOOTER.size:
        return False
    length, magic = _FOOTER.unpack_from(content, len(content) - _FOOTER.size)
    end = len(content) - _FOOTER.size - length
    if magic != _FOOTER_MAGIC or end < 0:
        return False
    try:
        expected = json.loads(content[end : end + length])["crc"]
    except (ValueError, KeyError, TypeError):
        return False
    return bool(zlib.crc32(memoryview(content)[:end]) == expected)


def _checked(path: str, name: str, expected: tuple[int, str] | None) -> _Stamp | None:
    """Compare a file with its seal, or with its own checksum when it has none; CorruptIndexError when it differs.

    Returns the stamp by which it is known from now on; None while that could hide another change.
    """
    try:
        stamp = _stamp(path)
        wanted = expected[1] if expected is not None else _CRC
        if _known.get(path) == (stamp, wanted):
            return stamp
        began = time.time_ns()
        if expected is None:
            right = _crc_right(path)
        else:
            right = stamp.size == expected[0] and _digest(path) == expected[1]
    except FileNotFoundError as error:
        raise CorruptIndexError(f"{name} is missing") from error
    except OSError as error:
        raise CorruptIndexError(f"{name} cannot be read: {error.strerror or error}") from error
    if not right:
        raise CorruptIndexError(f"{name} is damaged")
    if began - max(stamp.mtime_ns, stamp.ctime_ns) < _YOUNG_NS:
        return None
    with _known_lock:
        if len(_known) >= _MAX_KNOWN:
            _known.clear()
        _known[path] = (stamp, wanted)
    return stamp


class Guard:
    """Compares the files of one generation with its seal: before they are read, and whenever asked again."""

    def __init__(self, index_dir: Path, sealed: Seal, lexicons: dict[str, Lexicon]) -> None:
        self._index_dir, self._sealed, self._lexicons = index_dir, sealed, lexicons
        self._folder = f"{index_dir}{os.sep}"  # paths are put together as text: there are hundreds at every commit
        self._watched: dict[str, _Stamp | None] = {}

    def follow(self, older: Guard | None) -> Guard:
        """Watch every file of this generation, by the stamps of an older one where it has the same files."""
        for file in self._sealed:
            if not file.endswith(f"/{_META}"):
                path = self._folder + file
                self._watched[path] = older._watched.get(path) if older is not None else None
        return self

    def table(self, name: str) -> None:
        """Check the files of a table; CorruptIndexError names the first that is not as it was written."""
        self._check([file for file in self._sealed if file.startswith(f"tables/{name}.lance/")])

    def lexical(self, name: str, *, settled: Callable[[], bool]) -> None:
        """Check the tantivy index of a table; `settled` says whether no commit has changed it since the seal."""
        for _ in range(_META_ATTEMPTS):
            found = _read_meta(self._index_dir, name)
            try:
                self._check_lexical(name, found, settled=settled)
                return
            except CorruptIndexError as error:
                damage = error
                if _read_meta(self._index_dir, name) == found:
                    break  # else a merge has ended meanwhile, and its old segments are gone
        raise damage

    def _check_lexical(self, name: str, found: bytes, *, settled: Callable[[], bool]) -> None:
        meta, label = _parsed(name, found), f"lexical/{name}/{_META}"
        if self._sealed.get(label) != (len(found), xxhash.xxh3_64_hexdigest(found)):
            lexicon, sealed = _lexicon(meta), self._lexicons.get(name)
            if sealed is None or lexicon.shape != sealed.shape or (lexicon.documents != sealed.documents and settled()):
                raise CorruptIndexError(f"{label} is damaged")
        self._check(_segment_files(name, meta))

    def _check(self, files: Iterable[str]) -> None:
        for file in files:
            path = self._folder + file
            self._watched[path] = _checked(path, file, self._sealed.get(file))

    def again(self) -> None:
        """Check once more what was checked before: a stat of each, unless somebody wrote to it."""
        for path, stamp in list(self._watched.items()):
            try:
                if stamp is not None and _stamp(path) == stamp:
                    continue
            except OSError:
                pass  # it is said below what that means
            self._look_closer(path)

    def _look_closer(self, path: str) -> None:
        file = Path(path).relative_to(self._index_dir).as_posix()
        try:
            self._watched[path] = _checked(path, file, self._sealed.get(file))
        except CorruptIndexError:
            area, name, *_ = file.split("/")
            if area != "lexical" or Path(path).exists() or file in lexical_files(self._index_dir, name):
                raise
            self._watched.pop(path, None)  # whoever has it open reads on; another thread may have seen it first


def _sealed_files(index_dir: Path, files: Iterable[str], known: Seal) -> Seal:
    """Seal files, taking over what is `known`: what was written once is never looked at as if it were new."""
    seal: Seal = {}
    for file in files:
        if file in known:
            seal[file] = known[file]
            continue
        path = index_dir / file
        try:
            make_private(path)
            make_private(path.parent)
            seal[file] = (path.stat().st_size, _digest(str(path)))
        except FileNotFoundError as error:
            raise CorruptIndexError(f"{file} is missing") from error
    return seal


def sealed_index(index_dir: Path, datasets: Mapping[str, Any], known: Seal) -> tuple[Seal, dict[str, Lexicon]]:
    """Seal the newest state of an index: tantivy's last commits, and the tables as given, or as they were known."""
    files = [file for file in known if file.startswith("tables/")] if not datasets else []
    files += [file for name, dataset in datasets.items() for file in _table_files(name, dataset, index_dir)]
    seal, lexicons = _sealed_files(index_dir, files, known), {}
    for name in LEXICAL:
        sealed, lexicons[name] = _sealed_lexical(index_dir, name, known)
        seal |= sealed
    return seal, lexicons


def _sealed_lexical(index_dir: Path, name: str, known: Seal) -> tuple[Seal, Lexicon]:
    """Seal the newest commit of a tantivy index, in whose back a merge may end and delete what it has merged."""
    label = f"lexical/{name}/{_META}"
    for _ in range(_META_ATTEMPTS):
        found = _read_meta(index_dir, name)
        meta = _parsed(name, found)
        try:
            make_private(index_dir / label)
            seal = {label: (len(found), xxhash.xxh3_64_hexdigest(found))}
            return seal | _sealed_files(index_dir, _segment_files(name, meta), known), _lexicon(meta)
        except (CorruptIndexError, FileNotFoundError) as error:
            damage = error
            if _read_meta(index_dir, name) == found:
                break
    raise CorruptIndexError(f"the lexical index of {name} is damaged: {damage}") from damage


def _table_files(name: str, dataset: Any, index_dir: Path) -> list[str]:
    """The files that a version of a table consists of."""
    folder = index_dir / "tables" / f"{name}.lance"
    files = [_version_file(folder, dataset.version)]
    for fragment in dataset.get_fragments():
        metadata = fragment.metadata
        files += [f"data/{file.path}" for file in metadata.files]
        if metadata.deletion_file is not None:
            files.append(metadata.deletion_file.path(fragment.fragment_id))
    for index in dataset.describe_indices():
        for segment in index.segments:
            parts = folder / "_indices" / str(segment.uuid)
            files += [f"_indices/{parts.name}/{part.name}" for part in parts.iterdir()]
    return [f"tables/{name}.lance/{file}" for file in files]


def _version_file(folder: Path, version: int) -> str:
    names = (f"{2**64 - 1 - version:020d}.manifest", f"{version}.manifest")  # as LanceDB writes and used to write it
    return f"_versions/{names[0] if (folder / '_versions' / names[0]).exists() else names[1]}"


def lexical_files(index_dir: Path, name: str) -> list[str]:
    """The files that the newest commit of a tantivy index consists of."""
    return [f"lexical/{name}/{_META}", *_segment_files(name, _parsed(name, _read_meta(index_dir, name)))]


def _read_meta(index_dir: Path, name: str) -> bytes:
    try:
        return (index_dir / "lexical" / name / _META).read_bytes()
    except FileNotFoundError as error:
        raise CorruptIndexError(f"lexical/{name}/{_META} is missing") from error
    except OSError as error:
        raise CorruptIndexError(f"lexical/{name}/{_META} cannot be read: {error.strerror or error}") from error


def _parsed(name: str, meta: bytes) -> dict[str, Any]:
    try:
        parsed: dict[str, Any] = json.loads(meta)
        for segment in parsed["segments"]:
            deletes = segment["deletes"] or {"num_deleted_docs": 0, "opstamp": 0}
            numbers = (segment["max_doc"], deletes["num_deleted_docs"], deletes["opstamp"])
            whole = all(type(number) is int for number in numbers)
            if not whole or _SEGMENT.fullmatch(segment["segment_id"]) is None:
                raise ValueError(f"no segment: {segment}")
    except (ValueError, TypeError, KeyError) as error:
        raise CorruptIndexError(f"lexical/{name}/{_META} is damaged") from error
    return parsed


def _lexicon(meta: dict[str, Any]) -> Lexicon:
    documents = sum(
        segment["max_doc"] - (segment["deletes"]["num_deleted_docs"] if segment["deletes"] else 0)
        for segment in meta["segments"]
    )
    shape = json.dumps([meta.get("index_settings"), meta.get("schema")], sort_keys=True)
    return Lexicon(documents, xxhash.xxh3_64_hexdigest(shape.encode()))


def _segment_files(name: str, meta: dict[str, Any]) -> list[str]:
    files = []
    for segment in meta["segments"]:
        number, deletes = segment["segment_id"].replace("-", ""), segment["deletes"]
        files += [f"lexical/{name}/{number}.{component}" for component in _COMPONENTS]
        if deletes is not None:
            files.append(f"lexical/{name}/{number}.{deletes['opstamp']}.del")
    return files


def private(path: Path) -> IO[bytes]:
    """Open a file to write that is made for its owner only."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _PRIVATE_FILE), "wb")


def make_private(path: Path) -> None:
    """Let nobody but the owner read a file or folder."""
    if os.name != "posix":
        return
    mode = path.stat().st_mode
    if stat.S_IMODE(mode) & _OTHERS:
        with contextlib.suppress(PermissionError):  # somebody else's, which we may use all the same
            path.chmod(_PRIVATE_FOLDER if stat.S_ISDIR(mode) else _PRIVATE_FILE)


def make_all_private(index_dir: Path) -> None:
    """Let nobody but the owner read anything of an index."""
    for folder, _, files in os.walk(index_dir):
        for path in (Path(folder), *(Path(folder, file) for file in files)):
            make_private(path)
