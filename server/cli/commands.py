"""The commands of `sightline`, one function each. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import sightline
from sightline.errors import ConfigError, CorruptIndexError, StoreError
from sightline.server import arguments, tools
from sightline.server.cli import options
from sightline.server.cli.options import AnyRoot, AsJson, EmbedderName, IndexDir, RootsArgument, Structured
from sightline.server.install.clients import BY_KEY
from sightline.server.mcp.transport import DEFAULT_HOST, DEFAULT_PORT
from sightline.server.progress import call_on_terminal
from sightline.visible import visible, visible_source

if TYPE_CHECKING:
    from sightline.server.app import App

_INTERRUPTED = 130
COMMAND_OF_TOOL = {"search": "search", "symbol_search": "symbol", "expand_graph": "expand", "code_research": "research"}

cli = typer.Typer(
    name="sightline",
    help="Code search and a symbol graph for coding agents, on your own machine.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def invoke(line: list[str]) -> int:
    """Run one command; what it returns is the exit code. Usage errors are reported here, with exit code 2."""
    command = typer.main.get_command(cli)
    try:
        result = command.main(line, prog_name="sightline", standalone_mode=False)
    except typer.Exit as stop:
        return stop.exit_code
    except typer.Abort:
        return 1
    except Exception as error:
        show = getattr(error, "show", None)  # a usage error of the parser knows how to show itself
        if show is None:
            raise
        show()
        return int(getattr(error, "exit_code", 2))
    if result == _INTERRUPTED:  # what typer makes of Ctrl-C; whoever called us says so
        raise KeyboardInterrupt
    return result if isinstance(result, int) else 0


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sightline {sightline.__version__}")
        raise typer.Exit


@cli.callback()
def common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Code search and a symbol graph for coding agents, on your own machine."""


def run_query(tool: tools.Tool, values: dict[str, Any]) -> int:
    """Bring the index up to date, ask, print exactly what the tool answers."""
    given = options.tool_arguments(tool, values)
    arguments.check(tool.arguments, given)  # before anything is indexed
    app = _open(values["paths"], values)
    try:
        answer = _asked(app, tool, given, quiet=values["json"])
    finally:
        app.close()
    _print_json(answer.payload) if values["json"] else typer.echo(answer.text)
    return 0 if answer.found else 1


def _asked(app: App, tool: tools.Tool, given: Mapping[str, Any], *, quiet: bool) -> tools.Answer:
    """Bring the index up to date and ask; once more when it was damaged in between, since opening it repairs it."""
    for last in (False, True):
        _catch_up_if_possible(app, quiet=quiet)
        try:
            with call_on_terminal(show=not quiet and sys.stderr.isatty()) as call:
                return tools.call(app, tool, given, call)
        except CorruptIndexError:
            if last:
                raise
    raise AssertionError("the second time either answers or raises")


for _tool in tools.TOOLS:
    cli.command(COMMAND_OF_TOOL[_tool.name], short_help=_tool.title)(options.query_command(_tool, run_query))


@cli.command()
def index(
    paths: RootsArgument = None,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Throw the index away and begin anew.")] = False,
    as_json: AsJson = False,
    index_dir: IndexDir = None,
    embedder: EmbedderName = None,
    allow_any_root: AnyRoot = False,
) -> int:
    """Index folders, or bring their index up to date."""
    app = _open(paths, {"index_dir": index_dir, "embedder": embedder, "allow_any_root": allow_any_root})
    if rebuild:
        _clear(app)
    reports = _catch_up(app, quiet=as_json, say_notices=False)  # they are part of what is printed
    if as_json:
        _print_json({"roots": reports})
    else:
        for report in reports:
            typer.echo(report["text"])
    return 0


@cli.command()
def status(
    paths: RootsArgument = None,
    files: Annotated[bool, typer.Option("--files", help="List every file and why it is in or out.")] = False,
    as_json: AsJson = False,
    index_dir: IndexDir = None,
    embedder: EmbedderName = None,
    allow_any_root: AnyRoot = False,
) -> int:
    """Show what is indexed, what is not and why."""
    from sightline.server.answers import status as report

    app = _open(paths, {"index_dir": index_dir, "embedder": embedder, "allow_any_root": allow_any_root})
    collected = [report.collect(root, files=files) for root in app.roots]
    if as_json:
        _print_json({"api_version": app.api_version, "roots": collected})
    else:
        typer.echo(report.text(collected), nl=False)
    return 0 if all(root["state"] != "none" for root in collected) else 1


