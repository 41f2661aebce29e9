"""`sightline install` and `uninstall`: plan every edit, show the diffs, ask on a terminal, write."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import typer

from sightline.errors import ConfigError
from sightline.server.install import guide, plugin
from sightline.server.install import settings as install
from sightline.server.install.clients import CLIENTS, Client, Scope
from sightline.server.install.edit import Edit
from sightline.visible import visible, visible_source


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is done beside the entry in the settings; None: nobody said, so a person at a terminal is asked."""

    eager: bool | None = None
    guide: bool | None = None
    plugin: bool | None = None


@dataclass(frozen=True, slots=True)
class _Destination:
    """Where things are written."""

    scope: Scope
    project: Path
    home: Path


def run_install(
    names: Sequence[str],
    scope: str,
    project: Path | None,
    command: str | None,
    wanted: Wanted,
    *,
    dry_run: bool,
    yes: bool,
    show: bool,
) -> int:
    """Write Sightline into the settings of the named clients."""
    destination = _Destination(_scope(scope), (project or Path.cwd()).resolve(), _home())
    start = shlex.split(command) if command else install.server_command(destination.scope, destination.project)
    if show or not names:
        _explain(destination.project, start)
        return 0 if show else 2
    clients = [install.client_of(name) for name in dict.fromkeys(names)]
    if not dry_run and not yes and sys.stdin.isatty():
        wanted = _asked(clients, destination, wanted)
    edits = [
        install.plan_install(
            client, destination.scope, destination.project, destination.home, start, eager=wanted.eager
        )
        for client in clients
    ]
    for client in clients:
        edits += _additions(client, destination, wanted)
    return _carry_out(edits, "is connected already", dry_run=dry_run, yes=yes)


def run_uninstall(names: Sequence[str], scope: str, project: Path | None, *, dry_run: bool, yes: bool) -> int:
    """Take Sightline out of the settings of the named clients, with all that was written beside its entry."""
    destination = _Destination(_scope(scope), (project or Path.cwd()).resolve(), _home())
    if not names:
        raise ConfigError("which client?", hint=f"one or more of: {', '.join(client.key for client in CLIENTS)}")
    clients = [install.client_of(name) for name in dict.fromkeys(names)]
    edits = [
        install.plan_uninstall(client, destination.scope, destination.project, destination.home) for client in clients
    ]
    for client in clients:
        if client.key == plugin.CLIENT:
            edits += plugin.plan_no_plugin(client, destination.scope, destination.project, destination.home)
        edits += _guide_taken_out(client, destination, staying=[other for other in CLIENTS if other not in clients])
    return _carry_out(edits, "has no entry of Sightline", dry_run=dry_run, yes=yes)


def _additions(client: Client, destination: _Destination, wanted: Wanted) -> list[Edit]:
    """What is written or taken away beside the entry; what nobody spoke of stays as it is."""
    edits: list[Edit] = []
    if client.key == plugin.CLIENT and wanted.plugin is not None:
        plan = plugin.plan_plugin if wanted.plugin else plugin.plan_no_plugin
        edits += plan(client, destination.scope, destination.project, destination.home)
    if wanted.guide is None:
        return edits
    path = guide.guide_file(client, destination.scope, destination.project, destination.home)
    if path is None:
        typer.echo(f"{client.title}: no file for instructions of yours is known; use --scope project", err=True)
        return edits
    plan_paragraph = guide.plan_guide if wanted.guide else guide.plan_no_guide
    return [*edits, plan_paragraph(client, destination.scope, destination.project, path)]


def _guide_taken_out(client: Client, destination: _Destination, staying: Sequence[Client]) -> list[Edit]:
    """The paragraph goes with the client, unless another that stays connected reads the same file."""
    path = guide.guide_file(client, destination.scope, destination.project, destination.home)
    if path is None:
        return []
    edit = guide.plan_no_guide(client, destination.scope, destination.project, path)
    if not edit.changes:
        return []
    for other in staying:
        same = guide.guide_file(other, destination.scope, destination.project, destination.home) == path
        if same and install.has_entry(other, destination.scope, destination.project, destination.home):
            typer.echo(visible(f"{client.title}: the paragraph in {path} stays for {other.title}"), err=True)
            return []
    return [edit]


def _asked(clients: Sequence[Client], destination: _Destination, wanted: Wanted) -> Wanted:
    """The person's answers to what nobody said on the command line."""
    deferring = [client.title for client in clients if client.eager]
    if wanted.eager is None and deferring:
        question = f"{' and '.join(deferring)} may hide tools until the model looks for them. Load ours from the start?"
        wanted = replace(wanted, eager=typer.confirm(question, default=True, err=True))
    paths = [guide.guide_file(client, destination.scope, destination.project, destination.home) for client in clients]
    names = ", ".join(dict.fromkeys(str(path) for path in paths if path is not None))
    if wanted.guide is None and names:
        question = visible(f"Add a marked paragraph that says when to use which tool to {names}?")
        wanted = replace(wanted, guide=typer.confirm(question, default=False, err=True))
    if wanted.plugin is None and any(client.key == plugin.CLIENT for client in clients):
        where = plugin.folder(destination.scope, destination.project, destination.home)
        question = visible(f"Add a plugin with a skill that says the same in more detail, {where}?")
        wanted = replace(wanted, plugin=typer.confirm(question, default=False, err=True))
    return wanted


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


def _carry_out(edits: Sequence[Edit], nothing: str, *, dry_run: bool, yes: bool) -> int:
    waiting = list({edit.path: edit for edit in edits if edit.changes}.values())  # clients may share a file
    for edit in edits:
        if not edit.changes and edit.ours is None:
            typer.echo(visible(f"{edit.client.title}: {edit.path} {nothing}"), err=True)
    for edit in waiting:
        # A file of a project holds what the project wrote: nothing of it may talk to the terminal.
        typer.echo("\n".join(map(visible_source, edit.diff.split("\n"))), nl=False)
    if dry_run or not waiting:
        return 0
    if not yes and sys.stdin.isatty() and not typer.confirm("Write this?", default=True, err=True):
        return 1
    for edit in waiting:
        try:
            edit.apply()
        except OSError as error:
            raise ConfigError(f"cannot write {edit.path}: {error.strerror or error}") from error
        done = "removed" if edit.after is None else "written"
        typer.echo(visible(f"{edit.client.title}: {edit.path} {done}; restart the client to see it"), err=True)
    return 0
