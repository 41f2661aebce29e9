"""Search latency over real code, warm and in process, query embedding included.

    scripts/bench latency [--sizes 1000 10000 100000] [--roots DIR …] [--queries 300] [--fastest-of 1] [--work DIR]
                          [--out figures.json]

With --roots, whole repositories as they are take the place of grown projects: code of another language has other names,
longer files and more relationships per chunk, and what holds on one corpus need not hold on another. A folder of
several repositories is a mixed one.

Grows projects of about so many chunks from the source files of the installed Python packages and the standard library
(copied into --work, which is kept: a second run does not index again), asks them questions taken from their own
documentation and names, and prints p50 and p95 per stage for: hybrid with all three lanes, hybrid without
relationships, chunks only, BM25, vector, and multi-hop of depth 2. Relationship cost is the difference of two p95.
CPU is the mean processor time of all threads per search, which a busy machine blurs less. On a busy machine
`--fastest-of 3` asks every question three times and counts the fastest: what the search itself takes, without the
waiting for a core, but with the words and records of the question fresh in memory.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import shutil
import sysconfig
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sightline.config import make_config
from sightline.embed import Embedder, load_embedder
from sightline.indexer.pipeline import index_root
from sightline.indexer.service import open_writer
from sightline.retrieval.search import search
from sightline.store import Snapshot, open_snapshot
from sightline.types import Query

BYTES_PER_CHUNK = 850  # of Python source, measured; only steers how much is copied
MAX_FILE_BYTES = 200_000
WARM_UP = 100  # other questions than those measured
SEED = 7

SEARCHES: dict[str, dict[str, Any]] = {
    "hybrid": {},
    "hybrid, no relationships": {"types": ("chunk", "object")},
    "hybrid, chunks only": {"types": ("chunk",)},
    "hybrid, no re-ranking": {"rerank": False},
    "bm25": {"mode": "bm25"},
    "vector": {"mode": "vector"},
    "multi-hop depth 2": {"depth": 2},
}


def main() -> None:
    """Grow, index, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="*", default=[1_000, 10_000, 100_000])
    parser.add_argument(
        "--roots", type=Path, nargs="*", default=[], help="repositories to ask instead of grown projects"
    )
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--fastest-of", type=int, default=1, help="ask each question so often, count the fastest")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "sightline-latency")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    embedder = load_embedder("static")
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()}")
    figures: dict[str, Any] = {}
    for root in args.roots or [project(args.work, size) for size in args.sizes]:
        snapshot = indexed(root, args.work, embedder)
        counts = f"{snapshot.chunks.count} chunks, {snapshot.objects.count} objects, "
        print(f"\n{root.name}: {counts}{snapshot.relationships.count} relationships, {len(snapshot.files)} files")
        # Each kind of search has questions of its own, so that none finds what another has left in memory.
        texts = questions(snapshot, WARM_UP + args.queries * len(SEARCHES))
        warm_up, texts = texts[:WARM_UP], texts[WARM_UP:]
        figures[root.name] = {
            name: measured(snapshot, embedder, warm_up + own_share(texts, n, args.queries), kind, args.fastest_of)
            for n, (name, kind) in enumerate(SEARCHES.items())
        }
        show(figures[root.name])
    if args.out:
        args.out.write_text(json.dumps(figures, indent=1), encoding="utf-8")


def project(work: Path, size: int) -> Path:
    """A project of about `size` chunks; made once per work folder."""
    root = work / f"project-{size}"
    if not root.exists():
        copy_sources(root, size)
    return root


def indexed(root: Path, work: Path, embedder: Embedder) -> Snapshot:
    """Return the index of a folder, brought up to date."""
    config = make_config(root, index_dir=work / "index")
    began = time.perf_counter()
    with open_writer(config, embedder) as writer:
        index_root(config, writer, embedder)
    print(f"indexed {root.name} in {time.perf_counter() - began:.0f} s", flush=True)
    snapshot = open_snapshot(config.index_dir)
    assert snapshot is not None
    return snapshot