@cli.command()
def clear(
    paths: RootsArgument = None,
    index_dir: IndexDir = None,
    allow_any_root: AnyRoot = False,
) -> int:
    """Delete the index of folders. Their files are never touched."""
    app = _open(paths, {"index_dir": index_dir, "embedder": None, "allow_any_root": allow_any_root})
    return 0 if _clear(app) else 1


@cli.command(short_help="Serve coding agents over MCP, and keep the index fresh.")
def serve(
    paths: RootsArgument = None,
    transport: Annotated[
        str, typer.Option("--transport", help="stdio, sse (at /sse) or http (at /mcp).", metavar="NAME")
    ] = "stdio",
    host: Annotated[str, typer.Option("--host", help="Address to listen on.", metavar="ADDRESS")] = DEFAULT_HOST,
    port: Annotated[
        int, typer.Option("--port", help="Port; 0 takes a free one.", metavar="N", min=0, max=65_535)
    ] = DEFAULT_PORT,
    token_file: Annotated[
        Path | None,
        typer.Option("--token-file", help="File with the bearer token; made when missing.", metavar="FILE"),
    ] = None,
    generate_token: Annotated[
        bool, typer.Option("--generate-token", help="Make a bearer token for this run and print it to stderr.")
    ] = False,
    allowed_host: Annotated[
        list[str] | None,
        typer.Option("--allowed-host", help="Name by which clients reach this host. May be repeated.", metavar="NAME"),
    ] = None,
    api_version: Annotated[
        int, typer.Option("--api-version", help="Version of the answers.", metavar="N", min=1, max=2)
    ] = 1,
    structured: Structured = False,
    index_dir: IndexDir = None,
    embedder: EmbedderName = None,
    allow_any_root: AnyRoot = False,
) -> int:
    """Serve the tools to coding agents over MCP, and keep the index fresh."""
    from sightline.server.mcp import transport as transports

    chosen = next((name for name in transports.TRANSPORTS if name == transport), None)
    if chosen is None:
        raise ConfigError(f"unknown transport {transport!r}", hint=f"known ones: {', '.join(transports.TRANSPORTS)}")
    values = {"index_dir": index_dir, "embedder": embedder, "allow_any_root": allow_any_root}
    app = _open(paths, {**values, "api_version": api_version, "structured": structured})
    token = transports.read_token(token_file) if token_file else None
    if generate_token and token is None:
        token = transports.new_token()
        typer.echo(f"sightline: token for this run: {token}", err=True)
    transports.serve(app, chosen, transports.HttpOptions(host, port, token, tuple(allowed_host or ())))


@cli.command(short_help="Keep the index of folders fresh until stopped.")
def watch(
    paths: RootsArgument = None,
    index_dir: IndexDir = None,
    embedder: EmbedderName = None,
    allow_any_root: AnyRoot = False,
) -> int:
    """Keep the index of folders fresh until stopped, without serving anybody."""
    import signal
    import threading

    app = _open(paths, {"index_dir": index_dir, "embedder": embedder, "allow_any_root": allow_any_root})
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    try:
        app.life.keep()
        typer.echo(visible(f"sightline: watching {app.described()}"), err=True)
        stop.wait()
    finally:
        app.close()
    return 0


