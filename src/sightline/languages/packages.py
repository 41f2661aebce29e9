"""Languages whose namespaces are packages that a file states: what an import path means there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sightline.languages.facts import FileFacts
    from sightline.languages.rules import RootView


def package_module(prefix: str, *, relative: bool = False) -> Callable[[RootView, FileFacts, str], str | None]:
    """The namespace of a package that has files in the root; a `relative` one may lie in a package around the file."""

    def module(view: RootView, facts: FileFacts, spec: str) -> str | None:
        around = facts.space.removeprefix(prefix).split(".") if relative else []
        for depth in (0, *range(len(around), 0, -1)):
            space = prefix + ".".join((*around[:depth], spec))
            if view.table.files_of_space(space):
                return space
        return None

    return module


def split_path(parts: list[str]) -> tuple[list[str], list[str]]:
    """A path as its package and what stands inside: types are written with a capital."""
    for place, part in enumerate(parts):
        if part[:1].isupper():
            return parts[:place], parts[place:]
    return parts[:-1], parts[-1:]
