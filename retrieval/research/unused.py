"""What is never used: symbols that nothing refers to and whose names stand nowhere else.

Two questions are asked of every symbol. The graph: does an edge lead to it from outside of itself? The text: does its
name stand as a word anywhere else, in code, strings, configuration or prose? Only where both say no it is unused, and
only where it is nobody's to call from outside: entry points, what a framework finds by a decorator or a name, what
overrides, and the public names of a library are unknown. What only tests refer to is a class of its own.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from sightline.graph.build.tested import is_test_file, is_test_name
from sightline.languages import known_of
from sightline.retrieval.research import exposure
from sightline.retrieval.research.model import Fact, Line
from sightline.retrieval.research.occurrences import Text, lines_saying
from sightline.retrieval.research.pieces import ANSWER, CLOSING, DISPATCH, REST, Draft
from sightline.types import NOT_SEARCHED

if TYPE_CHECKING:
    from sightline.retrieval.research.names import Area

UNUSED, ONLY_TESTS = "unused", "only_tests"
_KINDS: dict[str, frozenset[str]] = {  # a word of the question → what it asks for
    "function": frozenset({"function", "macro"}),
    "method": frozenset({"method"}),
    "class": frozenset({"class", "struct"}),
    "type": frozenset({"class", "struct", "interface", "enum", "type_alias"}),
    "interface": frozenset({"interface"}),
    "constant": frozenset({"constant"}),
    "variable": frozenset({"constant"}),
}
_ALL_KINDS = frozenset().union(*_KINDS.values())
_TESTS_INSIDE = frozenset({"tests", "test"})  # modules of tests in a file of code, as Rust has them
_CALLED = frozenset({"function", "method", "macro"})  # what the graph knows the uses of; of others only the text does
_WITH_MACROS = frozenset({"c", "cpp", "objc"})
_LOOK_S = 20.0  # all texts of the largest repositories take less
_WORD = re.compile(rb"[A-Za-z_]\w*")
_PLAIN = re.compile(r"[A-Za-z_]\w*", re.ASCII)
# Names that are put together: `getattr(self, "visit_" + kind)`, f"{event}_handler", `prefix_##name`, `name##_node`.
_PREFIX = re.compile(rb"[\"'`](_*[A-Za-z]\w*_)(?:[\"'`{]|%[sdr(]|\$\{)|\b(\w+_)[ \t]*##|\b[A-Z][A-Z0-9_]+\((\w+_)\)")
_SUFFIX = re.compile(rb"(?:[}]|%s)((?:_[A-Za-z0-9]+)+)[\"'`]|##[ \t]*(_\w+)")
_SHORTEST = 2  # of a beginning or end
_MANY_UNKNOWN = 5  # examples of each reason
_CONFIDENCE = 0.9  # by hand, docs/ANSWERS.md


@dataclass(slots=True)
class Candidate:
    """A symbol that no edge from other code leads to."""

    position: int
    name: str
    path: str
    start: int
    end: int
    trusted: bool  # where it ends is known; C's macros may hide that
    tested: bool  # an edge from a test leads to it
    said: tuple[str, int] | None = None  # the first place outside of tests that says its name
    said_in_tests: tuple[str, int] | None = None


@dataclass(slots=True)
class Found:
    """The candidates by what became of them."""

    unused: list[Candidate] = field(default_factory=list)
    only_tests: list[Candidate] = field(default_factory=list)
    unknown: dict[str, list[Candidate]] = field(default_factory=dict)  # why → which
    asked: int = 0  # symbols that were looked at
    unread: int = 0  # texts that were not searched


def unused(draft: Draft, area: Area) -> None:
    """Answer what is never used in an area."""
    found = find(draft, area.files)
    _report(draft, area.label, found)


def find(draft: Draft, files: Iterable[str]) -> Found:
    """Put every symbol of these files that no other code refers to into one of three classes."""
    found = Found()
    graph = draft.graph
    wanted = _kinds(draft.asked)
    draft.progress("symbols that no edge leads to")
    candidates = _candidates(draft, set(files), wanted, found)
    exposed = exposure.Exposure(graph, draft.source)
    waiting: list[Candidate] = []
    for candidate in candidates:
        why = exposed.why(candidate.position)
        if why:
            found.unknown.setdefault(why, []).append(candidate)
        else:
            waiting.append(candidate)
    draft.progress("their names in all texts")
    composed = _search(draft, waiting, found)
    for candidate in waiting:
        _classify(candidate, graph.kinds[candidate.position], composed, found)
    _drop_members(found)
    return found


def _kinds(asked: str) -> frozenset[str]:
    named = [kinds for word, kinds in _KINDS.items() if re.search(rf"\b{word}(?:s|es)?\b", asked)]
    return frozenset().union(*named) if named else _ALL_KINDS


def _candidates(draft: Draft, files: set[str], wanted: frozenset[str], found: Found) -> list[Candidate]:
    graph = draft.graph
    objects = graph.objects
    used, tested = _referred(draft)
    names, languages = objects.column("name"), objects.column("language")
    ends = objects.column("end_line")
    out = []
    for position in np.flatnonzero(objects.alive).tolist():
        path = graph.path(position)
        if graph.kinds[position] not in wanted or path not in files or not draft.scope.code(path):
            continue
        if is_test_file(path) or is_test_name(names[position], graph.kinds[position]):
            continue
        if any(character.isspace() for character in names[position]):
            continue  # a grammar met what it does not know
        if _TESTS_INSIDE & set(graph.names[position].split(".")):
            continue
        if known_of(languages[position]) != "resolved":
            continue
        found.asked += 1
        if not used[position]:
            start, end = graph.line(position), int(ends[position])
            trusted = languages[position] not in _WITH_MACROS
            out.append(Candidate(position, names[position], path, start, end, trusted, bool(tested[position])))
    return out


def _referred(draft: Draft) -> tuple[np.ndarray, np.ndarray]:
    """Which objects an edge leads to from code, and from tests; not from themselves or from what they hold."""
    graph = draft.graph
    objects, edges, adjacency = graph.objects, graph.edges, graph.adjacency
    used, tested = np.zeros(len(objects.alive), bool), np.zeros(len(objects.alive), bool)
    types, ends = edges.column("relationship_type"), objects.column("end_line")
    contained: list[tuple[int, int]] = []
    inside = edges.alive & (adjacency.source >= 0) & (adjacency.target >= 0)
    for row in np.flatnonzero(inside).tolist():
        source, target = int(adjacency.source[row]), int(adjacency.target[row])
        if types[row] == "contains":
            contained.append((source, target))
            continue
        if source == target:
            continue
        within = graph.line(target) <= graph.line(source) <= int(ends[target])
        if within and objects.path_index[source] == objects.path_index[target] and graph.kinds[target] != "module":
            continue
        (tested if graph.is_test(source) else used)[target] = True
    for _ in range(3):  # a type whose member is used is used, and so is what holds the type
        for holder, member in contained:
            used[holder] |= used[member]
            tested[holder] |= tested[member]
    return used, tested


def _search(draft: Draft, waiting: list[Candidate], found: Found) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Look for the names in all texts; returns the beginnings and ends of names that are put together at run time."""
    by_name: dict[bytes, list[Candidate]] = {}
    for candidate in waiting:
        by_name.setdefault(candidate.name.encode(), []).append(candidate)
    odd = [name for name in by_name if not _PLAIN.fullmatch(name.decode())]
    prefixes: Counter[bytes] = Counter()
    suffixes: Counter[bytes] = Counter()
    deadline = time.monotonic() + _LOOK_S
    for text in _texts(draft):
        if text.reason == NOT_SEARCHED or time.monotonic() > deadline:
            found.unread += 1
            continue
        if text.changed:
            draft.changed.add(text.path)
        prefixes.update(part for pair in _PREFIX.findall(text.data) for part in pair if len(part) >= _SHORTEST)
        suffixes.update(part for pair in _SUFFIX.findall(text.data) for part in pair if len(part) >= _SHORTEST)
        hits = by_name.keys() & set(_WORD.findall(text.data))
        for name in [*hits, *(name for name in odd if name in text.data)]:
            _note(text, name.decode(), by_name[name])
    return tuple(p.decode() for p in prefixes), tuple(s.decode() for s in suffixes)


