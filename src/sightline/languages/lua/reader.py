"""Lua: tables are modules and classes; what a file returns is what `require` gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sightline.languages.facts import DEFINED, EXPORTED, FUNCTION_SCOPE, HIDDEN, ITEM, MODULE
from sightline.languages.lua.library import BUILTINS, COMMON_MEMBERS
from sightline.languages.paths import nearest_file
from sightline.languages.reader import Reader, child_of, children_of, first
from sightline.languages.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

    from sightline.languages.facts import FileFacts
    from sightline.languages.reading import Reading
    from sightline.languages.rules import RootView


class LuaReader(Reader):
    """Reads one Lua file."""

    names = frozenset({"identifier"})
    calls: ClassVar[Mapping[str, str]] = {"function_call": "name"}
    members: ClassVar[Mapping[str, tuple[str, str]]] = {
        "dot_index_expression": ("table", "field"),
        "method_index_expression": ("table", "method"),
    }
    literals: ClassVar[Mapping[str, str]] = {
        "string": "string",
        "number": "number",
        "true": "boolean",
        "false": "boolean",
        "table_constructor": "table",
        "function_definition": "function",
        "binary_expression": "value",
    }
    self_names = frozenset()  # `self` is bound where a method begins
    self_types = frozenset()
    steps: ClassVar[Mapping[str, str]] = {
        "assignment_statement": "assigned",
        "function_call": "call",
        "function_definition": "closure",
        "return_statement": "returned",
        "for_statement": "loop",
    }

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        self.tables: dict[str, int] = {}
        classes = {d.qualified_name for d in reading.outlined if d.kind == "class"}
        for defined in reading.outlined:
            owner = defined.owner
            if owner and "." not in owner and owner not in classes and owner not in self.tables:
                hidden = self.facts.define("", owner, "class", ordinal=0, parent=0, line=defined.start_line)
                self.facts.definitions[hidden].flags |= HIDDEN
                self.tables[owner] = hidden
                self.facts.bind(reading.module_scope, owner, self.facts.expression(DEFINED, hidden))

    # Values

    def compound(self, node: Node, kind: str, depth: int) -> int:
        """`require "a.b"`, `setmetatable(t, mt)`, `t[1]`."""
        if kind == "function_call":
            name = self.reading.field(node, "name")
            if name == "require":
                return self._required(node)
            if name == "setmetatable":
                arguments = child_of(node, "arguments")
                given = arguments.named_children if arguments is not None else []
                return self.value(
                    given[1] if len(given) > 1 and given[0].type == "table_constructor" else first(arguments)
                )
        if kind == "bracket_index_expression":
            return self.facts.expression(ITEM, self.value(node.child_by_field_name("table"), depth))
        return super().compound(node, kind, depth)

    def _required(self, node: Node) -> int:
        spec = self._spec(node)
        return self.facts.expression(MODULE, self.facts.name(spec)) if spec else self.facts.unknown

    def _spec(self, node: Node) -> str:
        argument = first(child_of(node, "arguments"))
        return self.reading.field(argument, "content") if argument is not None and argument.type == "string" else ""

    # Definitions

    def open_function(self, node: Node, index: int) -> None:
        """A function; inside one of a table `self` is the table."""
        reading, facts = self.reading, self.facts
        defined = reading.outlined[index - 1]
        reading.enter(node, FUNCTION_SCOPE, index)
        if defined.owner and "." not in defined.owner:
            table = self.name(defined.owner)
            facts.bind(reading.scope, "self", table)
            if defined.name == "new":
                reading.returned(table, reading.at(node))
        self._parameters(node.child_by_field_name("parameters"), index)

    def _parameters(self, listed: Node | None, index: int) -> None:
        names = [self.reading.text(child) for child in children_of(listed, "identifier")] if listed is not None else []
        for name in names:
            if index:
                self.reading.parameter(index, name)
        if listed is not None:
            self.unknown_names([name for name in names if name != "self"], listed)

    def open_type(self, node: Node, index: int) -> None:
        """A table is filled by the functions that name it; its own node holds no code."""

    def closure(self, reading: Reading, node: Node) -> None:
        """A function without a name."""
        reading.enter_block(node)
        self._parameters(node.child_by_field_name("parameters"), 0)

    def assigned(self, reading: Reading, node: Node) -> None:
        """`local a, b = 1, 2`; a function given to a field is a definition."""
        if node.id in reading.definitions:
            kind = reading.outlined[reading.definitions[node.id] - 1].kind
            if kind in ("function", "method"):
                self.definition(reading, node)
                return
        targets, values = child_of(node, "variable_list"), child_of(node, "expression_list")
        given = values.named_children if values is not None else []
        for place, target in enumerate(targets.named_children if targets is not None else ()):
            value = given[place] if place < len(given) else None
            if target.type == "identifier" and reading.text(target) not in self.tables:
                if value is not None and value.type == "table_constructor" and reading.scope == reading.module_scope:
                    continue
                self.facts.bind(reading.scope, reading.text(target), self.value(value), reading.after(node))

    def loop(self, reading: Reading, node: Node) -> None:
        """Loop variables are nothing of outside."""
        clause = node.child_by_field_name("clause")
        listed = child_of(clause, "variable_list") if clause is not None else None
        if listed is not None:
            self.unknown_names([reading.text(child) for child in children_of(listed, "identifier")], node)

    def returned(self, reading: Reading, node: Node) -> None:
        """What a function gives; at the end of a file, what the module is."""
        value = first(child_of(node, "expression_list"))
        if value is None:
            return
        if reading.scope != reading.module_scope:
            reading.returned(self.value(value), reading.at(node))
            return
        if value.type == "function_call" and reading.field(value, "name") == "setmetatable":
            value = first(child_of(value, "arguments")) or value
        if value.type == "identifier":
            self._export(reading.text(value))
        elif value.type == "table_constructor":
            for field in children_of(value, "field"):
                name, given = reading.field(field, "name"), field.child_by_field_name("value")
                if name and given is not None and field.id not in reading.definitions:
                    self.facts.bind(reading.module_scope, name, self.value(given), flags=EXPORTED)
                elif name and field.id in reading.definitions:
                    own = self.facts.expression(DEFINED, reading.definitions[field.id])
                    self.facts.bind(reading.module_scope, name, own, flags=EXPORTED)

    def _export(self, table: str) -> None:
        for index, defined in enumerate(self.reading.outlined, start=1):
            if defined.owner == table or (defined.qualified_name == f"{table}.{defined.name}"):
                value = self.facts.expression(DEFINED, index)
                self.facts.bind(self.reading.module_scope, defined.name, value, flags=EXPORTED)

    def call(self, reading: Reading, node: Node) -> None:
        """A call; `require` imports."""
        if reading.field(node, "name") == "require":
            spec = self._spec(node)
            if spec:
                self.facts.imported(reading.line(node), spec)
            return
        super().call(reading, node)


def module(view: RootView, facts: FileFacts, spec: str) -> str | None:
    """The file that `require` names."""
    path = spec.replace(".", "/")
    plain = (f"{path}.lua", f"{path}/init.lua")
    return nearest_file(view, "lua", facts.path, (*(f"lua/{p}" for p in plain), *plain))


def rules(language: str) -> Rules:
    """The rules of Lua."""
    return Rules(
        family="lua",
        unique_name=0.7,  # by hand, 2026-11: 8 of 11
        reader=LuaReader,
        module=module,
        builtins=BUILTINS,
        common_members=COMMON_MEMBERS,
        self_names=frozenset({"self"}),
        guesses_names=True,
    )
