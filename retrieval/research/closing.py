"""The check that closes an answer: every place where the name stands in the files of the root, by plain text.

An answer from the graph is believed when nothing is left over. So the name is looked up as a word in every file that
has it (the index knows which), and in the text files that the index left out, and each line is put to what accounts for
it: a site that the answer lists, a definition, an edge to a namesake, an import, a comment or string, a test. What
remains is named line by line. Bounded in time; when the time is up the answer says so.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sightline.graph.build.tested import is_test_file
from sightline.graph.read.symbols import names_of
from sightline.languages import spec_of
from sightline.retrieval.research.evidence import USES, Graph
from sightline.retrieval.research.listing import place
from sightline.retrieval.research.model import Line
from sightline.retrieval.research.wording import kind_of, simple, word
from sightline.tokens import tokenize
from sightline.types import NOT_SEARCHED

if TYPE_CHECKING:
    from sightline.retrieval.research.pieces import Draft

LOOK_S = 0.15  # for reading files; a name that is not on everybody's lips needs a tenth of it
_MAX_CHUNKS = 4_000  # in which the index may say that the name stands
_DECLARATION_LINES = 4  # decorators and comments may stand before the line that says the name
_MAX_FILES = 8  # named of what is not accounted for
_DECLARING = re.compile(
    r"\b(?:extends|implements|with|class|object|interface|struct|impl|instance|deriving|trait|protocol|extension|actor"
    r"|record|enum|typealias|include|prepend|mixin)\b"
)
_PROSE = frozenset(
    [
        "md",
        "markdown",
        "rst",
        "txt",
        "adoc",
        "org",
        "tex",
        "html",
        "htm",
        "json",
        "yaml",
        "yml",
        "toml",
        "xml",
        "po",
        "lock",
        "cfg",
        "ini",
    ]
)
_WHAT = {  # in the order they are told
    "site": "in the relationships above",
    "use": "other uses of it",
    "definition": "definitions",
    "namesake": "resolved to namesakes",
    "import": "imports",
    "comment": "in comments or strings",
    "document": "in documents",
    "test": "in tests",
}


Others = Callable[[str], Iterable[tuple[str, str, Sequence[str]]]]
"""Files that the index left out and that hold a text: path, why it was left out, its lines."""


@dataclass(slots=True)
class Census:
    """The lines on which a name stands, by what accounts for them."""

    counts: dict[str, int] = field(default_factory=dict)
    places: dict[str, dict[str, list[int]]] = field(default_factory=dict)  # what → path → lines
    notes: dict[str, str] = field(default_factory=dict)  # path → why no grammar saw it
    files: int = 0
    unread: int = 0  # files that the time did not suffice for

    def add(self, what: str, path: str, line: int) -> None:
        """Count a line."""
        self.counts[what] = self.counts.get(what, 0) + 1
        self.places.setdefault(what, {}).setdefault(path, []).append(line)

    @property
    def total(self) -> int:
        """Lines in all."""
        return sum(self.counts.values())


def census(draft: Draft, name: str, positions: Sequence[int], *, declared: bool = False) -> Census:
    """Where a bare name stands, and what accounts for it; with `declared` only lines that may declare a subtype."""
    found = Census()
    terms = tokenize(name)
    if not terms:
        return found
    graph = draft.graph
    chunks = graph.snapshot.chunks
    ranked = chunks.lexical({terms[0]: 1.0}, limit=_MAX_CHUNKS)
    paths = sorted(
        dict.fromkeys(chunks.path(int(p)) for p in ranked.positions),
        key=lambda p: (is_test_file(p), _no_grammar(graph, p) == "document", p),
    )
    known, pattern = _Known(draft, name, positions), word(name)
    draft.source.prepare(paths)
    deadline = time.monotonic() + LOOK_S
    for number, path in enumerate(paths):
        if time.monotonic() > deadline:
            found.unread = len(paths) - number
            break
        note = _no_grammar(graph, path)
        lines = draft.source.lines(path, 1, graph.snapshot.files[path].lines)
        _count(found, path, _declaring(lines) if declared else lines, pattern, known, note)
    for path, reason, text in draft.others(name):
        if reason == NOT_SEARCHED:
            found.unread += 1
        lines = list(enumerate(text, 1))
        _count(found, path, _declaring(lines) if declared else lines, pattern, known, reason)
    return found


def _declaring(lines: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    return [(line, text) for line, text in lines if _DECLARING.search(text)]


def _count(
    found: Census,
    path: str,
    lines: Iterable[tuple[int, str]],
    pattern: re.Pattern[str],
    known: _Known,
    note: str,
) -> None:
    before = found.total
    for line, text in lines:
        match = pattern.search(text)
        if match is not None:
            found.add(known.what(path, line, kind_of(text, match), note), path, line)
    if found.total > before:
        found.files += 1
        if note and note != "document":
            found.notes[path] = note


def _no_grammar(graph: Graph, path: str) -> str:
    """Why the graph knows nothing of an indexed file: it is a document, or no grammar is known for it."""
    record = graph.snapshot.files.get(path)
    if record is None or not spec_of(record.language).document:
        return ""
    return "document" if record.language != "text" or path.rpartition(".")[2].lower() in _PROSE else "no grammar"


class _Known:
    """What edges and definitions account for."""

    def __init__(self, draft: Draft, name: str, positions: Sequence[int]) -> None:
        graph, objects = draft.graph, draft.graph.objects
        self._sites = draft.sites.lines
        self._defined: set[tuple[str, int]] = set()
        self._other: dict[tuple[str, int], str] = {}
        self._spans: dict[str, list[tuple[int, int, str]]] = {}
        own = set(positions)
        namesakes = list(dict.fromkeys([*positions, *names_of(graph.snapshot).by_name.get(name, ())]))
        for position in namesakes:
            first = graph.line(position)
            self._defined.update((objects.path(position), line) for line in range(first, first + _DECLARATION_LINES))
        for row, near, source in graph.rows(namesakes, "in", USES):
            if not graph.is_proven(row):
                continue
            what = "use" if near in own else "namesake"
            self._other.setdefault((graph.edges.path(row), int(graph.edges.start_line[row])), what)
            if graph.kinds[source] != "module":  # an edge stands for all its sites in one object
                span = (int(objects.start_line[source]), int(objects.end_line[source]), what)
                self._spans.setdefault(objects.path(source), []).append(span)

    def what(self, path: str, line: int, kind: str, note: str) -> str:
        """What accounts for a line; "open" when nothing does."""
        if (path, line) in self._sites:
            return "site"
        if is_test_file(path):
            return "test"
        if note == "document":
            return "document"
        if kind in ("comment", "string"):
            return "comment"
        if note:
            return "open"
        if (path, line) in self._defined:
            return "definition"
        if kind == "import":
            return "import"
        if (path, line) in self._other:
            return self._other[(path, line)]
        return next((what for a, b, what in self._spans.get(path, ()) if a <= line <= b), "open")


def closing_lines(
    draft: Draft, name: str, positions: Sequence[int], *, negative: bool, declared: bool = False
) -> list[Line]:
    """What the check found, in a few lines; with a negative answer every place that could contradict it."""
    bare = simple(name)
    found = census(draft, bare, positions, declared=declared and not negative)
    if not found.total:
        return [Line(f"`{bare}` stands nowhere in the text of the root.")] if negative else []
    open_lines = found.counts.get("open", 0)
    parts = [f"{found.counts[what]} {label}" for what, label in _WHAT.items() if what in found.counts]
    unread = f"; {found.unread} files not searched for lack of time" if found.unread else ""
    lines_said = f"{found.total} lines" + (" that declare something" if declared and not negative else "")
    occurrences = f"{lines_said} of {found.files} files" if found.files > 1 else f"{lines_said} of 1 file"
    if not open_lines and found.unread:
        return [Line(f"`{bare}`, as far as looked: {occurrences}: {', '.join(parts)}{unread}.")]
    if not open_lines:
        said = "is" if found.total == 1 else "are all"
        return [
            Line(f"`{bare}` stands on {occurrences}, which {said} accounted for: {', '.join(parts)}{unread}."),
            *(_kinds(found, ("comment", "document", "import")) if negative else ()),
        ]
    told = f": {', '.join(parts)}," if parts else ":"
    lines = [Line(f"`{bare}` stands on {occurrences}{told} {open_lines} not resolved{unread}:")]
    lines += _kinds(found, ("open",))
    if negative:
        lines += _kinds(found, ("comment", "document", "import"))
    return lines


def _kinds(found: Census, kinds: Sequence[str]) -> list[Line]:
    lines: list[Line] = []
    for kind in kinds:
        places = found.places.get(kind, {})
        label = "" if kind == "open" else f" ({_WHAT[kind]})"
        for path, numbers in list(places.items())[:_MAX_FILES]:
            note = f" ({found.notes[path]})" if path in found.notes else label
            lines.append(Line(f"  {place(path, numbers)}{note}", path=path, rank=0 if kind == "open" else 1))
        if len(places) > _MAX_FILES:
            more = sum(map(len, list(places.values())[_MAX_FILES:]))
            lines.append(Line(f"  and {more} lines in {len(places) - _MAX_FILES} more files: search for it", rank=1))
    return lines
