"""Files → entries, always in worker processes; and what they refer to, for many files in the same ones.

A grammar is C code: it holds the GIL while it parses (FACTS), and what it makes of hostile bytes may be a crash, a hang
or gigabytes. So no file is parsed in this process, not even a single edited one. A handful goes to one process that is
kept, so that an edit does not wait for its start; bulk goes to as many as there are cores, which also make the vectors.
A file that takes its process along is quarantined (`quarantine.py`), and its group goes on in a new process.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import queue
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

from sightline.config import Config
from sightline.embed import Embedder
from sightline.errors import SightlineError
from sightline.graph.build.outcomes import Outcome
from sightline.graph.build.resolve import Resolver
from sightline.graph.build.shared import Shared
from sightline.indexer.analysis import resolving
from sightline.indexer.analysis.analyse import Task, record_of_skipped
from sightline.indexer.analysis.process import Watch, WorkerDiedError, WorkerProcess, end_spares
from sightline.indexer.analysis.quarantine import CRASHES, Suspect
from sightline.indexer.analysis.said import ToResolve
from sightline.indexer.analysis.vectors import embed_entries
from sightline.indexer.files.read import Skipped, unopened
from sightline.memory import shares
from sightline.types import FileEntry

logger = logging.getLogger(__name__)

ENDS_ITS_PROCESS = "ends the process that reads it"
BULK_FILES = 48  # from so many files on, starting more worker processes (~1 s) pays
HEAD_FILES = 40  # of a bulk, after which a first query finds something
_GROUP_FILES = 16  # few enough to spread the load, enough to hide the pickling
_GROUP_BYTES = 500_000  # the same for large files
_MAX_DEATHS = 2  # at one file before it is blamed for what may have come from outside, or from a process's past
# So many files are resolved in several processes: where they are running, and where they would have to be started.
RESOLVED_BESIDE, RESOLVED_BESIDE_ANEW = 48, 400
_GROUPS_RESOLVED_AHEAD = 2  # per process: one that it is at, one that waits for it
_BESIDE_SHARE = 0.75  # of what one process may keep is for several together, each of which has libraries of its own
_LOOK_S = 0.1  # between two looks at whether somebody wants to stop


class StoppedError(SightlineError):
    """The update was asked to stop; what was committed so far stays."""


class Analyser:
    """Has files analysed and resolved; `release` ends the processes for bulk, `close` all of them."""

    def __init__(
        self, config: Config, embedder: Embedder | None, quarantined: dict[Suspect, str] | None = None
    ) -> None:
        self._config, self._embedder = config, embedder
        self._shares = shares(config.memory_mb)
        from sightline.indexer.cache.analysis import AnalysisCache  # needs pyarrow, which whoever writes has by now

        self._cache = AnalysisCache(config, embedder)
        self.from_cache = 0  # files of the last run that needed no analysis, since their content had had one
        # A static model is quick to load and single-threaded, so every worker of a bulk embeds for itself; a
        # transformer has threads of its own and stays in one process.
        self._embed_in_workers = embedder is not None and config.embedder == "static"
        self._quarantined = {} if quarantined is None else quarantined
        self._single: WorkerPool | None = None
        self._bulk: WorkerPool | None = None

    def run(self, tasks: Sequence[Task], *, stopped: Callable[[], bool] = lambda: False) -> Iterator[FileEntry]:
        """Analyse files, those excepted whose content was analysed before; entries come in the order of the tasks."""
        known = self._cache.known(tasks, stopped)
        self.from_cache = 0
        missing = [task for at, task in enumerate(tasks) if at not in known and not task.candidate.skip_reason]
        made = self._made(missing, stopped)
        for at, task in enumerate(tasks):
            if stopped():
                raise StoppedError("indexing was stopped")
            if task.candidate.skip_reason:  # nobody looks into it, so no other process is needed
                yield FileEntry(record_of_skipped(task.candidate, unopened(task.candidate)))
                continue
            if at not in known:
                yield self._kept(next(made))
                continue
            entry = self._cache.entry(known[at])
            self.from_cache += entry is not None and bool(entry.facts)
            yield entry or self._kept(next(self._made([task], stopped)))
        self._cache.flush()

    def _kept(self, entry: FileEntry) -> FileEntry:
        self._cache.keep(entry)
        return entry

    def _made(self, tasks: Sequence[Task], stopped: Callable[[], bool]) -> Iterator[FileEntry]:
        """Entries that worker processes make, in the order of the tasks."""
        if not tasks:
            return
        pool = self.ready(len(tasks))
        yield from self._through(pool, pool.begin(tasks), stopped)

    def _through(
        self, pool: WorkerPool, answers: Iterator[Future[list[FileEntry]]], stopped: Callable[[], bool]
    ) -> Iterator[FileEntry]:
        for answer in answers:
            while not answer.done():
                if stopped():
                    raise StoppedError("indexing was stopped")
                with contextlib.suppress(TimeoutError):
                    answer.result(_LOOK_S)
            entries = answer.result()
            yield from entries if pool.embeds else embed_entries(entries, self._embedder)

    def outcomes(self, resolver: Resolver, paths: Sequence[str]) -> Iterator[Outcome]:
        """What resolving files gives, in their order: of many, from several processes."""
        running = self._bulk is not None
        if self._workers() < 2 or len(paths) < (RESOLVED_BESIDE if running else RESOLVED_BESIDE_ANEW):
            self.release()  # what they take is for the graph here now
            yield from resolver.outcomes(paths)
            return
        with resolver.shared(self._config.index_dir) as shared:
            yield from self._resolved(resolver, shared, paths)

    def _resolved(self, resolver: Resolver, shared: Shared, paths: Sequence[str]) -> Iterator[Outcome]:
        pool, workers = self._started(), self._workers()
        beside = [os.getpid(), *self.pids()]
        room, kept = (
            int(share * _BESIDE_SHARE) // workers for share in (self._shares.facts_bytes, self._shares.evaluations)
        )
        asked = ToResolve(shared, (), room, kept, self._config.memory_mb, beside)
        waiting = deque(resolving.groups([(path, resolver.cost(path)) for path in paths], workers))
        ahead: deque[tuple[list[str], Future[list[tuple[Any, ...]]]]] = deque()
        while waiting or ahead:
            while waiting and len(ahead) < _GROUPS_RESOLVED_AHEAD * workers:
                group = waiting.popleft()
                ahead.append((group, pool.resolve(asked._replace(paths=group))))
            group, answer = ahead.popleft()
            try:
                answered = answer.result()
            except (SightlineError, OSError) as error:
                logger.warning("%d files are resolved here instead: %s", len(group), error)
                yield from resolver.outcomes(group)
            else:
                yield from resolving.outcomes_of(answered)

    def ready(self, files: int = 1) -> WorkerPool:
        """Have the processes for so many files started, if there are none, without waiting for them."""
        if files >= BULK_FILES and self._workers() > 1:
            return self._started()
        if self._single is None:
            self._single = WorkerPool(1, self._config, None, self._quarantined)
        return self._single

    def _started(self) -> WorkerPool:
        if self._bulk is None:
            embedder = self._embedder if self._embed_in_workers else None
            self._bulk = WorkerPool(self._workers(), self._config, embedder, self._quarantined)
        return self._bulk

    def pids(self) -> list[int]:
        """The processes that there are."""
        pools = (pool for pool in (self._single, self._bulk) if pool is not None)
        return [process.pid for pool in pools for process in list(pool.processes.values())]

    def release(self) -> None:
        """End the processes for bulk; they are started again when needed."""
        if self._bulk is not None:
            self._bulk.close()
            self._bulk = None

    def close(self) -> None:
        """End all processes, which are started again when needed, and let go of the cache."""
        self._cache.close()
        self.release()
        if self._single is not None:
            self._single.close()
            self._single = None
        end_spares()

    def _workers(self) -> int:
        return self._config.workers or self._shares.workers


Job = tuple[Callable[[int], Any], "Future[Any]"]  # what to do with the process of that number


class WorkerPool:
    """Worker processes with a thread each that hands it one group after another."""

    def __init__(self, count: int, config: Config, embedder: Embedder | None, quarantined: dict[Suspect, str]) -> None:
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._shares = shares(config.memory_mb)  # how far ahead: enough to be busy during a commit
        self._embedder, self._quarantined = embedder, quarantined
        self.embeds = embedder is not None
        self.processes: dict[int, WorkerProcess] = {}  # by number of their thread
        self._hello = pickle.dumps((config, config.embedder if self.embeds else ""))
        self._closed = False
        self._watch = Watch()
        self._threads = [
            threading.Thread(target=self._serve, args=(number,), name=f"sightline-worker-{number}", daemon=True)
            for number in range(count)
        ]
        for thread in self._threads:
            thread.start()

    def begin(self, tasks: Sequence[Task]) -> Iterator[Future[list[FileEntry]]]:
        """Hand in groups of files, some ahead of what is asked for; their answers come in order."""
        groups = deque(_groups(tasks))
        ahead: deque[tuple[int, Future[list[FileEntry]]]] = deque()

        def hand_in() -> None:
            flying = sum(size for size, _ in ahead)
            while groups and len(ahead) < self._shares.groups_ahead:
                size = sum(task.candidate.size_bytes for task in groups[0])
                if len(ahead) >= len(self._threads) and flying + size > self._shares.ahead_bytes:
                    break
                ahead.append((size, self.submit(groups.popleft())))
                flying += size

        def answers() -> Iterator[Future[list[FileEntry]]]:
            while ahead:
                yield ahead.popleft()[1]
                hand_in()

        hand_in()
        return answers()

    def submit(self, group: Sequence[Task]) -> Future[list[FileEntry]]:
        """Have a group analysed by whichever worker is free next."""
        future: Future[list[FileEntry]] = Future()
        self._jobs.put((partial(self._analysed, tasks=group), future))
        return future

    def resolve(self, asked: ToResolve) -> Future[list[tuple[Any, ...]]]:
        """Have a group resolved by whichever worker is free next."""
        future: Future[list[tuple[Any, ...]]] = Future()
        self._jobs.put((lambda number: self._process(number).resolve(asked), future))
        return future

    def close(self) -> None:
        """End the processes, whatever they are at: nobody waits for it any more."""
        self._closed = True
        with contextlib.suppress(queue.Empty):
            while True:
                job = self._jobs.get_nowait()
                if job is not None:
                    job[1].cancel()
        for _ in self._threads:
            self._jobs.put(None)
        for process in list(self.processes.values()):
            process.kill()
        for thread in self._threads:
            thread.join()
        self._watch.close()

    def _serve(self, number: int) -> None:
        """One worker's thread: it starts the process, again when that has died, and ends it."""
        try:
            self._process(number)
        except OSError as error:  # the first group says so, if there ever is one
            logger.debug("a worker process could not be started: %s", error)
        while (job := self._jobs.get()) is not None:
            work, future = job
            try:
                future.set_result(work(number))
            except (SightlineError, OSError) as error:
                self._end(number)
                future.set_exception(error)
            except Exception as error:  # whoever waits must learn of it, and this thread go on
                logger.exception("a worker's answer could not be read")
                self._end(number)
                future.set_exception(error)
        self._end(number)

    def _analysed(self, number: int, tasks: Sequence[Task]) -> list[FileEntry]:
        """Analyse all of a group, in as many processes as that takes."""
        done: list[FileEntry] = []
        deaths = 0  # at the file that is next
        while len(done) < len(tasks):
            part: list[FileEntry] = []
            try:
                self._ask(number, tasks[len(done) :], part)
            except (WorkerDiedError, OSError) as error:
                self._end(number)
                if self._closed:
                    raise
                part = embed_entries(part, self._embedder)
                deaths = 1 if part else deaths + 1
                if len(done) + len(part) < len(tasks):
                    part += self._blamed(tasks[len(done) + len(part)], error, deaths)
            done += part
        return done

    def _ask(self, number: int, tasks: Sequence[Task], done: list[FileEntry]) -> None:
        process = self._process(number)
        with self._watch.over(process):
            process.analyse(tasks, self._quarantined, done)

    def _blamed(self, task: Task, error: WorkerDiedError | OSError, deaths: int) -> list[FileEntry]:
        """A process died at a file: quarantine it if that is its fault. An entry only when even that did not help."""
        path = task.candidate.path
        logger.warning("at %s: %s (%r)", path, error, error.__cause__)
        suspect = error.suspect if isinstance(error, WorkerDiedError) else None
        certain = isinstance(error, WorkerDiedError) and error.certain and error.reason != CRASHES
        # A crash may come of what an earlier file left in memory; and a file that was not even begun did nothing.
        if (not certain or suspect is None) and deaths < _MAX_DEATHS:
            return []
        if isinstance(error, WorkerDiedError) and suspect is not None and suspect not in self._quarantined:
            logger.error("%s %s: it is indexed by lines until it changes", path, error.reason)
            self._quarantined[suspect] = error.reason
            return []
        self._check()
        logger.error("%s %s and is left out", path, ENDS_ITS_PROCESS)
        return [FileEntry(record_of_skipped(task.candidate, Skipped(path, "failed", ENDS_ITS_PROCESS)))]

    def _check(self) -> None:
        """Make sure that it was the file: where no process can be started at all, no file is to blame."""
        try:
            process = WorkerProcess(self._hello)
            try:
                process.analyse([], {}, [])
            finally:
                process.end()
        except (WorkerDiedError, OSError) as error:
            hint = f"see what {sys.executable} says on stderr"
            raise SightlineError("worker processes end as soon as they are started", hint=hint) from error

    def _process(self, number: int) -> WorkerProcess:
        process = self.processes.get(number)
        if process is None:
            process = self.processes[number] = WorkerProcess(self._hello)
            if self._closed:  # between two looks at it
                process.kill()
        return process

    def _end(self, number: int) -> None:
        process = self.processes.pop(number, None)
        if process is not None:
            process.end()


def _groups(tasks: Sequence[Task]) -> Iterator[Sequence[Task]]:
    """Files that go to a process together, in their order."""
    start = size = 0
    for at, task in enumerate(tasks):
        if at - start == _GROUP_FILES or (at > start and size + task.candidate.size_bytes > _GROUP_BYTES):
            yield tasks[start:at]
            start, size = at, 0
        size += task.candidate.size_bytes
    if start < len(tasks):
        yield tasks[start:]
