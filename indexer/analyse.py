"""One file → all that can be said of it alone: read, parse, outline, chunk, extract, embed.

Pure but for reading the file, so it runs as well in a worker process (`workers.py`) as in this one.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from sightline.config import Config
from sightline.embed import Embedder
from sightline.graph.extract import extract
from sightline.indexer.chunk import chunk
from sightline.indexer.read import Skipped, read
from sightline.indexer.walk import Candidate
from sightline.languages import outline, parse
from sightline.tokens import words
from sightline.types import Chunk, FileEntry, FileRecord, Object

logger = logging.getLogger(__name__)

_FOUND_BY_NAME = frozenset({"constant"})  # objects without a body to describe: no vector


@dataclass(frozen=True, slots=True)
class Task:
    """A file to analyse and the content hash the index has for it."""

    candidate: Candidate
    known_hash: str


def analyse_group(config: Config, embedder: Embedder | None, tasks: Sequence[Task]) -> list[FileEntry]:
    """Analyse files together: embedding them in one batch is three times as fast as one by one."""
    return embed_entries([analyse(config, task.candidate, task.known_hash) for task in tasks], embedder)


def analyse(config: Config, candidate: Candidate, known_hash: str = "") -> FileEntry:
    """Analyse one file. When its content is what `known_hash` says, the entry carries the record alone."""
    source = read(config, candidate)
    if isinstance(source, Skipped):
        return FileEntry(record_of_skipped(candidate, source))
    record = FileRecord(
        path=source.path,
        language=source.language,
        size_bytes=source.size_bytes,
        mtime_ns=source.mtime_ns,
        content_hash=source.content_hash,
        state="indexed",
        reason=source.note,
        lines=source.lines,
        parse_errors=False,
    )
    if source.content_hash == known_hash:
        return FileEntry(record)
    try:
        return _analyse_text(record, source.text)
    except Exception as error:
        logger.exception("%s could not be analysed", source.path)
        return FileEntry(replace(record, state="failed", reason=f"{type(error).__name__}: {error}"[:200]))


def _analyse_text(record: FileRecord, text: bytes) -> FileEntry:
    parsed = parse(record.path, record.language, text)
    outlined = outline(parsed)
    chunks = chunk(parsed, outlined)
    extracted = extract(parsed, outlined)
    record = replace(record, parse_errors=parsed.has_errors)
    return FileEntry(record, chunks, None, extracted.objects, None, extracted.facts)


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


def _rows(vectors: Iterator[npt.NDArray[np.float32]], count: int, dim: int) -> npt.NDArray[np.float32]:
    """Take the next rows of a batch."""
    return np.array([next(vectors) for _ in range(count)], np.float32).reshape(count, dim)


def record_of_skipped(candidate: Candidate, skipped: Skipped) -> FileRecord:
    return FileRecord(
        path=candidate.path,
        language=candidate.language,
        size_bytes=candidate.size_bytes,
        mtime_ns=candidate.mtime_ns,
        content_hash=skipped.content_hash,
        state=skipped.state,
        reason=skipped.reason,
        lines=0,
        parse_errors=False,
    )
