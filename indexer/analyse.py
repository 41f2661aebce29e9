"""One file → all that can be said of it alone: read, parse, outline, chunk, extract, embed.

Pure but for reading the file, so it runs as well in a worker process as in this one. The GIL is held while a grammar
parses (FACTS), therefore bulk work goes to spawned processes; a handful of files is quicker done here than sent away.
"""

from __future__ import annotations

import logging
import multiprocessing
import multiprocessing.connection
import os
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from sightline.config import Config
from sightline.embed import Embedder, load_embedder
from sightline.errors import SightlineError
from sightline.graph.extract import extract
from sightline.indexer.chunk import chunk
from sightline.indexer.collector import collect_rarely
from sightline.indexer.read import Skipped, read
from sightline.indexer.walk import Candidate
from sightline.languages import outline, parse
from sightline.tokens import words
from sightline.types import Chunk, FileEntry, FileRecord, Object

logger = logging.getLogger(__name__)

CRASHED = "crashes its parser"
BULK_FILES = 48  # from so many files on, starting worker processes (~1 s) pays
_FOUND_BY_NAME = frozenset({"constant"})  # objects without a body to describe: no vector
HEAD_FILES = 40  # of a bulk, analysed here while the worker processes start
_TASK_FILES = 16  # files per task: few enough to spread the load, enough to hide the pickling
_AHEAD_GROUPS = 64  # groups that workers may be ahead: enough to be busy during a commit, little enough to hold
_MAX_WORKERS = 8  # more processes than that and the committing process is the bottleneck


def analyse(config: Config, candidate: Candidate, known_hash: str = "") -> FileEntry:
    """Analyse one file. When its content is what `known_hash` says, the entry carries the record alone."""
    source = read(config, candidate)
    if isinstance(source, Skipped):
        return FileEntry(_record_of_skipped(candidate, source))
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


def _record_of_skipped(candidate: Candidate, skipped: Skipped) -> FileRecord:
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


@dataclass(frozen=True, slots=True)
class Task:
    """A file to analyse and the content hash the index has for it."""

    candidate: Candidate
    known_hash: str


class Analyser:
    """Runs `analyse` here or in worker processes; close it to end them."""

    def __init__(self, config: Config, embedder: Embedder | None) -> None:
        self._config, self._embedder = config, embedder
        # A static model is quick to load and single-threaded, so every worker embeds for itself; a transformer has
        # threads of its own and stays in one process.
        self._embed_in_workers = embedder is not None and config.embedder == "static"
        self._pool: ProcessPoolExecutor | None = None

    def run(self, tasks: Sequence[Task]) -> Iterator[FileEntry]:
        """Analyse files; entries come in the order of the tasks."""
        if len(tasks) < BULK_FILES or self._workers() < 2:
            entries = [analyse(self._config, task.candidate, task.known_hash) for task in tasks]
            yield from embed_entries(entries, self._embedder)
            return
        head, rest = tasks[:HEAD_FILES], tasks[HEAD_FILES:]
        groups = [rest[start : start + _TASK_FILES] for start in range(0, len(rest), _TASK_FILES)]
        futures = deque(self._submit(group) for group in groups[:_AHEAD_GROUPS])
        yield from embed_entries(
            [analyse(self._config, task.candidate, task.known_hash) for task in head], self._embedder
        )
        for number, group in enumerate(groups):
            try:
                entries = futures.popleft().result()
            except (BrokenProcessPool, CancelledError):  # a grammar crashed its process; this future or an earlier one
                self.release()
                entries = [self._alone(task) for task in group]
            if number + _AHEAD_GROUPS < len(groups):
                futures.append(self._submit(groups[number + _AHEAD_GROUPS]))
            yield from entries if self._embed_in_workers else embed_entries(entries, self._embedder)

    def _submit(self, group: Sequence[Task]) -> Future[list[FileEntry]]:
        try:
            return self._started().submit(_analyse_group, group)
        except BrokenProcessPool:  # a process was killed since the last batch
            self.release()
            return self._started().submit(_analyse_group, group)

    def _alone(self, task: Task) -> FileEntry:
        """Analyse one file by itself, so that the one that crashes its process is found and counted."""
        try:
            return self._submit([task]).result()[0]
        except BrokenProcessPool:
            self.release()
            self._check_workers()
            logger.error("%s crashes its parser and is left out", task.candidate.path)
            return FileEntry(_record_of_skipped(task.candidate, Skipped(task.candidate.path, "failed", CRASHED)))

    def _check_workers(self) -> None:
        """Make sure that it was the file: where no process can be started at all, no file is to blame."""
        try:
            self._started().submit(os.getpid).result()
        except BrokenProcessPool as error:
            self.release()
            raise SightlineError(
                "worker processes end as soon as they are started", hint="SIGHTLINE_WORKERS=1 does without them"
            ) from error

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            # One thread of linear algebra per worker: the products are small and more threads only spin.
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
            spec = self._config.embedder if self._embed_in_workers else ""
            self._pool = ProcessPoolExecutor(self._workers(), context, _start_worker, (self._config, spec))
        return self._pool

    def release(self) -> None:
        """End the worker processes; they are started again when needed."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def _workers(self) -> int:
        if self._config.workers:
            return self._config.workers
        return min(
            _MAX_WORKERS, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        )


_worker: tuple[Config, Embedder | None] | None = None  # set once in every worker process


def _start_worker(config: Config, embedder_spec: str) -> None:
    global _worker
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _worker = (config, load_embedder(embedder_spec) if embedder_spec else None)
    collect_rarely()


def _end_with_parent() -> None:
    """A worker waits on a queue that it also holds open itself: without this it would outlive a killed parent."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


def _analyse_group(tasks: Sequence[Task]) -> list[FileEntry]:
    assert _worker is not None
    config, embedder = _worker
    return embed_entries([analyse(config, task.candidate, task.known_hash) for task in tasks], embedder)
