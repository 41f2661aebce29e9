"""What the outside costs: the tool layer over the core call, and how soon a new process answers.

    scripts/bench server [PATH] [--calls 200] [--spawns 5] [--index-dir DIR]

`core` is the search itself on a warm snapshot in this process, `tool` the whole tool in this process (checks against
the disk, text and structured content), then the same call through a real client over stdio, HTTP and SSE. Overhead is
the difference of the medians to `core`, ten hits each. Spawn is the time from starting `sightline serve` to the answer
of `tools/list`, spoken as bare JSON lines so that no client's start-up is counted; `first answer` goes on to a search.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.sse import sse_client

from sightline.retrieval.search import search
from sightline.server import tools
from sightline.server.app import App
from sightline.server.catchup import catch_up

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
QUERIES = (
    "where is the configuration read",
    "handle an error and report it",
    "parse the arguments",
    "open a file and read its lines",
    "retry when the connection fails",
    "write the result as json",
    "compare two versions",
    "start and stop a background thread",
)


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", nargs="?", type=Path, default=Path.cwd())
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--spawns", type=int, default=5)
    parser.add_argument("--index-dir", type=Path, default=None)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        index_dir = options.index_dir or Path(folder)
        app = App.open([options.path], index_dir=index_dir)
        catch_up(app.roots[0], show=False)
        snapshot = app.roots[0].snapshot()
        assert snapshot is not None
        size = f"{snapshot.status().files:,} files, {int(snapshot.chunks.alive.sum()):,} chunks"
        print(f"{options.path}: {size}; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        core = measure_core(app, options.calls)
        show("core", core, core)
        show("tool in process", measure_tool(app, options.calls), core)
        serve = [sys.executable, "-m", "sightline.server", "serve", str(options.path), "--index-dir", str(index_dir)]
        show("stdio, bare", measure_bare(serve, options.calls), core)
        for name in ("stdio", "http", "sse"):
            show(name, anyio.run(measure_client, name, serve, options.calls), core)
        spawns = [spawn(serve) for _ in range(options.spawns)]
        for step in ("initialize", "tools/list", "first answer"):
            times = sorted(each[step] for each in spawns)
            cpu = statistics.median(each[f"{step} cpu"] for each in spawns)
            median = statistics.median(times)
            print(f"spawn → {step:13} median {median:6.0f} ms, best {times[0]:6.0f} ms, processor time {cpu:6.0f} ms")


def show(name: str, times_ms: list[float], core: list[float]) -> None:
    """One line of the table."""
    ordered = sorted(times_ms)
    p50, p95 = statistics.median(ordered), ordered[int(len(ordered) * 0.95)]
    over, least = p50 - statistics.median(core), ordered[0] - min(core)
    print(f"{name:16} p50 {p50:7.2f} ms  p95 {p95:7.2f} ms  over core: p50 {over:+7.2f} ms, best {least:+7.2f} ms")


def measure_core(app: App, calls: int) -> list[float]:
    """The search alone."""
    root = app.roots[0]
    snapshot = root.snapshot()
    assert snapshot is not None
    embedder = root.embedder_for(snapshot)

    def call(query: str) -> None:
        made = tools.make_query(tools.arguments.check(tools.SEARCH.arguments, {"query": query}))
        search(snapshot, made, embedder=embedder)

    return timed(call, calls)


def measure_tool(app: App, calls: int) -> list[float]:
    """The tool without a transport."""
    return timed(lambda query: tools.call(app, tools.SEARCH, {"query": query}), calls)


def timed(call: Callable[[str], object], calls: int) -> list[float]:
    """Milliseconds of each call after a warm-up."""
    times = []
    for number in range(calls + len(QUERIES)):
        began = time.perf_counter()
        call(QUERIES[number % len(QUERIES)])
        times.append((time.perf_counter() - began) * 1000)
    return times[len(QUERIES) :]


def measure_bare(serve: list[str], calls: int) -> list[float]:
    """The call as bare JSON lines over stdio: what the server costs, without a client's own work on the answer."""
    with subprocess.Popen(serve, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        ask(process, 0, "initialize", HELLO)
        answer: dict[str, Any] = {}
        while answer.get("index", {}).get("state") != "ready":
            call = {"name": "search", "arguments": {"query": "warm up"}}
            answer = ask(process, 1, "tools/call", call)["result"]["structuredContent"]
        times = timed(
            lambda query: ask(process, 2, "tools/call", {"name": "search", "arguments": {"query": query}}), calls
        )
        assert process.stdin is not None
        process.stdin.close()
        process.wait()
    return times


def ask(process: subprocess.Popen[bytes], number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Send a request and read on to its answer."""
    assert process.stdin is not None
    assert process.stdout is not None
    request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    process.stdin.write(json.dumps(request).encode() + b"\n")
    process.stdin.flush()
    while (answer := json.loads(process.stdout.readline())).get("id") != number:
        continue
    if method == "initialize":
        process.stdin.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
    return dict(answer)


async def measure_client(transport: str, serve: list[str], calls: int) -> list[float]:
    """The call through a real client."""
    if transport == "stdio":
        async with Client(StdioServerParameters(command=serve[0], args=serve[1:])) as client:
            return await timed_calls(client, calls)
    line = [*serve, "--transport", transport, "--port", "0"]
    process = await anyio.open_process(line, stdout=None, stderr=subprocess.PIPE)
    async with process:
        assert process.stderr is not None
        said = b""
        while not (found := re.search(rb"at (http://\S+)", said)):
            said += await process.stderr.receive()
        url = found.group(1).decode()
        async with Client(url if transport == "http" else sse_client(url)) as client:
            times = await timed_calls(client, calls)
        process.terminate()
        await process.wait()
    return times


async def timed_calls(client: Client, calls: int) -> list[float]:
    """Milliseconds of each call after a warm-up."""
    answer: dict[str, Any] = {}
    while answer.get("index", {}).get("state") != "ready":
        answer = (await client.call_tool("search", {"query": "warm up"})).structured_content or {}
    times = []
    for number in range(calls + len(QUERIES)):
        began = time.perf_counter()
        await client.call_tool("search", {"query": QUERIES[number % len(QUERIES)]})
        times.append((time.perf_counter() - began) * 1000)
    return times[len(QUERIES) :]


def cpu_ms(pid: int) -> float:
    """Processor time a process has used, which other work on the machine does not inflate (Linux; else NaN)."""
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        return float("nan")
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def spawn(serve: list[str]) -> dict[str, float]:
    """Milliseconds from the start of the process to its answers."""
    began = time.perf_counter()
    times: dict[str, float] = {}
    with subprocess.Popen(serve, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        steps: list[tuple[str, str, dict[str, Any]]] = [
            ("initialize", "initialize", HELLO),
            ("tools/list", "tools/list", {}),
            ("first answer", "tools/call", {"name": "search", "arguments": {"query": QUERIES[0]}}),
        ]
        for number, (step, method, params) in enumerate(steps):
            ask(process, number, method, params)
            times[step] = (time.perf_counter() - began) * 1000
            times[f"{step} cpu"] = cpu_ms(process.pid)
        assert process.stdin is not None
        process.stdin.close()
        process.wait()
    return times


if __name__ == "__main__":
    main()
