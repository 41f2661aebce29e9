"""A conversation line by line: what the MCP library would answer, cancellation, progress, both revisions of MCP."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import mcp.types as wire
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import Client
from mcp.shared.exceptions import MCPError

from sightline.server.app import App
from sightline.server.mcp import jsonrpc, protocol, stdio
from sightline.server.mcp.endpoint import build
from sightline.server.mcp.session import Session
from sightline.server.progress import Call

META = "io.modelcontextprotocol/"
ENVELOPE = {
    f"{META}protocolVersion": "2026-07-28",
    f"{META}clientInfo": {"name": "test", "version": "1"},
    f"{META}clientCapabilities": {},
}
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


class Talk:
    """A session and what it said."""

    def __init__(self, app: App) -> None:
        self.session = Session(app, self._heard)
        self.said: list[dict[str, Any]] = []
        self._news = threading.Condition()

    def _heard(self, line: bytes) -> None:
        assert line.endswith(b"\n")
        assert line.count(b"\n") == 1
        with self._news:
            self.said.append(json.loads(line))
            self._news.notify_all()

    def send(self, **message: Any) -> None:
        self.session.receive(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def answer_to(self, number: int | str) -> dict[str, Any]:
        def answered() -> bool:
            return any(message.get("id") == number for message in self.said)

        with self._news:
            assert self._news.wait_for(answered, 30)
            return next(message for message in self.said if message.get("id") == number)

    def ask(self, method: str, params: dict[str, Any] | None = None, *, number: int | str = 1) -> dict[str, Any]:
        with self._news:
            self.said.clear()
        self.send(id=number, method=method, params=params or {})
        return self.answer_to(number)


@pytest.fixture
def app(tmp_path: Path) -> Any:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "cart.py").write_text("def add_to_cart(item):\n    return item\n")
    app = App.open([tmp_path / "root"], index_dir=tmp_path / "indexes")
    yield app
    app.close()


def ready(app: App) -> App:
    """With a complete index, so that two answers to one question are the same."""
    from sightline.server.cli.catchup import catch_up

    catch_up(app.roots[0], show=False)
    app.life.begin()
    assert app.roots[0].service is not None
    assert app.roots[0].service.wait_caught_up(30)
    return app


def greeted(app: App) -> Talk:
    talk = Talk(app)
    talk.ask("initialize", HELLO)
    talk.send(method="notifications/initialized")
    return talk


@pytest.mark.parametrize("structured", [False, True])
def test_data_comes_beside_the_text_only_when_a_program_asked_for_it(app: App, structured: bool) -> None:
    app.structured = structured
    talk = greeted(ready(app))
    for tool in talk.ask("tools/list")["result"]["tools"]:
        assert ("outputSchema" in tool) == structured
    result = talk.ask("tools/call", {"name": "search", "arguments": {"query": "cart"}})["result"]
    assert ("structuredContent" in result) == structured
    assert "def add_to_cart(item):" in result["content"][0]["text"]


class PanicError(BaseException):
    """As Rust libraries raise it: no Exception."""


def test_a_panic_below_is_an_answer(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    def panics(*_: Any, **__: Any) -> None:
        raise PanicError("index out of bounds")

    ready(app)
    monkeypatch.setattr(app.roots[0], "search", panics)
    monkeypatch.setattr("sightline.server.mcp.resources.read", panics)
    talk = greeted(app)
    for number in range(10):  # more than there are threads
        called = talk.ask("tools/call", {"name": "search", "arguments": {"query": "x"}}, number=number)["result"]
        assert called["isError"]
        assert "failed unexpectedly" in called["content"][0]["text"]
        assert talk.ask("resources/read", {"uri": "sightline://status"}, number=number)["error"]["code"] == -32603

    async def ask_library() -> None:
        async with Client(build(app)) as client:
            assert (await client.call_tool("search", {"query": "x"})).is_error
            with pytest.raises(MCPError):
                await client.read_resource("sightline://status")
            assert (await client.list_tools()).tools

    anyio.run(ask_library)


LONG = "x" * jsonrpc.MAX_MESSAGE_BYTES


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ('{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"x": "%s"}}', 7),
        ('{ "id" : "se\\"ven" , "params": {"x": "%s"}}', 'se"ven'),
        ('{"params": {"id": 8, "x": "%s"}, "method": "ping", "jsonrpc": "2.0", "id": 9}', 9),
        ('{"params": {"x": "%s"}, "id": "nine", "jsonrpc": "2.0"}', "nine"),
        ('{"params": {"x": "%s", "id": 8}}', None),
        ('{"params": {"id": 8, "x": "%s"}}', None),
        ('{"params": {"x": "%s,\\"id\\":8"}}', None),
        ('{"id": true, "x": "%s"}', None),
        ('{"id": 1.5, "x": "%s"}', None),
        ('{"x": "%s", "id": "\\q"}', None),
        ("[[[%s", None),
        ('{"id": %s', None),
    ],
)
def test_a_message_that_is_too_long_is_refused_under_its_id(app: App, line: str, number: int | str | None) -> None:
    whole = (line % LONG).encode()
    sent = list(stdio._lines(io.BufferedReader(io.BytesIO(whole + b"\n" + b'{"id": 1}\n'))))
    talk = Talk(app)
    talk.session.receive(sent[0])
    assert [(said["id"], said["error"]["code"]) for said in talk.said] == [(number, -32600)]
    assert sent[1:] == [b'{"id": 1}\n']


def without_times(result: dict[str, Any]) -> dict[str, Any]:
    content = result.get("structuredContent") or {}
    content.pop("timings_ms", None)
    return result


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_the_answers_are_those_of_the_mcp_library(app: App, mode: str) -> None:
    ready(app)
    requests: list[tuple[str, dict[str, Any], type[wire.Result]]] = [
        ("tools/list", {}, wire.ListToolsResult),
        ("resources/list", {}, wire.ListResourcesResult),
        ("resources/templates/list", {}, wire.ListResourceTemplatesResult),
        ("resources/read", {"uri": "sightline://file/cart.py"}, wire.ReadResourceResult),
        ("tools/call", {"name": "search", "arguments": {"query": "cart"}}, wire.CallToolResult),
        ("tools/call", {"name": "symbol_search", "arguments": {"name": "add_to_cart"}}, wire.CallToolResult),
        ("tools/call", {"name": "serch", "arguments": {}}, wire.CallToolResult),
        ("tools/call", {"name": "search", "arguments": {"quarry": "x"}}, wire.CallToolResult),
    ]
    theirs: list[Any] = []

    async def ask_library() -> None:
        async with Client(build(app), mode=mode) as client:
            theirs.append(await client.list_tools())
            theirs.append(await client.list_resources())
            theirs.append(await client.list_resource_templates())
            theirs.append(await client.read_resource("sightline://file/cart.py"))
            for _, params, _ in requests[4:]:
                theirs.append(await client.call_tool(params["name"], params["arguments"]))

    anyio.run(ask_library)
    stateless = mode != "legacy"
    talk = Talk(app) if stateless else greeted(app)
    for (method, params, kind), expected in zip(requests, theirs, strict=True):
        ours = talk.ask(method, {**params, "_meta": ENVELOPE} if stateless else params)["result"]
        assert without_times(kind.model_validate(ours).model_dump(by_alias=True, exclude_none=True)) == without_times(
            expected.model_dump(by_alias=True, exclude_none=True)
        )
        assert ("resultType" in ours) == stateless


def test_initialize_says_who_we_are_in_a_version_both_speak(app: App) -> None:
    talk = Talk(app)
    result = talk.ask("initialize", HELLO)["result"]
    assert wire.InitializeResult.model_validate(result).server_info.name == "sightline"
    assert result["protocolVersion"] == "2025-06-18"
    assert "symbol_search" in result["instructions"]
    assert talk.ask("initialize", {**HELLO, "protocolVersion": "1999"})["result"]["protocolVersion"] == "2025-11-25"


def test_discovery_needs_no_greeting(app: App) -> None:
    result = Talk(app).ask("server/discover", {"_meta": ENVELOPE})["result"]
    found = wire.DiscoverResult.model_validate(result)
    assert found.supported_versions == ["2026-07-28"]
    assert found.capabilities.tools is not None
    assert result["_meta"][f"{META}serverInfo"]["name"] == "sightline"


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("tools/list", {}, -32602),  # before initialize
        ("unheard_of", {}, -32601),
        ("server/discover", {}, -32601),  # without its envelope
        ("initialize", {}, -32602),
        ("initialize", {**HELLO, "capabilities": 5}, -32602),
    ],
)
def test_what_does_not_open_a_conversation_is_refused(app: App, method: str, params: Any, code: int) -> None:
    talk = Talk(app)
    assert talk.ask(method, params)["error"]["code"] == code
    assert talk.ask("ping")["result"] == {}
    assert "result" in talk.ask("initialize", HELLO)


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("tools/call", {}, -32602),
        ("tools/call", {"name": 5}, -32602),
        ("tools/call", {"name": "search", "arguments": []}, -32602),
        ("tools/call", {"name": "search", "_meta": 5}, -32602),
        ("tools/list", {"cursor": 5}, -32602),
        ("resources/read", {}, -32602),
        ("resources/read", {"uri": "sightline://file/../secret"}, -32602),
        ("prompts/list", {}, -32601),
        ("tools/list", {"_meta": ENVELOPE}, -32600),  # of the other revision
    ],
)
def test_wrong_requests_are_refused_by_code(app: App, method: str, params: dict[str, Any], code: int) -> None:
    talk = greeted(app)
    assert talk.ask(method, params)["error"]["code"] == code
    assert talk.ask("ping")["result"] == {}


@pytest.mark.parametrize(
    ("meta", "code"),
    [
        (None, -32602),
        ({**ENVELOPE, f"{META}protocolVersion": "2025-06-18"}, -32022),
        ({**ENVELOPE, f"{META}protocolVersion": 5}, -32602),
        ({**ENVELOPE, f"{META}clientCapabilities": 5}, -32602),
        ({**ENVELOPE, f"{META}clientInfo": 5}, -32602),
        ({f"{META}protocolVersion": "2026-07-28"}, -32602),
    ],
)
def test_a_request_without_a_whole_envelope_is_refused(app: App, meta: Any, code: int) -> None:
    talk = Talk(app)
    talk.ask("server/discover", {"_meta": ENVELOPE})
    assert talk.ask("tools/list", {"_meta": meta} if meta is not None else {})["error"]["code"] == code
    assert talk.ask("initialize", HELLO)["error"]["code"] == -32022
    assert talk.ask("ping", {"_meta": ENVELOPE})["error"]["code"] == -32601
    assert "result" in talk.ask("tools/list", {"_meta": ENVELOPE})


def held(monkeypatch: pytest.MonkeyPatch, work: Callable[[Call], object]) -> None:
    """Let every tool do this first."""

    def call_tool(_: App, name: str, __: Any, call: Call) -> dict[str, Any]:
        work(call)
        return {"content": [{"type": "text", "text": name}], "isError": False}

    monkeypatch.setattr(protocol, "call_tool", call_tool)


def test_listing_tools_needs_neither_the_mcp_library_nor_anything_heavy(tmp_path: Path) -> None:
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    code = f"""
import sys
from sightline.server.cli import commands
from sightline.server.mcp import stdio
from sightline.server.app import App
from sightline.server.mcp.session import Session
session = Session(App.open([{str(tmp_path)!r}], index_dir={str(tmp_path / "x")!r}), lambda line: None)
for line in {[json.dumps(message).encode() for message in messages]!r}:
    session.receive(line)
