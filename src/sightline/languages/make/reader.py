"""Make: a target calls the targets it needs, and what its recipe hands to `$(call …)`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from sightline.languages.facts import FUNCTION_SCOPE
from sightline.languages.make.library import BUILTINS
from sightline.languages.paths import nearest_file, relative_file
from sightline.languages.reader import Reader
from sightline.languages.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

    from sightline.languages.facts import FileFacts
    from sightline.languages.reading import Reading
    from sightline.languages.rules import RootView

_CALLED = re.compile(r"([\w.-]+)")


class MakeReader(Reader):
    """Reads one makefile."""

    steps: ClassVar[Mapping[str, str]] = {
        "prerequisites": "needed",
        "function_call": "function",
        "include_directive": "included",
    }

    def open_function(self, node: Node, index: int) -> None:
        """A target."""
        self.reading.enter(node, FUNCTION_SCOPE, index)

    def constant(self, node: Node, index: int) -> None:
        """Variables hold text."""

    def needed(self, reading: Reading, node: Node) -> None:
        """The targets that a target needs."""
        if reading.definition():
            for word in node.named_children:
                self.facts.site(reading.scope, self.name(reading.text(word)), -1, reading.at(word))

    def function(self, reading: Reading, node: Node) -> None:
        """`$(call greet,you)`."""
        if not reading.text(node)[2:].startswith("call"):
            return
        arguments = node.named_child(0) if node.named_child_count else None
        called = _CALLED.match(reading.text(arguments).strip())
        if arguments is not None and called:
            self.facts.site(reading.scope, self.name(called.group(1)), -1, reading.at(arguments))

    def included(self, reading: Reading, node: Node) -> None:
        """`include a.mk b.mk`."""
        for path in reading.field(node, "filenames").split():
            if "$" not in path and "*" not in path:
                self.star(self.import_module(node, path))


def module(view: RootView, facts: FileFacts, spec: str) -> str | None:
    """The file that is included: from the folder of the makefile, or from one above."""
    return relative_file(view, facts.path, spec) or nearest_file(view, "make", facts.path, (spec.lstrip("./"),))


def rules(language: str) -> Rules:
    """The rules of Make."""
    return Rules(family="make", reader=MakeReader, module=module, builtins=BUILTINS, by_name=True)
