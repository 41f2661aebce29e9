"""The columns of a table that only full records need: texts, signatures, documentation.

They stay on disk until a process has shown that it goes on asking: then they are read into memory, on a thread of
their own and only while the table is small. Reading ten rows from disk takes 1.1-1.5 ms whatever the table (measured
on 1k to 100k rows), from memory 0.03 ms; a process that answers one question never pays for reading all.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sightline.errors import CorruptIndexError

HELD_BYTES = 48_000_000  # per table: 40k chunks, 500k objects or relationships of Python source
_HOLD_AFTER = 3  # pages read from disk before memory is spent on them

_logger = logging.getLogger(__name__)
_Positions = npt.NDArray[np.int64]


class LongColumns:
    """Some columns of one table at one generation, by position."""

    def __init__(
        self,
        dataset: Any,
        table: str,
        columns: Sequence[str],
        addresses: npt.NDArray[np.uint64],
        base: LongColumns | None,
    ) -> None:
        self._dataset, self._table, self._columns, self._addresses = dataset, table, list(columns), addresses
        # (columns in memory, position → row in them); of a newer generation, the rows that its base had already read
        self._held: tuple[pa.Table, npt.NDArray[np.int64]] | None = base._held if base is not None else None
        self._pages: int = base._pages if base is not None else 0

    @property
    def held(self) -> bool:
        """Are the columns in memory, but for rows of a newer generation?"""
        return self._held is not None

    def get(self, positions: _Positions) -> dict[str, list[Any]]:
        """The values of rows, in the order asked for."""
        held = self._held
        if held is not None and int(positions.max(initial=-1)) < len(held[1]):
            rows = held[1][positions].tolist()
            if min(rows, default=0) >= 0:
                return {name: [column[row].as_py() for row in rows] for name, column in _named(held[0])}
        table = self.take(positions, self._columns)
        self._pages += 1
        if (
            held is None
            and self._pages == _HOLD_AFTER
            and table.nbytes / len(table) * len(self._addresses) < HELD_BYTES
        ):
            threading.Thread(target=self._hold, name=f"sightline-hold-{self._table}", daemon=True).start()
        found: dict[str, list[Any]] = table.to_pydict()
        return found

    def take(self, positions: _Positions, columns: list[str]) -> pa.Table:
        """Read rows from disk."""
        try:
            return self._dataset._take_rows(pa.array(self._addresses[positions]), columns=columns)
        except (OSError, ValueError, RuntimeError) as error:
            raise CorruptIndexError(f"table {self._table} cannot be read: {error}", hint="rebuild the index") from error

    def _hold(self) -> None:
        """Read the columns of every row that is alive."""
        try:
            table = self._dataset.scanner(columns=self._columns, with_row_id=True).to_table().combine_chunks()
        except (OSError, ValueError, RuntimeError) as error:
            _logger.info("table %s stays on disk: %s", self._table, error)  # a query that needs it will say so
            return
        if table.nbytes > HELD_BYTES:
            return
        rows = np.full(len(self._addresses), -1, np.int64)
        rows[np.searchsorted(self._addresses, table["_rowid"].to_numpy())] = np.arange(len(table))
        self._held = (table.select(self._columns), rows)


def _named(table: pa.Table) -> list[tuple[str, Any]]:
    """Name and values of each column; one piece is looked up twice as fast as a list of pieces."""
    return [
        (name, column.chunk(0) if column.num_chunks == 1 else column)
        for name, column in zip(table.column_names, table.columns, strict=True)
    ]
