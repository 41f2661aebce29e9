"""Files that say what a path or a package name means: package.json, go.mod and their like.

They are read whatever language they count as. The languages name them in their specs; what one says goes into the notes
of the file's facts, and `provides` among the notes becomes keys of the symbol table, so that a resolver can find the
manifest of a package by its name.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from sightline.languages.table import LANGUAGES, spec_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from sightline.languages.facts import Facts
    from sightline.types import ParsedFile


@cache
def _manifests() -> dict[re.Pattern[str], Callable[[bytes], dict[str, Any]]]:
    stated = (item for language in LANGUAGES for item in spec_of(language).manifests.items())
    return {re.compile(pattern): notes for pattern, notes in stated}


def read_manifest(parsed: ParsedFile, facts: Facts) -> None:
    """State what a manifest says, when the file is one."""
    name = PurePosixPath(parsed.path).name
    for pattern, notes in _manifests().items():
        if pattern.fullmatch(name):
            facts.notes.update(notes(parsed.source))
