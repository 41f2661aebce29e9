"""Relationships from facts, kept right while files change.

`Resolver.updates` is the whole of it: put the new facts into the table, learn which keys changed, and resolve again the
files that read one of those keys. Nothing else can change, since resolving a file reads other files only through keys.
One kind of key stands for others: what a file of C includes, and what that includes, changes when one of the keys does
that tell it (`_spread`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sightline.graph.build.keys import key_hash
from sightline.graph.build.lookups import Readers
from sightline.graph.build.memo import EnoughError
from sightline.graph.build.outcomes import Outcome, Outcomes
from sightline.graph.build.shared import Shared, shared
from sightline.graph.build.table import Table, includes_key
from sightline.types import Lookups, Relationship

if TYPE_CHECKING:
    from sightline.types import Vector

_ROOM = 3_000_000  # encoded bytes of files that are decoded at a time, about 100 MB
_KEPT = 120_000  # evaluations that are kept at a time, about a kilobyte each

Resolve = Callable[[Sequence[str]], Iterable[Outcome]]


class Update(NamedTuple):
    """What resolving a file again gave."""

    path: str
    relationships: list[Relationship]
    lookups: Lookups | None  # None: the file is gone
    embedded: Vector | None = None  # of the relationships, where whoever resolved has an embedder


class Resolver:
    """The relationships of a root, by file."""

    def __init__(
        self,
        room: int = _ROOM,
        kept: int = _KEPT,
        crowded: Callable[[], bool] = lambda: False,
        folder: Path | None = None,
    ) -> None:
        """`crowded` says whether the process holds more than it may, with everything else that is in it. In `folder`
        are the encoded facts; without one they are in memory."""
        self._table = Table(room, folder)
        self._outcomes = Outcomes(self._table, room, kept, crowded)
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

    def prepare(self, path: str, data: bytes, gives: bytes = b"") -> bool:
        """Take facts that `update` is going to be given, while there is time for it, with the keys that they give
        where those are known; returns whether they are kept, so that nobody else needs to."""
        if self._readers or path in self._table.files:
            return False  # what they replace is compared with them first
        self._table.add(path, data, gives)
        self._added.add(path)
        self._outcomes.make_room()
        return True

    def expect(self, paths: Iterable[str], enough: Callable[[], bool]) -> None:
        """Read what `update` is going to need of files that are about to change, until that is `enough`: what they
        were, and what they refer to, which will be nearly the same. Nothing that anybody is told comes of it."""
        try:
            for path in paths:
                if path in self._table.files and not enough():
                    self._table.expect(path)
                    self._outcomes.expect(path, enough)
        except EnoughError:
            pass
        finally:
            self._outcomes.forget()

    def update(self, changed: Mapping[str, bytes | None]) -> dict[str, list[Relationship]]:
        """Apply new facts (None: the file is gone) and return the relationships of every file that may differ."""
        return {update.path: update.relationships for update in self.updates(changed)}

    def updates(self, changed: Mapping[str, bytes | None], resolve: Resolve | None = None) -> Iterator[Update]:
        """The same file by file, gone ones first. Whoever does not take all of them has a resolver of no use.

        Of files that `prepare` kept the facts may be left out (b""). `resolve` is who resolves files in the order
        given, where others are to do that from `shared`.
        """
        affected = sorted(self._apply(changed))
        yield from (Update(path, [], None) for path, data in changed.items() if data is None)
        yield from map(self._noted, self.outcomes(affected) if resolve is None else resolve(affected))
        self._outcomes.forget()
        self._table.files.rest()

    def outcomes(self, paths: Sequence[str]) -> Iterator[Outcome]:
        """Resolve files, one after the other."""
        return map(self._outcomes.of, paths)

    def shared(self, folder: Path) -> AbstractContextManager[Shared]:
        """What other processes need to resolve files, as long as this lasts."""
        self._outcomes.forget()
        self._table.files.rest()
        return shared(self._table, folder)

    def cost(self, path: str) -> int:
        """How much there is to resolve in a file, in encoded bytes."""
        return self._table.files.cost(path)

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
            self._outcomes.make_room()
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

    def _noted(self, outcome: Outcome) -> Update:
        """Note what a file read, so that it is resolved again when that changes."""
        path, relationships, reads, includes, given_up, embedded = outcome
        self._readers.put(path, reads)
        if includes:
            self._includers.put(path, includes)
        else:
            self._includers.drop(path)
        self.given_up.pop(path, None)
        if given_up:
            self.given_up[path] = given_up
        return Update(path, relationships, Lookups(self._table.given(path), reads, includes), embedded)
