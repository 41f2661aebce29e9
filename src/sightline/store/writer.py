"""The one writer of a root's index.

It holds an OS file lock, so that there is never a second one; the lock goes with the process, however that ends. What
files contribute is staged in memory and committed as one generation:

    pending.json → tables and tantivy, each table on its own thread → manifest.json (atomic) → pending.json removed

Killed before the manifest is replaced, the next writer takes the tables back to the versions the manifest names and
repairs tantivy for the pending paths from them. Damage of any kind ends in a rebuild, and `notices` says so: every
file is compared with the seal in the manifest when the index is opened, and looked at again before each commit.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import logging
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import filelock
import numpy as np
import pyarrow as pa

from sightline import __version__
from sightline.errors import CorruptIndexError, FormatVersionError, StoreError
from sightline.store import lexical, schema, upkeep
from sightline.store.lexical import LexicalIndex
from sightline.store.lock import announce_writer, take_lock, wipe, withdraw_writer
from sightline.store.manifest import (
    TABLES,
    Commit,
    Manifest,
    clear_pending,
    manifest_stamp,
    read_manifest,
    read_pending,
    trim_journal,
    write_manifest,
    write_pending,
)
from sightline.store.seal import Guard, make_all_private, sealed_index
from sightline.store.seam import is_panic, reading
from sightline.store.table import Table, Tables
from sightline.types import Chunk, FileEntry, FileRecord, IndexState, Lookups, Object, Relationship

if TYPE_CHECKING:
    from sightline.types import Vector

logger = logging.getLogger(__name__)

_KEEP_VERSIONS_FOR = timedelta(seconds=60)  # a reader may still hold the tables of a query that began before a commit
_PRUNE_EVERY = 32  # commits between two prunings of old versions
_TABLE_ERRORS = (OSError, ValueError, RuntimeError, pa.ArrowException)


class _Edges(NamedTuple):
    """What resolving a file gave, staged."""

    relationships: Sequence[Relationship]
    embeddings: Vector | None
    lookups: Lookups | None


class _Begun(NamedTuple):
    """A commit under way."""

    announced: list[str]  # the paths that it touches as far as they were known
    jobs: list[Future[None]]


class Writer:
    """Stages and commits; open it with `Writer.open`, close it when done."""

    def __init__(
        self,
        index_dir: Path,
        lock: filelock.BaseFileLock,
        embedder_id: str,
        dim: int,
        short_dim: int,
        heap_bytes: int,
    ) -> None:
        self._heap_bytes = heap_bytes  # of each lexical index
        self._dir, self._lock, self._dim, self._short_dim = index_dir, lock, dim, short_dim
        self._object_dim = schema.object_dim(dim, short_dim)
        self._embedder_id = embedder_id
        self.notices: list[str] = []
        self._pool = ThreadPoolExecutor(5, thread_name_prefix="sightline-commit")  # a thread per table
        self._lexical_pool = ThreadPoolExecutor(3, thread_name_prefix="sightline-lexical")  # and per tantivy index
        self._entries: dict[str, FileEntry | None] = {}
        self._edges: dict[str, _Edges] = {}
        self._touched: dict[str, FileRecord] = {}
        self._commits = 0
        self._begun: _Begun | None = None
        self._broken = False
        self._manifest = Manifest("", 0, embedder_id, dim, short_dim, {})  # before there is one
        self._guard = Guard(index_dir, {}, {})
        self._stamp = manifest_stamp(index_dir)

    @classmethod
    def open(
        cls,
        index_dir: Path,
        *,
        embedder_id: str,
        dim: int,
        short_dim: int | None = None,
        rebuild: str = "",
        heap_bytes: int = lexical.HEAP_BYTES,
        begin: Callable[[Callable[[str], None]], None] = lambda say: None,
    ) -> Writer:
        """Take the writer lock and open the index, beginning or repairing it as needed.

        Chunks keep vectors of `dim`, relationships the leading `short_dim` of theirs, objects something in between.
        With a reason to `rebuild` it is begun anew whatever it looks like. `begin` is called when the lock is held:
        where there is no index yet, it may put one there (`base.py`), or say why it did not.
        """
        lock = take_lock(index_dir)
        writer = cls(index_dir, lock, embedder_id, dim, short_dim or dim, heap_bytes)
        try:
            if not rebuild:
                begin(writer.notices.append)
            writer._open_or_rebuild(rebuild)
            announce_writer(index_dir)
        except BaseException as error:
            writer._broken = True
            writer.close()
            if not isinstance(error, _TABLE_ERRORS) and not is_panic(error):
                raise
            raise StoreError(
                f"the index in {index_dir} could not be opened: {error}", hint="is there room, and may it be written?"
            ) from error
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
        self._check_files()
        with reading("table files"):
            for batch in self._tables["files"].dataset.scanner(columns=["path", "facts"], batch_size=512).to_batches():
                yield from zip(batch["path"].to_pylist(), batch["facts"].to_pylist(), strict=True)

    def lookups(self) -> Iterator[tuple[str, Lookups]]:
        """What resolving every committed file gave and read."""
        self._check_files()
        with reading("table lookups"):
            table = self._tables["lookups"].dataset.scanner(columns=schema.LOOKUPS.names).to_table()
        columns = (table[name].to_pylist() for name in schema.LOOKUPS.names)
        yield from ((path, Lookups(*keys)) for path, *keys in zip(*columns, strict=True))

    def replace(self, entry: FileEntry) -> None:
        """Stage all that a file contributes, in place of whatever the index has for its path."""
        self._may_stage()
        self._entries[entry.record.path] = entry

    def remove(self, path: str) -> None:
        """Stage the removal of a file and of the relationships it states."""
        self._may_stage()
        self._entries[path] = None
        self._edges.pop(path, None)

    def touch(self, path: str, mtime_ns: int) -> None:
        """Stage a new time for a file whose content is unchanged; everything else of it stays."""
        self._may_stage()
        self._touched[path] = replace(self._records[path], mtime_ns=mtime_ns)

    def _may_stage(self) -> None:
        if self._begun is not None:
            raise StoreError("a commit is under way", hint="open the writer again: it repairs the index")

    def replace_relationships(
        self,
        path: str,
        relationships: Sequence[Relationship],
        embeddings: Vector | None,
        lookups: Lookups | None = None,
    ) -> None:
        """Stage the relationships that a file states; a zero row of `embeddings` is stored as null.

        With what resolving it gave and read; None when the file is gone.
        """
        short = embeddings[:, : self._short_dim].copy() if embeddings is not None else None  # what it is cut from goes
        self._edges[path] = _Edges(relationships, short, lookups)

    def commit(
        self, *, state: IndexState = "ready", files_total: int = 0, given_up: Mapping[str, int] | None = None
    ) -> int:
        """Make what is staged the next generation, durably; returns its number.

        `given_up` is what resolving all files left open by now; None when they were not resolved.
        """
        if self._begun is None:
            self.begin()
        begun, self._begun = self._begun or _Begun([], []), None
        entries, edges = self._entries, self._edges
        generation = self._manifest.generation + 1
        with self._writing():
            touched = sorted({*entries, *edges, *self._touched})
            if touched != begun.announced:
                write_pending(self._dir, generation, touched)
            _wait([*begun.jobs, *self._write_edges()])
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
        self._entries, self._edges, self._touched, self._broken = {}, {}, {}, False
        return generation

    def begin(self) -> None:
        """Write the files that are staged while their relationships are worked out; `commit` ends what this begins.

        No more files can be staged until then. A process that stops in between leaves what an interrupted commit does.
        """
        if self._broken:
            raise StoreError("an earlier commit failed half way", hint="open the writer again: it repairs the index")
        self._check_files()
        self._commits += 1
        if self._commits % _PRUNE_EVERY == 0:
            self._prune()
        self._broken = True
        with self._writing():
            announced = sorted({*self._entries, *self._edges, *self._touched})
            if announced:
                write_pending(self._dir, self._manifest.generation + 1, announced)
            self._begun = _Begun(announced, self._write_entries())

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """What goes wrong while a commit is written, in words; the writer is of no use then."""
        try:
            yield
        except BaseException as error:
            if not isinstance(error, (*_TABLE_ERRORS, StoreError)) and not is_panic(error):
                raise
            self._check_files()  # what could not be written may be what could not be read
            if isinstance(error, StoreError):
                raise
            raise StoreError(
                f"the index could not be written: {error}", hint=f"is there room in {self._dir}?"
            ) from error

    def warm(self) -> None:
        """Learn where the rows of every file are, ahead of the first edit."""
        self._check_files()
        with reading("the tables"):
            list(self._pool.map(Table.learn, self._tables.values()))

    def check_manifest(self) -> None:
        """Raise CorruptIndexError when the manifest is not the one this writer wrote; costs a stat."""
        if manifest_stamp(self._dir) != self._stamp:
            self._broken = True
            raise CorruptIndexError("manifest.json is missing or was changed")

    def tidy(self, *, force: bool = False) -> bool:
        """Compact tables and build vector indexes where that is due; call it when nothing else is to be done."""
        if self._broken:
            raise StoreError("an earlier commit failed half way", hint="open the writer again: it repairs the index")
        self._check_files()
        self._prune()
        self._broken = True  # a table written half anew must never be committed
        try:
            rewritten = self._compact(force=force)
        except BaseException as error:
            if not isinstance(error, _TABLE_ERRORS) and not is_panic(error):
                raise
            self._check_files()
            raise StoreError(
                f"the index could not be compacted: {error}", hint=f"is there room in {self._dir}?"
            ) from error
        self._broken = False
        if not rewritten:
            self._seal_merges()
        return rewritten

    def _compact(self, *, force: bool) -> bool:
        widths = {"chunks": self._dim, "objects": self._object_dim, "relationships": self._short_dim}
        rewritten = [upkeep.tidied(name, table, widths.get(name), force=force) for name, table in self._tables.items()]
        if any(rewritten):
            generation = self._manifest.generation + 1
            self._publish(replace(self._manifest, generation=generation, rewritten=generation, journal=[]))
        return any(rewritten)

    def close(self) -> None:
        """Release everything. What was staged and not committed is dropped."""
        with contextlib.ExitStack() as last:  # whatever fails, the lock must go: nobody could write any more
            last.callback(self._lock.release)
            last.callback(withdraw_writer, self._dir)
            last.callback(self._seal_merges)
            for index in getattr(self, "_lexical", {}).values():
                last.callback(index.close)
            self._pool.shutdown(wait=True)
            self._lexical_pool.shutdown(wait=True)

    # Opening

    def _open_or_rebuild(self, rebuild: str) -> None:
        try:
            if rebuild:
                raise CorruptIndexError(rebuild)
            make_all_private(self._dir)
            manifest = read_manifest(self._dir)
            made_with = (manifest.embedder_id, manifest.dim, manifest.short_dim) if manifest is not None else None
            if manifest is not None and made_with != (self._embedder_id, self._dim, self._short_dim):
                raise FormatVersionError(
                    f"the index was made with embedder {manifest.embedder_id}, now {self._embedder_id}"
                )
            if manifest is not None and manifest.made_by != __version__:
                raise FormatVersionError(f"the index was made by Sightline {manifest.made_by}, this is {__version__}")
            if manifest is None and (self._dir / "tables").exists():
                raise CorruptIndexError("manifest.json is missing")
            if manifest is None:
                self._begin()
            else:
                self._manifest, self._stamp = manifest, manifest_stamp(self._dir)
                self._reopen()
        except (CorruptIndexError, FormatVersionError) as error:
            self.notices.append(f"index rebuilt: {error.message}")
            logger.info("rebuilding the index in %s: %s", self._dir, error.message)
            for lexical_index in getattr(self, "_lexical", {}).values():
                lexical_index.close()
            wipe(self._dir)
            self._begin()

    def _begin(self) -> None:
        wipe(self._dir)
        tables = Tables(self._dir / "tables")
        schemas = {
            "files": schema.FILES,
            "chunks": schema.chunks_schema(self._dim),
            "objects": schema.objects_schema(self._object_dim),
            "relationships": schema.relationships_schema(self._short_dim),
            "lookups": schema.LOOKUPS,
        }
        self._tables = {name: tables.create(name, schemas[name]) for name in TABLES}
        self._lexical = self._open_lexical()
        for index in self._lexical.values():
            index.delete_files([])
            index.commit()
        make_all_private(self._dir)
        self._records: dict[str, FileRecord] = {}
        begun = Manifest(uuid.uuid4().hex, 0, self._embedder_id, self._dim, self._short_dim, {}, state="indexing")
        self._publish(replace(begun, made_by=__version__))

    def _reopen(self) -> None:
        self._guard = Guard(self._dir, self._manifest.sealed, self._manifest.lexicons)
        interrupted = read_pending(self._dir) is not None
        for name in TABLES:
            self._guard.table(name)
        for name in lexical.FIELDS:
            self._guard.lexical(name, settled=lambda: not interrupted)
        with reading("the tables"):
            tables = Tables(self._dir / "tables")
            self._tables = {name: tables.open(name) for name in TABLES}
            restored = [name for name in TABLES if self._restore(name)]
            columns = [name for name in schema.FILES.names if name != "facts"]
            rows = self._tables["files"].dataset.scanner(columns=columns).to_table().to_pylist()
            for name in TABLES:
                self._tables[name].count_rows()
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
        return {
            name: LexicalIndex(self._dir / "lexical", name, create=True, heap_bytes=self._heap_bytes)
            for name in lexical.FIELDS
        }

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
        dataset = self._tables[name].dataset
        columns = [column for column in dataset.schema.names if column != "vector"]
        for predicate in schema.path_predicates(paths):
            if name == "relationships":
                predicate = f"{predicate} AND {lexical.SEARCHED_ROWS}"
            with reading(f"table {name}"):
                rows = dataset.scanner(columns=columns, filter=predicate).to_table().to_pylist()
            yield from map(make[name], rows)

    # Committing

    def _write_entries(self) -> list[Future[None]]:
        entries = self._entries
        known = [path for path in entries if path in self._records]
        present = [entry for entry in entries.values() if entry is not None]
        jobs = []
        if entries or self._touched:
            jobs.append(self._pool.submit(self._write_files, present, known))
        if entries:
            jobs.append(self._pool.submit(self._write_chunks, present, known))
            jobs.append(self._pool.submit(self._write_objects, present, known))
        return jobs

    def _write_edges(self) -> list[Future[None]]:
        edges = self._edges
        removed = [path for path, entry in self._entries.items() if entry is None]
        known = [path for path in {*edges, *removed} if path in self._records]
        if not edges and not known:
            return []
        return [
            self._pool.submit(self._write_relationships, list(edges.values()), known),
            self._pool.submit(self._write_lookups, edges, known),
        ]

    def _write_files(self, entries: list[FileEntry], known: list[str]) -> None:
        records, facts = [entry.record for entry in entries], [entry.facts for entry in entries]
        touched = [path for path in self._touched if path in self._records]
        kept = self._facts_of(touched)
        records += [self._touched[path] for path in touched]
        facts += [kept[path] for path in touched]
        self._replace_rows("files", known + touched, schema.files_table(records, facts))

    def _facts_of(self, paths: Sequence[str]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for predicate in schema.path_predicates(paths):
            table = self._tables["files"].dataset.scanner(columns=["path", "facts"], filter=predicate).to_table()
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

    def _write_lookups(self, edges: dict[str, _Edges], known: list[str]) -> None:
        lookups = {path: staged.lookups for path, staged in edges.items() if staged.lookups is not None}
        self._replace_rows("lookups", known, schema.lookups_table(lookups))

    def _write_relationships(self, edges: list[_Edges], known: list[str]) -> None:
        relationships: list[Relationship] = [edge for staged in edges for edge in staged.relationships]
        parts = [(len(staged.relationships), staged.embeddings) for staged in edges]
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
        self._tables[name].replace(known, schema.by_embedding(rows))
        if rows.num_rows:
            self._check_written(name)

    def _check_written(self, name: str) -> None:
        """Make sure that the newest data files are whole: on a full disk LanceDB has been seen to commit short ones."""
        folder = self._dir / "tables" / f"{name}.lance" / "data"
        for fragment in self._tables[name].dataset.get_fragments()[-2:]:
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
        self._write_manifest(replace(manifest, versions=versions, counts=counts, committed_at=time.time()))

    def _write_manifest(self, manifest: Manifest) -> None:
        """Seal a generation and make it the newest. Files that it took over from the last keep their hashes."""
        same = manifest.versions == self._manifest.versions and manifest.index_id == self._manifest.index_id
        datasets = {} if same else {name: table.dataset for name, table in self._tables.items()}
        sealed, lexicons = sealed_index(self._dir, datasets, manifest.sealed)
        manifest = replace(manifest, sealed=sealed, lexicons=lexicons)
        if manifest != self._manifest:
            write_manifest(self._dir, manifest)
        self._manifest, self._stamp = manifest, manifest_stamp(self._dir)
        self._guard = Guard(self._dir, sealed, lexicons).follow(self._guard)

    def _seal_merges(self) -> None:
        """Seal what tantivy has merged since the last commit."""
        if self._broken:
            return
        try:
            self._check_files()
            self._write_manifest(self._manifest)
        except (OSError, StoreError) as error:  # the next writer looks at everything anyway
            logger.info("merged segments in %s stay without a seal: %s", self._dir, error)

    def _check_files(self) -> None:
        """Raise CorruptIndexError when a file of the last generation is not as it was written."""
        try:
            self._guard.again()
        except CorruptIndexError:
            self._broken = True
            raise

    # Upkeep

    def _prune(self) -> None:
        """Delete old versions. A version's age counts from its own commit, so this comes before a commit, never after:
        what readers hold is still the newest version then, which stays however old it is."""
        try:
            for name in TABLES:
                self._tables[name].dataset.cleanup_old_versions(_KEEP_VERSIONS_FOR)
        except _TABLE_ERRORS as error:  # only room is lost; the next time may succeed
            logger.warning("old versions could not be deleted from %s: %s", self._dir, error)


def _wait(jobs: Sequence[Future[None]]) -> None:
    """Wait until everything is written, or has failed: nothing may still be at a table that is about to be repaired."""
    errors = [error for job in jobs if (error := job.exception()) is not None]
    for error in errors:
        raise error
