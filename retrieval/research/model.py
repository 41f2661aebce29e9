"""What a research answer is made of.

An answer is built from `Block`s of `Line`s; a line may carry the `Fact`s it states and the source line it shows. The
budget decides which lines stay, and the result lists exactly the facts of the lines that stayed: what is counted is
what was said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from sightline.types import IndexStatus, Object

QuestionKind = Literal[
    "implementations",  # who implements, extends, conforms to, overrides X
    "bases",  # what X implements and extends
    "callers",
    "uses",  # callers, and whatever else refers to X
    "callees",
    "trace",  # callees of callees: from an entry point down
    "path",  # from A to B
    "dependencies",  # of module A, or of A on B and back
    "dependents",  # what depends on module A
    "cycles",
    "routes",  # which code answers an address, which addresses lead to a symbol
    "unused",  # what nothing uses, in a place or in all of the root
    "impact",  # what a change of X reaches, tests included
    "overview",  # of a folder or file
    "symbol",  # one symbol from all sides
    "changes",  # what a diff touches; answered from git and the graph
    "history",  # commits of a symbol, files that change together
    "open",  # anything else
]


@dataclass(frozen=True, slots=True)
class Fact:
    """One claim of the answer: a definition, or an edge. `path:line` is where the code states it."""

    kind: str  # "definition" or the relationship type
    source: str  # qualified name; of the defined symbol for a definition
    source_path: str
    target: str  # "" for a definition
    target_path: str  # "" for a definition, or when the target is outside the root
    path: str
    line: int
    confidence: float
    resolution: str
    proven: bool  # False: guessed, and shown as such
    hops: int = 1  # how far from what was asked about
    label: str = ""  # of a registration: the event, key or field
    sites: tuple[int, ...] = ()  # every line of `path` that states it, `line` first; () where not looked for


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the answer."""

    text: str
    facts: tuple[Fact, ...] = ()
    source: tuple[str, int] | None = None  # the source line shown; no source line is shown twice
    heading: bool = False  # dropped unless a line that it heads stays
    rank: int = 0  # when a block does not fit, its lines of the highest ranks go first
    path: str = ""  # a file that the line names beside those of its facts


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together under a section's title."""

    title: str
    lines: Sequence[Line]
    priority: int  # lower ones get their share of the budget first
    more: str = ""  # how to get what did not fit
    least: int = 1  # fewer lines than this are not worth the room
    what: str = "lines"  # what the lines are, for the list of what was left out


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the answer, as shown."""

    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Evidence that did not fit."""

    what: str
    count: int
    how: str  # how to get it


@dataclass(frozen=True, slots=True)
class ResearchResult:
    """An architectural question, answered."""

    question: str
    kind: QuestionKind
    symbols: tuple[Object, ...]  # what the names in the question were taken for
    sections: tuple[Section, ...]
    text: str
    tokens: int  # of the text, by `tokens.estimate_tokens`; never above the budget
    facts: tuple[Fact, ...]
    left_out: tuple[LeftOut, ...]
    warnings: tuple[str, ...]
    timings_ms: Mapping[str, float]
    index: IndexStatus
    paths: tuple[str, ...] = field(default=())  # files the answer names
