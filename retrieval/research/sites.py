"""Every call site of an edge, although the index keeps only the first: the caller's body is read for the others.

A line of the caller counts when it says the callee's name in the way the first site does (called, or as a bare word
where calls need no brackets), outside comments and strings, and not inside another function that lies in the caller.
Where the caller reaches several things of that name, only lines with the receiver of the first site count: the others
may mean a namesake, and the check by text lists them.
"""

from __future__ import annotations

import re
from dataclasses import replace

from sightline.graph.read.symbols import names_of
from sightline.graph.read.walk import object_at
from sightline.retrieval.research.evidence import CALLS, USES, Graph
from sightline.retrieval.research.model import Fact
from sightline.retrieval.research.source import Source
from sightline.retrieval.research.wording import kind_of, receiver, simple, word

_BELOW = 4  # lines below a site's first one that the name may stand on: a chain of calls is written over several
_MAX_BODY_LINES = 3_000  # of a caller that is read
_CONSTRUCTORS = frozenset({"__init__", "__new__", "constructor", "init", "__construct", "initialize", "new"})


class Sites:
    """Finds and remembers the sites of edges."""

    def __init__(self, graph: Graph, source: Source) -> None:
        self._graph, self._source = graph, source
        self._known: dict[Fact, Fact] = {}
        self.lines: set[tuple[str, int]] = set()  # every line that a site accounts for

    def complete(self, fact: Fact) -> Fact:
        """The fact with the lines of all its sites; the first is `fact.line`."""
        known = self._known.get(fact)
        if known is None:
            known = self._known[fact] = replace(fact, sites=self._find(fact))
            self.lines.update((fact.path, line) for line in known.sites)
        return known

    def _find(self, fact: Fact) -> tuple[int, ...]:
        caller = self._caller(fact)
        if fact.kind not in USES or caller is None:
            return (fact.line,)
        objects = self._graph.objects
        first, last = int(objects.start_line[caller]), int(objects.end_line[caller])
        body = dict(self._source.lines(fact.path, first, min(last, first + _MAX_BODY_LINES)))
        stated = self._stated(fact, body)
        if stated is None:
            return (fact.line,)
        at, pattern, match = stated
        self.lines.add((fact.path, at))
        manner, holder = kind_of(body[at], match), receiver(body[at], match)
        rivals = self._rivals(fact, caller)
        found = {fact.line}
        for line, text in body.items():
            if line <= at or not pattern.search(text):
                continue
            alike = [m for m in pattern.finditer(text) if kind_of(text, m) == manner]
            if rivals:
                alike = [m for m in alike if line not in rivals and receiver(text, m) == holder]
            if alike and self._belongs(fact.path, line, caller):
                found.add(line)
        return tuple(sorted(found))

    def _stated(self, fact: Fact, body: dict[int, str]) -> tuple[int, re.Pattern[str], re.Match[str]] | None:
        """The line on which the first site says the name, and how."""
        names = [simple(fact.target)]
        if names[0] in _CONSTRUCTORS:
            names.insert(0, simple(fact.target[: -len(names[0])].rstrip(".:#")))
        for line in range(fact.line, fact.line + _BELOW + 1):
            for name in names:
                match = word(name).search(body.get(line, "")) if name else None
                if match is not None:
                    return line, word(name), match
        return None

    def _caller(self, fact: Fact) -> int | None:
        """The object that states the fact: of that name, around that line, the innermost."""
        objects = self._graph.objects
        around = [
            position
            for position in names_of(self._graph.snapshot).by_qualified.get(fact.source, ())
            if objects.path(position) == fact.path
            and int(objects.start_line[position]) <= fact.line <= int(objects.end_line[position])
        ]
        return min(around, key=lambda p: int(objects.end_line[p] - objects.start_line[p])) if around else None

    def _rivals(self, fact: Fact, caller: int) -> set[int]:
        """Lines at which the caller reaches another thing of the same name."""
        graph, name = self._graph, simple(fact.target)
        kinds = CALLS if fact.kind in CALLS else (fact.kind,)
        return {
            int(graph.edges.start_line[row])
            for row, _, far in graph.rows([caller], "out", kinds)
            if simple(graph.names[far]) == name and graph.names[far] != fact.target
        }

    def _belongs(self, path: str, line: int, caller: int) -> bool:
        """Is the line the caller's own, not one of a function inside it that is an object of its own?"""
        inner = object_at(self._graph.snapshot, path, line)
        return inner is None or inner == caller or self._graph.kinds[inner] in ("constant", "type_alias")
