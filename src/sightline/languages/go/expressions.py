"""Go expressions and types as rows of the facts. Pointers are erased."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

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
    TUPLE,
)
from sightline.languages.go.library import BUILTINS
from sightline.languages.reader import Reader, first

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

_SAME_FUNCTION = frozenset({"sync.OnceValue", "sync.OnceValues", "sync.OnceFunc"})  # give the function they are given
_TYPES_AS_VALUES = frozenset(
    {"pointer_type", "slice_type", "map_type", "array_type", "channel_type", "qualified_type"}
)  # what `new` and `make` are given
_ERASED = frozenset(
    {"pointer_type", "parenthesized_type", "type_elem", "type_constraint", "negated_type", "unary_expression"}
)  # they stand for the type inside
_ROWS = frozenset({"slice_type", "array_type", "channel_type", "implicit_length_array_type"})


class GoValues(Reader):
    """What expressions and types of a Go file state."""

    calls: ClassVar[Mapping[str, str]] = {"call_expression": "function"}
    members: ClassVar[Mapping[str, tuple[str, str]]] = {"selector_expression": ("operand", "field")}
    transparent = frozenset({"parenthesized_expression", "literal_element", "type_instantiation_expression"})
    literals: ClassVar[Mapping[str, str]] = {
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
    type_names = frozenset({"type_identifier", "identifier"})
    self_names = frozenset()  # a receiver has a name like any parameter
    self_types = frozenset()
    counts_arguments = False  # a name has one function

    # Values

    def compound(self, node: Node, kind: str, depth: int) -> int:
        """`a.b`, `f(x)`, `<-c`, `T{…}`, `x.(T)`, `x[0]`."""
        facts = self.facts
        if kind == "selector_expression":
            return self.member(node, depth)
        if kind == "call_expression":
            return self._call(node, depth)
        if kind == "unary_expression":
            operand = self.value(node.child_by_field_name("operand"), depth)
            operator = node.child_by_field_name("operator")
            received = operator is not None and operator.type == "<-"
            return facts.expression(ELEMENT, operand) if received else operand
        if kind == "composite_literal":
            return self.instance(self.type(node.child_by_field_name("type")))
        if kind in ("type_assertion_expression", "type_conversion_expression"):
            type_ = node.child_by_field_name("type")
            if kind == "type_conversion_expression" and type_ is not None and type_.type == "generic_type":
                return facts.expression(CALL, self.type(type_))  # or the call of a generic function
            return self.instance(self.type(type_))
        if kind == "index_expression":
            return facts.expression(ITEM, self.value(node.child_by_field_name("operand"), depth))
        if kind == "slice_expression":
            return self.value(node.child_by_field_name("operand"), depth)
        if kind in _TYPES_AS_VALUES:
            return self.type(node)
        return super().compound(node, kind, depth)

    def _call(self, node: Node, depth: int) -> int:
        facts = self.facts
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is not None and function.type == "identifier":
            name = self.reading.text(function)
            if name in ("new", "make"):
                return self.instance(self.type(first(arguments)))
            if name == "append":
                return self.value(first(arguments), depth)
            if name in BUILTINS:
                return facts.expression(LITERAL, facts.name("int"))
        if function is not None and self.reading.text(function) in _SAME_FUNCTION:
            given = first(arguments)
            if given is not None and given.type == "func_literal":  # it is read later
                return self._function_type(given, depth)
            return self.value(given, depth)
        return facts.expression(CALL, self.value(function, depth))

    # Types

    def type_name(self, text: str) -> int:
        """A type by its name: a name like any other."""
        return self.name(text)

    def compound_type(self, node: Node, kind: str, depth: int) -> int:
        """`p.T`, `T[A]`, `[]T`, `map[K]V`, `func(A) B`, `struct{…}`."""
        facts, reading = self.facts, self.reading
        if kind in _ERASED:
            return self.type(first(node), depth)
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
        if kind in _ROWS:
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
        return self.instance(self.type(node, depth))

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
