"""The Python client: `from sightline import Client`.

    with Client("path/to/project") as client:
        for found in client.hybrid_search("where are sessions closed").objects:
            print(found.path, found.start_line, found.qualified_name, found.entity_id)

It calls the very tools that agents call and gives their answers as typed, frozen results. The index is brought up to
date when it is first needed, and again when a hit turns out to have changed on disk; `refresh` does so at any time.

Result objects have `version_id` (this content) and `entity_id` (this symbol across edits). Under API version 1 the old
names `id` and `canonical_id` return the same values with a DeprecationWarning; under version 2 they are gone.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Self, TypeVar

from sightline.errors import ConfigError, QueryError
from sightline.server import tools
from sightline.server.answers.schema import API_VERSION
from sightline.server.app import App
from sightline.server.cli.catchup import catch_up

__all__ = [
    "ChunkResult",
    "Client",
    "DeprecatedObjectResult",
    "HitResult",
    "ObjectResult",
    "RelationshipEnd",
    "RelationshipResult",
    "SearchResponse",
]

_API_VERSIONS = (1, 2)
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class HitResult:
    """One hit in the fused order; `type` and `id` say which of the full results it is."""

    type: str
    id: str
    rank: int
    score: float
    match_type: str
    path: str
    start_line: int
    end_line: int
    stale: bool = False


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
    stale: bool = False


@dataclass(frozen=True, slots=True)
class ObjectResult:
    """An object hit."""

    entity_id: str
    version_id: str
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
    members: Sequence[Mapping[str, Any]] = ()
    stale: bool = False


class DeprecatedObjectResult(ObjectResult):
    """An object hit under API version 1, with the old names of its ids."""

    __slots__ = ()

    @property
    def id(self) -> str:
        """Deprecated: `version_id`."""
        return self._renamed("id", "version_id")

    @property
    def canonical_id(self) -> str:
        """Deprecated: `entity_id`."""
        return self._renamed("canonical_id", "entity_id")

    def _renamed(self, old: str, new: str) -> str:
        message = f"`{old}` is deprecated and gone in API version 2; use `{new}`"
        warnings.warn(message, DeprecationWarning, stacklevel=3)
        value: str = getattr(self, new)
        return value


@dataclass(frozen=True, slots=True)
class RelationshipEnd:
    """One end of a relationship; empty but for its name when it lies outside the root."""

    name: str
    entity_id: str = ""
    path: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class RelationshipResult:
    """A relationship hit, with how sure it is."""

    id: str
    relationship_type: str
    source: RelationshipEnd
    target: RelationshipEnd
    triplet: str
    confidence: float
    resolution: str
    path: str
    site_line: int
    rank: int = 0
    score: float = 0.0
    match_type: str = ""
    stale: bool = False


@dataclass(frozen=True, slots=True)
class SearchResponse:
    """The answer to a search: the fused order, and the same hits in full by type."""

    query: str
    mode: str
    strategy: str
    hits: Sequence[HitResult]
    chunks: Sequence[ChunkResult]
    objects: Sequence[ObjectResult]
    relationships: Sequence[RelationshipResult]
    total: int
    truncated: bool
    next_cursor: str | None
    api_version: int
    warnings: Sequence[str] = ()
    index: Mapping[str, Any] = field(default_factory=dict)
    timings_ms: Mapping[str, float] = field(default_factory=dict)


class Client:
    """Search one project from Python."""

    def __init__(
        self,
        path: str | Path = ".",
        *,
        index_dir: str | Path | None = None,
        embedder: str | None = None,
        api_version: int = API_VERSION,
    ) -> None:
        if api_version not in _API_VERSIONS:
            raise ConfigError(f"unknown API version {api_version!r}", hint="1 or 2")
        self._app = App.open(
            [path],
            index_dir=index_dir,
            embedder=embedder,
            api_version=2 if api_version == 2 else 1,
        )
        self._caught_up = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the index."""
        self._app.close()

    def refresh(self) -> None:
        """Index what changed on disk since the last time."""
        catch_up(self._app.roots[0], show=False)
        self._caught_up = True

    def search(self, query: str, **arguments: Any) -> SearchResponse:
        """Search with any argument of the `search` tool: limit, file_filter, mode, depth, …"""
        payload = self.call("search", query=query, **arguments)
        if any(hit.get("stale") for hit in payload["hits"]):
            self.refresh()
            payload = self.call("search", query=query, **arguments)
        return self._response(payload)

    def fts_search(self, query: str, **arguments: Any) -> SearchResponse:
        """Search by words alone (BM25)."""
        return self.search(query, **_with_mode("bm25", arguments))

    def hybrid_search(self, query: str, **arguments: Any) -> SearchResponse:
        """Search by words and meaning."""
        return self.search(query, **_with_mode("hybrid", arguments))

    def call(self, tool: str, **arguments: Any) -> Mapping[str, Any]:
        """Call any tool by name and return its structured answer."""
        if not self._caught_up:
            self.refresh()
        return tools.call(self._app, tools.tool_named(tool), arguments).payload

    def _response(self, payload: Mapping[str, Any]) -> SearchResponse:
        object_type = DeprecatedObjectResult if self._app.api_version == 1 else ObjectResult
        return SearchResponse(
            query=payload["query"],
            mode=payload["mode"],
            strategy=payload["strategy"],
            hits=[_made(HitResult, hit) for hit in payload["hits"]],
            chunks=[_made(ChunkResult, chunk) for chunk in payload["chunks"]],
            objects=[_made(object_type, obj) for obj in payload["objects"]],
            relationships=[_relationship(edge) for edge in payload["relationships"]],
            total=payload["total"],
            truncated=payload["truncated"],
            next_cursor=payload["next_cursor"],
            api_version=payload["api_version"],
            warnings=payload["warnings"],
            index=payload["index"],
            timings_ms=payload["timings_ms"],
        )


def _with_mode(mode: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    if arguments.get("mode", mode) != mode:
        raise QueryError(f"this method searches in mode {mode!r}", hint="use Client.search for another mode")
    return {**arguments, "mode": mode}


def _made(kind: type[_T], payload: Mapping[str, Any]) -> _T:
    """Fill a result type; what a newer version adds is left out."""
    known = {each.name for each in fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: value for name, value in payload.items() if name in known})


def _relationship(payload: Mapping[str, Any]) -> RelationshipResult:
    ends = {end: _made(RelationshipEnd, payload[end]) for end in ("source", "target")}
    return _made(RelationshipResult, {**payload, **ends})
