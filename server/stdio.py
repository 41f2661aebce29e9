"""Standard input and output as the MCP library wants them: whole lines in, whole lines out, and nobody else's.

A line longer than any legal call is thrown away while it is read, so that it never fills the memory, and what is no
JSON-RPC message is answered with an error instead of silence. Descriptor 1 points at stderr while we serve: a stray
print of some library must not end up between two messages.
"""

from __future__ import annotations

import json
import os
from io import BufferedReader, BufferedWriter
from typing import Any, Self

import anyio
import anyio.to_thread

MAX_LINE_BYTES = 1 << 20  # as over HTTP; the largest legal call is a few kilobytes
_PARSE_ERROR, _INVALID_REQUEST = -32700, -32600  # JSON-RPC 2.0


class Output:
    """Writes lines, one at a time; a client that does not read holds up nothing but its own answers."""

    def __init__(self, stream: BufferedWriter) -> None:
        self._stream, self._lock = stream, anyio.Lock()

    async def write(self, text: str) -> None:
        """Write whole lines and pass them on."""
        async with self._lock:
            await anyio.to_thread.run_sync(self._write, text.encode("utf-8", "replace"))

    async def flush(self) -> None:
        """Nothing to do: `write` has passed everything on."""

    def _write(self, data: bytes) -> None:
        self._stream.write(data)
        self._stream.flush()


class Input:
    """The messages of the client, line by line."""

    def __init__(self, stream: BufferedReader, refusals: Output) -> None:
        self._stream, self._refusals = stream, refusals

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        while line := await anyio.to_thread.run_sync(self._read, abandon_on_cancel=True):
            if line.isspace():
                continue
            refusal = check(line)
            if refusal is None:
                return line.decode("utf-8", "replace")
            await self._refusals.write(json.dumps(refusal) + "\n")
        raise StopAsyncIteration

    def _read(self) -> bytes:
        line = self._stream.readline(MAX_LINE_BYTES + 1)
        part = line
        while len(part) > MAX_LINE_BYTES and not part.endswith(b"\n"):  # the rest of it is of no interest
            part = self._stream.readline(MAX_LINE_BYTES + 1)
        return line


def check(line: bytes) -> dict[str, Any] | None:
    """None for a JSON-RPC message; for anything else the error to answer with."""
    if len(line) > MAX_LINE_BYTES:
        return _error(None, _INVALID_REQUEST, f"a message may have at most {MAX_LINE_BYTES:,} bytes")
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return _error(None, _PARSE_ERROR, "this line is not JSON")
    if not isinstance(message, dict):
        return _error(None, _INVALID_REQUEST, "a message is one JSON object")
    number = message.get("id")
    if message.get("jsonrpc") != "2.0":
        return _error(number, _INVALID_REQUEST, 'a message says "jsonrpc": "2.0"')
    if not isinstance(message.get("method"), str) and not {"result", "error"} & message.keys():
        return _error(number, _INVALID_REQUEST, "a request names its method")
    if isinstance(number, bool) or not isinstance(number, int | str | None):
        return _error(None, _INVALID_REQUEST, "an id is a string or a whole number")
    return None


def _error(number: object, code: int, message: str) -> dict[str, Any]:
    known = number if isinstance(number, int | str) else None
    return {"jsonrpc": "2.0", "id": known, "error": {"code": code, "message": message}}


def claim() -> tuple[Input, Output]:
    """Take descriptors 0 and 1 for ourselves; others read nothing from one and write the other to stderr."""
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    # The descriptors stay open for good: the thread that reads cannot be interrupted, and ends with the process.
    output = Output(os.fdopen(sink, "wb", closefd=False))
    return Input(os.fdopen(source, "rb", closefd=False), output), output
