"""What a negative answer rests on: "no callers" is a proof only beside what was looked at.

Files indexed and files that could not be parsed, and calls of what a method overrides, which may run it. The text that
says the name without being a known call is `closing`'s part.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sightline.retrieval.research.evidence import CALLS, Graph
from sightline.retrieval.research.model import Line

if TYPE_CHECKING:
    from sightline.store import Snapshot

_FEW = 3  # of more than these files their number is enough: most are style sheets


def looked_at(snapshot: Snapshot) -> list[Line]:
    """How many files were searched, and which of them cannot be trusted."""
    records = snapshot.files.values()
    indexed = [record for record in records if record.state == "indexed"]
    failed = sorted(record.path for record in records if record.state == "failed")
    broken = sorted(record.path for record in indexed if record.parse_errors)
    lines = [Line(f"{len(indexed)} files indexed, {len(failed)} failed, {len(broken)} with syntax the parser rejected")]
    if failed:
        lines.append(Line(f"  not read: {_some(failed)}"))
    if broken and len(broken) <= _FEW:
        lines.append(Line(f"  partly parsed: {_some(broken)}"))
    if snapshot.status().state == "indexing":
        lines.append(Line("  indexing is still going on: files not indexed yet were not searched"))
    return lines


def _some(paths: Sequence[str], limit: int = 5) -> str:
    return ", ".join(paths[:limit]) + (f" and {len(paths) - limit} more" if len(paths) > limit else "")


def dispatch_lines(graph: Graph, positions: Sequence[int]) -> list[Line]:
    """Calls of what a method overrides: at run time they may land here."""
    lines: list[Line] = []
    for position in positions:
        for chain, base in graph.overridden(position):
            calls = graph.rows([base], "in", CALLS)
            steps = " → ".join(f"{step.target} (stated at {step.path}:{step.line})" for step in chain)
            lines.append(
                Line(f"{graph.names[position]} overrides {steps}: {len(calls)} calls of that may run it", chain)
            )
    return lines
