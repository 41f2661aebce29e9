"""The `sightline` command: what a person types, and how it ends.

Exit codes: 0 done; 1 nothing was found, or it failed; 2 the command line or the root is wrong. An error is one line on
stderr that says what to do next, never a traceback (`SIGHTLINE_DEBUG=1` shows that). The commands themselves are in
`commands.py`; this module stays light because every worker process of the indexer imports it too.
"""

from __future__ import annotations

import logging
import os
import sys
from typing import Any

from sightline.errors import ConfigError, QueryError, RootError, SightlineError
from sightline.indexer.collector import this_process_is_ours
from sightline.memory import give_back_early
from sightline.visible import visible

EXIT_OK = 0
EXIT_FAILED = 1  # or nothing found
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130
ENV_DEBUG = "SIGHTLINE_DEBUG"
# One thread for a product of vectors: a search runs its lanes side by side already, and a second thread of OpenBLAS
# spins on the core that the rest of the answer needs. Measured: half the processor time of a search, and none slower.
_BLAS_THREADS = "OPENBLAS_NUM_THREADS"
_USAGE_ERRORS = (ConfigError, QueryError, RootError)


def main() -> None:
    """Run the command line and exit."""
    os.environ.setdefault(_BLAS_THREADS, "1")  # before numpy is imported
    this_process_is_ours()
    give_back_early()
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(VisibleFormatter("sightline: %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.DEBUG if os.environ.get(ENV_DEBUG) else logging.WARNING, handlers=[handler])
    code = run(sys.argv[1:])
    from sightline.server.ending import end

    end(_flushed(code))


def _flushed(code: int) -> int:
    """Write what is still to be written; a reader who has gone (`| head`) is no failure, a full disk is."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return code
    except OSError as error:
        sys.stderr.write(f"sightline: the output could not be written: {error.strerror or error}\n")
        return EXIT_FAILED
    return code


class VisibleFormatter(logging.Formatter):
    """One line per record, whatever names of files are in it, and one per line of a traceback."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        """The message, harmless on a terminal."""
        return visible(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:
        """The traceback; an exception's own words may be those of a file."""
        return "\n".join(map(visible, super().formatException(ei).split("\n")))


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code."""
    try:
        from sightline.server.cli.commands import invoke

        return invoke(arguments)
    except SightlineError as error:
        if os.environ.get(ENV_DEBUG):
            raise
        sys.stderr.write(visible(f"sightline: {error}") + "\n")
        return EXIT_USAGE if isinstance(error, _USAGE_ERRORS) else EXIT_FAILED
    except KeyboardInterrupt:
        sys.stderr.write("sightline: interrupted\n")
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of our output went away (`| head`); keep the interpreter from complaining about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_OK
    except SystemExit:
        raise
    except BaseException as error:  # a panic in Rust is no Exception
        if os.environ.get(ENV_DEBUG):
            raise
        what = visible(f"{type(error).__name__}: {error}")
        sys.stderr.write(f"sightline: this should not have happened: {what} ({ENV_DEBUG}=1 shows where)\n")
        return EXIT_FAILED
