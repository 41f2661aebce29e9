"""PowerShell: one namespace for the root; a command is a function when there is one of that name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from sightline.languages.facts import FUNCTION_SCOPE, INHERITS, NEW_SITE, SELF
from sightline.languages.paths import nearest_file
from sightline.languages.powershell.library import BUILTINS, COMMON_MEMBERS
from sightline.languages.reader import Reader, child_of, children_of, first
from sightline.languages.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

    from sightline.languages.facts import FileFacts
    from sightline.languages.reading import Reading
    from sightline.languages.rules import RootView

_SPACE = "powershell:"
_COMMAND = re.compile(r"[A-Za-z_][\w-]*")
_SCRIPT = re.compile(r"[\w./\\-]+\.ps[md]?1", re.IGNORECASE)
_MAX_CHAIN = 24  # an operand lies below a node for every level of precedence


class PowershellReader(Reader):
    """Reads one script or module."""

    space = _SPACE
    steps: ClassVar[Mapping[str, str]] = {
        "command": "command",
        "invokation_expression": "invoked",
        "assignment_expression": "assigned",
    }

    def open_function(self, node: Node, index: int) -> None:
        """A function."""
        self.reading.enter(node, FUNCTION_SCOPE, index)

    def bases(self, node: Node, index: int) -> None:
        """`class A : B`."""
        for base in children_of(node, "simple_name")[1:]:
            self.reading.base(index, self.type_name(self.reading.text(base)), INHERITS, self.reading.line(base))

    def value(self, node: Node | None, depth: int = 0) -> int:
        """`$x`, `[A]::new(…)`; the nodes of precedence around an operand say nothing."""
        for _ in range(_MAX_CHAIN):
            if node is None or node.named_child_count != 1 or node.type in ("variable", "type_literal"):
                break
            node = node.named_child(0)
        if node is None:
            return self.facts.unknown
        text = self.reading.text(node)
        if node.type == "variable":
            return self.facts.expression(SELF) if text.lower() == "$this" else super().name(text)
        if node.type == "type_literal":
            return self.type_name(text.strip("[]"))
        if node.type == "invokation_expression":
            held, member = first(node), child_of(node, "member_name")
            if self.reading.text(member) == "new":
                return self.instance(self.value(held, depth + 1))
        return self.facts.unknown

    def assigned(self, reading: Reading, node: Node) -> None:
        """`$x = [A]::new()`."""
        left = first(node)
        name = reading.text(left)
        value = node.child_by_field_name("value")
        if name.startswith("$") and "." not in name:
            self.facts.bind(reading.scope, name, self.value(value), reading.after(node))

    def invoked(self, reading: Reading, node: Node) -> None:
        """`$x.M(…)`, `[A]::new(…)`, `[A]::M(…)`."""
        held, member = first(node), child_of(node, "member_name")
        name = reading.text(member)
        if held is None or member is None or not name.isidentifier():
            return
        value = self.value(held)
        if held.type == "type_literal" and name == "new":
            self.facts.site(reading.scope, value, -1, reading.at(held), NEW_SITE)
        elif value != self.facts.unknown:
            self.facts.site(reading.scope, self.facts.attribute(value, name), -1, reading.at(member))

    def command(self, reading: Reading, node: Node) -> None:
        """`Get-Size …`; `. ./a.ps1`, `Import-Module ./a.psm1` bring a file."""
        named = node.child_by_field_name("command_name")
        name = reading.text(named)
        if name in ("Import-Module", "using") or reading.text(node).startswith(". "):
            for path in _SCRIPT.findall(reading.text(node))[:4]:
                self.facts.imported(reading.line(node), path.replace("\\", "/"))
        elif named is not None and _COMMAND.fullmatch(name) and name not in BUILTINS:
            self.facts.site(reading.scope, super().name(name), -1, reading.at(named))


def module(view: RootView, facts: FileFacts, spec: str) -> str | None:
    """The script that is brought in, by the end of its path."""
    path = spec.lstrip("./")
    return nearest_file(view, "powershell", facts.path, (path, path.rpartition("/")[2]))


def rules(language: str) -> Rules:
    """The rules of PowerShell."""
    return Rules(
        family="powershell",
        reader=PowershellReader,
        module=module,
        builtins=BUILTINS,
        by_name=True,
        common_members=COMMON_MEMBERS,
    )
