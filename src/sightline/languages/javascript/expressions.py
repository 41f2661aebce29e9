"""JavaScript and TypeScript expressions and types as rows of the facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    SELF,
    SUPER,
    TUPLE,
)
from sightline.languages.reading import MAX_NESTING, Reading

if TYPE_CHECKING:
    from tree_sitter import Node

FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function", "function"})
AROUND = frozenset({"as_expression", "satisfies_expression", "parenthesized_expression"})  # a value
_LITERALS = {
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
_PREDEFINED = {"string": "String", "number": "Number", "boolean": "Boolean", "bigint": "BigInt", "symbol": "Symbol",
               "object": "Object"}  # fmt: skip
_WRAPPERS = frozenset(
    {"parenthesized_expression", "non_null_expression", "satisfies_expression", "instantiation_expression"}
)
_OR_OPERATORS = frozenset({"||", "??", "&&"})
_TRANSPARENT_TYPES = frozenset(
    {"Partial", "Required", "Readonly", "NonNullable", "Omit", "Pick", "Awaited", "NoInfer", "InstanceType"}
)


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
        if kind in ("identifier", "shorthand_property_identifier"):
            text = self.reading.text(node)
            return facts.expression(NAME, facts.name(text)) if text != "undefined" else facts.unknown
        if kind == "this":
            return facts.expression(SELF)
        if kind == "super":
            return facts.expression(SUPER)
        known = self.reading.expressions.get(node.id)
        if known is not None:
            return known
        result = self._compound(node, kind, depth + 1)
        if kind in ("member_expression", "call_expression"):
            self.reading.expressions[node.id] = result
        return result

    def _compound(self, node: Node, kind: str, depth: int) -> int:
        facts, reading = self.facts, self.reading
        if kind == "member_expression":
            value = self.value(node.child_by_field_name("object"), depth)
            return facts.attribute(value, reading.field(node, "property"))
        if kind == "call_expression":
            return self._call(node, depth)
        if kind == "new_expression":
            return self._new(node, depth)
        if kind in _LITERALS:
            return facts.expression(LITERAL, facts.name(_LITERALS[kind]))
        if kind in _WRAPPERS:
            return self.value(first_named(node), depth)
        if kind == "await_expression":
            return facts.expression(AWAITED, self.value(first_named(node), depth))
        if kind == "as_expression":
            parts = node.named_children
            declared = self.annotation(parts[1]) if len(parts) > 1 else facts.unknown
            return declared if declared != facts.unknown else self.value(parts[0], depth)
        if kind == "subscript_expression":
            return self._subscript(node, depth)
        if kind == "ternary_expression":
            branches = (node.child_by_field_name("consequence"), node.child_by_field_name("alternative"))
            return facts.union([self.value(branch, depth) for branch in branches])
        if kind == "binary_expression":
            return self._binary(node, depth)
        if kind == "array":
            members = [self.value(member, depth) for member in node.named_children[:8]]
            return facts.expression(CONTAINER, facts.name("Array"), facts.union(members))
        if kind == "assignment_expression":
            return self.value(node.child_by_field_name("right"), depth)
        if kind == "sequence_expression":
            return self.value(node.named_children[-1], depth)
        return facts.unknown

    def _call(self, node: Node, depth: int) -> int:
        facts = self.facts
        function = node.child_by_field_name("function")
        if function is not None and function.type in ("identifier", "import"):
            required = required_module(self.reading, node)
            if required:
                return facts.expression(MODULE, facts.name(required))
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

    def annotation(self, node: Node | None) -> int:
        """The expression for a value of the annotated type."""
        type_ = self.type(node)
        return type_ if type_ == self.facts.unknown else self.facts.expression(INSTANCE, type_)

    def type(self, node: Node | None, depth: int = 0) -> int:
        """The expression for a type as an annotation writes it."""
        facts, reading = self.facts, self.reading
        if node is None or depth > MAX_NESTING:
            return facts.unknown
        kind = node.type
        depth += 1
        if kind in ("type_identifier", "identifier"):
            return facts.expression(NAME, facts.name(reading.text(node)))
        if kind in ("type_annotation", "parenthesized_type", "readonly_type", "constraint", "default_type", "asserts"):
            return self.type(first_named(node), depth)
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
            return facts.expression(GENERIC, array, self.type(first_named(node), depth))
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
            return self.value(first_named(node), depth)
        if kind == "lookup_type":
            return self._lookup(node, depth)
        return facts.unknown

    def _function_type(self, node: Node) -> int:
        result = self.annotation(node.child_by_field_name("return_type"))
        stated = node.child_by_field_name("parameters")
        parameters = [c for c in stated.named_children if c.type != "comment"] if stated is not None else []
        given = [self.annotation(p.child_by_field_name("type")) for p in parameters if not self._is_this(p)]
        return self.facts.expression(CONTAINER, self.facts.name(FUNCTION_TYPE), result, *given)

    def _is_this(self, parameter: Node) -> bool:
        pattern = parameter.child_by_field_name("pattern")
        return pattern is not None and pattern.type == "this"

    def _generic(self, node: Node, depth: int) -> int:
        name = node.child_by_field_name("name")
        arguments = node.child_by_field_name("type_arguments")
        if arguments is not None and arguments.named_children:
            first = arguments.named_children[0]
            if self.reading.text(name) in _TRANSPARENT_TYPES:
                return self.type(first, depth)
            if self.reading.text(name) == "ReturnType":
                return self.facts.expression(CALL, self.type(first, depth))
        return self.generic(self.type(name, depth), arguments, depth)

    def generic(self, type_: int, arguments: Node | None, depth: int = 0) -> int:
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


def required_module(reading: Reading, node: Node) -> str:
    """The path of `require("path")` or `import("path")`, "" for other calls."""
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or arguments is None or reading.text(function) not in ("require", "import"):
        return ""
    first = first_named(arguments)
    return reading.text(first).strip("\"'`") if first is not None and first.type == "string" else ""


def first_named(node: Node | None) -> Node | None:
    """The first named child that is no comment."""
    if node is None:
        return None
    return next((c for c in node.named_children if c.type != "comment"), None)


def unwrapped(node: Node | None) -> Node | None:
    while node is not None and node.type in AROUND:
        node = first_named(node)
    return node
