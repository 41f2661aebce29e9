"""Streamable HTTP: the real client, the guard at the door, and an orderly end."""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.support.wire import Served, ask_all_four_tools, content_of, indexed, run_scenario

TOKEN = "a-token-that-nobody-can-guess"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


@pytest.fixture
def served(shop: Path, environment: dict[str, str]) -> Iterator[Served]:
    with Served(environment, str(shop), "--transport", "http") as running:
        yield running


def test_the_four_tools_answer_over_http(served: Served) -> None:
    assert served.url.endswith("/mcp")
    run_scenario(lambda: Client(served.url), ask_all_four_tools)


def test_strange_requests_are_refused_and_the_server_lives_on(served: Served) -> None:
    with httpx2.Client(headers=HEADERS) as web:
        assert web.post(served.url, json=INITIALIZE, headers={"Host": "evil.example"}).status_code == 421
        assert web.post(served.url, json=INITIALIZE, headers={"Origin": "http://evil.example"}).status_code == 403
        assert web.post(served.url, content=b"{not json").status_code == 400
        assert web.post(served.url, json=[1, 2, 3]).status_code == 400
        assert web.post(served.url, json={"jsonrpc": "2.0", "id": 1}).status_code >= 400
        assert web.post(served.url, content=b" " * (2 << 20)).status_code == 413
        assert web.get(served.url.replace("/mcp", "/elsewhere")).status_code == 404
        assert web.post(served.url, json=INITIALIZE).status_code == 200
    run_scenario(lambda: Client(served.url), ask_all_four_tools)


def test_a_token_is_asked_for_and_compared(shop: Path, environment: dict[str, str], tmp_path: Path) -> None:
    token_file = tmp_path / "token"
    token_file.write_text(TOKEN + "\n")
    with Served(environment, str(shop), "--transport", "http", "--token-file", str(token_file)) as running:
        with httpx2.Client(headers=HEADERS) as web:
            for wrong in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}):
                refused = web.post(running.url, json=INITIALIZE, headers=wrong)
                assert refused.status_code == 401
                assert refused.headers["WWW-Authenticate"] == "Bearer"
        assert TOKEN not in "".join(running.said)

        async def main() -> None:
            async with (
                httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=30) as web,
                Client(streamable_http_client(running.url, http_client=web)) as client,
            ):
                await ask_all_four_tools(await indexed(client))

        anyio.run(main)


def test_beyond_loopback_works_with_a_generated_token(shop: Path, environment: dict[str, str]) -> None:
    arguments = [str(shop), "--transport", "http", "--host", "0.0.0.0", "--generate-token"]
    with Served(environment, *arguments) as running:
        token = running.said[0].split()[-1]
        url = running.url.replace("0.0.0.0", "127.0.0.1")
        with httpx2.Client(headers=HEADERS) as web:
            assert web.post(url, json=INITIALIZE).status_code == 401
            allowed = {"Authorization": f"Bearer {token}"}
            assert web.post(url, json=INITIALIZE, headers=allowed).status_code == 200
            assert web.post(url, json=INITIALIZE, headers={**allowed, "Host": "evil.example"}).status_code == 421


def test_a_token_file_is_made_for_its_owner_only(shop: Path, environment: dict[str, str], tmp_path: Path) -> None:
    token_file = tmp_path / "fresh" / "token"
    with Served(environment, str(shop), "--transport", "http", "--token-file", str(token_file)):
        assert len(token_file.read_text().strip()) > 30
        assert token_file.stat().st_mode & 0o777 == 0o600


def test_a_port_that_is_taken_is_said_clearly(shop: Path, sightline_process: object) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = sightline_process("serve", shop, "--transport", "http", "--port", str(port))  # type: ignore[operator]
    assert done.returncode == 2
    assert "choose another --port" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_in_order(shop: Path, environment: dict[str, str], number: int) -> None:
    with Served(environment, str(shop), "--transport", "http") as running:

        async def scenario(client: Client) -> None:
            await client.call_tool("search", {"query": "cart"})

        run_scenario(lambda: Client(running.url), scenario)
        assert running.stop(number) == 0
    assert not list(Path(environment["SIGHTLINE_INDEX_DIR"]).rglob("writer.json")), "the writer signed off"
    assert "Traceback" not in "".join(running.said)


def test_several_roots_are_served_fused_and_chosen(shop: Path, environment: dict[str, str], tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "old.go").write_text("package old\n\n// RemoveExpired drops expired sessions.\nfunc RemoveExpired() {}\n")

    async def scenario(client: Client) -> None:
        both = content_of(await client.call_tool("search", {"query": "remove expired sessions"}))
        assert {hit["root"] for hit in both["hits"]} == {"shop", "other"}
        assert both["index"]["files"] == 6
        one = content_of(await client.call_tool("search", {"query": "remove expired sessions", "root": "other"}))
        assert {hit["root"] for hit in one["hits"]} == {"other"}
        symbols = content_of(await client.call_tool("symbol_search", {"name": "RemoveExpired"}))
        assert symbols["objects"][0]["root"] == "other"
        graph = content_of(await client.call_tool("expand_graph", {"start": "AuthService.login"}))
        assert graph["start_objects"][0]["root"] == "shop"
        research = content_of(await client.call_tool("code_research", {"question": "what calls load_hash?"}))
        assert {section["root"] for section in research["sections"]} == {"shop", "other"}

    with Served(environment, str(shop), str(other), "--transport", "http") as running:
        run_scenario(lambda: Client(running.url), scenario)
