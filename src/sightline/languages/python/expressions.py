"""Python expressions and annotations as rows of the facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.facts import (
    AWAITED,
    CALL,
    CONTAINER,
    ELEMENT,
    GENERIC,
    INSTANCE,
    ITEM,
    LITERAL,
    SELF_TYPE,
    SUPER,
    TUPLE,
)
from sightline.languages.reading import MAX_NESTING, Reading

if TYPE_CHECKING:
    from tree_sitter import Node

_LITERALS = {
    "string": "str",
    "concatenated_string": "str",
    "integer": "int",
    "float": "float",
    "true": "bool",
    "false": "bool",
    "none": "None",
    "comparison_operator": "bool",
    "not_operator": "bool",
    "ellipsis": "ellipsis",
}
_CONTAINERS = {
    "list": "list",
    "set": "set",
    "list_comprehension": "list",
    "set_comprehension": "set",
    "generator_expression": "Iterator",
    "dictionary": "dict",
    "dictionary_comprehension": "dict",
}
_TRANSPARENT_TYPES = frozenset(
    {"Optional", "Union", "Annotated", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly"}
)


class Expressions:
    """Expressions of one file. A method per kind of syntax node, chosen by node type."""

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
            return facts.named(self.reading.text(node))
        known = self.reading.expressions.get(node.id)
        if known is not None:
            return known
        result = self._compound(node, kind, depth + 1)
        if kind in ("attribute", "call"):
            self.reading.expressions[node.id] = result
        return result

    def _compound(self, node: Node, kind: str, depth: int) -> int:
        facts = self.facts
        if kind == "attribute":
            value = self.value(node.child_by_field_name("object"), depth)
            return facts.attribute(value, self.reading.field(node, "attribute"))
        if kind == "call":
            return self._call(node, depth)
        if kind in _LITERALS:
            return facts.expression(LITERAL, facts.name(_LITERALS[kind]))
        if kind in _CONTAINERS:
            return self._container(node, kind, depth)
        if kind in ("parenthesized_expression", "expression_statement"):
            return self.value(first_named(node), depth)
        if kind == "await":
            return facts.expression(AWAITED, self.value(first_named(node), depth))
        if kind == "subscript":
            return facts.expression(ITEM, self.value(node.child_by_field_name("value"), depth))
        if kind in ("conditional_expression", "boolean_operator"):
            parts = node.named_children
            chosen = [parts[0], parts[-1]] if kind == "conditional_expression" and len(parts) > 2 else parts
            return facts.union([self.value(part, depth) for part in chosen])
        if kind == "named_expression":
            return self.value(node.child_by_field_name("value"), depth)
        if kind in ("tuple", "expression_list", "pattern_list"):
            return facts.expression(TUPLE, *[self.value(child, depth) for child in node.named_children])
        if kind == "assignment":
            return self.value(node.child_by_field_name("right"), depth)
        if kind == "lambda":
            return self.reading.expressions.get(node.id, facts.unknown)
        return facts.unknown

    def _call(self, node: Node, depth: int) -> int:
        facts = self.facts
        function = node.child_by_field_name("function")
        if function is not None and function.type == "identifier":
            name = self.reading.text(function)
            if name == "super":
                return facts.expression(SUPER)
            arguments = node.child_by_field_name("arguments")
            first = first_named(arguments) if arguments is not None else None
            if name == "type" and first is not None and self.reading.text(first) == "self":
                return facts.expression(SELF_TYPE)
            if name == "cast":
                return self.annotation(first)
            if name in ("next", "min", "max") and first is not None:
                return facts.expression(ELEMENT, self.value(first, depth))
            if name in ("iter", "list", "sorted", "reversed", "set", "tuple", "deepcopy", "copy") and first is not None:
                return self.value(first, depth)
            if name == "enumerate" and first is not None:
                inner = facts.expression(ELEMENT, self.value(first, depth))
                pair = facts.expression(TUPLE, facts.expression(LITERAL, facts.name("int")), inner)
                return facts.expression(CONTAINER, facts.name("Iterator"), pair)
        return facts.expression(CALL, self.value(function, depth))

    def _container(self, node: Node, kind: str, depth: int) -> int:
        facts = self.facts
        name = facts.name(_CONTAINERS[kind])
        if kind.endswith("comprehension") or kind == "generator_expression":
            return facts.expression(CONTAINER, name)
        members = node.named_children
        if kind == "dictionary":
            pairs = [c for c in members if c.type == "pair"]
            values = facts.union([self.value(p.child_by_field_name("value"), depth) for p in pairs[:8]])
            return facts.expression(CONTAINER, name, facts.unknown, values)
        return facts.expression(CONTAINER, name, facts.union([self.value(c, depth) for c in members[:8]]))

    def annotation(self, node: Node | None) -> int:
        """The expression for an instance of the annotated type."""
        type_ = self.type(node)
        return type_ if type_ == self.facts.unknown else self.facts.expression(INSTANCE, type_)

    def type(self, node: Node | None, depth: int = 0) -> int:
        """The expression for a type as an annotation writes it."""
        facts = self.facts
        if node is None or depth > MAX_NESTING:
            return facts.unknown
        kind = node.type
        if kind in ("type", "parenthesized_expression"):
            return self.type(first_named(node), depth + 1)
        if kind in ("identifier", "attribute"):
            return self.value(node)
        if kind == "string":
            return self._quoted(node)
        if kind in ("union_type", "binary_operator"):
            return facts.union([self.type(child, depth + 1) for child in node.named_children])
        if kind in ("generic_type", "subscript"):
            parts = node.named_children
            arguments = parts[1].named_children if kind == "generic_type" and len(parts) > 1 else parts[1:]
            return self._generic(self.type(parts[0], depth + 1), [self.type(a, depth + 1) for a in arguments], parts[0])
        if kind == "member_type":
            return facts.named(self.reading.text(node))
        return facts.unknown

    def _generic(self, outer: int, arguments: list[int], outer_node: Node) -> int:
        name = self.reading.text(outer_node).rpartition(".")[2]
        if name in _TRANSPARENT_TYPES:
            return self.facts.union(arguments[:1] if name == "Annotated" else arguments)
        return self.facts.expression(GENERIC, outer, *arguments)

    def _quoted(self, node: Node) -> int:
        """A forward reference: only plain and dotted names, in unions, are read; subscripts are erased."""
        text = self.reading.text(node).lstrip("rRbBuUfF").strip("\"'")
        members = []
        for part in text.split("|"):
            name = part.partition("[")[0].strip()
            outer = name.rpartition(".")[2]
            if outer in _TRANSPARENT_TYPES:
                name = part.partition("[")[2].rstrip("] ").partition("[")[0].partition(",")[0].strip()
            if all(piece.isidentifier() for piece in name.split(".")):
                members.append(self.facts.named(name))
        return self.facts.union(members)


def first_named(node: Node | None) -> Node | None:
    if node is None:
        return None
    return next((c for c in node.named_children if c.type != "comment"), None)