def copy_sources(root: Path, size: int) -> None:
    """Copy installed source files until there is enough for `size` chunks; round again under another name if short."""
    folders = [Path(sysconfig.get_path("stdlib")), Path(sysconfig.get_path("purelib"))]
    files = sorted(
        path for folder in folders for path in folder.rglob("*.py") if 200 < path.stat().st_size < MAX_FILE_BYTES
    )
    random.Random(SEED).shuffle(files)
    left, turn = size * BYTES_PER_CHUNK, 0
    while left > 0:
        for path in files:
            base = next(folder for folder in reversed(folders) if path.is_relative_to(folder))
            target = root / f"part{turn}" / path.relative_to(base)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
            left -= path.stat().st_size
            if left <= 0:
                return
        turn += 1


def own_share(texts: list[str], number: int, count: int) -> list[str]:
    """The questions of the n-th kind of search; from the beginning again where a small project has too few."""
    return [texts[(number * count + n) % len(texts)] for n in range(count)]


def questions(snapshot: Snapshot, count: int) -> list[str]:
    """Take questions from the project itself: two thirds first sentences of documentation, one third names."""
    rng = random.Random(SEED)
    positions = rng.sample(range(snapshot.objects.size), min(snapshot.objects.size, count * 12))
    objects = snapshot.objects.get(positions)
    sentences = [obj.doc[:120] for obj in objects if len(obj.doc.split()) > 3]
    names = [obj.name for obj in objects if obj.kind in ("function", "class", "method") and len(obj.name) > 5]
    texts = [*sentences[: count * 2 // 3], *names[: count - min(len(sentences), count * 2 // 3)]]
    rng.shuffle(texts)
    return texts


def measured(
    snapshot: Snapshot, embedder: Embedder, texts: Sequence[str], arguments: dict[str, Any], times: int = 1
) -> dict[str, Any]:
    """Milliseconds per stage: (p50, p95)."""
    warm_up, texts = texts[: min(WARM_UP, len(texts) // 2)], texts[min(WARM_UP, len(texts) // 2) :]
    for text in warm_up:
        search(snapshot, Query(text, **arguments), embedder=embedder)
    stages: dict[str, list[float]] = {}
    spent_before = time.process_time()
    for text in texts:
        runs = [search(snapshot, Query(text, **arguments), embedder=embedder).timings_ms for _ in range(times)]
        for stage, spent in min(runs, key=lambda run: run["total"]).items():
            stages.setdefault(stage, []).append(spent)
    cpu = (time.process_time() - spent_before) * 1000 / len(texts) / times
    figures: dict[str, Any] = {stage: (percentile(ms, 0.5), percentile(ms, 0.95)) for stage, ms in stages.items()}
    return figures | {"cpu": round(cpu, 3)}


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which that share lies."""
    return round(sorted(values)[min(len(values) - 1, int(len(values) * share))], 3)


def show(figures: dict[str, dict[str, Any]]) -> None:
    """Print one line per kind of search, and what relationships add."""
    small = "".join(f"{stage:>14}" for stage in ("fuse", "rerank", "multihop", "hits"))
    print(f"{'p50 / p95 ms':28}{'total':>16}{'retrieve':>16}{small}{'CPU':>8}")
    for name, stages in figures.items():
        cells = [stages.get(stage) for stage in ("total", "retrieve", "fuse", "rerank", "multihop", "hits")]
        shown = [f"{cell[0]:.1f} / {cell[1]:.1f}" if cell else "-" for cell in cells]
        print(
            f"{name:28}{shown[0]:>16}{shown[1]:>16}"
            + "".join(f"{cell:>14}" for cell in shown[2:])
            + f"{stages['cpu']:8.1f}"
        )
    added = figures["hybrid"]["total"][1] - figures["hybrid, no relationships"]["total"][1]
    print(f"relationships add {added:.1f} ms at p95")


if __name__ == "__main__":
    main()
