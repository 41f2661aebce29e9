"""Finding a program without running one that a repository brought along.

A PATH may name relative folders (`.`, `node_modules/.bin`) or folders inside the project (direnv and the like do that);
what is found there belongs to the repository and not to the person who runs us.
"""

from __future__ import annotations

import os
import shutil
from functools import lru_cache
from pathlib import Path


def trusted_path(outside: Path) -> str:
    """PATH without its relative entries and those that lie in the folder `outside`."""
    return _trusted(os.environ.get("PATH", os.defpath), outside)


def find_program(name: str, path: str) -> str | None:
    """The full path of a program by the entries of a trusted path alone; None when there is none."""
    found = shutil.which(name, path=path) if path else None
    # On Windows `which` looks into the current folder first, whatever the path says.
    return (
        found if found and str(Path(found).parent) in {str(Path(entry)) for entry in path.split(os.pathsep)} else None
    )


@lru_cache(maxsize=64)
def _trusted(path: str, outside: Path) -> str:
    entries = path.split(os.pathsep)
    return os.pathsep.join(entry for entry in entries if Path(entry).is_absolute() and not _lies_in(entry, outside))


def _lies_in(path: str, folder: Path) -> bool:
    try:
        return Path(path).resolve().is_relative_to(folder.resolve()) or Path(path).is_relative_to(folder)
    except (OSError, RuntimeError):
        return True  # what cannot be resolved is not trusted
