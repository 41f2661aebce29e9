"""A corpus of real code for benchmarks: Python files of this interpreter and its installed packages.

Nothing is downloaded and nothing is kept; when there is not enough, files are repeated under another package name with
their identifiers suffixed, so that they are new text to every part of the index.
"""

from __future__ import annotations

import re
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

_CUT = 1.35  # where so many files of so many bytes are asked for, none is longer than this times the mean
_DEFINED = re.compile(r"\b(def|class)\s+(\w+)")


def sources() -> list[tuple[str, Path]]:
    """Python files of installed packages and the standard library, by their path within them, in a stable order."""
    paths = sysconfig.get_paths()
    found = {}
    for folder in (Path(paths["purelib"]), Path(paths["stdlib"])):
        for path in folder.rglob("*.py"):
            name = path.relative_to(folder).as_posix()
            if not name.startswith("site-packages/") and 500 < path.stat().st_size < 200_000:
                found.setdefault(name, path)
    return sorted(found.items())


def _copies() -> Iterator[tuple[str, str]]:
    files = sources()
    for copy in range(1_000):
        for name, path in files:
            text = path.read_text("utf-8", "replace")
            if copy:
                text = _DEFINED.sub(rf"\1 \2_{copy}", text)
            yield f"part{copy}/{name}", text


def grow(root: Path, *, size_bytes: int | None = None, files: int | None = None) -> tuple[int, int]:
    """Write a corpus of about this size, or this many files, below `root`; returns (files, bytes)."""
    count = total = 0
    for name, text in _copies():
        if (count >= files) if files is not None else (size_bytes is not None and total >= size_bytes):
            break
        if size_bytes is not None and files is not None:
            text = text[: max(400, int(_CUT * size_bytes / files))]
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", "replace")
        count, total = count + 1, total + len(text)
    return count, total


def machine() -> str:
    """One line about where figures come from."""
    import os
    import platform

    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    where = f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}"
    return f"{where}, Python {sys.version.split()[0]}, load {load:.1f}"
