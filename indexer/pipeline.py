"""Journey 1: a file change → the index knows.

`Indexer.update` is the whole of it. A full index, a catch-up after being down and a single edit are the same function
with more or fewer files; there is no second path to keep right.
"""

from __future__ import annotations

import contextlib
import logging
import time
import weakref
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sightline.config import Config
from sightline.embed import Embedder
from sightline.errors import RootError
from sightline.graph.build.confidence import WORTH_A_VECTOR
from sightline.graph.build.resolve import Resolver
from sightline.indexer.analysis.analyse import Task
from sightline.indexer.analysis.quarantine import known
from sightline.indexer.analysis.workers import BULK_FILES, HEAD_FILES, Analyser, StoppedError
from sightline.indexer.collector import rarely_collected
from sightline.indexer.files.walk import Candidate, accepts_all, walk
from sightline.indexer.laps import Laps
from sightline.types import FileRecord, Relationship

if TYPE_CHECKING:
    from sightline.store import Writer  # its import takes a second, which comparing the disk with an index need not pay
    from sightline.types import Vector

logger = logging.getLogger(__name__)

_PAUSE_S = 0.0002  # after each file of the graph's memory: a tenth of what the file takes
_COMMIT_FILES = 1_024  # commits after the first are rare: each costs ~100 ms of fsync


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an update is."""

    phase: str  # "files" or "graph"
    files_done: int
    files_total: int
    bytes_done: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What differs between the disk and the index."""

    tasks: Sequence[Task]  # new, changed or to be tried again
    gone: Sequence[str]

    def __bool__(self) -> bool:
        return bool(self.tasks or self.gone)


@dataclass(frozen=True, slots=True)
class Report:
    """What an update did."""

    generation: int
    files_changed: int
    files_removed: int
    files_total: int
    bytes_read: int
    seconds: float
    stages_s: Mapping[str, float]  # how long each stage took: compare, files, graph, commit, tidy


def plan(candidates: Mapping[str, Candidate | None], records: Mapping[str, FileRecord], *, whole: bool) -> Plan:
    """Compare candidates with what the index knows. With `whole`, files that are no candidates are gone."""
    tasks = [
        Task(candidate, known.content_hash if known is not None and known.state == "indexed" else "")
        for path, candidate in sorted(candidates.items())
        if candidate is not None and not _unchanged(candidate, known := records.get(path))
    ]
    if whole:
        gone = sorted(path for path in records if candidates.get(path) is None)
    else:
        gone = sorted(path for path, candidate in candidates.items() if candidate is None and path in records)
    return Plan(tasks, gone)


def _unchanged(candidate: Candidate, record: FileRecord | None) -> bool:
    if record is None or record.state == "failed":
        return False
    if (record.size_bytes, record.mtime_ns) != (candidate.size_bytes, candidate.mtime_ns):
        return False
    if candidate.skip_reason:
        return record.reason == candidate.skip_reason
    return record.content_hash != ""  # it was read; skipped for its content or indexed


def with_files_below(paths: Collection[str], records: Mapping[str, FileRecord]) -> set[str]:
    """Add the files the index has below these paths: a renamed or deleted folder is reported by its own name alone."""
    folders = tuple(f"{path}/" for path in paths if path not in records)
    below = {known for known in records if known.startswith(folders)} if folders else set()
    return {*paths, *below}


def plan_whole(config: Config, records: Mapping[str, FileRecord]) -> Plan:
    """Compare the whole root with what the index knows; reads no file."""
    return plan({candidate.path: candidate for candidate in walk(config)}, records, whole=True)


