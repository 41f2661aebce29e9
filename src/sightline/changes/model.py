"""What a report about changes is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from sightline.types import Object

FileStatus = Literal["added", "removed", "modified"]
SymbolStatus = Literal["added", "removed", "signature", "body", "moved", "renamed"]

_BREAKING: frozenset[SymbolStatus] = frozenset({"removed", "signature", "moved", "renamed"})


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file that differs. An oid is "" where there is no such side, or where the side is the file on disk."""

    path: str
    status: FileStatus
    old_oid: str = ""
    new_oid: str = ""
    on_disk: bool = False  # the new side is the file on disk
    submodule: bool = False
    note: str = ""  # why its symbols are not compared, "" when they are


@dataclass(frozen=True, slots=True)
class Compared:
    """What is compared with what, and the files that differ."""

    base: str  # a commit, or "" where there is none yet
    title: str  # "the work tree against HEAD (1a2b3c4)"
    files: tuple[FileChange, ...]
    of_disk: bool = True  # the newer side is what is on disk, and so what the index holds
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SymbolChange:
    """One symbol that differs. `old` is None for an added one, `new` for a removed one."""

    status: SymbolStatus
    old: Object | None
    new: Object | None
    api: bool  # it can be used from outside its file, and not only by tests

    @property
    def item(self) -> Object:
        """The newer side, of a removed one the older."""
        found = self.new or self.old
        assert found is not None
        return found

    @property
    def breaking(self) -> bool:
        """Whoever uses it from outside may have to follow."""
        return self.api and self.status in _BREAKING


@dataclass(frozen=True, slots=True)
class Reached:
    """A symbol that depends on a changed one: over how many steps, and how sure the weakest of them is."""

    item: Object
    distance: int
    confidence: float
    through: str  # the relationship of the last step
    cause: str  # qualified name of what it depends on


@dataclass(frozen=True, slots=True)
class Mention:
    """A line that still names something that is gone."""

    name: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Test:
    """A test to run."""

    runner: str
    id: str  # as the runner takes it
    path: str
    line: int
    distance: int  # 0: it was changed itself
    likelihood: float  # that it runs what changed
    reason: str  # what leads to it


@dataclass(frozen=True, slots=True)
class Companion:
    """A file that usually changes together with changed ones, and did not."""

    path: str
    changed: str  # the changed file it goes with most
    support: int  # commits that touched both
    confidence: float  # the share of the commits of `changed` that touched it too


@dataclass(frozen=True, slots=True)
class Route:
    """An address that a changed symbol, or one that depends on it, answers."""

    method: str
    address: str
    item: Object
    distance: int


@dataclass(frozen=True, slots=True)
class Report:
    """All that is said about a change."""

    compared: Compared
    symbols: tuple[SymbolChange, ...] = ()
    reached: tuple[Reached, ...] = ()
    followers: tuple[Reached, ...] = ()  # overrides and implementers of changed declarations
    mentions: tuple[Mention, ...] = ()
    tests: tuple[Test, ...] = ()
    unlikely_tests: tuple[Test, ...] = ()  # reached only by guesses
    untested: tuple[Object, ...] = ()  # changed, and no test was found that reaches them
    routes: tuple[Route, ...] = ()
    companions: tuple[Companion, ...] = ()
    unseen: tuple[str, ...] = ()  # what the list of tests cannot know
    warnings: tuple[str, ...] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)

    @property
    def api(self) -> Sequence[SymbolChange]:
        """Public declarations that went, or that have to be used in another way now."""
        return [change for change in self.symbols if change.breaking]
