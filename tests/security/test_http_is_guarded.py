"""Over HTTP: odd addresses and pages are refused, half requests and floods hold nobody up, and little is logged."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from sightline.errors import ConfigError
from sightline.server.mcp.guard import parse_authority, same_token
from sightline.server.mcp.transport import read_token
from tests.support.hostile import make_root
from tests.support.waiting import wait_for
from tests.support.wire import HELLO, Served

INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
FEW_DESCRIPTORS = ("/bin/sh", "-c", 'ulimit -n 256; exec "$@"', "sh")
TOKEN = "a-token-of-enough-characters"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "home").mkdir()
    return os.environ | {"SIGHTLINE_INDEX_DIR": str(tmp_path / "indexes"), "HOME": str(tmp_path / "home")}


@pytest.fixture
def root(tmp_path: Path) -> str:
    return str(make_root(tmp_path / "root", {"a.py": "a = 1\n"}).root)


@pytest.fixture
def served(root: str, environment: dict[str, str]) -> Iterator[Served]:
    with Served(environment, root, "--transport", "http") as running:
        yield running


def port_of(running: Served) -> int:
    return urlsplit(running.url).port or 0


def status(running: Served, **headers: str) -> int:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx2.post(running.url, json=INITIALIZE, headers={**HEADERS, **named}, timeout=60).status_code


def raw(port: int, head: str) -> int:
    """The status that a request written by hand gets; 0 when the connection is closed without a word."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(head.encode("latin-1"))
        answer = connection.recv(4_096)
    return int(answer.split()[1]) if answer else 0


def test_only_plain_forms_of_the_own_address_are_accepted(served: Served) -> None:
    port = port_of(served)
    for good in (
        "127.0.0.1",
        f"127.0.0.1:{port}",
        f"localhost:{port}",
        f"LOCALHOST:{port}",
        f"[::1]:{port}",
        "localhost:9",
    ):
        assert status(served, Host=good) == 200, good
    for bad in ("localhost:", "localhost:abc", "localhost:80:evil.example", "localhost:80@evil.example", "localhost.",
                "localhost:80/x", "evil.example", "localhost.evil.example", "localhost:99999", "127.1", "[::1", "::1",
                "127.0.0.1:80#x", "user@localhost", "0.0.0.0", "localhost, evil.example", "2130706433",
                "localhost:0"):  # fmt: skip
        assert status(served, Host=bad) == 421, bad
    assert raw(port, "POST /mcp HTTP/1.0\r\nContent-Length: 0\r\n\r\n") == 421
    assert raw(port, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nContent-Length: 0\r\n\r\n") == 400


def test_no_web_page_is_accepted_but_one_of_the_very_same_address(served: Served) -> None:
    port = port_of(served)
    assert status(served, Origin=f"http://127.0.0.1:{port}") == 200
    for bad in ("null", "http://localhost:3000", "http://127.0.0.1", f"https://127.0.0.1:{port}", "http://evil.example",
                f"http://127.0.0.1:{port}:evil.example", f"http://127.0.0.1:{port}.evil.example", "file://", "",
                f"http://127.0.0.1:{port}@evil.example", f"127.0.0.1:{port}", f"http://127.0.0.1:{port}/"):  # fmt: skip
        assert status(served, Origin=bad) == 403, bad


def test_the_scheme_of_a_token_may_be_written_in_any_case(
    root: str, environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "token").write_text(TOKEN)
    with Served(environment, root, "--transport", "http", "--token-file", str(tmp_path / "token")) as running:
        for good in ("Bearer", "bearer", "BEARER"):
            assert status(running, Authorization=f"{good} {TOKEN}") == 200
        for bad in (
            f"Basic {TOKEN}",
            TOKEN,
            "Bearer",
            f"Bearer {TOKEN}x",
            f"Bearer{TOKEN}",
            f"x Bearer {TOKEN}",
        ):
            assert status(running, Authorization=bad) == 401


@pytest.mark.skipif(sys.platform == "win32", reason="descriptors are not limited there")
@pytest.mark.parametrize("half", ["head", "body", "nothing"])
def test_half_requests_hold_nobody_up_and_fill_no_log(root: str, environment: dict[str, str], half: str) -> None:
    with Served(environment, root, "--transport", "http", before=FEW_DESCRIPTORS) as running:
        port = port_of(running)
        begun = {
            "head": f"POST /mcp HTTP/1.1\r\nHost: localhost:{port}\r\n",
            "body": f"POST /mcp HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Type: application/json\r\n"
            "Accept: application/json, text/event-stream\r\nContent-Length: 1000\r\n\r\n{",
            "nothing": "",
        }[half]
        rude = []
        try:
            for _ in range(250):
                rude.append(socket.create_connection(("127.0.0.1", port), timeout=60))
                rude[-1].sendall(begun.encode())
            assert [status(running) for _ in range(3)] == [200, 200, 200]
        finally:
            for connection in rude:
                connection.close()
        assert status(running) == 200
        assert running.stop() == 0
    assert sum(map(len, running.said)) < 100_000


def test_a_request_that_never_ends_is_given_up(served: Served) -> None:
    port = port_of(served)
    began = time.monotonic()
    assert raw(port, "POST /mcp HTTP/1.1\r\nHost: localhost\r\n") == 0
    assert raw(port, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{") == 408
    assert time.monotonic() - began < 60


def test_a_body_is_refused_by_what_it_announces(served: Served) -> None:
    port = port_of(served)
    assert raw(port, f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: {'9' * 15}\r\n\r\n") == 413


def test_sessions_of_server_sent_events_are_limited(root: str, environment: dict[str, str]) -> None:
    request = "GET /sse HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
    with Served(environment, root, "--transport", "sse") as running:
        answers: list[bytes] = []
        streams: list[socket.socket] = []
        try:
            for _ in range(300):
                streams.append(socket.create_connection(("127.0.0.1", port_of(running)), timeout=60))
                streams[-1].sendall(request.encode())
                answers.append(streams[-1].recv(4_096).split()[1])
        finally:
            for stream in streams:
                stream.close()
        assert answers == [b"200"] * 256 + [b"503"] * 44
        wait_for(lambda: raw(port_of(running), request) == 200, "room again, now that they have gone")


@pytest.mark.parametrize("token", ["too-short", "p\u00e4ssword-of-enough-characters", "a-token-of-enough\tcharacters"])
def test_a_token_that_a_header_cannot_carry_is_refused(tmp_path: Path, token: str) -> None:
    (tmp_path / "token").write_text(token, encoding="utf-8")
    with pytest.raises(ConfigError, match="printable ASCII"):
        read_token(tmp_path / "token")


def test_forms_of_addresses_and_tokens() -> None:
    assert parse_authority("LocalHost:80") == ("localhost", 80)
    assert parse_authority("[::1]") == ("[::1]", 80)
    for text in ("", ":80", "a:", "a:b", "a:1:2", "a b", "a\n", "a:\u0661", ".a", "a.", "[x]", "a/b", "-a"):
        assert parse_authority(text) is None, text
    assert same_token(f"bearer {TOKEN}", TOKEN)
    assert not same_token(f"bearer {TOKEN}\u00e9", TOKEN)
