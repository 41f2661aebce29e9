"""A server on standard input and output: whole lines in, whole lines out, and nobody else's.

A line longer than any legal call is thrown away while it is read, so that it never fills the memory. Descriptor 1
points at stderr while we serve: a stray print of some library must not end up between two messages.
"""

from __future__ import annotations

import os
import queue
import select
import signal
import threading
import time
from collections.abc import Callable, Iterator
from io import BufferedReader, BufferedWriter
from typing import TYPE_CHECKING

from sightline.server.lifecycle import FAREWELL_S, LAST_ANSWERS_S, RIGHT_BEHIND_S
from sightline.server.mcp.jsonrpc import END_BYTES, MAX_MESSAGE_BYTES
from sightline.server.mcp.session import Session

if TYPE_CHECKING:
    from sightline.server.app import App

_WAKE_S = 1.0  # a signal may arrive just before the main thread waits, or, on Windows, not interrupt it at all


def serve(app: App) -> None:
    """Serve one client until it goes or the process is told to stop; closing the app is the caller's."""
    endings: queue.SimpleQueue[str] = queue.SimpleQueue()  # may be used in a signal handler, unlike an event
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: endings.put("told to stop"))
    source, sink = _claim()
    output = _Output(sink, broken=lambda: endings.put("nobody reads"))
    app.warm_soon(later=True)
    threading.Thread(target=_listen, args=(app, source, output, endings), name="sightline-stdin", daemon=True).start()
    while True:
        try:
            endings.get(timeout=_WAKE_S)
            return
        except queue.Empty:
            continue


def _listen(app: App, source: BufferedReader, output: _Output, endings: queue.SimpleQueue[str]) -> None:
    try:
        session, last = Session(app, output.write), 0.0
        for line in _lines(source):
            last = time.monotonic()
            session.receive(line)
        right_behind = time.monotonic() - last < RIGHT_BEHIND_S
        session.finish(LAST_ANSWERS_S if right_behind else FAREWELL_S, wanted=output.read)
    finally:
        endings.put("the input is at its end")


def _lines(source: BufferedReader) -> Iterator[bytes]:
    """The lines that hold anything; of one that is too long its beginning and its end, for its id."""
    while line := source.readline(MAX_MESSAGE_BYTES + 1):
        part, end = line, b""
        while len(part) > MAX_MESSAGE_BYTES and not part.endswith(b"\n"):
            part = source.readline(MAX_MESSAGE_BYTES + 1)
            end = (end + part)[-END_BYTES:]
        if not line.isspace():
            yield line + end


class _Output:
    """Writes whole lines, one at a time; a client that does not read holds up nothing but its own answers."""

    def __init__(self, stream: BufferedWriter, *, broken: Callable[[], None]) -> None:
        self._stream, self._broken, self._lock = stream, broken, threading.Lock()

    def read(self) -> bool:
        """Whether anybody reads it still, as far as can be told without writing."""
        if not hasattr(select, "poll"):  # Windows
            return True
        looked = select.poll()
        looked.register(self._stream, 0)  # an end that was closed is reported unasked
        return not looked.poll(0)

    def write(self, line: bytes) -> None:
        """Write a line and pass it on."""
        try:
            with self._lock:
                self._stream.write(line)
                self._stream.flush()
        except OSError:
            self._broken()


def _claim() -> tuple[BufferedReader, BufferedWriter]:
    """Take descriptors 0 and 1 for ourselves; others read nothing from one and write the other to stderr."""
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    # The descriptors stay open for good: the thread that reads cannot be interrupted, and ends with the process.
    return os.fdopen(source, "rb", closefd=False), os.fdopen(sink, "wb", closefd=False)
