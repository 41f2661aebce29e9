"""What resolving each file gives, over a table that stays as it is meanwhile: here, or in a process beside."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from sightline.graph.build.edges import relationships_of
from sightline.graph.build.evaluate import Evaluator
from sightline.graph.build.includes import reads_of_includes
from sightline.graph.build.lookups import packed_reads
from sightline.graph.build.table import Table
from sightline.memory import give_back
from sightline.types import Relationship

if TYPE_CHECKING:
    from sightline.types import Vector

_LESS = 0.8  # of the room for what can be had again, whenever the process holds more than it may
_LEAST_SHARE = 1 / 8  # of the room is left in any case: with none at all the same facts are decoded for every file


class Outcome(NamedTuple):
    """What resolving a file gave."""

    path: str
    relationships: list[Relationship]
    reads: bytes  # the keys that were looked up
    includes: bytes  # those behind the one that stands for the file's includes
    given_up: int  # questions about the file that went round in circles for too long
    embedded: Vector | None = None  # of the relationships, where whoever resolved has an embedder


class Outcomes:
    """Resolves files, and keeps what may be asked again as far as there is room."""

    def __init__(self, table: Table, room: int, kept: int, crowded: Callable[[], bool]) -> None:
        """`room` is for encoded bytes that are decoded, `kept` for evaluations; `crowded` says whether the process
        holds more than it may, with everything else that is in it."""
        self._table, self._room, self._kept, self._crowded = table, room, kept, crowded
        self._share = 1.0  # of the room and of what may be kept: less where what grows with the root takes the rest
        self._evaluator = Evaluator(table)

    def of(self, path: str) -> Outcome:
        """Resolve one file."""
        reads: set[int] = set()
        self._table.frames[:] = [reads]
        facts = self._table.files[path]
        resolved = relationships_of(self._evaluator, facts)
        behind = reads_of_includes(self._evaluator, facts)
        read, includes = packed_reads(self._table.hashed(reads)), packed_reads(behind)
        self.make_room()
        return Outcome(path, resolved.relationships, read, includes, resolved.given_up)

    def expect(self, path: str, enough: Callable[[], bool]) -> None:
        """Read what resolving a file is going to need, until that is `enough` (EnoughError)."""
        self._evaluator.enough = enough
        try:
            self._table.frames[:] = [set()]
            relationships_of(self._evaluator, self._table.files[path])
        finally:
            self._evaluator.enough = lambda: False

    def make_room(self) -> None:
        """Between two files, let go of what can be had again."""
        if self._share > _LEAST_SHARE and self._crowded():
            self._share = max(_LEAST_SHARE, self._share * _LESS)
            self.forget()
            self._table.files.shrink(int(self._room * self._share))
            give_back()
        elif self._evaluator.kept > self._kept * self._share:
            self.forget()
        self._table.make_room()

    def forget(self) -> None:
        """Drop every answer, and the numbers of keys with them, which nothing else refers to between two files."""
        self._evaluator.forget()
        self._table.forget()
