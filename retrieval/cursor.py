"""Where the next page begins.

A cursor names the offset and a digest of everything that shapes the list, so that a cursor of another query is
refused instead of answered with the wrong page. The index may have changed in between: the offset then counts in the
new list, which is the freshest answer there is.
"""

from __future__ import annotations

import dataclasses
import re

import xxhash

from sightline.errors import QueryError
from sightline.types import Query

MAX_OFFSET = 1_000  # deeper than any agent reads; bounds what has to be ranked

_SHAPING = tuple(
    field.name
    for field in dataclasses.fields(Query)
    if field.name not in ("vector", "filters", "offset", "limit", "explain")
)
_CURSOR = re.compile(r"(\d{1,6})-([0-9a-f]{16})")


def encode(query: Query, offset: int) -> str:
    """Return the cursor of the page that begins at `offset`."""
    return f"{offset}-{_digest(query)}"


def decode(query: Query, cursor: str) -> int:
    """Return the offset a cursor stands for; a cursor of another query is a QueryError."""
    match = _CURSOR.fullmatch(cursor.strip())
    if match is None:
        raise QueryError(f"{cursor[:60]!r} is not a cursor", hint="pass `next_cursor` of the previous page unchanged")
    if match.group(2) != _digest(query):
        raise QueryError("this cursor belongs to another query", hint="repeat the call without `cursor`")
    return min(int(match.group(1)), MAX_OFFSET)


def _digest(query: Query) -> str:
    vector = b"" if query.vector is None else query.vector.tobytes()
    filters = query.filters
    described = (
        [getattr(query, name) for name in _SHAPING],
        (filters.file_filter, filters.exclude_filter, sorted(filters.metadata.items())),
    )
    return xxhash.xxh3_64_hexdigest(repr(described).encode("utf-8", "surrogatepass") + vector)
