"""Waiting for a condition, with a bound."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")
BOUND_S = 120.0  # for what takes a second: only a hang shall fail, not a machine that is busy with other things


def wait_for(condition: Callable[[], Found | None], what: str, timeout_s: float = BOUND_S) -> Found:
    """What a condition gives once it gives anything true."""
    deadline, pause = time.monotonic() + timeout_s, threading.Event()
    while not (found := condition()):
        assert time.monotonic() < deadline, f"waited {timeout_s:.0f} s for {what}"
        pause.wait(0.02)
    return found
