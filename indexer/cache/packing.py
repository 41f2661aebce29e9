"""A file's entry as bytes, and back: columns as JSON, deflated, then facts, their keys and vectors as they are.

It is data, whatever the bytes are: nothing in it is ever executed, and what does not add up is no entry. Vectors are
kept as the store keeps them, a byte per number, so that an index made from them has the same bytes as one made without.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt
import xxhash

from sightline.store.schema import narrowed
from sightline.types import Chunk, FileEntry, FileRecord, Object

if TYPE_CHECKING:
    from sightline.types import Vector

_MAGIC = b"SLA2"
_HEAD = struct.Struct(
    "<4s8s7I"
)  # magic, xxh3 of the rest; lengths of columns, facts and keys, rows and width of vectors
_LEVEL = 1
_MAX_COLUMNS = 64_000_000  # inflated; a file is at most a megabyte
_OF_CHUNK = tuple(field.name for field in fields(Chunk) if field.name not in ("path", "language"))
_OF_OBJECT = tuple(field.name for field in fields(Object) if field.name not in ("path", "language"))
_T = TypeVar("_T", Chunk, Object)


class DamagedError(ValueError):
    """The bytes are not those of an entry."""


def pack(key: bytes, entry: FileEntry, object_width: int) -> bytes:
    """Write an entry down, with object vectors as wide as the store keeps them."""
    body = {
        "errors": entry.record.parse_errors,
        "chunks": [[getattr(chunk, name) for chunk in entry.chunks] for name in _OF_CHUNK],
        "objects": [[getattr(obj, name) for obj in entry.objects] for name in _OF_OBJECT],
    }
    columns = zlib.compress(json.dumps(body, separators=(",", ":")).encode(), _LEVEL)
    chunks, objects = _narrow(entry.chunk_vectors, None), _narrow(entry.object_vectors, object_width)
    shapes = (*chunks.shape, *objects.shape)
    rest = columns + entry.facts + entry.gives + chunks.tobytes() + objects.tobytes()
    lengths = (len(columns), len(entry.facts), len(entry.gives), *shapes)
    return _HEAD.pack(_MAGIC, _check(key, lengths, rest), *lengths) + rest


def unpack(key: bytes, data: bytes, record: FileRecord) -> FileEntry:
    """Read an entry back, for the file that `record` describes; DamagedError when it is not what was written."""
    try:
        magic, check, *lengths = _HEAD.unpack_from(data)
        rest = memoryview(data)[_HEAD.size :]
        if magic != _MAGIC or check != _check(key, lengths, rest):
            raise DamagedError("not as it was written")
        columns, facts, keys, chunk_rows, chunk_width, object_rows, object_width = lengths
        inflater = zlib.decompressobj()
        body = json.loads(inflater.decompress(rest[:columns], _MAX_COLUMNS))
        at = columns + facts + keys
        of_chunks = _wide(rest[at : at + chunk_rows * chunk_width], chunk_rows, chunk_width)
        at += chunk_rows * chunk_width
        of_objects = _wide(rest[at : at + object_rows * object_width], object_rows, object_width)
        return FileEntry(
            replace(record, parse_errors=bool(body["errors"])),
            _items(Chunk, _OF_CHUNK, body["chunks"], record),
            of_chunks,
            _items(Object, _OF_OBJECT, body["objects"], record),
            of_objects,
            bytes(rest[columns : columns + facts]),
            bytes(rest[columns + facts : columns + facts + keys]),
        )
    except (struct.error, zlib.error, ValueError, TypeError, KeyError, RecursionError) as error:
        raise DamagedError(str(error)) from error


def _check(key: bytes, lengths: Sequence[int], rest: bytes | memoryview) -> bytes:
    digest = xxhash.xxh3_64(key + repr(list(lengths)).encode())
    digest.update(rest)
    return digest.digest()


def _items(make: type[_T], names: Sequence[str], columns: list[list[Any]], record: FileRecord) -> list[_T]:
    place: dict[str, Any] = {"path": record.path, "language": record.language}
    return [make(**place, **dict(zip(names, row, strict=True))) for row in zip(*columns, strict=True)]


def _narrow(vectors: Vector | None, width: int | None) -> npt.NDArray[np.int8]:
    if vectors is None or not len(vectors):
        return np.zeros((0, 0), np.int8)
    cut = vectors[:, :width]
    # As the store does it: a row that is not finite has no vector, which is said by zeros.
    finite = np.asarray(np.isfinite(cut)).all(axis=1, keepdims=True)
    return narrowed(np.where(finite, cut, 0))


def _wide(data: memoryview, rows: int, width: int) -> Vector | None:
    if not rows:
        return None
    return np.frombuffer(data, np.int8).reshape(rows, width).astype(np.float32)
