"""Which of several definitions a call means: overloads, files of one namespace, and, as a last resort, a name alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sightline.graph.build.tested import is_test_file
from sightline.languages import facts as f
from sightline.languages import family_of, rules_of
from sightline.languages.paths import is_header

if TYPE_CHECKING:
    from sightline.graph.build.table import Table
    from sightline.languages.facts import Definition, FileFacts, Target


_MAX_CANDIDATES = 4  # by name alone; a name with more definitions says nothing about which one is meant
# Folders and files of systems that a usual build leaves out.
_OTHER_SYSTEM = re.compile(
    r"(?:^|[/_.-])(?:win|win32|win64|windows|msvc|mingw|wince|os2|vms|amiga|djgpp|msdos)(?:[/_.-]|$)", re.I
)
_FREE_KINDS = ("function", "class", "struct", "macro", "enum")


def by_name(
    table: Table, facts: FileFacts, source: Definition, name: str, arguments: int, *, member: bool
) -> list[Target]:
    """What a name may mean in the whole root, when nothing else is known; nothing when that is anybody's guess."""
    rules = rules_of(facts.language)
    if name in rules.common_members or name in rules.builtins:
        return []
    wanted = ("method",) if member else _FREE_KINDS
    guessed = table.guessed(family_of(facts.language), name, by_test=is_test_file(facts.path))
    candidates = [c for c in guessed if c.definition.kind in wanted]
    if rules.linked:
        candidates = linked(facts, candidates, frozenset())
    if rules.exact_arity and arguments >= 0:
        candidates = [c for c in candidates if c.definition.kind in f.TYPE_KINDS or _takes(c, arguments)]
    candidates = [c for c in candidates if _may_be_meant(facts, source, c)]
    by_object = {(c.facts.path, c.definition.qualified_name): c for c in candidates}
    return list(by_object.values()) if len(by_object) <= _MAX_CANDIDATES else []


def _may_be_meant(facts: FileFacts, source: Definition, candidate: Target) -> bool:
    """Not a method that hands on to its namesake, and of objects that a function makes only those of functions that are
    here or named here."""
    where, definition = candidate
    if definition.id == source.id:
        return False
    maker = where.definitions[definition.parent]
    made = definition.kind == "method" and maker.kind in f.CALLABLE_KINDS
    return not made or where.path == facts.path or maker.name in facts.names


def _takes(target: Target, arguments: int) -> bool:
    """Does a function take that many arguments?"""
    return bool(target.definition.flags & f.VARIADIC) or len(target.definition.parameters) == arguments


def preferred(table: Table, targets: list[Target]) -> list[Target]:
    """Of definitions of one name in several files of a namespace, those that a usual build takes."""
    groups: dict[tuple[str, str], list[Target]] = {}
    for target in targets:
        groups.setdefault((target.facts.space, target.definition.qualified_name), []).append(target)
    chosen: list[Target] = []
    for group in groups.values():
        if len(group) > 1:
            ranks = [rules_of(t.facts.language).preference(t.facts.path, table.notes(t.facts.path)) for t in group]
            group = [t for t, rank in zip(group, ranks, strict=True) if rank == min(ranks)]
        chosen.extend(group)
    return chosen


def linked(facts: FileFacts, targets: list[Target], seen: frozenset[str]) -> list[Target]:
    """Of definitions that a linker would see as one name: bodies before prototypes, then the nearest file. A body in a
    header is what a compiler sees before any linker; of others, those that stand nearest to a prototype which the file
    sees by its includes."""
    shown = [t for t in targets if t.facts.path == facts.path or not t.definition.flags & f.FILE_PRIVATE] or targets
    bodies = [t for t in shown if not t.definition.flags & f.OVERLOAD] or shown
    near = [t for t in bodies if t.facts.path == facts.path]
    if near or len(bodies) == 1:
        return near or bodies
    included = {_last_part(spec) for _, spec, _ in facts.imports}
    folder = facts.path.rpartition("/")[0]
    wanted = (
        [t for t in bodies if t.facts.path in seen],
        _nearest_to([t.facts.path for t in shown if t.definition.flags & f.OVERLOAD and t.facts.path in seen], bodies),
        [t for t in bodies if _last_part(t.facts.path) in included],
        [t for t in bodies if t.facts.path.rpartition("/")[0] == folder],
    )
    nearest = next(filter(None, wanted), bodies)
    return [t for t in nearest if is_header(t.facts.path)] or nearest


def usual(facts: FileFacts, bodies: list[Target]) -> list[Target]:
    """Of variants for several systems those for the usual ones; for another one, where the file itself is for that."""
    made = {t.facts.path for t in bodies}  # `lexer.cc`, which a generator makes of `lexer.in.cc`, is what is compiled
    bodies = [t for t in bodies if ".in." not in t.facts.path or t.facts.path.replace(".in.", ".") not in made]
    if len(bodies) == 1:
        return bodies
    other = _OTHER_SYSTEM.search(facts.path) is not None
    return [t for t in bodies if (_OTHER_SYSTEM.search(t.facts.path) is not None) == other] or bodies


def _nearest_to(declared: list[str], bodies: list[Target]) -> list[Target]:
    """The bodies that share the most folders with a file that declares them, and of those the namesakes of one."""
    if not declared:
        return []
    shared = [max(_shared_folders(path, t.facts.path) for path in declared) for t in bodies]
    nearest = [t for t, count in zip(bodies, shared, strict=True) if count == max(shared)]
    names = {_last_part(path).partition(".")[0] for path in declared}
    return [t for t in nearest if _last_part(t.facts.path).partition(".")[0] in names] or nearest


def _shared_folders(path: str, other: str) -> int:
    count = 0
    for part, same in zip(path.split("/")[:-1], other.split("/")[:-1], strict=False):
        if part != same:
            break
        count += 1
    return count


def _last_part(path: str) -> str:
    return path.rpartition("/")[2].strip("<>")


def choose_overloads(targets: list[Target], arguments: int) -> list[Target]:
    """Of several definitions of one name in one class, the one that takes that many arguments."""
    groups: dict[tuple[str, str], list[Target]] = {}
    for target in targets:
        groups.setdefault((target.facts.path, target.definition.qualified_name), []).append(target)
    return [_best_overload(group, arguments) for group in groups.values()]


def _best_overload(group: list[Target], arguments: int) -> Target:
    if len(group) == 1:
        return group[0]
    bodies = [t for t in group if not t.definition.flags & f.OVERLOAD] or group
    if arguments >= 0:
        fitting = [t for t in bodies if len(t.definition.parameters) == arguments]
        if fitting:
            return fitting[0]
    return bodies[0]
