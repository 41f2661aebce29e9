"""`sightline changes`: what a change touches, and which tests to run for it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sightline.errors import ConfigError
from sightline.server.cli.options import AnyRoot, AsJson, EmbedderName, IndexDir

if TYPE_CHECKING:
    from sightline.changes.model import Report

FAIL_ON = ("api", "untested")
FORMATS = ("text", "json", "markdown", "sarif")
MAX_TOKENS = 4_000  # of the text on a terminal: about 250 lines
FAILED = 1


def changes(
    commits: Annotated[
        str | None,
        typer.Argument(help="Two commits, as A..B; A...B since B left A.", metavar="[A..B]", show_default=False),
    ] = None,
    path: Annotated[
        Path | None, typer.Option("--path", help="Folder. Default: the current one.", metavar="PATH")
    ] = None,
    base: Annotated[
        str | None,
        typer.Option("--base", help="Compare the work tree with where it left this branch or commit.", metavar="REF"),
    ] = None,
    staged: Annotated[bool, typer.Option("--staged", help="Compare what is staged with HEAD.")] = False,
    worktree: Annotated[bool, typer.Option("--worktree", help="Compare the work tree with HEAD, the default.")] = False,
    tests: Annotated[
        bool, typer.Option("--tests", help="Print only the tests to run, as their runner takes them.")
    ] = False,
    all_tests: Annotated[
        bool, typer.Option("--all-tests", help="As --tests, with those that are reached by guesses alone.")
    ] = False,
    runner: Annotated[
        str | None, typer.Option("--runner", help="With --tests: those of one runner only.", metavar="NAME")
    ] = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-on",
            help=f"Exit with 1 when there is any: {', '.join(FAIL_ON)}. May be repeated.",
            metavar="WHAT",
        ),
    ] = None,
    format_: Annotated[str, typer.Option("--format", help=f"One of: {', '.join(FORMATS)}.", metavar="FORMAT")] = "text",
    max_tokens: Annotated[
        int, typer.Option("--max-tokens", help="Budget of the text.", metavar="N", min=200, max=100_000)
    ] = MAX_TOKENS,
    as_json: AsJson = False,
    index_dir: IndexDir = None,
    embedder: EmbedderName = None,
    allow_any_root: AnyRoot = False,
) -> int:
    """Show what a change touches: symbols, what depends on them, tests to run, public API."""
    from sightline.changes.asked import Asked
    from sightline.server.cli import commands

    chosen = "json" if as_json else format_
    for value, known, what in ((chosen, FORMATS, "format"), *((each, FAIL_ON, "--fail-on") for each in fail_on or ())):
        if value not in known:
            raise ConfigError(f"unknown {what} {value!r}", hint=f"known ones: {', '.join(known)}")
    if worktree and (base or staged or commits):
        raise ConfigError("--worktree is a comparison of its own", hint="leave it out beside --base, --staged and A..B")
    asked = Asked(base or "", staged, commits or "")
    values = {"index_dir": index_dir, "embedder": embedder, "allow_any_root": allow_any_root}
    app = commands.open_app([path] if path is not None else None, values)
    try:
        commands.catch_up_if_possible(app, quiet=chosen != "text" or tests or all_tests)
        report, answered = app.roots[0].changes(asked)
    finally:
        app.close()
    report = replace(report, warnings=(*report.warnings, *answered.warnings))
    if tests or all_tests:
        _print_tests(report, runner or "", wide=all_tests)
    else:
        _PRINT[chosen](report, {"max_tokens": max_tokens, "api_version": app.api_version})
    return FAILED if _fails(report, fail_on or ()) else 0


def _fails(report: Report, conditions: Collection[str]) -> bool:
    return ("api" in conditions and bool(report.api)) or ("untested" in conditions and bool(report.untested))


def _print_tests(report: Report, runner: str, *, wide: bool) -> None:
    from sightline.changes.runners import RUNNERS
    from sightline.server.answers.changes import test_lines

    if runner and runner not in RUNNERS:
        raise ConfigError(f"unknown runner {runner!r}", hint=f"known ones: {', '.join(RUNNERS)}")
    for line in test_lines([*report.tests, *(report.unlikely_tests if wide else ())], runner):
        typer.echo(line)
    if report.unlikely_tests and not wide:
        typer.echo(f"sightline: {len(report.unlikely_tests):,} more are reached by guesses: --all-tests", err=True)
    for unseen in report.unseen:
        typer.echo(f"sightline: not seen: {unseen}", err=True)


def _print_text(report: Report, options: Mapping[str, Any]) -> None:
    from sightline.server.answers.changes import text

    typer.echo(text(report, max_tokens=options["max_tokens"]))


def _print_markdown(report: Report, _: Mapping[str, Any]) -> None:
    from sightline.server.answers.changes import markdown

    typer.echo(markdown(report))


def _print_data(report: Report, options: Mapping[str, Any]) -> None:
    from sightline.server.answers.changes import data
    from sightline.server.cli.commands import print_json

    print_json(data(report, options["api_version"]))


def _print_sarif(report: Report, _: Mapping[str, Any]) -> None:
    from sightline.server.answers.sarif import sarif
    from sightline.server.cli.commands import print_json

    print_json(sarif(report))


_PRINT: Mapping[str, Callable[[Report, Mapping[str, Any]], None]] = {
    "text": _print_text,
    "json": _print_data,
    "markdown": _print_markdown,
    "sarif": _print_sarif,
}
