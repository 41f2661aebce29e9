"""SSE: the real client and the guard at the door."""

from __future__ import annotations

from pathlib import Path

import httpx2
from mcp import Client
from mcp.client.sse import sse_client

from tests.support.wire import Served, ask_all_four_tools, run_scenario


def test_the_four_tools_answer_over_sse(shop: Path, environment: dict[str, str]) -> None:
    with Served(environment, str(shop), "--transport", "sse") as running:
        assert running.url.endswith("/sse")
        run_scenario(lambda: Client(sse_client(running.url)), ask_all_four_tools)


def test_strange_requests_are_refused(shop: Path, environment: dict[str, str]) -> None:
    with Served(environment, str(shop), "--transport", "sse") as running:
        with httpx2.Client() as web:
            assert web.get(running.url, headers={"Host": "evil.example"}).status_code == 421
            assert web.get(running.url, headers={"Origin": "https://evil.example"}).status_code == 403
            messages = running.url.replace("/sse", "/messages/")
            assert web.post(messages, json={}).status_code == 400
            assert web.post(f"{messages}?session_id={'0' * 32}", json={}).status_code == 404
        run_scenario(lambda: Client(sse_client(running.url)), ask_all_four_tools)
        assert "Traceback" not in "".join(running.said)
