"""What the outside costs: the tool layer over the core call, and how soon a new process answers.

    scripts/bench server [PATH] [--calls 200] [--spawns 5] [--index-dir DIR]

`core` is the search itself on a warm snapshot in this process, `tool` the whole tool in this process (checks against
the disk, text and structured content). Then the same call to a server process: `bare` clients send prepared bytes and
read the answer without looking into it, so that what they see is the server's; the `SDK` clients also parse and check
the answer, which is the client's own work. A server is left alone after its start until it is idle. Overhead is the
difference of the medians to `core`, ten hits each; `paired` is the median over the calls of the round trip minus the
time that the core took in that very call (from the answer's timings_ms). Spawn is the time from starting
`sightline serve` to the answer of `tools/list`, as bare JSON lines; `first answer` goes on to a search. On Linux it is
also said what a server that writes and one beside it that only reads hold when they have answered and are idle, with
their worker processes (Pss: what they share counts once).
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any
from urllib.parse import SplitResult, urlsplit

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.sse import sse_client
from tour import group_memory

from sightline.memory import MB
from sightline.retrieval.search import search
from sightline.server import tools
from sightline.server.app import App
from sightline.server.cli.catchup import catch_up

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
WARM_UP = 16  # calls that are not counted
IDLE_TICKS, IDLE_CPU_MS = 25, 20  # two and a half seconds with under a fifth of a core: there is a pause in the start
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
        serve = [sys.executable, "-m", "sightline.server", "serve", str(options.path), "--index-dir", str(index_dir)]
        if options.calls:
            overheads(app, [*serve, "--structured"], options.calls)  # its answers say how long the core took
        if sys.platform == "linux":
            held = memories(serve)
            print(
                f"a server that writes holds {held['writes'] / MB:.0f} MB, one that reads {held['reads'] / MB:.0f} MB"
            )
        spawns = [spawn(serve) for _ in range(options.spawns)]
        for step in ("initialize", "tools/list", "first answer") if spawns else ():
            times = sorted(each[step] for each in spawns)
            cpu = statistics.median(each[f"{step} cpu"] for each in spawns)
            median = statistics.median(times)
            print(f"spawn → {step:13} median {median:6.0f} ms, best {times[0]:6.0f} ms, processor time {cpu:6.0f} ms")


def memories(serve: list[str]) -> dict[str, int]:
    """Bytes held by the first server of a root, which writes, and by a second one, which reads."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with started(serve, **pipes, start_new_session=True) as writer:
        answer_all(writer)
        with started(serve, **pipes, start_new_session=True) as reader:
            answer_all(reader)
            return {"writes": group_memory(writer.pid), "reads": group_memory(reader.pid)}


def answer_all(process: subprocess.Popen[bytes]) -> None:
    """Have a server answer every question twice, and wait until it rests."""
    ask(process, 0, "initialize", HELLO)
    for number, query in enumerate(QUERIES * 2, 1):
        ask(process, number, "tools/call", {"name": "search", "arguments": {"query": query}})
    wait_idle(process.pid)


def overheads(app: App, serve: list[str], calls: int) -> None:
    """The table of what each layer adds."""
    core = measure_core(app, calls)
    show("core", core, core)
    show("tool, in process", measure_tool(app, calls), core)
    times, paired = measure_stdio(serve, calls)
    show("stdio, bare", times, core, paired)
    times, paired = measure_http(serve, calls)
    show("http, bare", times, core, paired)
    for name in ("stdio", "http", "sse"):
        show(f"{name}, SDK", anyio.run(measure_client, name, serve, calls), core)


def show(name: str, times_ms: list[float], core: list[float], paired: list[float] | None = None) -> None:
    """One line of the table."""
    ordered = sorted(times_ms)
    p50, p95 = statistics.median(ordered), ordered[int(len(ordered) * 0.95)]
    over = p50 - statistics.median(core)
    pairs = f", paired {statistics.median(paired):+6.2f} ms" if paired else ""
    print(f"{name:17} p50 {p50:7.2f} ms  p95 {p95:7.2f} ms  over core {over:+7.2f} ms{pairs}")


def measure_core(app: App, calls: int) -> list[float]:
    """The search alone."""
    root = app.roots[0]
    snapshot = root.snapshot()
    assert snapshot is not None
    embedder = root.embedder.fitting(snapshot)

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
    for number in range(calls + WARM_UP):
        began = time.perf_counter()
        call(QUERIES[number % len(QUERIES)])
        times.append((time.perf_counter() - began) * 1000)
    return times[WARM_UP:]


