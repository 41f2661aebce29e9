"""The text of one file of a root, for who asks by its path.

A file is given only when the indexer would take it, by the very same functions: it lies inside the root with no link on
the way, no ignore rule hides it, and neither its name nor its content looks like a secret.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.errors import QueryError
from sightline.indexer.files.confine import is_plain

if TYPE_CHECKING:
    from sightline.server.root import Root


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
