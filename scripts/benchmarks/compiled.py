"""What the truths that are read from compiled code have in common: the form that `scripts/bench graph --truth` reads.

Compiled code says of every call which method is meant and on which line it stands, but neither how it was written nor
in which function: a lambda, an iterator or an asynchronous method is a class of its own there. So the source is read
as well: the definitions around a line, and the names that are followed by `(` or `{`. A call is judged where both agree
on its name. What is written like a call more often than it was compiled to one (it was inlined, left out by a
condition, calls a value) is not judged; neither is what is compiled to a call without being written as one.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import traced

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_CALL = re.compile(
    r"(?<![\w@`])`?([A-Za-z_]\w*)`?[?!]*(?:<[\w\s.,?*\[\]<>:]*>)?(?:[ \t]*\{|\s*\()"
    r"|\bnew\s+(?:\w+\.)*([A-Za-z_]\w*)(?:<[\w\s.,?*\[\]<>:]*>)?\s*\{"
)
_DEFINING = re.compile(r"\b(?:fun|class|interface|object|struct|enum)\s+(?:<[^>]*>\s*)?(?:[\w.<>?,* ]+\.)?$")
TYPES = ("class", "interface", "struct")


class Called(NamedTuple):
    """A call of compiled code."""

    path: str
    line: int
    name: str  # as the source would write it
    target: dict[str, Any] | None  # None: something that is none of the repository


@dataclass
class Source:
    """What the source says: the definitions of every file, and where names are written like calls."""

    entities: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    written: dict[str, list[tuple[int, str]]] = field(default_factory=lambda: defaultdict(list))

    def define(self, path: str, name: str, lines: tuple[int, int, int], kind: str) -> dict[str, Any]:
        """Note a definition: the line of its name, its first, and its last."""
        line, start, end = lines
        entity = {"path": path, "name": name, "line": line, "start": start, "end": end, "kind": kind}
        self.entities[path].append(entity)
        return entity

    def read_calls(self, path: str, text: str) -> None:
        """Note the names that stand before a parenthesis or a brace."""
        for match in _CALL.finditer(text):
            at = match.start(match.lastindex or 1)
            if not _DEFINING.search(text[max(0, at - 80) : at]):
                self.written[path].append((text.count("\n", 0, at) + 1, match[match.lastindex or 1]))

    def around(self, path: str, line: int) -> list[dict[str, Any]]:
        """The definitions around a line, the innermost first."""
        return traced.around(self.entities[path], line)


def document(
    root: Path,
    repo: str,
    named: tuple[str, str],
    files: list[str],
    source: Source,
    calls: Iterable[Called],
    inherits: Iterable[tuple[dict[str, Any], dict[str, Any]]],
) -> dict[str, Any]:
    """The truth of a language by a compiler (`named`)."""
    sites: dict[tuple[str, int, str], dict[str, Any]] = {}
    compiled: Counter[tuple[Any, ...]] = Counter()
    hidden: dict[tuple[Any, ...], tuple[str, int, str]] = {}
    written: dict[tuple[Any, ...], list[tuple[str, int, str]]] = defaultdict(list)

    def caller(path: str, line: int) -> tuple[Any, ...]:
        outer = source.around(path, line)
        return (path, outer[0]["name"], outer[0]["line"]) if outer else (path, "", 0)

    for path in files:
        for line, name in source.written[path]:
            written[*caller(path, line), name].append((path, line, name))
    for path, line, name, target in calls:
        key = (*caller(path, line), name)
        compiled[key] += 1
        if key not in written:  # an alias, an operator, a value: not written as it is called
            hidden[key] = (path, line, name)
            continue
        site = sites.setdefault((path, line, name), traced.site(path, line, name, source.around(path, line)))
        if target is not None and target not in site["targets"]:
            site["targets"].append(target)
    traced.settle(list(sites.values()))
    inlined = [places[-1] for key, places in written.items() if len(places) > compiled[key]]
    unjudged = [
        {**traced.site(path, line, name, source.around(path, line)), "status": "unknown"}
        for path, line, name in (*inlined, *hidden.values())
    ]
    every = [*sites.values(), *unjudged]
    entities = [entity for path in sorted(source.entities) for entity in source.entities[path]]
    made = traced.truth(root, repo, named, files, entities, every, defaultdict(set))
    pairs = {(a["path"], a["name"], b["path"], b["name"]): (a, b) for a, b in inherits}
    return {
        **made,
        "unseen": {},
        "inherits": [{"sub": sub, "super": above, "type": "INHERITS"} for sub, above in pairs.values()],
    }
