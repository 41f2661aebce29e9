"""Java: how its trees state facts, and how imports name classes.

A namespace is a package (`jvm:package`), shared with other languages of the virtual machine. Methods and variables are
named apart, so a bare call looks for methods only; an anonymous class is a hidden one with its base.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.facts import (
    ABSTRACT,
    CLASS_SCOPE,
    CONTAINER,
    DECLARED,
    ELEMENT,
    FUNCTION_SCOPE,
    GIVEN,
    IMPLEMENTS,
    IMPORTED,
    INHERITS,
    INSTANCE,
    LAMBDA,
    LIMITED,
    MODULE,
    NEW_SITE,
    PARAMETER,
    REFERENCE_SITE,
    SELF_TYPE,
    STATIC,
    SUPER,
    TAKEN,
    TYPE,
    VARIADIC,
)
from sightline.languages.java.expressions import Expressions, first_named, qualified
from sightline.languages.java.library import COMMON_MEMBERS, external_given, external_result
from sightline.languages.reading import Handler, Reading
from sightline.languages.rules import Rules, Visibility, by_modifier

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.languages import Defined
    from sightline.languages.facts import FileFacts
    from sightline.languages.rules import RootView

_FUNCTIONS = frozenset({"method_declaration", "constructor_declaration", "lambda_expression", "static_initializer"})
# Methods of streams, optionals and iterables whose lambda gets an element as its first argument.
_ELEMENT_CALLBACKS = frozenset({"map", "forEach", "filter", "flatMap", "anyMatch", "allMatch", "noneMatch", "ifPresent",
                                "removeIf", "mapToInt", "peek", "orElseGet"})  # fmt: skip


def _package(reading: Reading, node: Node) -> None:
    name = next((c for c in node.named_children if c.type in ("scoped_identifier", "identifier")), None)
    reading.facts.space = f"jvm:{reading.text(name)}"


def _import(reading: Reading, node: Node) -> None:
    facts = reading.facts
    path = next((c for c in node.named_children if c.type in ("scoped_identifier", "identifier")), None)
    text = "".join(reading.text(path).split())
    star = any(c.type == "asterisk" for c in node.named_children)
    value = qualified(reading, text)
    parts = text.split(".")
    first = next((i for i, part in enumerate(parts) if part[:1].isupper()), len(parts) if star else len(parts) - 1)
    package, names = ".".join(parts[:first]), [".".join(parts[first:])]
    if star:
        whole = facts.expression(MODULE, facts.name(text))
        facts.stars.append([reading.scope, value if first < len(parts) else whole, 0])
        names = names if first < len(parts) else []
    else:
        facts.bind(reading.scope, parts[-1], value, 0, flags=IMPORTED)
    facts.imports.append([reading.line(node), package, [n.partition(".")[0] for n in names if n]])


def _class(reading: Reading, node: Node) -> None:
    definition = reading.definitions.get(node.id)
    if definition is None:
        return
    expressions = Expressions(reading)
    _set_owner(reading, definition)
    _annotations(reading, node, definition)
    _type_parameters(reading, expressions, node, definition)
    reading.enter(node, CLASS_SCOPE, definition)
    superclass = node.child_by_field_name("superclass")
    if superclass is not None:
        reading.base(definition, expressions.type(first_named(superclass)), INHERITS, reading.line(superclass))
    for child in node.named_children:
        if child.type in ("super_interfaces", "extends_interfaces"):
            role = IMPLEMENTS if child.type == "super_interfaces" else INHERITS
            types = first_named(child)
            for base in types.named_children if types is not None else ():
                reading.base(definition, expressions.type(base), role, reading.line(base))
    if node.type == "record_declaration":
        parameters = node.child_by_field_name("parameters")
        for parameter in parameters.named_children if parameters is not None else ():
            value = expressions.instance(parameter.child_by_field_name("type"))
            reading.facts.bind(reading.scope, reading.field(parameter, "name"), value, 0, flags=DECLARED)


def _type_parameters(reading: Reading, expressions: Expressions, node: Node, definition: int | None) -> None:
    """Names of type parameters: around a class in a scope of their own, inside a method in its scope."""
    parameters = node.child_by_field_name("type_parameters")
    if parameters is None:
        return
    if definition is not None:
        reading.enter_type_scope(node)
    for parameter in parameters.named_children:
        name = reading.text(first_named(parameter))
        bound = next((c for c in parameter.named_children if c.type == "type_bound"), None)
        type_ = expressions.type(bound)
        reading.facts.bind(reading.scope, name, type_, 0)
        if definition is not None:
            reading.parameter(definition, name, type_ if type_ != reading.facts.unknown else -1)


def _set_owner(reading: Reading, definition: int) -> None:
    """A member of an anonymous class belongs to it, whatever the qualified name says."""
    facts = reading.facts
    _, kind, around = facts.scopes[reading.scope]
    if kind == CLASS_SCOPE and around > len(reading.outlined):
        facts.definitions[definition].owner = facts.definitions[around].qualified_name


def _annotations(reading: Reading, node: Node, definition: int) -> None:
    modifiers = next((c for c in node.named_children if c.type == "modifiers"), None)
    for child in modifiers.children if modifiers is not None else ():
        if child.type in ("annotation", "marker_annotation"):
            name = child.child_by_field_name("name")
            if reading.text(name) not in ("Override", "Deprecated", "SuppressWarnings"):
                reading.decorated(definition, Expressions(reading).type(name), reading.line(child))
        elif child.type == "static":
            reading.flag(definition, STATIC)


def _method(reading: Reading, node: Node) -> None:
    definition = reading.definitions.get(node.id)
    if definition is None:
        return
    expressions = Expressions(reading)
    _set_owner(reading, definition)
    _annotations(reading, node, definition)
    if node.child_by_field_name("body") is None:
        reading.flag(definition, ABSTRACT)
    reading.enter(node, FUNCTION_SCOPE, definition)
    _type_parameters(reading, expressions, node, None)
    result = expressions.type(node.child_by_field_name("type"))
    if result != reading.facts.unknown:
        reading.result(definition, result)
    parameters = node.child_by_field_name("parameters")
    for parameter in parameters.named_children if parameters is not None else ():
        _parameter(reading, expressions, parameter, definition)


def _parameter(reading: Reading, expressions: Expressions, node: Node, definition: int | None) -> None:
    facts = reading.facts
    if node.type == "spread_parameter":
        types = [c for c in node.named_children if c.type not in ("modifiers", "variable_declarator")]
        type_ = facts.expression(CONTAINER, facts.name("[]"), expressions.instance(types[0] if types else None))
        declarator = next((c for c in node.named_children if c.type == "variable_declarator"), None)
        name = reading.field(declarator, "name") if declarator is not None else ""
        if definition is not None:
            reading.flag(definition, VARIADIC)
    elif node.type == "formal_parameter":
        type_ = expressions.type(node.child_by_field_name("type"))
        name = reading.field(node, "name")
    elif node.type == "identifier":
        type_, name = facts.unknown, reading.text(node)
    else:
        return
    if definition is not None:
        reading.parameter(definition, name, type_ if type_ != facts.unknown else -1)
    value = facts.expression(INSTANCE, type_) if type_ != facts.unknown else facts.unknown
    facts.bind(reading.scope, name, value, reading.at(node), flags=PARAMETER | DECLARED)


def _lambda(reading: Reading, node: Node) -> None:
    facts, expressions = reading.facts, Expressions(reading)
    receiver, type_ = _callback_receiver(reading, expressions, node), _lambda_type(reading, expressions, node)
    scope = reading.enter(node, FUNCTION_SCOPE)
    reading.expressions[node.id] = facts.expression(LAMBDA, scope)
    stated = node.child_by_field_name("parameters")
    several = stated.named_children if stated is not None else []
    for index, parameter in enumerate([stated] if stated is not None and stated.type == "identifier" else several):
        if parameter.type != "identifier":
            _parameter(reading, expressions, parameter, None)
            continue
        value = facts.expression(GIVEN, type_, index) if type_ != facts.unknown else facts.unknown
        if index == 0 and receiver != facts.unknown:
            value = receiver
        facts.bind(scope, reading.text(parameter), value, reading.at(node), flags=PARAMETER)
    body = node.child_by_field_name("body")
    if body is not None and body.type != "block":
        reading.returned(expressions.value(body), reading.at(node))


def _lambda_type(reading: Reading, expressions: Expressions, node: Node) -> int:
    """The type that a lambda has where it stands: that of a variable, or what a method takes there; else unknown."""
    facts, parent = reading.facts, node.parent
    around = parent.parent if parent is not None else None
    if parent is None or around is None:
        return facts.unknown
    if parent.type == "variable_declarator":
        return expressions.instance(around.child_by_field_name("type"))
    if parent.type != "argument_list" or around.type != "method_invocation":
        return facts.unknown
    return facts.expression(TAKEN, expressions.callee(around), reading.place(node, parent))


def _callback_receiver(reading: Reading, expressions: Expressions, node: Node) -> int:
    arguments = node.parent
    call = arguments.parent if arguments is not None and arguments.type == "argument_list" else None
    if call is None or call.type != "method_invocation" or reading.field(call, "name") not in _ELEMENT_CALLBACKS:
        return reading.facts.unknown
    value = expressions.value(call.child_by_field_name("object"))
    return value if value == reading.facts.unknown else reading.facts.expression(ELEMENT, value)


def _creation(reading: Reading, node: Node) -> None:
    expressions = Expressions(reading)
    type_node = node.child_by_field_name("type")
    type_ = expressions.type(type_node)
    arguments = node.child_by_field_name("arguments")
    if type_node is None:
        return
    reading.facts.site(reading.scope, type_, _count(arguments), reading.at(type_node), NEW_SITE)
    body = next((c for c in node.named_children if c.type == "class_body"), None)
    if body is not None:
        _anonymous(reading, node, body, type_)


def _anonymous(reading: Reading, node: Node, body: Node, base: int) -> None:
    """An anonymous class from its body on: what stands before belongs to the code around."""
    hidden = reading.enter_hidden_class(body)
    reading.base(hidden, base, INHERITS, reading.line(node))


def _enum_constant(reading: Reading, node: Node) -> None:
    facts = reading.facts
    value = facts.expression(INSTANCE, facts.expression(SELF_TYPE))
    facts.bind(reading.scope, reading.field(node, "name"), value, 0)
    body = node.child_by_field_name("body")
    if body is not None:
        around = facts.definitions[reading.definition()]
        _anonymous(reading, node, body, facts.expression(TYPE, facts.name(around.name)))


def _field(reading: Reading, node: Node) -> None:
    """Fields and local variables."""
    facts, expressions = reading.facts, Expressions(reading)
    type_node = node.child_by_field_name("type")
    inferred = reading.text(type_node) == "var"
    type_ = expressions.type(type_node)
    until = _block_end(reading, node) if node.type == "local_variable_declaration" else 0
    definition = reading.definitions.get(node.id)
    if not inferred and type_ != facts.unknown:
        reading.uses(definition or reading.definition(), type_, reading.line(node))
    for declarator in node.children_by_field_name("declarator"):
        value = facts.expression(INSTANCE, type_)
        if inferred:
            value = expressions.value(declarator.child_by_field_name("value"))
        flags = (LIMITED if until else 0) | (0 if inferred else DECLARED)
        facts.bind(reading.scope, reading.field(declarator, "name"), value, reading.at(declarator),
                   until=until, flags=flags)  # fmt: skip


def _block_end(reading: Reading, node: Node) -> int:
    """The end of the block that a local variable lives in, 0 when that is the whole method."""
    parent = node.parent
    owner = parent.parent if parent is not None else None
    if parent is None or (
        parent.type in ("block", "constructor_body") and owner is not None and owner.type in _FUNCTIONS
    ):
        return 0
    return reading.after(parent)


def _typed_name(reading: Reading, node: Node) -> None:
    """`for (T x : xs)`, `try (T x = …)`, `catch (T x)`, `x instanceof T y`."""
    facts, expressions = reading.facts, Expressions(reading)
    kind = node.type
    type_node = node.child_by_field_name("right" if kind == "instanceof_expression" else "type")
    if kind == "catch_formal_parameter":
        type_node = next((c for c in node.named_children if c.type == "catch_type"), None)
    name = node.child_by_field_name("name")
    if name is None:
        return
    value = expressions.instance(type_node)
    if reading.text(type_node) == "var":
        value = expressions.value(node.child_by_field_name("value"))
        if kind == "enhanced_for_statement":
            value = facts.expression(ELEMENT, value)
    parent = node.parent if kind in ("resource", "catch_formal_parameter") else node
    while parent is not None and parent.type in ("resource", "resource_specification", "catch_formal_parameter"):
        parent = parent.parent
    limited = kind != "instanceof_expression" and parent is not None
    until = reading.after(parent) if limited and parent is not None else 0
    facts.bind(reading.scope, reading.text(name), value, reading.at(name), until=until,
               flags=DECLARED | (LIMITED if limited else 0))  # fmt: skip


def _return(reading: Reading, node: Node) -> None:
    reading.returned(Expressions(reading).value(first_named(node)), reading.at(node))


def _call(reading: Reading, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is not None:
        callee = Expressions(reading).callee(node)
        reading.facts.site(reading.scope, callee, _count(node.child_by_field_name("arguments")), reading.at(name))


def _count(arguments: Node | None) -> int:
    if arguments is None:
        return 0
    return arguments.named_child_count  # a comment among them is one too many, and rare


def _constructor_call(reading: Reading, node: Node) -> None:
    """`this(…)` and `super(…)`."""
    called = node.child_by_field_name("constructor")
    operator = SELF_TYPE if called is not None and called.type == "this" else SUPER
    count = _count(node.child_by_field_name("arguments"))
    reading.facts.site(reading.scope, reading.facts.expression(operator), count, reading.at(node), NEW_SITE)


def _reference(reading: Reading, node: Node) -> None:
    """`Type::method`: whoever gets it may call it."""
    parts = [c for c in node.children if c.is_named or c.type == "new"]
    if len(parts) < 2:
        return
    expressions = Expressions(reading)
    holder = expressions.type(parts[0]) if "type" in parts[0].type else expressions.value(parts[0])
    name = reading.text(parts[-1])
    callee = holder if name == "new" else reading.facts.attribute(holder, name)
    reading.facts.site(reading.scope, callee, -1, reading.at(node), REFERENCE_SITE)


def _pattern(reading: Reading, node: Node) -> None:
    """`case T x ->`, and the parts of `case R(T x)`: the name holds for the rule or group of the label."""
    parts = node.named_children
    rule = node.parent
    while rule is not None and rule.type not in ("switch_rule", "switch_block_statement_group", "if_statement"):
        rule = rule.parent
    if len(parts) == 2 and rule is not None:
        value = Expressions(reading).instance(parts[0])
        at, until = reading.at(node), reading.after(rule)
        reading.facts.bind(reading.scope, reading.text(parts[1]), value, at, until=until, flags=LIMITED | DECLARED)


_HANDLERS: dict[str, Handler] = {
    "package_declaration": _package,
    "import_declaration": _import,
    "class_declaration": _class,
    "interface_declaration": _class,
    "enum_declaration": _class,
    "record_declaration": _class,
    "annotation_type_declaration": _class,
    "method_declaration": _method,
    "annotation_type_element_declaration": _method,
    "constructor_declaration": _method,
    "compact_constructor_declaration": _method,
    "lambda_expression": _lambda,
    "object_creation_expression": _creation,
    "enum_constant": _enum_constant,
    "field_declaration": _field,
    "constant_declaration": _field,
    "local_variable_declaration": _field,
    "enhanced_for_statement": _typed_name,
    "resource": _typed_name,
    "catch_formal_parameter": _typed_name,
    "instanceof_expression": _typed_name,
    "type_pattern": _pattern,
    "record_pattern_component": _pattern,
    "return_statement": _return,
    "method_invocation": _call,
    "explicit_constructor_invocation": _constructor_call,
    "method_reference": _reference,
}


def read(reading: Reading) -> None:
    """State the facts of a Java file."""
    reading.facts.space = "jvm:"
    reading.sweep(_HANDLERS)


def module(view: RootView, facts: FileFacts, spec: str) -> str | None:
    """The namespace of a package that has files in the root."""
    return f"jvm:{spec}" if view.table.files_of_space(f"jvm:{spec}") else None


def visibility(defined: Defined) -> Visibility:
    """By modifier; without one a member of an interface is public, anything else belongs to its package."""
    around = defined.node.parent
    in_interface = around is not None and around.type in ("interface_body", "annotation_type_body")
    return by_modifier(defined.signature, "public" if in_interface else "internal")


def rules(language: str) -> Rules:
    """The rules of Java."""
    return Rules(
        family="jvm",
        read=read,
        module=module,
        external_result=external_result,
        external_given=external_given,
        common_members=COMMON_MEMBERS,
        members_in_scope=True,
        imports_objects=True,
        overloads=True,
        visibility=visibility,
    )
