"""The frozen types that travel on the two journeys.

A file change becomes `ParsedFile` → `Chunk`, `Object`, `Relationship` → a `FileEntry` in the store; a query becomes
`Query` → `Hit`s → a `SearchResult`. This module imports nothing of ours and does no I/O.

Lines are 1-based and inclusive everywhere; paths are root-relative with forward slashes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from tree_sitter import Node, Tree

    Vector = npt.NDArray[np.float32]


ObjectKind = Literal[
    "module",
    "class",
    "interface",
    "struct",
    "enum",
    "function",
    "method",
    "constructor",
    "type_alias",
    "constant",
    "macro",
]
OBJECT_KINDS: tuple[ObjectKind, ...] = get_args(ObjectKind)
TYPE_KINDS = frozenset({"class", "interface", "struct", "enum", "type_alias"})

RelationshipType = Literal[
    "contains",
    "imports",
    "calls",
    "instantiates",
    "inherits",
    "implements",
    "overrides",
    "uses_type",
    "decorates",
    "tests",
    "registers",
]
RELATIONSHIP_TYPES: tuple[RelationshipType, ...] = get_args(RelationshipType)

Resolution = Literal["local", "import", "self", "inherited", "typed", "unique_name", "ambiguous", "external"]
RESOLUTIONS: tuple[Resolution, ...] = get_args(Resolution)

NOT_SEARCHED = "not searched"  # of a file that the index left out: there was no time to look for a name in it

HitType = Literal["chunk", "object", "relationship"]
Mode = Literal["hybrid", "vector", "bm25"]
MODES: Mapping[str, Mode] = {  # what a mode may be called
    "hybrid": "hybrid",
    "vector": "vector",
    "bm25": "bm25",
    "vector-only": "vector",
    "bm25-only": "bm25",
}
Strategy = Literal["rrf", "weighted", "interleave", "graph_first", "text_first"]
IndexState = Literal["ready", "indexing", "stale"]
FileState = Literal["indexed", "skipped", "failed"]


@dataclass(frozen=True, slots=True)
class Change:
    """One file that may differ from the index; `path` is root-relative."""

    kind: Literal["added", "modified", "deleted"]
    path: str


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """A file read and parsed: text, bytes and, where a grammar exists, its tree."""

    path: str
    language: str  # a name of the language table, or "text" for the line-based fallback
    source: bytes  # UTF-8, what the tree's byte offsets refer to
    tree: Tree | None
    has_errors: bool
    # What one walk over the tree captured for several who come after each other, until they take it (grammar.py).
    captured: dict[str, list[Node]] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a file. The chunks of a file cover every line exactly once, in order."""

    path: str
    start_line: int
    end_line: int
    language: str
    text: str  # what is shown
    symbol: str  # qualified name of the object that encloses (or mostly fills) the chunk, "" at file level
    kind: str  # kind of that object, "" at file level, "document" for prose and data
    signature: str
    context: str  # what is indexed beside the text and never shown: path words, enclosing symbols, imports used

    def lines(self) -> list[str]:
        """The lines of the text; nothing but a newline ends one (`str.splitlines` also breaks at form feeds)."""
        return self.text.removesuffix("\n").split("\n") if self.text else []


@dataclass(frozen=True, slots=True)
class Object:
    """A symbol."""

    entity_id: str  # the symbol itself, stable while its body changes
    version_id: str  # the symbol with this content
    path: str
    name: str
    qualified_name: str  # dotted within the file, e.g. AuthService.login; a module's is its dotted path
    kind: ObjectKind
    language: str
    start_line: int
    end_line: int
    signature: str
    doc: str  # first sentence of its documentation
    visibility: Literal["public", "protected", "private", "internal"]
    parent_id: str  # entity_id of the enclosing object; "" for a module


@dataclass(frozen=True, slots=True)
class Relationship:
    """A typed edge from an object of `path` to another object, or to something outside the root."""

    id: str  # stable: from source, type and target
    relationship_type: RelationshipType
    path: str  # the source's file: an edge belongs to the file that states it
    source_id: str
    source_name: str  # qualified name
    target_id: str  # entity_id; "" when the target is outside the root
    target_name: str  # qualified name, or the name as written when external
    target_path: str  # "" when external
    triplet: str  # "AuthService.login calls validate_credentials"
    confidence: float
    resolution: Resolution
    site_line: int  # first place where the source file states it
    label: str = ""  # of `registers`: the event, key or field that a function is registered for


@dataclass(frozen=True, slots=True)
class FileRecord:
    """What the index knows about one file of the root, skipped and failed ones included."""

    path: str
    language: str
    size_bytes: int
    mtime_ns: int
    content_hash: str  # of the bytes (`confine.py`); "" when it was never read
    state: FileState
    reason: str  # why it was skipped or failed, "" when indexed
    lines: int
    parse_errors: bool  # indexed, but the grammar met errors


