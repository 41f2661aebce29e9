"""Zig: files are structs, `@import` gives them a name, `@This()` is the struct around."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sightline.languages.facts import CLASS_SCOPE, ELEMENT, ITEM, MODULE, NEW_SITE, SELF_TYPE, TYPE
from sightline.languages.paths import nearest_file, relative_file
from sightline.languages.reader import Reader, child_of, children_of, first
from sightline.languages.rules import Rules
from sightline.languages.zig.library import COMMON_MEMBERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

    from sightline.languages.facts import FileFacts
    from sightline.languages.reading import Reading
    from sightline.languages.rules import RootView

_HERE = "."  # the import path of the file itself
_CONTAINERS = frozenset({"struct_declaration", "enum_declaration", "union_declaration", "opaque_declaration"})


class ZigReader(Reader):
    """Reads one Zig file."""

    names = frozenset({"identifier"})
    type_names = frozenset({"identifier"})
    self_names = frozenset()  # `self` is an ordinary parameter
    self_types = frozenset()
    calls: ClassVar[Mapping[str, str]] = {"call_expression": "function"}
    members: ClassVar[Mapping[str, tuple[str, str]]] = {"field_expression": ("object", "member")}
    transparent = frozenset(
        {"parenthesized_expression", "try_expression", "await_expression", "dereference_expression",
         "null_coercion_expression", "comptime_expression", "catch_expression", "expression_statement"}
    )  # fmt: skip
    literals: ClassVar[Mapping[str, str]] = {
        "string": "u8",
        "multiline_string": "u8",
        "integer": "int",
        "float": "float",
        "boolean": "bool",
        "binary_expression": "value",
    }
    steps: ClassVar[Mapping[str, str]] = {
        "variable_declaration": "variable",
        "container_field": "field",
        "call_expression": "call",
        "struct_initializer": "initialized",
        "payload": "captured",
    }

    def type_name(self, text: str) -> int:
        """A type by its name."""
        return self.facts.expression(TYPE, self.facts.name(text)) if text.isidentifier() else self.facts.unknown

    def compound(self, node: Node, kind: str, depth: int) -> int:
        """`@import("x")`, `@This()`, `T{ … }`, `&x`, `x[0]`."""
        facts = self.facts
        if kind == "builtin_function":
            word = self.reading.text(first(node))
            if word == "@import":
                content = first(first(child_of(node, "arguments")))
                return facts.expression(MODULE, facts.name(self.reading.text(content)))
            if word == "@This":
                if self.reading.class_scope() >= 0:
                    return facts.expression(SELF_TYPE)
                return facts.expression(MODULE, facts.name(_HERE))
            return facts.unknown
        if kind == "struct_initializer":
            return self.instance(self.type(first(node), depth))
        if kind in ("unary_expression", "reference_expression"):
            return self.value(first(node), depth)
        if kind == "index_expression":
            return facts.expression(ITEM, self.value(first(node), depth))
        return super().compound(node, kind, depth)

    def compound_type(self, node: Node, kind: str, depth: int) -> int:
        """`*T`, `?T`, `!T`, `a.B`, `[]T`, `List(T)`."""
        if kind == "field_expression":
            holder = self.type(node.child_by_field_name("object"), depth)
            return self.facts.attribute(holder, self.reading.field(node, "member"))
        if kind == "error_union_type":
            return self.type(node.child_by_field_name("ok") or first(node), depth)
        if kind in ("slice_type", "array_type"):
            parts = node.named_children
            element = self.type(parts[-1] if parts else None, depth)
            return self.generic(self.type_name("Slice"), "Slice", [element])
        if kind == "call_expression":
            function = node.child_by_field_name("function")
            arguments = [c for c in node.named_children if function is None or c.id != function.id]
            return self.generic(self.type(function, depth), "", [self.type(a, depth) for a in arguments[:2]])
        if kind == "builtin_function":
            return self.value(node, depth)
        if kind in ("pointer_type", "nullable_type", "builtin_type"):
            parts = node.named_children
            return self.type(parts[-1] if parts else None, depth)
        return self.facts.unknown

    # Definitions

    def variable(self, reading: Reading, node: Node) -> None:
        """A container, an import, a constant or a local variable."""
        index = reading.definitions.get(node.id)
        parts = node.named_children
        if not parts or parts[0].type != "identifier":
            return
        name, value = reading.text(parts[0]), parts[-1] if len(parts) > 1 else None
        if index is not None and value is not None and value.type in _CONTAINERS:
            reading.enter(node, CLASS_SCOPE, index)
            return
        type_ = node.child_by_field_name("type")
        self._import(value)
        self.declare(name, type_, value, node)

    def _import(self, value: Node | None) -> None:
        while value is not None and value.type == "field_expression":
            value = value.child_by_field_name("object")
        if value is not None and value.type == "builtin_function":
            row = self.facts.expressions[self.value(value)]
            if row[0] == MODULE and self.facts.names[row[1]] != _HERE:
                self.facts.imported(self.reading.line(value), self.facts.names[row[1]])

    def constant(self, node: Node, index: int) -> None:
        """Handled with the other variables."""

    def open_type(self, node: Node, index: int) -> None:
        """Handled with the other variables."""

    def results(self, node: Node, index: int) -> None:
        """The declared result."""
        type_ = node.child_by_field_name("type")
        if type_ is not None:
            self.declare_result(index, type_)

    def parameters(self, node: Node, index: int) -> None:
        """`name: T`."""
        listed = child_of(node, "parameters")
        for parameter in children_of(listed, "parameter") if listed is not None else ():
            name = self.reading.field(parameter, "name")
            if name:
                self.parameter(index, name, parameter.child_by_field_name("type"), parameter)

    def field(self, reading: Reading, node: Node) -> None:
        """A field of a container or of the file."""
        self.declare(reading.field(node, "name"), node.child_by_field_name("type"), None, node)

    def captured(self, reading: Reading, node: Node) -> None:
        """`if (x) |y|`, `for (xs) |x|`."""
        holder = node.parent
        names = [reading.text(child) for child in children_of(node, "identifier")]
        if holder is None or not names:
            return
        condition = holder.child_by_field_name("condition")
        if holder.type in ("if_statement", "if_expression", "while_statement") and condition is not None:
            value = self.value(condition)
        elif holder.type in ("for_statement", "for_expression"):
            value = self.facts.expression(ELEMENT, self.value(first(holder)))
        else:
            value = self.facts.unknown
        self.facts.bind(reading.scope, names[0], value, reading.after(node))
        self.unknown_names(names[1:], node)

    def argument_count(self, node: Node) -> int:
        """What follows the callee."""
        return max(node.named_child_count - 1, 0)

    def initialized(self, reading: Reading, node: Node) -> None:
        """`T{ … }` makes a T."""
        written = first(node)
        type_ = self.type(written)
        if written is not None and type_ != self.facts.unknown:
            self.facts.site(reading.scope, type_, -1, reading.at(written), NEW_SITE)


def module(view: RootView, facts: FileFacts, spec: str) -> str | None:
    """The file that `@import` names: a path, or a package of the build by its name."""
    if spec == _HERE:
        return facts.path
    if spec.endswith(".zig"):
        return relative_file(view, facts.path, spec)
    if spec in ("std", "builtin", "root"):
        return None
    return nearest_file(view, "zig", facts.path, (f"src/{spec}.zig", f"{spec}.zig"))


def rules(language: str) -> Rules:
    """The rules of Zig."""
    return Rules(
        family="zig",
        unique_name=0.65,  # by hand, 2026-11: 8 of 12
        reader=ZigReader,
        module=module,
        common_members=COMMON_MEMBERS,
        self_names=frozenset({"self"}),
        members_in_scope=True,
        modules_are_types=True,
    )
