"""How long each stage of an update took."""

from __future__ import annotations

import time


class Laps:
    """A clock that is read at the end of every stage."""

    def __init__(self) -> None:
        self._began = self._last = time.monotonic()
        self.seconds: dict[str, float] = {}

    def end(self, stage: str) -> None:
        """A stage has ended, and the next one begins."""
        now = time.monotonic()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._last
        self._last = now

    @property
    def total(self) -> float:
        """Seconds since the first stage began."""
        return time.monotonic() - self._began
