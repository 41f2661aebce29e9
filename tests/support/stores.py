"""Small things to write into a store, and what is read from it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sightline.store import Snapshot, Writer
from sightline.types import Chunk, FileEntry, FileRecord, Object, Relationship

DIM = 8
ROWS = 300  # of `two_fragments`, without embedding, so that a compaction writes them by themselves


def unit(*values: float) -> list[float]:
    vector = np.zeros(DIM)
    vector[: len(values)] = values
    return list(vector / np.linalg.norm(vector))


def entry(path: str, *texts: str, vector: list[float] | None = None) -> FileEntry:
    record = FileRecord(path, "python", 10, 1, "hash", "indexed", "", len(texts), False)
    chunks = [Chunk(path, n, n, "python", text, "f", "function", "def f()", "ctx") for n, text in enumerate(texts, 1)]
    obj = Object(
        f"{abs(hash(path)) % 2**60:016x}",
        "0" * 15 + "1",
        path,
        "f",
        "f",
        "function",
        "python",
        1,
        1,
        "def f()",
        "",
        "public",
        "",
    )
    vectors = None if vector is None else np.array([vector] * len(chunks), np.float32)
    return FileEntry(record, chunks, vectors, [obj], None, b"facts of " + path.encode())


def edge(path: str, name: str) -> Relationship:
    return Relationship(
        f"{abs(hash((path, name))) % 2**60:016x}",
        "calls",
        path,
        "1" * 16,
        "f",
        "2" * 16,
        name,
        "b.py",
        f"f calls {name}",
        0.9,
        "import",
        3,
    )


def open_writer(folder: Path) -> Writer:
    return Writer.open(folder, embedder_id="test", dim=DIM)


def texts(snapshot: Snapshot, term: str, **options: object) -> list[str]:
    ranked = snapshot.chunks.lexical({term: 1.0}, limit=10, **options)  # type: ignore[arg-type]
    return [chunk.text for chunk in snapshot.chunks.get(ranked.positions)]


def two_fragments(writer: Writer) -> None:
    """Commit a file with an embedding, then one with many chunks without."""
    writer.replace(entry("a.py", "alpha", vector=unit(1)))
    writer.commit()
    writer.replace(entry("many.py", *(f"word{n}" for n in range(ROWS))))
    writer.commit()
