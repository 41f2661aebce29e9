"""What a query sees from start to end.

A snapshot is immutable: tables at the versions its manifest names, and searchers over tantivy's commit of that moment.
Tables are read when first asked for. Opening needs pylance (the engine under LanceDB), not the LanceDB client, whose
import takes three times as long.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import lance

from sightline.store import schema
from sightline.store.columns import Paths
from sightline.store.lexical import FIELDS, LexicalIndex
from sightline.store.manifest import Manifest, manifest_stamp, read_manifest, read_pending
from sightline.store.rows import CHUNKS, OBJECTS, RELATIONSHIPS, Rows, T, TableSpec
from sightline.store.seal import Guard
from sightline.store.seam import reading
from sightline.types import Chunk, FileRecord, IndexStatus, Object, Relationship

_COMMIT_WAIT_S = 0.2  # a one-file commit takes less; a writer that was killed makes its readers wait this once


class Snapshot:
    """One generation of the index."""

    def __init__(self, index_dir: Path, manifest: Manifest, *, base: Snapshot | None = None) -> None:
        self._index_dir, self._manifest = index_dir, manifest
        follows = base is not None and base.manifest.index_id == manifest.index_id
        changed = manifest.changed_since(base.generation) if base is not None and follows else None
        self._base = base if changed is not None else None
        self._changed: dict[str, set[str]] = changed or {}
        self._paths: Paths = self._base._paths if self._base is not None else Paths()
        self._lock: threading.RLock = self._base._lock if self._base is not None else threading.RLock()
        self._rows: dict[str, Rows[Any]] = {}
        self._loading = {spec.name: threading.Lock() for spec in (CHUNKS, OBJECTS, RELATIONSHIPS)}  # side by side
        self._files: dict[str, FileRecord] | None = None
        self._files_dataset: Any = None
        self._guard = Guard(index_dir, manifest.sealed, manifest.lexicons)
        for name in FIELDS:
            self._guard.lexical(name, settled=self._settled)
        self._lexical: dict[str, LexicalIndex] = (
            self._base._lexical
            if self._base is not None
            else {name: LexicalIndex(index_dir / "lexical", name, create=False) for name in FIELDS}
        )
        self._searchers = {name: index.searcher() for name, index in self._lexical.items()}
        if self._base is not None:
            with self._lock:  # a query may be reading another table of the base right now
                for name in list(self._base._rows):
                    getattr(self, name)
                if self._base._files is not None:
                    self._load_files()
            self._base = None  # what was not read there is read here, whole, when asked for

    @property
    def generation(self) -> int:
        return self._manifest.generation

    @property
    def manifest(self) -> Manifest:
        return self._manifest

    @property
    def embedder_id(self) -> str:
        return self._manifest.embedder_id

    @property
    def dim(self) -> int:
        return self._manifest.dim

    @property
    def paths(self) -> Sequence[str]:
        """Path table that `Rows.path_index` points into; may hold paths that are gone."""
        return self._paths.names

    @property
    def files(self) -> Mapping[str, FileRecord]:
        """Every file of the root by path, skipped and failed ones included."""
        with self._lock:
            return self._load_files()

    @property
    def chunks(self) -> Rows[Chunk]:
        return self._table(CHUNKS)

    @property
    def objects(self) -> Rows[Object]:
        return self._table(OBJECTS)

    @property
    def relationships(self) -> Rows[Relationship]:
        return self._table(RELATIONSHIPS)

    def check(self) -> None:
        """Raise CorruptIndexError when a file that this snapshot is read from is not as it was written.

        Asked before and after an answer, so that damage gives no wrong one. It takes 2 µs per file.
        """
        self._guard.again()

    def status(self) -> IndexStatus:
        """The part of a response that says what it was answered from."""
        return self._manifest.status()

    def _table(self, spec: TableSpec[T]) -> Rows[T]:
        rows = self._rows.get(spec.name)
        if rows is None:
            with self._loading[spec.name]:
                rows = self._rows.get(spec.name)
                if rows is None:
                    base = self._base._rows.get(spec.name) if self._base is not None else None
                    rows = self._rows[spec.name] = Rows(
                        spec,
                        self._dataset(spec.name),
                        self._width(spec.name),
                        self.dim,
                        self._paths,
                        self._lexical[spec.name],
                        self._searchers[spec.name],
                        base=base,
                        changed=self._changed.get(spec.name, ()),
                    )
        return rows

    def _width(self, table: str) -> int:
        short_dim = self._manifest.short_dim
        widths = {"chunks": self.dim, "objects": schema.object_dim(self.dim, short_dim), "relationships": short_dim}
        return widths[table]

    def _load_files(self) -> dict[str, FileRecord]:
        if self._files is None:
            dataset = self._files_dataset = self._dataset("files")
            fragments = dataset.get_fragments()
            files: dict[str, FileRecord] = {}
            if self._base is not None and self._base._files is not None:
                files = {p: r for p, r in self._base._files.items() if p not in self._changed["files"]}
                old = {fragment.fragment_id for fragment in self._base._files_dataset.get_fragments()}
                fragments = [fragment for fragment in fragments if fragment.fragment_id not in old]
            if fragments:
                columns = [name for name in schema.FILES.names if name != "facts"]
                with reading("table files"):
                    rows = dataset.scanner(columns=columns, fragments=fragments).to_table().to_pylist()
                files |= {row["path"]: schema.file_record(row) for row in rows}
            self._files = files
        return self._files

    def _dataset(self, name: str) -> Any:
        self._guard.table(name)
        version, older = self._manifest.versions[name], self._older_dataset(name)
        with reading(f"table {name}"):
            if older is not None:  # it has what both versions share in its caches
                return older.checkout_version(version)
            return lance.dataset(str(self._index_dir / "tables" / f"{name}.lance"), version=version)

    def _older_dataset(self, name: str) -> Any:
        if self._base is None:
            return None
        if name == "files":
            return self._base._files_dataset
        rows = self._base._rows.get(name)
        return rows.dataset if rows is not None else None

    def _settled(self) -> bool:
        """Whether tantivy has committed nothing that the manifest does not know of."""
        manifest = read_manifest(self._index_dir)
        return read_pending(self._index_dir) is None and manifest is not None and manifest == self._manifest


def open_snapshot(index_dir: Path, *, base: Snapshot | None = None) -> Snapshot | None:
    """Open the newest generation; None when nothing was ever committed."""
    manifest = _settled_manifest(index_dir)
    if manifest is None:
        return None
    if base is not None and (base.manifest.index_id, base.generation) == (manifest.index_id, manifest.generation):
        return base
    return Snapshot(index_dir, manifest, base=base)


def _settled_manifest(index_dir: Path) -> Manifest | None:
    """Read the manifest when no commit is under way, or after a short wait.

    Tantivy's commit comes just before the manifest's: a snapshot opened in between would find neither the old nor the
    new text of the files being committed.
    """
    deadline = time.monotonic() + _COMMIT_WAIT_S
    while True:
        pending, manifest = read_pending(index_dir), read_manifest(index_dir)
        if manifest is None or pending is None or pending[0] <= manifest.generation or time.monotonic() > deadline:
            return manifest
        time.sleep(_COMMIT_WAIT_S / 20)


class SnapshotFollower:
    """Gives the newest snapshot; a stat of the manifest when nothing changed. Safe to share between threads."""

    def __init__(self, index_dir: Path) -> None:
        self._index_dir = index_dir
        self._lock = threading.Lock()
        self._stamp: tuple[int, int, int] | None = None
        self._snapshot: Snapshot | None = None

    def current(self) -> Snapshot | None:
        """Return the newest snapshot, or None when nothing was ever committed."""
        with self._lock:
            stamp = manifest_stamp(self._index_dir)
            if stamp != self._stamp or stamp is None:
                base, self._snapshot, self._stamp = self._snapshot, None, None
                # Should this fail, rows may already have been added to the base's buffers: it must not be built on.
                self._snapshot = open_snapshot(self._index_dir, base=base) if stamp is not None else None
                self._stamp = stamp
            return self._snapshot

    def forget(self) -> None:
        """Drop what is held, so that the next call reads everything anew (after a read error)."""
        with self._lock:
            self._stamp, self._snapshot = None, None
