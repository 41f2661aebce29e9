"""The lines on which a name stands, each put to what accounts for it.

A line counts once. What accounts for it is, in this order: a site that the answer lists, the file it is in (a test, a
document), what the line makes of the name (a comment, an import), a definition, a proven edge to the symbol or to a
namesake, an edge that leaves the root. An edge stands for further lines of the same caller only where these have the
same receiver: `a.go()` says nothing of `b.go()`. What remains is open.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from sightline.graph.build.tested import is_test_file
from sightline.graph.read.symbols import names_of
from sightline.languages import spec_of
from sightline.retrieval.research.blocks import Blocks
from sightline.retrieval.research.evidence import USES, Graph
from sightline.retrieval.research.family import declarations
from sightline.retrieval.research.occurrences import LOOK_S, Occurrences, occurrences
from sightline.retrieval.research.wording import Kind, kind_of, receiver, simple, standing
from sightline.types import TYPE_KINDS

if TYPE_CHECKING:
    from sightline.retrieval.research.pieces import Draft

_DECLARATION_LINES = 4  # decorators and comments may stand before the line that says the name
_MAX_OUTSIDE = 2_000  # open lines whose edges out of the root are looked up
_DECLARING = re.compile(
    r"\b(?:extends|implements|with|class|object|interface|struct|impl|instance|deriving|trait|protocol|extension|actor"
    r"|record|enum|typealias|include|prepend|mixin)\b"
)
_REOPENED = re.compile(r"\s*(?:pub(?:lic)?\s+|unsafe\s+|default\s+)*(?:impl|extension)\b")  # a type's own block
_PROSE = frozenset(
    "md markdown rst txt adoc org tex html htm json yaml yml toml xml po pot lock cfg ini csv tsv svg sum map".split()  # noqa: SIM905
)
_WEIGHT: dict[Kind, int] = {"call": 0, "code": 1, "import": 2, "string": 3, "comment": 4}  # of one line, the first
_MAX_LINE_CHARS = 1_000  # of a longer line, which is data or minified, only the first use is looked at


@dataclass(slots=True)
class Census:
    """The lines on which a name stands, by what accounts for them."""

    locations: dict[str, dict[str, list[int]]] = field(default_factory=dict)  # what → path → lines
    notes: dict[str, str] = field(default_factory=dict)  # path → why no grammar saw it
    called: set[tuple[str, int]] = field(default_factory=set)  # open lines that call
    strings: list[tuple[str, int]] = field(default_factory=list)  # lines of code that say it in a string
    paths: list[str] = field(default_factory=list)  # files that say the name
    changed: list[str] = field(default_factory=list)  # those of them that are no longer what was indexed
    unread: int = 0  # files that are too large to be searched, or that the time did not suffice for

    def add(self, what: str, path: str, line: int) -> None:
        """Count a line."""
        self.locations.setdefault(what, {}).setdefault(path, []).append(line)

    def count(self, what: str) -> int:
        """Lines that something accounts for."""
        return sum(map(len, self.locations.get(what, {}).values()))

    def loose(self) -> dict[str, list[int]]:
        """Lines of code that no edge accounts for, called or not: path → lines."""
        found: dict[str, list[int]] = {}
        for what in ("maybe", "open", "mention"):
            for path, lines in self.locations.get(what, {}).items():
                found[path] = sorted((*found.get(path, ()), *lines))
        return found

    @property
    def total(self) -> int:
        """Lines in all."""
        return sum(map(self.count, self.locations))


def census(draft: Draft, name: str, positions: Sequence[int], *, declared: bool = False) -> Census:
    """Where a bare name stands, and what accounts for it; with `declared`, only a line that may declare a subtype can
    be open."""
    found = Census()
    where = occurrences(draft.graph.snapshot, draft.texts, name)
    found.unread = where.unread
    known = _Known(draft, name, positions, declared=declared)
    deadline = time.monotonic() + LOOK_S
    for file in where.files:
        if time.monotonic() > deadline:
            found.unread += 1
            continue
        found.paths.append(file.text.path)
        if file.text.changed:
            found.changed.append(file.text.path)
        known.account(found, file)
    _leave_the_root(draft.graph, found, name, declared=declared)
    return found


def _leave_the_root(graph: Graph, found: Census, name: str, *, declared: bool) -> None:
    """Take out of the open lines those whose edge leads out of the root.

    A subtype of a type that is called like one of the root's own is named all the same: where a library hands on names
    of others, that it leads outside is a guess, and a complete list that lacks a subtype is worse than a line too many.
    """
    edges = graph.edges
    rows: list[int] = []
    for what in ("open", "mention"):
        for path, lines in found.locations.get(what, {}).items():
            own = edges.positions_of_path(path)
            out = own[(edges.column("target")[own] == 0) & np.isin(edges.start_line[own], lines)]
            rows += out.tolist()
    away = {(edge.path, edge.site_line) for edge in edges.get(rows[:_MAX_OUTSIDE]) if simple(edge.target_name) == name}
    for what in ("open", "mention"):
        for path, lines in found.locations.pop(what, {}).items():
            for line in lines:
                outside = "maybe" if declared and what == "open" else "outside"
                found.add(outside if (path, line) in away else what, path, line)


def no_grammar(graph: Graph, path: str, reason: str) -> str:
    """Why the graph knows nothing of a file: it is a document, no grammar is known for it, or it was left out."""
    ending = path.rpartition(".")[2].lower()
    record = graph.snapshot.files.get(path)
    if reason or record is None:
        return "document" if ending in _PROSE else reason
    if not spec_of(record.language).document:
        return ""
    return "document" if ending in _PROSE else "no grammar"


class _Known:
    """What edges and definitions account for."""

    def __init__(self, draft: Draft, name: str, positions: Sequence[int], *, declared: bool) -> None:
        graph, objects = draft.graph, draft.graph.objects
        self._graph, self._pattern, self._declared = graph, standing(name), declared
        self._callable = bool(positions) and all(graph.kinds[p] not in TYPE_KINDS for p in positions)
        self._sites, self._guessed = draft.sites.lines, draft.guessed
        self._defined: set[tuple[str, int]] = set()
        self._stated: dict[tuple[str, int], str] = {}
        self._spans: dict[str, list[tuple[int, int, int, str]]] = {}  # path → first and last line, site, what
        self._maybe: set[tuple[str, int]] = set()  # where a guess has it that one of them is meant
        own, family = set(positions), declarations(graph, positions)
        namesakes = list(dict.fromkeys([*positions, *names_of(graph.snapshot).by_name.get(name, ())]))
        for position in namesakes:
            first = graph.line(position)
            self._defined.update((objects.path(position), line) for line in range(first, first + _DECLARATION_LINES))
        for row, near, source in graph.rows(namesakes, "in", USES):
            if not graph.is_proven(row):
                if near in own:
                    self._maybe.add((graph.edges.path(row), int(graph.edges.start_line[row])))
                continue
            what = "use" if near in own else "family" if near in family else "namesake"
            site = int(graph.edges.start_line[row])
            self._stated.setdefault((graph.edges.path(row), site), what)
            if graph.kinds[source] != "module":  # an edge stands for all its sites in one object
                span = (int(objects.start_line[source]), int(objects.end_line[source]), site, what)
                self._spans.setdefault(objects.path(source), []).append(span)

    def account(self, found: Census, file: Occurrences) -> None:
        """Put every line of a file to what accounts for it."""
        path = file.text.path
        note = no_grammar(self._graph, path, file.text.reason)
        whole = "test" if is_test_file(path) else "document" if note == "document" else ""
        if note and not whole:
            found.notes[path] = note
        blocks = Blocks(b"" if whole else file.text.data, self._language(path))
        texts = {} if whole else {line: file.line(number) for number, line in enumerate(file.lines)}
        for number, line in enumerate(file.lines):
            if (path, line) in self._sites:
                found.add("site", path, line)
            elif (path, line) in self._guessed:
                found.add("guess", path, line)
            elif whole:
                found.add(whole, path, line)
            else:
                kind, match = self._kind(file, number, texts[line], blocks)
                what = self._what(path, line, kind, match, note, texts)
                found.add(what, path, line)
                if what == "comment" and kind == "string" and not note:
                    found.strings.append((path, line))
                if what == "open" and kind == "call":
                    found.called.add((path, line))

    def _kind(self, file: Occurrences, number: int, text: str, blocks: Blocks) -> tuple[Kind | None, re.Match[str]]:
        """What the name is on a line, by its weightiest use there; None for a `$name`, which is another name."""
        first = self._pattern.search(text)
        assert first is not None  # the line was found by this very name
        if blocks.inside(file.spans[number][0] + len(text[: first.start()].encode())):
            return "comment", first
        matches = [first] if len(text) > _MAX_LINE_CHARS else list(self._pattern.finditer(text))
        plain = [match for match in matches if text[max(match.start() - 1, 0) : match.start()] != "$"]
        if not plain:
            return None, first
        kinds = [(kind_of(text, match), match) for match in plain]
        return min(kinds, key=lambda each: _WEIGHT[each[0]])

    def _language(self, path: str) -> str:
        record = self._graph.snapshot.files.get(path)
        return record.language if record is not None else ""

    def _what(
        self, path: str, line: int, kind: Kind | None, match: re.Match[str], note: str, texts: dict[int, str]
    ) -> str:
        if kind is None:
            return "variable"
        if kind in ("comment", "string"):
            return "comment"
        declares = not self._declared or _DECLARING.search(texts[line][: match.start()]) is not None
        if note:
            return "open" if declares else "mention"
        if (path, line) in self._defined or _REOPENED.match(texts[line]):
            return "definition"
        if kind == "import":
            return "import"
        if (path, line) in self._stated:
            return self._stated[(path, line)]
        for first, last, site, what in self._spans.get(path, ()):
            if first <= line <= last and self._alike(texts.get(site), texts[line], match):
                return what
        if (path, line) in self._maybe:
            return "maybe"
        return "mention" if not declares or (self._callable and kind != "call") else "open"

    def _alike(self, site: str | None, text: str, match: re.Match[str]) -> bool:
        """Is the name said of the same thing as at the site of the edge? Where that cannot be seen, it is."""
        stated = self._pattern.search(site) if site is not None else None
        return site is None or stated is None or receiver(site, stated) == receiver(text, match)