def _texts(draft: Draft) -> Iterable[Text]:
    files = draft.graph.snapshot.files
    yield from draft.texts.indexed(sorted(path for path, record in files.items() if record.state == "indexed"))
    yield from draft.texts.left_out("")


def _note(text: Text, name: str, candidates: list[Candidate]) -> None:
    lines = lines_saying(text, name).lines
    test = is_test_file(text.path)
    for candidate in candidates:
        if candidate.said is not None:
            continue
        own = text.path == candidate.path
        inside = [line for line in lines if own and candidate.start <= line <= candidate.end]
        for line in lines:
            if line in inside and (candidate.trusted or line == inside[0]):
                continue
            if test:
                candidate.said_in_tests = candidate.said_in_tests or (text.path, line)
            else:
                candidate.said = (text.path, line)
                break


def _classify(candidate: Candidate, kind: str, composed: tuple[tuple[str, ...], tuple[str, ...]], found: Found) -> None:
    if found.unread:
        found.unknown.setdefault("not all texts could be searched", []).append(candidate)
    elif candidate.said is not None:
        if kind in _CALLED:
            found.unknown.setdefault("its name stands elsewhere", []).append(candidate)
    elif candidate.name.startswith(composed[0]) or candidate.name.endswith(composed[1]):
        found.unknown.setdefault("its name may be put together at run time", []).append(candidate)
    elif candidate.tested or candidate.said_in_tests is not None:
        found.only_tests.append(candidate)
    else:
        found.unused.append(candidate)


