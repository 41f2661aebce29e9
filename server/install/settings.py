"""Put Sightline into the settings of a coding agent, and take it out again.

`plan_install` and `plan_uninstall` only read; they return an `Edit` whose `diff` is shown before `apply` writes
anything. An edit touches nothing but our own entry: comments, layout and foreign entries stay (see `jsonc.py`).
Doing it twice changes nothing the second time, and what a person added to our entry (`env`, …) stays. The write
replaces the file atomically, keeps its permissions, and is refused when the file is no longer what the diff was made
from. A person's settings file that is a link (dot-file collections) is changed where it really lives; one of a project
is not written through a link: the project would decide which file that is.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import stat
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sightline.errors import ConfigError
from sightline.indexer.files.programs import find_program, trusted_path
from sightline.server.arguments import nearest
from sightline.server.install import jsonc
from sightline.server.install.clients import BY_KEY, SERVER_NAME, Client, Scope

_NEW_FILE_MODE = 0o644
_MAX_SETTINGS_BYTES = 10_000_000
_OTHER_TRANSPORTS = frozenset({"url", "serverUrl", "httpUrl", "headers"})  # an entry that starts a command has none


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of one settings file that has not been made yet. `after` None: the file goes."""

    client: Client
    path: Path
    before: str | None  # None: there is no such file yet
    after: str | None
    project: Path | None = None  # whose settings these are, None for a person's

    @property
    def changes(self) -> bool:
        """Whether there is anything to do."""
        return self.before != self.after

    @property
    def diff(self) -> str:
        """The change as a unified diff."""
        name = str(self.path)
        return "".join(
            difflib.unified_diff(
                (self.before or "").splitlines(keepends=True),
                (self.after or "").splitlines(keepends=True),
                fromfile=name if self.before is not None else "/dev/null",
                tofile=name if self.after is not None else "/dev/null",
            )
        )

    def apply(self) -> None:
        """Write the file, or remove it when nothing of it is left; ConfigError when it changed since it was read."""
        if self.project is not None:
            _check_no_link(self.project, self.path)
        if _read(self.path) != self.before:
            raise ConfigError(f"{self.path} has changed meanwhile", hint="nothing was changed; run it again")
        target = self.path.resolve()
        if self.after is None:
            target.unlink(missing_ok=True)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = target.stat().st_mode & 0o777 if target.exists() else _NEW_FILE_MODE
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                file.write(self.after)
            Path(temporary).chmod(mode)
            Path(temporary).replace(target)
        except OSError:
            Path(temporary).unlink(missing_ok=True)
            raise


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
    chosen = with_comments if client.key == "opencode" and with_comments.exists() else path
    if scope == "project":
        _check_no_link(project, chosen)
    return chosen


def _owner(scope: Scope, project: Path) -> Path | None:
    return project if scope == "project" else None


def _check_no_link(project: Path, path: Path) -> None:
    for part in (path, *path.parents):
        if part == project:
            return
        if part.is_symlink():
            raise ConfigError(
                f"{part} is a link, and what it leads to was chosen by the project",
                hint="replace it by a file or folder of its own, or use --scope user",
            )


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


def plan_install(client: Client, scope: Scope, project: Path, home: Path, command: Sequence[str]) -> Edit:
    """What installing would change."""
    path = settings_file(client, scope, project, home)
    before = _read(path)
    entry = entry_for(client, project, command)
    try:
        entry = _with_additions(entry, _entry_in(before, client, path))
        if path.suffix == ".toml":
            after = _toml_set(before or "", client.container[0], entry)
        elif jsonc_equal(before, client, entry):
            after = before or ""
        else:
            after = jsonc.set_member(before or "", (*client.container, SERVER_NAME), entry)
    except (jsonc.JsoncError, tomllib.TOMLDecodeError) as error:
        raise _unreadable(client, path, error, entry) from error
    return Edit(client, path, before, after, _owner(scope, project))


def _entry_in(text: str | None, client: Client, path: Path) -> Any:
    """Our entry as it stands, None when there is none."""
    if not text or not text.strip("\ufeff \t\r\n"):
        return None
    if path.suffix != ".toml":
        return jsonc.get_member(text, (*client.container, SERVER_NAME))
    servers = tomllib.loads(text).get(client.container[0], {})
    return servers.get(SERVER_NAME) if isinstance(servers, Mapping) else None


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
    before = _read(path)
    if before is None:
        return Edit(client, path, None, None, _owner(scope, project))
    try:
        if path.suffix == ".toml":
            after: str | None = _toml_remove(before, client.container[0])
            gone = not (after or "").strip()
        else:
            after = jsonc.remove_member(before, (*client.container, SERVER_NAME))
            gone = jsonc.is_empty(after)
    except (jsonc.JsoncError, tomllib.TOMLDecodeError) as error:
        raise _unreadable(client, path, error, {}) from error
    return Edit(client, path, before, None if gone and after != before else after, _owner(scope, project))


