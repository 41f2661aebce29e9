"""The check that closes an answer: every line of the root that says the name, accounted for or named.

An answer from the graph is believed when nothing is left over. `census` puts each line to what accounts for it; here
the outcome is said in a line, and what remains is named line by line, calls first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sightline.retrieval.research.census import Census, census
from sightline.retrieval.research.listing import location
from sightline.retrieval.research.model import Line
from sightline.retrieval.research.wording import simple
from sightline.types import TYPE_KINDS

if TYPE_CHECKING:
    from sightline.retrieval.research.pieces import Draft

_MAX_FILES, _MANY_FILES = 8, 16  # named of what is not accounted for; more where that is all there is
_QUOTED_CHARS = 100
_FEW_LINES = 2  # of one kind whose places are told: then nothing is left to look for
_PLACED = frozenset({"use", "family", "namesake", "comment", "definition"})
_FEW_FILES = 3  # named of what is, where that could contradict a negative answer
_ONE = {"definition": "definition", "import": "import", "use": "other use of it", "namesake": "resolved to a namesake"}
_WHAT = {  # in the order they are told
    "site": "listed above",
    "guess": "listed above as possible",
    "use": "other uses of it",
    "family": "through overrides",
    "definition": "definitions",
    "namesake": "resolved to namesakes",
    "outside": "resolved outside this root",
    "import": "imports",
    "variable": "as $name",
    "comment": "in comments or strings",
    "document": "in documents",
    "test": "in tests",
}
_LEFT = {"open": "", "maybe": " (may be it)", "mention": " (said but not called)"}


def closing_lines(
    draft: Draft, name: str, positions: Sequence[int], *, negative: bool, declared: bool = False
) -> tuple[list[Line], int]:
    """What the check found, in a few lines, and how many lines may mean it; with a negative answer every place
    that could contradict it."""
    bare = simple(name)
    declared = declared and not negative
    found = census(draft, bare, positions, declared=declared)
    draft.changed.update(found.changed)
    unread = f"; {found.unread} file{'s' if found.unread > 1 else ''} not searched" if found.unread else ""
    if not found.total:
        where = "that was searched" if unread else "of the root"
        nowhere = Line(f"`{bare}` stands nowhere in the text {where}{unread}.")
        return ([nowhere] if negative or unread else []), 0
    open_lines, mentions = found.count("open") + found.count("maybe"), found.count("mention")
    called = all(draft.graph.kinds[p] not in TYPE_KINDS for p in positions)  # what a string says may be run
    strings = [] if negative or not called or len(found.strings) > _FEW_LINES else found.strings
    placed = _PLACED - {"comment"} if strings else _PLACED if not negative else frozenset()
    parts = [_counted(found, what, placed=what in placed) for what in _WHAT if what in found.locations]
    if mentions:
        parts.append(f"{mentions} {'that declare nothing' if declared else 'said but not called'}")
    files = f"{len(found.paths)} file{'s' if len(found.paths) > 1 else ''}"
    lines_said = f"{found.total} line{'s' if found.total > 1 else ''} of {files}"
    few = mentions <= _MAX_FILES and not declared
    elsewhere = 0
    if not open_lines:
        complete = "as far as looked, " if found.unread else "" if found.total == 1 else "all "
        lines = [Line(f"`rg -w {bare}`: {complete}{lines_said} accounted for: {', '.join(parts)}{unread}.")]
    else:
        left = [(found.count("maybe"), "may be it (others have the name too)"), (found.count("open"), "not resolved")]
        parts += [f"{number} {label}" for number, label in left if number]
        elsewhere = _take_elsewhere(draft, found) if not negative else 0
        outside = f" ({elsewhere} of them outside of what was asked about)" if elsewhere else ""
        ending = ":" if found.count("maybe") + found.count("open") else "."
        lines = [Line(f"`rg -w {bare}`: {lines_said}: {', '.join(parts)}{outside}{unread}{ending}")]
        lines += _kinds(found, ("maybe", "open"), _MANY_FILES if negative else _MAX_FILES)
    lines += [_said_in_string(draft, path, line) for path, line in strings]
    lines += _kinds(found, ("mention",), _FEW_FILES) if few or negative else []
    if negative and open_lines <= _FEW_FILES:
        lines += _kinds(found, ("comment", "document", "import"), _FEW_FILES)
    return lines, open_lines - elsewhere + found.count("guess")


def _counted(found: Census, what: str, *, placed: bool = False) -> str:
    number = found.count(what)
    said = f"{number} {_ONE.get(what, _WHAT[what]) if number == 1 else _WHAT[what]}"
    least = 2 if what == "definition" else 1  # the first sentence says where the one is
    if not placed or not least <= number <= _FEW_LINES:
        return said
    here = found.paths[0] if len(found.paths) == 1 else ""
    return f"{said} ({', '.join(location(path, lines, here) for path, lines in found.locations[what].items())})"


def _take_elsewhere(draft: Draft, found: Census) -> int:
    """Take what is not resolved out of the list where it is not in the files that are asked about; how much that is."""
    taken = 0
    for kind in ("maybe", "open"):
        for path in [path for path in found.locations.get(kind, {}) if not draft.scope.code(path)]:
            taken += len(found.locations[kind].pop(path))
    return taken


def _said_in_string(draft: Draft, path: str, line: int) -> Line:
    """A line that is quoted: `trap "release $slot" EXIT` calls what it says."""
    return Line(f"  {path}:{line} (in a string)  | {draft.source.text(path, line)[:_QUOTED_CHARS]}", path=path, rank=1)


def _kinds(found: Census, kinds: Sequence[str], most: int) -> list[Line]:
    lines: list[Line] = []
    for kind in kinds:
        places = found.locations.get(kind, {})
        label = _LEFT[kind] if kind in _LEFT else f" ({_WHAT[kind]})"
        ordered = sorted(places, key=lambda path: (not any((path, n) in found.called for n in places[path]), path))
        for path in ordered[:most]:
            note = f" ({found.notes[path]})" if path in found.notes else label
            lines.append(
                Line(f"  {location(path, places[path])}{note}", path=path, rank=0 if kind in ("open", "maybe") else 1)
            )
        if len(ordered) > most:
            more = sum(len(places[path]) for path in ordered[most:])
            lines.append(Line(f"  and {more} lines in {len(ordered) - most} more files: search for it", rank=1))
    return lines