@dataclass(frozen=True, slots=True)
class FileEntry:
    """All that one file contributes to the index; replaces whatever the index held for that path.

    Vectors are parallel to chunks and objects; None where nothing is embedded. `facts` is the graph's own compact form
    of the file, kept so that the edges of other files can be resolved again without parsing anything; `gives` is what
    others may look up in it, b"" where that was not worked out.
    """

    record: FileRecord
    chunks: Sequence[Chunk] = ()
    chunk_vectors: Vector | None = None
    objects: Sequence[Object] = ()
    object_vectors: Vector | None = None
    facts: bytes = b""
    gives: bytes = b""


@dataclass(frozen=True, slots=True)
class Lookups:
    """What a file gives to others and reads from them in the graph, as numbers that the graph understands."""

    gives: bytes
    reads: bytes
    includes: bytes  # what is read to know the files that it includes, in C


@dataclass(frozen=True, slots=True)
class Filters:
    """What may be a hit. Several globs in one list mean "any of them"; metadata pairs are joined by AND."""

    file_filter: tuple[str, ...] = ()
    exclude_filter: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Weights:
    """Shares of the fusion. `relationship` None or 0: relationships take the normalised graph share (UNI-4)."""

    vector: float = 0.7
    bm25: float = 0.3
    graph: float = 0.5
    text: float = 0.5
    relationship: float | None = None


# What one call may ask for, whoever asks.
MAX_ANSWER_CHARS = 24_000  # clients begin to spill tool results into files around 25,000 tokens
MAX_LIMIT = 100  # hits on one page
MAX_DEPTH = 4  # hops; beyond four nearly everything is reached from everything


@dataclass(frozen=True, slots=True)
class Query:
    """A search as the core understands it; text/vector presence decides what runs (HYB-8)."""

    text: str
    vector: Vector | None = None
    limit: int = 10
    types: tuple[HitType, ...] = ("chunk", "object", "relationship")
    mode: Mode = "hybrid"
    strategy: Strategy = "rrf"
    depth: int = 0
    min_similarity: float | None = None
    filters: Filters = field(default_factory=Filters)
    relationship_limit: int = 50
    weights: Weights = field(default_factory=Weights)
    rrf_k: int = 60
    rerank: bool = True
    explain: bool = False
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Hit:
    """A typed result in the fused order. `item` is the Chunk, Object or Relationship itself."""

    type: HitType
    id: str
    score: float  # 0..1
    match_type: str  # bm25, semantic, hybrid, symbol, multi-hop, …
    path: str
    start_line: int
    end_line: int
    item: Chunk | Object | Relationship
    chunk: Chunk | None = None  # for an object hit: the chunk that holds its definition
    highlights: tuple[tuple[int, int], ...] = ()  # character spans into the shown text
    why: Mapping[str, float] = field(default_factory=dict)  # signal → what it added; filled when asked
    stale: bool = False
    root: str = ""
    target_line: int = 0  # for a relationship: where its target begins, 0 when that is not known
    spoken: str = ""  # for an object that people call otherwise than by its qualified name
    source: Sequence[str] = ()  # for an object whose chunk holds it only in part: its lines


@dataclass(frozen=True, slots=True)
class Related:
    """A relationship of the best hits that is no hit itself, for a search that was asked to expand."""

    item: Relationship
    target_line: int = 0
    stale: bool = False
    root: str = ""


@dataclass(frozen=True, slots=True)
class RouteShown:
    """A route that answers what was searched for, as the line that an answer shows of it."""

    text: str
    paths: tuple[str, ...]  # the files whose lines it names
    root: str = ""


@dataclass(frozen=True, slots=True)
class RankedFile:
    """A file that a report is likely about, whether the page has a hit of it or not."""

    path: str
    score: float  # that of its best hit
    root: str = ""
    stale: bool = False


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """The state of the index a response was answered from."""

    state: IndexState
    generation: int
    files: int
    files_failed: int
    files_total: int = 0  # while indexing: how many there will be


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits in order with everything the response shape needs."""

    query: str
    mode: str
    strategy: str
    hits: Sequence[Hit]
    total: int
    truncated: bool
    next_cursor: str | None
    index: IndexStatus
    warnings: Sequence[str] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    related: Sequence[Related] = ()
    total_at_least: bool = False  # `total` is what was looked at, and there is more
    routes: Sequence[RouteShown] = ()  # of a query that names an address: what answers it
    files: Sequence[RankedFile] = ()  # of a report: those it is likely about, more of them than the hits may be of
