"""What a change touches, as text, as Markdown for a pull request, and as data.

Every list is cut to what fits, and says how much was cut; `--json` has all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sightline.changes.runners import COMMANDS, arguments
from sightline.graph.build.confidence import PROVEN
from sightline.tokens import estimate_tokens
from sightline.visible import visible

if TYPE_CHECKING:
    from sightline.changes.model import FileChange, Reached, Report, SymbolChange, Test
    from sightline.types import Object
    from sightline.wire import (
        BeforeOut,
        ChangesOut,
        DependentOut,
        FileChangeOut,
        RunnableOut,
        SymbolChangedOut,
        SymbolChangeOut,
        SymbolOut,
    )

_CAPS = (1_000, 300, 100, 50, 25, 12, 6, 3, 1)  # entries of each list, from generous to what always fits
_MARKS = {"added": "+", "removed": "-", "signature": "!", "body": "~", "moved": ">", "renamed": ">"}


@dataclass(frozen=True, slots=True)
class Part:
    """A list of the answer; entries may have several lines."""

    title: str
    entries: Sequence[str]
    note: str = ""


def text(report: Report, *, max_tokens: int) -> str:
    """The report for a person or an agent, as much as fits."""
    for cap in _CAPS:
        written = _text(report, cap)
        if estimate_tokens(written) <= max_tokens:
            return written
    return written


def _text(report: Report, cap: int) -> str:
    lines = [visible(headline(report))]
    lines += [visible(f"Warning: {warning}") for warning in report.warnings]
    for part in parts(report):
        lines += ["", visible(f"{part.title}:")]
        for entry in part.entries[:cap]:
            first, *rest = entry.split("\n")
            lines += [f"  {visible(first)}", *(f"      {visible(line)}" for line in rest)]
        if len(part.entries) > cap:
            lines.append(f"  … {len(part.entries) - cap:,} more")
        if part.note:
            lines.append(visible(f"  ({part.note})"))
    return "\n".join(lines)


def markdown(report: Report, *, cap: int = 50) -> str:
    """The report as a comment for a pull request: what matters open, the long lists folded."""
    lines = [f"### {_inline(headline(report))}", ""]
    lines += [f"> {_inline(warning)}" for warning in report.warnings]
    for part in parts(report):
        lines += [f"<details><summary>{_inline(part.title)} ({len(part.entries)})</summary>", ""]
        for entry in part.entries[:cap]:
            first, *rest = entry.split("\n")
            lines += [f"- {_code(first)}", *(f"  - {_code(line)}" for line in rest)]
        if len(part.entries) > cap:
            lines.append(f"- … {len(part.entries) - cap:,} more")
        lines += ["", *([_inline(part.note), ""] if part.note else []), "</details>", ""]
    return "\n".join(lines)


def headline(report: Report) -> str:
    """The report in one line."""
    files, symbols = len(report.compared.files), len(report.symbols)
    if not files:
        return f"No changes: {report.compared.title}."
    api = f", {len(report.api)} of them public API" if report.api else ""
    told = f"{_count(files, 'file')} and {_count(symbols, 'symbol')} changed{api}; {len(report.reached)} depend on them"
    return f"{told}, {_count(len(report.tests), 'test')} to run. Compared: {report.compared.title}."


def parts(report: Report) -> list[Part]:
    """The lists of the report that are not empty, the most useful first."""
    listed = [
        Part("Public API that changed", [_api(change) for change in report.api]),
        Part("Must follow: overrides and implementers", [_reached(item) for item in report.followers]),
        Part("Gone, but still named", [f"{m.name}  {m.path}:{m.line}" for m in report.mentions]),
        Part("Changed", [_symbol(change) for change in report.symbols]),
        Part("Depends on it", [_reached(item) for item in report.reached], "steps away; ~ is possible, not proven"),
        Part(
            "Tests to run, most direct first",
            [f"{test.id}  {test.reason}" for test in report.tests],
            _unseen(report),
        ),
        Part("Changed, and no test reaches it", [_location(item) for item in report.untested]),
        Part("Routes touched", [f"{r.method} {r.address}  {_location(r.item)}" for r in report.routes]),
        Part(
            "Usually changes together, and did not",
            [
                f"{c.path}  with {c.changed} in {c.support} commits, {c.confidence:.0%} of its"
                for c in report.companions
            ],
        ),
        Part(
            "Files whose symbols are not compared",
            [f"{file.path}  {file.note}" for file in report.compared.files if file.note],
        ),
    ]
    return [part for part in listed if part.entries]


def test_lines(tests: Sequence[Test], runner: str = "") -> list[str]:
    """What to hand to the runners: ids alone, under a line with the runner's name where there are several."""
    by_runner: dict[str, list[str]] = {}
    for test in tests:
        if runner in ("", test.runner):
            by_runner.setdefault(test.runner, []).append(test.id)
    lines: list[str] = []
    for name, ids in by_runner.items():
        if len(by_runner) > 1:
            lines.append(f"# {name}: {COMMANDS[name]}".rstrip(": "))
        lines += [visible(line) for line in arguments(ids, name)]
    return lines


