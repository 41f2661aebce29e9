"""Is a file on disk what the index knows? Size and time tell; nothing is read."""

from __future__ import annotations

from typing import Protocol

from sightline.indexer.files.walk import Candidate


class Known(Protocol):
    """What has to be known of a file to tell."""

    @property
    def size_bytes(self) -> int: ...

    @property
    def mtime_ns(self) -> int: ...

    @property
    def content_hash(self) -> str: ...

    @property
    def state(self) -> str: ...

    @property
    def reason(self) -> str: ...


def unchanged(candidate: Candidate, known: Known | None) -> bool:
    """Whether nothing is to be done for a file."""
    if known is None or known.state == "failed":
        return False
    if (known.size_bytes, known.mtime_ns) != (candidate.size_bytes, candidate.mtime_ns):
        return False
    if candidate.skip_reason:
        return known.reason == candidate.skip_reason
    return known.content_hash != ""  # it was read; skipped for its content or indexed
