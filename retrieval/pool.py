"""Work that several threads share: the caller begins tasks, helpers take what they can, the caller does the rest.

Six searches of a small index take a fraction of a millisecond each, less than handing them over: so the caller works
too, and waits only for what a helper has already begun. Where tasks are known to be short, helpers come `LATER_S` after
the first was begun: by then the caller is done, unless one of them is held up (a cold disk). One helper is woken at a
time, by whoever begins a task or takes one while others wait: at once while there are cores for them, `LATER_S` later
beyond that, when those before are held up. More at once only take turns and contend for the interpreter.

A whole search on two cores, p50: at 10k chunks 7.8 ms by the caller alone, 9.1 with helpers at once; at 92k chunks
16.5 ms alone, 12.5 with one helper at once, 15.3 with eight.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import lru_cache
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

T = TypeVar("T")

LATER_S = 0.005  # the searches of 10k chunks take 4 ms
_HELPERS = 8  # six retrievers and a look-up of one search, and one to spare for a second search


class Task(Generic[T]):
    """One call, made once, by whichever thread comes first."""

    __slots__ = ("_begun", "_call", "_done", "_value", "error")

    def __init__(self, call: Callable[[], T]) -> None:
        self._call = call
        self._begun, self._done = threading.Lock(), threading.Lock()
        self._done.acquire()
        self.error: BaseException | None = None

    def run(self) -> bool:
        """Make the call; False when another thread has begun it."""
        if not self._begun.acquire(blocking=False):
            return False
        try:
            self._value = self._call()
        except BaseException as error:  # noqa: BLE001  # whoever asks for the result gets it, as with a future
            self.error = error
        finally:
            self._done.release()
        return True

    def settle(self) -> None:
        """Make the call if nobody has begun it, else wait until it is done."""
        if not self.run():
            self._done.acquire()
            self._done.release()

    def result(self) -> T:
        """The value of the call; raises what the call raised."""
        self.settle()
        if self.error is not None:
            raise self.error
        return self._value


class Pool:
    """Helper threads; started when first needed, gone with the process."""

    def __init__(self, helpers: int, cores: int | None = None) -> None:
        self._at_once = max(1, (cores or os.cpu_count() or 2) - 1)  # the caller works too
        self._working: set[int] = set()  # helpers, by number
        self._waiting: deque[Task[Any]] = deque()
        self._wake: SimpleQueue[float] = SimpleQueue()  # each wakes one helper, who begins not before that time
        for number in range(helpers):
            threading.Thread(target=self._help, args=(number,), name=f"sightline-pool-{number}", daemon=True).start()

    def begin(self, call: Callable[[], T], *, short: bool = False) -> Task[T]:
        """Offer a call to the helpers: at once, or if it should be done soon anyway, only after a while."""
        task = Task(call)
        self._waiting.append(task)
        if len(self._waiting) == 1:  # else somebody was woken for those before it, who will wake the next
            self._wake.put(time.monotonic() + LATER_S if short else 0.0)
        return task

    def _help(self, number: int) -> None:
        while True:
            pause = self._wake.get() - time.monotonic()
            if pause > 0:
                time.sleep(pause)
            self._working.add(number)
            self._work()
            self._working.discard(number)

    def _work(self) -> None:
        """Take tasks until none waits; wake the next helper before the first."""
        woken = False
        while True:
            try:
                task = self._waiting.popleft()
            except IndexError:
                return
            if self._waiting and not woken:
                self._wake.put(0.0 if len(self._working) < self._at_once else time.monotonic() + LATER_S)
                woken = True
            task.run()


def finish(tasks: Sequence[Task[Any]]) -> None:
    """Run what nobody has begun, the last first, since helpers begin at the front; then wait for the others."""
    for task in reversed(tasks):
        task.run()
    for task in tasks:
        task.settle()


@lru_cache(maxsize=1)
def pool() -> Pool:
    """Return the shared pool; made on first use, so that importing costs no threads."""
    return Pool(_HELPERS)
