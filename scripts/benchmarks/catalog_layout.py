"""How a catalog could be laid out: scripts/bench catalog_layout --catalog PLACE --index-dir DIR

PLACE is what `sightline fleet index` wrote. The chunks of all its repositories are put into one LanceDB table with a
column `repository`, with LanceDB's own full-text index, and into one tantivy index; that is compared with what is
served today, a dataset and a tantivy index per repository: bytes, time to build, time and processor time of a query by
words and of one by vector over all, and of one restricted to a single repository, all with the same questions. The one
tantivy index has one field and plain terms; those of today have several fields with weights, so they do more.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lance
import numpy as np
import pyarrow as pa
import tantivy
from corpus import machine
from fleet import _QUERIES

from sightline.embed import load_embedder
from sightline.retrieval.query import analyse
from sightline.server.catalog.app import open_catalog
from sightline.server.catalog.grants import EVERYTHING
from sightline.tokens import tokenize

_TOP = 50


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--catalog", required=True)
    parser.add_argument("--index-dir", type=Path, required=True)
    options = parser.parse_args()
    print(machine(), flush=True)
    app = open_catalog(options.catalog, options.index_dir, embedder="static", disk_mb=50_000, memory_mb=8_000)
    embedder, shelf = load_embedder("static"), app._shelf
    opened, snapshots = _timed(lambda: {root.name: shelf.snapshot(root.name, EVERYTHING) for root in app.roots})
    loaded, _ = _timed(lambda: [snapshot.chunks.alive.sum() for snapshot in snapshots.values()])
    print(f"{len(snapshots)} snapshots opened in {opened:.1f} s, their chunks in {loaded:.1f} s (fetching included)")
    words = {name: list(dict.fromkeys(tokenize(query))) for name, query in enumerate(_QUERIES)}
    vectors = [np.asarray(embedder.encode_query(query), dtype=np.float32) for query in _QUERIES]
    with tempfile.TemporaryDirectory(prefix="sightline-layout-") as folder:
        table = _merged(snapshots)
        print(f"{table.num_rows:,} chunks of {len(snapshots)} repositories")
        _one_table(Path(folder), table, words, vectors)
        _one_tantivy(Path(folder), table, words)
    _today(snapshots, vectors)


def _merged(snapshots: dict[str, Any]) -> pa.Table:
    names, texts, rows = [], [], []
    for name, snapshot in snapshots.items():
        living = np.flatnonzero(snapshot.chunks.alive)
        for chunk in snapshot.chunks.get(living):
            names.append(name)
            texts.append(" ".join(tokenize(chunk.text)))
        rows.append(np.asarray(snapshot.chunks.vectors(living), dtype=np.float32))
    matrix = np.concatenate(rows)
    vector = pa.FixedSizeListArray.from_arrays(pa.array(matrix.reshape(-1)), matrix.shape[1])
    return pa.table({"repository": names, "text": texts, "vector": vector})


def _one_table(folder: Path, table: pa.Table, words: dict[int, list[str]], vectors: list[Any]) -> None:
    path = folder / "one.lance"
    written, dataset = _timed(lambda: lance.write_dataset(table, str(path)))
    plain = _size(path)
    built, _ = _timed(lambda: dataset.create_scalar_index("text", "INVERTED", with_position=False, stem=False,
                                                          remove_stop_words=False))  # fmt: skip
    with_words = _size(path)
    dataset.create_scalar_index("repository", "BITMAP")
    dataset = lance.dataset(str(path))
    print(f"one table: written in {written:.1f} s, {plain / 1e6:.1f} MB; full-text index in {built:.1f} s, "
          f"{(with_words - plain) / 1e6:.1f} MB")  # fmt: skip

    def by_words(number: int, only: str = "") -> Any:
        chosen = {"filter": f"repository = '{only}'", "prefilter": True} if only else {}
        query = " ".join(words[number])
        return dataset.scanner(columns=["repository"], full_text_query=query, limit=_TOP, **chosen).to_table()

    def by_vector(number: int, only: str = "") -> Any:
        chosen = {"filter": f"repository = '{only}'", "prefilter": True} if only else {}
        nearest = {"column": "vector", "q": vectors[number], "k": _TOP, "metric": "cosine"}
        return dataset.scanner(columns=["repository"], nearest=nearest, **chosen).to_table()

    some = table["repository"][0].as_py()
    _queries("one table, LanceDB's words, all", by_words)
    _queries("one table, LanceDB's words, one repository", lambda number: by_words(number, some))
    _queries("one table, LanceDB's vectors on disk, all", by_vector)
    _queries("one table, its vectors, one repository", lambda number: by_vector(number, some))
    matrix = np.stack(table["vector"].to_numpy())
    _queries("one matrix in memory, all", lambda number: np.argpartition(-(matrix @ vectors[number]), _TOP)[:_TOP])


def _one_tantivy(folder: Path, table: pa.Table, words: dict[int, list[str]]) -> None:
    (folder / "tantivy").mkdir()
    schema = tantivy.SchemaBuilder().add_text_field("text", tokenizer_name="whitespace", index_option="freq")
    schema.add_text_field("repository", stored=True, tokenizer_name="raw", index_option="basic")
    index = tantivy.Index(schema.build(), str(folder / "tantivy"))

    def build() -> None:
        writer = index.writer(50_000_000, 1)
        for name, text in zip(table["repository"].to_pylist(), table["text"].to_pylist(), strict=True):
            writer.add_document(tantivy.Document(repository=name, text=text))
        writer.commit()
        writer.wait_merging_threads()

    built, _ = _timed(build)
    index.reload()
    searcher = index.searcher()
    print(f"one tantivy index: built in {built:.1f} s, {_size(folder / 'tantivy') / 1e6:.1f} MB")

    def by_words(number: int) -> Any:
        terms = [tantivy.Query.term_query(index.schema, "text", word) for word in words[number]]
        query = tantivy.Query.boolean_query([(tantivy.Occur.Should, term) for term in terms])
        return searcher.search(query, _TOP).hits

    _queries("one tantivy index, all", by_words)


def _today(snapshots: dict[str, Any], vectors: list[Any]) -> None:
    every = list(snapshots.values())
    analysed = [analyse(query).terms for query in _QUERIES]
    _queries("an index per repository, words, all",
             lambda number: [each.chunks.lexical(analysed[number], limit=_TOP) for each in every])  # fmt: skip
    _queries("a dataset per repository, vectors, all",
             lambda number: [each.chunks.nearest(vectors[number], limit=_TOP) for each in every])  # fmt: skip


def _queries(what: str, ask: Callable[[int], Any]) -> None:
    for number in range(3):
        ask(number)
    taken, before = [], time.process_time()
    for number in range(len(_QUERIES)):
        taken.append(_timed(lambda number=number: ask(number))[0] * 1e3)
    cpu = (time.process_time() - before) / len(_QUERIES) * 1e3
    print(f"{what:46}p50 {statistics.median(taken):7.1f} ms wall, mean {cpu:7.1f} ms of processor time", flush=True)


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.perf_counter()
    result = work()
    return time.perf_counter() - began, result


def _size(path: Path) -> int:
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    main()
