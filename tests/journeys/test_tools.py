"""What the tools and resources answer, through the SDK's client in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from tests.support.wire import content_of, text_of, with_client_in_process


def test_instructions_tell_when_to_use_which_tool(shop: Path, tmp_path: Path) -> None:
    async def scenario(client: Client) -> None:
        instructions = client.instructions or ""
        for tool in (await client.list_tools()).tools:
            assert tool.name in instructions

    with_client_in_process(shop, tmp_path / "indexes", scenario)


def test_wrong_arguments_are_answered_with_guidance(shop: Path, tmp_path: Path) -> None:
    async def scenario(client: Client) -> None:
        refused: list[tuple[str, dict[str, Any], str]] = [
            ("search", {"query": "x", "limt": 1}, "did you mean `limit`?"),
            ("search", {"query": "x", "limit": 10_000}, "between 1 and 100"),
            ("search", {}, "`query` is missing"),
            ("serch", {"query": "x"}, "did you mean search?"),
            ("search", {"query": "x", "root": "elsewhere"}, "known ones: shop"),
            ("search", {"query": "x", "cursor": "garbage"}, "is not a cursor"),
        ]
        for name, arguments, expected in refused:
            result = await client.call_tool(name, arguments)
            assert result.is_error
            assert expected in text_of(result)
        assert content_of(await client.call_tool("search", {"query": ""}))["hits"] == []

    with_client_in_process(shop, tmp_path / "indexes", scenario)


def test_resources_give_status_and_files_of_the_root_only(shop: Path, tmp_path: Path) -> None:
    (shop / ".env").write_text("TOKEN=1")
    (shop.parent / "outside.txt").write_text("private")
    (shop / "link.txt").symlink_to(shop.parent / "outside.txt")

    async def scenario(client: Client) -> None:
        await client.call_tool("search", {"query": "cart"})
        status = (await client.read_resource("sightline://status")).contents[0]
        assert '"indexed": 5' in status.text  # type: ignore[union-attr]
        file = (await client.read_resource("sightline://file/web/cart.ts")).contents[0]
        assert "addToCart" in file.text  # type: ignore[union-attr]
        for path in ["../outside.txt", "link.txt", ".env", "/etc/passwd", "%2e%2e/outside.txt", "src", "none.py", ""]:
            with pytest.raises(MCPError) as caught:
                await client.read_resource(f"sightline://file/{path}")
            assert "private" not in str(caught.value)

    with_client_in_process(shop, tmp_path / "indexes", scenario)


def test_symbols_are_found_by_name_with_their_members_and_source(shop: Path, tmp_path: Path) -> None:
    async def scenario(client: Client) -> None:
        schemas = {tool.name: tool.output_schema or {} for tool in (await client.list_tools()).tools}
        result = await client.call_tool("symbol_search", {"name": "AuthService"})
        answer = content_of(result)
        jsonschema.validate(answer, schemas["symbol_search"])
        best = answer["objects"][0]
        assert (best["name"], best["match_type"], best["rank"]) == ("AuthService", "exact", 1)
        assert [member["name"] for member in best["members"]] == ["__init__", "login", "logout"]
        assert best["id"] == best["version_id"]
        method = await client.call_tool("symbol_search", {"name": "AuthService.login"})
        assert "15         if not validate_credentials(user, password):" in text_of(method)
        missing = await client.call_tool("symbol_search", {"name": "AuthServce"})
        assert "AuthService" in text_of(missing)
        assert not missing.is_error

    with_client_in_process(shop, tmp_path / "indexes", scenario)


def test_the_graph_is_expanded_from_a_name_a_line_or_an_id(shop: Path, tmp_path: Path) -> None:
    async def scenario(client: Client) -> None:
        schemas = {tool.name: tool.output_schema or {} for tool in (await client.list_tools()).tools}
        result = await client.call_tool("expand_graph", {"start": "login", "direction": "out", "queryContext": "hash"})
        answer = content_of(result)
        jsonschema.validate(answer, schemas["expand_graph"])
        assert "\ncalls:\n" in text_of(result)
        assert "\n  validate_credentials  src/auth/check.py:4, at src/auth/service.py:15" in text_of(result)
        entity = answer["start_objects"][0]["entity_id"]
        for start in (entity, "src/auth/service.py:15", "AuthService.login"):
            again = content_of(await client.call_tool("expand_graph", {"start": start, "direction": "out"}))
            assert [o["entity_id"] for o in again["start_objects"]] == [entity]
        callers = content_of(
            await client.call_tool(
                "expand_graph", {"start": "validate_credentials", "direction": "in", "relationship_types": "calls"}
            )
        )
        assert [o["qualified_name"] for o in callers["objects"]] == ["AuthService.login"]
        unknown = await client.call_tool("expand_graph", {"start": "validate_credential"})
        assert "validate_credentials" in text_of(unknown)
        assert not unknown.is_error

    with_client_in_process(shop, tmp_path / "indexes", scenario)


def test_an_ambiguous_start_lists_the_candidates(shop: Path, tmp_path: Path) -> None:
    (shop / "src/other.py").write_text("class Door:\n    def login(self): ...\n")

    async def scenario(client: Client) -> None:
        result = await client.call_tool("expand_graph", {"start": "login"})
        answer = content_of(result)
        assert {o["qualified_name"] for o in answer["candidates"]} == {"AuthService.login", "Door.login"}
        assert answer["relationships"] == []
        assert "is ambiguous" in text_of(result)

    with_client_in_process(shop, tmp_path / "indexes", scenario)


def test_a_search_can_list_what_its_objects_are_related_to(shop: Path, tmp_path: Path) -> None:
    async def scenario(client: Client) -> None:
        arguments = {"query": "login with a password", "types": ["object"], "expand": True}
        result = await client.call_tool("search", arguments)
        assert "Related:\nRelationship: " in text_of(result)
        assert all("rank" not in edge for edge in content_of(result)["relationships"])

    with_client_in_process(shop, tmp_path / "indexes", scenario)
