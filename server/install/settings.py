"""Put Sightline into the settings of a coding agent, and take it out again.

`plan_install` and `plan_uninstall` only read; they return an `Edit` whose `diff` is shown before `apply` writes
anything. An edit touches nothing but our own entry: comments, layout and foreign entries stay (see `jsonc.py`).
Doing it twice changes nothing the second time, and what a person added to our entry (`env`, …) stays. How a file is
written, and which are not, is in `edit.py`.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sightline.errors import ConfigError
from sightline.indexer.files.programs import find_program, trusted_path
from sightline.server.arguments import nearest
from sightline.server.install import jsonc, tomlfile, yamlfile
from sightline.server.install.clients import BY_KEY, SERVER_NAME, Client, Scope
from sightline.server.install.edit import Edit, check_no_link, read_text

_OTHER_TRANSPORTS = frozenset({"url", "serverUrl", "httpUrl", "headers"})  # an entry that starts a command has none
_ALSO_JSONC = frozenset({"opencode", "amp"})  # read the file with this ending where there is one
_NOTHING = "\ufeff \t\r\n"
_NOT_UNDERSTOOD = (jsonc.JsoncError, tomllib.TOMLDecodeError, yamlfile.YamlError)


def client_of(key: str) -> Client:
    """The client of this name; ConfigError names the nearest one."""
    if key in BY_KEY:
        return BY_KEY[key]
    close = nearest(key, tuple(BY_KEY))
    hint = f"did you mean {close}?" if close else f"known ones: {', '.join(BY_KEY)}"
    raise ConfigError(f"unknown client {key!r}", hint=f"{hint} For any other client: sightline install --print")


def settings_file(client: Client, scope: Scope, project: Path, home: Path) -> Path:
    """The file that holds the client's servers for this scope."""
    if scope == "user":
        path = client.user_file(home)
    elif client.project_file is None:
        raise ConfigError(f"{client.title} has no settings per project", hint="use --scope user")
    else:
        path = project / client.project_file
    with_comments = path.with_suffix(".jsonc")
    chosen = with_comments if client.key in _ALSO_JSONC and with_comments.exists() else path
    if scope == "project":
        check_no_link(project, chosen)
    return chosen


def owner(scope: Scope, project: Path) -> Path | None:
    """Whose files are changed: the project's, or None for a person's."""
    return project if scope == "project" else None


def server_command(scope: Scope, project: Path) -> list[str]:
    """How the client shall start Sightline: by name in files that a team shares, by full path in personal ones.

    A `sightline` that PATH finds by a relative entry or inside the project is the project's, not ours. The client
    starts the server inside the project, whose modules must not be imported in place of ours: hence -P.
    """
    found = find_program("sightline", trusted_path(project))
    if scope == "project" and found:
        return ["sightline"]
    if found:
        return [found]
    return [sys.executable, "-P", "-m", "sightline.server"]


def entry_for(client: Client, project: Path, command: Sequence[str]) -> Mapping[str, Any]:
    """The entry of Sightline in this client's settings."""
    arguments = ["serve"]
    if client.needs_path:
        arguments.append(str(project))
    elif client.project_root:
        arguments.append(client.project_root)
    return client.entry(command, arguments)


def plan_install(
    client: Client, scope: Scope, project: Path, home: Path, command: Sequence[str], *, eager: bool | None = None
) -> Edit:
    """What installing would change; `eager` None leaves as it is whether the client loads our tools from the start."""
    path = settings_file(client, scope, project, home)
    before = read_text(path)
    text = before or ""
    entry = entry_for(client, project, command)
    form = _form(path)
    try:
        entry = _with_additions(entry, form.get(text, client) if text.strip(_NOTHING) else None)
        if eager is not None:
            entry = {key: value for key, value in entry.items() if key not in client.eager}
            entry |= client.eager if eager else {}
        after = form.put(text, client, entry)
    except _NOT_UNDERSTOOD as error:
        raise _unreadable(client, path, error, entry) from error
    return Edit(client, path, before, after, owner(scope, project))


