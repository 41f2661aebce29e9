"""BM25 over one table, by tantivy. k1=1.2 and b=0.75 are tantivy's own constants (COD-1).

Each table has an index of its own, because BM25's average length and document frequencies must be those of chunks when
chunks are ranked. Text is expanded by `sightline.tokens` before it gets here; queries are built from terms, never
parsed, so no query string can be malformed.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import tantivy

from sightline.store.seam import reading
from sightline.tokens import expand
from sightline.types import Chunk, Object, Relationship

FIELDS: dict[str, dict[str, float]] = {  # table → field → default weight
    "chunks": {"body": 1.0, "symbol": 1.0, "path": 1.0},
    "objects": {"name": 2.0, "body": 1.0, "path": 0.5},
    "relationships": {"body": 1.0},
}
UNSEARCHED = frozenset({"contains"})  # half of all edges, and what they say is in the qualified names already
SEARCHED_ROWS = "relationship_type NOT IN ('contains')"
HEAP_BYTES = 64_000_000  # per index; tantivy flushes a segment when it is full
_TOKENIZER = "expanded"
_KEPT_TERMS = 50_000  # per table and generation: 10 MB
_READ_LOCK = ".tantivy-meta.lock"


def chunk_document(row_id: int, chunk: Chunk) -> dict[str, object]:
    return {
        "id": row_id,
        "file": chunk.path,
        "body": expand(f"{chunk.context}\n{chunk.text}"),
        "symbol": expand(f"{chunk.symbol} {chunk.signature}"),
        "path": expand(chunk.path),
    }


def object_document(row_id: int, obj: Object) -> dict[str, object]:
    return {
        "id": row_id,
        "file": obj.path,
        "name": expand(obj.qualified_name if obj.kind != "module" else obj.name),
        "body": expand(f"{obj.signature} {obj.doc}"),
        "path": expand(obj.path),
    }


def relationship_document(row_id: int, relationship: Relationship) -> dict[str, object]:
    return {"id": row_id, "file": relationship.path, "body": expand(relationship.triplet)}


class LexicalIndex:
    """The tantivy index of one table."""

    def __init__(self, folder: Path, table: str, *, create: bool, heap_bytes: int = HEAP_BYTES) -> None:
        self.table = table
        self._heap_bytes = heap_bytes
        self.fields = FIELDS[table]
        self._folder = folder / table
        self._links: Path | None = None  # instead of a folder that cannot be written
        builder = tantivy.SchemaBuilder()
        builder.add_unsigned_field("id", fast=True)
        builder.add_text_field("file", tokenizer_name="raw", index_option="basic")
        for name in self.fields:
            builder.add_text_field(name, tokenizer_name=_TOKENIZER, index_option="freq")
        self._schema = builder.build()
        with reading(f"the lexical index of {table}"):
            if create:
                self._folder.mkdir(parents=True, exist_ok=True)
                self._index = tantivy.Index(self._schema, path=str(self._folder), reuse=True)
            else:
                self._index = self._open_to_read()
        analyzer = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
        self._index.register_tokenizer(_TOKENIZER, analyzer)
        self._index.config_reader("manual")
        self._writer: tantivy.IndexWriter | None = None

    def _open_to_read(self) -> tantivy.Index:
        """Open for reading. Tantivy takes a lock even for that; where it may not, it is given a folder of links."""
        try:
            return tantivy.Index.open(str(self._folder))
        except (ValueError, OSError):
            if os.access(self._folder / _READ_LOCK, os.W_OK):
                raise
        self._links = Path(tempfile.mkdtemp(prefix="sightline-"))
        weakref.finalize(self, shutil.rmtree, self._links, ignore_errors=True)
        self._link()
        return tantivy.Index.open(str(self._links))

    def _link(self) -> None:
        if self._links is not None:
            for file in self._folder.iterdir():
                link = self._links / file.name
                if file.suffix != ".lock" and not link.is_symlink():
                    link.symlink_to(file)

    def searcher(self) -> tantivy.Searcher:
        """Return a searcher over the newest commit; it stays as it is whatever is committed later."""
        with reading(f"the lexical index of {self.table}"):
            self._link()
            self._index.reload()
            return self._index.searcher()

    def reader(self, searcher: tantivy.Searcher) -> LexicalReader:
        """Return what searches a commit."""
        return LexicalReader(self._schema, searcher, self.fields)

    def delete_files(self, paths: Iterable[str]) -> None:
        writer = self._open_writer()
        for path in paths:
            writer.delete_documents_by_term("file", path)

    def add(self, documents: Iterable[dict[str, object]]) -> None:
        writer = self._open_writer()
        for document in documents:
            writer.add_document(tantivy.Document.from_dict(document, self._schema))

    def commit(self) -> None:
        if self._writer is not None:
            self._writer.commit()

    def close(self) -> None:
        """Let merges finish and release tantivy's own lock. What was not committed is dropped."""
        if self._writer is not None:
            writer, self._writer = self._writer, None
            with reading(f"the lexical index of {self.table}"):
                writer.rollback()
                writer.wait_merging_threads()

    def _open_writer(self) -> tantivy.IndexWriter:
        if self._writer is None:
            with reading(f"the lexical index of {self.table}"):
                self._writer = self._index.writer(self._heap_bytes, num_threads=1)
        return self._writer


