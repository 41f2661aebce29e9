"""Files whose grammar cannot be trusted with them: known by their content, cut by lines, named in `status`.

A file that crashed, hung or bloated its parser is not parsed again until its content changes. The index remembers them
by the reason in their records, so every later process knows them too.
"""

from __future__ import annotations

import signal
from collections.abc import Iterable

from sightline.indexer.analysis.limits import OUT_OF_MEMORY
from sightline.types import FileRecord

CRASHES = "crashes its parser"
TOO_LONG = "takes too long to parse"
TOO_MUCH_MEMORY = "takes too much memory to parse"
REASONS = frozenset({CRASHES, TOO_LONG, TOO_MUCH_MEMORY})
Suspect = tuple[str, str]  # content hash and language: the same bytes are harmless to another grammar
_BLOATED = 0.5  # of the allowed memory was held when it was last looked at: the rest went in between
# Signals that a process brings upon itself; others come from outside, and may have met any file.
_OWN_FAULT = frozenset(
    getattr(signal, name).value
    for name in ("SIGSEGV", "SIGBUS", "SIGABRT", "SIGILL", "SIGFPE", "SIGTRAP", "SIGSYS")
    if hasattr(signal, name)
)
_WINDOWS_EXCEPTIONS = 0xC0000000  # exit codes from here on are crashes


def is_quarantined(record: FileRecord) -> bool:
    """Whether a file is cut by lines because its parser cannot be trusted with it."""
    return record.state == "indexed" and record.reason in REASONS


def known(records: Iterable[FileRecord]) -> dict[Suspect, str]:
    """The contents that an index knows not to be parsed, and why."""
    return {(record.content_hash, record.language): record.reason for record in records if is_quarantined(record)}


def verdict(exit_code: int, held_share: float) -> tuple[str, bool]:
    """Why a worker process ended while it was at a file, and whether that is certain; `held_share` is the share of
    the allowed memory that it was last seen to hold."""
    if exit_code == OUT_OF_MEMORY:
        return TOO_MUCH_MEMORY, True
    if hasattr(signal, "SIGXCPU") and exit_code == -signal.SIGXCPU:
        return TOO_LONG, True
    own = -exit_code in _OWN_FAULT or exit_code >= _WINDOWS_EXCEPTIONS
    if held_share > _BLOATED:  # whoever is refused memory crashes
        return TOO_MUCH_MEMORY, own
    return CRASHES, own
