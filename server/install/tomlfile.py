"""Edit our table in a TOML file by its lines, and refuse where anything else would change.

By hand, since tomlkit (0.15) takes a comment above the next heading for the end of the table before it: our table would
come between a comment and what it is about, and taking it out again leaves a blank line behind.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from sightline.server.install.clients import SERVER_NAME


def get_entry(text: str, container: str) -> Any:
    """Our entry as it stands, None when there is none."""
    servers = tomllib.loads(text).get(container, {})
    return servers.get(SERVER_NAME) if isinstance(servers, Mapping) else None


def set_entry(text: str, container: str, entry: Mapping[str, Any]) -> str:
    """The text with our entry in its container."""
    if tomllib.loads(text).get(container, {}).get(SERVER_NAME) == entry:
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [f"[{container}.{SERVER_NAME}]", *(f"{_key(key)} = {_value(v)}" for key, v in entry.items())]
    table = newline.join(lines) + newline
    span = _span(text, container)
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


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key)


def _value(value: Any) -> str:
    """A value as TOML writes it on one line."""
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_key(key)} = {_value(item)}" for key, item in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(item) for item in value)}]"
    return json.dumps(value) if isinstance(value, str | bool | int | float) else str(value)


def remove_entry(text: str, container: str) -> str:
    """The text without our entry."""
    span = _span(text, container)
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


def _span(text: str, container: str) -> tuple[int, int] | None:
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
