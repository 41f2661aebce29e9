"""The columns of a table that only full records need: texts, signatures, documentation.

They stay on disk until a process has shown that it goes on asking: then they are read and kept at hand, compressed
(`packed.py`), on a thread of their own and only while they stay small. Reading ten rows from disk takes 1.2 ms at the
median and 4-8 ms at p95 (LanceDB hands the work to threads of its own), from blocks in memory it took 0.15 ms; a
process that answers one question never pays for reading all.
"""

from __future__ import annotations

import atexit
import logging
import threading
import weakref
from array import array
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sightline.errors import CorruptIndexError
from sightline.memory import give_back
from sightline.store.packed import PackedStrings
from sightline.store.seam import reading

HELD_BYTES = 64_000_000  # per table, compressed: 130k chunks of Python source take so much
_RATIO = 2  # by which they shrink at least; what seems too large even so is not read at all
_HOLD_AFTER = 3  # pages read from disk before memory is spent on them

_logger = logging.getLogger(__name__)
_Positions = npt.NDArray[np.int64]
_Column: TypeAlias = "PackedStrings | array[int] | list[Any]"
_leaving = threading.Event()  # the process ends
_holding: weakref.WeakSet[threading.Thread] = weakref.WeakSet()


def _begin_holding(hold: Callable[[], None], table: str) -> None:
    """Read columns on a thread of its own, which nobody waits for but the end of the process.

    That must: a daemon thread that the interpreter stops as it comes back from LanceDB takes the process down with
    SIGABRT. A thread that is no daemon would be waited for too, but not told to stop.
    """
    thread = threading.Thread(target=hold, name=f"sightline-hold-{table}", daemon=True)
    _holding.add(thread)
    thread.start()


@atexit.register
def _stop_holding() -> None:
    _leaving.set()
    for thread in list(_holding):
        thread.join()


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
        self._held: tuple[dict[str, _Column], npt.NDArray[np.int32]] | None = base._held if base is not None else None
        self._pages: int = base._pages if base is not None else 0
        self._asked = False  # to be read into memory

    @property
    def held(self) -> bool:
        """Are the columns in memory, but for rows of a newer generation?"""
        return self._held is not None

    def get(self, positions: _Positions) -> dict[str, list[Any]]:
        """The values of rows, in the order asked for."""
        if not self._columns:
            return {}
        held = self._held
        if held is not None and int(positions.max(initial=-1)) < len(held[1]):
            rows = held[1][positions].tolist()
            if min(rows, default=0) >= 0:
                return {name: [column[row] for row in rows] for name, column in held[0].items()}
        table = self.take(positions, self._columns)
        self._pages += 1
        expected = table.nbytes / len(table) * len(self._addresses) / _RATIO
        if held is None and self._pages >= _HOLD_AFTER and not self._asked and expected < HELD_BYTES:
            self._asked = True
            _begin_holding(self._hold, self._table)
        found: dict[str, list[Any]] = table.to_pydict()
        return found

    def take(self, positions: _Positions, columns: list[str]) -> pa.Table:
        """Read rows from disk."""
        with reading(f"table {self._table}"):
            return self._dataset._take_rows(pa.array(self._addresses[positions]), columns=columns)

    def _hold(self) -> None:
        """Read the columns of every row that is alive."""
        columns: dict[str, _Column] = {}
        try:
            for name in self._columns:  # one by one: what is read is far larger than what is kept
                if _leaving.is_set():
                    return
                with reading(f"table {self._table}"):
                    table = self._dataset.scanner(columns=[name], with_row_id=True).to_table().combine_chunks()
                addresses, values = table["_rowid"].to_numpy(), table[name].combine_chunks()
                if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
                    columns[name] = PackedStrings(values)
                elif pa.types.is_uint64(values.type):
                    columns[name] = array("Q", values.to_numpy().tobytes())  # eight bytes a number, not forty
                else:
                    columns[name] = values.to_pylist()
        except CorruptIndexError as error:
            _logger.info("table %s stays on disk: %s", self._table, error)  # a query that needs it will say so
            return
        if sum(column.nbytes for column in columns.values() if isinstance(column, PackedStrings)) > HELD_BYTES:
            return
        rows = np.full(len(self._addresses), -1, np.int32)
        rows[np.searchsorted(self._addresses, addresses)] = np.arange(len(addresses))
        self._held = (columns, rows)
        del table, values, addresses
        give_back()  # what was read is far larger than what is kept
