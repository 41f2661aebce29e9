"""Keeping one root's index fresh for the life of a process.

Any number of processes may run this on one root. One of them holds the writer lock: it catches up with the disk,
watches, and indexes what changes. The others wait for the lock, so that one of them takes over when the writer goes,
however it goes. Nobody ever fails because somebody else is running.
"""

from __future__ import annotations

import logging
import os
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sightline.config import Config
from sightline.embed import Embedder
from sightline.errors import (
    ConfigError,
    CorruptIndexError,
    FormatVersionError,
    SightlineError,
    StoreError,
    WriterBusyError,
)
from sightline.indexer import base
from sightline.indexer.analysis.process import start_early
from sightline.indexer.analysis.workers import StoppedError
from sightline.indexer.pipeline import Indexer, Progress, Report
from sightline.indexer.watch import EVERYTHING, changes
from sightline.memory import shares
from sightline.store import check_free, read_manifest, take_report, withdraw_writer, writer_pid

if TYPE_CHECKING:
    from sightline.store import Manifest, Writer

logger = logging.getLogger(__name__)

# The delays of a writer and of those who wait to become it; a server's own are in `server/lifecycle.py`.
_ELECTION_S = 0.5  # how often a waiting process asks for the lock: the longest a root is without a writer
_RETRY_S = 5.0  # after the index could not be written (disk full, folder read-only)
_WARM_AFTER_S = 1.0  # of quiet before the graph's memory is read: whoever started this process has questions first
_TIDY_AFTER_S = 10.0  # of quiet before tables are compacted and vector indexes built
_TIDY_AFTER_UPDATES = 256  # without any quiet: a file that changes every few seconds must not let the index rot
_TIDY_AGAIN_S = 90.0  # of quiet after a compaction: by then nobody reads the old versions, which can be deleted
_IDLE_S = 0.25  # without work between two looks at the manifest, at reports of damage and at what quiet is for
_LOOK_S = 0.05  # between two looks at whether patience has run out
_OFTEN, _OFTEN_S = 10, 60.0  # damages in so many seconds, from which on another rebuild waits
_BUSY_TIMES = 6  # how much longer than by its own work somebody waits at most
NO_EMBEDDER_ID, NO_EMBEDDER_DIM = "none", 8  # an index without vectors still has the column


@dataclass(frozen=True, slots=True)
class ServiceStatus:
    """What the service is doing, for `status` and progress notifications."""

    role: str  # "writer", "reader" or "stopped"
    progress: Progress | None  # of the update under way
    queued: int  # changed paths that wait; the whole root counts as one
    last_report: Report | None
    error: str  # why the index cannot be written at present, "" when it can
    rebuilt: str = ""  # why the index is being built anew, "" when it is not or when that is over


