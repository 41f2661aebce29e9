"""What Cargo.toml says: the name of a crate and the file of its library."""

from __future__ import annotations

import tomllib
from typing import Any


def cargo_notes(source: bytes) -> dict[str, Any]:
    """The name of a crate and the file of its library."""
    try:
        found = tomllib.loads(source.decode("utf-8", "replace"))
    except tomllib.TOMLDecodeError:
        return {}
    notes: dict[str, Any] = {}
    package, library = found.get("package"), found.get("lib")
    names = [part.get("name") for part in (library, package) if isinstance(part, dict)]
    name = next((n for n in names if isinstance(n, str)), None)
    if name is not None:
        notes["provides"] = [f"cargo:{name.replace('-', '_')}"]
    if isinstance(library, dict) and isinstance(library.get("path"), str):
        notes["library"] = library["path"]
    return notes
