"""The installed server, asked through the SDK's real stdio client."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import anyio
import jsonschema
from mcp import Client, StdioServerParameters

from sightline.server import usage
from tests.support.waiting import BOUND_S
from tests.support.wire import ask_all_four_tools, content_of, indexed, text_of, with_stdio_client


def test_search_answers_with_numbered_lines_and_structured_content(shop: Path, environment: dict[str, str]) -> None:
    async def scenario(client: Client) -> None:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        search = listed["search"]
        assert search.annotations is not None
        assert search.annotations.read_only_hint is True
        result = await client.call_tool("search", {"query": "remove expired sessions"})
        answer = content_of(result)
        assert search.output_schema is not None
        jsonschema.validate(answer, search.output_schema)
        assert answer["hits"][0]["path"] == "src/auth/sessions.py"
        assert answer["index"]["state"] == "ready"
        assert answer["index"]["files"] == 5
        text = text_of(result)
        assert "src/auth/sessions.py\n" in text
        assert '20         """Drop every session older than max_age_s."""' in text

    with_stdio_client(shop, environment, scenario)


def test_the_four_tools_answer_over_stdio(shop: Path, environment: dict[str, str]) -> None:
    with_stdio_client(shop, environment, ask_all_four_tools)


def test_a_file_edited_a_moment_ago_is_answered_as_it_is_on_disk(shop: Path, environment: dict[str, str]) -> None:
    async def scenario(client: Client) -> None:
        await client.call_tool("search", {"query": "validate credentials"})
        path = shop / "src/auth/check.py"
        path.write_text("# one more line\n# and another\n" + path.read_text())
        result = await client.call_tool("search", {"query": "validate_credentials", "types": ["chunk", "object"]})
        lines = path.read_text().splitlines()
        hits = [hit for hit in content_of(result)["hits"] if hit["path"] == "src/auth/check.py"]
        assert hits
        assert not any(hit.get("stale") for hit in hits)
        for chunk in content_of(result)["chunks"]:
            if chunk["path"] == "src/auth/check.py":
                assert chunk["text"].splitlines()[0] == lines[chunk["start_line"] - 1]

    with_stdio_client(shop, environment, scenario)


def test_what_install_writes_starts_a_server(shop: Path, environment: dict[str, str], sightline_process: Any) -> None:
    command = f"{sys.executable} -m sightline.server"
    assert sightline_process("install", "claude-code", "--command", command, cwd=shop).returncode == 0
    entry = json.loads((shop / ".mcp.json").read_text())["mcpServers"]["sightline"]

    async def main() -> None:
        with anyio.fail_after(60):
            parameters = StdioServerParameters(
                command=entry["command"], args=entry["args"], env=environment, cwd=str(shop)
            )
            async with Client(parameters) as client:
                assert content_of(await client.call_tool("search", {"query": "cart"}))["hits"]

    anyio.run(main)


def test_two_servers_on_one_root_both_answer_as_it_is_on_disk(shop: Path, environment: dict[str, str]) -> None:
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "sightline.server", "serve", str(shop)], env=environment
    )

    async def main() -> None:
        with anyio.fail_after(BOUND_S):
            async with Client(parameters) as first, Client(parameters) as second:
                await indexed(first)
                await indexed(second)
                path = shop / "src/auth/check.py"
                path.write_text("# moved down\n\n\n" + path.read_text())
                lines = path.read_text().splitlines()
                for client in (second, first):
                    answer = content_of(await client.call_tool("search", {"query": "validate_credentials"}))
                    for chunk in answer["chunks"]:
                        if chunk["path"] == "src/auth/check.py" and not chunk.get("stale"):
                            assert chunk["text"].splitlines()[0] == lines[chunk["start_line"] - 1]

    anyio.run(main)


def test_what_agents_ask_is_noted_beside_the_indexes_unless_switched_off(
    shop: Path, environment: dict[str, str]
) -> None:
    async def scenario(client: Client) -> None:
        await client.call_tool("search", {"query": "remove expired sessions"})
        await client.call_tool("symbol_search", {"name": "no_such_name_anywhere"})

    home = Path(environment["SIGHTLINE_INDEX_DIR"])
    with_stdio_client(shop, environment, scenario, "--no-usage-log")
    with_stdio_client(shop, {**environment, "SIGHTLINE_USAGE_LOG": "0"}, scenario)
    assert list(usage.read(home)) == []
    with_stdio_client(shop, environment, scenario)
    first, *_, second = usage.read(home)  # the client may have asked before, while the index was being built
    assert (first.tool, first.root) == ("search", str(shop.resolve()))
    assert (second.tool, second.found, second.files) == ("symbol_search", False, 0)
    asked = next(call for call in usage.read(home) if call.asked == "remove expired sessions")
    assert asked.answer_chars > 0
    assert asked.files_bytes >= (shop / "src/auth/sessions.py").stat().st_size
