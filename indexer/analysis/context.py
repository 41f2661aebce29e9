"""What is indexed beside a chunk's text and never shown: where it is, what encloses it, what it uses.

A method in the middle of a large class says neither the class's name nor what the imported names stand for; its
context does, so that words and vectors find it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Protocol

from sightline.languages import captured, imports_query
from sightline.types import ParsedFile

_MAX_SIGNATURE_CHARS = 160
_MAX_IMPORTS = 8
_MAX_IMPORT_WORDS = 12
_MAX_IMPORT_DEPTH = 3  # imports inside functions are not looked for: that walk costs as much as the whole outline
_MAX_IMPORT_BYTES = 2_000  # of one statement
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")
_KEYWORDS = frozenset(
    {"import", "from", "as", "use", "using", "require", "require_relative", "include", "static", "const", "let", "var",
     "default", "type", "typeof", "export", "open", "qualified", "hiding", "crate", "self", "super", "pub", "alias",
     "local", "defmodule", "package", "part", "library", "show", "hide", "future", "annotations", "function"}
)  # fmt: skip


class Scope(Protocol):
    """A definition or a section of a document, as far as chunks care."""

    @property
    def qualified_name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def parent(self) -> int: ...
    @property
    def start_line(self) -> int: ...
    @property
    def end_line(self) -> int: ...
    @property
    def signature(self) -> str: ...
    @property
    def doc(self) -> str: ...
    @property
    def owner(self) -> str: ...


class Imports:
    """The import statements of a file: which rows they are on and which names they bring."""

    def __init__(self, parsed: ParsedFile) -> None:
        self._statements: list[tuple[int, frozenset[str], str]] = []
        query = imports_query(parsed.language)
        if query is None or parsed.tree is None:
            return
        for node in captured(query, parsed.tree.root_node, "import", depth=_MAX_IMPORT_DEPTH):
            end = min(node.end_byte, node.start_byte + _MAX_IMPORT_BYTES)
            text = parsed.source[node.start_byte : end].decode("utf-8", "replace")
            line = node.start_point.row + 1
            # One statement that quotes a path per line (Go) is several imports.
            statements = text.split("\n") if text.count('"') > 2 else [text]
            for offset, statement in enumerate(statements):
                words = [word for word in _IDENTIFIER.findall(statement) if word not in _KEYWORDS]
                if words:
                    self._statements.append(
                        (line + offset, frozenset(words), " ".join(dict.fromkeys(words[:_MAX_IMPORT_WORDS])))
                    )

    def used_in(self, text: str, start_line: int, end_line: int) -> list[str]:
        """The imports of which the text uses a name, as words; those that stand in the text itself are left out."""
        if not self._statements:
            return []
        names = set(_IDENTIFIER.findall(text))
        return [
            words
            for line, brought, words in self._statements
            if not start_line <= line <= end_line and not brought.isdisjoint(names)
        ][:_MAX_IMPORTS]


def context_of(
    path: str,
    scopes: Sequence[Scope],
    owners: Mapping[str, int],
    index: int,
    start_line: int,
    end_line: int,
    text: str,
    imports: Imports,
) -> str:
    """Return the context of a chunk that lies in, or is, the scope at `index` (-1: file level).

    `owners` finds the type that a member outside of it belongs to, where it is in the same file.
    """
    lines = [path.replace("/", " ")]
    outside: list[Scope] = []  # scopes around the chunk that begin elsewhere, innermost first
    while index >= 0:
        scope = scopes[index]
        if not start_line <= scope.start_line <= end_line:
            outside.append(scope)
        # An owner's name is shorter than the member's, so this comes to an end.
        index = owners.get(scope.owner, scope.parent) if scope.owner else scope.parent
    lines.extend(f"{scope.signature[:_MAX_SIGNATURE_CHARS]} {scope.doc}".strip() for scope in reversed(outside))
    if outside:
        lines.append(outside[0].qualified_name)
    lines.append("; ".join(imports.used_in(text, start_line, end_line)))
    return "\n".join(line for line in lines if line)
