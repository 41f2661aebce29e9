"""The vectors of files' chunks, objects and relationships, many at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sightline.embed import Embedder
from sightline.graph.build.confidence import WORTH_A_VECTOR
from sightline.tokens import words
from sightline.types import Chunk, FileEntry, Object, Relationship

if TYPE_CHECKING:
    from sightline.types import Vector

_FOUND_BY_NAME = frozenset({"constant"})  # objects without a body to describe: no vector


def chunk_text(chunk_: Chunk) -> str:
    """What a chunk's vector is made from."""
    return f"{chunk_.context}\n{chunk_.text}"


def object_text(obj: Object) -> str:
    """What an object's vector is made from."""
    return f"{' '.join(words(obj.path))}\n{obj.kind} {obj.qualified_name}\n{obj.signature}\n{obj.doc}"


def embed_entries(entries: Sequence[FileEntry], embedder: Embedder | None) -> list[FileEntry]:
    """Add the vectors of chunks and objects of several files, in one batch: three times the speed of file by file."""
    if embedder is None:
        return list(entries)
    described = [[obj for obj in entry.objects if obj.kind not in _FOUND_BY_NAME] for entry in entries]
    texts = [chunk_text(chunk_) for entry in entries for chunk_ in entry.chunks]
    texts += [object_text(obj) for objects in described for obj in objects]
    if not texts:
        return list(entries)
    vectors, embedded = iter(embedder.encode_documents(texts)), []
    chunk_vectors = [_rows(vectors, len(entry.chunks), embedder.dim) for entry in entries]
    for entry, objects, of_chunks in zip(entries, described, chunk_vectors, strict=True):
        of_objects = np.zeros((len(entry.objects), embedder.dim), np.float32)  # zero is stored as null: takes no room
        places = [n for n, obj in enumerate(entry.objects) if obj.kind not in _FOUND_BY_NAME]
        of_objects[places] = _rows(vectors, len(objects), embedder.dim)
        embedded.append(replace(entry, chunk_vectors=of_chunks, object_vectors=of_objects))
    return embedded


def embed_relationships(
    relationships: Sequence[Relationship], embedder: Embedder | None, *, short: bool = False
) -> Vector | None:
    """The vectors of triplets, `short` no wider than they are stored. What is guessed, outside the root or mere
    containment gets zeros, stored as null."""
    if embedder is None or not relationships:
        return None
    width = embedder.short_dim if short else embedder.dim
    vectors = np.zeros((len(relationships), width), np.float32)
    chosen = [n for n, edge in enumerate(relationships) if _worth_a_vector(edge)]
    if chosen:
        vectors[chosen] = embedder.encode_documents([relationships[n].triplet for n in chosen])[:, :width]
    return vectors


def _worth_a_vector(edge: Relationship) -> bool:
    return edge.relationship_type != "contains" and bool(edge.target_id) and edge.confidence >= WORTH_A_VECTOR


def _rows(vectors: Iterator[npt.NDArray[np.float32]], count: int, dim: int) -> npt.NDArray[np.float32]:
    """Take the next rows of a batch."""
    return np.array([next(vectors) for _ in range(count)], np.float32).reshape(count, dim)
