"""A candidate → its text as UTF-8, or the reason why there is none.

Line numbers must be those on disk, so line ends are kept as they are. A file that disappears, grows or cannot be
opened is a result, not an exception: one bad file never stops the index.
"""

from __future__ import annotations

import codecs
import os
from dataclasses import dataclass

from sightline.config import Config
from sightline.indexer.files import skip
from sightline.indexer.files.confine import NotRegularError, content_hash_of, mtime_ns, open_file
from sightline.indexer.files.walk import Candidate
from sightline.languages import detect, spec_of
from sightline.types import FileState

_ATTEMPTS = 3  # a file that is being written is tried again, then left to the watcher's next event
_HEAD_BYTES = 8_192  # enough for a shebang line and to tell a C++ header from a C one
_PROSE = frozenset({"markdown", "text", "html"})  # may have a paragraph per line
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class Source:
    """A file's text. Size and time are those of the moment it was read."""

    path: str
    text: bytes  # UTF-8 without byte order mark, line ends as on disk
    content_hash: str  # of the bytes on disk
    language: str
    size_bytes: int
    mtime_ns: int
    lines: int
    note: str  # "" or what was done to the text, e.g. "invalid UTF-8 replaced"


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that gives no text: left out on purpose, or failed."""

    path: str
    state: FileState  # "skipped" or "failed"
    reason: str
    content_hash: str = ""


def read(config: Config, candidate: Candidate) -> Source | Skipped:
    """Read a candidate; one that is to be skipped is never opened."""
    path = candidate.path
    if candidate.skip_reason:
        return unopened(candidate)
    content = _bytes_of(config, path)
    if isinstance(content, Skipped):
        return content
    data, status = content
    content_hash = content_hash_of(data)
    if not data.startswith(_UTF16_MARKS) and skip.looks_binary(data):
        return Skipped(path, "skipped", skip.BINARY, content_hash)
    text, note = _as_utf8(data)
    language = detect(path, text[:_HEAD_BYTES])
    reason = skip.by_content(text, prose=language in _PROSE, code=not spec_of(language).document)
    if reason:
        return Skipped(path, "skipped", reason, content_hash)
    return Source(
        path=path,
        text=text,
        content_hash=content_hash,
        language=language,
        size_bytes=status.st_size,
        mtime_ns=mtime_ns(status),
        lines=line_count(text),
        note=note,
    )


def unopened(candidate: Candidate) -> Skipped:
    """What is said of a candidate that is to be skipped."""
    state: FileState = "failed" if candidate.skip_reason == skip.UNREADABLE else "skipped"
    return Skipped(candidate.path, state, candidate.skip_reason)


def line_count(text: bytes) -> int:
    """Count lines as every tool does that an agent edits with: separated by newlines, the last one may lack its own."""
    return text.count(b"\n") + (0 if text.endswith(b"\n") or not text else 1)


def _bytes_of(config: Config, path: str) -> tuple[bytes, os.stat_result] | Skipped:
    for _ in range(_ATTEMPTS):
        try:
            descriptor, before = open_file(config.root, path)
        except (FileNotFoundError, NotADirectoryError):
            return Skipped(path, "failed", "disappeared")
        except NotRegularError:
            return Skipped(path, "skipped", skip.NOT_REGULAR)
        except OSError:
            return Skipped(path, "failed", skip.UNREADABLE)
        try:
            with os.fdopen(descriptor, "rb") as file:
                data = file.read(config.max_file_bytes + 1)
                after = os.fstat(descriptor)
        except OSError:
            return Skipped(path, "failed", skip.UNREADABLE)
        if len(data) > config.max_file_bytes:
            return Skipped(path, "skipped", skip.TOO_LARGE)
        if len(data) == after.st_size == before.st_size and before.st_mtime_ns == after.st_mtime_ns:
            return data, after
    return Skipped(path, "failed", skip.CHANGED)


def _as_utf8(data: bytes) -> tuple[bytes, str]:
    if data.startswith(_UTF16_MARKS):
        return data.decode("utf-16", "replace").encode("utf-8", "replace"), "UTF-16 decoded"
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace").encode("utf-8"), "invalid UTF-8 replaced"
    return data, ""
