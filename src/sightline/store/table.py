"""One table as its writer sees it: a Lance dataset that LanceDB opens as a table of its own.

Written through pylance, the engine under LanceDB: importing the LanceDB client alone takes longer than most updates.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import lance
import pyarrow as pa
from lance.fragment import write_fragments

from sightline.store.schema import path_predicates

_CACHE_BYTES = 32_000_000  # each for indexes and metadata; Lance's own bounds are gigabytes, filled 0.5 MB a commit


class Tables:
    """The tables of one index; they share their caches."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._session: Any = lance.Session(_CACHE_BYTES, _CACHE_BYTES)  # type: ignore[attr-defined]  # no stub has it

    def create(self, name: str, schema: pa.Schema) -> Table:
        """Begin a table."""
        return Table(lance.write_dataset(schema.empty_table(), self._uri(name), session=self._session))

    def open(self, name: str) -> Table:
        """Open a table at its newest version."""
        return Table(lance.dataset(self._uri(name), session=self._session))

    def _uri(self, name: str) -> str:
        return str(self._folder / f"{name}.lance")


class Table:
    """A table at its newest version; only one thread at a time may change it."""

    def __init__(self, dataset: lance.LanceDataset) -> None:
        self.dataset: Any = dataset  # pylance is typed in parts only
        self._fragments: dict[str, tuple[int, ...]] | None = None  # file → where its rows are, once that was asked

    @property
    def schema(self) -> pa.Schema:
        found: pa.Schema = self.dataset.schema
        return found

    @property
    def version(self) -> int:
        return int(self.dataset.version)

    def count_rows(self, predicate: str | None = None) -> int:
        """How many rows there are, or fulfil a condition."""
        return int(self.dataset.count_rows(predicate))

    def learn(self) -> None:
        """Find out in which fragments the rows of every file are, ahead of the first replacement."""
        if self._fragments is not None:
            return
        found: dict[str, tuple[int, ...]] = {}
        for fragment in self.dataset.get_fragments():
            for path in fragment.scanner(columns=["path"]).to_table()["path"].unique().to_pylist():
                path = sys.intern(path)  # every table has the same files
                found[path] = (*found.get(path, ()), fragment.fragment_id)
        self._fragments = found

    def replace(self, paths: Collection[str], parts: Sequence[pa.Table]) -> None:
        """Put these rows in place of those of some files, as one version.

        Lance's own deletion looks for the rows in all fragments and is a version of its own, as is every insertion:
        five tables took 70 ms of a core for an edit, and take 30.
        """
        updated, emptied = self._without(paths)
        last = max((fragment.fragment_id for fragment in self.dataset.get_fragments()), default=-1)
        rows = [part.cast(self.dataset.schema) for part in parts]
        new = [fragment for part in rows for fragment in write_fragments(part, self.dataset, mode="append")]
        if not (updated or emptied or new):
            return
        change = lance.LanceOperation.Update(removed_fragment_ids=emptied, updated_fragments=updated, new_fragments=new)
        self.dataset = lance.LanceDataset.commit(self.dataset, change, read_version=self.version)
        if self._fragments is not None:
            added = [f.fragment_id for f in self.dataset.get_fragments() if f.fragment_id > last]
            self._note(paths, rows, added)

    def _without(self, paths: Collection[str]) -> tuple[list[Any], list[int]]:
        """The fragments that lose the rows of some files, and the numbers of those that have no others."""
        if not paths:
            return [], []
        self.learn()
        losing: dict[int, list[str]] = {}
        for path in paths:
            for number in (self._fragments or {}).get(path, ()):
                losing.setdefault(number, []).append(path)
        updated, emptied = [], []
        for number, lost in losing.items():
            fragment = self.dataset.get_fragment(number)
            left = fragment.delete(" OR ".join(path_predicates(lost)))
            if left is None:
                emptied.append(number)
            else:
                updated.append(left)
        return updated, emptied

    def _note(self, paths: Collection[str], parts: Sequence[pa.Table], added: Sequence[int]) -> None:
        """Keep in mind where rows are now; a part that became several fragments has to be looked for."""
        if self._fragments is None or len(parts) != len(added):
            self._fragments = None
            return
        for path in paths:
            self._fragments.pop(path, None)
        for part, number in zip(parts, added, strict=True):
            for path in map(sys.intern, part["path"].unique().to_pylist()):
                self._fragments[path] = (*self._fragments.get(path, ()), number)

    def restore(self, version: int) -> None:
        """Make an earlier version the newest one."""
        earlier = self.dataset.checkout_version(version)
        earlier.restore()
        self.dataset.checkout_latest()
        self._fragments = None

    def size_bytes(self) -> int:
        """What the data files take on the disk."""
        files = (file for fragment in self.dataset.get_fragments() for file in fragment.metadata.files)
        return sum(file.file_size_bytes or 0 for file in files)

    def rewrite(self, parts: Iterable[pa.Table]) -> None:
        """Put these rows in place of all there are, which may be read meanwhile."""
        for number, part in enumerate(parts):
            lance.write_dataset(part, self.dataset.uri, mode="append" if number else "overwrite")
        self.dataset.checkout_latest()
        self._fragments = None

    def index_vectors(self, name: str, *, partitions: int) -> None:
        """Build the vector index by cosine similarity."""
        # Few iterations and samples: recall is the same and training takes seconds, not minutes (FACTS).
        self.dataset.create_index(
            "vector",
            "IVF_FLAT",
            name=name,
            metric="cosine",
            num_partitions=partitions,
            replace=True,
            max_iters=15,
            sample_rate=64,
        )

    def rows_outside(self, index: str) -> int:
        """How many rows an index does not know; all while there is none."""
        known = [found.num_rows_indexed for found in self.dataset.describe_indices() if found.name == index]
        return max(self.count_rows() - int(sum(known)), 0)
