"""Whatever a client writes: each request that has an id is answered once, and the server lives on.

`scripts/soak tests/journeys/test_any_message.py -s` sends SIGHTLINE_FUZZ_MESSAGES of them and prints the slowest ping.
"""

from __future__ import annotations

import json
import os
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.support.wire import Raw

MESSAGES = int(os.environ.get("SIGHTLINE_FUZZ_MESSAGES", "10000"))
BATCH = 50
FREEZE_S = 30  # generous, since machines that run tests are busy; the soak prints what it was
_METHODS = ("tools/call", "tools/list", "resources/list", "resources/read", "ping", "prompts/list", "logging/setLevel",
            "resources/templates/list", "completion/complete", "tools/unheard_of", "", "initialize", "\0")  # fmt: skip
_TOOLS = ("search", "symbol_search", "code_research", "expand_graph", "", "\u202e", "search ")
_TEXTS = ("cart", "who calls Cart.add?", "", " ", "\0", "\ud7ff", "a" * 5_000, "*" * 200, "../../etc/passwd", "%2e%2e/",
          "sightline://file/app.py", "sightline://file/../x", "[" * 300, "\n\r\u2028", "日本", "src/**")  # fmt: skip
_KEYS = ("query", "limit", "file_filter", "exclude_filter", "depth", "max_tokens", "root", "symbol", "symbols", "uri",
         "relationship_types", "filters", "weights", "name", "arguments", "cursor", "_meta", "x" * 300)  # fmt: skip


def any_value(chance: random.Random, depth: int = 0) -> Any:
    """A JSON value of any kind, not too deep."""
    kind = chance.random()
    if kind < 0.45:
        return chance.choice(_TEXTS)
    if kind < 0.65:
        return chance.choice((0, 1, -1, 10**9, -(10**30), 1.5, 1e308, True, False, None))
    if depth > 3:
        return []
    if kind < 0.8:
        return [any_value(chance, depth + 1) for _ in range(chance.randint(0, 4))]
    return {chance.choice(_KEYS): any_value(chance, depth + 1) for _ in range(chance.randint(0, 4))}


def any_request(chance: random.Random, number: int) -> dict[str, Any]:
    """A request that is nearly one a client would send."""
    method = chance.choice(("tools/call",) * 6 + _METHODS)
    params: Any = {chance.choice(_KEYS): any_value(chance) for _ in range(chance.randint(0, 3))}
    if method == "tools/call" and chance.random() < 0.9:
        arguments = {"query": chance.choice(_TEXTS)} | {chance.choice(_KEYS): any_value(chance) for _ in range(2)}
        params = {"name": chance.choice(_TOOLS), "arguments": arguments}
    elif chance.random() < 0.1:
        params = any_value(chance)
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def broken(chance: random.Random, line: bytes) -> bytes:
    """The line with something wrong in it: it may have lost its id, so that nobody can tell what it asked."""
    at = chance.randrange(len(line))
    change = chance.randrange(5)
    if change == 0:
        return line[:at]
    if change == 1:
        return line[:at] + bytes([chance.randrange(256)]) + line[at + 1 :]
    if change == 2:
        return line[:at] + line[at:] * 2
    if change == 3:
        return b"[" * chance.randrange(2_000) + line
    return line.replace(b'"2.0"', chance.choice((b"2", b'"1.0"', b"null", b"{}")))


def converse(server: Raw, seeds: Iterable[int]) -> float:
    """Send messages in batches, each batch followed by a ping, and read until its answer: the slowest, in seconds."""
    slowest = 0.0
    asked: Counter[Any] = Counter()
    answered: Counter[Any] = Counter()
    assert server.process.stdout is not None
    for seed in seeds:
        chance, due = random.Random(seed), set()
        for number in range(BATCH):
            identifier = seed * 1_000 + number + 1_000_000
            line = json.dumps(any_request(chance, identifier)).encode()
            if chance.random() < 0.3:
                line = broken(chance, line).replace(b"\n", b" ")
            else:
                due.add(identifier)
            asked[id_of(line)] += 1
            server.send(line)
        sent = time.monotonic()
        asked[-seed - 1] += 1
        server.send(json.dumps({"jsonrpc": "2.0", "id": -seed - 1, "method": "ping"}).encode())
        pinged = False
        while due or not pinged:
            line = server.process.stdout.readline()
            assert line, "the server went away"
            answer = json.loads(line)
            if answer.get("id") == -seed - 1:
                pinged, slowest = True, max(slowest, time.monotonic() - sent)
            if "method" not in answer:
                answered[answer.get("id")] += 1
                assert answer["id"] is None or answered[answer["id"]] <= asked[answer["id"]], "answered twice"
            due.discard(answer.get("id"))
    return slowest


def id_of(line: bytes) -> Any:
    """The id that a line asks under; None when it has none that anybody could read."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    found = message.get("id") if isinstance(message, dict) else None
    return found if isinstance(found, int | str | float) else None


def test_messages_of_any_kind_are_answered_and_the_server_lives_on(shop: Path, environment: dict[str, str]) -> None:
    server = Raw(shop, environment)
    server.hello()
    assert converse(server, range(6)) < FREEZE_S
    assert server.close() == 0


@pytest.mark.slow
def test_ten_thousand_messages(shop: Path, environment: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    server = Raw(shop, environment)
    server.hello()
    slowest = converse(server, range(100, 100 + MESSAGES // BATCH))
    assert server.close() == 0
    with capsys.disabled():
        sys.stderr.write(f"{MESSAGES:,} messages, all answered; the slowest ping took {slowest:.2f} s\n")


@pytest.mark.slow
def test_three_thousand_calls_at_once_are_all_answered(
    shop: Path, environment: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    server, count = Raw(shop, environment), 3_000
    server.hello()
    lines = [
        {"jsonrpc": "2.0", "id": 10_000 + number, "method": "tools/call"}
        | {"params": {"name": "search", "arguments": {"query": f"cart session {number % 97}"}}}
        for number in range(count)
    ]
    sender = threading.Thread(target=server.send, args=(b"\n".join(json.dumps(line).encode() for line in lines),))
    sender.start()
    outcomes: Counter[str] = Counter()
    assert server.process.stdout is not None
    while outcomes.total() < count:
        answer = json.loads(server.process.stdout.readline())
        if answer.get("id", 0) >= 10_000:
            failed = "error" in answer or answer["result"].get("isError", False)
            outcomes["refused" if failed else "answered"] += 1
    sender.join()
    assert server.close() == 0
    with capsys.disabled():
        sys.stderr.write(f"{count:,} calls at once: {dict(outcomes)}\n")
