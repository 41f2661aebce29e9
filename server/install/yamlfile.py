"""Edit our entry in a YAML file by its lines.

There is no parser for YAML among our dependencies, and none would keep comments and layout. So only the plain form is
edited: one document, the container a key of its own line at the left edge, its entries in block style below it.
Whatever else it is (`{…}` on one line, tabs, a second document) is refused with nothing changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from sightline.server.install.clients import SERVER_NAME

_INDENT = "  "
_BLANK_OR_COMMENT = re.compile(r"[ ]*(#.*)?\r?\n?\Z")
_AT_THE_EDGE = re.compile(
    r"[ #\r\n]|---|- |[\"']?[\w.$/-]+[\"']?[ ]*:(\s|\Z)"
)  # what a line of a plain document begins with
_KEY = re.compile(r"([ ]*)([A-Za-z_][\w-]*):(?:[ ]+(.*?))?[ ]*\r?\n?\Z")


class YamlError(ValueError):
    """The file is written in a form that is not edited here."""


class _Verbatim(str):
    """What stands behind a key that is not ours: kept byte for byte."""

    __slots__ = ()


def get_entry(text: str, container: str) -> Mapping[str, Any] | None:
    """Our entry as it stands, None when there is none; what cannot be understood in it is kept verbatim."""
    lines = text.splitlines(keepends=True)
    found = _find(lines, container)
    if found is None or found.own is None:
        return None
    start, end = found.own
    children: dict[str, Any] = {}
    at = start + 1
    while at < end:
        key = _KEY.match(lines[at])
        if key is None:
            at += 1
            continue
        stop = _block_end(lines, at, len(key[1]), end)
        children[key[2]] = _understood(key[3] or "", lines[at + 1 : stop])
        at = stop
    return children


def set_entry(text: str, container: str, entry: Mapping[str, Any]) -> str:
    """The text with our entry in its container."""
    if get_entry(text, container) == entry:
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    found = _find(lines, container)
    if found is None:
        gap = "" if not text or text.endswith("\n") else newline
        return text + gap + f"{container}:{newline}" + _shown(entry, _INDENT, newline)
    shown = _shown(entry, found.indent, newline)
    if found.own is not None:
        start, end = found.own
        return "".join([*lines[:start], shown, *lines[end:]])
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += newline
    return "".join([*lines[: found.end], shown, *lines[found.end :]])


def remove_entry(text: str, container: str) -> str:
    """The text without our entry, and without its container where that is left empty."""
    lines = text.splitlines(keepends=True)
    found = _find(lines, container)
    if found is None or found.own is None:
        return text
    start, end = found.own
    alone = all(_BLANK_OR_COMMENT.match(line) and "#" not in line for line in lines[found.at + 1 : start])
    if alone and end >= found.end:
        start = found.at
    return "".join([*lines[:start], *lines[end:]])


class _Found:
    """Where the container stands: its line, the line behind its last entry, the indent of entries, our entry."""

    def __init__(self, at: int, end: int, indent: str, own: tuple[int, int] | None) -> None:
        self.at, self.end, self.indent, self.own = at, end, indent, own


def _find(lines: list[str], container: str) -> _Found | None:
    if any("\t" in line[: len(line) - len(line.lstrip())] for line in lines):
        raise YamlError("it is indented by tabs")
    if sum(re.match(r"(---|\.\.\.)(\s|\Z)", line) is not None for line in lines[1:]):
        raise YamlError("it holds more than one document")
    if not all(_AT_THE_EDGE.match(line) for line in lines):
        raise YamlError("it is not a list of names at the left edge")
    heads = [at for at, line in enumerate(lines) if re.match(rf"[\"']?{container}[\"']?\s*:", line)]
    if not heads:
        return None
    if len(heads) > 1 or not re.match(rf"{container}:\s*(#.*)?$", lines[heads[0]]):
        raise YamlError(f"{container} is not written as a block of lines")
    at = heads[0]
    end = _block_end(lines, at, 0, len(lines))
    first = next((line for line in lines[at + 1 : end] if not _BLANK_OR_COMMENT.match(line)), None)
    if first is None:
        return _Found(at, end, _INDENT, None)
    if _KEY.match(first) is None:
        raise YamlError(f"{container} does not begin with a name and a colon")
    indent = first[: len(first) - len(first.lstrip())]
    own = [n for n in range(at + 1, end) if re.match(rf"{indent}[\"']?{SERVER_NAME}[\"']?\s*:", lines[n])]
    if not own:
        return _Found(at, end, indent, None)
    if len(own) > 1 or not re.match(rf"{indent}{SERVER_NAME}:\s*(#.*)?$", lines[own[0]]):
        raise YamlError(f"{container}.{SERVER_NAME} is not written as a block of lines")
    return _Found(at, end, indent, (own[0], _block_end(lines, own[0], len(indent), end)))


def _block_end(lines: list[str], at: int, depth: int, limit: int) -> int:
    """The line behind the last one that belongs to the key at `at`; blank lines and comments after it do not."""
    end = at + 1
    for number in range(at + 1, limit):
        if _BLANK_OR_COMMENT.match(lines[number]):
            continue
        inner = len(lines[number]) - len(lines[number].lstrip(" "))
        # A list may stand as far left as its key.
        if inner < depth or (inner == depth and not lines[number].lstrip(" ").startswith("- ")):
            break
        end = number + 1
    return end


def _understood(inline: str, below: list[str]) -> Any:
    if inline and not below:
        return _scalar(inline)
    items = [re.fullmatch(r"[ ]*-[ ]+(.*?)\s*", line) for line in below]
    if not inline and items and all(items):
        return [_scalar(item[1]) for item in items if item is not None]
    return _Verbatim((f" {inline}" if inline else "") + "\n" + "".join(below))


def _scalar(text: str) -> Any:
    if text.startswith("'") and text.endswith("'") and len(text) > 1:
        return text[1:-1].replace("''", "'")
    try:
        return json.loads(text)
    except ValueError:
        pass
    if re.fullmatch(r"[\w./~@+-]+", text) and text.lower() not in ("yes", "no", "on", "off", "~"):
        return text
    return _Verbatim(f" {text}\n")


def _shown(entry: Mapping[str, Any], indent: str, newline: str) -> str:
    lines = [f"{indent}{SERVER_NAME}:{newline}"]
    for key, value in entry.items():
        if isinstance(value, _Verbatim):
            lines.append(f"{indent}{_INDENT}{key}:{value}")
        else:
            # JSON is YAML on one line.
            lines.append(f"{indent}{_INDENT}{key}: {json.dumps(value, ensure_ascii=False)}{newline}")
    return "".join(lines)
