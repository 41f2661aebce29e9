"""The tools as a page to read: every argument, those too that a tool's definition does not name.

`sightline://reference` gives it to agents; `scripts/docs` makes docs/REFERENCE.md from the same sections.
"""

from __future__ import annotations

from sightline.server import tools
from sightline.server.arguments import Argument

UNNAMED = "·"  # marks an argument that the tool's definition does not name
INTRODUCTION = f"""\
All four tools are read-only. Unknown arguments are refused by name, with the nearest known one; camelCase names are
accepted. Arguments marked {UNNAMED} are accepted like the others, but are not named in the tool's definition, which the
model reads in every conversation.
"""


def page() -> str:
    """All tools."""
    return "\n".join(["# The tools of Sightline\n", INTRODUCTION, *(section(tool) for tool in tools.TOOLS)])


def section(tool: tools.Tool, command: str = "") -> str:
    """One tool: description and a table of its arguments."""
    rows = [f"| {_name(a)} | {_kind(a)} | {_default(a)} | {a.help} |" for a in tool.arguments]
    table = "\n".join(["| argument | type | default | |", "|---|---|---|---|", *rows])
    also = f"Command: `sightline {command}`\n\n" if command else ""
    return f"### {tool.name}\n\n{tool.description}\n\n{also}{table}\n"


def _name(argument: Argument) -> str:
    return f"`{argument.name}`" + ("" if argument.brief else f" {UNNAMED}")


def _kind(argument: Argument) -> str:
    names = {"texts": "text or list", "pairs": "object of text", "numbers": "object of numbers"}
    shown = names.get(argument.kind, argument.kind)
    if argument.choices:
        shown += ": " + ", ".join(f"`{choice}`" for choice in argument.choices)
    elif argument.kind in ("integer", "number") and argument.minimum is not None and argument.maximum is not None:
        shown += f", {argument.minimum:g} to {argument.maximum:g}"
    return shown


def _default(argument: Argument) -> str:
    if argument.required:
        return "required"
    return "" if argument.default is None else f"`{str(argument.default).lower()}`"
