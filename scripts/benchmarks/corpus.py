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

_DEFINED = re.compile(r"\b(def|class)\s+(\w+)")


def sources() -> list[Path]:
    """Python files of installed packages and the standard library, in a stable order."""
    folders = [Path(sysconfig.get_paths()["purelib"]), Path(sysconfig.get_paths()["stdlib"])]
    found = {
        path
        for folder in folders
        for path in folder.rglob("*.py")
        if "site-packages" not in str(path) or folder == folders[0]
    }
    return sorted(path for path in found if 500 < path.stat().st_size < 200_000)


def _copies() -> Iterator[tuple[str, str]]:
    files = sources()
    for copy in range(1_000):
        for number, path in enumerate(files):
            text = path.read_text("utf-8", "replace")
            if copy:
                text = _DEFINED.sub(rf"\1 \2_{copy}", text)
            yield f"part{copy}/{number // 100:03}/{path.parent.name}_{number}/{path.name}", text


def grow(root: Path, *, size_bytes: int | None = None, files: int | None = None) -> tuple[int, int]:
    """Write a corpus of about this size, or this many files, below `root`; returns (files, bytes)."""
    count = total = 0
    for name, text in _copies():
        if (size_bytes is not None and total >= size_bytes) or (files is not None and count >= files):
            break
        if size_bytes is not None and files is not None:
            text = text[: max(400, 2 * size_bytes // files)]  # many files of moderate size, as asked
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
