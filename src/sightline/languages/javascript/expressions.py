"""JavaScript and TypeScript expressions and types as rows of the facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sightline.languages.facts import (
    AWAITED,
    CALL,
    CONTAINER,
    DEFINED,
    FUNCTION_TYPE,
    GENERIC,
    INSTANCE,
    ITEM,
    LITERAL,
    MODULE,
    NAME,
    TUPLE,
)
from sightline.languages.reader import Reader, first

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function", "function"})
AROUND = frozenset({"as_expression", "satisfies_expression", "parenthesized_expression"})  # a value
_PREDEFINED = {"string": "String", "number": "Number", "boolean": "Boolean", "bigint": "BigInt", "symbol": "Symbol",
               "object": "Object"}  # fmt: skip
_OR_OPERATORS = frozenset({"||", "??", "&&"})
_MAX_MEMBERS = 8  # of an array that are looked at: the others are of the same type, or of none
_TRANSPARENT_TYPES = frozenset(
    {"Partial", "Required", "Readonly", "NonNullable", "Omit", "Pick", "Awaited", "NoInfer", "InstanceType"}
)
_AROUND_TYPES = frozenset(
    {"type_annotation", "parenthesized_type", "readonly_type", "constraint", "default_type", "asserts"}
)


class JavaScriptValues(Reader):
    """What expressions and types of a JavaScript or TypeScript file state."""

    names = frozenset({"identifier", "shorthand_property_identifier"})
    calls: ClassVar[Mapping[str, str]] = {"call_expression": "function"}
    members: ClassVar[Mapping[str, tuple[str, str]]] = {"member_expression": ("object", "property")}
    transparent = frozenset(
        {"parenthesized_expression", "non_null_expression", "satisfies_expression", "instantiation_expression"}
    )
    literals: ClassVar[Mapping[str, str]] = {
        "string": "String",
        "template_string": "String",
        "number": "Number",
        "regex": "RegExp",
        "true": "Boolean",
        "false": "Boolean",
        "null": "None",
        "undefined": "None",
        "unary_expression": "Number",
        "update_expression": "Number",
    }
    type_names = frozenset({"type_identifier", "identifier"})
    self_names = frozenset()  # `this` is a node of its own
    self_types = frozenset()
    counts_arguments = False  # any function takes any number of them

    # Values

    def name(self, text: str) -> int:
        """A bare name."""
        return super().name(text) if text != "undefined" else self.facts.unknown

    def compound(self, node: Node, kind: str, depth: int) -> int:
        """`a.b`, `f(x)`, `new T(x)`, `await x`, `x as T`, `x[0]`, `a ? b : c`, `a || b`, `[x]`."""
        facts = self.facts
        if kind == "member_expression":
            return self.member(node, depth)
        if kind == "call_expression":
            return self._call(node, depth)
        if kind == "new_expression":
            return self._new(node, depth)
        if kind == "await_expression":
            return facts.expression(AWAITED, self.value(first(node), depth))
        if kind == "as_expression":
            parts = node.named_children
            declared = self.instance(self.type(parts[1])) if len(parts) > 1 else facts.unknown
            return declared if declared != facts.unknown else self.value(parts[0], depth)
        if kind == "subscript_expression":
            return self._subscript(node, depth)
        if kind == "ternary_expression":
            branches = (node.child_by_field_name("consequence"), node.child_by_field_name("alternative"))
            return facts.union([self.value(branch, depth) for branch in branches])
        if kind == "binary_expression":
            return self._binary(node, depth)
        if kind == "array":
            members = [self.value(member, depth) for member in node.named_children[:_MAX_MEMBERS]]
            return facts.expression(CONTAINER, facts.name("Array"), facts.union(members))
        if kind == "assignment_expression":
            return self.value(node.child_by_field_name("right"), depth)
        if kind == "sequence_expression":
            return self.value(node.named_children[-1], depth)
        return super().compound(node, kind, depth)

    def _call(self, node: Node, depth: int) -> int:
        facts = self.facts
        function = node.child_by_field_name("function")
        if function is not None and function.type in ("identifier", "import"):
            required = self.required_module(node)
            if required:
                return facts.expression(MODULE, facts.name(required))
        bound = function.child_by_field_name("property") if function is not None else None
        if function is not None and bound is not None and self.reading.text(bound) == "bind":
            return self.value(function.child_by_field_name("object"), depth)  # the same function, with its `this`
        return facts.expression(CALL, self.value(function, depth))

    def _new(self, node: Node, depth: int) -> int:
        facts = self.facts
        made = self.value(node.child_by_field_name("constructor"), depth)
        arguments = node.child_by_field_name("type_arguments")
        if arguments is not None:
            made = facts.expression(GENERIC, made, *[self.type(a) for a in arguments.named_children])
        return facts.expression(CALL, made)

    def _subscript(self, node: Node, depth: int) -> int:
        value = self.value(node.child_by_field_name("object"), depth)
        index = node.child_by_field_name("index")
        if index is not None and index.type == "string":
            return self.facts.attribute(value, self.reading.text(index).strip("\"'`"))
        return self.facts.expression(ITEM, value)

    def _binary(self, node: Node, depth: int) -> int:
        facts = self.facts
        operator = node.child_by_field_name("operator")
        if operator is None or operator.type not in _OR_OPERATORS:
            return facts.expression(LITERAL, facts.name("Number"))
        sides = [self.value(node.child_by_field_name("right"), depth)]
        if operator.type != "&&":
            sides.insert(0, self.value(node.child_by_field_name("left"), depth))
        return facts.union(sides)

    # Types

    def type_name(self, text: str) -> int:
        """A type by its name: a name like any other."""
        return self.facts.expression(NAME, self.facts.name(text))

    def compound_type(self, node: Node, kind: str, depth: int) -> int:
        """`: T`, `A<B>`, `a.B`, `A | B`, `T[]`, `[A, B]`, `(x: A) => B`, `{…}`, `typeof x`, `T["member"]`."""
        facts, reading = self.facts, self.reading
        if kind in _AROUND_TYPES:
            return self.type(first(node), depth)
        if kind == "predefined_type":
            name = _PREDEFINED.get(reading.text(node))
            return facts.expression(LITERAL, facts.name(name)) if name else facts.unknown
        if kind == "generic_type":
            return self._generic(node, depth)
        if kind in ("nested_type_identifier", "member_expression", "nested_identifier"):
            text = reading.text(node)
            return facts.named("".join(text.split())) if "(" not in text and "[" not in text else self.value(node)
        if kind in ("union_type", "intersection_type"):
            return facts.union([self.type(member, depth) for member in node.named_children])
        if kind == "array_type":
            array = facts.expression(NAME, facts.name("Array"))
            return facts.expression(GENERIC, array, self.type(first(node), depth))
        if kind == "tuple_type":
            members = [facts.expression(INSTANCE, self.type(m, depth)) for m in node.named_children]
            return facts.expression(TUPLE, *members)
        if kind == "function_type":
            return self._function_type(node)
        if kind == "object_type":
            return facts.expression(DEFINED, reading.hide_class(node))
        if kind == "this_type":
            return facts.named("this")
        if kind == "literal_type":
            return facts.expression(LITERAL, facts.name("None" if "null" in reading.text(node) else "String"))
        if kind == "type_query":  # `typeof value`: a value here too
            return self.value(first(node), depth)
        if kind == "lookup_type":
            return self._lookup(node, depth)
        return facts.unknown

    def _function_type(self, node: Node) -> int:
        result = self.annotated(node.child_by_field_name("return_type"))
        stated = node.child_by_field_name("parameters")
        parameters = [c for c in stated.named_children if c.type != "comment"] if stated is not None else []
        given = [self.annotated(p.child_by_field_name("type")) for p in parameters if not self._is_this(p)]
        return self.facts.expression(CONTAINER, self.facts.name(FUNCTION_TYPE), result, *given)

    def _is_this(self, parameter: Node) -> bool:
        pattern = parameter.child_by_field_name("pattern")
        return pattern is not None and pattern.type == "this"

    def _generic(self, node: Node, depth: int) -> int:
        name = node.child_by_field_name("name")
        arguments = node.child_by_field_name("type_arguments")
        if arguments is not None and arguments.named_children:
            given = arguments.named_children[0]
            if self.reading.text(name) in _TRANSPARENT_TYPES:
                return self.type(given, depth)
            if self.reading.text(name) == "ReturnType":
                return self.facts.expression(CALL, self.type(given, depth))
        return self.with_arguments(self.type(name, depth), arguments, depth)

    def with_arguments(self, type_: int, arguments: Node | None, depth: int = 0) -> int:
        """A type with its type arguments."""
        given = [self.type(a, depth) for a in arguments.named_children] if arguments is not None else []
        return self.facts.expression(GENERIC, type_, *given) if given else type_

    def _lookup(self, node: Node, depth: int) -> int:
        """`Type["member"]`: the type of a member; a value here, which counts as its own type."""
        parts = node.named_children
        key = self.reading.text(parts[1]).strip("\"'`") if len(parts) > 1 else ""
        outer = self.type(parts[0], depth)
        if not key.isidentifier() or outer == self.facts.unknown:
            return self.facts.unknown
        return self.facts.attribute(self.facts.expression(INSTANCE, outer), key)

    def annotated(self, node: Node | None) -> int:
        """A value of the annotated type."""
        return self.instance(self.type(node))

    def required_module(self, node: Node) -> str:
        """The path of `require("path")` or `import("path")`, "" for other calls."""
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None or arguments is None or self.reading.text(function) not in ("require", "import"):
            return ""
        given = first(arguments)
        return self.reading.text(given).strip("\"'`") if given is not None and given.type == "string" else ""


def unwrapped(node: Node | None) -> Node | None:
    """A value without what stands around it."""
    while node is not None and node.type in AROUND:
        node = first(node)
    return node
