"""Java expressions and types as rows of the facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.facts import (
    CALL,
    CONTAINER,
    GENERIC,
    INSTANCE,
    ITEM,
    LITERAL,
    METHOD,
    MODULE,
    SELF,
    SUPER,
    TYPE,
)
from sightline.languages.reading import MAX_NESTING, Reading

if TYPE_CHECKING:
    from tree_sitter import Node

_LITERALS = {
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
_PLAIN_CALL = 5  # children of object.<T>method(…)
_PRIMITIVES = frozenset({"integral_type", "floating_point_type", "boolean_type", "void_type"})


class Expressions:
    """Expressions of one file."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.facts = reading.facts

    def value(self, node: Node | None, depth: int = 0) -> int:
        """The expression that a node states."""
        facts = self.facts
        if node is None or depth > MAX_NESTING:
            return facts.unknown
        kind = node.type
        if kind == "identifier":
            return self.named(self.reading.text(node))
        if kind == "this":
            return facts.expression(SELF)
        if kind == "super":
            return facts.expression(SUPER)
        known = self.reading.expressions.get(node.id)
        if known is not None:
            return known
        result = self._compound(node, kind, depth + 1)
        if kind in ("method_invocation", "field_access"):
            self.reading.expressions[node.id] = result
        return result

    def named(self, text: str) -> int:
        """A variable, or by its case a type."""
        if text[:1].isupper() and not text.isupper():
            return self.facts.expression(TYPE, self.facts.name(text))
        return self.facts.named(text)

    def _compound(self, node: Node, kind: str, depth: int) -> int:
        facts = self.facts
        if kind == "method_invocation":
            return facts.expression(CALL, self.callee(node, depth))
        if kind == "field_access":
            return self._field_access(node, depth)
        if kind == "object_creation_expression":
            return facts.expression(INSTANCE, self.type(node.child_by_field_name("type")))
        if kind in _LITERALS:
            return facts.expression(LITERAL, facts.name(_LITERALS[kind]))
        if kind == "parenthesized_expression":
            return self.value(first_named(node), depth)
        if kind == "cast_expression":
            return self.instance(node.child_by_field_name("type"))
        if kind == "array_access":
            return facts.expression(ITEM, self.value(node.child_by_field_name("array"), depth))
        if kind == "array_creation_expression":
            return facts.expression(CONTAINER, facts.name("[]"), self.instance(node.child_by_field_name("type")))
        if kind == "ternary_expression":
            branches = (node.child_by_field_name("consequence"), node.child_by_field_name("alternative"))
            return facts.union([self.value(branch, depth) for branch in branches])
        if kind == "assignment_expression":
            return self.value(node.child_by_field_name("right"), depth)
        return facts.unknown

    def _field_access(self, node: Node, depth: int) -> int:
        holder, name = node.child_by_field_name("object"), self.reading.field(node, "field")
        if name == "this" or (holder is not None and holder.type == "super"):
            return self.facts.expression(INSTANCE, self.value(holder, depth)) if name == "this" else self.facts.unknown
        return self.facts.attribute(self.value(holder, depth), name)

    def callee(self, node: Node, depth: int = 0) -> int:
        """What a method invocation calls."""
        name, holder = self.reading.field(node, "name"), node.child_by_field_name("object")
        if holder is None:
            return self.facts.expression(METHOD, self.facts.name(name))
        if node.child_count > _PLAIN_CALL and holder.type != "super":  # Interface.super.method()
            return self.facts.attribute(self.facts.expression(INSTANCE, self.value(holder)), name)
        return self.facts.attribute(self.value(holder, depth + 1), name)

    def instance(self, node: Node | None) -> int:
        """A value of a type."""
        type_ = self.type(node)
        return type_ if type_ == self.facts.unknown else self.facts.expression(INSTANCE, type_)

    def type(self, node: Node | None, depth: int = 0) -> int:
        """The expression for a type."""
        facts, reading = self.facts, self.reading
        if node is None or depth > MAX_NESTING:
            return facts.unknown
        kind = node.type
        depth += 1
        if kind in ("type_identifier", "identifier"):
            return facts.expression(TYPE, facts.name(reading.text(node)))
        if kind == "generic_type":
            parts = node.named_children
            arguments = parts[1].named_children if len(parts) > 1 else []
            return facts.expression(GENERIC, self.type(parts[0], depth), *[self.type(a, depth) for a in arguments])
        if kind == "scoped_type_identifier":
            names = [
                reading.text(c) for c in node.named_children if c.type in ("type_identifier", "scoped_type_identifier")
            ]
            return qualified(reading, ".".join(names).partition("<")[0])
        if kind in ("scoped_identifier", "field_access"):
            return qualified(reading, reading.text(node))
        if kind == "array_type":
            element = self.instance(node.child_by_field_name("element"))
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


def qualified(reading: Reading, text: str) -> int:
    """A dotted name: packages are in lower case, then come classes, the first of them by name."""
    facts = reading.facts
    parts = [p.strip() for p in text.split(".")]
    first = next((i for i, part in enumerate(parts) if part[:1].isupper()), len(parts) - 1)
    if first == 0:
        value = facts.expression(TYPE, facts.name(parts[0]))
    else:
        package = facts.expression(MODULE, facts.name(".".join(parts[:first])))
        value = facts.attribute(package, parts[first])
    for part in parts[first + 1 :]:
        value = facts.attribute(value, part)
    return value


def first_named(node: Node | None) -> Node | None:
    if node is None:
        return None
    return next((c for c in node.named_children if not c.type.endswith("comment")), None)
