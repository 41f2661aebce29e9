"""A stand-in for a model's API on loopback.

It asks for the given calls of Sightline's tools, one after the other, and keeps every request: that is what a real
agent shows its model.
"""

from __future__ import annotations

import gzip
import json
import threading
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from .shapes import SHAPES, Offered, Shape, ToolCall

SERVER = "sightline"  # as the agents know it
Question = tuple[str, Mapping[str, Any]]  # a tool by the server's name of it, and its arguments


@dataclass(slots=True)
class Seen:
    """What the model was shown: the last request that offered our tools says it all."""

    definitions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # by the server's name of a tool
    results: Sequence[str] = ()
    request: str = ""  # the whole of it, as JSON


class StandIn:
    """The model; use it as a context, during which it answers at `url`."""

    def __init__(self, questions: Sequence[Question]) -> None:
        self._questions = questions
        self._lock = threading.Lock()
        self.seen = Seen()
        self.requests: list[tuple[str, Mapping[str, Any]]] = []  # path and body of each
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            """One connection of the agent."""

            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: Any) -> None:
                """Nothing: what matters is kept."""

            def do_HEAD(self) -> None:
                """Somebody looks whether we are there."""
                self._send("application/json", b"")

            def do_GET(self) -> None:
                """Lists of models and the like: there are none."""
                self._send("application/json", b'{"data": [], "models": []}')

            def do_POST(self) -> None:
                """A question to the model."""
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                self._send(*stand_in.answer(self.path, _decoded(body, self.headers.get("content-encoding", ""))))

            def _send(self, content_type: str, body: bytes) -> None:
                self.send_response(200)
                self.send_header("content-type", content_type)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)

    def answer(self, path: str, body: bytes) -> tuple[str, bytes]:
        """Reply to one request."""
        try:
            request = json.loads(body or b"{}")
        except ValueError:
            request = {}
        with self._lock:
            self.requests.append((path, request))
        shape = next((shape for shape in SHAPES if shape.handles(path)), None)
        if shape is None or not isinstance(request, dict):
            return "application/json", b'{"input_tokens": 1, "totalTokens": 1}'
        return shape.reply(path, request, self._next_call(shape, request))

    def _next_call(self, shape: Shape, request: Mapping[str, Any]) -> ToolCall | None:
        tools = {name: tool for tool in shape.offered(request) if (name := self._own_name(tool))}
        if not tools:
            return None  # a side question: a title, a summary
        results = shape.results(request)
        with self._lock:
            definitions = {name: tool.definition for name, tool in tools.items()}
            self.seen = Seen(definitions, results, json.dumps(request, ensure_ascii=False))
        if len(results) >= len(self._questions):
            return None
        name, arguments = self._questions[len(results)]
        return ToolCall(tools[name], arguments, len(results) + 1) if name in tools else None

    def _own_name(self, tool: Offered) -> str:
        """The server's name of a tool that an agent offers under a longer one; "" for tools that are not ours."""
        if SERVER not in f"{tool.space} {tool.name}":
            return ""
        fitting = [name for name, _ in self._questions if tool.name == name or tool.name.endswith(f"_{name}")]
        return max(fitting, key=len, default="")


def _decoded(body: bytes, encoding: str) -> bytes:
    if encoding == "gzip":
        return gzip.decompress(body)
    if encoding == "deflate":
        return zlib.decompress(body)
    return body
