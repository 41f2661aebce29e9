"""The command-line options that several commands share, and the flags made from a tool's arguments."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from sightline.errors import QueryError
from sightline.server.arguments import Argument
from sightline.server.tools import Tool

RootsArgument = Annotated[
    list[Path] | None,
    typer.Argument(help="Folder, or several.", metavar="PATH", show_default="the current folder"),
]
OneRoot = Annotated[Path | None, typer.Argument(help="Folder.", metavar="PATH", show_default="the current folder")]
IndexDir = Annotated[
    Path | None,
    typer.Option(
        "--index-dir",
        metavar="FOLDER",
        help="Where indexes are kept.",
        envvar="SIGHTLINE_INDEX_DIR",
        show_envvar=True,
    ),
]
EmbedderName = Annotated[
    str | None,
    typer.Option(
        "--embedder",
        metavar="NAME",
        help="static (built in), none (words only) or fastembed:MODEL.",
        envvar="SIGHTLINE_EMBEDDER",
        show_envvar=True,
    ),
]
Memory = Annotated[
    int | None,
    typer.Option(
        "--memory",
        metavar="MB",
        help="What all processes together may hold, 1000 unless said otherwise; less costs time.",
        envvar="SIGHTLINE_MEMORY",
        show_envvar=True,
    ),
]
AnyRoot = Annotated[bool, typer.Option("--allow-any-root", help="Allow the home folder or / as a root.")]
Structured = Annotated[
    bool,
    typer.Option(
        "--structured",
        help="For programs: answers carry structured content too, and tools an output schema. Many agents show their "
        "model that instead of the text.",
        envvar="SIGHTLINE_STRUCTURED",
        show_envvar=True,
    ),
]
LogUsage = Annotated[
    bool,
    typer.Option(
        "--usage-log/--no-usage-log",
        help="Whether calls are noted for `sightline stats`, in a file on this machine that nothing else reads.",
        envvar="SIGHTLINE_USAGE_LOG",
        show_envvar=True,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]

_TYPES: Mapping[str, Any] = {
    "text": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "texts": list[str],
    "pairs": list[str],
    "numbers": list[str],
}
_METAVARS: Mapping[str, str] = {
    "text": "TEXT",
    "integer": "N",
    "number": "X",
    "texts": "TEXT",
    "pairs": "KEY=VALUE",
    "numbers": "KEY=VALUE",
}


def flag(name: str) -> str:
    """`file_filter` → `--file-filter`."""
    return "--" + name.replace("_", "-")


def query_command(tool: Tool, run: Callable[[Tool, dict[str, Any]], int]) -> Callable[..., int]:
    """A typer command for a tool: its subject, the folders, a flag for every argument, and the shared options."""
    parameters = [
        _parameter(
            tool.subject.name, str, typer.Argument(..., help=tool.subject.help, metavar=tool.subject.name.upper())
        ),
        _parameter("paths", RootsArgument, None),
        *(_flag_parameter(argument) for argument in tool.arguments if not argument.required),
        _parameter("json", AsJson, False),
        _parameter(
            "api_version",
            int,
            typer.Option(1, "--api-version", help="Version of the JSON answer.", metavar="N", min=1, max=2),
        ),
        _parameter("index_dir", IndexDir, None),
        _parameter("embedder", EmbedderName, None),
        _parameter("allow_any_root", AnyRoot, False),
    ]

    def command(**values: Any) -> int:
        return run(tool, values)

    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    command.__doc__ = tool.description
    return command


def tool_arguments(tool: Tool, values: Mapping[str, Any]) -> dict[str, Any]:
    """What was given on the command line, as the tool's arguments; flags that were not given are left out."""
    given: dict[str, Any] = {}
    for argument in tool.arguments:
        value = values[argument.name]
        if value is None or value == []:
            continue
        given[argument.name] = _pairs(argument, value) if argument.kind in ("pairs", "numbers") else value
    if (question := given.get("question")) and _GAP.search(question) and "\n" not in question:
        raise QueryError(
            f"the question has a gap where a name may have stood: {question!r}",
            hint="within double quotes the shell runs what stands between backticks: put the question in single quotes",
        )
    return given


# What is left of "which functions call `f` directly" in double quotes: agents ask that way, and pay for an answer about
# nothing. Two spaces after the end of a sentence are how some people write.
_GAP = re.compile(r"[\w,(]  +[\w,(]|\b(?:calls?|from|to|of|and|change|uses?|extends?|implements?) +[,?]| \(\)")


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _flag_parameter(argument: Argument) -> inspect.Parameter:
    names = [flag(argument.name)]
    help_text = argument.help
    if argument.kind == "boolean":
        names = [f"{flag(argument.name)}/--no-{argument.name.replace('_', '-')}"]
    if argument.choices and argument.kind in ("text", "texts"):
        help_text += f" One of: {', '.join(argument.choices)}."
    if argument.kind in ("texts", "pairs", "numbers"):
        help_text += " May be repeated."
    if argument.default is not None and argument.kind != "boolean":
        help_text += f" Default: {argument.default}."
    metavar = None if argument.kind == "boolean" else _METAVARS[argument.kind]
    default = argument.default if argument.kind == "boolean" else None
    option = typer.Option(default, *names, help=help_text, metavar=metavar, show_default=argument.kind == "boolean")
    return _parameter(argument.name, _TYPES[argument.kind] | None, option)


def _pairs(argument: Argument, items: Sequence[str]) -> dict[str, str]:
    pairs = {}
    for item in items:
        key, equals, value = item.partition("=")
        if not equals:
            raise QueryError(f"{flag(argument.name)} needs KEY=VALUE, not {item!r}")
        pairs[key.strip()] = value.strip()
    return pairs
