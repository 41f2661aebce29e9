"""Python: how its trees state facts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sightline.languages.facts import (
    ATTRIBUTE,
    CLASS_LEVEL,
    CLASS_SCOPE,
    CONTAINER,
    CONTEXT_MANAGER,
    DECLARED,
    ELEMENT,
    ENTERED,
    FUNCTION_SCOPE,
    GENERATOR,
    IMPORTED,
    INHERITS,
    INSTANCE,
    LAMBDA,
    LIMITED,
    MODULE,
    OVERLOAD,
    PARAMETER,
    PART,
    PROPERTY,
    SELF,
    SELF_TYPE,
    STATIC,
)
from sightline.languages.python.expressions import Expressions, first_named
from sightline.languages.python.library import AWAITABLES, BUILTINS, COMMON_MEMBERS, external_result
from sightline.languages.python.modules import module, submodule
from sightline.languages.reading import Handler, Reading
from sightline.languages.rules import Rules, SpecialMembers

if TYPE_CHECKING:
    from tree_sitter import Node

_CONDITIONAL = frozenset(
    {"if_statement", "elif_clause", "else_clause", "try_statement", "except_clause", "for_statement", "while_statement",
     "case_clause", "with_statement"}
)  # fmt: skip
_WHOLE = frozenset({"function_definition", "class_definition", "module"})  # what is not conditional by itself
_NO_BASES = frozenset({"keyword_argument", "comment"})
_TYPE_VARIABLE = re.compile(r"_?[A-Z][A-Z0-9]?|\w*T(?:_co|_contra)?")  # T, _KT, ModelT, T_co: as everybody calls them
_PROPERTIES = frozenset(
    {"property", "cached_property", "functools.cached_property", "abstractproperty", "locked_cached_property"}
)


def _function(reading: Reading, node: Node) -> None:
    definition = reading.definitions.get(node.id)
    if definition is None:
        return
    facts, names = reading.facts, Expressions(reading)
    outside, in_class = reading.scope, facts.scopes[reading.scope].kind == CLASS_SCOPE
    decorators = _decorators(reading, node, definition)
    result = node.child_by_field_name("return_type")
    if result is not None:
        reading.result(definition, names.type(result))
    reading.enter(node, FUNCTION_SCOPE, definition)
    _bind_type_parameters(reading, node)
    parameters = node.child_by_field_name("parameters")
    bound = in_class and "staticmethod" not in decorators
    class_level = "classmethod" in decorators or reading.outlined[definition - 1].name in (
        "__new__",
        "__init_subclass__",
        "__class_getitem__",
    )
    if class_level:
        reading.flag(definition, CLASS_LEVEL)
    for index, parameter in enumerate(parameters.named_children if parameters is not None else ()):
        _parameter(reading, names, definition, parameter, bound and index == 0, class_level)
    del outside


def _decorators(reading: Reading, node: Node, definition: int) -> set[str]:
    parent = node.parent
    found: set[str] = set()
    if parent is None or parent.type != "decorated_definition":
        return found
    for decorator in parent.named_children:
        if decorator.type != "decorator":
            continue
        expression = first_named(decorator)
        if expression is None:
            continue
        called = expression.child_by_field_name("function") if expression.type == "call" else expression
        text = reading.text(called)
        found.add(text)
        reading.decorated(definition, Expressions(reading).value(called), reading.line(decorator))
        short = text.rpartition(".")[2]
        if text in _PROPERTIES or short in ("setter", "deleter", "cached_property"):
            reading.flag(definition, PROPERTY)
        elif short in ("contextmanager", "asynccontextmanager"):
            reading.flag(definition, CONTEXT_MANAGER)
        elif short == "overload":
            reading.flag(definition, OVERLOAD)
        elif short == "staticmethod":
            reading.flag(definition, STATIC)
    return found


def _parameter(
    reading: Reading, names: Expressions, definition: int, node: Node, is_self: bool, class_level: bool
) -> None:
    facts = reading.facts
    kind = node.type
    named = node if kind == "identifier" else node.child_by_field_name("name")
    if named is None and kind in ("typed_parameter", "list_splat_pattern", "dictionary_splat_pattern"):
        named = first_named(node)
    splat = named is not None and named.type in ("list_splat_pattern", "dictionary_splat_pattern")
    if named is not None and splat:
        named = first_named(named)
    if named is None or kind in ("comment", "positional_separator", "keyword_separator"):
        return
    name = reading.text(named)
    annotation = node.child_by_field_name("type")
    type_ = names.type(annotation) if annotation is not None else -1
    reading.parameter(definition, name, type_)
    at = reading.at(node)
    if is_self:
        facts.bind(reading.scope, name, facts.expression(SELF_TYPE if class_level else SELF), at, flags=PARAMETER)
    elif splat or kind.endswith("splat_pattern"):
        value = facts.expression(INSTANCE, type_) if type_ >= 0 else facts.unknown
        container = "dict" if "dictionary" in (node.type + (first_named(node) or node).type) else "tuple"
        row = [facts.unknown, value] if container == "dict" else [value]
        facts.bind(reading.scope, name, facts.expression(CONTAINER, facts.name(container), *row), at, flags=PARAMETER)
    elif type_ >= 0:
        facts.bind(reading.scope, name, facts.expression(INSTANCE, type_), at, flags=PARAMETER | DECLARED)
    else:
        default = node.child_by_field_name("value")
        value = names.value(default) if default is not None else facts.unknown
        facts.bind(reading.scope, name, value, at, flags=PARAMETER)


def _class(reading: Reading, node: Node) -> None:
    definition = reading.definitions.get(node.id)
    if definition is None:
        return
    names = Expressions(reading)
    _decorators(reading, node, definition)
    stated = node.child_by_field_name("superclasses")
    bases = [b for b in stated.named_children if b.type not in _NO_BASES] if stated is not None else []
    _type_parameters(reading, node, definition, bases)
    for base in bases:
        reading.base(definition, names.type(base), INHERITS, reading.line(base))
    reading.enter(node, CLASS_SCOPE, definition)


def _type_parameters(reading: Reading, node: Node, definition: int, bases: list[Node]) -> None:
    """`class A[T]`, `class A(Generic[T])`, or what looks like a type variable among the arguments of other bases."""
    if node.child_by_field_name("type_parameters") is not None:
        reading.enter_type_scope(node)
        for name in _bind_type_parameters(reading, node):
            reading.parameter(definition, name)
        return
    subscripts = [base for base in bases if base.type == "subscript"]
    told = [b for b in subscripts if reading.field(b, "value").rpartition(".")[2] in ("Generic", "Protocol")]
    found = [reading.text(a) for b in told or subscripts for a in b.named_children[1:] if a.type == "identifier"]
    for name in dict.fromkeys(found):
        if told or _TYPE_VARIABLE.fullmatch(name):
            reading.parameter(definition, name)


def _bind_type_parameters(reading: Reading, node: Node) -> list[str]:
    """Bind the names between the brackets of `class A[T: Bound]` or `def f[T]` to their bounds; returns them."""
    stated = node.child_by_field_name("type_parameters")
    found: list[str] = []
    for parameter in stated.named_children if stated is not None else ():
        inner = first_named(parameter)
        bounded = inner is not None and inner.type == "constrained_type"
        parts = inner.named_children if inner is not None and bounded else [parameter]
        found.append(reading.text(parts[0]).lstrip("*"))
        bound = Expressions(reading).type(parts[1]) if len(parts) > 1 else reading.facts.unknown
        reading.facts.bind(reading.scope, found[-1], bound, 0)
    return found


def _lambda(reading: Reading, node: Node) -> None:
    facts = reading.facts
    scope = reading.enter(node, FUNCTION_SCOPE)
    reading.expressions[node.id] = facts.expression(LAMBDA, scope)
    parameters = node.child_by_field_name("parameters")
    for parameter in parameters.named_children if parameters is not None else ():
        named = parameter if parameter.type == "identifier" else parameter.child_by_field_name("name")
        if named is not None:
            facts.bind(scope, reading.text(named), facts.unknown, reading.at(node), flags=PARAMETER)
    body = node.child_by_field_name("body")
    reading.returned(Expressions(reading).value(body), reading.at(node))


def _comprehension(reading: Reading, node: Node) -> None:
    """Its names are seen by all of it, also by what stands before the `for`."""
    scope = reading.enter_block(node)
    names = Expressions(reading)
    for clause in node.named_children:
        if clause.type == "for_in_clause":
            value = reading.facts.expression(ELEMENT, names.value(clause.child_by_field_name("right")))
            _assign(reading, clause.child_by_field_name("left"), value, 0, 0, scope)


def _assignment(reading: Reading, node: Node) -> None:
    left = node.child_by_field_name("left")
    if left is None or node.parent is None:
        return
    names, facts = Expressions(reading), reading.facts
    right, annotation = node.child_by_field_name("right"), node.child_by_field_name("type")
    at, until = reading.after(node), _conditional_end(reading)
    if annotation is not None:
        type_ = names.type(annotation)
        reading.uses(reading.definition(), type_, reading.line(annotation))
        if reading.text(annotation).rpartition(".")[2] == "TypeAlias":
            _assign(reading, left, names.type(right), at, until, reading.scope)
        else:
            _assign(reading, left, facts.expression(INSTANCE, type_), at, until, reading.scope, DECLARED)
        return
    if right is not None:
        bound = _type_variable_bound(reading, right)
        value = names.value(right) if bound is None else names.type(bound)
        _assign(reading, left, value, at, until, reading.scope)


def _type_variable_bound(reading: Reading, value: Node) -> Node | None:
    """The type that every `TypeVar("T", bound=...)` has at least; it is what a name of that type is known to be."""
    arguments = value.child_by_field_name("arguments") if value.type == "call" else None
    if arguments is None or reading.field(value, "function").rpartition(".")[2] != "TypeVar":
        return None
    named = (a for a in arguments.named_children if a.type == "keyword_argument")
    return next((a.child_by_field_name("value") for a in named if reading.field(a, "name") == "bound"), None)


def _assign(reading: Reading, left: Node | None, value: int, at: int, until: int, scope: int, flags: int = 0) -> None:
    """Bind a target: a name, a member of the instance, or several of them."""
    facts = reading.facts
    if left is None:
        return
    if left.type == "identifier":
        facts.bind(scope, reading.text(left), value, at, until=until, flags=flags)
    elif left.type in ("pattern_list", "tuple_pattern", "list_pattern", "tuple", "expression_list"):
        for index, child in enumerate(left.named_children):
            part = facts.expression(PART, value, index) if child.type != "list_splat_pattern" else facts.unknown
            _assign(reading, child, part, at, until, scope, flags)
    elif left.type == "attribute":
        target, owner = left.child_by_field_name("object"), reading.class_scope()
        if target is not None and owner >= 0 and _is_self(reading, reading.text(target)):
            facts.bind(owner, reading.field(left, "attribute"), value, at, flags=flags, evaluated_in=scope)


def _is_self(reading: Reading, name: str) -> bool:
    """Is this name the first parameter of the method around?"""
    function = reading.function_scope()
    if function < 0 or not name.isidentifier():
        return False
    parameters = reading.facts.definitions[reading.facts.scopes[function].definition].parameters
    return bool(parameters) and reading.facts.names[parameters[0][0]] == name and reading.class_scope() >= 0


def _conditional_end(reading: Reading) -> int:
    """The end of the innermost conditional block around a statement, 0 when it always runs."""
    inside = reading.inside
    return reading.after(inside) if inside is not None and inside.type in _CONDITIONAL else 0


def _walrus(reading: Reading, node: Node) -> None:
    value = Expressions(reading).value(node.child_by_field_name("value"))
    _assign(reading, node.child_by_field_name("name"), value, reading.after(node), 0, reading.scope)


def _for(reading: Reading, node: Node) -> None:
    right = node.child_by_field_name("right")
    value = reading.facts.expression(ELEMENT, Expressions(reading).value(right))
    at = reading.after(right) if right is not None else reading.at(node)
    _assign(reading, node.child_by_field_name("left"), value, at, reading.after(node), reading.scope)


def _as_pattern(reading: Reading, node: Node) -> None:
    """`with x() as y`, `except E as e`."""
    parent = node.parent
    target = node.child_by_field_name("alias")
    name = first_named(target) if target is not None else None
    names, facts = Expressions(reading), reading.facts
    if parent is None or name is None:
        return
    if parent.type == "except_clause":
        caught = first_named(node)
        members = caught.named_children if caught is not None and caught.type == "tuple" else [caught]
        value = facts.union([names.annotation(member) for member in members])
        _assign(reading, name, value, reading.after(node), reading.after(parent), reading.scope, LIMITED)
    elif parent.type == "with_item":
        value = facts.expression(ENTERED, names.value(first_named(node)))
        _assign(reading, name, value, reading.after(node), 0, reading.scope)


def _if(reading: Reading, node: Node) -> None:
    """`if isinstance(x, T):` narrows x inside the block."""
    condition, block = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
    if condition is None or block is None or condition.type != "call":
        return
    if reading.field(condition, "function") != "isinstance":
        return
    arguments = condition.child_by_field_name("arguments")
    parts = arguments.named_children if arguments is not None else []
    if len(parts) != 2 or parts[0].type != "identifier":
        return
    names = Expressions(reading)
    types = parts[1].named_children if parts[1].type == "tuple" else [parts[1]]
    value = reading.facts.union([names.annotation(t) for t in types])
    reading.facts.bind(
        reading.scope,
        reading.text(parts[0]),
        value,
        reading.after(condition),
        until=reading.after(block),
        flags=LIMITED,
    )


def _return(reading: Reading, node: Node) -> None:
    reading.returned(Expressions(reading).value(first_named(node)), reading.at(node))


def _yield(reading: Reading, node: Node) -> None:
    facts = reading.facts
    function = reading.function_scope()
    if function < 0:
        return
    reading.flag(facts.scopes[function].definition, GENERATOR)
    value = Expressions(reading).value(first_named(node))
    if value != facts.unknown:
        reading.returned(facts.expression(CONTAINER, facts.name("Iterator"), value), reading.at(node))


def _call(reading: Reading, node: Node) -> None:
    function = node.child_by_field_name("function")
    if function is None:
        return
    reading.facts.site(reading.scope, Expressions(reading).value(function), -1, reading.at(function))


def _import(reading: Reading, node: Node) -> None:
    facts = reading.facts
    for child in node.named_children:
        aliased = child.type == "aliased_import"
        module = reading.field(child, "name") if aliased else reading.text(child)
        facts.imports.append([reading.line(node), module, []])
        if aliased:
            value = facts.expression(MODULE, facts.name(module))
            facts.bind(reading.scope, reading.field(child, "alias"), value, reading.after(node), flags=IMPORTED)
        else:
            first = module.partition(".")[0]
            value = facts.expression(MODULE, facts.name(first))
            facts.bind(reading.scope, first, value, reading.after(node), flags=IMPORTED)


def _import_from(reading: Reading, node: Node) -> None:
    facts = reading.facts
    origin = node.child_by_field_name("module_name")
    module = reading.text(origin).replace(" ", "")
    expression = facts.expression(MODULE, facts.name(module))
    names: list[str] = []
    until = _conditional_end(reading)
    for child in node.named_children:
        if origin is not None and child.start_byte == origin.start_byte:
            continue
        if child.type == "wildcard_import":
            facts.stars.append([reading.scope, expression, 0])
            names.append("*")
            continue
        if child.type not in ("aliased_import", "dotted_name"):
            continue
        name = reading.field(child, "name") if child.type == "aliased_import" else reading.text(child)
        bound = reading.field(child, "alias") if child.type == "aliased_import" else name
        value = facts.expression(ATTRIBUTE, expression, facts.name(name))
        facts.bind(reading.scope, bound, value, reading.after(node), until=until, flags=IMPORTED)
        names.append(name)
    facts.imports.append([reading.line(node), module, names])


_HANDLERS: dict[str, Handler] = {
    "function_definition": _function,
    "class_definition": _class,
    "lambda": _lambda,
    "list_comprehension": _comprehension,
    "set_comprehension": _comprehension,
    "dictionary_comprehension": _comprehension,
    "generator_expression": _comprehension,
    "assignment": _assignment,
    "named_expression": _walrus,
    "for_statement": _for,
    "as_pattern": _as_pattern,
    "if_statement": _if,
    "return_statement": _return,
    "yield": _yield,
    "call": _call,
    "import_statement": _import,
    "import_from_statement": _import_from,
}


def read(reading: Reading) -> None:
    """State the facts of a Python file."""
    reading.sweep(_HANDLERS, _CONDITIONAL | _WHOLE)


def rules(language: str) -> Rules:
    """The rules of Python."""
    return Rules(
        family="python",
        read=read,
        module=module,
        submodule=submodule,
        external_result=external_result,
        builtins=BUILTINS,
        common_members=COMMON_MEMBERS,
        special=SpecialMembers(
            called="__call__",
            indexed="__getitem__",
            iterated=("__iter__", "__aiter__"),
            next="__next__",
            entered=("__enter__", "__aenter__"),
        ),
        awaitables=AWAITABLES,
        class_body_in_scope=True,
        types_are_statements=True,
        package_stem="__init__",
        imports_submodules=True,
        linearisation="c3",
    )
