"""Bash: commands that are functions, of this file, of the files it sources, or of whoever sources it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from sightline.languages.bash.library import BUILTINS
from sightline.languages.facts import FUNCTION_SCOPE
from sightline.languages.paths import nearest_file, relative_file
from sightline.languages.reader import Reader, first
from sightline.languages.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

    from sightline.languages.facts import FileFacts
    from sightline.languages.reading import Reading
    from sightline.languages.rules import RootView

_SOURCES = frozenset({"source", ".", "load", "bats_load_library"})
_RUNNERS = frozenset({"run", "command", "builtin", "time", "exec", "trap", "bats_run"})  # run their first argument
_VARIABLE = re.compile(r"\$\{[^}]*\}|\$\([^)]*\)|\$\w+")
_NAME = re.compile(r"[A-Za-z_][\w.:-]*")


class BashReader(Reader):
    """Reads one shell script."""

    steps: ClassVar[Mapping[str, str]] = {"command": "command"}

    def open_function(self, node: Node, index: int) -> None:
        """A function."""
        self.reading.enter(node, FUNCTION_SCOPE, index)

    def constant(self, node: Node, index: int) -> None:
        """Variables hold text."""

    def command(self, reading: Reading, node: Node) -> None:
        """A command: a function when there is one of that name."""
        named = node.child_by_field_name("name")
        name = reading.text(named)
        arguments = node.children_by_field_name("argument")
        if name in _SOURCES and arguments:
            self._sourced(node, reading.text(arguments[0]), name)
            return
        word = first(named)
        if name in _RUNNERS and arguments:
            word = next((a for a in arguments if a.type == "word" and not reading.text(a).startswith("-")), None)
            name = reading.text(word)
        if word is not None and _NAME.fullmatch(name) and name not in BUILTINS:
            self.facts.site(reading.scope, self.name(name), -1, reading.at(word))

    def _sourced(self, node: Node, text: str, word: str) -> None:
        path = _VARIABLE.sub("", text.strip("\"'")).lstrip("/")
        if path:
            spec = f"{path}.bash" if word == "load" and "." not in path.rpartition("/")[2] else path
            self.star(self.import_module(node, spec))


def module(view: RootView, facts: FileFacts, spec: str) -> str | None:
    """The file that is sourced: beside the script, then by its path."""
    found = relative_file(view, facts.path, spec)
    return found or nearest_file(view, "bash", facts.path, (spec.lstrip("./"),))


def rules(language: str) -> Rules:
    """The rules of Bash."""
    return Rules(family="bash", reader=BashReader, module=module, builtins=BUILTINS, guesses_names=True)
