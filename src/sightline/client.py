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
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from sightline.errors import ConfigError, QueryError, StoreError
from sightline.server import tools
from sightline.server.app import App
from sightline.server.catchup import catch_up
from sightline.wire import (
    API_VERSION,
    RENAMED,
    ChunkResult,
    FileResult,
    HitResult,
    ObjectResult,
    RelationshipEnd,
    RelationshipResult,
    SearchResponse,
    made,
)

__all__ = [
    "ChunkResult",
    "Client",
    "DeprecatedObjectResult",
    "FileResult",
    "HitResult",
    "ObjectResult",
    "RelationshipEnd",
    "RelationshipResult",
    "SearchResponse",
]

_API_VERSIONS = (1, 2)


class DeprecatedObjectResult(ObjectResult):
    """An object hit under API version 1, with the old names of its ids."""

    __slots__ = ()

    @property
    def id(self) -> str:
        """Deprecated: `version_id`."""
        return self._renamed("id")

    @property
    def canonical_id(self) -> str:
        """Deprecated: `entity_id`."""
        return self._renamed("canonical_id")

    def _renamed(self, old: str) -> str:
        new = RENAMED[old]
        message = f"`{old}` is deprecated and gone in API version 2; use `{new}`"
        warnings.warn(message, DeprecationWarning, stacklevel=3)
        value: str = getattr(self, new)
        return value


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
        self._caught_up = self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the index; nothing can be asked any more. Safe to call twice."""
        self._closed = True
        self._app.close()

    def refresh(self) -> None:
        """Index what changed on disk since the last time."""
        self._check_open()
        catch_up(self._app.roots[0], keep_embedder=True, partial=True)
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
        self._check_open()
        if not self._caught_up:
            self.refresh()
        return tools.call(self._app, tools.tool_named(tool), arguments).payload

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError("this client is closed", hint="make another Client")

    def _response(self, payload: Mapping[str, Any]) -> SearchResponse:
        instead: dict[type, type] = {ObjectResult: DeprecatedObjectResult} if self._app.api_version == 1 else {}
        return made(SearchResponse, payload, instead)


def _with_mode(mode: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    if arguments.get("mode", mode) != mode:
        raise QueryError(f"this method searches in mode {mode!r}", hint="use Client.search for another mode")
    return {**arguments, "mode": mode}
