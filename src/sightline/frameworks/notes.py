"""What was read off a text, kept by what the text is, so that a file that did not change is not read again.

A note answers one question about one text: what it imports, which routes it states. Whatever depends on another file
is not noted, or noted together with what the other one said.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

V = TypeVar("V")


class Notes:
    """The notes on one text."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Any] = {}

    def once(self, key: Hashable, make: Callable[[], V]) -> V:
        """The note of this key, made when it is first asked for."""
        if key not in self._known:
            self._known[key] = make()
        return cast(V, self._known[key])

    def renewed(self, key: Hashable, still: Callable[[V], bool], make: Callable[[], V]) -> V:
        """The same for a note that holds only as long as `still` says so."""
        known = self._known.get(key)
        if known is None or not still(cast(V, known)):
            known = self._known[key] = make()
        return cast(V, known)

    def has(self, key: Hashable) -> bool:
        """Is there a note of this key?"""
        return key in self._known


class Notebook:
    """The notes on many texts: those used last, as long as the texts together are not larger than a bound."""

    def __init__(self, most_bytes: int) -> None:
        self._most, self._taken = most_bytes, 0
        self._notes: OrderedDict[Hashable, tuple[Notes, int]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, text: Hashable, size: int) -> Notes:
        """The notes on a text of so many bytes; `text` is the same for the same text alone."""
        with self._lock:
            known = self._notes.get(text)
            if known is not None:
                self._notes.move_to_end(text)
                return known[0]
            notes = Notes()
            self._notes[text] = (notes, size)
            self._taken += size
            while self._taken > self._most:
                self._taken -= self._notes.popitem(last=False)[1][1]
            return notes
