"""Python's garbage collector, told what kind of objects an index is made of.

A bulk makes millions of objects that stay: facts, names, records. The collector would look through all of them again
and again, for a third of the time of a full index, and would find nothing: none of them is part of a cycle. So while a
bulk runs it comes rarely, and what has been made is then kept out of its sight, or every later collection would hold
the server up for as long as it takes to walk through the memory of a large repository.

A process has one collector, and its settings are for whoever owns the process: they are made only where
`this_process_is_ours` was called. The Python client runs in somebody else's process and leaves them as they are.
"""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Iterator

_RARELY = 200_000  # new objects between two collections; Python's own figure is 700
_lock = threading.Lock()
_bulks = 0
_usual: tuple[int, int, int] = gc.get_threshold()
_ours = False


def this_process_is_ours() -> None:
    """Allow the settings; for where a process of ours begins."""
    global _ours
    _ours = True


@contextlib.contextmanager
def rarely_collected() -> Iterator[None]:
    """Let the collector come rarely; several threads may be inside at once. What was made stays out of its sight."""
    global _bulks, _usual
    if not _ours:
        yield
        return
    with _lock:
        if _bulks == 0:
            _usual = gc.get_threshold()
            gc.set_threshold(_RARELY, *_usual[1:])
        _bulks += 1
    try:
        yield
    finally:
        with _lock:
            _bulks -= 1
            if _bulks == 0:
                gc.set_threshold(*_usual)
        spare_what_is_there()


def spare_what_is_there() -> None:
    """Keep everything that was made so far out of the collector's sight."""
    if _ours:
        gc.freeze()


def collect_rarely() -> None:
    """The same for good, for a process that does nothing else."""
    this_process_is_ours()
    spare_what_is_there()
    gc.set_threshold(_RARELY, *gc.get_threshold()[1:])
