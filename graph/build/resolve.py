"""Relationships from facts, kept right while files change.

`Resolver.updates` is the whole of it: put the new facts into the table, learn which keys changed, and resolve again the
files that read one of those keys. Nothing else can change, since resolving a file reads other files only through keys.
One kind of key stands for others: what a file of C includes, and what that includes, changes when one of the keys does
that tell it (`_spread`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from sightline.graph.build.edges import relationships_of
from sightline.graph.build.evaluate import Evaluator
from sightline.graph.build.includes import reads_of_includes
from sightline.graph.build.lookups import Readers, key_hash
from sightline.graph.build.memo import EnoughError
from sightline.graph.build.table import Table, includes_key
from sightline.memory import give_back
from sightline.types import Lookups, Relationship

_ROOM = 3_000_000  # encoded bytes of files that are decoded at a time, about 100 MB
_KEPT = 120_000  # evaluations that are kept at a time, about a kilobyte each
_LESS = 0.8  # of the room for what can be had again, whenever the process holds more than it may
_LEAST_SHARE = 1 / 8  # of the room is left in any case: with none at all the same facts are decoded for every file


class Update(NamedTuple):
    """What resolving a file again gave."""

    path: str
    relationships: list[Relationship]
    lookups: Lookups | None  # None: the file is gone


class Resolver:
    """The relationships of a root, by file."""

    def __init__(self, room: int = _ROOM, kept: int = _KEPT, crowded: Callable[[], bool] = lambda: False) -> None:
        """`crowded` says whether the process holds more than it may, with everything else that is in it."""
        self._room, self._kept, self._crowded = room, kept, crowded
        self._share = 1.0  # of the room and of what may be kept: less where what grows with the root takes the rest
        self._table = Table(room)
        self._evaluator = Evaluator(self._table)
        self._readers = Readers()
        self._includers = Readers()  # of the keys behind the one that stands for a file's includes
        self._added: set[str] = set()  # prepared files that are in the table already
        self.given_up: dict[str, int] = {}  # file → questions about it that went round in circles for too long

    def load(
        self,
        facts: Iterable[tuple[str, bytes]],
        lookups: Iterable[tuple[str, Lookups]],
        given_up: Mapping[str, int] | None = None,
    ) -> None:
        """Take resolved files as the index has them. Facts are read when something of them is needed."""
        known = list(lookups)
        self._table.load(facts, [(path, keys.gives) for path, keys in known])
        for path, keys in known:
            self._readers.put(path, keys.reads)
            if keys.includes:
                self._includers.put(path, keys.includes)
        self.given_up = dict(given_up or {})

    def prepare(self, path: str, data: bytes) -> None:
        """Read facts that `update` is going to be given, while there is time for it."""
        if self._readers or path in self._table.files:
            return  # what they replace is compared with them first
        self._table.add(path, data)
        self._added.add(path)
        self._make_room()

    def expect(self, paths: Iterable[str], enough: Callable[[], bool]) -> None:
        """Read what `update` is going to need of files that are about to change, until that is `enough`: what they
        were, and what they refer to, which will be nearly the same. Nothing that anybody is told comes of it."""
        self._evaluator.enough = enough
        try:
            for path in paths:
                if path in self._table.files and not enough():
                    self._table.expect(path)
                    self._table.frames[:] = [set()]
                    relationships_of(self._evaluator, self._table.files[path])
        except EnoughError:
            pass
        finally:
            self._evaluator.enough = lambda: False
            self._forget()

    def update(self, changed: Mapping[str, bytes | None]) -> dict[str, list[Relationship]]:
        """Apply new facts (None: the file is gone) and return the relationships of every file that may differ."""
        return {update.path: update.relationships for update in self.updates(changed)}

    def updates(self, changed: Mapping[str, bytes | None]) -> Iterator[Update]:
        """The same file by file, gone ones first. Whoever does not take all of them has a resolver of no use."""
        affected = self._apply(changed)
        yield from (Update(path, [], None) for path, data in changed.items() if data is None)
        for path in sorted(affected):
            yield self._resolve(path)
        self._forget()
        self._table.files.rest()

    def _apply(self, changed: Mapping[str, bytes | None]) -> set[str]:
        """Put new facts into the table; returns the files to be resolved again."""
        keys: set[int] = set()
        first = not self._readers
        for path, data in changed.items():
            self._readers.drop(path)
            self.given_up.pop(path, None)
            if path in self._added:
                continue
            if first and data is not None and path not in self._table.files:
                self._table.add(path, data)
            else:
                keys |= self._table.replace(path, data)
            self._make_room()
        self._added.clear()
        self._table.unsettle(changed)
        self._spread(keys)
        for path, data in changed.items():
            if data is None:
                self._includers.drop(path)
        return self._readers.of(keys) | {path for path, data in changed.items() if data is not None}

    def _spread(self, keys: set[int]) -> None:
        """Add the keys that stand for one of these, and for one of those in turn."""
        stale = self._includers.of(keys)
        self._table.unsettle(stale)
        while stale:
            new = {key_hash(includes_key(path)) for path in stale} - keys
            keys |= new
            stale = self._includers.of(new)

    def _resolve(self, path: str) -> Update:
        reads: set[int] = set()
        self._table.frames[:] = [reads]
        resolved = relationships_of(self._evaluator, self._table.files[path])
        behind = reads_of_includes(self._evaluator, self._table.files[path])
        if len(behind):
            self._includers.put(path, behind)
        else:
            self._includers.drop(path)
        self._readers.put(path, self._table.hashed(reads))
        self.given_up.pop(path, None)
        if resolved.given_up:
            self.given_up[path] = resolved.given_up
        lookups = Lookups(self._table.given(path), self._readers.packed(path), self._includers.packed(path))
        self._make_room()
        return Update(path, resolved.relationships, lookups)

    def _make_room(self) -> None:
        """Between two files, let go of what can be had again."""
        if self._share > _LEAST_SHARE and self._crowded():
            self._share = max(_LEAST_SHARE, self._share * _LESS)
            self._forget()
            self._table.files.shrink(int(self._room * self._share))
            give_back()
        elif self._evaluator.kept > self._kept * self._share:
            self._forget()
        self._table.make_room()

    def _forget(self) -> None:
        """Drop every answer, and the numbers of keys with them, which nothing else refers to between two files."""
        self._evaluator.forget()
        self._table.forget()
