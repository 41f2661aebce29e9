"""How long each stage of a search took (UNI-7)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Clock:
    """Measures named stages of one search, in milliseconds."""

    def __init__(self) -> None:
        self._started = time.perf_counter()
        self._stages: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure what happens inside."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self._stages[name] = self._stages.get(name, 0.0) + (time.perf_counter() - started) * 1000

    def timings_ms(self) -> dict[str, float]:
        """Every stage so far, and the total."""
        total = (time.perf_counter() - self._started) * 1000
        return {name: round(value, 3) for name, value in {**self._stages, "total": total}.items()}
