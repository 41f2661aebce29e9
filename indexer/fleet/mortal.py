"""Processes that a job starts: bounded in time and in what they say, and gone when the job is, however that ends."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sightline.indexer.files.programs import find_program
from sightline.visible import visible

_MAX_SAID = 20_000_000
_MAX_REASON = 300


@dataclass(frozen=True, slots=True)
class Done:
    """A process that ended, or was ended."""

    code: int
    output: bytes
    reason: str  # the line of what it complained about that says why


def ended_with_us(path: str) -> list[str]:
    """What is put before a command so that the kernel ends it with the one who started it; Linux alone has that."""
    setpriv = find_program("setpriv", path) if os.name == "posix" else None
    return [setpriv, "--pdeathsig", "KILL"] if setpriv else []


def run_bounded(
    command: Sequence[str], environment: Mapping[str, str], timeout_s: float, folder: Path | None = None
) -> Done:
    """Run a command in a session of its own, which is ended whole when it takes too long."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as complaints:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=complaints,
            start_new_session=True,
        )
        late = False
        try:
            process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            late = True
        finally:
            _end(process)
        output.seek(0)
        complaints.seek(0)
        said = complaints.read(_MAX_SAID).decode("utf-8", "replace").strip()
        reason = f"it took more than {timeout_s:g} s" if late else _reason(said)
        if not reason and process.returncode < 0:
            reason = f"it was ended by signal {-process.returncode}"
        return Done(process.returncode, output.read(_MAX_SAID), visible(reason)[:_MAX_REASON] or "it did not say why")


def _reason(said: str) -> str:
    """Git explains at length below the line that says what is wrong; others end with that."""
    lines = said.split("\n")
    return next((line for line in lines if line.startswith("fatal: ")), lines[-1]).removeprefix("fatal: ")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and what it started, where it has not ended by itself."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL) if os.name == "posix" else process.kill()
        process.wait()
