"""Elixir: modules by their full names, aliases, imports, behaviours and protocol implementations.

A module is bound at the top level of the root under its whole dotted name, and a reader expands aliases as it meets
them, so that a remote call is one look-up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sightline.languages.elixir.library import BUILTINS
from sightline.languages.facts import CLASS_SCOPE, DEFINED, FUNCTION_SCOPE, IMPLEMENTS, SELF_TYPE, TYPE
from sightline.languages.reader import Reader, child_of, children_of, count, first
from sightline.languages.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

    from sightline.languages.facts import FileFacts
    from sightline.languages.reading import Reading
    from sightline.languages.rules import RootView

SPACE = "elixir:"
_REFERENCE_SITE = 2
_TYPE_ATTRIBUTES = frozenset({"spec", "callback", "macrocallback", "type", "typep", "opaque"})


class ElixirReader(Reader):
    """Reads one Elixir file."""

    space = SPACE
    steps: ClassVar[Mapping[str, str]] = {
        "call": "call",
        "unary_operator": "attribute",
        "binary_operator": "piped",
        "struct": "struct",
        "stab_clause": "clause",
    }

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        self.aliases: dict[str, str] = {}
        self.heads: set[int] = set()  # `f(x)` of `def f(x)`, which calls nothing
        self.types_end = 0  # up to here a type is written, whose parts look like calls
        self.pipes: set[int] = set()  # calls that get one more argument from a pipe

    # Names

    def module_named(self, text: str) -> int:
        """The expression for a module as it is written."""
        if text == "__MODULE__":
            return self.facts.expression(SELF_TYPE)
        if text.startswith("__MODULE__."):
            text = f"{self._around()}.{text.removeprefix('__MODULE__.')}"
        head, _, rest = text.partition(".")
        full = self.aliases.get(head, head)
        return self.facts.expression(TYPE, self.facts.name(f"{full}.{rest}" if rest else full))

    def _around(self) -> str:
        scope = self.reading.class_scope()
        return self.facts.definitions[self.facts.scopes[scope].definition].qualified_name if scope >= 0 else ""

    def _full(self, text: str) -> str:
        row = self.facts.expressions[self.module_named(text)]
        return self.facts.names[row[1]] if row[0] == TYPE else self._around()

    # Definitions

    def open_module(self, node: Node, index: int) -> None:
        """`defmodule A.B`: known in the whole root, and inside its parent by its last word."""
        defined = self.reading.outlined[index - 1]
        self.facts.bind(self.reading.module_scope, defined.qualified_name, self.facts.expression(DEFINED, index))
        if defined.parent >= 0:
            self.aliases[defined.name] = defined.qualified_name
        self.reading.enter(node, CLASS_SCOPE, index)

    def open_type(self, node: Node, index: int) -> None:
        """`defprotocol P`."""
        self.open_module(node, index)

    def _function(self, node: Node, index: int) -> None:
        """One clause of a function."""
        reading = self.reading
        reading.enter(node, FUNCTION_SCOPE, index)
        head = first(child_of(node, "arguments"))
        while head is not None and head.type == "binary_operator":
            head = head.child_by_field_name("left")
        arguments = child_of(head, "arguments") if head is not None else None
        if head is not None:
            self.heads.add(head.id)
        names: list[str] = []
        first_clause = node.id in reading.definitions
        for argument in arguments.named_children if arguments is not None else ():
            if first_clause:
                reading.parameter(index, reading.text(argument) if argument.type == "identifier" else "_")
            names.extend(_variables(reading, argument))
        self.unknown_names(names, node)

    def call(self, reading: Reading, node: Node) -> None:
        """Everything is a call: definitions, directives and calls proper."""
        index = reading.definitions.get(node.id) or self.more.get(node.id)
        if index is not None:
            if reading.outlined[index - 1].kind in ("function", "macro", "method"):
                self._function(node, index)
            else:
                self.definition(reading, node)
            return
        target = node.child_by_field_name("target")
        if target is None or node.id in self.heads or node.start_byte < self.types_end:
            return
        if target.type == "dot":
            self._remote(node, target)
        elif target.type == "identifier":
            word = reading.text(target)
            if word in ("alias", "import", "require", "use"):
                self._directive(node, word)
            elif word == "defimpl":
                self._implementation(node)
            elif word not in BUILTINS:
                self.facts.site(reading.scope, self.name(word), self._arity(node), reading.at(target))

    def _arity(self, node: Node) -> int:
        arguments = child_of(node, "arguments")
        given = count(arguments) if arguments is not None else 0
        block = 1 if child_of(node, "do_block") is not None else 0
        return given + block + (1 if node.id in self.pipes else 0)

    def _remote(self, node: Node, target: Node) -> None:
        left, right = target.child_by_field_name("left"), target.child_by_field_name("right")
        if left is None or right is None or right.type != "identifier":
            return
        text = self.reading.text(left)
        if left.type == "alias" or text == "__MODULE__":
            callee = self.facts.attribute(self.module_named(text), self.reading.text(right))
            self.facts.site(self.reading.scope, callee, self._arity(node), self.reading.at(right))

    # Directives

    def _directive(self, node: Node, word: str) -> None:
        arguments = child_of(node, "arguments")
        named = first(arguments)
        if arguments is None or named is None:
            return
        line = self.reading.line(node)
        if named.type == "dot":  # alias A.{B, C}
            prefix = self._full(self.reading.field(named, "left"))
            group = child_of(named, "tuple")
            for member in children_of(group, "alias") if group is not None else ():
                self._alias(f"{prefix}.{self.reading.text(member)}", "", line)
            return
        if named.type != "alias" and self.reading.text(named) != "__MODULE__":
            return
        full = self._full(self.reading.text(named))
        if word == "alias":
            self._alias(full, self._option(arguments, "as"), line)
            return
        if word in ("import", "use"):
            self.star(self.facts.expression(TYPE, self.facts.name(full)))
        self.facts.imported(line, full)

    def _alias(self, full: str, name: str, line: int) -> None:
        self.aliases[name or full.rpartition(".")[2]] = full
        self.facts.imported(line, full)

    def _option(self, arguments: Node, key: str) -> str:
        keywords = child_of(arguments, "keywords")
        for pair in children_of(keywords, "pair") if keywords is not None else ():
            if self.reading.field(pair, "key").strip().rstrip(":") == key:
                return self.reading.field(pair, "value")
        return ""

    def _implementation(self, node: Node) -> None:
        """`defimpl P, for: T`: T implements P, and the functions belong to T."""
        arguments = child_of(node, "arguments")
        protocol = first(arguments)
        if arguments is None or protocol is None:
            return
        role = self.module_named(self.reading.text(protocol))
        target = self._option(arguments, "for")
        line = self.reading.line(node)
        if not target:
            scope = self.reading.class_scope()
            if scope >= 0:
                self.reading.base(self.facts.scopes[scope].definition, role, IMPLEMENTS, line)
            return
        around = self._around()
        hidden = self.extension(node, f"{around}.{target}" if around else target, self.module_named(target))
        self.reading.base(hidden, role, IMPLEMENTS, line)

    def attribute(self, reading: Reading, node: Node) -> None:
        """`@behaviour B`, `&f/1`."""
        operand = node.child_by_field_name("operand")
        if operand is None:
            return
        word = reading.field(operand, "target") if operand.type == "call" else ""
        if word in _TYPE_ATTRIBUTES:
            self.types_end = node.end_byte
        if word == "behaviour":
            named = first(child_of(operand, "arguments"))
            scope = reading.class_scope()
            if named is not None and scope >= 0:
                base = self.module_named(reading.text(named))
                reading.base(self.facts.scopes[scope].definition, base, IMPLEMENTS, reading.line(node))
        elif operand.type == "binary_operator" and reading.field(operand, "operator") == "/":
            left, arity = operand.child_by_field_name("left"), reading.field(operand, "right")
            given = int(arity) if arity.isdecimal() else -1
            if left is not None and left.type == "identifier":
                self.facts.site(reading.scope, self.name(reading.text(left)), given, reading.at(left), _REFERENCE_SITE)

    def piped(self, reading: Reading, node: Node) -> None:
        """`a |> f(b)`: f gets two arguments."""
        right = node.child_by_field_name("right")
        if right is not None and right.type == "call" and reading.field(node, "operator") == "|>":
            self.pipes.add(right.id)
        elif reading.field(node, "operator") == "=" and reading.function_scope() >= 0:
            self.unknown_names(_variables(reading, node.child_by_field_name("left")), node)

    def struct(self, reading: Reading, node: Node) -> None:
        """`%T{}` names a type."""
        named = first(node)
        if named is not None and named.type == "alias":
            reading.uses(reading.definition(), self.module_named(reading.text(named)), reading.line(node))

    def clause(self, reading: Reading, node: Node) -> None:
        """`x -> …`: names of its own."""
        reading.enter_block(node)
        self.unknown_names(_variables(reading, node.child_by_field_name("left")), node)


def _variables(reading: Reading, node: Node | None) -> list[str]:
    """The names that a pattern binds."""
    found: list[str] = []
    queue = [node] if node is not None else []
    while queue:
        current = queue.pop()
        if current.type == "identifier":
            found.append(reading.text(current))
        elif current.type != "call":
            queue.extend(current.named_children)
    return found


def module(view: RootView, facts: FileFacts, spec: str) -> str | None:
    """The file that defines a module."""
    for where, _ in view.table.members(SPACE, "", spec):
        return where.path
    return None


def rules(language: str) -> Rules:
    """The rules of Elixir."""
    return Rules(family="elixir", reader=ElixirReader, module=module, builtins=BUILTINS, members_in_scope=True)