class _Patience:
    """Runs out after some seconds of this process's own work: on a machine that is busy with other things an update
    takes longer by the clock, and an answer that does not wait for it would show lines that are gone."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._clock, self._work = time.monotonic(), time.process_time()

    def left(self) -> bool:
        """Whether to go on waiting."""
        waited = time.monotonic() - self._clock
        worked = time.process_time() - self._work
        return waited < self._seconds or (worked < self._seconds and waited < self._seconds * _BUSY_TIMES)


class _Damage:
    """What was found to be damaged while the index was open."""

    def __init__(self) -> None:
        self.not_found = ""  # damage that opening the index did not find although it looked through all of it
        self._index_id = ""
        self._times: list[float] = []

    def comes_often(self, error: CorruptIndexError, index_id: str) -> bool:
        """Note damage; True when it comes again and again, so that it cannot be the index."""
        self.not_found = error.message if index_id == self._index_id else ""
        self._index_id = index_id
        now = time.monotonic()
        self._times = [moment for moment in self._times if now - moment < _OFTEN_S] + [now]
        return len(self._times) > _OFTEN


def open_writer(
    config: Config,
    embedder: Embedder | None,
    *,
    stopped: Callable[[], bool] = lambda: False,
    rebuild: str = "",
    keep_embedder: bool = False,
    beside: bool = True,
) -> Writer:
    """Open the writer of a root's index with the embedder's identity; StoppedError when it is not wanted any more.

    With a reason to `rebuild`, the index is begun anew whatever it looks like; where there is none, it may begin with
    that of another root, unless it is to have nothing from `beside`. An embedder that cannot be loaded today
    is no reason to throw away the vectors it made yesterday. With `keep_embedder` an index that was made with another
    one is not thrown away either: that is a ConfigError.
    """
    first = not config.index_dir.exists()
    check_free(config.index_dir)
    if first and not base.is_likely(config, beside=beside):
        start_early()  # there is much to parse; who only catches up may find that nothing changed
    from sightline.store import Writer  # takes a second to import, which a process that only follows need not pay

    if stopped():
        raise StoppedError("indexing was stopped before it began")
    manifest = _readable_manifest(config)
    if embedder is None and config.embedder != "none":
        if manifest is not None and manifest.embedder_id != NO_EMBEDDER_ID:
            raise StoreError(
                f"the embedder {config.embedder} cannot be loaded, so the index is left as it is",
                hint="mend the embedder, or choose `--embedder none` to index without vectors",
            )
    elif keep_embedder and manifest is not None:
        _check_embedder(manifest.embedder_id, NO_EMBEDDER_ID if embedder is None else embedder.id)
    name, dim, short_dim = NO_EMBEDDER_ID, NO_EMBEDDER_DIM, NO_EMBEDDER_DIM
    if embedder is not None:
        name, dim, short_dim = embedder.id, embedder.dim, embedder.short_dim
    return Writer.open(
        config.index_dir,
        embedder_id=name,
        dim=dim,
        short_dim=short_dim,
        rebuild=rebuild,
        heap_bytes=shares(config.memory_mb).heap_bytes,
        begin=lambda say: base.begin(config, name, dim, short_dim, say, beside=beside),
    )


def _check_embedder(made_with: str, chosen: str) -> None:
    """Refuse an index of another embedder; another version of the built-in one is the same choice."""
    if made_with != chosen and not made_with.partition(":")[0] == chosen.partition(":")[0] == "static":
        raise ConfigError(
            f"the index was made with the embedder {made_with}, and {chosen} was chosen",
            hint="choose that one with --embedder or SIGHTLINE_EMBEDDER; `sightline index` builds it anew with another",
        )


def _readable_manifest(config: Config) -> Manifest | None:
    try:
        return read_manifest(config.index_dir)
    except (CorruptIndexError, FormatVersionError):  # nothing to be spared
        return None


class IndexService:
    """A background thread that writes the index if it may, and waits to if it may not."""

    def __init__(self, config: Config, embedder: Callable[[], Embedder | None], *, watch: bool = True) -> None:
        self._config, self._embedder, self._watch = config, embedder, watch
        self._stop = threading.Event()
        self._requests: queue.Queue[tuple[frozenset[str] | None, Future[bool]]] = queue.Queue()
        self._status = ServiceStatus("reader", None, 0, None, "")
        self._caught_up = threading.Event()
        self._elected = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin in the background."""
        self._thread = threading.Thread(target=self._run, name="sightline-indexer", daemon=True)
        self._thread.start()

    def stop_soon(self) -> None:
        """Ask it to stop, without waiting."""
        self._stop.set()

    def stop(self, timeout_s: float = 10.0) -> None:
        """Stop, letting a commit under way finish; safe to call twice."""
        self.stop_soon()
        if self._thread is None:
            return
        self._thread.join(timeout_s)
        if self._thread.is_alive() and writer_pid(self._config.index_dir) == os.getpid():
            withdraw_writer(self._config.index_dir)  # whoever stops us goes now, in the middle of a commit if need be

    def status(self) -> ServiceStatus:
        with self._requests.mutex:
            waiting = [paths for paths, _ in self._requests.queue]
        return replace(self._status, queued=sum(1 if paths is None else len(paths) for paths in waiting))

    def wait_caught_up(self, timeout_s: float) -> bool:
        """Wait until this process, as the writer, has caught up with the disk; False after the timeout."""
        return self._caught_up.wait(timeout_s)

    def refresh(self, paths: frozenset[str], timeout_s: float) -> bool:
        """Have these paths indexed now; False when this process is not the writer, cannot write or takes too long."""
        patience = _Patience(timeout_s)
        if not self._elected.is_set():
            return False
        while not self._caught_up.wait(_LOOK_S):  # the first commit may be a moment old
            if self._hopeless() or not patience.left():
                return False
        done: Future[bool] = Future()
        self._requests.put((paths, done))
        while True:
            try:
                return done.result(_LOOK_S)
            except TimeoutError:
                if self._hopeless() or not patience.left():
                    return False

    def _hopeless(self) -> bool:
        """Whether nobody is going to answer what was asked: the writer stopped, or it has failed and waits to retry."""
        return self._stop.is_set() or bool(self._status.error)

    def _run(self) -> None:
        damage, index_id = _Damage(), ""
        while not self._stop.is_set():
            try:
                embedder = self._embedder()
                with open_writer(self._config, embedder, stopped=self._stop.is_set, rebuild=damage.not_found) as writer:
                    index_id = writer.manifest.index_id
                    self._write(writer)
            except WriterBusyError:
                self._decline()  # whoever holds the lock now hears of the same changes
                self._stop.wait(_ELECTION_S)
            except StoppedError:
                break
            except CorruptIndexError as error:  # opened again, it is looked through and built anew
                if damage.comes_often(error, index_id):
                    self._failed(str(error))
            except SightlineError as error:
                self._failed(str(error))
            # Without this thread nobody would keep the index fresh, and nobody would say so. A panic of Rust code is no
            # Exception.
            except BaseException as error:
                logger.exception("indexing failed")
                self._failed(f"{type(error).__name__}: {error}")
            finally:
                self._elected.clear()
                self._caught_up.clear()
                self._status = replace(self._status, role="reader", progress=None)
        self._status = replace(self._status, role="stopped")

    def _decline(self) -> None:
        """Answer what was asked of a writer that this process no longer is."""
        while not self._requests.empty():
            self._requests.get_nowait()[1].set_result(False)

    def _failed(self, why: str) -> None:
        """Say why the index is not kept fresh, once, and wait a moment before trying again."""
        if why != self._status.error:
            logger.error("indexing stopped: %s", why)
        self._status = replace(self._status, error=why)
        self._stop.wait(_RETRY_S)

    def _write(self, writer: Writer) -> None:
        """Be the writer: catch up, then follow the disk until stopped."""
        for notice in writer.notices:
            logger.warning("%s", notice)
        self._status = replace(self._status, role="writer", rebuilt="; ".join(writer.notices))
        self._elected.set()
        indexer = Indexer(self._config, writer, self._embedder())
        quiet = threading.Event()
        watcher = threading.Thread(target=self._feed, args=(quiet,), name="sightline-watch", daemon=True)
        try:
            if self._watch:
                watcher.start()  # before catching up, so that no change falls between the two
            self._update(indexer, None)
            self._status = replace(self._status, error="", rebuilt="")
            self._caught_up.set()
            self._follow(indexer, writer)
        finally:
            quiet.set()  # it ends by itself; whoever waits for the lock need not wait for its last look around
            indexer.close()

    def _follow(self, indexer: Indexer, writer: Writer) -> None:
        warm_at: float | None = time.monotonic() + _WARM_AFTER_S
        tidy_at: float | None = time.monotonic() + _TIDY_AFTER_S
        updates, again = 0, False  # since the last tidying; whether the next only deletes what that one replaced
        while not self._stop.is_set():
            writer.check_manifest()
            if damage := take_report(self._config.index_dir):
                raise CorruptIndexError(damage)
            if tidy_at is not None and (time.monotonic() > tidy_at or updates > _TIDY_AFTER_UPDATES):
                rewritten = writer.tidy()
                if rewritten:
                    writer.warm()  # rows lie elsewhere now, and the next edit should not have to look for them
                again = rewritten and not again
                tidy_at, updates = time.monotonic() + _TIDY_AGAIN_S if again else None, 0
            try:
                paths, waiting = self._next_request()
            except queue.Empty:
                if warm_at is not None and time.monotonic() > warm_at:
                    indexer.warm()
                    warm_at = None
                continue
            try:
                self._update(indexer, paths)
            except BaseException:
                for done in waiting:
                    done.set_result(False)  # the error is reported here and retried; no answer fails of it
                raise
            for done in waiting:
                done.set_result(True)
            tidy_at, updates, again = time.monotonic() + _TIDY_AFTER_S, updates + 1, False

    def _next_request(self) -> tuple[frozenset[str] | None, list[Future[bool]]]:
        """Wait a moment for changed paths and take all that wait together; None stands for the whole root."""
        paths, done = self._requests.get(timeout=_IDLE_S)
        waiting = [done]
        while not self._requests.empty():
            more, done = self._requests.get_nowait()
            paths = None if paths is None or more is None else paths | more
            waiting.append(done)
        return paths, waiting

    def _feed(self, quiet: threading.Event) -> None:
        """Turn file events into requests until this process is no longer the writer."""
        while not quiet.is_set():
            try:
                for batch in changes(self._config, quiet):
                    paths = frozenset(change.path for change in batch)
                    self._requests.put((None if EVERYTHING.path in paths else paths, Future()))
                return
            except Exception:  # a folder that cannot be listed just now must not end the watching for good
                logger.exception("watching failed, beginning anew in %g s", _RETRY_S)
                quiet.wait(_RETRY_S)

    def _update(self, indexer: Indexer, paths: frozenset[str] | None) -> None:
        report = indexer.update(paths, progress=self._note, stopped=self._stop.is_set)
        self._status = replace(self._status, progress=None, last_report=report)

    def _note(self, progress: Progress) -> None:
        self._status = replace(self._status, progress=progress)
