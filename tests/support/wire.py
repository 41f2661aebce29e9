"""What the tests of all transports share: a connected client, and what its answers hold."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Self

import anyio
import jsonschema
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent

from sightline.server.app import App
from sightline.server.mcp.endpoint import build
from tests.support.waiting import BOUND_S

Scenario = Callable[[Client], Awaitable[None]]
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "rude", "version": "1"},
}


class Raw:
    """A server process that is spoken to line by line."""

    def __init__(self, root: Path, environment: dict[str, str]) -> None:
        line = [sys.executable, "-m", "sightline.server", "serve", str(root)]
        self.process = subprocess.Popen(
            line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        )
        self.number = 0

    def send(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.number += 1
        request = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.send(json.dumps(request).encode())
        assert self.process.stdout is not None
        for line in self.process.stdout:
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == self.number:
                return answer
        raise AssertionError("the server went away")

    def hello(self) -> None:
        assert "result" in self.ask("initialize", HELLO)
        self.send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')

    def close(self) -> int:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait(timeout=BOUND_S)


def with_stdio_client(root: Path, environment: dict[str, str], scenario: Scenario, *arguments: str) -> None:
    """Start `sightline serve` on a root and run a scenario with a client connected over stdio."""
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "sightline.server", "serve", str(root), *arguments],
        env=environment,
        cwd=str(root),
    )

    async def main() -> None:
        with anyio.fail_after(BOUND_S):
            async with Client(parameters) as client:
                await scenario(await indexed(client))

    anyio.run(main)


def with_client_in_process(root: Path, index_dir: Path, scenario: Scenario) -> None:
    """Run a scenario with a client connected in memory: the same server, no process to start."""
    app = App.open([root], index_dir=index_dir, structured=True)

    async def main() -> None:
        with anyio.fail_after(BOUND_S):
            async with Client(build(app)) as client:
                await scenario(await indexed(client))

    try:
        anyio.run(main)
    finally:
        app.close()


async def indexed(client: Client) -> Client:
    """Come back when the first index is complete: a busy machine answers from a part of it at first."""
    while True:
        if "\nIndex: " not in text_of(await client.call_tool("search", {"query": "anything", "limit": 1})):
            return client
        await anyio.sleep(0.05)


def text_of(result: CallToolResult) -> str:
    """The text an agent reads."""
    [content] = result.content
    assert isinstance(content, TextContent)
    return content.text


def content_of(result: CallToolResult) -> dict[str, Any]:
    """The structured content of an answer that is no error."""
    assert not result.is_error, text_of(result)
    assert isinstance(result.structured_content, dict)
    return result.structured_content


class Served:
    """A `sightline serve` (or `ui`) process that listens on a port of its own."""

    def __init__(
        self, environment: dict[str, str], *arguments: str, before: Sequence[str] = (), command: str = "serve"
    ) -> None:
        line = [*before, sys.executable, "-m", "sightline.server", command, *arguments, "--port", "0"]
        self.process = subprocess.Popen(line, env=environment, stderr=subprocess.PIPE, text=True)
        self.said: list[str] = []
        assert self.process.stderr is not None
        for text in self.process.stderr:
            self.said.append(text)
            found = re.search(r"at (http://\S+)", text)
            if found:
                self.url = found.group(1)
                break
        else:
            raise AssertionError("".join(self.said))
        self._drain = threading.Thread(target=self._read_on, daemon=True)
        self._drain.start()

    def _read_on(self) -> None:
        assert self.process.stderr is not None
        self.said.extend(self.process.stderr)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        self.stop()
        if failure is not None:  # what the server logged says why
            sys.stderr.writelines(self.said)

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ask the process to end and wait for it."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            return self.process.wait(timeout=BOUND_S)
        finally:
            self.process.kill()
            self._drain.join(timeout=5)
            assert self.process.stderr is not None
            self.process.stderr.close()


def run_scenario(connect: Callable[[], Client], scenario: Scenario) -> None:
    """Run a scenario with a client made by `connect`."""

    async def main() -> None:
        with anyio.fail_after(BOUND_S):
            async with connect() as client:
                await scenario(await indexed(client))

    anyio.run(main)


async def ask_all_four_tools(client: Client) -> None:
    """What every transport must carry: the four tools with text and structured content that fits the schema."""
    listed = {tool.name: tool for tool in (await client.list_tools()).tools}
    questions = {
        "search": {"query": "remove expired sessions"},
        "symbol_search": {"name": "AuthService"},
        "expand_graph": {"start": "AuthService.login", "direction": "out"},
        "code_research": {"question": "what calls validate_credentials?"},
    }
    expected = {
        "search": "src/auth/sessions.py",
        "symbol_search": "class AuthService  (src/auth/service.py:7-21)",
        "expand_graph": "validate_credentials  src/auth/",
        "code_research": "AuthService.login",
    }
    assert set(listed) == set(questions)
    for name, arguments in questions.items():
        result = await client.call_tool(name, arguments)
        jsonschema.validate(content_of(result), listed[name].output_schema or {})
        assert expected[name] in text_of(result)
