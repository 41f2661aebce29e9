"""A process from its start to its end: what happens when, and why then.

One `Life` per process goes through these stages; `_NEXT` has every step there is:

    NEW ─→ DUE ─→ PREPARING ─→ KEPT ─→ CLOSED

A server becomes DUE when its client has had the list of tools, prepares its roots a moment later or when the first
question comes, and has them KEPT fresh from then on. `sightline watch` goes from NEW to KEPT: nobody asks it anything.
The command line and the Python client stay NEW, bring the index up to date themselves, ask and go. The timers of the
stages, what a question waits for and how long an end may take are all here, with their reasons; what was found at the
start decides when a root's writer begins and whether questions wait for it (`Found`). Elsewhere are the bounds of
single things, each beside what it bounds: of a connection in `mcp`, of reading files in `firstlook` and `freshness`,
and the writer's own in `indexer/service.py`.
"""

from __future__ import annotations

import enum
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sightline.indexer import collector
from sightline.server import heavy
from sightline.server.progress import Call

if TYPE_CHECKING:
    from sightline.server.root import Root

# Before anything is loaded.
SOON_S = 0.05  # after the list of tools went out: that answer is on its way before imports take the processor
LATEST_S = 1.0  # when nobody asks for the list of tools
# When a root's writer begins; at once unless this says otherwise. Loading it slows everything else down for a second.
INDEX_BIG_AFTER_S = 0.7  # behind a first look into the files, which would take twice its time beside it
INDEX_IN_STEP_AFTER_S = 0.5  # nothing is to be done yet, and the first answers come first
BIG_FILES = 500  # an unindexed root with more is not done within FIRST_ANSWER_S, so nobody waits for it
GRAPH_AFTER_S = 1.0  # names and neighbours are made ready behind the first question
# What a question waits for.
FIRST_ANSWER_S = 1.2  # a first index, or the catching up after a start; then it is answered from what is there
EMBEDDER_WAIT_S = 0.5  # an embedder that is being loaded: the built-in one takes 0.03, a downloaded one may take long
REFRESH_S = 0.8  # of work on the changed files of an answer; an edit takes a tenth of it
FOLLOW_S = 0.02  # between two looks at the manifest while somebody commits
# What a command waits for while another process writes the index.
COMMAND_FOLLOW_S = 0.1  # between two looks
COMMAND_SAYS_AFTER_S = 1.0  # it says for whom it waits: silence looks like a hang
COMMAND_WAIT_S = 60.0  # for anything at all to answer from, which a writer commits within seconds; then it fails
# The end of a conversation. Calls under way when the client closes our input: one that closes it right behind them
# wants their answers (`printf … | sightline serve`); one that closes it later is leaving, and waits for us to be gone.
RIGHT_BEHIND_S = 0.2
LAST_ANSWERS_S = 5.0
FAREWELL_S = 0.2
SHUTDOWN_S = 2  # over HTTP: open streams get this long to end
# The end of the process, after that of the conversation.
STOP_S = 0.4  # for a commit under way: one of a few files ends; a longer one is repaired by whoever writes next
GIVE_UP_S = STOP_S + 0.3  # then the process goes, whatever still hangs; never while a commit has time to end


class Stage(enum.Enum):
    """How far a process is."""

    NEW = "nothing was begun"
    DUE = "a timer is set"
    PREPARING = "what a first answer needs is being loaded"
    KEPT = "every root is kept fresh"
    CLOSED = "everything was stopped"


_NEXT: Mapping[Stage, frozenset[Stage]] = {
    Stage.NEW: frozenset({Stage.DUE, Stage.PREPARING, Stage.KEPT, Stage.CLOSED}),
    Stage.DUE: frozenset({Stage.DUE, Stage.PREPARING, Stage.CLOSED}),  # again when it is to be sooner
    Stage.PREPARING: frozenset({Stage.NEW, Stage.KEPT, Stage.CLOSED}),  # NEW when it failed: the next question tries
    Stage.KEPT: frozenset({Stage.CLOSED}),
    Stage.CLOSED: frozenset(),
}


@dataclass(frozen=True, slots=True)
class Found:
    """What a process finds of a root when it begins, and what follows from it."""

    writer_after_s: float = 0.0
    waited_for: bool = True  # whether questions give the writer a moment
    readable: bool = False  # whether there are tables to make ready
    behind: int = 0  # the generation that was found not to be what is on disk


UNINDEXED = Found()  # or not looked at
UNINDEXED_BIG = Found(INDEX_BIG_AFTER_S, waited_for=False)
UNFINISHED = Found(readable=True)
IN_STEP = Found(INDEX_IN_STEP_AFTER_S, waited_for=False, readable=True)


