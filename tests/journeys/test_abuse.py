"""Many clients, rude clients, broken messages: clear refusals and a live server; nothing left behind."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters

from tests.support.killers import children_of
from tests.support.waiting import BOUND_S, wait_for
from tests.support.wire import HELLO, Raw, Served, content_of, indexed, run_scenario, text_of


def test_broken_messages_leave_the_server_alive(shop: Path, environment: dict[str, str]) -> None:
    server = Raw(shop, environment)
    server.hello()
    for data in [
        b"garbage",
        b"{",
        b"\xff\xfe\x00\x01",
        b"[]",
        b"null",
        b'{"jsonrpc": "1.0", "id": 900, "method": "tools/list"}',
        b'{"jsonrpc": "2.0", "id": {"a": 1}, "method": "tools/list"}',
        b'{"jsonrpc": "2.0", "method": "notifications/unheard_of", "params": {"x": 1}}',
        b'{"jsonrpc": "2.0", "id": 901, "result": {}}',
        b"{" * 5_000,
        b'"' + b"x" * 3_000_000 + b'"',
    ]:
        server.send(data)
    assert "error" in server.ask("tools/unheard_of", {})
    assert "error" in server.ask("tools/call", {"name": 5})
    assert "error" in server.ask("resources/read", {"uri": "file:///etc/passwd"})
    refused = server.ask("tools/call", {"name": "search", "arguments": {"query": "x" * 1_000_000}})
    assert "at most 65,536 characters" in refused["result"]["content"][0]["text"]
    issue = "The cart loses an item\n" + "and its total is wrong then\n" * 2_300
    for tool, argument in (("search", "query"), ("code_research", "question")):
        answered = server.ask("tools/call", {"name": tool, "arguments": {argument: issue}})["result"]
        assert not answered.get("isError")
    assert len(server.ask("tools/list", {})["result"]["tools"]) == 4
    assert server.close() == 0


def test_a_signal_ends_a_server_on_stdio_in_order(shop: Path, environment: dict[str, str]) -> None:
    server = Raw(shop, environment)
    server.hello()
    server.ask("tools/call", {"name": "search", "arguments": {"query": "cart"}})
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(timeout=BOUND_S) == 0
    server.close()
    assert not list(Path(environment["SIGHTLINE_INDEX_DIR"]).rglob("writer.json")), "the writer signed off"


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_a_client_that_goes_away_while_indexing_leaves_no_process_behind(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    root = many_files(tmp_path / "big", 300)
    server = Raw(root, environment)
    server.hello()
    server.ask("tools/call", {"name": "search", "arguments": {"query": "function"}})
    children = wait_for(lambda: children_of(server.process.pid), "workers")
    assert server.close() == 0
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in children), "the end of the workers")


def many_files(root: Path, count: int) -> Path:
    for number in range(count):
        path = root / f"part{number % 20}" / f"module_{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        body = "\n\n".join(f"def function_{number}_{n}(value):\n    return value + {n}" for n in range(5))
        path.write_text(f'"""Module {number}."""\n\n{body}\n')
    return root


def test_a_first_question_on_a_big_folder_is_answered_from_what_is_there(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    root = many_files(tmp_path / "big", 1_500)
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "sightline.server", "serve", str(root)], env=environment
    )
    heard: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    async def main() -> None:
        with anyio.fail_after(BOUND_S):
            async with Client(parameters) as client:
                first = await client.call_tool("search", {"query": "function_7_3"}, progress_callback=note)
                answer = content_of(first)
                assert answer["index"]["state"] == "indexing"
                assert "still indexing" in text_of(first)
                assert heard, "progress was reported while it waited"
                await indexed(client)
                last = content_of(await client.call_tool("search", {"query": "function_1499_3"}))
                assert last["index"]["files"] == 1_500
                assert last["hits"][0]["path"] == "part19/module_1499.py"

    anyio.run(main)


def test_sixteen_clients_search_while_files_change(shop: Path, environment: dict[str, str]) -> None:
    async def client_work(url: str, number: int) -> None:
        async with Client(url) as client:
            for turn in range(5):
                result = await client.call_tool("search", {"query": f"session {number} {turn}", "limit": 5})
                for chunk in content_of(result)["chunks"]:
                    if not chunk.get("stale"):
                        assert chunk["text"]

    async def edit() -> None:
        for turn in range(10):
            (shop / f"src/new_{turn % 3}.py").write_text(f"def session_{turn}():\n    return {turn}\n")
            await anyio.sleep(0.05)
        for turn in range(3):
            (shop / f"src/new_{turn}.py").unlink()

    async def main(url: str) -> None:
        with anyio.fail_after(BOUND_S):
            async with Client(url) as client:
                await indexed(client)
            async with anyio.create_task_group() as group:
                for number in range(16):
                    group.start_soon(client_work, url, number)
                group.start_soon(edit)
            async with Client(url) as client:
                gone = content_of(await client.call_tool("search", {"query": "session_9", "mode": "bm25"}))
                assert not [hit for hit in gone["hits"] if hit["path"].startswith("src/new_") and not hit.get("stale")]

    with Served(environment, str(shop), "--transport", "http") as running:
        anyio.run(main, running.url)
        assert "Traceback" not in "".join(running.said)


def test_a_client_that_hangs_up_in_the_middle_disturbs_nobody(shop: Path, environment: dict[str, str]) -> None:
    async def rude(url: str) -> None:
        headers = {"Accept": "application/json, text/event-stream"}
        async with httpx2.AsyncClient(headers=headers) as web:
            request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
            async with web.stream("POST", url, json=request) as response:
                session = {"Mcp-Session-Id": response.headers.get("mcp-session-id", "")}
                await response.aread()
            call = {"name": "code_research", "arguments": {"question": "how do sessions work?"}}
            request = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}
            with anyio.move_on_after(0.05):
                async with web.stream("POST", url, json=request, headers=session) as response:
                    await response.aread()

    async def polite(client: Client) -> None:
        assert content_of(await client.call_tool("search", {"query": "cart"}))["hits"]

    with Served(environment, str(shop), "--transport", "http") as running:
        for _ in range(5):
            anyio.run(rude, running.url)
        run_scenario(lambda: Client(running.url), polite)
        assert "Traceback" not in "".join(running.said)


def usage(pid: int) -> tuple[int, int]:
    """Memory in bytes and open descriptors."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE"), len(list(Path(f"/proc/{pid}/fd").iterdir()))


