"""Which files a file of C sees: those that it includes, and what they include. Worked out once per file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.library import words
from sightline.languages.paths import stem_of
from sightline.languages.values import Module

if TYPE_CHECKING:
    from sightline.graph.build.evaluate import Evaluator

_SYSTEM = words(
    """
    assert.h complex.h ctype.h errno.h fcntl.h float.h inttypes.h limits.h locale.h math.h setjmp.h signal.h stdarg.h
    stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h strings.h time.h unistd.h wchar.h
    """
)
_MAX_SEEN = 4_000  # files; more are no translation unit


def included(evaluator: Evaluator, path: str) -> frozenset[str]:
    """A file and the files of the root that a compiler reads with it."""
    return evaluator.remembered(("included", path), lambda: _reached(evaluator, path))


def _reached(evaluator: Evaluator, path: str) -> frozenset[str]:
    found, new = {path}, [path]
    while new and len(found) < _MAX_SEEN:
        for file in _named(evaluator, new.pop()):
            if file not in found:
                found.add(file)
                new.append(file)
    return frozenset(found)


def _named(evaluator: Evaluator, path: str) -> tuple[str, ...]:
    """The files that a file's own lines include."""
    return evaluator.remembered(("includes", path), lambda: _find_named(evaluator, path))


def _find_named(evaluator: Evaluator, path: str) -> tuple[str, ...]:
    facts = evaluator.table.includes(path)
    found: dict[str, None] = {}
    for _, spec, _ in facts.imports if facts is not None else ():
        for value in evaluator.module(facts, spec) if facts is not None else ():
            if isinstance(value, Module):
                found[value.space] = None
            elif spec.startswith("<"):
                found.update(dict.fromkeys(_on_a_path(evaluator, spec.strip("<>"))))
    return tuple(found)


def _on_a_path(evaluator: Evaluator, path: str) -> list[str]:
    """The one file that `<path>` may mean by an include path that only the build knows; system headers mean none."""
    if path in _SYSTEM:
        return []
    files = evaluator.table.files_with_stem("c", stem_of(path, "c"))
    found = [file for file in files if file == path or file.endswith(f"/{path}")]
    return found if len(found) == 1 else []
