"""The commands of `sightline`, one function each. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import sightline
from sightline.config import Config, check_index_dir, make_config
from sightline.errors import ConfigError, CorruptIndexError, StoreError
from sightline.server import arguments, tools
from sightline.server.cli import options
from sightline.server.cli.changes import changes
from sightline.server.cli.examples import below
from sightline.server.cli.options import (
    AnyRoot,
    AsJson,
    EmbedderName,
    IndexDir,
    LogUsage,
    Memory,
    OneRoot,
    RootsArgument,
    Structured,
)
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
    app = open_app(values["paths"], values)
    try:
        answer = _asked(app, tool, given, quiet=values["json"])
    finally:
        app.close()
    print_json(answer.payload) if values["json"] else typer.echo(answer.text)
    return 0 if answer.found else 1


def _asked(app: App, tool: tools.Tool, given: Mapping[str, Any], *, quiet: bool) -> tools.Answer:
    """Bring the index up to date and ask; once more when it was damaged in between, since opening it repairs it."""
    for last in (False, True):
        catch_up_if_possible(app, quiet=quiet)
        try:
            with call_on_terminal(show=not quiet and sys.stderr.isatty()) as call:
                return tools.call(app, tool, given, call)
        except CorruptIndexError:
            if last:
                raise
    raise AssertionError("the second time either answers or raises")


for _tool in tools.TOOLS:
    _name = COMMAND_OF_TOOL[_tool.name]
    cli.command(_name, short_help=_tool.title, epilog=below(_name))(options.query_command(_tool, run_query))


cli.command("changes", short_help="Show what a change touches, and which tests to run.", epilog=below("changes"))(
    changes
)


@cli.command(epilog=below("index"))
def index(
    paths: RootsArgument = None,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Throw the index away and begin anew.")] = False,
    as_json: AsJson = False,
    index_dir: IndexDir = None,
    embedder: EmbedderName = None,
    memory: Memory = None,
    allow_any_root: AnyRoot = False,
) -> int:
    """Index folders, or bring their index up to date."""
    values = {"index_dir": index_dir, "embedder": embedder, "allow_any_root": allow_any_root}
    app = open_app(paths, {**values, "memory": memory})
    if rebuild:
        _clear([root.config for root in app.roots])
    reports = _catch_up(app, quiet=as_json, say_notices=False)  # they are part of what is printed
    if as_json:
        print_json({"roots": reports})
    else:
        for report in reports:
            typer.echo(report["text"])
    return 0


@cli.command(epilog=below("status"))
def status(
    paths: RootsArgument = None,
    files: Annotated[bool, typer.Option("--files", help="List every file and why it is in or out.")] = False,
    watched: Annotated[bool, typer.Option("--watch", help="Show it again when it changes, until stopped.")] = False,
    as_json: AsJson = False,
    index_dir: IndexDir = None,
    embedder: EmbedderName = None,
    allow_any_root: AnyRoot = False,
) -> int:
    """Show what is indexed, what is not and why."""
    from sightline.server.answers import status as report

    if watched and files:
        raise ConfigError("--watch shows no list of files", hint="give --watch or --files")
    app = open_app(paths, {"index_dir": index_dir, "embedder": embedder, "allow_any_root": allow_any_root})
    if watched:
        from sightline.server.cli.watching import watch_status

        return watch_status(app, as_json=as_json)
    collected = [report.collect(root, files=files) for root in app.roots]
    if as_json:
        print_json({"api_version": app.api_version, "roots": collected})
    else:
        typer.echo(report.text(collected), nl=False)
    return 0 if all(root["state"] != "none" for root in collected) else 1


@cli.command(short_help="Show what agents asked, and what the answers spared them.", epilog=below("stats"))
def stats(
    days: Annotated[int, typer.Option("--days", help="Only the last so many days.", metavar="N", min=1)] = 30,
    questions: Annotated[
        int, typer.Option("--questions", help="How many of the last questions are listed.", metavar="N", min=0)
    ] = 10,
    forget: Annotated[bool, typer.Option("--forget", help="Delete the log, and stop.")] = False,
    as_json: AsJson = False,
    index_dir: IndexDir = None,
) -> int:
    """Show what agents asked, how long the answers were, and what reading the same files whole would have cost.

    It comes from a log in the folder of indexes that never leaves this machine; `serve --no-usage-log` or
    `SIGHTLINE_USAGE_LOG=0` switches it off.
    """
    from sightline.config import index_home
    from sightline.server import usage
    from sightline.server.answers import stats as report

    home = index_home(index_dir)
    if forget:
        typer.echo("log deleted" if usage.forget(home) else "there was no log", err=True)
        return 0
    collected = report.collect(usage.read(home), days=days, questions=questions)
    if as_json:
        print_json(collected)
    else:
        typer.echo(report.text(collected), nl=False)
    return 0 if collected["calls"] else 1


@cli.command(epilog=below("clear"))
def clear(
    paths: RootsArgument = None,
    cache: Annotated[
        bool, typer.Option("--cache", help="Delete the cache of analysis, too, which all folders share.")
    ] = False,
    index_dir: IndexDir = None,
) -> int:
    """Delete the index of folders, be they there or gone. Their files are never touched."""
    # A folder that is gone leaves its index behind, so it need not be there; nothing of it is read anyway.
    configs = [make_config(path, index_dir=index_dir) for path in paths or [Path.cwd()]]
    for config in configs:
        check_index_dir(config.index_dir)
    cleared = _clear(configs)
    if cache:
        from sightline.config import CACHE_FILE

        for ending in ("", "-wal", "-shm"):
            (configs[0].index_dir.parent / f"{CACHE_FILE}{ending}").unlink(missing_ok=True)
        typer.echo("cache of analysis deleted", err=True)
    return 0 if cleared or cache else 1


@cli.command(short_help="Serve coding agents over MCP, and keep the index fresh.", epilog=below("serve"))
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
    catalog: Annotated[
        str,
        typer.Option(
            "--catalog",
            help="Serve what `sightline fleet` has published to this place instead of folders.",
            metavar="PLACE",
        ),
    ] = "",
    tokens: Annotated[
        Path | None,
        typer.Option(
            "--tokens", help="Catalog: file of tokens and the repositories that each may see.", metavar="FILE"
        ),
    ] = None,
    cache_mb: Annotated[
        int, typer.Option("--cache-mb", help="Catalog: how much of it is kept on this disk.", metavar="MB", min=1)
    ] = 20_000,
    api_version: Annotated[
        int, typer.Option("--api-version", help="Version of the answers.", metavar="N", min=1, max=2)
    ] = 1,
    structured: Structured = False,
    log_usage: LogUsage = True,
    index_dir: IndexDir = None,
    embedder: EmbedderName = None,
    memory: Memory = None,
    allow_any_root: AnyRoot = False,
) -> int:
    """Serve the tools to coding agents over MCP, and keep the index fresh.

    With --catalog the repositories of a place are served from their published indexes: bundles are fetched when they
    are first asked of, and nothing is watched or written but their cache.
    """
    from sightline.server.mcp import transport as transports

    chosen = next((name for name in transports.TRANSPORTS if name == transport), None)
    if chosen is None:
        raise ConfigError(f"unknown transport {transport!r}", hint=f"known ones: {', '.join(transports.TRANSPORTS)}")
    if chosen == "stdio" and (token_file is not None or generate_token):
        raise ConfigError("over stdio nobody can send a token", hint="leave it out, or choose --transport http or sse")
    if catalog:
        from sightline.server.cli.catalog import Served, serve_catalog

        if paths:
            raise ConfigError("--catalog and folders cannot be served together", hint="give one of the two")
        served = Served(catalog, tokens, cache_mb, index_dir, embedder, memory, api_version, structured)
        http = transports.HttpOptions(host, port, None, tuple(allowed_host or ()))
        serve_catalog(served, chosen, http, token_file=token_file, generate_token=generate_token)
    if tokens is not None:
        raise ConfigError("--tokens is for --catalog", hint="give --token-file FILE")
    values = {"index_dir": index_dir, "embedder": embedder, "allow_any_root": allow_any_root}
    settings = {"api_version": api_version, "structured": structured, "log_usage": log_usage, "memory": memory}
    app = open_app(paths, {**values, **settings})
    token = transports.read_token(token_file) if token_file else None
    if generate_token and token is None:
        token = transports.new_token()
        typer.echo(f"sightline: token for this run: {token}", err=True)
    transports.serve(app, chosen, transports.HttpOptions(host, port, token, tuple(allowed_host or ())))


@cli.command(short_help="Look at it: a page that shows what the agent sees.", epilog=below("ui"))
def ui(
    paths: RootsArgument = None,
    host: Annotated[str, typer.Option("--host", help="Address to listen on.", metavar="ADDRESS")] = DEFAULT_HOST,
    port: Annotated[int, typer.Option("--port", help="Port; 0 takes a free one.", metavar="N", min=0, max=65_535)] = 0,
    token_file: Annotated[
        Path | None,
        typer.Option("--token-file", help="File with the token; made when missing.", metavar="FILE"),
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")] = True,
    log_usage: LogUsage = True,
    index_dir: IndexDir = None,
    embedder: EmbedderName = None,
    allow_any_root: AnyRoot = False,
) -> int:
    """Open a page that shows what the agent sees: search, symbols, graph, map, status.

    It is for this machine and this user: whoever has the address that is printed, token included, may look. Agents may
    be connected to the same process over HTTP (at /mcp, with the same token).
    """
    from sightline.config import index_home
    from sightline.server.mcp import transport as transports
    from sightline.server.ui.asked import log_of

    values = {"index_dir": index_dir, "embedder": embedder, "allow_any_root": allow_any_root}
    app = open_app(paths, {**values, "log_usage": log_usage})
    app.asked = log_of(index_home(index_dir), [str(root.config.root) for root in app.roots])
    token = transports.read_token(token_file) if token_file else transports.new_token()
    options = transports.HttpOptions(host, port, token, explorer=True, open_browser=open_browser)
    transports.serve(app, "http", options)


@cli.command(short_help="Keep the index of folders fresh until stopped.", epilog=below("watch"))
def watch(
    paths: RootsArgument = None,
    index_dir: IndexDir = None,
    embedder: EmbedderName = None,
    memory: Memory = None,
    allow_any_root: AnyRoot = False,
) -> int:
    """Keep the index of folders fresh until stopped, without serving anybody."""
    import signal
    import threading

    values = {"index_dir": index_dir, "embedder": embedder, "allow_any_root": allow_any_root}
    app = open_app(paths, {**values, "memory": memory})
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


@cli.command(short_help="Write the index of a commit to a place, for others.", epilog=below("publish"))
def publish(
    path: OneRoot = None,
    to: Annotated[str, typer.Option("--to", help="A folder, or s3://… and the like.", metavar="PLACE")] = "",
    ref: Annotated[
        str | None, typer.Option("--ref", help="Refuse unless this is what is checked out.", metavar="NAME")
    ] = None,
    as_json: AsJson = False,
    index_dir: IndexDir = None,
    embedder: EmbedderName = None,
) -> int:
    """Index the commit that is checked out, and write the index to a place from which others begin with it.

    Files that the place has already are not written again. The index holds the source: so does the place.
    """
    from sightline.server.cli.sharing import run_publish

    if not to:
        raise ConfigError("no place was named", hint="sightline publish --to PLACE")
    app = open_app([path or Path.cwd()], {"index_dir": index_dir, "embedder": embedder, "allow_any_root": False})
    written = run_publish(app.roots[0], to, ref)
    print_json(written) if as_json else typer.echo(written["text"])
    return 0


@cli.command(short_help="Begin the index with one that was published.", epilog=below("pull"))
def pull(
    path: OneRoot = None,
    source: Annotated[
        str | None,
        typer.Option("--from", help="A folder, https://…, s3://…; else what .sightline.toml names.", metavar="PLACE"),
    ] = None,
    again: Annotated[bool, typer.Option("--replace", help="Also when there is an index already.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Take it from where .sightline.toml says.")] = False,
    as_json: AsJson = False,
    index_dir: IndexDir = None,
    embedder: EmbedderName = None,
) -> int:
    """Begin the index of a folder with the nearest one that was published of a commit before, and index what differs.

    What is not as it was published is refused by name, and the index is made here. Exit code 1 says so.
    """
    from sightline.server.cli.sharing import source_for

    app = open_app([path or Path.cwd()], {"index_dir": index_dir, "embedder": embedder, "allow_any_root": False})
    root = app.roots[0]
    chosen = source_for(root.config.root, source, yes=yes)
    if again:
        _clear([root.config])
    there = root.snapshot() is not None
    root.config = dataclasses.replace(root.config, **chosen)
    report = _catch_up(app, quiet=as_json, say_notices=False)[0]
    refused = any("is not used" in notice for notice in report.get("notices", ()))
    if there:
        typer.echo("sightline: there was an index already, and nothing was pulled; --replace does", err=True)
    print_json(report) if as_json else typer.echo(report["text"])
    return 1 if refused else 0


@cli.command(short_help="Index many repositories on a cluster, for one catalog.", epilog=below("fleet"))
def fleet(
    action: Annotated[str, typer.Argument(help="What to do: index.", metavar="index")],
    repositories: Annotated[
        Path,
        typer.Argument(help="A file with a path or an address of git per line, or NAME = ADDRESS.", metavar="LIST"),
    ],
    to: Annotated[str, typer.Option("--to", help="A folder, or s3://… and the like.", metavar="PLACE")] = "",
    address: Annotated[
        str | None,
        typer.Option("--address", help="Of a Ray cluster; unless given, one of this machine alone.", metavar="ADDRESS"),
    ] = None,
    workers: Annotated[
        int, typer.Option("--workers", help="Repositories at once on this machine; 0: its cores.", metavar="N", min=0)
    ] = 0,
    timeout: Annotated[
        int, typer.Option("--timeout", help="Seconds that one repository may take.", metavar="S", min=1)
    ] = 3_600,
    as_json: AsJson = False,
    embedder: EmbedderName = None,
) -> int:
    """Index the repositories of a list side by side, publish each, and list them in the catalog of a place.

    What is published already is not indexed again, what fails is tried three times, and one bad repository never stops
    the rest. Exit code 1 says that some failed. `sightline serve --catalog PLACE` serves them. Needs sightline[fleet].
    """
    import os

    from sightline.server.cli.fleet import run_fleet

    if action != "index":
        raise ConfigError(f"unknown action {action[:80]!r}", hint="sightline fleet index LIST --to PLACE")
    if not to:
        raise ConfigError("no place was named", hint="sightline fleet index LIST --to PLACE")
    if address is not None and workers:
        raise ConfigError("--workers is of this machine's own cluster", hint="give --address or --workers")
    report = run_fleet(
        repositories,
        to,
        address=address,
        workers=workers or os.cpu_count() or 1,
        embedder=embedder,
        timeout_s=timeout,
        show=not as_json and sys.stderr.isatty(),
    )
    print_json(report) if as_json else typer.echo(report["text"])
    return 1 if report["failed"] else 0


@cli.command(short_help="Write the index as JSON lines, or a picture of it.", epilog=below("export"))
def export(
    paths: RootsArgument = None,
    table: Annotated[
        str, typer.Option("--table", help="files, chunks, objects, relationships or all.", metavar="NAME")
    ] = "all",
    graph_format: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="The graph alone, for other tools: jsonl or graphml. A picture for people: svg, mermaid or dot.",
            metavar="FORMAT",
        ),
    ] = None,
    start: Annotated[
        str,
        typer.Option("--start", help="Picture: around this symbol; the map of folders unless given.", metavar="SYMBOL"),
    ] = "",
    depth: Annotated[
        int, typer.Option("--depth", help="Picture: hops around the symbol.", metavar="N", min=1, max=4)
    ] = 1,
    direction: Annotated[str, typer.Option("--direction", help="Picture: in, out or both.", metavar="WAY")] = "both",
    folder: Annotated[str, typer.Option("--folder", help="Picture: the map below this folder.", metavar="FOLDER")] = "",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write to.", metavar="FILE")] = None,
    index_dir: IndexDir = None,
    embedder: EmbedderName = None,
    allow_any_root: AnyRoot = False,
) -> int:
    """Write the index as JSON lines, one record per line, without vectors; or a picture of it."""
    from sightline.server.answers.export import (
        GRAPH_FORMATS,
        PICTURES,
        TABLES,
        export_graph,
        export_lines,
        export_picture,
    )

    if table not in (*TABLES, "all"):
        raise ConfigError(f"unknown table {table!r}", hint=f"known ones: {', '.join(TABLES)}, all")
    if graph_format is not None and graph_format not in (*GRAPH_FORMATS, *PICTURES):
        raise ConfigError(
            f"unknown format {graph_format!r}", hint=f"known ones: {', '.join((*GRAPH_FORMATS, *PICTURES))}"
        )
    if graph_format is not None and table != "all":
        raise ConfigError("--format is the graph alone, so --table has nothing to choose", hint="give one of the two")
    if graph_format == "graphml" and len(paths or ()) > 1:
        raise ConfigError("a GraphML document holds one graph", hint="export one folder at a time, or --format jsonl")
    if direction not in arguments.DIRECTIONS:
        raise ConfigError(f"unknown direction {direction!r}", hint=f"known ones: {', '.join(arguments.DIRECTIONS)}")
    if graph_format in PICTURES and len(paths or ()) > 1:
        raise ConfigError("a picture is of one folder", hint="give one PATH")
    app = open_app(paths, {"index_dir": index_dir, "embedder": embedder, "allow_any_root": allow_any_root})
    _catch_up(app, quiet=False, keep_embedder=True)
    wanted = TABLES if table == "all" else (table,)
    lines: Iterable[str]
    if graph_format is None:
        lines = (line for root in app.roots for line in export_lines(root, wanted))
    elif graph_format in PICTURES:
        lines = [
            export_picture(app.roots[0], graph_format, start=start, depth=depth, direction=direction, folder=folder)
        ]
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


@cli.command(short_help="Write Sightline into the settings of coding agents.", epilog=below("install"))
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
    eager: Annotated[
        bool | None,
        typer.Option("--eager/--no-eager", help="Have a client that hides tools at first load ours from the start."),
    ] = None,
    guide: Annotated[
        bool | None,
        typer.Option(
            "--guide/--no-guide", help="A marked paragraph in CLAUDE.md or AGENTS.md: when to use which tool."
        ),
    ] = None,
    plugin: Annotated[
        bool | None,
        typer.Option("--plugin/--no-plugin", help="Claude Code: a plugin folder with a skill that says so in detail."),
    ] = None,
) -> int:
    """Connect coding agents: write Sightline into their settings, and what helps them to use it.

    What is given neither way is asked on a terminal, and elsewhere left as it is.
    """
    from sightline.server.install.command import Wanted, run_install

    wanted = Wanted(eager, guide, plugin)
    return run_install(clients or [], scope, project, command, wanted, dry_run=dry_run, yes=yes, show=show)


@cli.command(short_help="Take it out of the settings of coding agents again.", epilog=below("uninstall"))
def uninstall(
    clients: Annotated[list[str] | None, typer.Argument(help=f"One or more of: {', '.join(BY_KEY)}.")] = None,
    scope: Annotated[
        str, typer.Option("--scope", help="project: this folder's settings; user: yours.", metavar="SCOPE")
    ] = "project",
    project: Annotated[Path | None, typer.Option("--project", help="The project's folder.", metavar="PATH")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the change, make none.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> int:
    """Take Sightline out of the settings of coding agents again, with all that was written beside them."""
    from sightline.server.install.command import run_uninstall

    return run_uninstall(clients or [], scope, project, dry_run=dry_run, yes=yes)


def open_app(paths: Sequence[Path] | None, values: Mapping[str, Any]) -> App:
    """The folders of a command line, or the current one."""
    from sightline.server.app import App
    from sightline.server.cli.sharing import with_allowed_source

    return App.open(
        paths or [Path.cwd()],
        adjust=with_allowed_source,
        index_dir=values["index_dir"],
        embedder=values["embedder"],
        allow_any_root=values["allow_any_root"],
        api_version=values.get("api_version", 1),
        structured=values.get("structured", False),
        log_usage=values.get("log_usage", False),
        memory_mb=values.get("memory"),
    )


def _catch_up(
    app: App, *, quiet: bool, keep_embedder: bool = False, partial: bool = False, say_notices: bool = True
) -> list[dict[str, Any]]:
    from sightline.server.cli.catchup import catch_up

    show = not quiet and sys.stderr.isatty()
    reports = [catch_up(root, show=show, keep_embedder=keep_embedder, partial=partial) for root in app.roots]
    for report in reports if say_notices else ():
        for notice in report.get("notices", ()):
            typer.echo(f"sightline: {notice}", err=True)
    return reports


def catch_up_if_possible(app: App, *, quiet: bool) -> None:
    """Where the index cannot be written (a read-only or full disk), what is there is asked, and that is said."""
    try:
        _catch_up(app, quiet=quiet, keep_embedder=True, partial=True)
    except StoreError as error:
        if any(root.snapshot() is None for root in app.roots):
            raise
        typer.echo(visible(f"sightline: the index is not brought up to date: {error}"), err=True)


def _clear(configs: Sequence[Config]) -> bool:
    from sightline import store

    cleared = False
    for config in configs:
        had = store.clear(config.index_dir)
        cleared = cleared or had
        done = "index deleted" if had else "there was no index"
        typer.echo(visible(f"{config.root}: {done}"), err=True)
    return cleared


def _on_terminal(piece: str) -> str:
    """A piece of an export without anything that a terminal would obey; JSON stays the same data."""
    if piece.startswith("{"):
        return json.dumps(json.loads(piece)) + "\n"
    return "\n".join(map(visible_source, piece.split("\n")))


def print_json(value: Any) -> None:
    """Print data."""
    # Exact data either way; on a terminal nothing in it may be a control character.
    sys.stdout.write(json.dumps(value, ensure_ascii=sys.stdout.isatty(), indent=2) + "\n")
