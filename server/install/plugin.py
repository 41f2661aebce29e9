"""A folder of ours among the skills of Claude Code: a plugin with one skill.

Claude Code loads a folder below `.claude/skills` that holds `.claude-plugin/plugin.json` as a plugin, without a
marketplace. The server itself stays an entry of the settings: one that a plugin brings is not loaded from the start,
whatever it asks for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import sightline
from sightline.errors import ConfigError
from sightline.server.install.clients import Client, Scope
from sightline.server.install.edit import Edit, check_no_link, read_text
from sightline.server.install.settings import owner

CLIENT = "claude-code"
_SKILL = """\
---
name: find-code
description: Find code in this project and answer questions about its structure with Sightline's tools instead of grep \
and reading whole files. Use when looking for where something is done or defined, who calls or implements it, what a \
change would break, or how one part reaches another.
---

The MCP server `sightline` has this project indexed and keeps the index fresh. Its tools, as this client names them:

| you want | tool | with |
|---|---|---|
| the place where something is done, in your own words or by words of the code | `mcp__sightline__search` | `query` |
| a definition, from a name that may be partial or misspelt | `mcp__sightline__symbol_search` | `name` |
| callers, callees, implementations, tests of a symbol | `mcp__sightline__expand_graph` | `start`, `direction` |
| a whole question: what breaks, how A reaches B, where a feature lives | `mcp__sightline__code_research` | `question` |

1. Begin with one call: `code_research` for structure, `search` for "where", `symbol_search` for a name.
2. Narrow with `file_filter` (globs) rather than asking again in other words.
3. Read a file only for the lines that you are going to change: answers carry numbered lines as they are on disk.
4. Do not check an answer by grep where it says that every occurrence is accounted for. What it names as not resolved
   is what is left to look at. A relationship marked "~ possible" is a guess.
5. Use grep for exact strings in data files, and when the tools say that the index is not complete yet.
"""


def files() -> Mapping[str, str]:
    """The plugin: path inside its folder → text."""
    manifest = {
        "name": "sightline",
        "version": sightline.__version__,
        "description": "When to use which tool of Sightline, the code search of this project.",
    }
    return {
        ".claude-plugin/plugin.json": json.dumps(manifest, indent=2) + "\n",
        "skills/find-code/SKILL.md": _SKILL,
    }


def folder(scope: Scope, project: Path, home: Path) -> Path:
    """Where the plugin stands."""
    return (home if scope == "user" else project) / ".claude" / "skills" / "sightline"


def plan_plugin(client: Client, scope: Scope, project: Path, home: Path) -> Sequence[Edit]:
    """What writing the plugin would change; a folder of this name that is not ours is refused."""
    where = folder(scope, project, home)
    if where.exists() and not _is_ours(where):
        raise ConfigError(f"{where} is not a folder that Sightline wrote", hint="nothing was changed")
    return [_edit(client, scope, project, where, name, text) for name, text in files().items()]


def plan_no_plugin(client: Client, scope: Scope, project: Path, home: Path) -> Sequence[Edit]:
    """What taking the plugin away would change: files that are not ours stay, and so does their folder."""
    where = folder(scope, project, home)
    return [_edit(client, scope, project, where, name, None) for name in files()] if _is_ours(where) else []


def _edit(client: Client, scope: Scope, project: Path, where: Path, name: str, text: str | None) -> Edit:
    path = where / name
    if scope == "project":
        check_no_link(project, path)
    return Edit(client, path, read_text(path), text, owner(scope, project), ours=where)


def _is_ours(where: Path) -> bool:
    manifest = read_text(where / ".claude-plugin" / "plugin.json")
    try:
        known = json.loads(manifest) if manifest is not None else None
    except (ValueError, RecursionError):
        return False
    return isinstance(known, dict) and known.get("name") == "sightline"
