"""One worker process as its parent sees it: asked, looked at while it works, and ended."""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sightline.errors import SightlineError
from sightline.indexer.analysis import quarantine
from sightline.indexer.analysis.analyse import Task
from sightline.indexer.analysis.limits import CLOCK_S, memory_bytes, resident_bytes
from sightline.indexer.analysis.quarantine import Suspect
from sightline.indexer.analysis.said import ToResolve
from sightline.types import FileEntry

_LOOK_S = 0.1 if sys.platform == "linux" else 0.5  # between two looks; elsewhere each one starts a `ps`
_LONG_S = 0.3  # a file that takes less is not looked at: that is all of them


class WorkerDiedError(SightlineError):
    """A worker process ended before it answered."""

    def __init__(self, suspect: Suspect | None, reason: str, *, certain: bool, exit_code: int) -> None:
        super().__init__(f"a worker process ended before it answered, with exit code {exit_code}")
        self.suspect = suspect  # what it was about to parse, None when it was elsewhere
        self.reason = reason
        self.certain = certain  # that the file is to blame, and not somebody who ends processes


class WorkerProcess:
    """A worker process and what is known of the file it is at."""

    def __init__(self, hello: bytes) -> None:
        # Linux ends the process with the thread that started it, so that must be one that lives as long as is wanted.
        self._process = _spare() or _start()
        self._said = hello  # with the first request: a process that could not be started shows then
        self._suspect: Suspect | None = None
        self._since = 0.0  # when the file it is at began; 0 = it is at rest
        self._allowed = 0
        self._held_share = 0.0
        self._ended_for = ""

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def analyse(self, tasks: Sequence[Task], quarantined: Mapping[Suspect, str], done: list[FileEntry]) -> None:
        """Have a group analysed; `done` gets the entries as they come, so that none is lost when the process dies."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(self._said + pickle.dumps((tasks, dict(quarantined)), pickle.HIGHEST_PROTOCOL))
            self._process.stdin.flush()
            self._said = b""
            for task in tasks:
                self._begin(task)
                answer = pickle.load(self._process.stdout)
                while isinstance(answer, tuple):
                    self._suspect = answer
                    answer = pickle.load(self._process.stdout)
                done.append(answer)
            self._suspect = None
            for number, (of_chunks, of_objects) in enumerate(pickle.load(self._process.stdout)):
                done[number] = replace(done[number], chunk_vectors=of_chunks, object_vectors=of_objects)
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            raise self._death() from error
        finally:
            self._since = 0.0

    def resolve(self, asked: ToResolve) -> list[tuple[Any, ...]]:
        """Have files resolved, which takes as long as it takes."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(self._said + pickle.dumps(asked, pickle.HIGHEST_PROTOCOL))
            self._process.stdin.flush()
            self._said = b""
            answer: list[tuple[Any, ...]] = pickle.load(self._process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            raise self._death() from error
        return answer

    def _begin(self, task: Task) -> None:
        self._suspect, self._held_share = None, 0.0
        self._allowed = memory_bytes(task.candidate.size_bytes)
        self._since = time.monotonic()

    def look(self) -> None:
        """End the process when it takes more than a file may; what the kernel counts for itself never comes to that."""
        if not self._since or time.monotonic() - self._since < _LONG_S:
            return
        self._held_share = max(self._held_share, resident_bytes(self.pid) / self._allowed)
        if self._held_share > 1:
            self._ended_for = quarantine.TOO_MUCH_MEMORY
        elif time.monotonic() - self._since > CLOCK_S:
            self._ended_for = quarantine.TOO_LONG
        if self._ended_for:
            self._process.kill()

    def _death(self) -> WorkerDiedError:
        exit_code = self.end()
        if self._ended_for:
            # The clock goes on while a machine is stopped or starved; memory that was seen was really held.
            certain = self._ended_for == quarantine.TOO_MUCH_MEMORY
            return WorkerDiedError(self._suspect, self._ended_for, certain=certain, exit_code=exit_code)
        reason, certain = quarantine.verdict(exit_code, self._held_share)
        return WorkerDiedError(self._suspect, reason, certain=certain, exit_code=exit_code)

    def kill(self) -> None:
        """End the process now, from any thread; whoever waits for its answer learns of it."""
        self._process.kill()

    def end(self) -> int:
        """End the process, whatever it is at, and return its exit code."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with contextlib.suppress(OSError):  # it may have gone with something unsaid
            self._process.stdin.close()
        self._process.stdout.close()
        with contextlib.suppress(subprocess.TimeoutExpired):  # one that died by itself is to say of what
            return self._process.wait(_GRACE_S if self._since else 0)
        self._process.kill()
        return self._process.wait()


class Watch:
    """A thread that looks at the processes that are at work; it rests when none is."""

    def __init__(self) -> None:
        self._at_work: dict[int, WorkerProcess] = {}
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="sightline-watch-workers", daemon=True)
        self._thread.start()

    @contextlib.contextmanager
    def over(self, worker: WorkerProcess) -> Iterator[None]:
        """Look at a process as long as this lasts."""
        with self._changed:
            self._at_work[worker.pid] = worker
            self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                del self._at_work[worker.pid]

    def close(self) -> None:
        """End the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._at_work)
                self._changed.wait_for(lambda: self._closed, _LOOK_S)
                if self._closed:
                    return
                looked_at = list(self._at_work.values())
            for worker in looked_at:
                worker.look()


_GRACE_S = 5.0  # for the kernel to clear away a process that held gigabytes
_spares: list[subprocess.Popen[bytes]] = []


def start_early() -> None:
    """Start a process that the next worker takes over, while whoever needs it still has other things to load."""
    if not _spares:
        with contextlib.suppress(OSError):  # it is going to be said when it is needed
            _spares.append(_start())


def end_spares() -> None:
    """End what was started early and never needed."""
    while (spare := _spare()) is not None:
        assert spare.stdin is not None and spare.stdout is not None
        spare.stdin.close()
        spare.stdout.close()
        spare.kill()
        spare.wait()


def _spare() -> subprocess.Popen[bytes] | None:
    try:
        return _spares.pop()
    except IndexError:
        return None


def _start() -> subprocess.Popen[bytes]:
    # -P: the folder we happen to be in is the user's project, whose modules must not be imported in place of ours.
    # One thread of linear algebra per worker: the products are small and more threads only spin.
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "sightline.indexer.analysis.worker", str(os.getpid())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "OPENBLAS_NUM_THREADS": os.environ.get("OPENBLAS_NUM_THREADS", "1")},
    )
