"""Measure the indexer: scripts/bench index [full] [edit] [restart] [rot] [--root PATH] [--chunks N] [--edits N]

full     a full index of a root (default: 7 MB in 1,600 files of installed code): MB/s, CPU seconds, peak RSS, size
edit     one-file edit → searchable, with the watcher running, on an index of --chunks chunks: p50, p95
restart  open and compare with the disk when nothing changed, 10,000 files
rot      --edits one-file commits, then size and query time against a fresh index of the same files
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from corpus import grow, machine

from sightline.config import Config
from sightline.embed import load_embedder
from sightline.indexer.collector import spare_what_is_there, this_process_is_ours
from sightline.indexer.pipeline import Indexer, Report, index_root
from sightline.indexer.service import IndexService, open_writer
from sightline.store import Snapshot, SnapshotFollower, open_snapshot

_CHUNK_BYTES = 1_000  # about what a chunk of the corpus takes


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def index(config: Config) -> Report:
    embedder = load_embedder("static")
    with open_writer(config, embedder) as writer:
        return index_root(config, writer, embedder)


def quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def full(home: Path, args: argparse.Namespace) -> None:
    """The command as a user runs it, in its own process: workers import again what the process that starts them has."""
    root = args.root
    if root is None:
        root = home / "seven"
        grow(root, size_bytes=7_000_000, files=1_600)
    config = Config(root.resolve(), home / "full")
    speeds = []
    for _ in range(args.repeat_full):
        shutil.rmtree(config.index_dir, ignore_errors=True)
        speeds.append(full_once(config))
    if len(speeds) > 1:
        print(f"      median of {len(speeds)}: {statistics.median(speeds):.2f} MB/s")


def full_once(config: Config) -> float:
    environment = {**os.environ, "SIGHTLINE_INDEX_DIR": str(config.index_dir.parent)}
    command = [sys.executable, "-m", "sightline.server", "index", str(config.root)]
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    peak = 0
    while process.poll() is None:
        peak = max(peak, tree_rss(process.pid))
        time.sleep(0.02)
    command_seconds = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert process.stdout is not None
    printed = process.stdout.read()
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed: {printed}")
    seconds = float(re.findall(r"in ([\d.]+) s", printed)[-1])
    folder = next(path.parent for path in config.index_dir.parent.rglob("manifest.json"))
    snapshot = open_snapshot(folder) or fail()
    read = sum(record.size_bytes for record in snapshot.files.values() if record.state == "indexed")
    cpu = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
    size, mb = size_of(folder), read / 1e6
    print(f"full: {len(snapshot.files)} files, {mb:.1f} MB in {seconds:.1f} s = {mb / seconds:.2f} MB/s")
    print(f"      the whole command {command_seconds:.1f} s, {cpu:.1f} CPU s ({cpu / mb:.2f} s/MB)")
    print(f"      peak RSS of all its processes {peak / 1e6:.0f} MB; {snapshot.manifest.counts}")
    print(f"      index {size / 1e6:.1f} MB = {size / read:.2f} x source")
    shutil.rmtree(folder)
    return mb / seconds


def tree_rss(pid: int) -> int:
    """Bytes held by a process and its children; what they share counts for each. Linux only, 0 elsewhere."""
    held = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if pid in (int(stat.parent.name), int(fields[1])):
            held += int(fields[21]) * resource.getpagesize()
    return held


def edit(home: Path, args: argparse.Namespace) -> None:
    root, config = home / "large", Config((home / "large").resolve(), home / "edit")
    grow(root, size_bytes=args.chunks * _CHUNK_BYTES)
    report = index(config)
    embedder, follower = load_embedder("static"), SnapshotFollower(config.index_dir)
    service = IndexService(config, lambda: embedder)
    service.start()
    try:
        if not service.wait_caught_up(600):
            raise SystemExit("the service did not catch up")
        warm(follower)
        spare_what_is_there()  # as a server does when it is ready
        known = (follower.current() or fail()).files
        files = [root / path for path, record in sorted(known.items()) if record.state == "indexed"]
        times = [searchable_after(files[n * 37 % len(files)], f"zq{n}marker", follower) for n in range(args.repeat)]
    finally:
        service.stop()
    chunks = (follower.current() or fail()).chunks.count
    print(f"edit: {chunks} chunks, {report.files_total} files, {args.repeat} edits: write → searchable")
    p50, p95 = statistics.median(times) * 1e3, quantile(times, 0.95) * 1e3
    print(f"      p50 {p50:.0f} ms, p95 {p95:.0f} ms, max {max(times) * 1e3:.0f} ms")


def warm(follower: SnapshotFollower) -> None:
    snapshot = follower.current() or fail()
    _ = snapshot.chunks, snapshot.objects, snapshot.relationships, snapshot.files


def searchable_after(path: Path, marker: str, follower: SnapshotFollower) -> float:
    with path.open("a") as out:
        out.write(f"\n{marker} = 1\n")
    began = time.perf_counter()
    while time.perf_counter() - began < 60:
        snapshot = follower.current()
        if snapshot is not None and len(snapshot.chunks.lexical({marker: 1.0}, limit=1).positions):
            return time.perf_counter() - began
        time.sleep(0.002)
    raise SystemExit(f"{path} was not searchable within a minute")


def restart(home: Path, args: argparse.Namespace) -> None:
    root, config = home / "many", Config((home / "many").resolve(), home / "restart")
    grow(root, size_bytes=20_000_000, files=10_000)
    index(config)
    embedder = load_embedder("static")
    began = time.perf_counter()
    with open_writer(config, embedder) as writer:
        opened = time.perf_counter()
        report = Indexer(config, writer, embedder).update()
        done = time.perf_counter()
    print(f"restart: {report.files_total} files, {report.files_changed} changed")
    print(f"         open {opened - began:.2f} s, compare {done - opened:.2f} s")


def rot(home: Path, args: argparse.Namespace) -> None:
    root, config = home / "rotten", Config((home / "rotten").resolve(), home / "rot")
    grow(root, size_bytes=4_000_000)
    embedder = load_embedder("static")
    files = sorted(root.rglob("*.py"))
    costs = []
    with open_writer(config, embedder) as writer:
        indexer = Indexer(config, writer, embedder)
        indexer.update()
        for number in range(args.edits):
            path = files[number * 31 % len(files)]
            path.write_text(path.read_text() + f"\nedit_{number} = {number}\n")
            began = time.perf_counter()
            indexer.update({str(path.relative_to(root))})
            costs.append(time.perf_counter() - began)
            if number % 500 == 499:
                writer.tidy()
        writer.tidy(force=True)
        time.sleep(61)  # old versions are kept for a minute for readers that still hold them
        writer.tidy()
    fresh = Config(root.resolve(), home / "fresh")
    index(fresh)
    sizes = [size_of(c.index_dir) for c in (config, fresh)]
    queries = [query_time(open_snapshot(c.index_dir) or fail(), embedder.encode_query) for c in (config, fresh)]
    third = len(costs) // 3
    early, late = statistics.median(costs[:third]), statistics.median(costs[-third:])
    print(f"rot: {args.edits} one-file commits: p50 {early * 1e3:.0f} ms at first, {late * 1e3:.0f} ms at last")
    print(f"     size {sizes[0] / 1e6:.1f} MB, fresh {sizes[1] / 1e6:.1f} MB: ratio {sizes[0] / sizes[1]:.2f}")
    print(f"     query {queries[0] * 1e3:.2f} ms, fresh {queries[1] * 1e3:.2f} ms: ratio {queries[0] / queries[1]:.2f}")


def query_time(snapshot: Snapshot, encode: Callable[[str], object]) -> float:
    vector = encode("how are errors reported to the caller")
    times = []
    for word in ("error", "read", "parse", "token", "path") * 40:
        began = time.perf_counter()
        snapshot.chunks.lexical({word: 1.0, "return": 0.5}, limit=50)
        ranked = snapshot.chunks.nearest(vector, limit=50)  # type: ignore[arg-type]
        snapshot.chunks.get(ranked.positions[:10])
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def fail() -> Snapshot:
    raise SystemExit("there is no index")


def main() -> None:
    this_process_is_ours()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", default=[], metavar="full|edit|restart|rot")
    parser.add_argument("--root", type=Path, help="index this folder in `full` instead of the corpus")
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--edits", type=int, default=5_000)
    parser.add_argument("--repeat", type=int, default=40)
    parser.add_argument("--repeat-full", type=int, default=3)
    args = parser.parse_args()
    parts = {"full": full, "edit": edit, "restart": restart, "rot": rot}
    print(f"{datetime.date.today()}  {machine()}")
    for name in args.what or ["full", "restart"]:
        with tempfile.TemporaryDirectory() as folder:
            parts[name](Path(folder).resolve(), args)


if __name__ == "__main__":
    main()
