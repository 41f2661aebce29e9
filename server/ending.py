"""How a process of ours ends: with the exit code it means, whatever threads of libraries are still at.

Python's own way out stops daemon threads the moment they come back from a library, and one that comes back into Rust
takes the whole process down with SIGABRT, after its work is done. So everything that must be written is written, what
is registered to run at exit runs, and then the process goes without looking back.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
from typing import NoReturn


def end(code: int) -> NoReturn:
    """Leave with this exit code. Everything of ours is closed by now."""
    atexit._run_exitfuncs()  # temporary folders, logging, measurements of coverage
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # nobody reads it any more, or it is closed
            stream.flush()
    os._exit(code)
