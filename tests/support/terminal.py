"""A command on a terminal of its own, whose questions are answered as they come."""

from __future__ import annotations

import os
import select
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

PATIENCE_S = 60.0


def answering(
    command: Sequence[str], answers: Sequence[tuple[str, str]], *, cwd: Path, env: Mapping[str, str]
) -> tuple[int, str]:
    """Run it; wait for each text in turn and type the line that belongs to it. The exit code and all that was said."""
    ours, theirs = os.openpty()
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=cwd, env=dict(env))
    os.close(theirs)
    said, asked, waiting = "", 0, list(answers)
    deadline = time.monotonic() + PATIENCE_S
    try:
        while time.monotonic() < deadline:
            if waiting and waiting[0][0] in said[asked:]:
                os.write(ours, waiting.pop(0)[1].encode() + b"\n")
                asked = len(said)
            if not select.select([ours], [], [], 0.1)[0]:
                continue
            try:
                piece = os.read(ours, 65_536)
            except OSError:  # the other end was closed
                break
            if not piece:
                break
            said += piece.decode(errors="replace")
        return process.wait(10), said
    finally:
        process.kill()
        process.wait()
        os.close(ours)