def search_request(number: int, query: str) -> bytes:
    """A call of the tool, as it goes over the wire."""
    call = {"name": "search", "arguments": {"query": query}}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}).encode()


def without_core(times_ms: list[float], answers: list[bytes]) -> list[float]:
    """What is left of each round trip without the core's own time in it."""
    core = [json.loads(answer)["result"]["structuredContent"]["timings_ms"]["total"] for answer in answers]
    return [time_ms - core_ms for time_ms, core_ms in zip(times_ms, core[WARM_UP:], strict=True)]


def measure_stdio(serve: list[str], calls: int) -> tuple[list[float], list[float]]:
    """The call as bare JSON lines over stdio: what the server costs, without a client's own work on the answer."""
    answers: list[bytes] = []
    with started(serve, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        ask(process, 0, "initialize", HELLO)
        ask(process, 1, "tools/call", {"name": "search", "arguments": {"query": "warm up"}})
        wait_idle(process.pid)
        to_server, from_server = process.stdin, process.stdout

        def call(query: str) -> None:
            to_server.write(search_request(2, query) + b"\n")
            to_server.flush()
            answers.append(from_server.readline())

        times = timed(call, calls)
    return times, without_core(times, answers)


def measure_http(serve: list[str], calls: int) -> tuple[list[float], list[float]]:
    """The call as a bare POST on one connection."""
    answers: list[bytes] = []
    line = [*serve, "--transport", "http", "--port", "0"]
    with started(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        url = listening_at(process.stderr)
        connection = connected(url)
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}

        def post(body: bytes) -> bytes:
            connection.request("POST", url.path, body, headers)
            response = connection.getresponse()
            headers.setdefault("Mcp-Session-Id", response.getheader("mcp-session-id") or "")
            return response.read()

        post(json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}).encode())
        post(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        post(search_request(1, "warm up"))
        wait_idle(process.pid)
        connection = connected(url)  # the first one may have been idle for too long
        times = timed(lambda query: answers.append(post(search_request(2, query))), calls)
        connection.close()
    bodies = [re.sub(rb"(?s)^.*?data: (?=\{)", b"", answer).strip() for answer in answers]
    return times, without_core(times, bodies)


@contextlib.contextmanager
def started(line: list[str], **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A server process that ends with the block, whatever happens in it."""
    with subprocess.Popen(line, **options) as process:
        try:
            yield process
        finally:
            process.terminate()


def connected(url: SplitResult) -> http.client.HTTPConnection:
    """A connection that sends at once."""
    connection = http.client.HTTPConnection(url.hostname or "", url.port)
    connection.connect()
    connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def listening_at(stderr: IO[bytes]) -> SplitResult:
    """The address that a server prints when it listens."""
    for said in stderr:
        if found := re.search(rb"at (http://\S+)", said):
            return urlsplit(found.group(1).decode())
    raise RuntimeError("the server went away")


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
    line = [*serve, "--transport", transport, "--port", "0"]
    if transport == "stdio":
        async with Client(StdioServerParameters(command=line[0], args=line[1:])) as client:
            return await timed_calls(client, calls)
    with started(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        url = listening_at(process.stderr).geturl()
        async with Client(url if transport == "http" else sse_client(url)) as client:
            await client.call_tool("search", {"query": "warm up"})
            await anyio.to_thread.run_sync(wait_idle, process.pid)
            times = await timed_calls(client, calls)
    return times


async def timed_calls(client: Client, calls: int) -> list[float]:
    """Milliseconds of each call after a warm-up."""
    times = []
    for number in range(calls + WARM_UP):
        began = time.perf_counter()
        await client.call_tool("search", {"query": QUERIES[number % len(QUERIES)]})
        times.append((time.perf_counter() - began) * 1000)
    return times[WARM_UP:]


def wait_idle(pid: int) -> None:
    """Wait until a process has nothing left to do: it has caught up with the disk and loaded what edits will need."""
    used, still = cpu_ms(pid), 0
    while still < IDLE_TICKS:
        time.sleep(0.1)
        now = cpu_ms(pid)
        still, used = (still + 1 if now - used < IDLE_CPU_MS else 0), now


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
    with started(serve, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        steps: list[tuple[str, str, dict[str, Any]]] = [
            ("initialize", "initialize", HELLO),
            ("tools/list", "tools/list", {}),
            ("first answer", "tools/call", {"name": "search", "arguments": {"query": QUERIES[0]}}),
        ]
        for number, (step, method, params) in enumerate(steps):
            ask(process, number, method, params)
            times[step] = (time.perf_counter() - began) * 1000
            times[f"{step} cpu"] = cpu_ms(process.pid)
    return times


if __name__ == "__main__":
    main()
