"""From one value to the next: what calling, instantiating, iterating, unpacking or entering it gives.

`Evaluator` finds values; these are the steps between them. They read other files through the evaluator alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sightline.graph.build.values import EVERYWHERE, replace_self, unite, with_arguments
from sightline.languages import facts as f
from sightline.languages import rules_of
from sightline.languages.values import (
    TYPED,
    Class,
    External,
    Function,
    Instance,
    Lambda,
    Module,
    Outside,
    Parts,
    Value,
    Values,
)

if TYPE_CHECKING:
    from sightline.graph.build.evaluate import Evaluator
    from sightline.languages.facts import Definition, FileFacts

_MAX_BASES = 20  # from a class up to the one whose type arguments are asked for


def instance(value: Value, facts: FileFacts) -> Values:
    """An instance of a type."""
    if isinstance(value, Class):
        return (Instance(value.space, value.name, value.arguments),)
    if isinstance(value, (External, Outside)):
        rules, name = rules_of(facts.language), value.name.rpartition(".")[2]
        if name == f.NOTHING or name in rules.untyped:
            return ()
        if isinstance(value, Outside):
            return (External(name, ()),)
        if value.name in rules.class_types and value.arguments:
            return tuple(
                Class(v.space, v.name, v.arguments) if isinstance(v, Instance) else v for v in value.arguments[0]
            )
        return (value,)
    if isinstance(value, (Instance, Parts)) or (
        isinstance(value, Module) and rules_of(facts.language).modules_are_types
    ):
        return (value,)
    return ()


def called(evaluator: Evaluator, value: Value, facts: FileFacts) -> Values:
    """What calling a value gives."""
    if isinstance(value, Class):
        if rules_of(facts.language).types_are_not_values and is_interface(evaluator, value):
            return ()
        return (Instance(value.space, value.name, value.arguments),)
    if isinstance(value, Module):
        default = rules_of(facts.language).default_export
        given = evaluator.exported(value.space, default) if default else None
        return evaluator.each(given, lambda v: called(evaluator, v, facts)) if given else ()
    if isinstance(value, Function):
        where = evaluator.table.files.get(value.path)
        return (
            returned(evaluator, where, where.definitions[value.definition], value.receiver) if where is not None else ()
        )
    if isinstance(value, Instance):
        found = evaluator.special_member(value, rules_of(facts.language).special.called)
        given = found[0] if found is not None else underlying(evaluator, value)
        return evaluator.each(given, lambda v: called(evaluator, v, facts) if v != value else ())
    if isinstance(value, Lambda):
        return _lambda_result(evaluator, value)
    if isinstance(value, External):
        result = rules_of(facts.language).external_result(value.name, value.arguments)
        return result if result is not None else (External(f"{value.name}()", ()),)
    if isinstance(value, Outside):
        return (External(f"{value.name}()", ()),)
    return ()


def is_interface(evaluator: Evaluator, value: Class) -> bool:
    """Is this a type that has no value of its own?"""
    return all(d.kind in ("interface", "type_alias") for _, d in evaluator.table.definitions(value.space, value.name))


def returned(evaluator: Evaluator, facts: FileFacts, definition: Definition, receiver: Value | None) -> Values:
    """What a function gives: by its declared result, else by what it returns."""
    evaluator.table.read("d", facts.path, definition.qualified_name)
    key = ("returns", facts.path, definition.index, receiver)
    result: Values = evaluator.guarded(key, lambda: _returned(evaluator, facts, definition, receiver), ())
    return result


def _returned(evaluator: Evaluator, facts: FileFacts, definition: Definition, receiver: Value | None) -> Values:
    scope = definition.scope if definition.scope >= 0 else 0
    if definition.result >= 0:
        if receiver is not None and _returns_self(facts, definition):
            return (Instance(receiver.space, receiver.name, receiver.arguments),) if isinstance(receiver, TYPED) else ()
        return declared(evaluator, facts, scope, definition.result, definition.owner, receiver)
    results = [
        evaluator.value(facts, inner, expression, at)
        for expression, at, inner, function in definition.returns
        if function == definition.scope
    ]
    return unite([replace_self(values, receiver, definition.owner) for values in results])


def _returns_self(facts: FileFacts, definition: Definition) -> bool:
    """By name, or because the instance that it takes is declared to be of the same type: `def f(self: T) -> T`."""
    row, rules = facts.expressions[definition.result], rules_of(facts.language)
    if row[0] != f.NAME:
        return False
    if facts.names[row[1]] in rules.self_types:
        return True
    name, type_ = definition.parameters[0] if definition.kind == "method" and definition.parameters else (0, -1)
    return type_ >= 0 and facts.names[name] in rules.self_names and facts.expressions[type_] == row


def declared(
    evaluator: Evaluator, facts: FileFacts, scope: int, type_: int, owner: str, receiver: Value | None
) -> Values:
    """An instance of a type as a member of a class declares it: type parameters are what the receiver gives."""
    if receiver is not None and isinstance(receiver, Instance):
        row = facts.expressions[type_]
        if row[0] in (f.NAME, f.TYPE):
            given = _type_argument(evaluator, facts, owner, facts.names[row[1]], receiver)
            if given is not None:
                return given
        elif row[0] == f.GENERIC:
            arguments = tuple(declared(evaluator, facts, scope, a, owner, receiver) for a in row[2:])
            types = evaluator.each(
                evaluator.value(facts, scope, row[1], EVERYWHERE), lambda v: with_arguments(v, arguments)
            )
            return evaluator.each(types, lambda v: instance(v, facts))
        elif row[0] == f.UNION:
            return unite([declared(evaluator, facts, scope, member, owner, receiver) for member in row[1:]])
        elif row[0] == f.CONTAINER:
            members = tuple(declared(evaluator, facts, scope, member, owner, receiver) for member in row[2:])
            return (External(facts.names[row[1]], members),)
        elif row[0] == f.INSTANCE:
            return declared(evaluator, facts, scope, row[1], owner, receiver)
    values = evaluator.value(facts, scope, type_, EVERYWHERE)
    return evaluator.each(values, lambda v: instance(v, facts))


def _type_argument(evaluator: Evaluator, facts: FileFacts, owner: str, name: str, receiver: Instance) -> Values | None:
    """What a receiver gives for a type parameter of the class that a member belongs to; None if it is no such thing."""
    space = evaluator.hierarchy.space_of(facts, owner)
    for where, definition in evaluator.table.definitions(space, owner):
        names = _type_parameters(where, definition)
        if name in names:
            given = _arguments_for(evaluator, receiver, space, owner)
            return given[names.index(name)] if names.index(name) < len(given) else None
    return None


def is_generic(evaluator: Evaluator, space: str, owner: str) -> bool:
    """Has a class type parameters?"""
    return any(_type_parameters(where, definition) for where, definition in evaluator.table.definitions(space, owner))


def _type_parameters(facts: FileFacts, definition: Definition) -> list[str]:
    return [facts.names[name] for name, _ in definition.parameters] if definition.kind in f.TYPE_KINDS else []


def _arguments_for(
    evaluator: Evaluator, receiver: Instance, space: str, owner: str, depth: int = 0
) -> tuple[Values, ...]:
    """The type arguments of a class as an instance of it, or of a class derived from it, fixes them."""
    if (receiver.space, receiver.name) == (space, owner):
        return receiver.arguments
    for facts, definition in evaluator.table.definitions(receiver.space, receiver.name) if depth < _MAX_BASES else ():
        names = _type_parameters(facts, definition)
        for expression, base in evaluator.hierarchy.stated_bases(facts, definition):
            if not isinstance(base, Class):
                continue
            above = evaluator.hierarchy.linearised(base.space, base.name)
            if any(isinstance(v, Class) and (v.space, v.name) == (space, owner) for v in above):
                arguments = _handed_on(facts, expression, names, receiver.arguments, base.arguments)
                return _arguments_for(evaluator, Instance(base.space, base.name, arguments), space, owner, depth + 1)
    return ()


def _handed_on(
    facts: FileFacts, base: int, names: list[str], given: Sequence[Values], evaluated: Sequence[Values]
) -> tuple[Values, ...]:
    """The type arguments of a base, with what is given for the parameters of the class that states it."""
    row = facts.expressions[base]
    arguments = row[2:] if row[0] == f.GENERIC else ()
    out = list(evaluated)
    for place, argument in enumerate(arguments[: len(out)]):
        inner = facts.expressions[argument]
        name = facts.names[inner[1]] if inner[0] in (f.NAME, f.TYPE) else ""
        number = names.index(name) if name in names else -1
        if 0 <= number < len(given):
            out[place] = given[number]
    return tuple(out)


def taken(evaluator: Evaluator, value: Value, index: int) -> Values:
    """What a function takes as one of its arguments, as far as that is declared."""
    if not isinstance(value, Function):
        return ()
    facts = evaluator.table.files.get(value.path)
    if facts is None:
        return ()
    definition = facts.definitions[value.definition]
    evaluator.table.read("d", facts.path, definition.qualified_name)
    stated = definition.parameters[index : index + 1 or None]
    type_ = stated[0].type if stated else -1
    scope = definition.scope if definition.scope >= 0 else 0
    return declared(evaluator, facts, scope, type_, definition.owner, value.receiver) if type_ >= 0 else ()


def given(evaluator: Evaluator, value: Value, index: int, facts: FileFacts) -> Values:
    """What a function of this type is given as one of its arguments."""
    if isinstance(value, External) and value.name in (f.FUNCTION_TYPE, f.RECEIVING_TYPE):
        place = index + 2 if value.name == f.RECEIVING_TYPE else index + 1
        return value.arguments[place] if 0 < place < len(value.arguments) else ()
    if isinstance(value, External):
        return rules_of(facts.language).external_given(value.name, value.arguments, index)
    method = _only_method(evaluator, value) if isinstance(value, Instance) and index != f.ON else None
    return taken(evaluator, method, index) if method is not None else ()


def _only_method(evaluator: Evaluator, value: Instance) -> Function | None:
    """The one method that an interface leaves to whoever implements it: an anonymous function is that."""
    for facts, definition in evaluator.table.definitions(value.space, value.name):
        open_ = [d for d in facts.definitions if d.parent == definition.index and d.flags & f.ABSTRACT]
        if definition.kind == "interface" and len(open_) == 1:
            return Function(facts.path, open_[0].index, value)
    return None


def _lambda_result(evaluator: Evaluator, value: Lambda) -> Values:
    facts = evaluator.table.files.get(value.path)
    if facts is None:
        return ()
    definition = facts.definitions[facts.scopes[value.scope].definition]
    evaluator.table.read("d", facts.path, definition.qualified_name if definition.index else "")
    rows = [r for r in definition.returns if r.function == value.scope]
    result: Values = evaluator.guarded(
        ("lambda", value), lambda: unite([evaluator.value(facts, r.scope, r.expression, r.at) for r in rows]), ()
    )
    return result


def element(evaluator: Evaluator, value: Value, facts: FileFacts, indexed: bool) -> Values:
    """What iterating over a value, or indexing it, gives."""
    if isinstance(value, External):
        if not value.arguments:
            return (External(f"{value.name}[]", ()),)
        own = rules_of(facts.language).external_element(value.name, value.arguments) if not indexed else None
        if own is not None:
            return own
        keyed = len(value.arguments) > 1 and not _is_tuple(value, facts)
        return value.arguments[-1 if keyed and indexed else 0]
    if isinstance(value, Parts):
        return unite(value.parts)
    if isinstance(value, Function):
        return (value,) if indexed else ()  # a generic function with its type arguments
    if isinstance(value, Class):
        return (
            (value,) if indexed else (Instance(value.space, value.name, value.arguments),)
        )  # Generic[T]; the members of an enum
    if isinstance(value, Instance):
        special = rules_of(facts.language).special
        for name in (special.indexed,) if indexed else (*special.iterated, special.indexed):
            found = evaluator.special_member(value, name)
            if found is not None:
                given = evaluator.each(found[0], lambda v: called(evaluator, v, facts))
                return given if name == special.indexed else evaluator.each(given, lambda v: _next(evaluator, v, facts))
        if value.arguments:
            return value.arguments[0]
        if rules_of(facts.language).linked:
            return (value,)  # an array, or a pointer to the first of many
        return evaluator.each(
            underlying(evaluator, value), lambda v: element(evaluator, v, facts, indexed) if v != value else ()
        )
    return ()


def underlying(evaluator: Evaluator, value: Instance) -> Values:
    """The value seen as the type that its own type was made from."""
    for facts, definition in evaluator.table.definitions(value.space, value.name):
        if definition.flags & f.DISTINCT and definition.result >= 0:
            return unite([instance(v, facts) for v in evaluator.alias(facts, definition)])
    return ()


def _next(evaluator: Evaluator, value: Value, facts: FileFacts) -> Values:
    """What an iterator gives."""
    if isinstance(value, Instance):
        found = evaluator.special_member(value, rules_of(facts.language).special.next)
        return evaluator.each(found[0], lambda v: called(evaluator, v, facts)) if found is not None else ()
    return element(evaluator, value, facts, indexed=False)


def part(evaluator: Evaluator, value: Value, index: int, facts: FileFacts) -> Values:
    """One value of a tuple."""
    if isinstance(value, Parts):
        return value.parts[index] if index < len(value.parts) else ()
    if isinstance(value, External) and len(value.arguments) > 1 and _is_tuple(value, facts):
        return value.arguments[index] if index < len(value.arguments) else ()
    return element(evaluator, value, facts, indexed=False)


def _is_tuple(value: External, facts: FileFacts) -> bool:
    return value.name.rpartition(".")[2] in rules_of(facts.language).tuple_types


def entered(evaluator: Evaluator, value: Value, facts: FileFacts) -> Values:
    """What `with value as x` binds."""
    if isinstance(value, Instance):
        for name in rules_of(facts.language).special.entered:
            found = evaluator.special_member(value, name)
            if found is not None:
                given = evaluator.each(found[0], lambda v: called(evaluator, v, facts))
                return given or (value,)
        return (value,)
    if isinstance(value, External) and value.arguments:
        return value.arguments[0]
    return (value,) if isinstance(value, External) else ()
