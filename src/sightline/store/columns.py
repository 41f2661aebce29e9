"""The columns of a table as they are held in memory: they grow by appending, so that earlier views stay valid."""

from __future__ import annotations

import threading
from collections.abc import Sequence
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


class Category(Sequence[str]):
    """A column of few distinct strings, as codes."""

    def __init__(self, codes: npt.NDArray[np.int32], names: list[str], numbers: dict[str, int]) -> None:
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
    def __init__(self) -> None:
        self.codes = Buffer(np.int32)
        self.names: list[str] = []
        self.numbers: dict[str, int] = {}

    def append(self, column: pa.ChunkedArray) -> None:
        encoded = pa.compute.dictionary_encode(column).combine_chunks()
        if isinstance(encoded, pa.ChunkedArray):
            if encoded.num_chunks == 0:
                return
            encoded = encoded.chunk(0)
        translate = np.fromiter((self._number(name) for name in encoded.dictionary.to_pylist()), np.int32)
        if len(encoded):
            self.codes.append(translate[np.asarray(encoded.indices)])

    def _number(self, name: str) -> int:
        number = self.numbers.get(name)
        if number is None:
            number = self.numbers[name] = len(self.names)
            self.names.append(name)
        return number

    def view(self) -> Category:
        return Category(self.codes.view(), self.names, self.numbers)
