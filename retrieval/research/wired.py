"""Answers about models and their tables, and about what is injected for what: read off the source, never proven."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sightline.graph.build.tested import is_test_file
from sightline.graph.read.symbols import names_of
from sightline.retrieval.research.evidence import SUBTYPES
from sightline.retrieval.research.model import Fact, Line
from sightline.retrieval.research.occurrences import occurrences
from sightline.retrieval.research.pieces import ANSWER, CLOSING, DISPATCH, Draft, count, definitions
from sightline.retrieval.routes.declared import injections_in, tables_in
from sightline.types import TYPE_KINDS

if TYPE_CHECKING:
    from sightline.frameworks.model import Injection, Table
    from sightline.retrieval.routes.asked import Asked
    from sightline.types import Object

_MANY = 60  # that are listed where all are asked for
_RESTS_ON = "Read off the source by rules of each framework; what is configured at run time is not."


def tables(draft: Draft, asked: Asked) -> list[Object] | None:
    """Which class is which table; None where nothing is declared."""
    draft.progress("reading models")
    found = tables_in(draft.graph.snapshot, draft.texts)
    draft.changed |= found.changed
    mine = [one for one in found.tables if draft.scope.code(one.path)]
    if not mine:
        return None
    if asked.kind == "table":
        wanted = asked.name.lower().rpartition(".")[2]
        mine = [one for one in mine if wanted in (one.table.lower().rpartition(".")[2], one.model.lower())]
        if not mine:
            draft.head.append(f"No model or table `{asked.name}` was read ({count(len(found.tables), 'model')} were).")
            return None
        draft.head.append(f"{mine[0].model} ({mine[0].path}:{mine[0].line}) is the model of table {mine[0].table}.")
    else:
        draft.head.append(f"{count(len(mine), 'model')} with a table were read.")
    lines = [Line(_table_line(one), (_table_fact(one),), path=one.path) for one in mine]
    _listed(draft, "Models and tables", lines)
    positions = [p for one in mine[:1] if (p := _position(draft, one.model, one.path)) is not None]
    if asked.kind == "table":
        definitions(draft, positions)
    draft.add("What that rests on", [Line(_RESTS_ON)], CLOSING)
    return draft.graph.objects.get(positions) if asked.kind == "table" else []


def injections(draft: Draft, asked: Asked) -> list[Object] | None:
    """What is injected for what; None where nothing is."""
    draft.progress("reading injections")
    found = injections_in(draft.graph.snapshot, draft.texts)
    draft.changed |= found.changed
    mine = [one for one in found.injections if draft.scope.code(one.path)]
    if not mine:
        return None
    if asked.kind == "injections":
        draft.head.append(f"{count(len(mine), 'injection')} were read.")
        _listed(draft, "Injected", [Line(_given_line(draft, one), (_given_fact(one),), path=one.path) for one in mine])
        draft.add("What that rests on", [Line(_RESTS_ON)], CLOSING)
        return []
    wanted = asked.name.rpartition(".")[2]
    given = [one for one in mine if wanted in (one.key, one.value)]
    if not given:
        below = _subtypes(draft, wanted)
        given = [one for one in mine if one.value in below]
    if not given:
        return None
    places = {(one.value, one.path, one.line): one for one in given}
    draft.head.append(f"{', '.join(dict.fromkeys(one.value for one in places.values()))} is given for {wanted}.")
    lines = [Line(_given_line(draft, one), (_given_fact(one),), path=one.path) for one in places.values()]
    _listed(draft, "Given", lines)
    asking = _asking(draft, {wanted, *(one.key for one in given)})
    draft.add("Asked for", asking, DISPATCH, what="places")
    draft.add("What that rests on", [Line(_RESTS_ON)], CLOSING)
    positions = [p for one in given if (p := _position(draft, one.value, "")) is not None]
    return draft.graph.objects.get(list(dict.fromkeys(positions)))


def _listed(draft: Draft, title: str, lines: Sequence[Line]) -> None:
    shown = list(lines if draft.ample else lines[:_MANY])
    if len(shown) < len(lines):
        shown.append(Line(f"and {len(lines) - len(shown):,} more: ask for one, or for one folder"))
    draft.add(title, shown, ANSWER, what="lines")


def _table_line(one: Table) -> str:
    return f"{one.model} → table {one.table}  {one.path}:{one.line}  ({one.framework}, {one.how}, {one.confidence:.2f})"


def _table_fact(one: Table) -> Fact:
    return Fact(
        "table", one.model, one.path, one.table, "", one.path, one.line, one.confidence, "framework", False, 1, one.how
    )


def _given_line(draft: Draft, one: Injection) -> str:
    position = _position(draft, one.value, "")
    where = f" {draft.graph.location(position)}" if position is not None else ""
    for_ = f"{one.key} ← " if one.key != one.value else ""
    return f"{for_}{one.value}{where}  ({one.framework}, {one.how} {one.path}:{one.line}, {one.confidence:.2f})"


def _given_fact(one: Injection) -> Fact:
    return Fact(
        "injects", one.key, "", one.value, "", one.path, one.line, one.confidence, "framework", False, 1, one.how
    )


def _subtypes(draft: Draft, name: str) -> set[str]:
    """The names of what derives from a type."""
    graph = draft.graph
    positions = [p for p in names_of(graph.snapshot).by_name.get(name, ()) if graph.kinds[p] in TYPE_KINDS]
    names = graph.objects.column("name")
    return {names[far] for _, _, far in graph.rows(positions, "in", SUBTYPES) if far >= 0} if positions else set()


def _asking(draft: Draft, keys: set[str]) -> list[Line]:
    """Lines with a parameter or a field of the type that something is given for."""
    lines: list[Line] = []
    for key in sorted(keys):
        typed = re.compile(
            rf"(?:[(,]|^)\s*(?:@\w+(?:\([^)]*\))?\s*)*(?:private |protected |public |readonly |final |static )*"
            rf"(?:{re.escape(key)}(?:<[^<>]*>)?\s+\w+\s*[,;)=]|\w+\??\s*:\s*{re.escape(key)}\b)|Depends\(\s*{re.escape(key)}\b"
        )
        for file in occurrences(draft.graph.snapshot, draft.texts, key).files:
            if is_test_file(file.text.path) or file.text.reason or not draft.scope.code(file.text.path):
                continue
            for number, line in enumerate(file.lines):
                text = file.line(number)
                if typed.search(text):
                    lines.append(Line(f"{file.text.path}:{line}  {text.strip()[:120]}", path=file.text.path))
    return lines[:_MANY]


def _position(draft: Draft, name: str, path: str) -> int | None:
    """The type or function of a name, in a file where one is given."""
    graph = draft.graph
    found = [p for p in names_of(graph.snapshot).by_name.get(name, ()) if not is_test_file(graph.path(p))]
    found = [p for p in found if graph.kinds[p] not in ("module", "constructor") and path in ("", graph.path(p))]
    return found[0] if found else None
