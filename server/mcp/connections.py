"""Connections of an HTTP server: how many, how long one may take to say what it wants, and how much is logged of it.

Every connection is a descriptor, and a process that has none left can neither accept nor answer; the index needs some,
too. So connections are counted. One that has not sent a whole request head in time is closed, and when there are too
many the oldest that has no whole request to be answered makes room: half a request holds up nobody. A flood of the same
complaint is logged a few times a minute, not each time.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S = 10.0  # from the first byte of a request to the end of its headers
MAX_CONNECTIONS = 4_096
_WANTED_DESCRIPTORS = 8_192
_KEPT_DESCRIPTORS = 100  # for the index, git and standard streams
_FEWEST = 16
_SAME_PER_MINUTE = 10


def make_room() -> int:
    """Raise the limit of descriptors as far as it is useful, and say how many connections there may be."""
    if sys.platform == "win32":
        return MAX_CONNECTIONS
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _WANTED_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
        except (OSError, ValueError):
            pass  # the limit stays what it is, and with it the number below
    if soft == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    return max(_FEWEST, min(MAX_CONNECTIONS, (soft - _KEPT_DESCRIPTORS) * 3 // 4))


class Connection(H11Protocol):
    """A connection that does not wait for ever."""

    most = MAX_CONNECTIONS  # set once, before the first one
    _deadline: asyncio.TimerHandle | None = None
    _came_at = 0.0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._came_at = self.loop.time()
        self._await_head()
        if len(self.connections) > self.most:
            idle = [each for each in self.connections if isinstance(each, Connection) and each._has_nothing_to_answer()]
            min(idle, key=lambda each: each._came_at).transport.abort()  # at worst the one that has just come

    def _has_nothing_to_answer(self) -> bool:
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY) and not self.transport.is_closing()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._await_head()
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(HEAD_S, self._give_up)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.transport.close()


class Sparing(logging.Filter):
    """Lets the same message through a few times a minute."""

    def __init__(self) -> None:
        super().__init__()
        self._minute, self._seen = 0, dict[tuple[str, object], int]()

    def filter(self, record: logging.LogRecord) -> bool:
        minute = int(time.monotonic() // 60)
        if minute != self._minute:
            self._minute, self._seen = minute, {}
        key = (record.name, str(record.msg)[:80])
        self._seen[key] = self._seen.get(key, 0) + 1
        return self._seen[key] <= _SAME_PER_MINUTE
