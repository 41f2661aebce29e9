"""Models with their tables and what is injected, in one snapshot; read off the texts when asked, like routes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sightline.frameworks.declared import injections_of, tables_of
from sightline.frameworks.masked import MaskedText
from sightline.frameworks.model import Injection, Rules, Table
from sightline.frameworks.rules import ALL
from sightline.graph.build.tested import is_test_file
from sightline.retrieval.routes.find import MAX_BYTES, MAX_FILES, files_saying
from sightline.retrieval.routes.opened import Files

if TYPE_CHECKING:
    from sightline.retrieval.research.occurrences import Texts
    from sightline.store import Snapshot


@dataclass(slots=True)
class Declared:
    """What the files of a snapshot declare, tests left out."""

    tables: list[Table] = field(default_factory=list)
    injections: list[Injection] = field(default_factory=list)
    changed: set[str] = field(default_factory=set)


def tables_in(snapshot: Snapshot, texts: Texts) -> Declared:
    """Every model with its table."""
    found = Declared()
    for rules in ALL:
        if rules.tables:
            found.tables += tables_of(rules, _sources(snapshot, texts, rules, found))
    found.tables.sort(key=lambda t: (t.table.lower(), t.path, t.line))
    return found


def injections_in(snapshot: Snapshot, texts: Texts) -> Declared:
    """Everything that is said to be injected."""
    found = Declared()
    for rules in ALL:
        if rules.injections:
            found.injections += injections_of(rules, _sources(snapshot, texts, rules, found))
    found.injections = sorted(dict.fromkeys(found.injections), key=lambda i: (i.key, i.path, i.line))
    return found


def _sources(snapshot: Snapshot, texts: Texts, rules: Rules, found: Declared) -> list[MaskedText]:
    records = snapshot.files
    paths = {path for word in rules.words for path in files_saying(snapshot, word)}
    mine = sorted(
        p
        for p in paths
        if records[p].language in rules.languages and not is_test_file(p) and records[p].size_bytes <= MAX_BYTES
    )[:MAX_FILES]
    files = Files(texts, records)
    files.prepare(mine, rules.key)
    found.changed |= files.changed
    return [MaskedText(p, records[p].language, *opened) for p in mine if (opened := files.open(p)) is not None]