def data(report: Report, api_version: int) -> ChangesOut:
    """All of it."""
    return {
        "api_version": api_version,
        "base": report.compared.base,
        "compared": _exact(report.compared.title),
        "files": [_file(file) for file in report.compared.files],
        "symbols": [_changed(change) for change in report.symbols],
        "api": [_changed(change) for change in report.api],
        "reached": _dependents(report.reached),
        "followers": _dependents(report.followers),
        "mentions": [{"name": m.name, "path": _exact(m.path), "line": m.line} for m in report.mentions],
        "tests": [_test(test) for test in report.tests],
        "unlikely_tests": [_test(test) for test in report.unlikely_tests],
        "untested": [_object(item) for item in report.untested],
        "routes": [{**_object(r.item), "method": r.method, "address": r.address} for r in report.routes],
        "changes_with": [
            {
                "path": _exact(c.path),
                "changed": _exact(c.changed),
                "support": c.support,
                "confidence": round(c.confidence, 3),
            }
            for c in report.companions
        ],
        "unseen": list(report.unseen),
        "warnings": list(report.warnings),
        "timings_ms": dict(report.timings_ms),
    }


def _unseen(report: Report) -> str:
    more = (
        f"{len(report.unlikely_tests):,} more are reached by guesses alone: --all-tests; "
        if report.unlikely_tests
        else ""
    )
    return f"{more}not seen: {'; '.join(report.unseen)}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _location(item: Object) -> str:
    return f"{item.qualified_name}  {item.path}:{item.start_line}"


def _symbol(change: SymbolChange) -> str:
    line = f"{_MARKS[change.status]} {change.status} {change.item.kind} {_location(change.item)}"
    if change.old is not None and change.new is not None and change.status in ("moved", "renamed"):
        line += f"  from {_location(change.old)}"
    return line


def _api(change: SymbolChange) -> str:
    lines = [_symbol(change)]
    if change.status == "signature" and change.old is not None and change.new is not None:
        lines += [f"was: {change.old.signature}", f"now: {change.new.signature}"]
    return "\n".join(lines)


def _reached(found: Reached) -> str:
    sure = "" if found.confidence >= PROVEN else "  ~ possible"
    how = f"{found.through.replace('_', ' ')} {found.cause}".strip()
    return f"{found.distance}  {_location(found.item)}  {how}{sure}"


def _dependents(found: Iterable[Reached]) -> list[DependentOut]:
    return [
        {
            **_object(each.item),
            "distance": each.distance,
            "confidence": each.confidence,
            "through": each.through,
            "cause": each.cause,
        }
        for each in found
    ]


def _file(file: FileChange) -> FileChangeOut:
    return {"path": _exact(file.path), "status": file.status, "note": file.note}


def _changed(change: SymbolChange) -> SymbolChangeOut | SymbolChangedOut:
    if change.old is None or change.status == "removed":
        return {**_object(change.item), "status": change.status, "api": change.api}
    before: BeforeOut = {
        "path": _exact(change.old.path),
        "qualified_name": change.old.qualified_name,
        "signature": change.old.signature,
    }
    return {**_object(change.item), "status": change.status, "api": change.api, "before": before}


def _object(item: Object) -> SymbolOut:
    return {
        "entity_id": item.entity_id,
        "qualified_name": item.qualified_name,
        "kind": item.kind,
        "path": _exact(item.path),
        "start_line": item.start_line,
        "end_line": item.end_line,
        "signature": item.signature,
    }


def _test(test: Test) -> RunnableOut:
    return {
        "runner": test.runner,
        "id": _exact(test.id),
        "path": _exact(test.path),
        "line": test.line,
        "distance": test.distance,
        "likelihood": round(test.likelihood, 3),
        "reason": test.reason,
    }


def _exact(text_: str) -> str:
    """A path with bytes that are no UTF-8 cannot be written as JSON: these bytes become `\\udc..`."""
    return text_.encode("utf-8", "backslashreplace").decode()


def _inline(text_: str) -> str:
    """One line of Markdown in which nothing is a mark-up."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>()#+!|" else c for c in visible(text_))


def _code(text_: str) -> str:
    """One line as code, fenced by more backticks than it holds."""
    shown = visible(text_)
    ticks = "`"
    while ticks in shown:
        ticks += "`"
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"
