"""Files → entries, here or in worker processes.

The GIL is held while a grammar parses (FACTS), therefore bulk work goes to processes of their own (`worker.py`); a
handful of files is quicker done here than sent away. A file that crashes its parser takes its process along: the files
of its group are then tried one by one, so that the one to blame is found, counted and left out.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future

from sightline.config import Config
from sightline.embed import Embedder
from sightline.errors import SightlineError
from sightline.indexer.analyse import Task, analyse_group, embed_entries, record_of_skipped
from sightline.indexer.read import Skipped
from sightline.types import FileEntry

logger = logging.getLogger(__name__)

CRASHED = "crashes its parser"
BULK_FILES = 48  # from so many files on, starting worker processes (~1 s) pays
HEAD_FILES = 40  # of a bulk, analysed here while the worker processes start
_GROUP_FILES = 16  # few enough to spread the load, enough to hide the pickling
_AHEAD_GROUPS = 64  # groups that workers may be ahead: enough to be busy during a commit, little enough to hold
_MAX_WORKERS = 8  # more processes than that and the committing process is the bottleneck


class Analyser:
    """Runs `analyse` here or in worker processes; `release` ends them."""

    def __init__(self, config: Config, embedder: Embedder | None) -> None:
        self._config, self._embedder = config, embedder
        # A static model is quick to load and single-threaded, so every worker embeds for itself; a transformer has
        # threads of its own and stays in one process.
        self._embed_in_workers = embedder is not None and config.embedder == "static"
        self._pool: WorkerPool | None = None

    def run(self, tasks: Sequence[Task]) -> Iterator[FileEntry]:
        """Analyse files; entries come in the order of the tasks."""
        if len(tasks) < BULK_FILES or self._workers() < 2:
            yield from analyse_group(self._config, self._embedder, tasks)
            return
        head, rest = tasks[:HEAD_FILES], tasks[HEAD_FILES:]
        groups = [rest[start : start + _GROUP_FILES] for start in range(0, len(rest), _GROUP_FILES)]
        pool = self._started()
        futures = deque(pool.submit(group) for group in groups[:_AHEAD_GROUPS])
        yield from analyse_group(self._config, self._embedder, head)
        for number, group in enumerate(groups):
            try:
                entries = futures.popleft().result()
            except WorkerEndedError:
                entries = [self._alone(pool, task) for task in group]
            if number + _AHEAD_GROUPS < len(groups):
                futures.append(pool.submit(groups[number + _AHEAD_GROUPS]))
            yield from entries if self._embed_in_workers else embed_entries(entries, self._embedder)

    def _alone(self, pool: WorkerPool, task: Task) -> FileEntry:
        """Analyse one file by itself, so that the one that crashes its process is found and counted."""
        try:
            return pool.submit([task]).result()[0]
        except WorkerEndedError:
            self._check(pool)
            logger.error("%s crashes its parser and is left out", task.candidate.path)
            return FileEntry(record_of_skipped(task.candidate, Skipped(task.candidate.path, "failed", CRASHED)))

    def _check(self, pool: WorkerPool) -> None:
        """Make sure that it was the file: where no process can be started at all, no file is to blame."""
        try:
            pool.submit([]).result()
        except WorkerEndedError as error:
            hint = "SIGHTLINE_WORKERS=1 does without them"
            raise SightlineError("worker processes end as soon as they are started", hint=hint) from error

    def _started(self) -> WorkerPool:
        if self._pool is None:
            spec = self._config.embedder if self._embed_in_workers else ""
            self._pool = WorkerPool(self._workers(), self._config, spec)
        return self._pool

    def release(self) -> None:
        """End the worker processes; they are started again when needed."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def _workers(self) -> int:
        if self._config.workers:
            return self._config.workers
        available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return min(_MAX_WORKERS, available)


class WorkerEndedError(SightlineError):
    """A worker process ended before it answered."""


Job = tuple[Sequence[Task], "Future[list[FileEntry]]"]


class WorkerPool:
    """Worker processes with a thread each that hands it one group after another."""

    def __init__(self, count: int, config: Config, embedder_spec: str) -> None:
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self.processes: dict[int, subprocess.Popen[bytes]] = {}  # by number of their thread
        self._hello = pickle.dumps((config, embedder_spec))
        self._threads = [
            threading.Thread(target=self._serve, args=(number,), name=f"sightline-worker-{number}", daemon=True)
            for number in range(count)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, group: Sequence[Task]) -> Future[list[FileEntry]]:
        """Have a group analysed by whichever worker is free next."""
        future: Future[list[FileEntry]] = Future()
        self._jobs.put((group, future))
        return future

    def close(self) -> None:
        """Let the groups under way finish, drop the others and end the processes."""
        with contextlib.suppress(queue.Empty):
            while True:
                job = self._jobs.get_nowait()
                if job is not None:
                    job[1].cancel()
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()

    def _serve(self, number: int) -> None:
        """One worker's thread: start the process when there is work, and again when it has died of the work."""
        while (job := self._jobs.get()) is not None:
            group, future = job
            try:
                future.set_result(self._ask(number, group))
            except (OSError, EOFError, pickle.UnpicklingError) as error:
                self._end(number)
                ended = WorkerEndedError("a worker process ended before it answered")
                ended.__cause__ = error
                future.set_exception(ended)
            except Exception as error:  # whoever waits must learn of it, and this thread go on
                logger.exception("a worker's answer could not be read")
                self._end(number)
                future.set_exception(error)
        self._end(number)

    def _ask(self, number: int, group: Sequence[Task]) -> list[FileEntry]:
        process = self.processes.get(number)
        if process is None:
            process = self.processes[number] = self._start()
        assert process.stdin is not None and process.stdout is not None
        pickle.dump(group, process.stdin, pickle.HIGHEST_PROTOCOL)
        process.stdin.flush()
        entries: list[FileEntry] = pickle.load(process.stdout)
        return entries

    def _start(self) -> subprocess.Popen[bytes]:
        # -P: the folder we happen to be in is the user's project, whose modules must not be imported in place of ours.
        # One thread of linear algebra per worker: the products are small and more threads only spin.
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "sightline.indexer.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "OPENBLAS_NUM_THREADS": os.environ.get("OPENBLAS_NUM_THREADS", "1")},
        )
        assert process.stdin is not None
        process.stdin.write(self._hello)
        return process

    def _end(self, number: int) -> None:
        process = self.processes.pop(number, None)
        if process is None:
            return
        assert process.stdin is not None and process.stdout is not None
        with contextlib.suppress(OSError):  # it may have gone with something unsaid
            process.stdin.close()
        process.stdout.close()
        process.wait()
