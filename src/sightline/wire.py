"""What goes over the wire: the answers of the tools, of `--json` and of the Python client, API version 1.

Declared once, here. A record that the client gives out is a frozen class, and its fields with a default may be missing
in an answer; what stays a mapping everywhere is a typed dictionary. From these, `server/answers/schema.py` makes the
output schema of MCP, `data` the records of an answer and of an export, and `made` the results of the client. Changes
within a version are additive (GRA-5). Version 2 differs in one point: objects no longer carry the names in `RENAMED`
(GRA-6).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    TypedDict,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from sightline.types import FileState, HitType, IndexState

ApiVersion = Literal[1, 2]
API_VERSION: ApiVersion = 1
RENAMED: Mapping[str, str] = {"id": "version_id", "canonical_id": "entity_id"}  # of objects: deprecated → new
_T = TypeVar("_T")


class Member(TypedDict):
    """A member of a class, interface, struct, enum or module."""

    entity_id: str
    name: str
    qualified_name: str
    kind: str
    signature: str
    path: str
    start_line: int
    end_line: int


class IndexOut(TypedDict):
    """The state of the index that answered."""

    state: IndexState
    generation: int
    files: int
    files_failed: int
    files_total: NotRequired[int]  # while there are more to come


@dataclass(frozen=True, slots=True)
class HitResult:
    """One hit in the fused order; `type` and `id` say which of the full results it is."""

    type: HitType
    id: str
    rank: int
    score: float
    match_type: str
    path: str
    start_line: int
    end_line: int
    root: str = ""  # the name of the root, when there are several
    stale: bool = False  # whether the lines on disk differ
    why: Mapping[str, float] = field(default_factory=dict)  # what each signal of the ranking added, when asked for


@dataclass(frozen=True, slots=True)
class ChunkResult:
    """A chunk hit, or the chunk that holds the definition of an object hit (then `entity_id` names the object)."""

    id: str
    rank: int
    score: float
    match_type: str
    path: str
    start_line: int
    end_line: int
    language: str
    symbol: str
    kind: str
    text: str
    highlights: Sequence[Sequence[int]]  # [start, end) character spans into text
    entity_id: str = ""
    root: str = ""
    stale: bool = False


@dataclass(frozen=True, slots=True)
class ObjectResult:
    """An object. In an answer of API version 1 it also has the deprecated names of its ids (`RENAMED`)."""

    entity_id: str  # this symbol across edits
    version_id: str  # this content
    name: str
    qualified_name: str
    kind: str
    language: str
    path: str
    start_line: int
    end_line: int
    signature: str
    doc: str
    visibility: str
    parent_id: str
    rank: int = 0
    score: float = 0.0
    match_type: str = ""
    members: Sequence[Member] = ()
    distance: int = 0  # from the start of an expansion
    root: str = ""
    stale: bool = False


@dataclass(frozen=True, slots=True)
class RelationshipEnd:
    """One end of a relationship; `entity_id`, `path` and `line` are empty or 0 for something outside the root.

    `line` of a source is that of the site, of a target that of its definition. `export`, whose records stand alone,
    gives both ends by their definitions, with qualified name and kind.
    """

    name: str
    entity_id: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class RelationshipResult:
    """A relationship with how sure it is and how its target was found."""

    id: str
    relationship_type: str
    source: RelationshipEnd
    target: RelationshipEnd
    triplet: str
    confidence: float
    resolution: str
    path: str
    site_line: int
    label: str = ""  # of `registers`: the event, key or field
    rank: int = 0
    score: float = 0.0
    match_type: str = ""
    similarity: float = 0.0  # to the query of an expansion
    distance: int = 0
    root: str = ""
    stale: bool = False


@dataclass(frozen=True, slots=True)
class FileResult:
    """A file that a report is likely about; there may be no hit of it on this page."""

    path: str
    root: str = ""
    stale: bool = False  # whether it differs on disk, or is gone


@dataclass(frozen=True, slots=True)
class SearchResponse:
    """Answer of `search`: the fused order, and the same hits in full by type."""

    api_version: int
    query: str
    mode: str
    strategy: str
    hits: Sequence[HitResult]
    chunks: Sequence[ChunkResult]
    objects: Sequence[ObjectResult]
    relationships: Sequence[RelationshipResult]
    warnings: Sequence[str]
    timings_ms: Mapping[str, float]
    index: IndexOut
    total: int
    truncated: bool  # whether there is more than this page and those before it
    next_cursor: str | None
    total_at_least: bool = False  # `total` counts what was looked at, and there is more
    routes: Sequence[str] = ()  # of a query that names an address (`POST /users`): what answers it, a line each
    files: Sequence[FileResult] = ()  # of a report: those of the hits, then those that come next, eight at least


Data = dict[str, Any]  # a record as it travels
ObjectData = Annotated[Data, ObjectResult]
RelationshipData = Annotated[Data, RelationshipResult]


class SymbolsOut(TypedDict):
    """Answer of `symbol_search`; `nearest` names what there is instead when nothing matched."""

    api_version: int
    name: str
    objects: list[ObjectData]
    nearest: list[str]
    warnings: list[str]
    index: IndexOut
    total: int


class LeftOut(TypedDict):
    """What the limits of an expansion cut."""

    objects: int
    relationships: int


class GraphOut(TypedDict):
    """Answer of `expand_graph`; an ambiguous start gives `candidates` and no relationships."""

    api_version: int
    start: str
    start_objects: list[ObjectData]
    candidates: list[ObjectData]
    nearest: list[str]
    objects: list[ObjectData]
    relationships: list[RelationshipData]
    warnings: list[str]
    index: IndexOut
    truncated: bool
    left_out: LeftOut


class FactOut(TypedDict):
    """One claim of a research answer and the place that shows it."""

    kind: str
    source: str
    source_path: str
    target: str
    target_path: str
    path: str
    line: int
    confidence: float
    resolution: str
    proven: bool
    hops: int
    label: str
    sites: list[int]
    root: NotRequired[str]


class SectionOut(TypedDict):
    """A part of a research answer, as it is shown."""

    title: str
    lines: list[str]
    root: NotRequired[str]


class EvidenceLeftOut(TypedDict):
    """Evidence that did not fit, and how to get it."""

    what: str
    count: int
    how: str


class ResearchOut(TypedDict):
    """Answer of `code_research`; `facts` are exactly the claims that the shown lines make."""

    api_version: int
    question: str
    kind: str
    objects: list[ObjectData]
    sections: list[SectionOut]
    facts: list[FactOut]
    left_out: list[EvidenceLeftOut]
    paths: list[str]
    stale_paths: list[str]
    tokens: int
    warnings: list[str]
    timings_ms: dict[str, float]
    index: IndexOut


class FileOut(TypedDict):
    """One file of the root and why it is in the index or not."""

    path: str
    state: FileState
    reason: str
    language: str
    size_bytes: int
    lines: int
    parse_errors: bool


class SymbolOut(TypedDict):
    """A symbol that a change is about."""

    entity_id: str
    qualified_name: str
    kind: str
    path: str
    start_line: int
    end_line: int
    signature: str


class BeforeOut(TypedDict):
    """What a changed symbol was."""

    path: str
    qualified_name: str
    signature: str


class SymbolChangeOut(SymbolOut):
    """A symbol that differs: added, removed, signature, body, moved or renamed."""

    status: str
    api: bool  # it can be used from outside its file


class SymbolChangedOut(SymbolChangeOut):
    """The same of one that was there before and still is."""

    before: BeforeOut


class DependentOut(SymbolOut):
    """A symbol that depends on a changed one."""

    distance: int
    confidence: float
    through: str  # the relationship of the last step
    cause: str  # what it depends on


class FileChangeOut(TypedDict):
    """A file that differs."""

    path: str
    status: str
    note: str  # why its symbols are not compared, "" when they are


class MentionOut(TypedDict):
    """A line that still names something that is gone."""

    name: str
    path: str
    line: int


class RunnableOut(TypedDict):
    """A test to run."""

    runner: str
    id: str  # as the runner takes it
    path: str
    line: int
    distance: int
    likelihood: float
    reason: str


class RouteOut(SymbolOut):
    """An address that a changed symbol, or one that depends on it, answers."""

    method: str
    address: str


class CompanionOut(TypedDict):
    """A file that usually changes together with changed ones, and did not."""

    path: str
    changed: str
    support: int
    confidence: float


class ChangesOut(TypedDict):
    """What `sightline changes --json` prints."""

    api_version: int
    base: str
    compared: str
    files: list[FileChangeOut]
    symbols: list[SymbolChangeOut | SymbolChangedOut]
    api: list[SymbolChangeOut | SymbolChangedOut]
    reached: list[DependentOut]
    followers: list[DependentOut]
    mentions: list[MentionOut]
    tests: list[RunnableOut]
    unlikely_tests: list[RunnableOut]
    untested: list[SymbolOut]
    routes: list[RouteOut]
    changes_with: list[CompanionOut]
    unseen: list[str]
    warnings: list[str]
    timings_ms: dict[str, float]


@cache
def fields_of(kind: type) -> Mapping[str, bool]:
    """The fields of a record in their order, and whether each is always there."""
    if is_typeddict(kind):
        hints = get_type_hints(kind, include_extras=True)
        return {name: get_origin(hint) is not NotRequired for name, hint in hints.items()}
    missing = dataclasses.MISSING
    return {each.name: each.default is missing and each.default_factory is missing for each in dataclasses.fields(kind)}


def data(kind: type, item: object, /, **own: Any) -> Data:
    """The fields that a record always has: those given, the others from the attributes of the same name."""
    names = (name for name, always in fields_of(kind).items() if always)
    return {name: own[name] if name in own else getattr(item, name) for name in names}


def renamed(item: object) -> Data:
    """The ids of an object under their deprecated names."""
    return {old: getattr(item, new) for old, new in RENAMED.items()}


def made(kind: type[_T], given: Mapping[str, Any], instead: Mapping[type, type] | None = None) -> _T:
    """A record from its data; what a newer version adds is left out. `instead` has classes to make of others."""
    hints, instead = _hints(kind), instead or {}  # type: ignore[arg-type]  # a class is hashable
    values = {name: _made_field(hints[name], value, instead) for name, value in given.items() if name in hints}
    return instead.get(kind, kind)(**values)  # type: ignore[no-any-return]


def _made_field(hint: Any, value: Any, instead: Mapping[type, type]) -> Any:
    if dataclasses.is_dataclass(hint):
        return made(hint, value, instead)  # type: ignore[arg-type]
    items = get_args(hint)
    if len(items) == 1 and dataclasses.is_dataclass(items[0]):
        return [made(items[0], item, instead) for item in value]  # type: ignore[arg-type]
    return value


@cache
def _hints(kind: type) -> Mapping[str, Any]:
    return get_type_hints(kind)
