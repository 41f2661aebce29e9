"""The one place that runs git.

A repository's own settings must not make git execute, fetch or wait for anything, and what we ask it is harmless only
as long as that holds: a partial clone fetches what it misses by whatever command the repository names. So every
protocol is refused, nothing is fetched lazily, hooks, monitors and transports are overridden, the environment is
stripped of git's own variables, and git is found outside the repository. On top of that git gets limited processor
time, memory, output and patience, may write no file, and dies with us.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import IO

from sightline.indexer.files.programs import find_program, trusted_path

TIMEOUT_S = 30.0  # a cold listing of 400,000 files on a slow disk takes half of it
CPU_S = 15  # an ignore rule can make git spin; a listing of 400,000 files takes 3
MEMORY_KB = 4_000_000
OUTPUT_BYTES = 1 << 28  # two million paths
AVOID_S = 300.0  # after git ran into a limit, so that not every edit waits for the next one
_OVERRIDES = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.attributesFile": os.devnull,
    "core.sshCommand": "false",
    "core.pager": "cat",
    "protocol.allow": "never",
    "submodule.recurse": "false",
    "log.showSignature": "false",
}
_REFUSALS = {
    "GIT_ALLOW_PROTOCOL": "sightline-allows-no-protocol",  # what is not in this list is refused, whatever settings say
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "GIT_SSH_COMMAND": "false",
    "GIT_PROXY_COMMAND": "false",
    "GIT_EXTERNAL_DIFF": "false",
    "GIT_EDITOR": "false",
    "GIT_PAGER": "cat",
}
# The shell sets the limits and becomes git: code of ours between fork and exec would not be safe beside threads.
_LIMITED = f'ulimit -c 0; ulimit -f 0; ulimit -t {CPU_S}; ulimit -v {MEMORY_KB} 2>/dev/null; exec "$@"'
_READ_BYTES = 1 << 16
_logger = logging.getLogger(__name__)
_avoided: dict[str, tuple[float, str]] = {}  # repository → when git may be asked again, and which limit it ran into


def repository_of(folder: Path) -> Path | None:
    """The folder that makes this one part of a repository: itself or the next one above that has a `.git`."""
    return next((above for above in (folder, *folder.parents) if os.path.lexists(above / ".git")), None)


def stopped_in(folder: Path) -> str:
    """Which limit git lately ran into here, so that it is not asked for a while; "" when it may be asked."""
    until, failure = _avoided.get(str(repository_of(folder)), (0.0, ""))
    return failure if time.monotonic() < until else ""


def run(folder: Path, *arguments: str, given: bytes = b"") -> bytes | None:
    """What git prints when it is asked in a folder, and given some input; None when there is no git, it refuses, or it
    takes too much."""
    top = repository_of(folder)
    if top is None or stopped_in(folder):
        return None
    path = trusted_path(top)
    command = _command(path)
    if command is None:
        return None
    try:
        process = subprocess.Popen(
            [*command, *arguments],
            cwd=folder,
            env=_environment(top, path),
            stdin=subprocess.PIPE if given else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        _logger.warning("git cannot be run in %s: %s", folder, error)
        return None
    if process.stdin is not None:  # on a thread: git answers while it is still being asked, and either pipe may fill
        threading.Thread(target=_give, args=(process.stdin, given), name="sightline-git", daemon=True).start()
    output, failure = _output(process)
    if failure:
        _avoided[str(top)] = (time.monotonic() + AVOID_S, failure)
        _logger.warning("git was stopped in %s, since %s; its own rules are read without it meanwhile", folder, failure)
        return None
    return output if process.returncode == 0 else None


def _environment(top: Path, path: str) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.upper().startswith("GIT_")}
    # The work tree is named so that the repository cannot name another one (core.worktree). The repository itself is
    # left for git to find: it refuses those of other owners only then.
    return {**inherited, **_REFUSALS, "GIT_WORK_TREE": str(top), "PATH": path}


@lru_cache(maxsize=16)
def _command(path: str) -> Sequence[str] | None:
    """How git is run, its arguments to follow; None when there is none on this path."""
    git = find_program("git", path)
    if git is None:
        return None
    overrides = [part for name, value in _OVERRIDES.items() for part in ("-c", f"{name}={value}")]
    if os.name != "posix":
        return [git, *overrides]
    setpriv = find_program(
        "setpriv", path
    )  # Linux: the kernel ends git when the thread that asked goes, however it goes
    mortal = [setpriv, "--pdeathsig", "KILL"] if setpriv else []
    return ["/bin/sh", "-c", _LIMITED, "sh", *mortal, git, *overrides]


def _output(process: subprocess.Popen[bytes]) -> tuple[bytes, str]:
    """What a process prints, and which limit it ran into, "" when none."""
    late = threading.Event()

    def give_up() -> None:
        late.set()
        _end(process)

    timer = threading.Timer(TIMEOUT_S, give_up)
    timer.daemon = True
    timer.start()
    found, size, failure = [], 0, ""
    assert process.stdout is not None
    try:
        with process.stdout as stream:
            while block := stream.read(_READ_BYTES):
                found.append(block)
                size += len(block)
                if size > OUTPUT_BYTES:
                    failure = f"it printed more than {OUTPUT_BYTES:,} bytes"
                    break
    finally:
        if failure:
            _end(process)
        if os.name == "posix":  # while it is not reaped its number is nobody else's: what it started ends with it
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            _end(process)
        code = process.wait()
        timer.cancel()
    if late.is_set():
        failure = f"it took more than {TIMEOUT_S:g} s"
    elif code < 0 and not failure:
        failure = f"it was ended by signal {-code}: the limit is {CPU_S} s of processor time"
    return b"".join(found), failure


def _give(stream: IO[bytes], given: bytes) -> None:
    with contextlib.suppress(OSError), stream:  # it ended without wanting all of it: its exit code says why
        stream.write(given)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End git and what it started: it leads a session of its own."""
    if os.name != "posix":
        process.kill()
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
