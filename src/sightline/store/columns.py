"""The columns of a table as they are held in memory: they grow by appending, so that earlier views stay valid."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute

Mask = npt.NDArray[np.bool_]


class Paths:
    """Path ↔ number, for all tables of one index; only ever grows, by several tables at once if need be."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._numbers: dict[str, int] = {}
        self._lock = threading.Lock()

    def numbers(self, paths: Sequence[str]) -> npt.NDArray[np.int32]:
        with self._lock:
            return np.fromiter(map(self._number, paths), np.int32, len(paths))

    def _number(self, path: str) -> int:
        number = self._numbers.get(path)
        if number is None:
            number = self._numbers[path] = len(self.names)
            self.names.append(path)
        return number

    def find(self, path: str) -> int | None:
        return self._numbers.get(path)


class Buffer:
    """A numpy array that grows by appending; earlier views stay valid."""

    def __init__(self, dtype: npt.DTypeLike, width: int = 0) -> None:
        self._array = np.empty((16, width) if width else 16, dtype)
        self.count = 0

    @property
    def capacity(self) -> int:
        """How much there is room for without moving."""
        return len(self._array)

    def reserve(self, more: int) -> None:
        """Have room for so many more."""
        needed = self.count + more
        if needed > len(self._array):
            capacity = needed if self.count == 0 else max(needed, len(self._array) * 2)
            grown = np.empty((capacity, *self._array.shape[1:]), self._array.dtype)
            grown[: self.count] = self._array[: self.count]
            self._array = grown

    def append(self, values: npt.NDArray[Any]) -> None:
        self.reserve(len(values))
        self._array[self.count : self.count + len(values)] = values
        self.count += len(values)

    def view(self) -> npt.NDArray[Any]:
        return self._array[: self.count]


class Strings:
    """A growing column of strings in one piece of memory: objects of Python's take three times as much.

    `or_else` is a column that says the same of most rows: where it does, nothing is kept here.
    """

    def __init__(self, or_else: Strings | None = None) -> None:
        self._text, self._ends, self._or_else = bytearray(), array("I", [0]), or_else

    def append(self, column: pa.ChunkedArray, or_else: pa.ChunkedArray | None = None) -> None:
        """Take the next rows; `or_else` is what the other column says of them."""
        if or_else is not None:
            column = pa.compute.if_else(pa.compute.equal(column, or_else), "", column)
        for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
            lengths = np.asarray(pa.compute.binary_length(chunk), np.int64)
            if len(lengths):
                self._ends.frombytes((np.cumsum(lengths) + len(self._text)).astype(np.uint32).tobytes())
                self._text += b"".join(chunk.cast(pa.binary()).to_pylist())

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, position: int) -> str:
        found = self._text[self._ends[position] : self._ends[position + 1]].decode()
        return found or (self._or_else[position] if self._or_else is not None else "")

    def __iter__(self) -> Iterator[str]:
        return map(self.__getitem__, range(len(self)))


class Category(Sequence[str]):
    """A column of few distinct strings, as codes."""

    def __init__(self, codes: npt.NDArray[np.signedinteger[Any]], names: list[str], numbers: dict[str, int]) -> None:
        self.codes = codes
        self.names = names
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, position: Any) -> Any:
        return self.names[self.codes[position]]

    def mask(self, value: str) -> Mask:
        """Which rows have this value."""
        number = self._numbers.get(value, -1)
        return np.asarray(self.codes == number)


class Categories:
    """A growing column of few distinct strings, with codes no wider than their number asks for."""

    def __init__(self) -> None:
        self.codes = Buffer(np.int8)
        self.names: list[str] = []
        self.numbers: dict[str, int] = {}

    def append(self, column: pa.ChunkedArray) -> None:
        encoded = pa.compute.dictionary_encode(column).combine_chunks()
        if isinstance(encoded, pa.ChunkedArray):
            if encoded.num_chunks == 0:
                return
            encoded = encoded.chunk(0)
        translate = np.fromiter((self._number(name) for name in encoded.dictionary.to_pylist()), np.int32)
        self._widen()
        if len(encoded):
            self.codes.append(translate[np.asarray(encoded.indices)])

    def _widen(self) -> None:
        """Have codes that are wide enough; views of earlier ones stay valid."""
        narrow = self.codes.view()
        dtype = next(d for d in (np.int8, np.int16, np.int32) if len(self.names) <= np.iinfo(d).max)
        if np.iinfo(dtype).max > np.iinfo(narrow.dtype).max:
            wider = Buffer(dtype)
            wider.reserve(self.codes.capacity)
            wider.append(narrow.astype(dtype))
            self.codes = wider

    def _number(self, name: str) -> int:
        number = self.numbers.get(name)
        if number is None:
            number = self.numbers[name] = len(self.names)
            self.names.append(name)
        return number

    def view(self) -> Category:
        return Category(self.codes.view(), self.names, self.numbers)