def assert_stable(seen: list[tuple[int, int]]) -> None:
    print("memory in bytes and descriptors after every thousand calls:", *seen)  # noqa: T201
    first_rss, first_fds = seen[0]
    last_rss, last_fds = seen[-1]
    assert last_rss < first_rss * 1.05, seen
    assert last_fds <= first_fds + 2, seen


@pytest.mark.slow
@pytest.mark.timeout(1_800)
@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_ten_thousand_calls_over_stdio_keep_memory_and_descriptors_stable(
    shop: Path, environment: dict[str, str]
) -> None:
    server, seen = Raw(shop, environment), []
    server.hello()
    for number in range(10_000):
        arguments = {"name": "search", "arguments": {"query": f"session store {number % 97}"}}
        assert "result" in server.ask("tools/call", {**arguments, "_meta": {"progressToken": number}})
        if number >= 2_000 and number % 1_000 == 999:
            seen.append(usage(server.process.pid))
    assert server.close() == 0
    assert_stable(seen)


@pytest.mark.slow
@pytest.mark.timeout(1_800)
@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_ten_thousand_calls_over_http_keep_memory_and_descriptors_stable(
    shop: Path, environment: dict[str, str]
) -> None:
    async def main(url: str, pid: int) -> list[tuple[int, int]]:
        seen = []
        async with Client(url) as client:
            await indexed(client)
            for number in range(10_000):
                await client.call_tool("search", {"query": f"session store {number % 97}"})
                if number >= 2_000 and number % 1_000 == 999:
                    seen.append(usage(pid))
        return seen

    with Served(environment, str(shop), "--transport", "http") as running:
        seen = anyio.run(main, running.url, running.process.pid)
    assert_stable(seen)
