"""Journey 1: a file change → the index knows.

`Indexer.update` is the whole of it. A full index, a catch-up after being down and a single edit are the same function
with more or fewer files; there is no second path to keep right.
"""

from __future__ import annotations

import logging
import threading
import time
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from sightline.config import Config
from sightline.embed import Embedder
from sightline.errors import RootError
from sightline.graph.build.resolve import Resolver
from sightline.graph.build.spool import sweep
from sightline.indexer.analysis.analyse import Task
from sightline.indexer.analysis.quarantine import known
from sightline.indexer.analysis.vectors import embed_relationships
from sightline.indexer.analysis.workers import BULK_FILES, HEAD_FILES, Analyser, StoppedError
from sightline.indexer.cache.origin import read_origin, sketch_of, updated, write_origin
from sightline.indexer.collector import rarely_collected
from sightline.indexer.files.compare import unchanged
from sightline.indexer.files.walk import Candidate, accepts_all, walk
from sightline.memory import give_back, is_crowded, shares
from sightline.types import FileEntry, FileRecord

if TYPE_CHECKING:
    from sightline.store import Writer  # its import takes a second, which comparing the disk with an index need not pay

logger = logging.getLogger(__name__)

_FORESEEN_FILES = 4  # more edits at once are a change of branch or the like, and nobody waits for a single one of them
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
    files_from_cache: int = 0  # of the changed ones: their content had been analysed before, in this root or another