@cli.command(short_help="Write the index as JSON lines.")
def export(
    paths: RootsArgument = None,
    table: Annotated[
        str, typer.Option("--table", help="files, chunks, objects, relationships or all.", metavar="NAME")
    ] = "all",
    graph_format: Annotated[
        str | None,
        typer.Option("--format", help="The graph alone, for other tools: jsonl or graphml.", metavar="FORMAT"),
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write to.", metavar="FILE")] = None,
    index_dir: IndexDir = None,
    embedder: EmbedderName = None,
    allow_any_root: AnyRoot = False,
) -> int:
    """Write the index as JSON lines, one record per line, without vectors."""
    from sightline.server.answers.export import GRAPH_FORMATS, TABLES, export_graph, export_lines

    if table not in (*TABLES, "all"):
        raise ConfigError(f"unknown table {table!r}", hint=f"known ones: {', '.join(TABLES)}, all")
    if graph_format is not None and graph_format not in GRAPH_FORMATS:
        raise ConfigError(f"unknown format {graph_format!r}", hint=f"known ones: {', '.join(GRAPH_FORMATS)}")
    app = _open(paths, {"index_dir": index_dir, "embedder": embedder, "allow_any_root": allow_any_root})
    _catch_up(app, quiet=False)
    wanted = TABLES if table == "all" else (table,)
    if graph_format is None:
        lines = (line for root in app.roots for line in export_lines(root, wanted))
    else:
        lines = (line for root in app.roots for line in export_graph(root, graph_format))
    if output is None:
        shown = map(_on_terminal, lines) if sys.stdout.isatty() else lines
        sys.stdout.writelines(shown)
        return 0
    try:
        with output.open("w", encoding="utf-8") as file:
            file.writelines(lines)
    except OSError as error:
        raise ConfigError(
            f"cannot write {output}: {error.strerror or error}", hint="choose another --output"
        ) from error
    return 0


@cli.command()
def install(
    clients: Annotated[list[str] | None, typer.Argument(help=f"One or more of: {', '.join(BY_KEY)}.")] = None,
    scope: Annotated[
        str, typer.Option("--scope", help="project: this folder's settings; user: yours.", metavar="SCOPE")
    ] = "project",
    project: Annotated[Path | None, typer.Option("--project", help="The project's folder.", metavar="PATH")] = None,
    command: Annotated[
        str | None, typer.Option("--command", help="How clients start Sightline.", metavar="COMMAND")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the change, make none.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    show: Annotated[bool, typer.Option("--print", help="Print what to add to any other client, and stop.")] = False,
) -> int:
    """Connect coding agents: write Sightline into their settings."""
    from sightline.server.install.command import run_install

    return run_install(clients or [], scope, project, command, dry_run=dry_run, yes=yes, show=show)


@cli.command()
def uninstall(
    clients: Annotated[list[str] | None, typer.Argument(help=f"One or more of: {', '.join(BY_KEY)}.")] = None,
    scope: Annotated[
        str, typer.Option("--scope", help="project: this folder's settings; user: yours.", metavar="SCOPE")
    ] = "project",
    project: Annotated[Path | None, typer.Option("--project", help="The project's folder.", metavar="PATH")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the change, make none.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> int:
    """Take Sightline out of the settings of coding agents again."""
    from sightline.server.install.command import run_uninstall

    return run_uninstall(clients or [], scope, project, dry_run=dry_run, yes=yes)


def _open(paths: Sequence[Path] | None, values: Mapping[str, Any]) -> App:
    from sightline.server.app import App

    return App.open(
        paths or [Path.cwd()],
        index_dir=values["index_dir"],
        embedder=values["embedder"],
        allow_any_root=values["allow_any_root"],
        api_version=values.get("api_version", 1),
        structured=values.get("structured", False),
    )


def _catch_up(app: App, *, quiet: bool, say_notices: bool = True) -> list[dict[str, Any]]:
    from sightline.server.cli.catchup import catch_up

    reports = [catch_up(root, show=not quiet and sys.stderr.isatty()) for root in app.roots]
    for report in reports if say_notices else ():
        for notice in report.get("notices", ()):
            typer.echo(f"sightline: {notice}", err=True)
    return reports


def _catch_up_if_possible(app: App, *, quiet: bool) -> None:
    """Where the index cannot be written (a read-only or full disk), what is there is asked, and that is said."""
    try:
        _catch_up(app, quiet=quiet)
    except StoreError as error:
        if any(root.snapshot() is None for root in app.roots):
            raise
        typer.echo(visible(f"sightline: the index is not brought up to date: {error}"), err=True)


def _clear(app: App) -> bool:
    from sightline import store

    cleared = False
    for root in app.roots:
        had = store.clear(root.config.index_dir)
        cleared = cleared or had
        done = "index deleted" if had else "there was no index"
        typer.echo(visible(f"{root.config.root}: {done}"), err=True)
    return cleared


def _on_terminal(piece: str) -> str:
    """A piece of an export without anything that a terminal would obey; JSON stays the same data."""
    if piece.startswith("{"):
        return json.dumps(json.loads(piece)) + "\n"
    return "\n".join(map(visible_source, piece.split("\n")))


def _print_json(value: Any) -> None:
    # Exact data either way; on a terminal nothing in it may be a control character.
    sys.stdout.write(json.dumps(value, ensure_ascii=sys.stdout.isatty(), indent=2) + "\n")
