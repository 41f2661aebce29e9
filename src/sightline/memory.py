"""What all processes together may hold, and how much of that each part gets.

`--memory` is one number. From it follow how many processes parse, how far they may be ahead, how much is staged before
it is committed and how much of the graph is kept decoded. Less memory costs time, never content: everything that is
kept can be had again from the index.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from sightline.errors import ConfigError

MB = 1_000_000
DEFAULT_MB = 1_000
MINIMUM_MB = 400  # what a small repository takes as it is
_ENGINES = 200 * MB  # the libraries and the model, in the process that writes
_WORKER = 50 * MB  # a process that parses, with the model
_GROUP = 2 * MB  # what a group of analysed files takes that waits for its commit
_PER_ENCODED = 70  # decoded facts per byte of encoded ones, in use and lately in use
_PER_EVALUATION = 1_000
_PER_RELATIONSHIP = 1_500  # staged, with its vector
_PER_SOURCE = 12  # staged chunks, objects and vectors per byte of source
_PER_ROW = 3_000  # a staged chunk or object; headers of registers have one for every sixty bytes
_PER_ANALYSED = 40  # what comes from a process that parses per byte of such a header
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_NEARLY = 0.93  # of the ceiling: what is under way when somebody asks comes on top
_LEAST_HEAP = 15 * MB  # tantivy takes no less
_MOST_WORKERS = 8  # more processes than that and the committing process is the bottleneck
# mallopt's numbers: how many areas threads allocate from, from which size on a piece is the system's own and goes back
# at once, and how much that is free at the end of an area is kept. Temporary arrays of a search are smaller pieces.
_M_ARENA_MAX, _ARENAS = -8, 2
_M_MMAP_THRESHOLD, _PIECE_BYTES = -3, 4 * MB
_M_TRIM_THRESHOLD, _KEPT_BYTES = -1, 16 * MB


@dataclass(frozen=True, slots=True)
class Shares:
    """What an index may take while it is written."""

    workers: int  # processes that parse a bulk
    groups_ahead: int  # groups of files that they may be ahead
    ahead_bytes: int  # source in these groups
    commit_bytes: int  # source that is staged before it is committed
    commit_rows: int  # chunks and objects
    commit_relationships: int
    heap_bytes: int  # of each lexical index
    facts_bytes: int  # encoded bytes of the facts that are decoded at a time
    evaluations: int  # of the graph that are kept


def shares(memory_mb: int) -> Shares:
    """Divide a ceiling; ConfigError when it is too low for anything."""
    check_memory(memory_mb)
    free = memory_mb * MB - _ENGINES
    workers = min(_MOST_WORKERS, cores(), max(1, free // 4 // _WORKER))
    rest = free - (workers + 1) * _WORKER
    return Shares(
        workers=workers,
        groups_ahead=max(2, min(64, rest // 6 // _GROUP)),
        ahead_bytes=max(MB, rest // 6 // _PER_ANALYSED),
        commit_bytes=max(MB, rest // 6 // _PER_SOURCE),
        commit_rows=max(5_000, rest // 6 // _PER_ROW),
        commit_relationships=max(5_000, rest // 8 // _PER_RELATIONSHIP),
        heap_bytes=max(_LEAST_HEAP, min(64 * MB, rest // 20)),
        facts_bytes=free // 3 // _PER_ENCODED,
        evaluations=free // 6 // _PER_EVALUATION,
    )


def check_memory(memory_mb: int) -> None:
    """Refuse a ceiling that nothing fits under."""
    if memory_mb < MINIMUM_MB:
        raise ConfigError(
            f"{memory_mb} MB of memory are too few: the engines alone take {_ENGINES // MB}",
            hint=f"give at least {MINIMUM_MB} MB (--memory or SIGHTLINE_MEMORY); what is indexed already stays",
        )


def cores() -> int:
    """How many processor cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def is_crowded(memory_mb: int, others: Iterable[int] = ()) -> bool:
    """Do this process and these others hold nearly all that they may? False where the system does not tell it cheaply.

    What each part is given is an estimate, and some things grow with the repository: whoever keeps what can be had
    again asks this and keeps less. Pages of files that are mapped count for the process that asks.
    """
    if sys.platform != "linux":
        return False
    own, _ = _held_bytes(os.getpid())
    return own + sum(held - shared for held, shared in map(_held_bytes, others)) > memory_mb * MB * _NEARLY


def _held_bytes(pid: int) -> tuple[int, int]:
    """What a process holds, and how much of that others may hold as well: it is counted once."""
    try:
        _, resident, shared, *_ = Path(f"/proc/{pid}/statm").read_bytes().split()
    except OSError:  # it has ended, and holds nothing
        return 0, 0
    return int(resident) * _PAGE_BYTES, int(shared) * _PAGE_BYTES


def give_back() -> None:
    """Give what is free to the system now, wherever it lies: after something large."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


def give_back_early() -> None:
    """Have freed memory go back to the system. For processes of ours, before pyarrow is imported.

    Arrow's own allocator keeps 100 MB that it has been given once; the C library's has an area of its own for each of a
    dozen threads and keeps what was freed in every one.
    """
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none
        if mallopt is not None:
            mallopt(_M_ARENA_MAX, _ARENAS)
            mallopt(_M_MMAP_THRESHOLD, _PIECE_BYTES)
            mallopt(_M_TRIM_THRESHOLD, _KEPT_BYTES)
