"""What analysing one file may take, and how a worker process is held to it.

Grammars are C code that holds the interpreter's lock while it parses, so nothing written in Python in the same process
can stop them. The kernel can: it counts processor time and address space itself, and it ends a process whose parent is
gone. Where it does not offer that (Windows; memory on macOS), the parent looks on and ends the process
(`process.Watch`), and a timer in C, which needs no interpreter, ends one that nobody looks after any more.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import signal
import subprocess
import sys
from pathlib import Path

_POSIX, _LINUX = os.name == "posix", sys.platform == "linux"
if _POSIX:
    import resource

# The slowest of 49,618 files in 39 repositories took 0.4 s (2026-11); a busy machine does not count, since this is
# processor time. What takes longer is generated or hostile, and is found by its words all the same.
CPU_S = 10.0
CPU_S_PER_MB = 5.0
# The largest of them took 120 MB. Grammars in error recovery take gigabytes within seconds: 24 KB of `x=>` as C.
MEMORY_BYTES = 1 << 30
MEMORY_PER_BYTE = 100
# By the clock, for what uses no processor time (a folder on a dead network drive), or where that is not counted.
CLOCK_S = 120.0 if _POSIX else 20.0
OUT_OF_MEMORY = 77  # the exit code of a worker to which Python said so
_PR_SET_PDEATHSIG = 1


def memory_bytes(size_bytes: int) -> int:
    """How much analysing a file of this size may hold."""
    return MEMORY_BYTES + MEMORY_PER_BYTE * size_bytes


def resident_bytes(pid: int) -> int:
    """What a process holds at the moment; 0 where that cannot be told."""
    if _LINUX:
        try:
            pages = int(Path(f"/proc/{pid}/statm").read_bytes().split()[1])
        except (OSError, IndexError):  # it has ended
            return 0
        return pages * os.sysconf("SC_PAGE_SIZE")
    return listed_bytes(pid) if _POSIX else 0


def listed_bytes(pid: int) -> int:
    """What `ps`, which every POSIX system has, says a process holds."""
    listed = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, check=False).stdout.strip()
    return int(listed) * 1024 if listed.isdigit() else 0


def end_with_parent(parent: int) -> None:
    """Have this process killed when its parent ends, even in the middle of a parse."""
    if _LINUX:
        import ctypes

        with contextlib.suppress(OSError, AttributeError):  # without it the end of our input or the timer ends us
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if _POSIX and os.getppid() != parent:  # it ended before that
        os._exit(0)


class Allowance:
    """What this process may take for the file it is at; renewed for every file."""

    def __init__(self) -> None:
        self._nowhere = os.open(os.devnull, os.O_WRONLY)  # for the timer's last words
        self._base = 0  # address space taken before the first file
        if _POSIX:
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash is expected here and nobody wants its dump
            if _LINUX:
                self._base = int(Path("/proc/self/statm").read_bytes().split()[0]) * resource.getpagesize()

    def renew(self, size_bytes: int) -> None:
        """Begin a file of this size."""
        faulthandler.dump_traceback_later(CLOCK_S, exit=True, file=self._nowhere)
        if not _POSIX:
            return
        used = resource.getrusage(resource.RUSAGE_SELF)
        allowed = CPU_S + CPU_S_PER_MB * size_bytes / 1e6
        _lower(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime + allowed) + 1)
        if self._base:
            _lower(resource.RLIMIT_AS, self._base + memory_bytes(size_bytes))

    def lift(self) -> None:
        """Let this process take what it was given: what it is asked next is bounded in itself."""
        self.rest()
        if _POSIX:
            for kind in (resource.RLIMIT_CPU, resource.RLIMIT_AS):
                _lower(kind, resource.RLIM_INFINITY)

    def rest(self) -> None:
        """Nothing is under way: waiting for work takes as long as it takes."""
        faulthandler.cancel_dump_traceback_later()


def _lower(kind: int, wanted: int) -> None:
    """Set a soft limit, within what the process was given."""
    _, hard = resource.getrlimit(kind)
    unbounded = hard if wanted == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(kind, (wanted if hard == resource.RLIM_INFINITY else unbounded, hard))
