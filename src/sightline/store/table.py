"""One table as its writer sees it: a Lance dataset that LanceDB opens as a table of its own.

Written through pylance, the engine under LanceDB: importing the LanceDB client alone takes longer than most updates.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import lance
import pyarrow as pa

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

    def add(self, rows: pa.Table) -> None:
        """Append rows as a new version."""
        self.dataset.insert(rows.cast(self.dataset.schema))

    def delete(self, predicate: str) -> None:
        """Remove the rows that fulfil a condition, as a new version."""
        self.dataset.delete(predicate)

    def restore(self, version: int) -> None:
        """Make an earlier version the newest one."""
        earlier = self.dataset.checkout_version(version)
        earlier.restore()
        self.dataset.checkout_latest()

    def rewrite(self, parts: list[pa.Table]) -> None:
        """Put these rows in place of all there are."""
        for number, part in enumerate(parts):
            lance.write_dataset(part, self.dataset.uri, mode="append" if number else "overwrite")
        self.dataset.checkout_latest()

    def index_paths(self, name: str) -> None:
        """Build the index that finds the rows of a file."""
        self.dataset.create_scalar_index("path", "BITMAP", name=name, replace=True)

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
