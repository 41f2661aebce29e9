"""Functions of JavaScript and TypeScript: their signatures, and what their parameters are known to be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.facts import (
    DECLARED,
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
from sightline.languages.javascript.expressions import AROUND, FUNCTIONS, Expressions, first_named
from sightline.languages.reading import Reading

if TYPE_CHECKING:
    from tree_sitter import Node

# Methods of arrays and promises whose callback gets an element as its first argument.
_ELEMENT_CALLBACKS = frozenset(
    {"map", "forEach", "filter", "find", "findIndex", "some", "every", "flatMap", "sort", "findLast", "forEachAsync",
     "then"}
)  # fmt: skip


def function(reading: Reading, node: Node) -> None:
    """A function with a name: a declaration, a method, or a signature of either."""
    definition = reading.definitions.get(node.id)
    if definition is None:
        return
    if node.type in ("function_signature", "method_signature", "abstract_method_signature"):
        reading.flag(definition, OVERLOAD)
    for child in node.children:
        if child.type in ("get", "set") and child.start_byte < (node.child_by_field_name("name") or node).start_byte:
            reading.flag(definition, PROPERTY)
        elif child.type == "static":
            reading.flag(definition, STATIC)
    decorators(reading, node, definition)
    reading.enter(node, FUNCTION_SCOPE, definition)
    _signature(reading, node, definition)


def anonymous(reading: Reading, node: Node) -> None:
    """A function value: of a named variable, or anonymous."""
    parent = node.parent
    holder = parent
    while holder is not None and holder.type in AROUND:
        holder = holder.parent
    definition = reading.definitions.get(holder.id) if holder is not None else None
    facts = reading.facts
    if (
        definition is not None
        and facts.definitions[definition].scope < 0
        and reading.outlined[definition - 1].kind != "constant"
    ):
        annotation = holder.child_by_field_name("type") if holder is not None else None
        type_ = Expressions(reading).annotation(annotation)
        reading.enter(node, FUNCTION_SCOPE, definition)
        _signature(reading, node, definition, type_)
        return
    receiver, type_ = _callback_receiver(reading, node), _callback_type(reading, node)
    scope = reading.enter(node, FUNCTION_SCOPE)
    reading.expressions[node.id] = facts.expression(LAMBDA, scope)
    _signature(reading, node, None, type_, receiver)


def _callback_receiver(reading: Reading, node: Node) -> int:
    """What `xs` is in `xs.map(x => …)`; unknown elsewhere."""
    arguments = node.parent
    call = arguments.parent if arguments is not None and arguments.type == "arguments" else None
    function = call.child_by_field_name("function") if call is not None else None
    if function is None or function.type != "member_expression":
        return reading.facts.unknown
    if reading.field(function, "property") not in _ELEMENT_CALLBACKS:
        return reading.facts.unknown
    return Expressions(reading).value(function.child_by_field_name("object"))


def _callback_type(reading: Reading, node: Node) -> int:
    """What `register` takes there, in `register(x => …)`; unknown elsewhere."""
    arguments = node.parent
    call = arguments.parent if arguments is not None and arguments.type == "arguments" else None
    if arguments is None or call is None or call.type != "call_expression":
        return reading.facts.unknown
    place = reading.place(node, arguments, not_counted="comment")
    function = Expressions(reading).value(call.child_by_field_name("function"))
    return reading.facts.expression(TAKEN, function, place) if function != reading.facts.unknown else function


def _signature(
    reading: Reading, node: Node, definition: int | None, type_: int | None = None, receiver: int | None = None
) -> None:
    """Type parameters, parameters, result type and, of an arrow function, the expression it returns.

    Parameters without a type have that of the place where the function stands (`type_`), or are elements of `receiver`.
    """
    facts, expressions = reading.facts, Expressions(reading)
    type_parameters(reading, node)
    result = node.child_by_field_name("return_type")
    if result is not None and definition is not None:
        type_ = expressions.type(result)
        if type_ != facts.unknown:
            reading.result(definition, type_)
    elif result is not None:
        reading.returned(expressions.annotation(result), reading.at(node))
    single = node.child_by_field_name("parameter")
    parameters = node.child_by_field_name("parameters")
    children = [single] if single is not None else parameters.named_children if parameters is not None else []
    for index, parameter in enumerate(c for c in children if c.type != "comment"):
        given = facts.unknown
        if index == 0 and receiver is not None and receiver != facts.unknown:
            given = facts.expression(ELEMENT, receiver)
        elif type_ is not None and type_ != facts.unknown:
            given = facts.expression(GIVEN, type_, index)
        _parameter(reading, expressions, definition, parameter, given)
    body = node.child_by_field_name("body")
    if body is not None and body.type != "statement_block" and node.type == "arrow_function" and result is None:
        if body.type in FUNCTIONS or body.type == "parenthesized_expression":
            reading.pending_returns.append((body, reading.at(node), reading.scope))
        else:
            reading.returned(expressions.value(body), reading.after(node))


def _parameter(reading: Reading, expressions: Expressions, definition: int | None, node: Node, default: int) -> None:
    facts = reading.facts
    pattern = node.child_by_field_name("pattern") or node.child_by_field_name("left") or node
    annotation = node.child_by_field_name("type")
    type_ = expressions.type(annotation) if annotation is not None else facts.unknown
    if pattern.type == "this":
        return
    value = default
    if type_ != facts.unknown:
        value = facts.expression(INSTANCE, type_)
    elif node.child_by_field_name("value") is not None:
        value = expressions.value(node.child_by_field_name("value"))
    if definition is not None:
        name = reading.text(pattern) if pattern.type == "identifier" else ""
        reading.parameter(definition, name, type_ if type_ != facts.unknown else -1)
    declared = DECLARED if type_ != facts.unknown else 0
    bind_pattern(reading, pattern, value, reading.at(node), 0, PARAMETER | declared)
    modifiers = {c.type for c in node.children}
    if modifiers & {"accessibility_modifier", "readonly"} and pattern.type == "identifier":
        owner = reading.class_scope()
        if owner >= 0:
            facts.bind(
                owner, reading.text(pattern), value, reading.at(node), flags=declared, evaluated_in=reading.scope
            )


def bind_pattern(reading: Reading, node: Node | None, value: int, at: int, until: int, flags: int) -> None:
    """Bind a name, or the names of a destructuring pattern."""
    facts = reading.facts
    if node is None:
        return
    kind = node.type
    if kind in ("identifier", "shorthand_property_identifier_pattern"):
        facts.bind(reading.scope, reading.text(node), value, at, until=until, flags=flags)
    elif kind == "object_pattern":
        for child in node.named_children:
            if child.type == "shorthand_property_identifier_pattern":
                bind_pattern(reading, child, _part(reading, value, reading.text(child)), at, until, flags & ~DECLARED)
            elif child.type == "pair_pattern":
                part = _part(reading, value, reading.field(child, "key"))
                bind_pattern(reading, child.child_by_field_name("value"), part, at, until, flags & ~DECLARED)
            elif child.type == "object_assignment_pattern":
                left = child.child_by_field_name("left")
                bind_pattern(reading, left, _part(reading, value, reading.text(left)), at, until, flags & ~DECLARED)
            elif child.type == "rest_pattern":
                bind_pattern(reading, first_named(child), facts.unknown, at, until, flags & ~DECLARED)
    elif kind == "array_pattern":
        for index, child in enumerate(node.named_children):
            part = facts.expression(PART, value, index) if value != facts.unknown else value
            bind_pattern(reading, child, part, at, until, flags & ~DECLARED)
    elif kind in ("assignment_pattern", "rest_pattern"):
        bind_pattern(reading, node.child_by_field_name("left") or first_named(node), value, at, until, flags)


def _part(reading: Reading, value: int, name: str) -> int:
    if value == reading.facts.unknown:
        return value
    return reading.facts.attribute(value, name.strip("\"'`"))


def type_parameters(reading: Reading, node: Node, definition: int | None = None) -> None:
    """`T extends Base` stands for Base; a plain T for nothing known."""
    parameters = node.child_by_field_name("type_parameters")
    expressions = Expressions(reading)
    for parameter in parameters.named_children if parameters is not None else ():
        if parameter.type == "type_parameter":
            constraint = expressions.type(parameter.child_by_field_name("constraint"))
            name = reading.field(parameter, "name")
            reading.facts.bind(reading.scope, name, constraint, 0)
            if definition is not None:
                reading.parameter(definition, name, constraint if constraint != reading.facts.unknown else -1)


def decorators(reading: Reading, node: Node, definition: int) -> None:
    siblings = [c for c in node.named_children if c.type == "decorator"]
    previous = node.prev_named_sibling
    while previous is not None and previous.type == "decorator":
        siblings.append(previous)
        previous = previous.prev_named_sibling
    for decorator in siblings:
        expression = first_named(decorator)
        if expression is not None and expression.type == "call_expression":
            expression = expression.child_by_field_name("function")
        reading.decorated(definition, Expressions(reading).value(expression), reading.line(decorator))
