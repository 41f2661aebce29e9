"""What the tests of all transports share: a connected client, and what its answers hold."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent

Scenario = Callable[[Client], Awaitable[None]]


def with_stdio_client(root: Path, environment: dict[str, str], scenario: Scenario, *arguments: str) -> None:
    """Start `sightline serve` on a root and run a scenario with a client connected over stdio."""
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "sightline.server", "serve", str(root), *arguments],
        env=environment,
        cwd=str(root),
    )

    async def main() -> None:
        with anyio.fail_after(60):
            async with Client(parameters) as client:
                await scenario(client)

    anyio.run(main)


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
