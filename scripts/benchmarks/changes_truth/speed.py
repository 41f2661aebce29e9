"""How long does the answer take on a diff of twenty files of a large repository, stage by stage?"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

from sightline.changes.asked import Asked
from sightline.changes.report import report
from sightline.config import Config, make_config
from sightline.graph.build.tested import is_test_file
from sightline.indexer.pipeline import index_root
from sightline.indexer.service import open_writer
from sightline.store import Snapshot, open_snapshot


def measure(arguments: argparse.Namespace) -> None:
    """Edit files, index, ask several times, put the files back."""
    root = Path(arguments.repository).resolve()
    config = make_config(root, index_dir=arguments.home, embedder="none")
    _index(config)
    snapshot = open_snapshot(config.index_dir)
    assert snapshot is not None
    print(f"{root.name}: {snapshot.chunks.count:,} chunks, {snapshot.objects.count:,} objects")
    sources = sorted({path for path, r in snapshot.files.items() if r.state == "indexed" and not is_test_file(path)})
    chosen = _with_functions(snapshot, random.Random(arguments.seed).sample(sources, len(sources)), arguments.files)
    texts = {path: (root / path).read_bytes() for path in chosen}
    try:
        for path, line in chosen.items():
            lines = texts[path].split(b"\n")
            lines[line - 1] += b" "  # the last line of a function: its text differs, its meaning does not
            lines.insert(line - 1, lines[line - 1])
            (root / path).write_bytes(b"\n".join(lines))
        _index(config)
        snapshot = open_snapshot(config.index_dir)
        assert snapshot is not None
        taken = []
        for _ in range(arguments.times):
            began, worked = time.perf_counter(), time.process_time()
            found = report(config, snapshot, Asked())
            taken.append(time.perf_counter() - began)
            print(f"  {taken[-1]:.2f} s, {time.process_time() - worked:.2f} of the processor: {dict(found.timings_ms)}")
    finally:
        for path, text in texts.items():
            (root / path).write_bytes(text)
    files, symbols = len(found.compared.files), len(found.symbols)
    print(f"  {files} files, {symbols} symbols, {len(found.reached)} reached, {len(found.tests)} tests")
    print(f"  first {taken[0]:.2f} s, median of the others {statistics.median(taken[1:] or taken):.2f} s")


def _with_functions(snapshot: Snapshot, paths: Sequence[str], count: int) -> dict[str, int]:
    """Files and the last line of a function in each."""
    found: dict[str, int] = {}
    for path in paths:
        functions = [
            p
            for p in snapshot.objects.positions_of_path(path).tolist()
            if snapshot.objects.column("kind")[p] in ("function", "method")
            and snapshot.objects.end_line[p] - snapshot.objects.start_line[p] > 2
        ]
        if functions:
            found[path] = int(snapshot.objects.end_line[functions[0]]) - 1
        if len(found) == count:
            break
    return found


def _index(config: Config) -> None:
    with open_writer(config, None) as writer:
        index_root(config, writer, None)
