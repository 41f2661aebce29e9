"""Go expressions and types as rows of the facts. Pointers are erased."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.facts import (
    CALL,
    CONTAINER,
    DEFINED,
    ELEMENT,
    FUNCTION_TYPE,
    GENERIC,
    INSTANCE,
    ITEM,
    LITERAL,
    NAME,
    TUPLE,
)
from sightline.languages.go.library import BUILTINS
from sightline.languages.reading import MAX_NESTING, Reading

if TYPE_CHECKING:
    from tree_sitter import Node

_LITERALS = {
    "interpreted_string_literal": "string",
    "raw_string_literal": "string",
    "int_literal": "int",
    "float_literal": "float64",
    "rune_literal": "rune",
    "imaginary_literal": "complex128",
    "true": "bool",
    "false": "bool",
    "nil": "None",
    "binary_expression": "int",
}
_SAME_FUNCTION = frozenset({"sync.OnceValue", "sync.OnceValues", "sync.OnceFunc"})  # give the function they are given


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
            return facts.expression(NAME, facts.name(self.reading.text(node)))
        known = self.reading.expressions.get(node.id)
        if known is not None:
            return known
        result = self._compound(node, kind, depth + 1)
        if kind in ("selector_expression", "call_expression"):
            self.reading.expressions[node.id] = result
        return result

    def _compound(self, node: Node, kind: str, depth: int) -> int:
        facts = self.facts
        if kind == "selector_expression":
            value = self.value(node.child_by_field_name("operand"), depth)
            return facts.attribute(value, self.reading.field(node, "field"))
        if kind == "call_expression":
            return self._call(node, depth)
        if kind in ("parenthesized_expression", "literal_element"):
            return self.value(first_named(node), depth)
        if kind == "unary_expression":
            operand = self.value(node.child_by_field_name("operand"), depth)
            operator = node.child_by_field_name("operator")
            received = operator is not None and operator.type == "<-"
            return facts.expression(ELEMENT, operand) if received else operand
        if kind == "composite_literal":
            return self.instance(node.child_by_field_name("type"))
        if kind in ("type_assertion_expression", "type_conversion_expression"):
            type_ = node.child_by_field_name("type")
            if kind == "type_conversion_expression" and type_ is not None and type_.type == "generic_type":
                return facts.expression(CALL, self.type(type_))  # or the call of a generic function
            return self.instance(type_)
        if kind == "index_expression":
            return facts.expression(ITEM, self.value(node.child_by_field_name("operand"), depth))
        if kind == "slice_expression":
            return self.value(node.child_by_field_name("operand"), depth)
        if kind == "type_instantiation_expression":
            return self.value(first_named(node), depth)
        if kind in _LITERALS:
            return facts.expression(LITERAL, facts.name(_LITERALS[kind]))
        if kind in ("pointer_type", "slice_type", "map_type", "array_type", "channel_type", "qualified_type"):
            return self.type(node)
        return facts.unknown

    def _call(self, node: Node, depth: int) -> int:
        facts = self.facts
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is not None and function.type == "identifier":
            name = self.reading.text(function)
            first = first_named(arguments)
            if name in ("new", "make"):
                return self.instance(first)
            if name == "append":
                return self.value(first, depth)
            if name in BUILTINS:
                return facts.expression(LITERAL, facts.name("int"))
        if function is not None and self.reading.text(function) in _SAME_FUNCTION:
            given = first_named(arguments)
            if given is not None and given.type == "func_literal":  # it is read later
                return self._function_type(given, depth)
            return self.value(given, depth)
        return facts.expression(CALL, self.value(function, depth))

    def instance(self, node: Node | None) -> int:
        """A value of a type."""
        type_ = self.type(node)
        return type_ if type_ == self.facts.unknown else self.facts.expression(INSTANCE, type_)

    def type(self, node: Node | None, depth: int = 0) -> int:
        """The expression for a type; pointers are erased."""
        facts, reading = self.facts, self.reading
        if node is None or depth > MAX_NESTING:
            return facts.unknown
        kind = node.type
        depth += 1
        if kind in ("type_identifier", "identifier"):
            name = reading.text(node)
            return facts.expression(NAME, facts.name(name))
        if kind in ("pointer_type", "parenthesized_type", "type_elem", "type_constraint", "negated_type",
                    "unary_expression"):  # fmt: skip
            return self.type(first_named(node), depth)
        if kind == "qualified_type":
            package = facts.named(reading.field(node, "package"))
            return facts.attribute(package, reading.field(node, "name"))
        if kind == "selector_expression":
            return self.value(node)
        if kind == "struct_type":
            return facts.expression(DEFINED, reading.hide_class(node))
        if kind == "generic_type":
            arguments = node.child_by_field_name("type_arguments")
            given = [self.type(a, depth) for a in arguments.named_children] if arguments is not None else []
            return facts.expression(GENERIC, self.type(node.child_by_field_name("type"), depth), *given)
        if kind in ("slice_type", "array_type", "channel_type", "implicit_length_array_type"):
            element = self._of(node.child_by_field_name("element") or node.child_by_field_name("value"), depth)
            return facts.expression(CONTAINER, facts.name("[]"), element)
        if kind == "map_type":
            key = self._of(node.child_by_field_name("key"), depth)
            return facts.expression(
                CONTAINER, facts.name("map"), key, self._of(node.child_by_field_name("value"), depth)
            )
        if kind == "function_type":
            return self._function_type(node, depth)
        return facts.unknown

    def _function_type(self, node: Node, depth: int) -> int:
        facts, result = self.facts, self.result(node.child_by_field_name("result"), depth)
        called = facts.unknown if result < 0 else facts.expression(INSTANCE, result)
        return facts.expression(CONTAINER, facts.name(FUNCTION_TYPE), called)

    def _of(self, node: Node | None, depth: int) -> int:
        type_ = self.type(node, depth)
        return type_ if type_ == self.facts.unknown else self.facts.expression(INSTANCE, type_)

    def result(self, node: Node | None, depth: int = 0) -> int:
        """The result type of a function, a tuple of them, or -1."""
        if node is None:
            return -1
        if node.type != "parameter_list":
            return self.type(node, depth)
        members: list[int] = []
        for parameter in node.named_children:
            type_ = self._of(parameter.child_by_field_name("type"), depth)
            names = parameter.children_by_field_name("name")
            members.extend([type_] * max(len(names), 1))
        return self.facts.expression(TUPLE, *members)


def first_named(node: Node | None) -> Node | None:
    if node is None:
        return None
    return next((c for c in node.named_children if c.type != "comment"), None)