heavy = {{"lancedb", "lance", "pyarrow", "tantivy", "tree_sitter", "fastembed", "numpy"}}
heavy |= {{"mcp", "pydantic", "anyio", "asyncio", "starlette", "uvicorn", "rich"}}
print(sorted(heavy & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_cancelled_call_is_told_and_not_answered(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, stopped = threading.Event(), threading.Event()

    def work(call: Call) -> None:
        begun.set()
        assert call.cancelled.wait(60)
        stopped.set()
        call.check()

    held(monkeypatch, work)
    talk = greeted(app)
    talk.send(id="long", method="tools/call", params={"name": "search", "arguments": {"query": "x"}})
    assert begun.wait(60)
    talk.send(method="notifications/cancelled", params={"requestId": "long"})
    assert stopped.wait(60)
    talk.session.finish(60)
    assert "long" not in [message.get("id") for message in talk.said]


def test_progress_is_reported_to_who_asked_until_the_answer(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()

    def think(call: Call) -> None:
        call.step("thinking")
        go_on.wait(60)

    held(monkeypatch, think)
    talk = greeted(app)
    for number, meta in ((11, {"progressToken": "mine"}), (12, {})):
        talk.send(id=number, method="tools/call", params={"name": "search", "arguments": {}, "_meta": meta})
    with talk._news:
        assert talk._news.wait_for(lambda: sum("method" in message for message in talk.said) >= 2, 60)
    go_on.set()
    talk.answer_to(11)
    talk.answer_to(12)
    said = [message for message in talk.said if "method" in message or message.get("id") == 11]
    notes = [message["params"] for message in said if "method" in message]
    assert {note["progressToken"] for note in notes} == {"mine"}
    assert {note["message"] for note in notes} == {"thinking"}
    steps = [note["progress"] for note in notes]
    assert steps == sorted(set(steps))
    assert said[-1].get("id") == 11, "nothing follows the answer"


def test_calls_under_way_are_answered_when_the_input_ends(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()
    held(monkeypatch, lambda _: go_on.wait(60))
    talk = greeted(app)
    talk.send(id=7, method="tools/call", params={"name": "search", "arguments": {}})
    threading.Timer(0.05, go_on.set).start()
    talk.session.finish(60)
    assert "result" in talk.answer_to(7)


def test_a_client_that_only_asks_is_refused_at_some_point(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()
    held(monkeypatch, lambda _: go_on.wait(30))
    monkeypatch.setattr("sightline.server.mcp.session.MAX_WAITING", 20)
    talk = greeted(app)
    for _ in range(10):  # that they all have the same number makes no difference
        talk.send(id="again", method="tools/call", params={"name": "search", "arguments": {}})
    for number in range(100, 111):
        talk.send(id=number, method="tools/call", params={"name": "search", "arguments": {}})
    assert "read their answers" in talk.answer_to(110)["error"]["message"]
    go_on.set()
    assert all("result" in talk.answer_to(number) for number in range(100, 110))


def test_text_that_is_no_unicode_still_travels(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = {"content": [{"type": "text", "text": "half \ud800 a pair"}], "isError": False}
    monkeypatch.setattr(protocol, "call_tool", lambda *_: answer)
    answered = greeted(app).ask("tools/call", {"name": "search"})
    assert answered["result"]["content"][0]["text"] == "half ? a pair"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=8,
)
PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "name": JSON | st.sampled_from(["search", "symbol_search"]),
        "arguments": JSON,
        "uri": JSON | st.just("sightline://status"),
        "requestId": JSON,
        "cursor": JSON,
        "_meta": JSON | st.fixed_dictionaries({}, optional={"progressToken": JSON}) | st.just(ENVELOPE),
    },
)
METHODS = [
    "initialize",
    "ping",
    "tools/list",
    "tools/call",
    "resources/read",
    "server/discover",
    "notifications/cancelled",
]
MESSAGES = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0")},
    optional={
        "id": JSON | st.integers() | st.text(),
        "method": JSON | st.sampled_from(METHODS),
        "params": JSON | PARAMS | st.just(HELLO),
        "result": JSON,
        "error": JSON,
    },
)


def test_whatever_is_sent_every_request_is_answered_once_and_the_next_one_too(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    held(monkeypatch, lambda _: None)

    @settings(deadline=None, max_examples=150)
    @given(st.lists(MESSAGES | JSON, min_size=1, max_size=5))
    def try_them(messages: list[Any]) -> None:
        talk = greeted(app)
        for number, message in enumerate(messages):
            talk.said.clear()
            talk.session.receive(json.dumps(message).encode())
            talk.session.receive(json.dumps({"jsonrpc": "2.0", "id": f"ping {number}", "method": "ping"}).encode())
            assert "result" in talk.answer_to(f"ping {number}")
            if isinstance(message, dict) and isinstance(message.get("method"), str):
                asked = message.get("id")
                if isinstance(asked, int | str) and not isinstance(asked, bool) and asked != "":
                    assert talk.answer_to(asked)
        talk.session.finish(60)

    try_them()


def test_a_failure_is_answered_under_the_number_of_its_request(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> dict[str, Any]:
        raise RuntimeError("out of luck")

    talk = greeted(app)
    monkeypatch.setattr(protocol, "resource_list", fails)
    assert talk.ask("resources/list", number=7)["error"]["code"] == wire.INTERNAL_ERROR
    assert "result" in talk.ask("tools/list", number=8)


@pytest.mark.parametrize("method", ["foo/bar", "prompts/list"])
def test_an_unknown_method_does_not_decide_how_a_conversation_goes_on(app: App, method: str) -> None:
    talk = Talk(app)
    assert talk.ask(method)["error"]["code"] == -32601
    assert talk.ask("tools/list", {"_meta": ENVELOPE}, number=2)["result"]["tools"]
    other = Talk(app)
    assert other.ask(method, {"_meta": ENVELOPE})["error"]["code"] == -32601
    assert other.ask("initialize", HELLO, number=2)["result"]["protocolVersion"] == HELLO["protocolVersion"]