def snippet(project: Path, command: Sequence[str]) -> str:
    """What to put into the settings of a client that is not in the table."""
    entry = {"mcpServers": {SERVER_NAME: {"command": command[0], "args": [*command[1:], "serve", str(project)]}}}
    return json.dumps(entry, indent=2, ensure_ascii=False)


def jsonc_equal(text: str | None, client: Client, entry: Mapping[str, Any]) -> bool:
    """Whether the file holds this very entry already, however it is laid out."""
    if not text or not text.strip():
        return False
    return bool(jsonc.get_member(text, (*client.container, SERVER_NAME)) == entry)


def _read(path: Path) -> str | None:
    """The text of a settings file, None when there is none; a pipe or device is not waited for."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_SETTINGS_BYTES:
                raise ConfigError(f"{path} is not a settings file", hint="nothing was changed")
            return file.read(_MAX_SETTINGS_BYTES).decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read {path}: {error}", hint="nothing was changed") from error


def _unreadable(client: Client, path: Path, error: Exception, entry: Mapping[str, Any]) -> ConfigError:
    by_hand = f"; by hand: {'.'.join((*client.container, SERVER_NAME))} = {json.dumps(entry)}" if entry else ""
    return ConfigError(f"cannot understand {path}: {error}", hint=f"nothing was changed{by_hand}")


def _toml_set(text: str, container: str, entry: Mapping[str, Any]) -> str:
    if tomllib.loads(text).get(container, {}).get(SERVER_NAME) == entry:
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [f"[{container}.{SERVER_NAME}]", *(f"{_toml_key(key)} = {_toml_value(v)}" for key, v in entry.items())]
    table = newline.join(lines) + newline
    span = _toml_span(text, container)
    if span is not None:
        after = text[: span[0]] + table + text[span[1] :]
    else:
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        after = text + gap + table
    if tomllib.loads(after).get(container, {}).get(SERVER_NAME) != entry or _foreign(after, container) != _foreign(
        text, container
    ):
        raise _not_edited(container)
    return after


def _foreign(text: str, container: str) -> dict[str, Any]:
    """All that a file says apart from our entry: what an edit has to leave as it is."""
    content = tomllib.loads(text)
    others = {name: value for name, value in content.get(container, {}).items() if name != SERVER_NAME}
    return {name: value for name, value in content.items() if name != container} | (
        {container: others} if others else {}
    )


def _not_edited(container: str) -> tomllib.TOMLDecodeError:
    return tomllib.TOMLDecodeError(f"{container}.{SERVER_NAME} is written in a form that is not edited here")


def _toml_key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key)


def _toml_value(value: Any) -> str:
    """A value as TOML writes it on one line."""
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_toml_key(key)} = {_toml_value(item)}" for key, item in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_toml_value(item) for item in value)}]"
    return json.dumps(value) if isinstance(value, str | bool | int | float) else str(value)


def _toml_remove(text: str, container: str) -> str:
    span = _toml_span(text, container)
    if span is None:
        if SERVER_NAME in tomllib.loads(text).get(container, {}):
            raise _not_edited(container)
        return text
    before, after = text[: span[0]], text[span[1] :]
    newline = "\r\n" if "\r\n" in text else "\n"
    if before.endswith(newline * 2) and not after:
        before = before[: -len(newline)]
    if _foreign(before + after, container) != _foreign(text, container):
        raise _not_edited(container)
    return before + after


def _toml_span(text: str, container: str) -> tuple[int, int] | None:
    """Where our table stands: from its heading to the next foreign one; the comments before that one stay."""
    own = rf"[ \t]*\[[ \t]*{container}[ \t]*\.[ \t]*\"?{SERVER_NAME}\"?[ \t]*(?:\.[^\]\n]*)?\]"
    start = re.search(rf"^{own}", text, re.MULTILINE)
    if start is None:
        return None
    end = start.end()
    for heading in re.finditer(r"^[ \t]*\[", text[end:], re.MULTILINE):
        position = end + heading.start()
        if not re.match(own, text[position:]):
            return start.start(), _before_comments(text, start.end(), position)
    return start.start(), len(text)


def _before_comments(text: str, low: int, position: int) -> int:
    """Step back over blank and comment lines that belong to the heading at `position`."""
    while position > low:
        line_start = text.rfind("\n", 0, position - 1) + 1
        if line_start <= low or text[line_start:position].strip()[:1] not in ("", "#"):
            break
        position = line_start
    return position
