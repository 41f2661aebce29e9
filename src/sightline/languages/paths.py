"""Which file of the root a path in an import means."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from sightline.languages.table import family_of, spec_of

if TYPE_CHECKING:
    from sightline.languages.rules import RootView


_HEADERS = (".h", ".hpp", ".hh", ".hxx")


def is_header(path: str) -> bool:
    """Is it a header of C or C++, which declares what other files define?"""
    return path.endswith(_HEADERS)


def stem_of(path: str, language: str) -> str:
    """The name a file goes by in imports."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return folder.rpartition("/")[2] if stem in spec_of(language).unnamed else stem


def nearest_file(view: RootView, language: str, here: str, endings: Iterable[str]) -> str | None:
    """A file whose path ends with one of the endings: beside or above the folder `here` first, then the shortest."""
    wanted = [ending for ending in endings if ending]
    folder = PurePosixPath(here).parent
    for parent in (folder, *folder.parents):
        for ending in wanted:
            path = ending if str(parent) == "." else f"{parent}/{ending}"
            if view.table.has_file(path):
                return path
    found = [
        path
        for stem in dict.fromkeys(stem_of(ending, language) for ending in wanted)
        for path in view.table.files_with_stem(family_of(language), stem)
        if any(path.endswith(f"/{ending}") for ending in wanted)
    ]
    return min(found, key=lambda path: (path.count("/"), len(path), path)) if found else None


def relative_file(view: RootView, here: str, path: str, endings: Iterable[str] = ("",)) -> str | None:
    """The file at a path that is relative to the folder of `here`."""
    parts = list(PurePosixPath(here).parent.parts)
    for part in PurePosixPath(path).parts:
        if part == "..":
            parts = parts[:-1]
        elif part != ".":
            parts.append(part)
    found = "/".join(parts)
    return next((found + ending for ending in endings if view.table.has_file(found + ending)), None)
