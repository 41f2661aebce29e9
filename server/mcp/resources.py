"""The resources: `sightline://status`, `sightline://reference` and `sightline://file/{path}`.

A file is given only when the indexer would take it, by the very same functions: it lies inside the root with no link on
the way, no ignore rule hides it, and neither its name nor its content looks like a secret.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from sightline.errors import QueryError
from sightline.indexer.files.confine import is_plain

if TYPE_CHECKING:
    from sightline.server.app import App
    from sightline.server.root import Root

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
    for root in app.roots:
        try:
            return read_confined(root, path)
        except QueryError as error:
            refusal = refusal or error
    raise refusal or QueryError("the server has no root")


def read_confined(root: Root, path: str) -> str:
    """The text on disk of a file that the index of a root has."""
    from sightline.indexer.files.read import Skipped
    from sightline.indexer.files.read import read as read_source
    from sightline.indexer.files.walk import accepts

    shown = path[:200]
    if not is_plain(path):
        raise QueryError(f"{shown!r} is not a path inside the root", hint="paths are relative to the root, without ..")
    candidate = accepts(root.config, path)
    if candidate is None:
        raise QueryError(f"no file {shown!r} in the index of {root.name}", hint="files that are ignored are not given")
    source = read_source(root.config, candidate)
    if isinstance(source, Skipped):
        raise QueryError(f"{shown!r} is not indexed: {source.reason}", hint="only what is indexed is given out")
    return source.text.decode("utf-8", "replace")