def _drop_members(found: Found) -> None:
    """What is inside of something unused is not told again."""
    for listed in (found.unused, found.only_tests):
        spans = [(c.path, c.start, c.end) for c in listed]
        kept = [
            c
            for c in listed
            if not any(p == c.path and s <= c.start and c.end <= e and (s, e) != (c.start, c.end) for p, s, e in spans)
        ]
        listed[:] = sorted(kept, key=lambda c: (c.path, c.start))


def _report(draft: Draft, label: str, found: Found) -> None:
    draft.head.append(
        f"{label}: of {found.asked:,} symbols {len(found.unused):,} are unused and {len(found.only_tests):,} are used"
        f" by tests only; of {sum(map(len, found.unknown.values())):,} it is unknown: no code was seen to use them, but"
        " something may."
    )
    if found.unread:
        draft.head.append(f"{found.unread:,} texts could not be searched in time, so nothing is called unused.")
    more = "ask for one folder"
    draft.add(f"Unused ({len(found.unused)})", _lines(draft, found.unused, UNUSED), ANSWER, more=more, what="symbols")
    lines = _lines(draft, found.only_tests, ONLY_TESTS)
    draft.add(f"Only tests use it ({len(found.only_tests)})", lines, DISPATCH, more=more, what="symbols")
    for why, candidates in sorted(found.unknown.items(), key=lambda item: -len(item[1])):
        draft.add(f"Unknown: {why} ({len(candidates)})", _examples(draft, candidates), REST, what="symbols")
    draft.add(
        "What that rests on",
        [
            Line(
                "Unused: no relationship leads to it and its name stands as a word nowhere else in the root, comments,"
                " strings and documents included."
            ),
            Line("A symbol that only unused symbols use is not listed: ask again when they are gone."),
        ],
        CLOSING,
    )


def _lines(draft: Draft, candidates: list[Candidate], kind: str) -> list[Line]:
    graph = draft.graph
    lines = []
    for c in candidates:
        said = f"  said by {c.said_in_tests[0]}:{c.said_in_tests[1]}" if kind == ONLY_TESTS and c.said_in_tests else ""
        size = f"  ({c.end - c.start + 1} lines)" if c.end - c.start >= 5 else ""
        text = f"{graph.kinds[c.position]} {graph.names[c.position]}  {c.path}:{c.start}{size}{said}"
        name = graph.names[c.position]
        fact = Fact(kind, name, c.path, "", "", c.path, c.start, _CONFIDENCE, "text", False, 0)
        lines.append(Line(text, (fact,)))
    return lines


def _examples(draft: Draft, candidates: list[Candidate]) -> list[Line]:
    graph = draft.graph
    shown = sorted(candidates, key=lambda c: (c.path, c.start))
    shown = shown if draft.ample else shown[:_MANY_UNKNOWN]
    lines = []
    for c in shown:
        said = f"  said at {c.said[0]}:{c.said[1]}" if c.said is not None else ""
        lines.append(Line(f"{graph.kinds[c.position]} {graph.names[c.position]}  {c.path}:{c.start}{said}"))
    if len(shown) < len(candidates):
        lines.append(Line(f"and {len(candidates) - len(shown):,} more"))
    return lines
