"""Which place a project names for its bundles, and whether the person allows it.

A project says so in `.sightline.toml`:

    [bundle]
    source = "https://example.org/indexes/project"
    pins = { "<commit>" = "<sha256 of its description>" }    # optional: nothing else is taken

The file is the project's, so by itself it has no effect: a place counts only when the person names it on the command
line, says yes to it, or has it in `SIGHTLINE_SOURCES`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sightline.errors import ConfigError
from sightline.indexer.files.confine import read_bytes

FILE = ".sightline.toml"
_MAX_BYTES = 100_000
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Named:
    """What a project says of its bundles."""

    address: str = ""
    pins: Mapping[str, str] | None = None


def named_by(root: Path) -> Named:
    """What the project's file names; an empty source when there is none. ConfigError when it cannot be understood."""
    try:
        content = read_bytes(root, FILE, _MAX_BYTES)
    except OSError:
        return Named()
    try:
        table = tomllib.loads(content.decode()).get("bundle", {})
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"cannot understand {FILE}: {error}") from error
    address = table.get("source", "") if isinstance(table, dict) else ""
    pins = table.get("pins") if isinstance(table, dict) else None
    if not isinstance(address, str) or not _right(pins):
        raise ConfigError(f"cannot understand {FILE}: [bundle] has a source, and pins of sha256 by commit")
    return Named(address, pins)


def is_allowed(address: str, allowed: Sequence[str]) -> bool:
    """Whether a place is one that the person allows, or below one."""
    plain = address.rstrip("/")
    if ".." in plain.split("/"):
        return False
    return any(plain == place.rstrip("/") or plain.startswith(place.rstrip("/") + "/") for place in allowed)


def _right(pins: object) -> bool:
    if pins is None:
        return True
    if not isinstance(pins, dict):
        return False
    return all(isinstance(value, str) and _SHA256.fullmatch(value) for value in pins.values())
