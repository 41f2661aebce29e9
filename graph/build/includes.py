"""Which files a file of C sees: those that it includes, and what they include. Worked out once per file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sightline.graph.build.keys import key_hash
from sightline.graph.build.lookups import Words
from sightline.graph.build.table import includes_key
from sightline.languages import rules_of
from sightline.languages.library import words
from sightline.languages.paths import stem_of
from sightline.languages.values import Module

if TYPE_CHECKING:
    from sightline.graph.build.evaluate import Evaluator
    from sightline.languages.facts import FileFacts

_SYSTEM = words(
    """
    assert.h complex.h ctype.h errno.h fcntl.h float.h inttypes.h limits.h locale.h math.h setjmp.h signal.h stdarg.h
    stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h strings.h time.h unistd.h wchar.h
    """
)
_MAX_SEEN = 4_000  # files; more are no translation unit


def included(evaluator: Evaluator, path: str) -> frozenset[str]:
    """A file and the files of the root that a compiler reads with it."""
    evaluator.table.read(*includes_key(path))
    return evaluator.remembered(("included", path), lambda: _reached(evaluator, path))


def reads_of_includes(evaluator: Evaluator, facts: FileFacts) -> Words:
    """The keys that tell which files a file's own lines include, with those that tell the same of these files. They are
    read by the file, and by whoever includes it; there the one key stands for all of them."""
    if not rules_of(facts.language).linked:
        return np.empty(0, np.uint64)
    evaluator.table.read(*includes_key(facts.path))
    included_files = _named(evaluator, facts.path)
    further = np.fromiter((key_hash(includes_key(file)) for file in included_files), np.uint64, len(included_files))
    return np.concatenate([evaluator.table.settled(facts.path), further])


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
    return evaluator.settled(path, lambda: _find_named(evaluator, path))


def _find_named(evaluator: Evaluator, path: str) -> tuple[str, ...]:
    facts = evaluator.table.includes(path)
    if facts is None or not rules_of(facts.language).linked:
        return ()
    found: dict[str, None] = {}
    for _, spec, _ in facts.imports:
        for value in evaluator.module(facts, spec):
            if isinstance(value, Module):
                found[value.space] = None
            elif spec.startswith("<"):
                found.update(dict.fromkeys(_on_a_path(evaluator, spec.strip("<>"))))
    for file in found:
        evaluator.table.has_file(file)  # noted here, for what is no file of C says nothing of itself
    return tuple(found)


def _on_a_path(evaluator: Evaluator, path: str) -> list[str]:
    """The one file that `<path>` may mean by an include path that only the build knows; system headers mean none."""
    if path in _SYSTEM:
        return []
    files = evaluator.table.files_with_stem("c", stem_of(path, "c"))
    found = [file for file in files if file == path or file.endswith(f"/{path}")]
    return found if len(found) == 1 else []
