"""Python expressions and annotations as rows of the facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sightline.languages.facts import (
    AWAITED,
    CALL,
    CONTAINER,
    ELEMENT,
    GENERIC,
    ITEM,
    LITERAL,
    SELF_TYPE,
    SUPER,
    TUPLE,
)
from sightline.languages.reader import Reader, first

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

_CONTAINERS = {
    "list": "list",
    "set": "set",
    "list_comprehension": "list",
    "set_comprehension": "set",
    "generator_expression": "Iterator",
    "dictionary": "dict",
    "dictionary_comprehension": "dict",
}
_MAX_MEMBERS = 8  # of a container that are looked at: the others are of the same type, or of none
_TRANSPARENT_TYPES = frozenset(
    {"Optional", "Union", "Annotated", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly"}
)
# Built-in functions that give an element of their argument, and those that give their argument, as far as types go.
_ELEMENT_CALLS = frozenset({"next", "min", "max"})
_PASSING_CALLS = frozenset({"iter", "list", "sorted", "reversed", "set", "tuple", "deepcopy", "copy"})


class PythonValues(Reader):
    """What expressions and annotations of a Python file state."""

    calls: ClassVar[Mapping[str, str]] = {"call": "function"}
    members: ClassVar[Mapping[str, tuple[str, str]]] = {"attribute": ("object", "attribute")}
    transparent = frozenset({"parenthesized_expression", "expression_statement"})
    literals: ClassVar[Mapping[str, str]] = {
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
    type_names = frozenset({"identifier"})
    self_names = frozenset()  # the first parameter of a method, whatever it is called
    own_names = frozenset({"self", "cls"})
    self_types = frozenset()
    counts_arguments = False  # defaults, keywords and unpacking are everywhere, and there is one function of a name

    # Values

    def compound(self, node: Node, kind: str, depth: int) -> int:
        """`a.b`, `f(x)`, `[x]`, `await x`, `x[0]`, `x if y else z`, `x, y`."""
        facts = self.facts
        if kind == "attribute":
            return self.member(node, depth)
        if kind == "call":
            return self._call(node, depth)
        if kind in _CONTAINERS:
            return self._container(node, kind, depth)
        if kind == "await":
            return facts.expression(AWAITED, self.value(first(node), depth))
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
        return super().compound(node, kind, depth)

    def _call(self, node: Node, depth: int) -> int:
        facts = self.facts
        function = node.child_by_field_name("function")
        if function is not None and function.type == "identifier":
            known = self._built_in(self.reading.text(function), first(node.child_by_field_name("arguments")), depth)
            if known is not None:
                return known
        return facts.expression(CALL, self.value(function, depth))

    def _built_in(self, name: str, argument: Node | None, depth: int) -> int | None:
        """What calling a built-in function gives, where its argument says so."""
        facts = self.facts
        if name == "super":
            return facts.expression(SUPER)
        if name == "cast":
            return self.instance(self.type(argument))
        if argument is None:
            return None
        if name == "type" and self.reading.text(argument) == "self":
            return facts.expression(SELF_TYPE)
        if name in _ELEMENT_CALLS:
            return facts.expression(ELEMENT, self.value(argument, depth))
        if name in _PASSING_CALLS:
            return self.value(argument, depth)
        if name == "enumerate":
            inner = facts.expression(ELEMENT, self.value(argument, depth))
            pair = facts.expression(TUPLE, facts.expression(LITERAL, facts.name("int")), inner)
            return facts.expression(CONTAINER, facts.name("Iterator"), pair)
        return None

    def _container(self, node: Node, kind: str, depth: int) -> int:
        facts = self.facts
        name = facts.name(_CONTAINERS[kind])
        if kind.endswith("comprehension") or kind == "generator_expression":
            return facts.expression(CONTAINER, name)
        members = node.named_children
        if kind == "dictionary":
            pairs = [c for c in members if c.type == "pair"][:_MAX_MEMBERS]
            values = facts.union([self.value(p.child_by_field_name("value"), depth) for p in pairs])
            return facts.expression(CONTAINER, name, facts.unknown, values)
        return facts.expression(CONTAINER, name, facts.union([self.value(c, depth) for c in members[:_MAX_MEMBERS]]))

    # Annotations

    def type_name(self, text: str) -> int:
        """A type by its name: a name like any other."""
        return self.name(text)

    def compound_type(self, node: Node, kind: str, depth: int) -> int:
        """`a.B`, `A | B`, `A[B]`, `"A"`."""
        facts = self.facts
        if kind in ("type", "parenthesized_expression"):
            return self.type(first(node), depth)
        if kind == "attribute":
            return self.value(node)
        if kind == "string":
            return self._quoted(node)
        if kind in ("union_type", "binary_operator"):
            return facts.union([self.type(child, depth) for child in node.named_children])
        if kind in ("generic_type", "subscript"):
            parts = node.named_children
            arguments = parts[1].named_children if kind == "generic_type" and len(parts) > 1 else parts[1:]
            return self._generic(self.type(parts[0], depth), [self.type(a, depth) for a in arguments], parts[0])
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
