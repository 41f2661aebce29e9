"""Vector search beyond the size that is scanned: LanceDB's IVF index, by name, with nprobes=10 on every query."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sightline.retrieval.search import search
from sightline.store import NPROBES, RELATIONSHIP_INDEX, Snapshot, Writer, open_snapshot, vectors
from sightline.types import FileEntry, FileRecord, Filters, Query, Relationship

DIM = 32
ROWS = 1_200


@pytest.fixture
def big(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Snapshot]:
    """A snapshot whose relationships are too many to be scanned; the threshold is lowered, all else is real."""
    monkeypatch.setattr(vectors, "EXACT_SCAN_FLOATS", 300 * DIM)
    monkeypatch.setattr(vectors, "HELD_FLOATS", 300 * DIM)
    rng = np.random.default_rng(1)
    values = rng.normal(size=(ROWS, DIM)).astype(np.float32)
    values /= np.linalg.norm(values, axis=1, keepdims=True)
    values[::10] = 0.0  # no embedding
    edges = [
        Relationship(
            f"{n + 1:016x}", "calls", "a.py", f"{1:016x}", "caller", f"{n + 2:016x}", f"target_{n}", "a.py",
            f"caller calls target_{n}", 0.9, "import", n + 1,
        )
        for n in range(ROWS)
    ]  # fmt: skip
    record = FileRecord("a.py", "python", 10, 1, "00", "indexed", "", ROWS, False)
    with Writer.open(tmp_path / "index", embedder_id="test", dim=DIM) as writer:
        writer.replace(FileEntry(record))
        writer.replace_relationships("a.py", edges, values)
        writer.commit()
        writer.tidy(force=True)
    snapshot = open_snapshot(tmp_path / "index")
    assert snapshot is not None
    yield snapshot


@pytest.mark.req("REL-3")
def test_the_plan_of_a_relationship_search_uses_the_named_index(big: Snapshot) -> None:
    assert RELATIONSHIP_INDEX == "idx_graph_relationships_embedding"
    assert not big.relationships.holds_vectors
    vector = np.ones(DIM, np.float32) / np.sqrt(DIM)
    plan = big.relationships.explain_nearest(vector)
    assert RELATIONSHIP_INDEX in plan
    assert "ANN" in plan


@pytest.mark.req("GRA-1", "REL-1", "REL-2")
def test_every_indexed_vector_query_probes_ten_lists(big: Snapshot, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    real = vectors.ivf_scanner

    def watched(*arguments: Any, **named: Any) -> Any:
        asked.append((arguments, named))
        return real(*arguments, **named)

    monkeypatch.setattr(vectors, "ivf_scanner", watched)
    rng = np.random.default_rng(2)
    for mode, text in (("vector", ""), ("hybrid", "caller calls")):
        query = Query(text, vector=rng.normal(size=DIM).astype(np.float32), mode=mode, types=("relationship",))  # type: ignore[arg-type]
        hits = search(big, query, embedder=None).hits
        assert len(hits) == 10
        null = {f"{n + 1:016x}" for n in range(0, ROWS, 10)}
        if mode == "vector":
            assert not {hit.id for hit in hits} & null
    assert len(asked) == 2
    assert NPROBES == 10
    source = Path(vectors.__file__).read_text(encoding="utf-8")
    assert source.count('"nprobes": NPROBES') == source.count('"nprobes"') == 1  # one constant, one place


@pytest.mark.req("REL-3")
def test_a_small_table_is_scanned_exactly(shop: Snapshot) -> None:
    assert shop.relationships.holds_vectors
    assert shop.chunks.holds_vectors


def test_a_filter_leaves_no_page_short_on_an_indexed_table(big: Snapshot) -> None:
    query = Query("", vector=np.ones(DIM, np.float32), mode="vector", types=("relationship",), limit=20)
    assert len(search(big, query, embedder=None).hits) == 20
    nowhere = Query(
        "", vector=np.ones(DIM, np.float32), mode="vector", types=("relationship",), filters=Filters(("b/**",))
    )
    assert not search(big, nowhere, embedder=None).hits
