"""The one writer of a root's index.

It holds an OS file lock, so that there is never a second one; the lock goes with the process, however that ends. What
files contribute is staged in memory and committed as one generation:

    pending.json → tables and tantivy, each table on its own thread → manifest.json (atomic) → pending.json removed

Killed before the manifest is replaced, the next writer takes the tables back to the versions the manifest names and
repairs tantivy for the pending paths from them. Damage of any kind ends in a rebuild, and `notices` says so.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import logging
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import filelock
import lance
import lancedb
import numpy as np
import pyarrow as pa
import pyarrow.compute
from lancedb.index import Bitmap, IvfFlat

from sightline import __version__
from sightline.errors import CorruptIndexError, FormatVersionError, StoreError
from sightline.store import lexical, schema, vectors
from sightline.store.lexical import LexicalIndex
from sightline.store.lock import announce_writer, take_lock, wipe, withdraw_writer
from sightline.store.manifest import (
    TABLES,
    Commit,
    Manifest,
    clear_pending,
    read_manifest,
    read_pending,
    trim_journal,
    write_manifest,
    write_pending,
)
from sightline.types import Chunk, FileEntry, FileRecord, IndexState, Object, Relationship

if TYPE_CHECKING:
    from sightline.types import Vector

logger = logging.getLogger(__name__)

_DELETE_PATHS = 500  # paths per delete predicate
_KEEP_VERSIONS_FOR = timedelta(seconds=60)  # a reader may still hold the tables of a query that began before a commit
_PRUNE_EVERY = 32  # commits between two prunings of old versions
_COMPACT_FRAGMENTS = 96  # every small commit adds a fragment; beyond so many reads slow down (FACTS)
_SPLIT_ROWS = 256  # rows without embedding from which on a fragment of their own pays
_REINDEX_SHARE = 0.25  # of rows outside the vector index before it is built anew
_CACHE_BYTES = 32_000_000  # each for indexes and metadata; LanceDB's own bounds are gigabytes, filled 0.5 MB a commit
_PATH_INDEX = "idx_path"  # finds the rows of a file that is replaced
_PATH_INDEX_ROWS = 20_000  # from so many on: without it 650,000 rows take 40 ms of a core, with it 6
_TABLE_ERRORS = (OSError, ValueError, RuntimeError, pa.ArrowException)


class Writer:
    """Stages and commits; open it with `Writer.open`, close it when done."""

    def __init__(
        self, index_dir: Path, lock: filelock.BaseFileLock, embedder_id: str, dim: int, short_dim: int
    ) -> None:
        self._dir, self._lock, self._dim, self._short_dim = index_dir, lock, dim, short_dim
        self._object_dim = schema.object_dim(dim, short_dim)
        self._embedder_id = embedder_id
        self.notices: list[str] = []
        self._pool = ThreadPoolExecutor(4, thread_name_prefix="sightline-commit")  # a thread per table
        self._lexical_pool = ThreadPoolExecutor(3, thread_name_prefix="sightline-lexical")  # and per tantivy index
        self._entries: dict[str, FileEntry | None] = {}
        self._edges: dict[str, tuple[Sequence[Relationship], Vector | None]] = {}
        self._touched: dict[str, FileRecord] = {}
        self._commits = 0
        self._broken = False

    @classmethod
    def open(cls, index_dir: Path, *, embedder_id: str, dim: int, short_dim: int | None = None) -> Writer:
        """Take the writer lock and open the index, beginning or repairing it as needed.

        Chunks keep vectors of `dim`, relationships the leading `short_dim` of theirs, objects something in between.
        """
        lock = take_lock(index_dir)
        writer = cls(index_dir, lock, embedder_id, dim, short_dim or dim)
        try:
            writer._open_or_rebuild()
            announce_writer(index_dir)
        except _TABLE_ERRORS as error:
            writer.close()
            raise StoreError(
                f"the index in {index_dir} could not be opened: {error}", hint="is there room, and may it be written?"
            ) from error
        except BaseException:
            writer.close()
            raise
        return writer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def generation(self) -> int:
        return self._manifest.generation

    @property
    def manifest(self) -> Manifest:
        return self._manifest

    def records(self) -> dict[str, FileRecord]:
        """Every file as the last commit knows it, by path."""
        return dict(self._records)

    def facts(self) -> Iterator[tuple[str, bytes]]:
        """The graph's facts of every committed file."""
        try:
            table = self._tables["files"].to_lance().scanner(columns=["path", "facts"]).to_table()
        except _TABLE_ERRORS as error:
            raise CorruptIndexError(f"table files cannot be read: {error}", hint="rebuild the index") from error
        yield from zip(table["path"].to_pylist(), table["facts"].to_pylist(), strict=True)

    def replace(self, entry: FileEntry) -> None:
        """Stage all that a file contributes, in place of whatever the index has for its path."""
        self._entries[entry.record.path] = entry

    def remove(self, path: str) -> None:
        """Stage the removal of a file and of the relationships it states."""
        self._entries[path] = None
        self._edges.pop(path, None)

    def touch(self, path: str, mtime_ns: int) -> None:
        """Stage a new time for a file whose content is unchanged; everything else of it stays."""
        self._touched[path] = replace(self._records[path], mtime_ns=mtime_ns)

    def replace_relationships(
        self, path: str, relationships: Sequence[Relationship], embeddings: Vector | None
    ) -> None:
        """Stage the relationships that a file states; a zero row of `embeddings` is stored as null."""
        self._edges[path] = (relationships, embeddings)

    def commit(
        self, *, state: IndexState = "ready", files_total: int = 0, given_up: Mapping[str, int] | None = None
    ) -> int:
        """Make what is staged the next generation, durably; returns its number.

        `given_up` is what resolving all files left open by now; None when they were not resolved.
        """
        if self._broken:
            raise StoreError("an earlier commit failed half way", hint="open the writer again: it repairs the index")
        generation = self._manifest.generation + 1
        entries, edges = self._entries, self._edges
        self._commits += 1
        if self._commits % _PRUNE_EVERY == 0:
            self._prune()
        touched = sorted({*entries, *edges, *self._touched})
        self._broken = True
        try:
            if touched:
                write_pending(self._dir, generation, touched)
                self._write(entries, edges)
            for path, entry in entries.items():
                if entry is None:
                    self._records.pop(path, None)
                else:
                    self._records[path] = entry.record
            self._records |= self._touched
            removed = {path for path, entry in entries.items() if entry is None}
            this = Commit(generation, sorted(entries), sorted({*edges, *removed}), sorted(self._touched))
            journal = trim_journal([*self._manifest.journal, this])
            self._publish(
                replace(
                    self._manifest,
                    generation=generation,
                    journal=journal,
                    state=state,
                    files_total=files_total,
                    given_up=self._manifest.given_up if given_up is None else dict(sorted(given_up.items())),
                )
            )
            clear_pending(self._dir)
        except OSError as error:
            raise StoreError(
                f"the index could not be written: {error}", hint=f"is there room in {self._dir}?"
            ) from error
        self._entries, self._edges, self._touched, self._broken = {}, {}, {}, False
        return generation

    def tidy(self, *, force: bool = False) -> bool:
        """Compact tables and build vector indexes where that is due; call it when nothing else is to be done."""
        if self._broken:
            raise StoreError("an earlier commit failed half way", hint="open the writer again: it repairs the index")
        self._prune()
        self._broken = True  # a table written half anew must never be committed
        try:
            rewritten = self._compact(force=force)
        except _TABLE_ERRORS as error:
            raise StoreError(
                f"the index could not be compacted: {error}", hint=f"is there room in {self._dir}?"
            ) from error
        self._broken = False
        return rewritten

    def _compact(self, *, force: bool) -> bool:
        rewritten = False
        for name in TABLES:
            table = self._tables[name]
            fragments = len(table.to_lance().get_fragments())
            if fragments > 1 and (force or fragments > _COMPACT_FRAGMENTS):
                self._rewrite(name)
                rewritten = True
            if name in vectors.INDEX_NAMES and self._index_due(name):
                if schema.stored_as(table.schema) != schema.WIDE:
                    self._rewrite(name, schema.widened)
                self._build_vector_index(name)
                rewritten = True
            if self._path_index_due(name):
                table.create_index("path", config=Bitmap(), name=_PATH_INDEX, replace=True)
                rewritten = True
        if rewritten:
            generation = self._manifest.generation + 1
            self._publish(replace(self._manifest, generation=generation, rewritten=generation, journal=[]))
        return rewritten

    def close(self) -> None:
        """Release everything. What was staged and not committed is dropped."""
        with contextlib.ExitStack() as last:  # whatever fails, the lock must go: nobody could write any more
            last.callback(self._lock.release)
            last.callback(withdraw_writer, self._dir)
            for index in getattr(self, "_lexical", {}).values():
                last.callback(index.close)
            self._pool.shutdown(wait=True)
            self._lexical_pool.shutdown(wait=True)

    # Opening

    def _open_or_rebuild(self) -> None:
        try:
            manifest = read_manifest(self._dir)
            made_with = (manifest.embedder_id, manifest.dim, manifest.short_dim) if manifest is not None else None
            if manifest is not None and made_with != (self._embedder_id, self._dim, self._short_dim):
                raise FormatVersionError(
                    f"the index was made with embedder {manifest.embedder_id}, now {self._embedder_id}"
                )
            if manifest is not None and manifest.made_by != __version__:
                raise FormatVersionError(f"the index was made by Sightline {manifest.made_by}, this is {__version__}")
            if manifest is None:
                self._begin()
            else:
                self._manifest = manifest
                self._reopen()
        except (CorruptIndexError, FormatVersionError) as error:
            self.notices.append(f"index rebuilt: {error.message}")
            logger.warning("rebuilding the index in %s: %s", self._dir, error.message)
            for lexical_index in getattr(self, "_lexical", {}).values():
                lexical_index.close()
            wipe(self._dir)
            self._begin()

    def _begin(self) -> None:
        wipe(self._dir)
        database = self._connect()
        schemas = {
            "files": schema.FILES,
            "chunks": schema.chunks_schema(self._dim),
            "objects": schema.objects_schema(self._object_dim),
            "relationships": schema.relationships_schema(self._short_dim),
        }
        self._tables = {name: database.create_table(name, schema=schemas[name]) for name in TABLES}
        self._lexical = self._open_lexical()
        for index in self._lexical.values():
            index.delete_files([])
            index.commit()
        self._records: dict[str, FileRecord] = {}
        begun = Manifest(uuid.uuid4().hex, 0, self._embedder_id, self._dim, self._short_dim, {}, state="indexing")
        self._publish(replace(begun, made_by=__version__))

    def _connect(self) -> lancedb.DBConnection:
        session = lancedb.Session(_CACHE_BYTES, _CACHE_BYTES)
        return lancedb.connect(str(self._dir / "tables"), session=session)

    def _reopen(self) -> None:
        try:
            database = self._connect()
            self._tables = {name: database.open_table(name) for name in TABLES}
            restored = [name for name in TABLES if self._restore(name)]
            columns = [name for name in schema.FILES.names if name != "facts"]
            rows = self._tables["files"].to_lance().scanner(columns=columns).to_table().to_pylist()
            for name in TABLES:
                self._tables[name].count_rows()
        except _TABLE_ERRORS as error:
            raise CorruptIndexError(f"the tables cannot be opened: {error}") from error
        self._records = {row["path"]: schema.file_record(row) for row in rows}
        self._lexical = self._open_lexical()
        self._repair_lexical()
        if restored:
            generation = self._manifest.generation + 1
            self._publish(replace(self._manifest, generation=generation, rewritten=generation, journal=[]))
        clear_pending(self._dir)

    def _restore(self, name: str) -> bool:
        """Take a table back to the version the manifest names, if a commit was interrupted after writing it."""
        table, version = self._tables[name], self._manifest.versions[name]
        if table.version == version:
            return False
        table.restore(version)
        return True

    def _open_lexical(self) -> dict[str, LexicalIndex]:
        return {name: LexicalIndex(self._dir / "lexical", name, create=True) for name in lexical.FIELDS}

    def _repair_lexical(self) -> None:
        """Bring tantivy in line with the tables: for the paths of an interrupted commit, or wholly if it lost rows."""
        pending = read_pending(self._dir)
        paths = pending[1] if pending is not None else []
        for name, index in self._lexical.items():
            if paths:
                index.delete_files(paths)
                index.add(self._documents(name, paths))
                index.commit()
            expected = self._tables[name].count_rows(lexical.SEARCHED_ROWS if name == "relationships" else None)
            if index.searcher().num_docs != expected:
                raise CorruptIndexError(f"the lexical index of {name} does not match its table")

    def _documents(self, name: str, paths: Sequence[str]) -> Iterator[dict[str, object]]:
        make: dict[str, Callable[[dict[str, Any]], dict[str, object]]] = {
            "chunks": lambda row: lexical.chunk_document(row["id"], schema.chunk_of(row)),
            "objects": lambda row: lexical.object_document(row["id"], schema.object_of(row)),
            "relationships": lambda row: lexical.relationship_document(row["id"], schema.relationship_of(row)),
        }
        dataset = self._tables[name].to_lance()
        columns = [column for column in dataset.schema.names if column != "vector"]
        for predicate in _path_predicates(paths):
            try:
                if name == "relationships":
                    predicate = f"{predicate} AND {lexical.SEARCHED_ROWS}"
                rows = dataset.scanner(columns=columns, filter=predicate).to_table().to_pylist()
            except _TABLE_ERRORS as error:
                raise CorruptIndexError(f"table {name} cannot be read: {error}") from error
            yield from map(make[name], rows)

    # Committing

    def _write(
        self,
        entries: dict[str, FileEntry | None],
        edges: dict[str, tuple[Sequence[Relationship], Vector | None]],
    ) -> None:
        known = [path for path in entries if path in self._records]
        removed = [path for path, entry in entries.items() if entry is None]
        present = [entry for entry in entries.values() if entry is not None]
        edge_paths = [path for path in {*edges, *removed} if path in self._records]
        jobs = [
            self._pool.submit(self._write_files, present, known),
        ]
        if entries:
            jobs.append(self._pool.submit(self._write_chunks, present, known))
            jobs.append(self._pool.submit(self._write_objects, present, known))
        if edges or edge_paths:
            jobs.append(self._pool.submit(self._write_relationships, list(edges.values()), edge_paths))
        errors = [error for job in jobs if (error := job.exception()) is not None]
        for error in errors:
            if isinstance(error, (*_TABLE_ERRORS, StoreError)):
                raise StoreError(
                    f"the index could not be written: {error}", hint=f"is there room in {self._dir}?"
                ) from error
            raise error

    def _write_files(self, entries: list[FileEntry], known: list[str]) -> None:
        records, facts = [entry.record for entry in entries], [entry.facts for entry in entries]
        touched = [path for path in self._touched if path in self._records]
        kept = self._facts_of(touched)
        records += [self._touched[path] for path in touched]
        facts += [kept[path] for path in touched]
        self._replace_rows("files", known + touched, schema.files_table(records, facts))

    def _facts_of(self, paths: Sequence[str]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for predicate in _path_predicates(paths):
            table = self._tables["files"].to_lance().scanner(columns=["path", "facts"], filter=predicate).to_table()
            found |= dict(zip(table["path"].to_pylist(), table["facts"].to_pylist(), strict=True))
        return found

    def _write_chunks(self, entries: list[FileEntry], known: list[str]) -> None:
        chunks: list[Chunk] = [chunk for entry in entries for chunk in entry.chunks]
        embedded = self._stack("chunks", [(len(entry.chunks), entry.chunk_vectors) for entry in entries], self._dim)
        rows = schema.chunks_table(chunks, embedded, self._dim)
        documents = map(lexical.chunk_document, rows["id"].to_pylist(), chunks)
        self._replace("chunks", known, rows, documents)

    def _write_objects(self, entries: list[FileEntry], known: list[str]) -> None:
        objects: list[Object] = [obj for entry in entries for obj in entry.objects]
        parts = [(len(entry.objects), entry.object_vectors) for entry in entries]
        embedded = self._stack("objects", parts, self._object_dim)
        rows = schema.objects_table(objects, embedded, self._object_dim)
        documents = map(lexical.object_document, rows["id"].to_pylist(), objects)
        self._replace("objects", known, rows, documents)

    def _write_relationships(self, edges: list[tuple[Sequence[Relationship], Vector | None]], known: list[str]) -> None:
        relationships: list[Relationship] = [edge for stated, _ in edges for edge in stated]
        parts = [(len(stated), embeddings) for stated, embeddings in edges]
        embedded = self._stack("relationships", parts, self._short_dim)
        rows = schema.relationships_table(relationships, embedded, self._short_dim)
        stated = [edge for edge in relationships if edge.relationship_type not in lexical.UNSEARCHED]
        documents = (lexical.relationship_document(schema.key(edge.id), edge) for edge in stated)
        self._replace("relationships", known, rows, documents)

    def _stack(self, name: str, parts: list[tuple[int, Vector | None]], width: int) -> pa.Array:
        """Join per-file embeddings; files without any contribute zero rows, which are stored as null."""
        count, stored = sum(length for length, _ in parts), schema.stored_as(self._tables[name].schema)
        if all(embedded is None for _, embedded in parts):
            return schema.vectors_to_arrow(None, None, count, width, stored)
        blocks = [np.zeros((n, width), np.float32) if v is None else v[:, :width] for n, v in parts]
        return schema.vectors_to_arrow(np.concatenate(blocks), None, count, width, stored)

    def _replace(self, name: str, known: list[str], rows: pa.Table, documents: Iterable[dict[str, object]]) -> None:
        """Replace rows and documents side by side: for a small commit both mostly wait for the disk."""
        replaced = self._lexical_pool.submit(self._replace_documents, name, known, documents)
        try:
            self._replace_rows(name, known, rows)
        finally:
            concurrent.futures.wait([replaced])
        replaced.result()

    def _replace_rows(self, name: str, known: list[str], rows: pa.Table) -> None:
        table = self._tables[name]
        for predicate in _path_predicates(known):
            table.delete(predicate)
        for part in _by_embedding(rows):
            table.add(part)
        if rows.num_rows:
            self._check_written(name)

    def _check_written(self, name: str) -> None:
        """Make sure that the newest data files are whole: on a full disk LanceDB has been seen to commit short ones."""
        folder = self._dir / "tables" / f"{name}.lance" / "data"
        for fragment in self._tables[name].to_lance().get_fragments()[-2:]:
            for file in fragment.metadata.files:
                written = (folder / file.path).stat().st_size
                if file.file_size_bytes is not None and written != file.file_size_bytes:
                    raise StoreError(f"{name}: only {written} of {file.file_size_bytes} bytes reached the disk")

    def _replace_documents(self, name: str, known: list[str], documents: Iterable[dict[str, object]]) -> None:
        index = self._lexical[name]
        index.delete_files(known)
        index.add(documents)
        index.commit()

    def _publish(self, manifest: Manifest) -> None:
        states = [record.state for record in self._records.values()]
        counts = {name: self._tables[name].count_rows() for name in TABLES}
        counts |= {f"files_{state}": states.count(state) for state in ("indexed", "skipped", "failed")}
        versions = {name: self._tables[name].version for name in TABLES}
        self._manifest = replace(manifest, versions=versions, counts=counts, committed_at=time.time())
        write_manifest(self._dir, self._manifest)

    # Upkeep

    def _prune(self) -> None:
        """Delete old versions. A version's age counts from its own commit, so this comes before a commit, never after:
        what readers hold is still the newest version then, which stays however old it is."""
        try:
            for name in TABLES:
                self._tables[name].to_lance().cleanup_old_versions(_KEEP_VERSIONS_FOR)
        except _TABLE_ERRORS as error:  # only room is lost; the next time may succeed
            logger.warning("old versions could not be deleted from %s: %s", self._dir, error)

    def _rewrite(self, name: str, change: Callable[[pa.Table], pa.Table] = lambda table: table) -> None:
        """Write a table anew. LanceDB's own compaction would join rows with and without embedding (`_by_embedding`)."""
        dataset = self._tables[name].to_lance()
        for number, part in enumerate(_by_embedding(change(dataset.to_table()))):
            lance.write_dataset(part, dataset.uri, mode="append" if number else "overwrite")
        self._tables[name].checkout_latest()  # type: ignore[no-untyped-call]

    def _path_index_due(self, name: str) -> bool:
        rows = self._tables[name].count_rows()
        return rows > _PATH_INDEX_ROWS and self._outside(name, _PATH_INDEX, rows) > _REINDEX_SHARE * rows

    def _outside(self, name: str, index: str, rows: int) -> int:
        """How many rows an index does not know; all while there is none."""
        stats = self._tables[name].index_stats(index)
        return rows if stats is None else stats.num_unindexed_rows

    def _index_due(self, name: str) -> bool:
        rows = self._tables[name].count_rows("vector IS NOT NULL")
        widths = {"chunks": self._dim, "objects": self._object_dim, "relationships": self._short_dim}
        if vectors.held(rows, widths[name]):
            return False
        return self._outside(name, vectors.INDEX_NAMES[name], rows) > _REINDEX_SHARE * rows

    def _build_vector_index(self, name: str) -> None:
        rows = self._tables[name].count_rows("vector IS NOT NULL")
        # Few iterations and samples: recall at NPROBES is the same and training takes seconds, not minutes (FACTS).
        config = IvfFlat(
            distance_type="cosine", num_partitions=vectors.partitions(rows), max_iterations=15, sample_rate=64
        )
        self._tables[name].create_index("vector", config=config, name=vectors.INDEX_NAMES[name], replace=True)


def _by_embedding(rows: pa.Table) -> list[pa.Table]:
    """Split rows into those with and those without an embedding where that pays.

    A null vector takes as much room as any other, unless the whole fragment has none.
    """
    if "vector" in rows.column_names and rows["vector"].null_count >= _SPLIT_ROWS:
        empty = pa.compute.is_null(rows["vector"])
        parts = [rows.filter(pa.compute.invert(empty)), rows.filter(empty)]
    else:
        parts = [rows]
    return [part for part in parts if part.num_rows]


def _path_predicates(paths: Sequence[str]) -> Iterator[str]:
    for start in range(0, len(paths), _DELETE_PATHS):
        quoted = ", ".join("'" + path.replace("'", "''") + "'" for path in paths[start : start + _DELETE_PATHS])
        yield f"path IN ({quoted})"