def found_behind(generation: int) -> Found:
    """Files differ from what this generation holds."""
    return Found(readable=True, behind=generation)


class Life:
    """The stages of one process, and everything that runs by itself in it."""

    def __init__(self, roots: Sequence[Root]) -> None:
        self.stage = Stage.NEW
        self._roots = list(roots)
        self._lock = threading.Lock()  # of the stage and the timers; never held while something is loaded
        self._beginning = threading.Lock()  # held while it is: whoever comes second waits
        self._timers: list[threading.Timer] = []
        self._began: dict[Root, float] = {}
        self._closers: list[Callable[[], object]] = []

    def due(self, *, later: bool = False) -> None:
        """Begin in the background, a moment from now or when nobody has asked for long."""
        with self._lock:
            if (later and self.stage is Stage.DUE) or not self._enter(Stage.DUE):
                return
            for timer in self._timers:
                timer.cancel()
            self._after(LATEST_S if later else SOON_S, self.begin)

    def begin(self) -> None:
        """Load what a first answer needs, then keep every root fresh; whoever comes second waits until it is done."""
        with self._beginning:
            with self._lock:
                if not self._enter(Stage.PREPARING):
                    return
            try:
                for root in self._roots:
                    if self.stage is Stage.CLOSED:
                        return
                    self._prepare(root)
                self.keep()
            except BaseException:
                with self._lock:
                    self._enter(Stage.NEW)
                raise
            collector.spare_what_is_there()  # modules and tables stay

    def keep(self) -> None:
        """Keep every root fresh from now on: become its writer, or follow the one there is."""
        services = [heavy.service.IndexService(root.config, root.embedder.get) for root in self._roots]
        with self._lock:
            if not self._enter(Stage.KEPT):
                return
            for root, service in zip(self._roots, services, strict=True):
                self._began.setdefault(root, time.monotonic())
                root.service = service
                if root.found.writer_after_s:
                    self._after(root.found.writer_after_s, service.start)
                else:
                    service.start()

    def wait_for(self, root: Root, call: Call) -> None:
        """Give a first index, or the catching up after a start, a moment; then answer from what is there."""
        service = root.service
        if service is None or not root.found.waited_for:
            return
        while not call.cancelled.is_set():
            now = time.monotonic()
            status = service.status()
            if status.role == "writer" and service.wait_caught_up(0):
                return
            if now - self._began[root] > FIRST_ANSWER_S:
                return  # from what there is: a part of the index, and a look at the files
            if status.role != "writer" and _other_writer(root) and _has_something(root):
                return
            call.cancelled.wait(FOLLOW_S)

    def on_close(self, closer: Callable[[], object]) -> None:
        """Have something closed at the end."""
        self._closers.append(closer)

    def close(self) -> None:
        """Stop everything and free the writer locks; safe to call twice."""
        with self._lock:
            if not self._enter(Stage.CLOSED):
                return
            for timer in self._timers:
                timer.cancel()
        for closer in self._closers:
            closer()
        services = [root.service for root in self._roots if root.service is not None]
        for service in services:  # all of them first, so that they end side by side
            service.stop_soon()
        deadline = time.monotonic() + STOP_S
        for service in services:
            service.stop(max(0.0, deadline - time.monotonic()))

    def _enter(self, stage: Stage) -> bool:
        """Go to a stage, with the lock held; False when that is not the way from here."""
        if stage not in _NEXT[self.stage]:
            return False
        self.stage = stage
        return True

    def _prepare(self, root: Root) -> None:
        self._began[root] = time.monotonic()
        root.embedder.start_loading()
        root.found = heavy.preparing.prepare(root)
        if root.found.readable:
            with self._lock:
                self._after(GRAPH_AFTER_S, lambda: self._prepare_graph(root))

    def _prepare_graph(self, root: Root) -> None:
        heavy.preparing.prepare_graph(root, wanted=lambda: self.stage is not Stage.CLOSED)

    def _after(self, seconds: float, action: Callable[[], object]) -> None:
        """Do something later, unless everything is closed by then; with the lock held."""
        if self.stage is Stage.CLOSED:
            return
        timer = threading.Timer(seconds, action)
        timer.daemon = True
        timer.start()
        self._timers.append(timer)


def _other_writer(root: Root) -> bool:
    return heavy.store.writer_pid(root.config.index_dir) not in (None, os.getpid())


def _has_something(root: Root) -> bool:
    """Whether there is anything to answer from; an index that is complete may well be empty."""
    snapshot = root.snapshot()
    return snapshot is not None and (snapshot.status().files > 0 or snapshot.status().state == "ready")
