"""Finding a program without running one that a repository brought along.

A PATH may name relative folders (`.`, `node_modules/.bin`) or folders inside the project (direnv and the like do that);
what is found there belongs to the repository and not to the person who runs us.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def trusted_path(outside: Path | None = None, search: str | None = None) -> str:
    """PATH without its relative entries and those that lie in the folder `outside`."""
    entries = (os.environ.get("PATH", os.defpath) if search is None else search).split(os.pathsep)
    return os.pathsep.join(entry for entry in entries if Path(entry).is_absolute() and not _lies_in(entry, outside))


def find_program(name: str, outside: Path | None = None) -> str | None:
    """The full path of a program by trusted entries of PATH alone; None when there is none."""
    search = trusted_path(outside)
    found = shutil.which(name, path=search) if search else None
    # On Windows `which` looks into the current folder first, whatever the path says.
    return found if found and Path(found).is_absolute() and not _lies_in(found, outside) else None


def _lies_in(path: str, folder: Path | None) -> bool:
    if folder is None:
        return False
    try:
        return Path(path).resolve().is_relative_to(folder.resolve()) or Path(path).is_relative_to(folder)
    except (OSError, RuntimeError):
        return True  # what cannot be resolved is not trusted
