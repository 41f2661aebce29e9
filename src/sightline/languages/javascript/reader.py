"""JavaScript and TypeScript, with their JSX: how their trees state facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.facts import (
    CLASS_SCOPE,
    DECLARED,
    DEFINED,
    ELEMENT,
    EXPORTED,
    IMPLEMENTS,
    INHERITS,
    INSTANCE,
    LIMITED,
    LITERAL,
    MODULE_SCOPE,
    NEW_SITE,
    SPREAD,
)
from sightline.languages.javascript.exports import export_object, export_statement, import_statement
from sightline.languages.javascript.expressions import (
    AROUND,
    FUNCTIONS,
    Expressions,
    first_named,
    required_module,
    unwrapped,
)
from sightline.languages.javascript.functions import (
    anonymous,
    bind_pattern,
    decorators,
    function,
    type_parameters,
)
from sightline.languages.javascript.library import AWAITABLES, BUILTINS, COMMON_MEMBERS, external_result
from sightline.languages.javascript.modules import module
from sightline.languages.reading import Handler, Reading
from sightline.languages.rules import Rules

if TYPE_CHECKING:
    from tree_sitter import Node

_CONDITIONAL = frozenset(
    {"if_statement", "else_clause", "for_statement", "for_in_statement", "while_statement", "do_statement",
     "switch_case", "switch_default", "try_statement", "catch_clause"}
)  # fmt: skip
_BODIES = FUNCTIONS | {
    "function_declaration",
    "method_definition",
    "program",
    "class_body",
    "internal_module",
    "module",
}


def _class(reading: Reading, node: Node) -> None:
    definition = reading.definitions.get(node.id)
    if definition is None:
        parent = node.parent
        definition = reading.definitions.get(parent.id) if parent is not None else None
        if definition is not None and reading.facts.definitions[definition].scope >= 0:
            definition = None
    expressions = Expressions(reading)
    if node.child_by_field_name("type_parameters") is not None:
        reading.enter_type_scope(node)
        type_parameters(reading, node, definition)
    if definition is None:
        definition = reading.enter_hidden_class(node, f"class@{reading.line(node)}")
    else:
        decorators(reading, node, definition)
        reading.enter(node, CLASS_SCOPE, definition)
    for heritage in node.named_children:
        if heritage.type == "class_heritage":
            _heritage(reading, expressions, heritage, definition)
        elif heritage.type == "extends_type_clause":
            for base in heritage.named_children:
                reading.base(definition, expressions.type(base), INHERITS, reading.line(base))


def _heritage(reading: Reading, expressions: Expressions, node: Node, definition: int) -> None:
    clauses = [c for c in node.named_children if c.type in ("extends_clause", "implements_clause")]
    if not clauses:  # JavaScript: the heritage holds the expression itself
        base = first_named(node)
        if base is not None:
            reading.base(definition, expressions.value(base), INHERITS, reading.line(base))
    for clause in clauses:
        if clause.type == "extends_clause":
            base = clause.child_by_field_name("value")
            if base is not None:
                arguments = clause.child_by_field_name("type_arguments")
                type_ = expressions.generic(expressions.value(base), arguments)
                reading.base(definition, type_, INHERITS, reading.line(base))
        else:
            for base in clause.named_children:
                reading.base(definition, expressions.type(base), IMPLEMENTS, reading.line(base))


def _namespace(reading: Reading, node: Node) -> None:
    definition = reading.definitions.get(node.id)
    if definition is not None:
        reading.enter(node, MODULE_SCOPE, definition)


def _type_alias(reading: Reading, node: Node) -> None:
    definition = reading.definitions.get(node.id)
    value = node.child_by_field_name("value")
    if definition is None or value is None:
        return
    if node.child_by_field_name("type_parameters") is not None:
        reading.enter_type_scope(node)
        type_parameters(reading, node)
    if value.type == "object_type":
        reading.enter(node, CLASS_SCOPE, definition)
        return
    type_ = Expressions(reading).type(value)
    if type_ != reading.facts.unknown:
        reading.facts.definitions[definition].scope = reading.scope
        reading.result(definition, type_)


def _object_type(reading: Reading, node: Node) -> None:
    """A type that an annotation writes out: its members are found like those of an interface."""
    hidden = reading.hidden.get(node.id)
    if hidden is not None:
        reading.enter(node, CLASS_SCOPE, hidden)


def _object(reading: Reading, node: Node) -> None:
    """An object literal that a constant holds or a function returns is a class of its own: its members are found."""
    parent = node.parent
    while parent is not None and parent.type in AROUND:
        parent = parent.parent
    facts, outside = reading.facts, reading.scope
    definition = reading.definitions.get(parent.id) if parent is not None else None
    if parent is not None and parent.type in ("return_statement", "arrow_function"):
        hidden = reading.enter_hidden_class(node, f"object@{reading.line(node)}")
        reading.expressions[node.id] = facts.expression(INSTANCE, facts.expression(DEFINED, hidden))
        _bind_members(reading, node, outside)
        return
    untyped = parent is not None and parent.child_by_field_name("type") is None
    if untyped and definition is not None and facts.definitions[definition].scope < 0:
        name = reading.outlined[definition - 1].name
        reading.enter(node, CLASS_SCOPE, definition)
        facts.bind(outside, name, facts.expression(DEFINED, definition), reading.at(node))
        _bind_members(reading, node, outside)


def _bind_members(reading: Reading, node: Node, outside: int) -> None:
    """Bind what an object literal states in its own scope; values are those of the scope around it."""
    facts, expressions = reading.facts, Expressions(reading)
    for member in node.named_children:
        if member.type == "pair":
            value = expressions.value(member.child_by_field_name("value"))
            name = reading.field(member, "key").strip("\"'`")
            facts.bind(reading.scope, name, value, reading.at(member), evaluated_in=outside)
        elif member.type == "shorthand_property_identifier":
            name = reading.text(member)
            facts.bind(reading.scope, name, facts.named(name), reading.at(member), evaluated_in=outside)
        elif member.type == "spread_element":
            value = expressions.value(first_named(member))
            facts.bind(reading.scope, SPREAD, value, reading.at(member), evaluated_in=outside)
        elif node.id in reading.hidden and member.id in reading.definitions:
            method = reading.definitions[member.id]
            name = reading.outlined[method - 1].name
            facts.bind(reading.scope, name, facts.expression(DEFINED, method), reading.at(member))


def _variable(reading: Reading, node: Node) -> None:
    facts, expressions = reading.facts, Expressions(reading)
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    annotation = node.child_by_field_name("type")
    definition = reading.definitions.get(node.id)
    if name is None or (definition is not None and reading.outlined[definition - 1].kind == "function"):
        return
    inner = unwrapped(value)
    if inner is not None and inner.type == "object" and definition is not None and annotation is None:
        return  # _object binds it
    at, until = reading.after(node), _block_end(reading, node)
    flags = LIMITED if until else 0
    type_ = expressions.type(annotation) if annotation is not None else facts.unknown
    if type_ != facts.unknown and annotation is not None:
        reading.uses(definition if definition is not None else reading.definition(), type_, reading.line(annotation))
        bind_pattern(reading, name, facts.expression(INSTANCE, type_), at, until, flags | DECLARED)
    elif inner is not None and (inner.type in FUNCTIONS or inner.type == "class"):
        reading.pending_bindings.append((inner, name, at, until, flags, reading.scope))
    else:
        bind_pattern(reading, name, expressions.value(value), at, until, flags)


def _block_end(reading: Reading, node: Node) -> int:
    """The end of the block that a `let` or `const` lives in, 0 when that is the whole function or module."""
    declaration = node.parent
    parent = declaration.parent if declaration is not None else None
    if parent is None or (declaration is not None and declaration.type == "variable_declaration"):
        return 0
    if parent.type in ("for_statement", "for_in_statement"):
        return reading.after(parent)
    if parent.type == "statement_block" and parent.parent is not None and parent.parent.type not in _BODIES:
        return reading.after(parent)
    if parent.type in ("switch_case", "switch_default"):
        return reading.after(parent)
    return 0


def _conditional_end(reading: Reading) -> int:
    """The end of the innermost conditional block around an assignment, 0 when it always runs."""
    inside = reading.inside
    return reading.after(inside) if inside is not None and inside.type in _CONDITIONAL else 0


def _assignment(reading: Reading, node: Node) -> None:
    facts, expressions = reading.facts, Expressions(reading)
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return
    value, at = expressions.value(right), reading.after(node)
    if left.type == "identifier":
        if right.type in FUNCTIONS:
            return
        facts.bind(reading.scope, reading.text(left), value, at, until=_conditional_end(reading))
    elif left.type == "member_expression":
        holder, name = left.child_by_field_name("object"), reading.field(left, "property")
        text = reading.text(holder)
        if text == "this" and reading.class_scope() >= 0:
            facts.bind(reading.class_scope(), name, value, at, evaluated_in=reading.scope)
        elif text in ("exports", "module.exports"):
            facts.bind(reading.module_scope, name, value, at, flags=EXPORTED, evaluated_in=reading.scope)
        elif text == "module" and name == "exports":
            export_object(reading, right, value, at)


def _field(reading: Reading, node: Node) -> None:
    """A field of a class or a property of an interface."""
    facts, expressions = reading.facts, Expressions(reading)
    owner = reading.class_scope()
    if owner != reading.scope or node.id in reading.definitions:
        return
    name = node.child_by_field_name("name") or node.child_by_field_name("property")
    annotation, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    type_ = expressions.type(annotation) if annotation is not None else facts.unknown
    text = reading.text(name).strip("\"'`")
    if type_ != facts.unknown and annotation is not None:
        reading.uses(reading.definition(), type_, reading.line(annotation))
        facts.bind(owner, text, facts.expression(INSTANCE, type_), reading.at(node), flags=DECLARED)
    elif value is not None and value.type in FUNCTIONS:
        reading.pending_bindings.append((value, name, reading.at(node), 0, 0, reading.scope))
    elif value is not None:
        facts.bind(owner, text, expressions.value(value), reading.at(node))


def _for(reading: Reading, node: Node) -> None:
    right = node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    facts = reading.facts
    value = facts.expression(ELEMENT, Expressions(reading).value(right))
    if operator is not None and reading.text(operator) == "in":
        value = facts.expression(LITERAL, facts.name("String"))
    at = reading.after(right) if right is not None else reading.at(node)
    bind_pattern(reading, node.child_by_field_name("left"), value, at, reading.after(node), LIMITED)


def _if(reading: Reading, node: Node) -> None:
    """`if (x instanceof T)` narrows x inside the block."""
    condition, block = first_named(node.child_by_field_name("condition")), node.child_by_field_name("consequence")
    if condition is None or block is None or condition.type != "binary_expression":
        return
    left, operator = condition.child_by_field_name("left"), condition.child_by_field_name("operator")
    if left is None or left.type != "identifier" or operator is None or operator.type != "instanceof":
        return
    type_ = Expressions(reading).value(condition.child_by_field_name("right"))
    value = reading.facts.expression(INSTANCE, type_)
    bind_pattern(reading, left, value, reading.after(condition), reading.after(block), LIMITED)


def _return(reading: Reading, node: Node) -> None:
    value = first_named(node)
    if value is None:
        return
    inner = unwrapped(value)
    if inner is not None and (inner.type in FUNCTIONS or inner.type == "object"):  # not read yet
        reading.pending_returns.append((value, reading.at(node), reading.scope))
    else:
        reading.returned(Expressions(reading).value(value), reading.at(node))


def _call(reading: Reading, node: Node) -> None:
    facts = reading.facts
    function = node.child_by_field_name("function")
    if function is None:
        return
    required = required_module(reading, node) if function.type in ("identifier", "import") else ""
    if required:
        facts.imports.append([reading.line(node), required, []])
        return
    expressions = Expressions(reading)
    facts.site(reading.scope, expressions.value(function), -1, _site(reading, function))


def _site(reading: Reading, function: Node) -> int:
    """Where the called name stands: the last part of `a.b.c`."""
    named = function.child_by_field_name("property") if function.type == "member_expression" else None
    return reading.at(named if named is not None else function)


def _new(reading: Reading, node: Node) -> None:
    made = node.child_by_field_name("constructor")
    if made is not None:
        reading.facts.site(reading.scope, Expressions(reading).value(made), -1, reading.at(made), NEW_SITE)


def _element(reading: Reading, node: Node) -> None:
    """`<Component/>` calls the component; lower-case names are HTML."""
    name = node.child_by_field_name("name")
    text = reading.text(name)
    if name is not None and (text[:1].isupper() or "." in text) and all(p.isidentifier() for p in text.split(".")):
        reading.facts.site(reading.scope, reading.facts.named(text), -1, reading.at(name))


_HANDLERS: dict[str, Handler] = {
    "function_declaration": function,
    "generator_function_declaration": function,
    "function_signature": function,
    "method_definition": function,
    "method_signature": function,
    "abstract_method_signature": function,
    "arrow_function": anonymous,
    "function_expression": anonymous,
    "generator_function": anonymous,
    "class_declaration": _class,
    "abstract_class_declaration": _class,
    "class": _class,
    "interface_declaration": _class,
    "enum_declaration": _class,
    "internal_module": _namespace,
    "type_alias_declaration": _type_alias,
    "object": _object,
    "object_type": _object_type,
    "variable_declarator": _variable,
    "assignment_expression": _assignment,
    "public_field_definition": _field,
    "field_definition": _field,
    "property_signature": _field,
    "for_in_statement": _for,
    "if_statement": _if,
    "return_statement": _return,
    "call_expression": _call,
    "new_expression": _new,
    "jsx_opening_element": _element,
    "jsx_self_closing_element": _element,
    "import_statement": import_statement,
    "export_statement": export_statement,
}


def read(reading: Reading) -> None:
    """State the facts of a JavaScript or TypeScript file."""
    reading.sweep(_HANDLERS, _CONDITIONAL | _BODIES)
    facts, expressions = reading.facts, Expressions(reading)
    for node, name, at, until, flags, scope in reading.pending_bindings:
        value = expressions.value(node)
        if node.type == "class":
            value = _class_value(reading, node)
        text = reading.text(name).strip("\"'`") if name is not None else "default"
        if value != facts.unknown:
            facts.bind(scope, text, value, at, until=until, flags=flags)
    for node, at, scope in reading.pending_returns:
        reading.scope = scope
        reading.returned(expressions.value(node), at)


def _class_value(reading: Reading, node: Node) -> int:
    """The class that a class expression makes."""
    facts = reading.facts
    found = reading.definitions.get(node.id) or reading.hidden.get(node.id)
    return facts.expression(DEFINED, found) if found is not None else facts.unknown


def rules(language: str) -> Rules:
    """The rules of JavaScript and TypeScript."""
    return Rules(
        family="javascript",
        read=read,
        module=module,
        external_result=external_result,
        builtins=BUILTINS,
        common_members=COMMON_MEMBERS,
        awaitables=AWAITABLES,
        types_are_not_values=True,
    )
