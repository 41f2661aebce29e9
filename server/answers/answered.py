"""What a root answers: the core's results with what every answer says about the index it came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sightline.types import Chunk, IndexStatus, Object, Relationship

if TYPE_CHECKING:
    from sightline.graph.read.symbols import SymbolMatch
    from sightline.graph.read.walk import Expansion
    from sightline.retrieval.research import ResearchResult


def shown_in(item: Chunk | Object | Relationship) -> tuple[str, ...]:
    """The files whose lines are shown with an item: a relationship has two ends."""
    target = item.target_path if isinstance(item, Relationship) else ""
    return (item.path, target) if target else (item.path,)


@dataclass(frozen=True, slots=True)
class Answered:
    """What every answer says about the index it came from."""

    status: IndexStatus
    stale: frozenset[str]  # files whose lines on disk differ from those of the answer
    warnings: list[str]

    def is_stale(self, *items: Object | Relationship) -> bool:
        """Whether lines that are shown with these may have moved."""
        return not self.stale.isdisjoint(path for item in items for path in shown_in(item))


@dataclass(frozen=True, slots=True)
class Symbols(Answered):
    """Objects that a name may mean."""

    matches: list[SymbolMatch] = field(default_factory=list)
    nearest: list[str] = field(default_factory=list)
    source: dict[str, list[str]] = field(default_factory=dict)  # entity_id → its lines
    names: dict[str, str] = field(default_factory=dict)  # entity_id → how it is called, where not by its name


@dataclass(frozen=True, slots=True)
class Expanded(Answered):
    """The neighbourhood of a symbol; without `expansion` the start was ambiguous or unknown."""

    expansion: Expansion | None = None
    starts: list[Object] = field(default_factory=list)
    candidates: list[Object] = field(default_factory=list)
    nearest: list[str] = field(default_factory=list)
    sites: dict[str, tuple[int, ...]] = field(default_factory=dict)  # relationship id → every line that states it
    names: dict[str, str] = field(default_factory=dict)  # entity_id → how it is called, where not by its name
    elsewhere: list[tuple[str, Relationship]] = field(default_factory=list)  # what leads here from other roots
    every_guess: bool = False  # the caller named a confidence: nothing is left out for being unlikely


@dataclass(frozen=True, slots=True)
class Researched(Answered):
    """An architectural question, answered from one root; None when nothing is indexed yet."""

    result: ResearchResult | None = None

    def all_warnings(self) -> list[str]:
        """Those of the index and those of the answer."""
        return [*self.warnings, *(self.result.warnings if self.result is not None else ())]


def joint_status(statuses: Sequence[IndexStatus]) -> IndexStatus:
    """The state of several indexes as one: the least ready, the sum of the files."""
    order = ("indexing", "stale", "ready")
    worst = min((status.state for status in statuses), key=order.index)
    return IndexStatus(
        state=worst,
        generation=max(status.generation for status in statuses),
        files=sum(status.files for status in statuses),
        files_failed=sum(status.files_failed for status in statuses),
        files_total=sum(status.files_total or status.files for status in statuses),
    )
