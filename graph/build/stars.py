"""Which files a file sees by importing all of a library, where libraries hand on others (Dart).

Worked out once per library, since one may hand on hundreds of files and be imported by thousands.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, NamedTuple

from sightline.languages.rows import HANDED_ON, OWN, SEEN_BY_ALL, SHARED
from sightline.languages.values import Module

if TYPE_CHECKING:
    from sightline.graph.build.evaluate import Evaluator


class Seen(NamedTuple):
    """The files whose names are seen, by library, and whether some of what is seen lies outside the root."""

    files: tuple[frozenset[str], ...]
    outside: bool


def imported(evaluator: Evaluator, path: str) -> Seen:
    """What a file sees: the parts of its library, and what they import with all that it hands on."""
    return evaluator.remembered(("imported", path), lambda: _find_imported(evaluator, path))


def handed_on(evaluator: Evaluator, path: str) -> Seen:
    """A library with all that it hands on, directly or through others."""
    kinds = (HANDED_ON, SHARED, SEEN_BY_ALL)
    return evaluator.remembered(("handed on", path), lambda: _reached(evaluator, path, kinds))


def _find_imported(evaluator: Evaluator, path: str) -> Seen:
    parts = _reached(evaluator, path, (SHARED,))
    modules, outside = _named(evaluator, parts.files[0], (OWN, SEEN_BY_ALL))
    libraries = [handed_on(evaluator, module) for module in sorted(modules)]
    files = (parts.files[0], *[library.files[0] for library in libraries])
    return Seen(files, outside or parts.outside or any(library.outside for library in libraries))


def _reached(evaluator: Evaluator, path: str, kinds: Collection[int]) -> Seen:
    """A file, the modules that it names by stars of these kinds, and so on."""
    found, outside, new = {path}, False, {path}
    while new:
        modules, unknown = _named(evaluator, new, kinds)
        outside |= unknown
        new = modules - found
        found |= new
    return Seen((frozenset(found),), outside)


def _named(evaluator: Evaluator, paths: Iterable[str], kinds: Collection[int]) -> tuple[set[str], bool]:
    """The modules that files name by stars of these kinds, and whether others lie outside."""
    modules: set[str] = set()
    outside = False
    for path in sorted(paths):
        facts, stars = evaluator.table.stars(path) or (None, ())
        for star in stars:
            if facts is None or star.seen_by not in kinds:
                continue
            for value in evaluator.star(facts, star.scope, star.module):
                if isinstance(value, Module):
                    modules.add(value.space)
                else:
                    outside = True
    return modules, outside
