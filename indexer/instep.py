"""Seeing that an index is in step with the disk, without opening it.

The engines take longer to load than comparing a few thousand files does, and mostly nothing has changed. So whoever
brought an index up to date leaves a note beside it: size and time of every file at that generation. Where it is there,
belongs to the newest generation and every file is as it says, the index only has to be whole, which its seal tells.
Where some files are not, whoever opens the index need not look at the others again. Whatever else is not as expected
means that the index is opened as if there were no note.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import sightline
from sightline.errors import CorruptIndexError, FormatVersionError
from sightline.indexer.files.compare import unchanged
from sightline.indexer.files.walk import walk
from sightline.store.manifest import DAMAGED, PENDING, TABLES, Manifest, read_json, read_manifest, write_json
from sightline.store.seal import LEXICAL, Guard

if TYPE_CHECKING:
    from sightline.config import Config
    from sightline.types import FileRecord

_NOTE = "files.json"
_LARGE_TABLE = 64  # files of a table: with more it may be time to compact it, which is the writer's to decide
_logger = logging.getLogger(__name__)


class _Known(NamedTuple):
    """What the note says of a file."""

    size_bytes: int
    mtime_ns: int
    content_hash: str  # or anything in its place: only whether there is one counts
    state: str
    reason: str


def leave_note(index_dir: Path, manifest: Manifest, records: Iterable[FileRecord]) -> None:
    """Say what a generation knows of its files; without it nothing but time is lost, so that failing is no error."""
    files = {r.path: (r.size_bytes, r.mtime_ns, r.content_hash[:1], r.state, r.reason) for r in records}
    try:
        write_json(
            index_dir / _NOTE, {"index_id": manifest.index_id, "generation": manifest.generation, "files": files}
        )
    except (OSError, UnicodeError) as error:
        _logger.debug("no note on the files of the index is left: %s", error)


class Compared(NamedTuple):
    """A complete generation of ours, and the files that it does not know as they are."""

    manifest: Manifest
    differing: frozenset[str]

    def is_of(self, manifest: Manifest) -> bool:
        """Whether it is still the newest generation that was compared."""
        return (manifest.index_id, manifest.generation) == (self.manifest.index_id, self.manifest.generation)


def compare(config: Config, embedder_id: Callable[[], str]) -> Compared | None:
    """Compare the newest generation with the disk; whole if nothing differs. None where that is open."""
    index_dir = config.index_dir
    try:
        manifest = read_manifest(index_dir)
        known = _known(index_dir, manifest)
        if manifest is None or known is None or not _settled(index_dir, manifest):
            return None
        found = walk(config)
        differing = {file.path for file in found if not unchanged(file, known.get(file.path))}
        differing |= known.keys() - {file.path for file in found}
        if manifest.embedder_id != embedder_id() or not config.root.is_dir():
            return None
        if differing:  # whoever opens the index looks through it
            return Compared(manifest, frozenset(differing))
        guard = Guard(index_dir, manifest.sealed, manifest.lexicons)
        for table in TABLES:
            guard.table(table)
        for table in LEXICAL:
            guard.lexical(table, settled=lambda: True)
        return Compared(manifest, frozenset()) if read_manifest(index_dir) == manifest else None
    except (CorruptIndexError, FormatVersionError, OSError) as error:
        _logger.debug("the index is opened to see whether it is in step: %s", error)
        return None


def _known(index_dir: Path, manifest: Manifest | None) -> dict[str, _Known] | None:
    if manifest is None:
        return None
    note = read_json(index_dir / _NOTE)
    if note is None or (note.get("index_id"), note.get("generation")) != (manifest.index_id, manifest.generation):
        return None
    try:
        return {path: _Known(*file) for path, file in note["files"].items()}
    except (KeyError, TypeError, AttributeError) as error:
        raise CorruptIndexError(f"{_NOTE} is damaged") from error


def _settled(index_dir: Path, manifest: Manifest) -> bool:
    """Whether there is nothing to go on with, to repair or to tidy up."""
    if manifest.state != "ready" or manifest.made_by != sightline.__version__:
        return False
    if any((index_dir / name).exists() for name in (PENDING, DAMAGED)):
        return False
    data = [file.split("/")[1] for file in manifest.sealed if "/data/" in file]
    return max((data.count(table) for table in set(data)), default=0) <= _LARGE_TABLE
