"""A column of strings, compressed in blocks that lie in a file without a name.

LZ4: source code shrinks to 45 % and opening the block of a row takes 5 us; zstd would keep 30 % but takes 20 us. The
file is in the system's cache, which the system may give to others when memory is short; that of a process it may not.
"""

from __future__ import annotations

import functools
import itertools
import logging
import os
import sys
import tempfile
import weakref
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

_BLOCK_BYTES = 8_192  # about 10 chunks; smaller blocks compress worse, larger ones take longer to open
_MAX_BLOCK_ROWS = 4_096

_logger = logging.getLogger(__name__)


@functools.cache
def _codec() -> Any:
    return pa.Codec("lz4_raw")


class Blocks(Protocol):
    """Where compressed blocks are kept, by number."""

    def append(self, block: bytes) -> None: ...

    def __getitem__(self, number: int) -> bytes: ...


class BlockFile:
    """Blocks one behind the other in a file that has no name and is gone with the process."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="sightline-", buffering=0)  # noqa: SIM115  # lives as long as this
        closing = weakref.finalize(self, self._file.close)
        closing.atexit = False  # a thread may still be reading; the system closes it
        self._ends: list[int] = [0]
        self._places: npt.NDArray[np.int64] | None = None

    def append(self, block: bytes) -> None:
        if self._file.write(block) != len(block):
            raise OSError("a block was written in part")
        self._ends.append(self._ends[-1] + len(block))

    def close(self) -> None:
        """Take no more blocks: where they lie is kept in eight bytes each."""
        self._places, self._ends = np.array(self._ends, np.int64), []

    def __getitem__(self, number: int) -> bytes:
        ends = self._ends if self._places is None else self._places
        start = int(ends[number])
        size = int(ends[number + 1]) - start
        block = os.pread(self._file.fileno(), size, start)
        if len(block) != size:
            raise OSError(f"block {number} is shorter than it was written")
        return block


class PackedStrings:
    """The strings of an arrow array, by row."""

    def __init__(self, column: pa.Array) -> None:
        column = column.fill_null("").cast(pa.large_string())
        first = column.offset
        offsets = np.frombuffer(column.buffers()[1], np.int64)[first : first + len(column) + 1] if len(column) else [0]
        data = column.buffers()[2]
        narrow = np.uint32 if int(offsets[-1]) < 1 << 32 else np.int64  # a column of many rows is mostly offsets
        self._offsets: npt.NDArray[np.uint32 | np.int64] = np.array(offsets, narrow)
        size = int(self._offsets[-1]) - int(self._offsets[0])
        self._rows = max(1, min(_MAX_BLOCK_ROWS, _BLOCK_BYTES * len(column) // max(1, size)))
        edges = self._offsets[:: self._rows].tolist()
        edges += [int(self._offsets[-1])] if len(column) % self._rows else []
        self.packed_bytes = 0  # of all blocks, wherever they are kept
        self._blocks = self._packed(data, edges)

    def _packed(self, data: Any, edges: list[int]) -> Blocks:
        """Compress block by block, into a file where there is room for one."""
        try:
            file = _block_file()
            if file is not None:
                self._fill(file, data, edges)
                file.close()
                return file
        except OSError as error:
            _logger.info("texts are held in memory, there is no room for a temporary file: %s", error)
        held: list[bytes] = []
        self._fill(held, data, edges)
        return held

    def _fill(self, blocks: Blocks, data: Any, edges: list[int]) -> None:
        self.packed_bytes = 0
        for start, end in itertools.pairwise(edges):
            block = _codec().compress(data.slice(start, end - start), asbytes=True) if end > start else b""
            self.packed_bytes += len(block)
            blocks.append(block)

    def __getitem__(self, row: int) -> str:
        block = row // self._rows
        first = block * self._rows
        start, end = int(self._offsets[first]), int(self._offsets[min(first + self._rows, len(self._offsets) - 1)])
        if start == end:
            return ""
        raw: bytes = _codec().decompress(self._blocks[block], decompressed_size=end - start, asbytes=True)
        return raw[int(self._offsets[row]) - start : int(self._offsets[row + 1]) - start].decode("utf-8")

    @property
    def nbytes(self) -> int:
        """How much it takes, in memory and in its file."""
        return self.packed_bytes + self._offsets.nbytes


def _block_file() -> BlockFile | None:
    """A new file for blocks; None on Windows, which cannot read at a place without moving to it."""
    return BlockFile() if sys.platform != "win32" else None
