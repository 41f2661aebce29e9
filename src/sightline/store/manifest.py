"""The manifest: one small file whose atomic replacement is the commit.

It names the generation, the format, the embedder and the version of every table. Next to it, `pending.json` exists only
between the first write of a commit and the replacement of the manifest: whoever opens the index for writing and finds
it knows which paths tantivy may hold too much or too little of. Both carry a hash of themselves; the manifest also
carries the seal of all other files (`seal.py`). A reader that finds damage leaves `damaged.json` for the writer.
"""

from __future__ import annotations

import json
import os
import re
import time
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

import xxhash

from sightline.errors import CorruptIndexError, FormatVersionError
from sightline.store.seal import Lexicon, Seal, private
from sightline.types import IndexState, IndexStatus

FORMAT_VERSION = 10  # of everything in an index folder; another one means rebuild
JOURNAL_PATHS = 2_000  # paths remembered over all journal entries; a reader further behind loads everything
TABLES = ("files", "chunks", "objects", "relationships", "lookups")

_MANIFEST = "manifest.json"
PENDING = "pending.json"
DAMAGED = "damaged.json"
_HASHED = re.compile(rb'\{"xxh3":"([0-9a-f]{16})",')  # what a file of ours begins with; the hash is of the rest
_REPLACE_ATTEMPTS, _REPLACE_PAUSE_S = 20, 0.01  # on Windows a file cannot be replaced while a reader has it open


