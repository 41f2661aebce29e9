"""The resources: `sightline://status`, `sightline://reference` and `sightline://file/{path}`.

A file is given only when it lies inside a root after every link has been resolved, is a regular text file within the
size bound, and does not look like a secret: the same rules the indexer follows.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from sightline.errors import QueryError

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
        from sightline.server import reference

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
            return _read_confined(root, path)
        except QueryError as error:
            refusal = refusal or error
    raise refusal or QueryError("the server has no root")


def _read_confined(root: Root, path: str) -> str:
    from sightline.indexer import skip

    shown = path[:200]
    if not path or "\0" in path or path.startswith(("/", "\\")) or ".." in Path(path).parts:
        raise QueryError(f"{shown!r} is not a path inside the root", hint="paths are relative to the root, without ..")
    try:
        file = (root.config.root / path).resolve(strict=True)
        status = file.stat()
    except (OSError, RuntimeError, ValueError) as error:
        raise QueryError(f"no file {shown!r} in {root.name}") from error
    if not file.is_relative_to(root.config.root):
        raise QueryError(f"{shown!r} leads out of the root")
    real = file.relative_to(root.config.root).as_posix()
    if not stat.S_ISREG(status.st_mode):
        raise QueryError(f"{shown!r} is not a regular file")
    if skip.by_name(path) == skip.SECRET or skip.by_name(real) == skip.SECRET:
        raise QueryError(f"{shown!r} looks like a secret and is not given out")
    if skip.PRUNED_FOLDERS.intersection(real.split("/")):
        raise QueryError(f"{shown!r} lies in a folder that is not indexed")
    if status.st_size > root.config.max_file_bytes:
        raise QueryError(f"{shown!r} is too large ({status.st_size:,} bytes)", hint="read it with your own tools")
    data = file.read_bytes()
    if b"\0" in data:
        raise QueryError(f"{shown!r} is binary")
    return data.decode("utf-8-sig", "replace")