def plan(candidates: Mapping[str, Candidate | None], records: Mapping[str, FileRecord], *, whole: bool) -> Plan:
    """Compare candidates with what the index knows. With `whole`, files that are no candidates are gone."""
    tasks = [
        Task(candidate, known.content_hash if known is not None and known.state == "indexed" else "")
        for path, candidate in sorted(candidates.items())
        if candidate is not None and not unchanged(candidate, known := records.get(path))
    ]
    if whole:
        gone = sorted(path for path in records if candidates.get(path) is None)
    else:
        gone = sorted(path for path, candidate in candidates.items() if candidate is None and path in records)
    return Plan(tasks, gone)


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
        self._shares = shares(config.memory_mb)
        sweep(config.index_dir)  # nobody else writes there
        self._analyser = Analyser(config, embedder, known(writer.records().values()))
        weakref.finalize(self, self._analyser.close)  # processes shall not outlive an indexer that nobody closes
        self._resolver: Resolver | None = None

    def update(
        self,
        paths: Collection[str] | None = None,
        *,
        progress: Callable[[Progress], None] = lambda _: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Report:
        """Bring the index in step with these paths, or with the whole root. Journey 1."""
        try:
            return self._update(paths, progress, stopped)
        except BaseException:
            self._resolver = None  # it may have missed committed files; `_graph` begins anew
            raise

    def _update(
        self,
        paths: Collection[str] | None,
        progress: Callable[[Progress], None],
        stopped: Callable[[], bool],
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
            self._analyser.ready(len(todo.tasks))  # processes start while the graph's memory is read
        resolver, unresolved = self._graph()
        if len(todo.tasks) + len(unresolved) < BULK_FILES:
            return self._apply(todo, resolver, unresolved, laps, progress, stopped)
        with rarely_collected():
            report = self._apply(todo, resolver, unresolved, laps, progress, stopped)
        give_back()
        return report

    def _apply(
        self,
        todo: Plan,
        resolver: Resolver,
        unresolved: Mapping[str, bytes],
        laps: Laps,
        progress: Callable[[Progress], None],
        stopped: Callable[[], bool],
    ) -> Report:
        writer = self._writer
        changed_facts: dict[str, bytes | None] = {**unresolved, **dict.fromkeys(todo.gone)}
        total, done, done_bytes, committed_bytes, rows, analysed, new = len(todo.tasks), 0, 0, 0, 0, 0, False
        expected = len({*writer.records(), *(task.candidate.path for task in todo.tasks)}.difference(todo.gone))
        for path in todo.gone:
            writer.remove(path)
        for task, entry in zip(todo.tasks, self._analysed(todo.tasks, resolver, stopped), strict=True):
            if stopped():
                raise StoppedError("indexing was stopped")
            done += 1
            done_bytes += entry.record.size_bytes if entry.record.state == "indexed" else 0
            if task.known_hash and entry.record.content_hash == task.known_hash and not entry.facts:
                writer.touch(entry.record.path, entry.record.mtime_ns)
            else:
                writer.replace(entry)
                known_facts = entry.facts if entry.record.state == "indexed" else None
                if task.known_hash or known_facts is not None:  # else the graph never knew it, and still does not
                    prepared = known_facts and resolver.prepare(entry.record.path, known_facts, entry.gives)
                    changed_facts[entry.record.path] = b"" if prepared else known_facts
            progress(Progress("files", done, total, done_bytes))
            analysed += bool(entry.facts)
            new = new or bool(entry.facts)
            rows += len(entry.chunks) + len(entry.objects)
            full = done_bytes - committed_bytes > self._shares.commit_bytes or rows > self._shares.commit_rows
            if (full or _commit_due(done)) and done < total and new:  # the last files are committed with the graph
                writer.commit(state="indexing", files_total=expected)
                committed_bytes, rows, new = done_bytes, 0, False
        laps.end("files")
        if not changed_facts and writer.manifest.state == "ready":  # the times of files are all that differs
            self._analyser.release()
            writer.commit(state="ready", files_total=expected)
            self._completed(analysed, laps)
            return self._report(todo, done_bytes, laps)
        progress(Progress("graph", done, total, done_bytes))
        if len(changed_facts) < BULK_FILES:
            writer.begin()  # while the graph is worked out; of many files readers would be between two states for long
        self._resolve(resolver, changed_facts, expected)
        self._analyser.release()
        laps.end("graph")
        writer.commit(state="ready", files_total=len(writer.records()), given_up=resolver.given_up)
        self._completed(analysed, laps)
        return self._report(todo, done_bytes, laps)

    def _analysed(self, tasks: Sequence[Task], resolver: Resolver, stopped: Callable[[], bool]) -> Iterator[FileEntry]:
        """Entries from the worker processes. A few edits are foreseen meanwhile: this process would only wait."""
        foreseen = [task.candidate.path for task in tasks if task.known_hash] if len(tasks) <= _FORESEEN_FILES else []
        if not foreseen:
            yield from self._analyser.run(tasks, stopped=stopped)
            return
        enough = threading.Event()
        with ThreadPoolExecutor(1, thread_name_prefix="sightline-foresight") as beside:
            expected = beside.submit(resolver.expect, foreseen, enough.is_set)
            try:
                entries = list(self._analyser.run(tasks, stopped=stopped))
            finally:
                enough.set()
            expected.result()
        yield from entries

    def _completed(self, files: int, laps: Laps) -> None:
        """An update is committed: note where its files' analysis came from."""
        laps.end("commit")
        if not self._config.cache_bytes:
            return
        cached = min(self._analyser.from_cache, files)
        origin = updated(read_origin(self._config.index_dir), self._writer.manifest.index_id, files - cached, cached)
        if files >= BULK_FILES or not origin.sketch:  # few files hardly change it
            records = self._writer.records().values()
            indexed = ((record.path, record.size_bytes) for record in records if record.state == "indexed")
            origin = replace(origin, sketch=sketch_of(indexed))
        write_origin(self._config.index_dir, origin)

    def _resolve(self, resolver: Resolver, changed_facts: Mapping[str, bytes | None], expected: int) -> None:
        """Stage the relationships of every file that may differ, and commit them when they become many."""
        staged = 0
        for update in resolver.updates(changed_facts, partial(self._analyser.outcomes, resolver)):
            embedded = update.embedded
            if embedded is None:  # whoever resolved it has no embedder
                embedded = embed_relationships(update.relationships, self._embedder)
            self._writer.replace_relationships(update.path, update.relationships, embedded, update.lookups)
            staged += len(update.relationships)
            if staged > self._shares.commit_relationships:
                self._writer.commit(state="indexing", files_total=expected)
                staged = 0

    def _report(self, todo: Plan, bytes_read: int, laps: Laps) -> Report:
        generation, files = self._writer.generation, len(self._writer.records())
        cached = self._analyser.from_cache if todo.tasks else 0
        return Report(generation, len(todo.tasks), len(todo.gone), files, bytes_read, laps.total, laps.seconds, cached)

    def warm(self) -> None:
        """Start a worker process and read the graph's memory and the places of rows ahead of the first edit."""
        self._analyser.ready()
        self._writer.warm()
        if self._writer.manifest.state == "ready":
            self._graph()

    def close(self) -> None:
        """End the worker processes."""
        self._analyser.close()

    def _graph(self) -> tuple[Resolver, dict[str, bytes]]:
        """The graph's memory of all files, read from the index once, and the facts that it does not have yet: unless
        the last update was completed, those of all files, since some may have been committed unresolved."""
        if self._resolver is not None:
            return self._resolver, {}
        self._resolver = Resolver(
            self._shares.facts_bytes,
            self._shares.evaluations,
            lambda: is_crowded(self._config.memory_mb, self._analyser.pids()),
            self._config.index_dir,
        )
        facts = ((path, data) for path, data in self._writer.facts() if data)
        if self._writer.manifest.state != "ready":
            return self._resolver, dict(facts)
        self._resolver.load(facts, self._writer.lookups(), self._writer.manifest.given_up)
        return self._resolver, {}


def _commit_due(done: int) -> bool:
    """Early once, so that a first query finds something; then rarely."""
    return done == HEAD_FILES or done % _COMMIT_FILES == 0


def index_root(
    config: Config,
    writer: Writer,
    embedder: Embedder | None,
    *,
    paths: Collection[str] | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
) -> Report:
    """Index a root once, or what is known to differ: open, update, tidy, done."""
    indexer = Indexer(config, writer, embedder)
    try:
        report, laps = indexer.update(paths, progress=progress), Laps()
        writer.tidy()
        laps.end("tidy")
        return replace(report, stages_s={**report.stages_s, **laps.seconds})
    finally:
        indexer.close()


class Laps:
    """How long each stage of an update took: a clock that is read at the end of every one."""

    def __init__(self) -> None:
        self._began = self._last = time.monotonic()
        self.seconds: dict[str, float] = {}

    def end(self, stage: str) -> None:
        """A stage has ended, and the next one begins."""
        now = time.monotonic()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._last
        self._last = now

    @property
    def total(self) -> float:
        """Seconds since the first stage began."""
        return time.monotonic() - self._began
