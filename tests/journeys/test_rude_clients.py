"""Clients that do not read, send without end, or change their mind: nobody else notices, and the server lives on."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from urllib.parse import urlsplit

import anyio
from mcp import Client

from tests.support.waiting import BOUND_S
from tests.support.wire import HELLO, Raw, Served, content_of, indexed

MANY = 300  # answers of some 10 KB: far more than a pipe or a socket holds


def search_request(number: int, query: str = "session store") -> bytes:
    call = {"name": "search", "arguments": {"query": query, "limit": 20}}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}).encode()


def test_answers_wait_for_a_client_on_stdio_that_does_not_read(shop: Path, environment: dict[str, str]) -> None:
    server = Raw(shop, environment)
    server.hello()
    for number in range(1_000, 1_000 + MANY):
        server.send(search_request(number))
    assert server.process.stdout is not None
    waiting = set(range(1_000, 1_000 + MANY))
    for line in server.process.stdout:
        waiting.discard(json.loads(line).get("id"))
        if not waiting:
            break
    assert not waiting
    assert server.close() == 0


def test_a_client_on_stdio_that_never_reads_can_still_be_left(shop: Path, environment: dict[str, str]) -> None:
    server = Raw(shop, environment)
    server.hello()
    for number in range(1_000, 1_000 + MANY):
        server.send(search_request(number))
    server.process.terminate()
    assert server.process.wait(timeout=BOUND_S) == 0
    server.close()


def test_clients_over_http_that_do_not_read_disturb_nobody(shop: Path, environment: dict[str, str]) -> None:
    with Served(environment, str(shop), "--transport", "http") as running:
        url = urlsplit(running.url)
        slow: list[socket.socket] = []

        def stall() -> None:
            connection = socket.socket()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            connection.connect((url.hostname, url.port))
            slow.append(connection)
            for body in (
                json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}).encode(),
                *(search_request(number) for number in range(1, 20)),
            ):
                head = (
                    f"POST {url.path} HTTP/1.1\r\nHost: {url.netloc}\r\nContent-Type: application/json\r\n"
                    f"Accept: application/json, text/event-stream\r\nContent-Length: {len(body)}\r\n\r\n"
                )
                connection.sendall(head.encode() + body)

        async def polite() -> None:
            with anyio.fail_after(60):
                async with Client(running.url) as client:
                    await indexed(client)
                    for _ in range(12):
                        stall()
                        assert content_of(await client.call_tool("search", {"query": "cart"}))["hits"]
                    for connection in slow:
                        connection.close()
                    assert content_of(await client.call_tool("search", {"query": "cart"}))["hits"]

        anyio.run(polite)
        assert "Traceback" not in "".join(running.said)


def test_a_line_without_end_is_refused_and_thrown_away(shop: Path, environment: dict[str, str]) -> None:
    server = Raw(shop, environment)
    server.hello()
    assert server.process.stdin is not None
    assert server.process.stdout is not None
    for _ in range(64):
        server.process.stdin.write(b"x" * (1 << 20))
    server.send(b"")
    refused = json.loads(server.process.stdout.readline())
    assert refused["error"] == {"code": -32600, "message": "a message may have at most 1,048,576 bytes"}
    assert len(server.ask("tools/list", {})["result"]["tools"]) == 4
    status = Path(f"/proc/{server.process.pid}/status")
    if status.exists():
        peak_kb = int(status.read_text().partition("VmHWM:")[2].split()[0])
        assert peak_kb < 1_500_000
    assert server.close() == 0


def test_what_is_no_message_is_answered_with_an_error(shop: Path, environment: dict[str, str]) -> None:
    server = Raw(shop, environment)
    server.hello()
    assert server.process.stdout is not None
    for line, code, number in [
        (b"garbage", -32700, None),
        (b"[]", -32600, None),
        (b'{"jsonrpc": "1.0", "id": 900, "method": "tools/list"}', -32600, 900),
        (b'{"jsonrpc": "2.0", "id": 901, "method": 5}', -32600, 901),
        (b'{"jsonrpc": "2.0", "id": 902, "method": 5, "result": {}}', -32600, 902),
        (b'{"jsonrpc": "2.0", "id": {"a": 1}, "method": "tools/list"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": null, "method": "tools/list"}', -32600, None),
    ]:
        server.send(line)
        answer = json.loads(server.process.stdout.readline())
        assert (answer["error"]["code"], answer["id"]) == (code, number), line
    server.send(b"")
    assert server.ask("ping", {})["result"] == {}
    assert server.close() == 0


def test_a_cancelled_call_is_not_answered_and_the_next_one_is(shop: Path, environment: dict[str, str]) -> None:
    server = Raw(shop, environment)
    server.hello()
    server.send(search_request(500))  # the first one waits for the index
    server.send(
        b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 500, "reason": "changed"}}'
    )
    server.send(search_request(501, "cart"))
    assert server.process.stdout is not None
    answers = {}
    for line in server.process.stdout:
        answer = json.loads(line)
        answers[answer.get("id")] = answer
        if 501 in answers:
            break
    assert answers[501]["result"]["structuredContent"]["hits"]
    assert "result" not in answers.get(500, {})
    assert server.close() == 0
