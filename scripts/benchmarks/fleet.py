"""A fleet and its catalog: scripts/bench fleet --repos DIR [--count 60] [--workers 2] [--compare 10]

Every folder below DIR, smallest first, is copied into a temporary folder and made a git repository of one commit; one
more is made whose commit names a file that is not there. Measured: all of them one after the other, then by `sightline
fleet index` with one worker killed on the way, each in wall and processor seconds; whether both published the same, and
whether that is what a fresh index gives; then the catalog, served over stdio with an empty cache: the first search over
all (everything is fetched), then many, and the memory of the server.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from corpus import machine

sys.path.insert(0, str(Path(__file__).parents[2]))

from sightline import __version__
from sightline.embed import load_embedder
from sightline.indexer.bundles import catalog
from sightline.indexer.bundles.places import Folder
from sightline.indexer.bundles.pull import lay_out
from sightline.indexer.fleet import job as jobs
from sightline.store import open_snapshot
from tests.support.index_content import content_of, fresh_content

_GIT = ("-c", "user.name=nobody", "-c", "user.email=nobody@localhost", "-c", "gc.auto=0")
_QUERIES = (
    "retry with exponential backoff", "parse a date string", "open a connection pool", "render a template",
    "escape html", "read the configuration file", "command line argument parser", "cache with expiry",
    "validate a json schema", "encode unicode domain names", "walk a directory tree", "sort a list that stays sorted",
    "send a signal to subscribers", "sign a cookie", "decode a chunked http body", "wait for a lock file",
    "tokenize source code", "format a traceback", "compare version numbers", "dispatch an asynchronous task",
    "SortedDict", "Session.request", "TimeoutError", "parse_version", "iter_content", "ClientConnection",
    "class that wraps a response", "where are plugins registered", "how are redirects followed", "rate limit",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--compare", type=int, default=10, help="repositories that are compared with a fresh index")
    parser.add_argument("--keep", type=Path, help="folder to work in, which stays")
    options = parser.parse_args()
    print(machine(), flush=True)
    with tempfile.TemporaryDirectory(prefix="sightline-fleet-") as temporary:
        folder = options.keep or Path(temporary)
        names = _lay_out(folder, options.repos, options.count)
        one_by_one = _one_by_one(folder, names)
        fleet = _fleet(folder, options.workers)
        print(f"{'fleet against one after the other':40}{fleet[0] / one_by_one[0]:8.2f} of the wall time,"
              f" {fleet[1] / one_by_one[1]:.2f} of the processor time")  # fmt: skip
        _compare(folder, names, options.compare)
        _serve(folder)


def _lay_out(folder: Path, repos: Path, count: int) -> list[str]:
    found = sorted((path for path in repos.iterdir() if path.is_dir()), key=_size)[:count]
    for path in found:
        target = folder / "repositories" / path.name
        if not target.exists():
            shutil.copytree(path, target, ignore=shutil.ignore_patterns(".git"), symlinks=True)
            _git(target, "init", "-q", "-b", "main")
            _git(target, "add", "-A", "-f")
            _git(target, "commit", "-q", "-m", "one")
    broken = folder / "repositories" / "poisoned"
    if not broken.exists():
        broken.mkdir()
        (broken / "a.py").write_text("def poisoned(): ...\n")
        _git(broken, "init", "-q", "-b", "main")
        _git(broken, "add", "-A")
        _git(broken, "commit", "-q", "-m", "one")
        blob = _git(broken, "rev-parse", "HEAD:a.py")
        (broken / ".git/objects" / blob[:2] / blob[2:]).unlink()
    names = [path.name for path in found]
    (folder / "list.txt").write_text("".join(f"{folder / 'repositories' / name}\n" for name in ["poisoned", *names]))
    size = sum(map(_size, found))
    print(f"{len(names)} repositories of {size / 1e6:.1f} MB, and a poisoned one", flush=True)
    return names


def _one_by_one(folder: Path, names: list[str]) -> tuple[float, float]:
    embedder, to = load_embedder("static").id, folder / "one-by-one"
    wall = cpu = 0.0
    for name in names:
        address = str(folder / "repositories" / name)
        done = jobs.run(jobs.Job(name, address, str(to), "static", embedder, __version__, 3_600))
        if done.state == "failed":
            sys.exit(f"{name}: {done.reason}")
        wall, cpu = wall + done.seconds, cpu + done.cpu_seconds
    catalog.write_catalog(Folder(to))
    _report("one after the other", wall, cpu)
    return wall, cpu


def _fleet(folder: Path, workers: int) -> tuple[float, float]:
    to, began = folder / "fleet", time.perf_counter()
    command = ["fleet", "index", str(folder / "list.txt"), "--to", str(to), "--workers", str(workers), "--json"]
    running = subprocess.Popen(_sightline(command), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    killed = 0
    while running.poll() is None and not killed:
        time.sleep(0.1)
        if len(list(to.glob("catalog/*.json"))) >= 10:
            killed = _kill_a_worker(to)
    said, _ = running.communicate()
    wall = time.perf_counter() - began
    report = json.loads(said)
    cpu = sum(each["cpu_seconds"] for each in report["repositories"])
    _report(f"fleet, {workers} workers, one of them killed", wall, cpu)
    print(report["text"].rpartition("\n")[2])
    again = [each["name"] for each in report["repositories"] if each["attempts"] > 1 and each["state"] != "failed"]
    failed = [(each["name"], each["reason"]) for each in report["repositories"] if each["state"] == "failed"]
    print(f"worker {killed} was killed; done again: {again}; failed: {failed}", flush=True)
    began = time.perf_counter()
    done = subprocess.run(_sightline(command), capture_output=True, text=True, check=False)
    present = json.loads(done.stdout)["present"]
    print(f"{'the same once more':40}{time.perf_counter() - began:8.1f} s wall, {present} present")
    return wall, cpu


def _compare(folder: Path, names: list[str], fresh: int) -> None:
    embedder, same, as_fresh = load_embedder("static"), 0, 0
    step = max(len(names) // fresh, 1) if fresh else 0
    for number, name in enumerate(names):
        contents = []
        for place in ("one-by-one", "fleet"):
            entry = catalog.read_catalog(Folder(folder / place))[name]
            target = folder / "compared" / place / name
            lay_out(catalog.open_repository(str(folder / place), name), entry.commit, entry.sha256, embedder.id, target)
            contents.append(content_of(open_snapshot(target)))
        same += contents[0] == contents[1]
        if step and number % step == 0:
            as_fresh += contents[1] == fresh_content(folder / "repositories" / name, folder / "fresh" / name, embedder)
    asked = len(range(0, len(names), step)) if step else 0
    print(f"published the same both ways: {same} of {len(names)}; as a fresh index: {as_fresh} of {asked}", flush=True)


def _serve(folder: Path) -> None:
    command = _sightline(["serve", "--catalog", str(folder / "fleet"), "--index-dir", str(folder / "home")])
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        greeting = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "b", "version": "1"}}
        _asked(server, "initialize", greeting)
        print(f"{'memory before the first question':40}{_memory(server.pid) / 1e6:8.0f} MB")
        first, _ = _search(server, _QUERIES[0])
        print(f"{'first search over all, fetching it all':40}{first:8.1f} s, {_memory(server.pid) / 1e6:.0f} MB")
        for limited, what in ((None, "search over all"), ("s*", "search over a pattern"), ("requests", "over one")):
            taken = [_search(server, query, limited) for _ in range(2) for query in _QUERIES]
            ms = sorted(wall * 1e3 for wall, _ in taken)
            cpu = statistics.mean(used for _, used in taken) * 1e3
            p50, p95 = statistics.median(ms), ms[len(ms) * 95 // 100]
            print(f"{what:40}p50 {p50:6.0f} ms, p95 {p95:.0f} ms, {cpu:.0f} ms of processor time each")
        print(f"{'memory after that':40}{_memory(server.pid) / 1e6:8.0f} MB")
    finally:
        assert server.stdin is not None
        server.stdin.close()
        server.wait()


def _search(server: subprocess.Popen[str], query: str, root: str | None = None) -> tuple[float, float]:
    arguments = {"query": query, **({"root": root} if root else {})}
    before, began = _cpu(server.pid), time.perf_counter()
    answer = _asked(server, "tools/call", {"name": "search", "arguments": arguments})
    taken = time.perf_counter() - began
    if answer["result"]["isError"]:
        sys.exit(answer["result"]["content"][0]["text"])
    return taken, _cpu(server.pid) - before


def _asked(server: subprocess.Popen[str], method: str, params: dict[str, Any]) -> dict[str, Any]:
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n")
    server.stdin.flush()
    answer: dict[str, Any] = json.loads(server.stdout.readline())
    return answer


def _kill_a_worker(to: Path) -> int:
    """Kill the worker of Ray that has just started a `sightline publish`; 0 when there is none at the moment."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes()
            if f"{to}/repositories".encode() in line and b"\0publish\0" in line:
                parent = int((folder / "stat").read_text().rpartition(") ")[2].split()[1])
                os.kill(parent, signal.SIGKILL)
                return parent
        except OSError:
            continue
    return 0


def _sightline(line: list[str]) -> list[str]:
    return [sys.executable, "-P", "-m", "sightline.server", *line]


def _memory(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024
    return 0


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _report(name: str, wall: float, cpu: float) -> None:
    print(f"{name:40}{wall:8.1f} s wall {cpu:8.1f} s processor", flush=True)


def _size(path: Path) -> int:
    return sum(file.lstat().st_size for file in path.rglob("*") if file.is_file())


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *_GIT, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


if __name__ == "__main__":
    main()
