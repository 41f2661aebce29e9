"""Java expressions and types as rows of the facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sightline.languages.facts import (
    CALL,
    CONTAINER,
    GENERIC,
    INSTANCE,
    ITEM,
    LITERAL,
    METHOD,
    MODULE,
    TYPE,
)
from sightline.languages.reader import Reader, children_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

_PLAIN_CALL = 5  # children of object.<T>method(…)
_PRIMITIVES = frozenset({"integral_type", "floating_point_type", "boolean_type", "void_type"})


class JavaValues(Reader):
    """What expressions and types of a Java file state."""

    calls: ClassVar[Mapping[str, str]] = {"method_invocation": "name"}
    members: ClassVar[Mapping[str, tuple[str, str]]] = {"field_access": ("object", "field")}
    constructions: ClassVar[Mapping[str, str]] = {"object_creation_expression": "type"}
    literals: ClassVar[Mapping[str, str]] = {
        "string_literal": "String",
        "text_block": "String",
        "decimal_integer_literal": "int",
        "hex_integer_literal": "int",
        "octal_integer_literal": "int",
        "binary_integer_literal": "int",
        "decimal_floating_point_literal": "double",
        "character_literal": "char",
        "true": "boolean",
        "false": "boolean",
        "null_literal": "None",
        "class_literal": "Class",
        "instanceof_expression": "boolean",
        "unary_expression": "int",
        "binary_expression": "String",
        "update_expression": "int",
    }
    type_names = frozenset({"type_identifier", "identifier"})
    self_names = frozenset()  # `this` is a node of its own
    self_types = frozenset()

    # Values

    def name(self, text: str) -> int:
        """A variable, or by its case a type."""
        return self.type_name(text) if text[:1].isupper() and not text.isupper() else super().name(text)

    def compound(self, node: Node, kind: str, depth: int) -> int:
        """`a.f()`, `a.b`, `(T) x`, `x[0]`, `new T[1]`, `a ? b : c`."""
        facts = self.facts
        if kind == "method_invocation":
            return facts.expression(CALL, self.callee(node, depth))
        if kind == "field_access":
            return self._field_access(node, depth)
        if kind == "cast_expression":
            return self.instance(self.type(node.child_by_field_name("type")))
        if kind == "array_access":
            return facts.expression(ITEM, self.value(node.child_by_field_name("array"), depth))
        if kind == "array_creation_expression":
            return self.array(node.child_by_field_name("type"))
        if kind == "ternary_expression":
            branches = (node.child_by_field_name("consequence"), node.child_by_field_name("alternative"))
            return facts.union([self.value(branch, depth) for branch in branches])
        if kind == "assignment_expression":
            return self.value(node.child_by_field_name("right"), depth)
        return super().compound(node, kind, depth)

    def _field_access(self, node: Node, depth: int) -> int:
        holder = node.child_by_field_name("object")
        if self.reading.field(node, "field") == "this":
            return self.facts.expression(INSTANCE, self.value(holder, depth))
        return self.facts.unknown if holder is not None and holder.type == "super" else self.member(node, depth)

    def callee(self, node: Node, depth: int = 0) -> int:
        """What a method invocation calls."""
        name, holder = self.reading.field(node, "name"), node.child_by_field_name("object")
        if holder is None:
            return self.facts.expression(METHOD, self.facts.name(name))
        if node.child_count > _PLAIN_CALL and holder.type != "super":  # Interface.super.method()
            return self.facts.attribute(self.facts.expression(INSTANCE, self.value(holder)), name)
        return self.facts.attribute(self.value(holder, depth + 1), name)

    # Types

    def type_name(self, text: str) -> int:
        """A type by its name."""
        return self.facts.expression(TYPE, self.facts.name(text))

    def compound_type(self, node: Node, kind: str, depth: int) -> int:
        """`A<B>`, `a.B`, `T[]`, `int`, `? extends T`."""
        facts, reading = self.facts, self.reading
        if kind == "generic_type":
            parts = node.named_children
            arguments = parts[1].named_children if len(parts) > 1 else []
            return facts.expression(GENERIC, self.type(parts[0], depth), *[self.type(a, depth) for a in arguments])
        if kind == "scoped_type_identifier":
            names = [reading.text(c) for c in children_of(node, "type_identifier", "scoped_type_identifier")]
            return self.qualified(".".join(names).partition("<")[0])
        if kind in ("scoped_identifier", "field_access"):
            return self.qualified(reading.text(node))
        if kind == "array_type":
            element = self.instance(self.type(node.child_by_field_name("element")))
            return facts.expression(CONTAINER, facts.name("[]"), element)
        if kind in _PRIMITIVES:
            text = reading.text(node)
            return facts.expression(LITERAL, facts.name(text)) if text != "void" else facts.unknown
        if kind == "wildcard":
            bound = [c for c in node.named_children if "type" in c.type]
            return self.type(bound[-1], depth) if bound else facts.unknown
        if kind in ("annotated_type", "type_bound", "catch_type"):
            types = [c for c in node.named_children if "annotation" not in c.type]
            return facts.union([self.type(t, depth) for t in types])
        return facts.unknown

    def array(self, element: Node | None) -> int:
        """An array of a type."""
        return self.facts.expression(CONTAINER, self.facts.name("[]"), self.instance(self.type(element)))

    def qualified(self, text: str) -> int:
        """A dotted name: packages are in lower case, then come classes, the first of them by name."""
        facts = self.facts
        parts = [p.strip() for p in text.split(".")]
        first_class = next((i for i, part in enumerate(parts) if part[:1].isupper()), len(parts) - 1)
        if first_class == 0:
            value = self.type_name(parts[0])
        else:
            package = facts.expression(MODULE, facts.name(".".join(parts[:first_class])))
            value = facts.attribute(package, parts[first_class])
        for part in parts[first_class + 1 :]:
            value = facts.attribute(value, part)
        return value
