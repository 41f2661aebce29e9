"""Implementations of a trait by what is no symbol of the root: `impl<S: Sink> Sink for Box<S>`, `impl<T> Sink for &T`.

No edge can begin at such a type, so the lines that declare them are read off the text, and stand among the others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sightline.graph.build.tested import is_test_file
from sightline.retrieval.research.model import Fact, Line
from sightline.retrieval.research.occurrences import occurrences
from sightline.retrieval.research.wording import is_comment

if TYPE_CHECKING:
    from sightline.retrieval.research.pieces import Draft

_ENDING = ".rs"
_HEAD = r"(?<![\w:])(?P<scope>(?:\w+::)*){name}(?:<[^{{]*?>)?\s+for\s+(?P<type>[^{{;]+?)\s*(?:\{{|\bwhere\b|$)"


def foreign_implementations(draft: Draft, positions: Sequence[int]) -> list[Line]:
    """A line for each `impl` of these traits whose type nobody listed yet."""
    graph = draft.graph
    lines: list[Line] = []
    for position in positions:
        if graph.kinds[position] != "interface" or not graph.path(position).endswith(_ENDING):
            continue
        name = graph.objects.column("name")[position]
        head = re.compile(_HEAD.format(name=re.escape(name)))
        for file in occurrences(graph.snapshot, draft.texts, name).files:
            path = file.text.path
            if not path.endswith(_ENDING) or is_test_file(path) or not draft.scope.code(path):
                continue
            for number, line in enumerate(file.lines):
                text = file.line(number)
                match = head.search(text)
                if match is None or is_comment(text) or (path, line) in draft.sites.lines:
                    continue
                if not _is_meant(match["scope"], graph.path(position)):
                    continue  # a trait of that name from elsewhere
                draft.sites.lines.add((path, line))
                who = " ".join(match["type"].split())
                fact = Fact(
                    "implements", who, path, graph.names[position], graph.path(position), path, line, 1.0, "external",
                    proven=True,
                )  # fmt: skip
                lines.append(Line(f"impl {name} for {who}  {path}:{line}", (fact,), path=path))
    return lines


def _is_meant(scope: str, path: str) -> bool:
    """May `io::` of `io::Read` be the file or a folder of the trait?"""
    last = scope.removesuffix("::").rpartition("::")[2]
    return (
        not last
        or last in ("crate", "self", "super")
        or last.replace("_", "-") in re.split(r"[/.]", path.replace("_", "-"))
    )
