"""The resources: `sightline://status`, `sightline://reference` and `sightline://file/{path}`.

A file is given only when the indexer would take it (`server/confined.py`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from sightline.errors import QueryError

if TYPE_CHECKING:
    from sightline.server.app import App

STATUS_URI = "sightline://status"
REFERENCE_URI = "sightline://reference"
FILE_PREFIX = "sightline://file/"

RESOURCES: Sequence[Mapping[str, str]] = (
    {
        "description": "What is indexed: files, languages, objects, relationships, failures, freshness.",
        "mimeType": "application/json",
        "name": "status",
        "title": "Index status",
        "uri": STATUS_URI,
    },
    {
        "description": "Every argument of the four tools, those too that their definitions do not name.",
        "mimeType": "text/markdown",
        "name": "reference",
        "title": "Arguments of the tools",
        "uri": REFERENCE_URI,
    },
)
TEMPLATES: Sequence[Mapping[str, str]] = (
    {
        "description": "The text of one file; the path is relative to the root, as hits name it.",
        "mimeType": "text/plain",
        "name": "file",
        "title": "A file of the root",
        "uriTemplate": "sightline://file/{+path}",
    },
)


@dataclass(frozen=True, slots=True)
class Content:
    """A resource as text."""

    text: str
    mime_type: str


def read(app: App, uri: str) -> Content:
    """The resource of this address."""
    if uri.rstrip("/") == STATUS_URI:
        return Content(json.dumps(app.status(), indent=1, ensure_ascii=False), "application/json")
    if uri.rstrip("/") == REFERENCE_URI:
        from sightline.server.mcp import reference

        return Content(reference.page(), "text/markdown")
    if uri.startswith(FILE_PREFIX):
        return Content(read_file(app, unquote(uri[len(FILE_PREFIX) :])), "text/plain")
    known = f"known ones: {STATUS_URI}, {REFERENCE_URI}, {FILE_PREFIX}{{path}}"
    raise QueryError(f"unknown resource {uri[:200]!r}", hint=known)


def read_file(app: App, path: str) -> str:
    """The text of a file that one of the roots has; the first of several."""
    refusal: QueryError | None = None
    for root, inside in app.files_named(path):
        try:
            return root.file_text(inside)
        except QueryError as error:
            refusal = refusal or error
    raise refusal or QueryError(f"no file {path[:200]!r} in any root")