class LexicalReader:
    """Searches one commit of an index. Remembers which terms it has: most forms of a word occur nowhere."""

    def __init__(self, schema: tantivy.Schema, searcher: tantivy.Searcher, fields: Mapping[str, float]) -> None:
        self._schema, self._searcher, self._fields = schema, searcher, fields
        self._terms: dict[tuple[str, str, float], tantivy.Query | None] = {}  # with its boost; None = not in the index

    def search(
        self,
        terms: Mapping[str, float],
        *,
        limit: int,
        fields: Mapping[str, float] | None = None,
        files: Sequence[str] | None = None,
    ) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float32]]:
        """Rank rows by BM25: (ids, scores), best first. With `files`, only rows of these files."""
        clauses = [
            (tantivy.Occur.Should, query)
            for field, weight in (fields or self._fields).items()
            if weight > 0
            for term, boost in terms.items()
            if (query := self._term(field, term, weight * boost)) is not None
        ]
        return self._run(clauses, limit, files)

    def cover(
        self, groups: Sequence[tuple[Sequence[str], float]], *, limit: int, files: Sequence[str] | None = None
    ) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float32]]:
        """Rank rows by which groups of terms they have at all: the weights of those with any term, added up."""
        clauses = []
        for terms, weight in groups:
            found = [query for term in terms if (query := self._term("body", term, 1.0)) is not None]
            if found and weight > 0:
                either = tantivy.Query.boolean_query([(tantivy.Occur.Should, query) for query in found])
                clauses.append((tantivy.Occur.Should, tantivy.Query.const_score_query(either, weight)))
        return self._run(clauses, limit, files)

    def frequency(self, term: str) -> int:
        """In how many rows a term occurs, by the table's main field."""
        with reading("the lexical index"):
            return self._searcher.doc_freq("body", term)

    def _term(self, field: str, term: str, boost: float) -> tantivy.Query | None:
        try:
            return self._terms[field, term, boost]
        except KeyError:
            query = None
        with reading("the lexical index"):
            found = self._searcher.doc_freq(field, term)
        if found:
            query = tantivy.Query.boost_query(tantivy.Query.term_query(self._schema, field, term, "freq"), boost)
        if len(self._terms) >= _KEPT_TERMS:
            self._terms.clear()
        self._terms[field, term, boost] = query
        return query

    def _run(
        self, clauses: list[tuple[tantivy.Occur, tantivy.Query]], limit: int, files: Sequence[str] | None
    ) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float32]]:
        if not clauses or limit <= 0:
            return np.empty(0, np.uint64), np.empty(0, np.float32)
        query = tantivy.Query.boolean_query(clauses)
        if files is not None:
            allowed = tantivy.Query.term_set_query(self._schema, "file", list(files))
            only = tantivy.Query.const_score_query(allowed, 0.0)
            query = tantivy.Query.boolean_query([(tantivy.Occur.Must, query), (tantivy.Occur.Must, only)])
        with reading("the lexical index"):
            hits = self._searcher.search(query, limit, count=False).hits
            ids = self._searcher.fast_field_values("id", [address for _, address in hits])
        return np.array(ids, np.uint64), np.array([score for score, _ in hits], np.float32)
