"""Edit one member of a JSON file with comments, and leave every other byte as it is.

The settings of coding agents are often JSON with comments and trailing commas; parsing and dumping them would throw the
person's comments and layout away. `set_member` and `remove_member` change the text only where that member stands;
removing what was set gives the earlier text back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

_SPACE = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_SCALAR = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"|-?\d[\d.eE+-]*|true|false|null')
_MAX_DEPTH = 100


class JsoncError(ValueError):
    """The text is not JSON, even with comments and trailing commas allowed."""


@dataclass(slots=True)
class _Node:
    start: int
    end: int = 0  # after the last character
    members: list[_Member] | None = None  # of an object


@dataclass(slots=True)
class _Member:
    key: str
    start: int  # of the key
    value: _Node
    comma: int = -1  # position of the comma behind the value, -1 without one


@dataclass(slots=True)
class _Scanner:
    text: str
    at: int = 0
    depth: int = field(default=0)

    def fail(self, wanted: str) -> JsoncError:
        line = self.text.count("\n", 0, self.at) + 1
        return JsoncError(f"line {line}: {wanted} expected")

    def skip(self) -> None:
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def take(self, character: str) -> bool:
        self.skip()
        if self.text.startswith(character, self.at):
            self.at += 1
            return True
        return False

    def scalar(self) -> str:
        self.skip()
        match = _SCALAR.match(self.text, self.at)
        if match is None:
            raise self.fail("a value")
        self.at = match.end()
        return match.group()

    def value(self) -> _Node:
        self.skip()
        node = _Node(self.at)
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise self.fail("less nesting")
        if self.take("{"):
            node.members = self.members()
        elif self.take("["):
            self.items()
        else:
            self.scalar()
        self.depth -= 1
        node.end = self.at
        return node

    def members(self) -> list[_Member]:
        found: list[_Member] = []
        while not self.take("}"):
            self.skip()
            start = self.at
            raw = self.scalar()
            if not raw.startswith('"'):
                raise self.fail("a name in double quotes")
            if not self.take(":"):
                raise self.fail("a colon")
            member = _Member(json.loads(raw), start, self.value())
            found.append(member)
            if self.take(","):
                member.comma = self.at - 1
            elif not self.take("}"):
                raise self.fail("a comma or a closing brace")
            else:
                break
        return found

    def items(self) -> None:
        while not self.take("]"):
            self.value()
            if not self.take(","):
                if not self.take("]"):
                    raise self.fail("a comma or a closing bracket")
                break


def get_member(text: str, path: Sequence[str]) -> Any:
    """The value at a path of names, None where there is none."""
    node: _Node | None = _parse(text)
    for name in path:
        node = _child(node, name) if node is not None else None
    return _load(text[node.start : node.end]) if node is not None else None


def set_member(text: str, path: Sequence[str], value: Any) -> str:
    """The text with `value` at `path`; objects on the way are made where they are missing."""
    newline = "\r\n" if "\r\n" in text else "\n"
    if not text.strip("\ufeff \t\r\n"):
        for name in reversed(path):
            value = {name: value}
        return json.dumps(value, indent=2, ensure_ascii=False).replace("\n", newline) + newline
    node, depth = _parse(text), 0
    while (child := _child(node, path[depth])) is not None:
        node, depth = child, depth + 1
        if depth == len(path):
            break
    unit = _indent_unit(text)
    for name in reversed(path[depth + 1 :]):
        value = {name: value}
    shown = json.dumps(value, indent=unit, ensure_ascii=False)
    indent = _indent_at(text, node.start)
    if depth == len(path):
        return text[: node.start] + shown.replace("\n", newline + indent) + text[node.end :]
    if node.members is None:
        raise JsoncError(f"{'.'.join(path[:depth]) or 'the file'} is not an object")
    inner = indent + unit
    member = f"{json.dumps(path[depth], ensure_ascii=False)}: {shown}".replace("\n", newline + inner)
    return _insert(text, node, member, newline, indent, inner)


def remove_member(text: str, path: Sequence[str], *, keep: int = 0) -> str:
    """The text without the member at `path`; an object left empty goes too, but not the first `keep` of the path."""
    node: _Node = _parse(text)
    for name in path[:-1]:
        child = _child(node, name)
        if child is None:
            return text
        node = child
    members = node.members or []
    index = next((i for i, member in enumerate(members) if member.key == path[-1]), None)
    if index is None:
        return text
    if len(members) == 1 and len(path) - 1 > keep and not _has_comment(text, node):
        return remove_member(text, path[:-1], keep=keep)
    return _cut(text, node, members, index)


def is_empty(text: str) -> bool:
    """True when nothing is left but an empty object: no member, no comment."""
    return re.fullmatch(r"\ufeff?\s*(\{\s*\})?\s*", text) is not None


def _parse(text: str) -> _Node:
    scanner = _Scanner(text)
    node = scanner.value()
    scanner.skip()
    if scanner.at != len(text):
        raise scanner.fail("the end of the file")
    return node


def _child(node: _Node, name: str) -> _Node | None:
    return next((member.value for member in node.members or () if member.key == name), None)


def _load(text: str) -> Any:
    """JSON with comments and trailing commas → the value."""
    pieces: list[str] = []
    at = 0
    for match in re.finditer(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/', text, re.DOTALL):
        pieces.append(text[at : match.start()])
        if match.group().startswith('"'):
            pieces.append(match.group())
        at = match.end()
    plain = "".join([*pieces, text[at:]])
    strings_or_commas = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
    return json.loads(strings_or_commas.sub(lambda m: m.group(1) or "", plain))


def _has_comment(text: str, node: _Node) -> bool:
    """Whether a comment stands directly in this object, outside of its members' values."""
    at = node.start + 1
    for member in node.members or ():
        if "/" in text[at : member.start]:
            return True
        at = member.value.end
    return "/" in text[at : node.end]


def _insert(text: str, node: _Node, member: str, newline: str, indent: str, inner: str) -> str:
    members = node.members or []
    brace = node.end - 1
    body_end = len(text[:brace].rstrip(" \t\r\n"))
    closing = text[body_end:brace] if "\n" in text[body_end:brace] else newline + indent
    head, middle = text[:body_end], ""
    trailing = ""
    if members:
        last = members[-1]
        if last.comma >= 0:
            trailing = ","  # the file's own habit; it also tells `remove_member` to leave the comma before
        else:
            head, middle = text[: last.value.end] + ",", text[last.value.end : body_end]
    return f"{head}{middle}{newline}{inner}{member}{trailing}{closing}{text[brace:]}"


def _cut(text: str, node: _Node, members: list[_Member], index: int) -> str:
    member = members[index]
    begin = len(text[: member.start].rstrip(" \t\r\n"))
    end = member.comma + 1 if member.comma >= 0 else member.value.end
    if index == len(members) - 1 and index > 0 and member.comma < 0 and members[index - 1].comma >= 0:
        comma = members[index - 1].comma
        return text[:comma] + text[comma + 1 : begin] + text[end:]
    if len(members) == 1 and not _has_comment(text, node):
        return text[: node.start] + "{}" + text[node.end :]
    return text[:begin] + text[end:]


def _indent_at(text: str, position: int) -> str:
    """The white space that the line of this position begins with."""
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _indent_unit(text: str) -> str:
    match = re.search(r'\n([ \t]+)"', text)
    return match.group(1) if match else "  "
