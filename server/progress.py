"""One question under way: whether its answer is still wanted, and what is being done for it.

A tool's worker tells its `Call` every step; the call refuses the next one when whoever asked has gone. The MCP endpoint
turns the steps into progress notifications, the command line into a line on the terminal.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from sightline.errors import QueryError
from sightline.visible import visible

if TYPE_CHECKING:
    from sightline.server.app import App

PROGRESS_EVERY_S = 0.25
_SHOW_AFTER_S = 1.0  # a quicker answer needs no progress
_CLEAR_LINE = "\r\x1b[K"


class CallCancelledError(QueryError):
    """Whoever asked no longer wants the answer."""


class Call:
    """Carries the wish to stop one way and what is being done the other way."""

    def __init__(self, on_step: Callable[[str], None] = lambda _: None) -> None:
        self.cancelled = threading.Event()
        self.doing = ""  # the step under way, "" before the first
        self._on_step = on_step

    def step(self, what: str) -> None:
        """Say what comes next; raises when it is no longer wanted."""
        self.check()
        self.doing = what
        self._on_step(what)

    def check(self) -> None:
        """Raise when the answer is no longer wanted."""
        if self.cancelled.is_set():
            raise CallCancelledError("the call was cancelled")


class Steps:
    """How far a call is, as often as somebody asks: the indexing it waits for, then what is done for it."""

    def __init__(self, app: App, call: Call) -> None:
        self._app, self._call = app, call
        self._reported = 0.0

    def next(self) -> tuple[float, float | None, str]:
        """Progress, the total where there is one, and what is going on; a client may rely on progress to grow."""
        done, total, what = self._app.progress()
        if self._call.doing:  # the index is no longer waited for
            done, total, what = 0, 0, self._call.doing
        self._reported = max(done, self._reported + 1)
        return self._reported, max(total, self._reported) if total else None, what


@contextlib.contextmanager
def call_on_terminal(*, show: bool) -> Iterator[Call]:
    """A call whose steps are shown on stderr, once it takes long enough for anybody to wonder."""
    began, shown = time.monotonic(), False

    def show_step(what: str) -> None:
        nonlocal shown
        if time.monotonic() - began > _SHOW_AFTER_S:
            shown = True
            sys.stderr.write(f"{_CLEAR_LINE}{visible(what)} …")
            sys.stderr.flush()

    try:
        yield Call(show_step) if show else Call()
    finally:
        if shown:
            sys.stderr.write(_CLEAR_LINE)
            sys.stderr.flush()