class Indexer:
    """Keeps one root's index in step with the disk; owns nothing but the graph's memory and the worker processes."""

    def __init__(self, config: Config, writer: Writer, embedder: Embedder | None) -> None:
        self._config, self._writer, self._embedder = config, writer, embedder
        self._analyser = Analyser(config, embedder, known(writer.records().values()))
        weakref.finalize(self, self._analyser.close)  # processes shall not outlive an indexer that nobody closes
        self._resolver: Resolver | None = None
        self._owed: dict[
            str, bytes | None
        ] = {}  # facts of committed files whose relationships are still to be resolved

    @property
    def owes(self) -> bool:
        """Are there files whose content is committed and whose relationships are not? Any update makes up for it."""
        return bool(self._owed)

    def update(
        self,
        paths: Collection[str] | None = None,
        *,
        progress: Callable[[Progress], None] = lambda _: None,
        stopped: Callable[[], bool] = lambda: False,
        hurried: Callable[[], bool] = lambda: False,
    ) -> Report:
        """Bring the index in step with these paths, or with the whole root. Journey 1.

        When `hurried` says that others wait, the reading of a large graph's memory is put off (`owes`).
        """
        try:
            return self._update(paths, progress, stopped, hurried)
        except BaseException:
            self._resolver, self._owed = None, {}  # it may have missed committed files; `_graph` begins anew
            raise

    def _update(
        self,
        paths: Collection[str] | None,
        progress: Callable[[Progress], None],
        stopped: Callable[[], bool],
        hurried: Callable[[], bool],
    ) -> Report:
        laps, writer = Laps(), self._writer
        if paths is None:
            todo = plan_whole(self._config, writer.records())
        else:
            records = writer.records()
            todo = plan(accepts_all(self._config, with_files_below(paths, records)), records, whole=False)
        # Unmounted or moved away is no reason to forget every file; asked now, since it may have gone during the walk.
        if not self._config.root.is_dir():
            raise RootError(f"{self._config.root} is not there", hint="its index is kept until it comes back")
        if not todo and writer.manifest.state == "ready":
            laps.end("compare")
            return self._report(todo, 0, laps)
        laps.end("compare")
        if todo.tasks:
            self._analyser.ready()  # it starts while the graph's memory is read
        resolver = self._graph()
        with contextlib.nullcontext() if resolver.is_warm and len(todo.tasks) < BULK_FILES else rarely_collected():
            return self._apply(todo, resolver, laps, progress, stopped, hurried)

    def _apply(
        self,
        todo: Plan,
        resolver: Resolver,
        laps: Laps,
        progress: Callable[[Progress], None],
        stopped: Callable[[], bool],
        hurried: Callable[[], bool],
    ) -> Report:
        writer = self._writer
        changed_facts: dict[str, bytes | None] = {**self._owed, **dict.fromkeys(todo.gone)}
        total, done, done_bytes = len(todo.tasks), 0, 0
        expected = len({*writer.records(), *(task.candidate.path for task in todo.tasks)}.difference(todo.gone))
        for path in todo.gone:
            writer.remove(path)
        for task, entry in zip(todo.tasks, self._analyser.run(todo.tasks, stopped=stopped), strict=True):
            if stopped():
                raise StoppedError("indexing was stopped")
            done += 1
            done_bytes += entry.record.size_bytes if entry.record.state == "indexed" else 0
            if task.known_hash and entry.record.content_hash == task.known_hash and not entry.facts:
                writer.touch(entry.record.path, entry.record.mtime_ns)
            else:
                writer.replace(entry)
                changed_facts[entry.record.path] = entry.facts if entry.record.state == "indexed" else None
                if entry.facts and entry.record.state == "indexed":
                    resolver.prepare(entry.record.path, entry.facts)  # while the workers are at the next files
            progress(Progress("files", done, total, done_bytes))
            if _commit_due(done) and done < total:  # the last files are committed with the graph
                writer.commit(state="indexing", files_total=expected)
        laps.end("files")
        progress(Progress("graph", done, total, done_bytes))
        if not resolver.is_warm and total < BULK_FILES:
            if todo:  # nobody shall wait for the graph's memory to find what was just written
                writer.commit(state="indexing", files_total=expected)
            self._owed = changed_facts
            if not resolver.warm(hurried, _let_others_run):
                return self._report(todo, done_bytes, laps)
        for path, relationships in resolver.update(changed_facts).items():
            writer.replace_relationships(path, relationships, self._embed_relationships(relationships))
        laps.end("graph")
        writer.commit(state="ready", files_total=len(writer.records()), given_up=resolver.given_up)
        self._owed = {}
        self._analyser.release()
        laps.end("commit")
        return self._report(todo, done_bytes, laps)

    def _report(self, todo: Plan, bytes_read: int, laps: Laps) -> Report:
        generation, files = self._writer.generation, len(self._writer.records())
        return Report(generation, len(todo.tasks), len(todo.gone), files, bytes_read, laps.total, laps.seconds)

    def warm(self, hurried: Callable[[], bool] = lambda: False) -> bool:
        """Start a worker process and read the graph's memory ahead of the first edit; False when that was left half
        way because others wait."""
        self._analyser.ready()
        with rarely_collected():
            return self._graph().warm(hurried, _let_others_run)

    def close(self) -> None:
        """End the worker processes."""
        self._analyser.close()

    def _graph(self) -> Resolver:
        """The graph's memory of all files; read from the index once. Unless the last update was completed, all
        relationships are resolved anew, since some files may have been committed without theirs."""
        if self._resolver is None:
            self._resolver = Resolver()
            facts = [(path, data) for path, data in self._writer.facts() if data]
            if self._writer.manifest.state == "ready":
                self._resolver.load(facts)
            else:
                for path, relationships in self._resolver.update(dict(facts)).items():
                    self._writer.replace_relationships(path, relationships, self._embed_relationships(relationships))
        return self._resolver

    def _embed_relationships(self, relationships: Sequence[Relationship]) -> Vector | None:
        """Embed triplets. What is guessed, outside the root or mere containment gets zeros, stored as null."""
        if self._embedder is None or not relationships:
            return None
        vectors = np.zeros((len(relationships), self._embedder.dim), np.float32)
        chosen = [n for n, edge in enumerate(relationships) if _worth_a_vector(edge)]
        if chosen:
            vectors[chosen] = self._embedder.encode_documents([relationships[n].triplet for n in chosen])
        return vectors


def _let_others_run() -> None:
    """Give the interpreter away for a moment; unasked it is taken away only every 5 ms, fifty times an answer."""
    time.sleep(_PAUSE_S)


def _worth_a_vector(edge: Relationship) -> bool:
    return edge.relationship_type != "contains" and bool(edge.target_id) and edge.confidence >= WORTH_A_VECTOR


def _commit_due(done: int) -> bool:
    """Early once, so that a first query finds something; then rarely."""
    return done == HEAD_FILES or done % _COMMIT_FILES == 0


def index_root(
    config: Config,
    writer: Writer,
    embedder: Embedder | None,
    *,
    progress: Callable[[Progress], None] = lambda _: None,
) -> Report:
    """Index a root once: open, update, tidy, done."""
    indexer = Indexer(config, writer, embedder)
    try:
        report, laps = indexer.update(progress=progress), Laps()
        writer.tidy()
        laps.end("tidy")
        return replace(report, stages_s={**report.stages_s, **laps.seconds})
    finally:
        indexer.close()
