"""Where an index came from: how much of it was analysed for it, and from which other index it began.

A note in the index's folder says so for `status`. It also holds a sketch of the root's files, by which a new work tree
or clone finds the index that is nearest to it among all of a user's: the few smallest of the hashes of path and size.
What two sketches have in common is about what the two roots have in common; comparing hundreds takes milliseconds.
"""

from __future__ import annotations

import heapq
import json
import logging
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import xxhash

from sightline.store.seal import private

_NOTE = "origin.json"
_SKETCH = 256
_LEAST_SHARED = 0.3  # of two sketches: with less in common, most of the work would be to remove the other's files
_MAX_BYTES = 100_000
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Origin:
    """What is known of how an index came about."""

    index_id: str = ""
    analysed: int = 0  # files, since it was begun
    from_cache: int = 0  # files whose content had been analysed before
    from_base: int = 0  # files that were there when it began
    base: str = ""  # what it began from
    sketch: list[int] = field(default_factory=list)


def sketch_of(files: Iterable[tuple[str, int]]) -> list[int]:
    """The sketch of a root, from path and size of its files."""
    hashes = (xxhash.xxh3_64_intdigest(f"{path}\0{size}".encode("utf-8", "surrogateescape")) for path, size in files)
    return sorted(heapq.nsmallest(_SKETCH, hashes))


def shared(one: list[int], other: list[int]) -> float:
    """About which share of the files of both roots they have in common."""
    if not one or not other:
        return 0.0
    both = sorted({*one, *other})[:_SKETCH]
    common = set(one) & set(other)
    return sum(value in common for value in both) / len(both)


def read_origin(index_dir: Path) -> Origin:
    """The note in an index's folder; an empty one when there is none that can be read."""
    try:
        with (index_dir / _NOTE).open("rb") as file:
            raw = json.loads(file.read(_MAX_BYTES))
        origin = Origin(**raw)
    except (OSError, ValueError, TypeError, RecursionError):
        return Origin()
    counts = (origin.analysed, origin.from_cache, origin.from_base)
    fine = all(isinstance(text, str) for text in (origin.index_id, origin.base))
    fine = fine and all(isinstance(count, int) for count in counts) and isinstance(origin.sketch, list)
    return origin if fine and all(isinstance(value, int) for value in origin.sketch) else Origin()


def write_origin(index_dir: Path, origin: Origin) -> None:
    """Leave the note; it is worth nothing by itself, so that failing to is no error."""
    temporary = index_dir / f"{_NOTE}.tmp"
    try:
        with private(temporary) as out:
            out.write(json.dumps(asdict(origin), separators=(",", ":")).encode())
        temporary.replace(index_dir / _NOTE)
    except OSError as error:
        logger.debug("no note on the origin of the index is left: %s", error)


def updated(origin: Origin, index_id: str, analysed: int, from_cache: int) -> Origin:
    """The note after an update; one of another index is begun anew."""
    known = origin if origin.index_id == index_id else Origin(index_id)
    return replace(known, analysed=known.analysed + analysed, from_cache=known.from_cache + from_cache)


def sketches_beside(index_dir: Path) -> dict[Path, list[int]]:
    """The other indexes of a user, by folder, with the sketches of their roots."""
    try:
        folders = [folder for folder in index_dir.parent.iterdir() if folder != index_dir and folder.is_dir()]
    except OSError:
        return {}
    sketches = {folder: read_origin(folder).sketch for folder in folders}
    return {folder: sketch for folder, sketch in sketches.items() if sketch}


def nearest(others: Mapping[Path, list[int]], sketch: list[int]) -> list[Path]:
    """The indexes whose roots are like the one of this sketch, the most alike first."""
    alike = {folder: shared(sketch, other) for folder, other in others.items()}
    chosen = [folder for folder, share in alike.items() if share >= _LEAST_SHARED]
    return sorted(chosen, key=lambda folder: (-alike[folder], str(folder)))