class Commit(NamedTuple):
    """Which rows one generation replaced. A file's relationships may be replaced without its chunks and objects."""

    generation: int
    entries: list[str]  # files, chunks and objects of these paths
    edges: list[str]  # relationships of these paths
    touched: list[str]  # only the records of these files

    def replaced(self, table: str) -> list[str]:
        """The paths whose rows of a table are new or gone."""
        if table in ("relationships", "lookups"):
            return self.edges
        return [*self.entries, *self.touched] if table == "files" else self.entries


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a snapshot is made of."""

    index_id: str  # a new one whenever an index is begun from nothing: generations of two indexes never mix
    generation: int
    embedder_id: str
    dim: int  # of chunk vectors
    short_dim: int  # of relationship vectors: the leading dimensions, renormalised; objects lie in between
    versions: dict[str, int]  # table → version
    state: IndexState = "ready"
    files_total: int = 0
    rewritten: int = 0  # newest generation in which tables were compacted or restored: row addresses changed
    journal: list[Commit] = field(default_factory=list)  # oldest first
    counts: dict[str, int] = field(default_factory=dict)  # table → rows
    committed_at: float = 0.0  # seconds since the epoch
    format_version: int = FORMAT_VERSION
    made_by: str = ""  # version of Sightline: another one may see more in the same files
    given_up: dict[str, int] = field(default_factory=dict)  # file → questions about it that resolving gave up
    sealed: Seal = field(default_factory=dict)  # every file that this generation consists of
    lexicons: dict[str, Lexicon] = field(default_factory=dict)  # table → what its tantivy index is known by

    def changed_since(self, generation: int) -> dict[str, set[str]] | None:
        """Return per table the paths whose rows were replaced after a generation.

        None when that cannot be told and everything must be read.
        """
        if generation < self.rewritten:
            return None
        needed = [commit for commit in self.journal if commit.generation > generation]
        if [commit.generation for commit in needed] != list(range(generation + 1, self.generation + 1)):
            return None
        return {table: {path for commit in needed for path in commit.replaced(table)} for table in TABLES}

    def status(self) -> IndexStatus:
        """The part of a response that says what it was answered from."""
        return IndexStatus(
            state=self.state,
            generation=self.generation,
            files=self.counts.get("files_indexed", 0),
            files_failed=self.counts.get("files_failed", 0),
            files_total=self.files_total,
        )


def read_manifest(index_dir: Path) -> Manifest | None:
    """Read the manifest; None when nothing was ever committed there."""
    raw = read_json(index_dir / _MANIFEST)
    if raw is None:
        return None
    return manifest_of(raw)


def manifest_of(raw: dict[str, Any]) -> Manifest:
    """A manifest from its data; CorruptIndexError or FormatVersionError when it is none of ours."""
    if raw.get("format_version") != FORMAT_VERSION:
        found = raw.get("format_version")
        raise FormatVersionError(
            f"the index has format {found!r}, this version writes {FORMAT_VERSION}", hint="rebuild it"
        )
    try:
        raw["journal"] = [Commit(*commit) for commit in raw["journal"]]
        raw["sealed"] = {file: (size, digest) for file, (size, digest) in raw["sealed"].items()}
        raw["lexicons"] = {table: Lexicon(*lexicon) for table, lexicon in raw["lexicons"].items()}
        return Manifest(**raw)
    except (TypeError, ValueError, KeyError) as error:
        raise CorruptIndexError(f"{_MANIFEST} is damaged") from error


def write_manifest(index_dir: Path, manifest: Manifest) -> None:
    """Replace the manifest atomically; when this returns the commit is durable."""
    write_json(index_dir / _MANIFEST, {f.name: getattr(manifest, f.name) for f in fields(manifest)})


def manifest_stamp(index_dir: Path) -> tuple[int, int, int] | None:
    """What changes whenever the manifest is replaced; cheap enough to ask on every query."""
    try:
        stat = (index_dir / _MANIFEST).stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return stat.st_mtime_ns, stat.st_ino, stat.st_size


def trim_journal(journal: list[Commit]) -> list[Commit]:
    """Keep the newest commits within the bound."""
    kept: list[Commit] = []
    total = 0
    for commit in reversed(journal):
        total += len(commit.entries) + len(commit.edges) + len(commit.touched) + 1
        if total > JOURNAL_PATHS:
            break
        kept.append(commit)
    return kept[::-1]


def write_pending(index_dir: Path, generation: int, paths: list[str]) -> None:
    """Say which paths the commit under way touches."""
    write_json(index_dir / PENDING, {"generation": generation, "paths": paths})


def read_pending(index_dir: Path) -> tuple[int, list[str]] | None:
    """Return the commit that was under way, if one was interrupted."""
    raw = read_json(index_dir / PENDING)
    if raw is None:
        return None
    try:
        return int(raw["generation"]), [str(path) for path in raw["paths"]]
    except (TypeError, ValueError, KeyError) as error:
        raise CorruptIndexError(f"{PENDING} is damaged") from error


def clear_pending(index_dir: Path) -> None:
    """Say that no commit is under way."""
    (index_dir / PENDING).unlink(missing_ok=True)


def report_damage(index_dir: Path, why: str) -> None:
    """Leave a note for whoever writes: an answer needed something of the index that cannot be read."""
    write_json(index_dir / DAMAGED, {"why": why})


def take_report(index_dir: Path) -> str:
    """Take the note that a reader left; "" when there is none."""
    path = index_dir / DAMAGED
    if not path.exists():
        return ""
    try:
        why = str((read_json(path) or {}).get("why", ""))
    except CorruptIndexError as error:  # then this is the damage
        why = error.message
    path.unlink(missing_ok=True)
    return why or "a part of it cannot be read"


def read_json(path: Path) -> dict[str, Any] | None:
    """A file of ours; None when there is none, CorruptIndexError when it is not as it was written."""
    try:
        content = path.read_bytes()
        raw = json.loads(content)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except ValueError as error:
        raise CorruptIndexError(f"{path.name} is damaged") from error
    except OSError as error:
        raise CorruptIndexError(f"{path.name} cannot be read: {error.strerror or error}") from error
    if not isinstance(raw, dict):
        raise CorruptIndexError(f"{path.name} is damaged")
    hashed = _HASHED.match(content)
    right = hashed is not None and hashed[1].decode() == xxhash.xxh3_64_hexdigest(content[hashed.end() :])
    if not right and raw.get("format_version", FORMAT_VERSION) == FORMAT_VERSION:  # others may do without
        raise CorruptIndexError(f"{path.name} is damaged")
    raw.pop("xxh3", None)
    return raw


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Replace a file of ours atomically and durably, with a hash of itself."""
    temporary = path.with_suffix(".tmp")
    content = json.dumps(value, separators=(",", ":"))[1:].encode()
    with private(temporary) as out:
        out.write(f'{{"xxh3":"{xxhash.xxh3_64_hexdigest(content)}",'.encode() + content)
        out.flush()
        os.fsync(out.fileno())
    for _ in range(_REPLACE_ATTEMPTS):
        try:
            temporary.replace(path)
        except PermissionError:
            time.sleep(_REPLACE_PAUSE_S)
        else:
            return
    temporary.replace(path)
