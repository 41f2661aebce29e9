"""What the explorer's views are made of, beside the answers of the tools (`wire.py`).

`web/src/wire.ts` is made from these classes and those of the tools by `scripts/ui`; a test holds it to them.
"""

from __future__ import annotations

from typing import Any, TypedDict

from sightline.wire import FileOut, IndexOut, Member, ObjectData, RelationshipData


class AnswerOut(TypedDict):
    """What a tool answers: the text an agent reads, how many tokens that takes, and the same as data."""

    text: str
    tokens: int
    found: bool
    ms: float
    data: dict[str, Any]


class RootOut(TypedDict):
    """A root as the page names it."""

    name: str
    path: str


class LanguagesOut(TypedDict):
    """Files by language, most first."""

    languages: dict[str, int]


class AboutOut(TypedDict):
    """What the page asks for first."""

    version: str
    roots: list[RootOut]
    tools: dict[str, str]  # name → the argument that says what is asked
    object_kinds: list[str]
    relationship_types: list[str]
    proven_confidence: float
    log_kept: bool


class ProgressOut(TypedDict):
    """How far indexing is."""

    done: int
    total: int
    doing: str


class HeartbeatOut(TypedDict):
    """What changes by itself, of one root."""

    name: str
    index: IndexOut
    last_change: float
    writer: int  # the process that writes the index, 0 for none
    queued: int
    error: str
    progress: ProgressOut


class PulseOut(TypedDict):
    """What changes by itself: asked for once a second by a page that is looked at."""

    roots: list[HeartbeatOut]
    memory_bytes: int


class SymbolPageOut(TypedDict):
    """Everything about one symbol. Without `object` there is none of this id (any more)."""

    object: ObjectData | None
    language: str
    source: str
    members: list[Member]
    around: list[Member]  # what encloses it, from the outside in
    objects: list[ObjectData]  # the other ends of its relationships
    relationships: list[RelationshipData]
    left_out: int  # relationships beyond the limit
    stale: bool
    index: IndexOut


class CommitOut(TypedDict):
    """A commit that touched a symbol."""

    id: str
    at: int  # seconds since 1970
    what: str  # what it did to the symbol: "added", "changed" or "removed"
    subject: str
    reasons: str  # the rest of its message


class PastOut(TypedDict):
    """The commits that touched a symbol, newest first; without a history, why there is none."""

    commits: list[CommitOut]
    looked: int  # commits of its file that were looked into, of `of_file`
    of_file: int
    shallow: bool
    missing: str


class FilePageOut(TypedDict):
    """A file as it is on disk, and what it defines."""

    path: str
    language: str
    text: str
    objects: list[Member]
    index: IndexOut


class PlaceOut(TypedDict):
    """A folder of the map, and where it is drawn."""

    path: str
    label: str
    files: int
    lines: int
    cycle: int
    x: float
    y: float
    width: float
    height: float


class CrossingOut(TypedDict):
    """A dependency between two places of the map; `way` is the path of its arrow."""

    source: str
    target: str
    proven: int
    possible: int
    in_cycle: bool
    way: str


class MapOut(TypedDict):
    """The places below a folder and what they depend on."""

    folder: str
    levels: int
    left: float  # how far the picture reaches, arrows included
    right: float
    places: list[PlaceOut]
    crossings: list[CrossingOut]
    cycles: list[list[str]]
    left_out: int
    index: IndexOut


class LeftOutFile(TypedDict):
    """A file or folder that the rules of the root ignore."""

    path: str
    reason: str


class FilesOut(TypedDict):
    """Files of a root and why each is in the index or not, a page of them."""

    files: list[FileOut]
    total: int
    ignored: list[LeftOutFile]


class AskedOut(TypedDict):
    """One question of an agent, as the log has it."""

    at: float  # seconds since 1970
    root: str
    tool: str
    asked: str
    ms: int
    answer_chars: int
    found: bool


class AskedListOut(TypedDict):
    """What agents asked lately, the latest first; `kept` says whether anybody writes that down."""

    kept: bool
    asked: list[AskedOut]
