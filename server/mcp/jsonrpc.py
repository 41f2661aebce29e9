"""JSON-RPC 2.0 as far as MCP uses it: one message per line in, one message per line out, errors with their codes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

MAX_MESSAGE_BYTES = 1 << 20  # the largest legal call is a few kilobytes
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
INTERNAL_ERROR = -32603
SERVER_BUSY = -32000  # the first of the codes that are left to servers

RequestId = int | str
MAX_ID_CHARS = 200  # of a message that is too long; a longer id is none
END_BYTES = 1_000  # of such a message that are kept from its end
_decoder = json.JSONDecoder()
_MEMBER = re.compile(r'\s*[{,]\s*"((?:[^"\\]|\\.)*)"\s*:\s*')
_END = re.compile(r',\s*"id"\s*:\s*(-?\d+|"(?:[^"\\]|\\.)*")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*\Z')
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


class Refusal(Exception):
    """A message that is answered with an error."""

    def __init__(self, code: int, message: str, *, data: Any = None, number: RequestId | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data, self.number = code, message, data, number


def parse(line: bytes) -> dict[str, Any]:
    """The request, notification or response in a line; Refusal for anything else."""
    if len(line) > MAX_MESSAGE_BYTES:
        what = f"a message may have at most {MAX_MESSAGE_BYTES:,} bytes"
        raise Refusal(INVALID_REQUEST, what, number=_number_of_long(line))
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Refusal(PARSE_ERROR, "this line is not JSON") from error
    if not isinstance(message, dict):
        raise Refusal(INVALID_REQUEST, "a message is one JSON object")
    number = message.get("id")
    if "id" in message and (isinstance(number, bool) or not isinstance(number, int | str)):
        raise Refusal(INVALID_REQUEST, "an id is a string or a whole number")
    if message.get("jsonrpc") != "2.0":
        raise Refusal(INVALID_REQUEST, 'a message says "jsonrpc": "2.0"', number=number)
    if not isinstance(message.get("method"), str) and ("method" in message or not {"result", "error"} & message.keys()):
        raise Refusal(INVALID_REQUEST, "a request names its method", number=number)
    if not isinstance(message.get("params"), dict | None):
        raise Refusal(INVALID_PARAMS, "params is an object", number=number)
    return message


def _number_of_long(line: bytes) -> RequestId | None:
    """The id of a message that is too long to be read, if it stands before or after what makes it long: whoever sent
    the message waits for an answer under its id."""
    beginning = line[:MAX_MESSAGE_BYTES].decode("utf-8", "replace")
    position = 0
    try:
        while member := _MEMBER.match(beginning, position):
            value, position = _decoder.raw_decode(beginning, member.end())
            if member[1] == "id":
                return _as_number(value)
    except (ValueError, RecursionError):
        pass  # this is the member that is too long, and the id may stand behind it
    end = _END.search(line[-END_BYTES:].decode("utf-8", "replace"))
    try:
        return _as_number(json.loads(end[1])) if end else None
    except ValueError:
        return None


def _as_number(value: Any) -> RequestId | None:
    if isinstance(value, bool) or not isinstance(value, int | str) or len(str(value)) > MAX_ID_CHARS:
        return None
    return value


def answer(number: RequestId, result: Mapping[str, Any]) -> bytes:
    """The line that answers a request."""
    return _line({"jsonrpc": "2.0", "id": number, "result": result})


def refused(refusal: Refusal, number: RequestId | None = None) -> bytes:
    """The line that answers a request, or something that was none, with an error."""
    error: dict[str, Any] = {"code": refusal.code, "message": refusal.message}
    if refusal.data is not None:
        error["data"] = refusal.data
    return _line({"jsonrpc": "2.0", "id": refusal.number if number is None else number, "error": error})


def notification(method: str, params: Mapping[str, Any]) -> bytes:
    """A line that expects no answer."""
    return _line({"jsonrpc": "2.0", "method": method, "params": params})


def _line(message: Mapping[str, Any]) -> bytes:
    return _encode(message).encode("utf-8", "replace") + b"\n"
