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

from sightline.errors import QueryError

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


@contextlib.contextmanager
def call_on_terminal(*, show: bool) -> Iterator[Call]:
    """A call whose steps are shown on stderr, once it takes long enough for anybody to wonder."""
    began, shown = time.monotonic(), False

    def show_step(what: str) -> None:
        nonlocal shown
        if time.monotonic() - began > _SHOW_AFTER_S:
            shown = True
            sys.stderr.write(f"{_CLEAR_LINE}{what} …")
            sys.stderr.flush()

    try:
        yield Call(show_step) if show else Call()
    finally:
        if shown:
            sys.stderr.write(_CLEAR_LINE)
            sys.stderr.flush()
