"""`sightline install` and `uninstall`: plan every edit, show the diffs, ask on a terminal, write."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import typer

from sightline.errors import ConfigError
from sightline.server.install import settings as install
from sightline.server.install.clients import CLIENTS, Scope


def run_install(
    names: Sequence[str],
    scope: str,
    project: Path | None,
    command: str | None,
    *,
    dry_run: bool,
    yes: bool,
    show: bool,
) -> int:
    """Write Sightline into the settings of the named clients."""
    where, home = (project or Path.cwd()).resolve(), _home()
    chosen_scope = _scope(scope)
    start = shlex.split(command) if command else install.server_command(chosen_scope, where)
    if show or not names:
        _explain(where, start)
        return 0 if show else 2
    edits = [install.plan_install(install.client_of(name), chosen_scope, where, home, start) for name in names]
    return _carry_out(edits, "is connected already", dry_run=dry_run, yes=yes)


def run_uninstall(names: Sequence[str], scope: str, project: Path | None, *, dry_run: bool, yes: bool) -> int:
    """Take Sightline out of the settings of the named clients."""
    where, home = (project or Path.cwd()).resolve(), _home()
    if not names:
        raise ConfigError("which client?", hint=f"one or more of: {', '.join(client.key for client in CLIENTS)}")
    edits = [install.plan_uninstall(install.client_of(name), _scope(scope), where, home) for name in names]
    return _carry_out(edits, "has no entry of Sightline", dry_run=dry_run, yes=yes)


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError as error:
        raise ConfigError("there is no home folder", hint="set HOME") from error


def _scope(scope: str) -> Scope:
    if scope == "project":
        return "project"
    if scope == "user":
        return "user"
    raise ConfigError(f"unknown scope {scope!r}", hint="project or user")


def _explain(project: Path, command: Sequence[str]) -> None:
    for client in CLIENTS:
        scopes = "project or user" if client.project_file else "user"
        typer.echo(f"  sightline install {client.key:12} {client.title} ({scopes} settings)")
    typer.echo("\nAny other client: add a stdio server to its settings, for most of them like this:\n")
    typer.echo(install.snippet(project, command))


def _carry_out(edits: Sequence[install.Edit], nothing: str, *, dry_run: bool, yes: bool) -> int:
    waiting = [edit for edit in edits if edit.changes]
    for edit in edits:
        if not edit.changes:
            typer.echo(f"{edit.client.title}: {edit.path} {nothing}", err=True)
    for edit in waiting:
        typer.echo(edit.diff, nl=False)
    if dry_run or not waiting:
        return 0
    if not yes and sys.stdin.isatty() and not typer.confirm("Write this?", default=True, err=True):
        return 1
    for edit in waiting:
        try:
            edit.apply()
        except OSError as error:
            raise ConfigError(f"cannot write {edit.path}: {error.strerror or error}") from error
        typer.echo(f"{edit.client.title}: {edit.path} written; restart the client to see it", err=True)
    return 0
