"""What a model gets to read, on every transport: the text that the command line prints, and nothing beside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.sse import sse_client

from tests.support.wire import Scenario, Served, run_scenario, text_of, with_client_in_process, with_stdio_client

QUESTIONS = {
    "search": ("search", {"query": "remove expired sessions"}),
    "symbol": ("symbol_search", {"name": "AuthService"}),
    "expand": ("expand_graph", {"start": "AuthService.login"}),
    "research": ("code_research", {"question": "what calls validate_credentials?"}),
}


@pytest.fixture
def plain(environment: dict[str, str]) -> dict[str, str]:
    """The environment of somebody who has chosen nothing."""
    return {name: value for name, value in environment.items() if name != "SIGHTLINE_STRUCTURED"}


def printed(sightline: Callable[..., Any], shop: Path) -> dict[str, str]:
    """What the command line prints for the questions."""
    said = {}
    for command, (_, arguments) in QUESTIONS.items():
        done = sightline(command, *arguments.values(), shop)
        assert done.returncode == 0, done.stderr
        said[command] = done.stdout
    return said


def asks_for(expected: dict[str, str]) -> Scenario:
    """Text only, and that of the command line."""

    async def scenario(client: Client) -> None:
        assert all(tool.output_schema is None for tool in (await client.list_tools()).tools)
        for command, (tool, arguments) in QUESTIONS.items():
            result = await client.call_tool(tool, arguments)
            assert result.structured_content is None
            assert text_of(result) + "\n" == expected[command]

    return scenario


def test_over_stdio(shop: Path, plain: dict[str, str], sightline: Callable[..., Any]) -> None:
    with_stdio_client(shop, plain, asks_for(printed(sightline, shop)))


@pytest.mark.parametrize("transport", ["http", "sse"])
def test_over_http(shop: Path, plain: dict[str, str], sightline: Callable[..., Any], transport: str) -> None:
    expected = printed(sightline, shop)
    with Served(plain, str(shop), "--transport", transport) as running:

        def connect() -> Client:
            return Client(running.url) if transport == "http" else Client(sse_client(running.url))

        run_scenario(connect, asks_for(expected))


def test_a_flag_brings_the_data_back(shop: Path, plain: dict[str, str]) -> None:
    async def scenario(client: Client) -> None:
        assert all(tool.output_schema for tool in (await client.list_tools()).tools)
        for tool, arguments in QUESTIONS.values():
            assert (await client.call_tool(tool, arguments)).structured_content

    with_stdio_client(shop, plain, scenario, "--structured")


def test_arguments_that_the_definition_does_not_name_are_accepted(shop: Path, tmp_path: Path) -> None:
    async def scenario(client: Client) -> None:
        named = {name for tool in (await client.list_tools()).tools for name in tool.input_schema["properties"]}
        given = {"types": ["object"], "mode": "bm25", "filters": {"kind": "method"}, "rrf_k": 10, "rerank": False}
        assert not named & set(given)
        result = await client.call_tool("search", {"query": "login", **given})
        assert not result.is_error
        assert "method AuthService.login" in text_of(result)
        page = (await client.read_resource("sightline://reference")).contents[0]
        assert all(f"`{name}`" in page.text for name in given)  # type: ignore[union-attr]

    with_client_in_process(shop, tmp_path / "indexes", scenario)
