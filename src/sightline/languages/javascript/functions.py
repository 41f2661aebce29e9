"""Functions of JavaScript and TypeScript: their signatures, and what their parameters are known to be."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sightline.languages.facts import (
    DECLARED,
    DEFINED,
    ELEMENT,
    FUNCTION_SCOPE,
    GIVEN,
    INSTANCE,
    LAMBDA,
    OVERLOAD,
    PARAMETER,
    PART,
    PROPERTY,
    STATIC,
    TAKEN,
)
from sightline.languages.javascript.expressions import AROUND, FUNCTIONS, JavaScriptValues
from sightline.languages.reader import first

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.languages.reading import Reading

# Methods of arrays and promises whose callback gets an element as its first argument.
_ELEMENT_CALLBACKS = frozenset(
    {"map", "forEach", "filter", "find", "findIndex", "some", "every", "flatMap", "sort", "findLast", "forEachAsync",
     "then"}
)  # fmt: skip
_SIGNATURES = frozenset({"function_signature", "method_signature", "abstract_method_signature"})
_FIELD_MODIFIERS = frozenset({"accessibility_modifier", "readonly"})  # they make a field of a constructor's parameter


class _LaterBinding(NamedTuple):
    """A name for a function or class that stands further down."""

    value: Node
    name: str
    at: int
    until: int
    flags: int
    scope: int


class _LaterReturn(NamedTuple):
    """A result that stands further down."""

    value: Node
    at: int
    scope: int


class JavaScriptFunctions(JavaScriptValues):
    """What functions of a JavaScript or TypeScript file state."""

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        # Values that are functions, classes or objects further down: bound once the sweep has met them.
        self._later_bindings: list[_LaterBinding] = []
        self._later_returns: list[_LaterReturn] = []

    def read(self) -> None:
        """State the facts of the file, then what had to wait for values further down."""
        super().read()
        facts, reading = self.facts, self.reading
        for value, name, at, until, flags, scope in self._later_bindings:
            expression = self._class_value(value) if value.type == "class" else self.value(value)
            if expression != facts.unknown:
                facts.bind(scope, name, expression, at, until=until, flags=flags)
        for value, at, scope in self._later_returns:
            reading.scope = scope
            reading.returned(self.value(value), at)

    def _class_value(self, node: Node) -> int:
        """The class that a class expression makes."""
        found = self.reading.definitions.get(node.id) or self.reading.hidden.get(node.id)
        return self.facts.expression(DEFINED, found) if found is not None else self.facts.unknown

    def bind_later(self, value: Node, name: str, at: int = 0, *, until: int = 0, flags: int = 0) -> None:
        """Bind a name of the current scope once its value has been read."""
        self._later_bindings.append(_LaterBinding(value, name, at, until, flags, self.reading.scope))

    def return_later(self, value: Node, at: int) -> None:
        """State what the function around returns once that has been read."""
        self._later_returns.append(_LaterReturn(value, at, self.reading.scope))

    # Functions

    def open_function(self, node: Node, index: int) -> None:
        """A function with a name: a declaration, a method, or a signature of either."""
        reading = self.reading
        if node.type in _SIGNATURES:
            reading.flag(index, OVERLOAD)
        for child in node.children:
            if child.type in ("get", "set"):
                if child.start_byte < (node.child_by_field_name("name") or node).start_byte:
                    reading.flag(index, PROPERTY)
            elif child.type == "static":
                reading.flag(index, STATIC)
        self.decorators(node, index)
        reading.enter(node, FUNCTION_SCOPE, index)
        self._signature(node, index)

    def closure(self, reading: Reading, node: Node) -> None:
        """A function value: of a named variable, or anonymous."""
        facts, holder = self.facts, node.parent
        while holder is not None and holder.type in AROUND:
            holder = holder.parent
        index = reading.definitions.get(holder.id) if holder is not None else None
        if (
            holder is not None
            and index is not None
            and facts.definitions[index].scope < 0
            and reading.outlined[index - 1].kind != "constant"
        ):
            type_ = self.annotated(holder.child_by_field_name("type"))
            reading.enter(node, FUNCTION_SCOPE, index)
            self._signature(node, index, type_)
            return
        receiver, type_ = self._callback_receiver(node), self._callback_type(node)
        scope = reading.enter(node, FUNCTION_SCOPE)
        reading.expressions[node.id] = facts.expression(LAMBDA, scope)
        self._signature(node, None, type_, receiver)

    def _callback_receiver(self, node: Node) -> int:
        """What `xs` is in `xs.map(x => …)`; unknown elsewhere."""
        arguments = node.parent
        call = arguments.parent if arguments is not None and arguments.type == "arguments" else None
        function = call.child_by_field_name("function") if call is not None else None
        if function is None or function.type != "member_expression":
            return self.facts.unknown
        if self.reading.field(function, "property") not in _ELEMENT_CALLBACKS:
            return self.facts.unknown
        return self.value(function.child_by_field_name("object"))

    def _callback_type(self, node: Node) -> int:
        """What `register` takes there, in `register(x => …)`; unknown elsewhere."""
        arguments = node.parent
        call = arguments.parent if arguments is not None and arguments.type == "arguments" else None
        if arguments is None or call is None or call.type != "call_expression":
            return self.facts.unknown
        index = self.reading.index_among(node, arguments, not_counted="comment")
        function = self.value(call.child_by_field_name("function"))
        return self.facts.expression(TAKEN, function, index) if function != self.facts.unknown else function

    def _signature(self, node: Node, index: int | None, type_: int | None = None, receiver: int | None = None) -> None:
        """Type parameters, parameters, result type and, of an arrow function, the expression it returns.

        Parameters without a type have that of the place where the function stands (`type_`), or are elements of
        `receiver`.
        """
        facts, reading = self.facts, self.reading
        self.type_parameters(node)
        result = node.child_by_field_name("return_type")
        if result is not None and index is not None:
            type_ = self.type(result)
            if type_ != facts.unknown:
                reading.result(index, type_)
        elif result is not None:
            reading.returned(self.annotated(result), reading.at(node))
        single, parameters = node.child_by_field_name("parameter"), node.child_by_field_name("parameters")
        children = [single] if single is not None else parameters.named_children if parameters is not None else []
        for place, parameter in enumerate(c for c in children if c.type != "comment"):
            given = facts.unknown
            if place == 0 and receiver is not None and receiver != facts.unknown:
                given = facts.expression(ELEMENT, receiver)
            elif type_ is not None and type_ != facts.unknown:
                given = facts.expression(GIVEN, type_, place)
            self._parameter(index, parameter, given)
        if result is None and node.type == "arrow_function":
            self._arrow_result(node)

    def _arrow_result(self, node: Node) -> None:
        """`x => v`."""
        body = node.child_by_field_name("body")
        if body is None or body.type == "statement_block":
            return
        if body.type in FUNCTIONS or body.type == "parenthesized_expression":
            self.return_later(body, self.reading.at(node))
        else:
            self.reading.returned(self.value(body), self.reading.after(node))

    def _parameter(self, index: int | None, node: Node, default: int) -> None:
        facts, reading = self.facts, self.reading
        pattern = node.child_by_field_name("pattern") or node.child_by_field_name("left") or node
        type_ = self.type(node.child_by_field_name("type"))
        if pattern.type == "this":
            return
        value = default
        if type_ != facts.unknown:
            value = facts.expression(INSTANCE, type_)
        elif node.child_by_field_name("value") is not None:
            value = self.value(node.child_by_field_name("value"))
        if index is not None:
            name = reading.text(pattern) if pattern.type == "identifier" else ""
            reading.parameter(index, name, type_ if type_ != facts.unknown else -1)
        declared = DECLARED if type_ != facts.unknown else 0
        at = reading.at(node)
        self.bind_pattern(pattern, value, at, 0, PARAMETER | declared)
        owner = reading.class_scope() if pattern.type == "identifier" else -1
        if owner >= 0 and any(c.type in _FIELD_MODIFIERS for c in node.children):
            facts.bind(owner, reading.text(pattern), value, at, flags=declared, evaluated_in=reading.scope)

    # Names

    def bind_pattern(self, node: Node | None, value: int, at: int, until: int, flags: int) -> None:
        """Bind a name, or the names of a destructuring pattern."""
        facts, reading = self.facts, self.reading
        if node is None:
            return
        kind = node.type
        if kind in ("identifier", "shorthand_property_identifier_pattern"):
            facts.bind(reading.scope, reading.text(node), value, at, until=until, flags=flags)
        elif kind == "object_pattern":
            for child in node.named_children:
                self._bind_member(child, value, at, until, flags & ~DECLARED)
        elif kind == "array_pattern":
            for index, child in enumerate(node.named_children):
                part = facts.expression(PART, value, index) if value != facts.unknown else value
                self.bind_pattern(child, part, at, until, flags & ~DECLARED)
        elif kind in ("assignment_pattern", "rest_pattern"):
            self.bind_pattern(node.child_by_field_name("left") or first(node), value, at, until, flags)

    def _bind_member(self, node: Node, value: int, at: int, until: int, flags: int) -> None:
        """One part of `{ a, b: c, d = 1, ...e }`."""
        reading = self.reading
        if node.type == "shorthand_property_identifier_pattern":
            self.bind_pattern(node, self._part(value, reading.text(node)), at, until, flags)
        elif node.type == "pair_pattern":
            part = self._part(value, reading.field(node, "key"))
            self.bind_pattern(node.child_by_field_name("value"), part, at, until, flags)
        elif node.type == "object_assignment_pattern":
            left = node.child_by_field_name("left")
            self.bind_pattern(left, self._part(value, reading.text(left)), at, until, flags)
        elif node.type == "rest_pattern":
            self.bind_pattern(first(node), self.facts.unknown, at, until, flags)

    def _part(self, value: int, name: str) -> int:
        return value if value == self.facts.unknown else self.facts.attribute(value, name.strip("\"'`"))

    def type_parameters(self, node: Node, index: int | None = None) -> None:
        """`T extends Base` stands for Base; a plain T for nothing known."""
        parameters = node.child_by_field_name("type_parameters")
        for parameter in parameters.named_children if parameters is not None else ():
            if parameter.type == "type_parameter":
                constraint = self.type(parameter.child_by_field_name("constraint"))
                name = self.reading.field(parameter, "name")
                self.facts.bind(self.reading.scope, name, constraint, 0)
                if index is not None:
                    self.reading.parameter(index, name, constraint if constraint != self.facts.unknown else -1)

    def decorators(self, node: Node, index: int) -> None:
        """`@decorator` inside a definition or before it."""
        found = [c for c in node.named_children if c.type == "decorator"]
        previous = node.prev_named_sibling
        while previous is not None and previous.type == "decorator":
            found.append(previous)
            previous = previous.prev_named_sibling
        for decorator in found:
            expression = first(decorator)
            if expression is not None and expression.type == "call_expression":
                expression = expression.child_by_field_name("function")
            self.reading.decorated(index, self.value(expression), self.reading.line(decorator))