def has_entry(client: Client, scope: Scope, project: Path, home: Path) -> bool:
    """Whether the client's settings name us; a file that cannot be read says no."""
    try:
        path = settings_file(client, scope, project, home)
        text = read_text(path) or ""
        return bool(text.strip(_NOTHING)) and _form(path).get(text, client) is not None
    except (ConfigError, *_NOT_UNDERSTOOD):
        return False


def _with_additions(entry: Mapping[str, Any], known: Any) -> Mapping[str, Any]:
    """The entry together with what a person added to the one there is; how the server is started is ours to say."""
    if not isinstance(known, Mapping):
        return entry
    added = {key: value for key, value in known.items() if key not in entry and key not in _OTHER_TRANSPORTS}
    if isinstance(known.get("env"), Mapping):
        added["env"] = known["env"]
    return {**entry, **added}


def plan_uninstall(client: Client, scope: Scope, project: Path, home: Path) -> Edit:
    """What uninstalling would change: our entry goes, and with it what would be left empty."""
    path = settings_file(client, scope, project, home)
    before = read_text(path)
    if before is None:
        return Edit(client, path, None, None, owner(scope, project))
    form = _form(path)
    try:
        after = form.remove(before, client)
    except _NOT_UNDERSTOOD as error:
        raise _unreadable(client, path, error, {}) from error
    gone = after != before and form.is_empty(after)
    return Edit(client, path, before, None if gone else after, owner(scope, project))


@dataclass(frozen=True, slots=True)
class _Form:
    """How our entry is read, written and removed in one kind of file."""

    get: Callable[[str, Client], Any]
    put: Callable[[str, Client, Mapping[str, Any]], str]
    remove: Callable[[str, Client], str]
    is_empty: Callable[[str], bool]


def _json_put(text: str, client: Client, entry: Mapping[str, Any]) -> str:
    path = (*client.container, SERVER_NAME)
    if text.strip(_NOTHING) and jsonc.get_member(text, path) == entry:
        return text  # this very entry, however it is laid out
    return jsonc.set_member(text, path, entry)


_JSON = _Form(
    lambda text, client: jsonc.get_member(text, (*client.container, SERVER_NAME)),
    _json_put,
    lambda text, client: jsonc.remove_member(text, (*client.container, SERVER_NAME)),
    jsonc.is_empty,
)
_BY_SUFFIX: Mapping[str, _Form] = {
    ".toml": _Form(
        lambda text, client: tomlfile.get_entry(text, client.container[0]),
        lambda text, client, entry: tomlfile.set_entry(text, client.container[0], entry),
        lambda text, client: tomlfile.remove_entry(text, client.container[0]),
        lambda text: not text.strip(),
    ),
    ".yaml": _Form(
        lambda text, client: yamlfile.get_entry(text, client.container[0]),
        lambda text, client, entry: yamlfile.set_entry(text, client.container[0], entry),
        lambda text, client: yamlfile.remove_entry(text, client.container[0]),
        lambda text: not text.strip(),
    ),
}


def _form(path: Path) -> _Form:
    return _BY_SUFFIX.get(path.suffix, _JSON)


def snippet(project: Path, command: Sequence[str]) -> str:
    """What to put into the settings of a client that is not in the table."""
    entry = {"mcpServers": {SERVER_NAME: {"command": command[0], "args": [*command[1:], "serve", str(project)]}}}
    return json.dumps(entry, indent=2, ensure_ascii=False)


def _unreadable(client: Client, path: Path, error: Exception, entry: Mapping[str, Any]) -> ConfigError:
    by_hand = f"; by hand: {'.'.join((*client.container, SERVER_NAME))} = {json.dumps(entry)}" if entry else ""
    return ConfigError(f"cannot understand {path}: {error}", hint=f"nothing was changed{by_hand}")
