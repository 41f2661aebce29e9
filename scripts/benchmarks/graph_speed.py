"""How fast the graph is walked, on a made-up graph of 100,000 objects and 500,000 relationships.

    scripts/bench graph --synthetic [--index-dir DIR] [--objects N] [--relationships N] [--rounds N]

The graph is written through the real store (kept in `--index-dir` between runs): files of 50 objects, targets drawn
from a power law, so that a few objects are hubs, and random unit vectors as embeddings. Then `expand` is asked to go
three steps from hubs, as the tool does it: records included. Every query vector is new; "cold" is the first visit of
a hub.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from sightline.graph.read import symbols, walk
from sightline.graph.read.adjacency import Adjacency, adjacency_of
from sightline.store import Snapshot, Writer, open_snapshot
from sightline.types import FileEntry, FileRecord, Object, Relationship, RelationshipType

DIM = 256
SHORT_DIM = 96  # what the default embedder keeps of it for objects and relationships
EMBEDDER = "synthetic"
OBJECTS_PER_FILE = 50
HUBS = 25
TYPES: tuple[RelationshipType, ...] = ("calls", "calls", "calls", "calls", "instantiates", "uses_type", "imports")
LIMITS = ((50, 100), (500, 1000))  # the tool's defaults, and far more than an agent would read


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench graph --synthetic", description=__doc__)
    parser.add_argument("--index-dir", type=Path)
    parser.add_argument("--objects", type=int, default=100_000)
    parser.add_argument("--relationships", type=int, default=500_000)
    parser.add_argument("--rounds", type=int, default=200)
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        folder = chosen.index_dir or Path(scratch)
        snapshot = open_snapshot(folder) if folder.is_dir() else None
        if snapshot is None:
            began = time.perf_counter()
            build(folder, chosen.objects, chosen.relationships)
            print(f"built in {time.perf_counter() - began:.0f} s")
            snapshot = open_snapshot(folder)
        assert snapshot is not None
        measure(snapshot, chosen.rounds)


def build(folder: Path, objects: int, relationships: int) -> None:
    """Write the graph into a store, file by file."""
    random = np.random.default_rng(0)
    files = objects // OBJECTS_PER_FILE
    per_file = relationships // files
    weights = 1.0 / np.arange(1, objects + 1) ** 0.8
    ranks = random.permutation(objects)
    targets = ranks[np.searchsorted(np.cumsum(weights) / weights.sum(), random.random(files * per_file))]
    with Writer.open(folder, embedder_id=EMBEDDER, dim=DIM, short_dim=SHORT_DIM) as writer:
        for number in range(files):
            path = path_of(number)
            record = FileRecord(path, "python", 1, 1, "h", "indexed", "", OBJECTS_PER_FILE * 10, False)
            first = number * OBJECTS_PER_FILE
            made = [an_object(index) for index in range(first, first + OBJECTS_PER_FILE)]
            writer.replace(FileEntry(record, objects=made, object_vectors=units(random, len(made))))
            sources = first + random.integers(0, OBJECTS_PER_FILE, per_file)
            mine = targets[number * per_file : (number + 1) * per_file]
            edges = [an_edge(number, n, int(a), int(b)) for n, (a, b) in enumerate(zip(sources, mine, strict=True))]
            writer.replace_relationships(path, edges, units(random, len(edges)))
            if number % 500 == 499:
                writer.commit(state="indexing")
        writer.commit(state="ready")
        writer.tidy(force=True)


def path_of(number: int) -> str:
    return f"package_{number // 40}/module_{number}.py"


def entity(index: int) -> str:
    return f"{index * 0x9E3779B97F4A7C15 % 2**64 or 1:016x}"  # spread like a hash, never 0


def an_object(index: int) -> Object:
    line = index % OBJECTS_PER_FILE * 10 + 1
    name = f"name_{index}"
    path = path_of(index // OBJECTS_PER_FILE)
    return Object(
        entity(index), entity(index), path, name, name, "function", "python", line, line + 8, f"def {name}()", "",
        "public", "",
    )  # fmt: skip


def an_edge(file: int, n: int, source: int, target: int) -> Relationship:
    type_ = TYPES[n % len(TYPES)]
    return Relationship(
        f"{(file * 1_000_003 + n + 1) * 0xD1B54A32D192ED03 % 2**64:016x}",
        type_,
        path_of(file),
        entity(source),
        f"name_{source}",
        entity(target),
        f"name_{target}",
        path_of(target // OBJECTS_PER_FILE),
        f"name_{source} {type_} name_{target}",
        0.9,
        "import",
        n + 1,
    )


def units(random: np.random.Generator, count: int) -> npt.NDArray[np.float32]:
    vectors = random.standard_normal((count, DIM), dtype=np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def measure(snapshot: Snapshot, rounds: int) -> None:
    """Print what building and walking cost."""
    print(f"{snapshot.objects.count} objects, {snapshot.relationships.count} relationships")
    report("adjacency", [timed(lambda: Adjacency(snapshot)) for _ in range(3)])
    report("name tables", [timed(lambda: symbols.Names(snapshot)) for _ in range(3)])
    graph = adjacency_of(snapshot)
    degrees = np.bincount(graph.target[graph.target >= 0], minlength=snapshot.objects.size)
    hubs = np.argsort(-degrees, kind="stable")[:HUBS]
    print(f"hubs: {HUBS}, incoming edges {degrees[hubs[0]]} .. {degrees[hubs[-1]]}")
    ids = [f"{int(key):016x}" for key in snapshot.objects.ids[hubs]]
    random = np.random.default_rng(1)
    for max_nodes, max_edges in LIMITS:
        measure_walks(snapshot, ids, units(random, rounds), max_nodes, max_edges)
    for text in ("name_4242", "NAME_4242", "name_42", "nmae_4242", "4242 name"):
        report(f"symbol {text!r}", [timed(lambda t=text: symbols.find(snapshot, t)) for _ in range(20)])


def measure_walks(
    snapshot: Snapshot, hubs: Sequence[str], queries: npt.NDArray[np.float32], max_nodes: int, max_edges: int
) -> None:
    def ask(n: int, *, ranked: bool) -> tuple[float, float]:
        query = queries[n] if ranked else None
        return timed(
            lambda: walk.expand(
                snapshot, [hubs[n % HUBS]], depth=3, max_nodes=max_nodes, max_edges=max_edges, query_vector=query
            )
        )

    label = f"depth 3, {max_nodes} nodes, {max_edges} edges"
    report(f"{label}: plain, first visit", [ask(n, ranked=False) for n in range(HUBS)])
    report(f"{label}: ranked, first visit", [ask(n, ranked=True) for n in range(HUBS)])
    report(f"{label}: plain", [ask(n, ranked=False) for n in range(len(queries))])
    report(f"{label}: ranked", [ask(n, ranked=True) for n in range(len(queries))])


def timed(call: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds by the clock, and of processor time in all threads."""
    began, worked = time.perf_counter(), time.process_time()
    call()
    return (time.perf_counter() - began) * 1000, (time.process_time() - worked) * 1000


def report(label: str, times: Sequence[tuple[float, float]]) -> None:
    """On a busy machine the clock says more about the neighbours; the processor time is ours."""
    clock, worked = np.array(times).T
    p50, p95 = np.percentile(clock, [50, 95])
    cpu50, cpu95 = np.percentile(worked, [50, 95])
    print(
        f"{label:52} p50 {p50:8.2f}   p95 {p95:8.2f}   min {clock.min():8.2f} ms"
        f"   processor p50 {cpu50:8.2f}   p95 {cpu95:8.2f} ms"
    )
