"""From one value to the next: what calling, instantiating, iterating, unpacking or entering it gives.

`Evaluator` finds values; these are the steps between them. They read other files through the evaluator alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sightline.graph import facts as f
from sightline.graph.languages import rules_of
from sightline.graph.values import EVERYWHERE, Value, Values, replace_self, unite

if TYPE_CHECKING:
    from sightline.graph.evaluate import Evaluator
    from sightline.graph.facts import Definition, FileFacts


def instance(evaluator: Evaluator, value: Value, facts: FileFacts) -> Values:
    """An instance of a type."""
    tag = value[0]
    if tag == "c":
        return (("i", *value[1:]),)
    if tag == "x":
        if value[1].endswith("TypeVar()") or value[1] in ("Any", "None"):
            return ()
        if value[1] in ("type", "Type") and value[2]:
            return tuple(("c", *v[1:]) if v[0] == "i" else v for v in value[2][0])
        return (value,)
    if tag == "u":
        name = value[1].rpartition(".")[2]
        return () if name in ("Any", "Self", "TypeVar") else (("x", name, ()),)
    if tag in ("i", "t") or (tag == "m" and rules_of(facts.language).modules_are_types):
        return (value,)
    return ()


def called(evaluator: Evaluator, value: Value, facts: FileFacts) -> Values:
    """What calling a value gives."""
    tag = value[0]
    if tag == "c":
        if rules_of(facts.language).types_are_not_values and is_interface(evaluator, value):
            return ()
        return (("i", *value[1:]),)
    if tag == "m":
        given = evaluator.exported(value[1], "default")
        return evaluator.each(given, lambda v: called(evaluator, v, facts)) if given else ()
    if tag == "f":
        where = evaluator.table.files.get(value[1])
        return returned(evaluator, where, where.definitions[value[2]], value[3]) if where is not None else ()
    if tag == "i":
        found = evaluator.class_member(value, "__call__")
        given = found[0] if found is not None else underlying(evaluator, value)
        return evaluator.each(given, lambda v: called(evaluator, v, facts) if v != value else ())
    if tag == "l":
        return _lambda_result(evaluator, value)
    if tag == "x":
        result = rules_of(facts.language).external_result(value[1], value[2])
        return result if result is not None else (("x", f"{value[1]}()", ()),)
    if tag == "u":
        return (("x", f"{value[1]}()", ()),)
    return ()


def is_interface(evaluator: Evaluator, value: Value) -> bool:
    """Is this a type that has no value of its own?"""
    return all(d.kind in ("interface", "type_alias") for _, d in evaluator.table.definitions(value[1], value[2]))


def returned(evaluator: Evaluator, facts: FileFacts, definition: Definition, receiver: Value | None) -> Values:
    """What a function gives: by its declared result, else by what it returns."""
    evaluator.table.read("d", facts.space, definition.qualified_name)
    key = ("returns", facts.path, definition.index, receiver)
    result: Values = evaluator.guarded(key, lambda: _returned(evaluator, facts, definition, receiver), ())
    return result


def _returned(evaluator: Evaluator, facts: FileFacts, definition: Definition, receiver: Value | None) -> Values:
    scope = definition.scope if definition.scope >= 0 else 0
    if definition.result >= 0:
        row = facts.expressions[definition.result]
        if row[0] == f.NAME and facts.names[row[1]] in ("Self", "this", "self") and receiver is not None:
            return (("i", *receiver[1:]),) if receiver[0] in ("c", "i") else ()
        given = _type_argument(evaluator, facts, definition.owner, definition.result, receiver)
        if given is not None:
            return given
        values = evaluator.value(facts, scope, definition.result, EVERYWHERE)
        return evaluator.each(values, lambda v: instance(evaluator, v, facts))
    results = [
        evaluator.value(facts, inner, expression, at)
        for expression, at, inner, function in definition.returns
        if function == definition.scope
    ]
    return unite([replace_self(values, receiver, definition.owner) for values in results])


def _type_argument(
    evaluator: Evaluator, facts: FileFacts, owner: str, type_: int, receiver: Value | None
) -> Values | None:
    """The type argument that a receiver gives where a type is a type parameter of the member's class."""
    row = facts.expressions[type_]
    if receiver is None or receiver[0] != "i" or row[0] not in (f.NAME, f.TYPE):
        return None
    name = facts.names[row[1]]
    for where, definition in evaluator.table.definitions(facts.space, owner):
        names = [where.names[parameter[0]] for parameter in definition.parameters]
        if definition.kind in f.TYPE_KINDS and name in names:
            given = _arguments_for(evaluator, receiver, facts.space, owner)
            return tuple(given[names.index(name)]) if names.index(name) < len(given) else None
    return None


def _arguments_for(evaluator: Evaluator, receiver: Value, space: str, owner: str) -> Sequence[Values]:
    """The type arguments of a class as an instance of it, or of a class derived from it, fixes them."""
    if (receiver[1], receiver[2]) == (space, owner):
        return tuple(receiver[3])
    for facts, definition in evaluator.table.definitions(receiver[1], receiver[2]):
        for base in evaluator.bases(facts, definition):
            if base[0] == "c" and (base[1], base[2]) == (space, owner):
                return tuple(base[3])
    return ()


def _lambda_result(evaluator: Evaluator, value: Value) -> Values:
    facts = evaluator.table.files.get(value[1])
    if facts is None:
        return ()
    definition = facts.definitions[facts.scopes[value[2]][2]]
    evaluator.table.read("d", facts.space, definition.qualified_name if definition.index else "")
    rows = [r for r in definition.returns if r[3] == value[2]]
    result: Values = evaluator.guarded(
        ("lambda", *value), lambda: unite([evaluator.value(facts, r[2], r[0], r[1]) for r in rows]), ()
    )
    return result


def element(evaluator: Evaluator, value: Value, facts: FileFacts, indexed: bool) -> Values:
    """What iterating over a value, or indexing it, gives."""
    tag = value[0]
    if tag == "x":
        if not value[2]:
            return (("x", f"{value[1]}[]", ()),)
        keyed = len(value[2]) > 1 and value[1].rpartition(".")[2] not in ("tuple", "Tuple")
        return tuple(value[2][-1 if keyed and indexed else 0])
    if tag == "t":
        return unite(list(value[1:]))
    if tag == "f":
        return (value,) if indexed else ()  # a generic function with its type arguments
    if tag == "c":
        return (value,) if indexed else (("i", *value[1:]),)  # Generic[T]; the members of an enum
    if tag == "i":
        for name in ("__getitem__",) if indexed else ("__iter__", "__aiter__", "__getitem__"):
            found = evaluator.class_member(value, name)
            if found is not None:
                given = evaluator.each(found[0], lambda v: called(evaluator, v, facts))
                return given if name == "__getitem__" else evaluator.each(given, lambda v: _next(evaluator, v, facts))
        if value[3]:
            return tuple(value[3][0])
        return evaluator.each(
            underlying(evaluator, value), lambda v: element(evaluator, v, facts, indexed) if v != value else ()
        )
    return ()


def underlying(evaluator: Evaluator, value: Value) -> Values:
    """The value seen as the type that its own type was made from."""
    for facts, definition in evaluator.table.definitions(value[1], value[2]):
        if definition.flags & f.DISTINCT and definition.result >= 0:
            return unite([instance(evaluator, v, facts) for v in evaluator.alias(facts, definition)])
    return ()


def _next(evaluator: Evaluator, value: Value, facts: FileFacts) -> Values:
    """What an iterator gives."""
    if value[0] == "i":
        found = evaluator.class_member(value, "__next__")
        return evaluator.each(found[0], lambda v: called(evaluator, v, facts)) if found is not None else ()
    return element(evaluator, value, facts, indexed=False)


def part(evaluator: Evaluator, value: Value, index: int, facts: FileFacts) -> Values:
    """One value of a tuple."""
    if value[0] == "t":
        return tuple(value[1 + index]) if index + 1 < len(value) else ()
    if value[0] == "x" and value[1].rpartition(".")[2] in ("tuple", "Tuple") and len(value[2]) > 1:
        return tuple(value[2][index]) if index < len(value[2]) else ()
    return element(evaluator, value, facts, indexed=False)


def entered(evaluator: Evaluator, value: Value, facts: FileFacts) -> Values:
    """What `with value as x` binds."""
    if value[0] == "i":
        for name in ("__enter__", "__aenter__"):
            found = evaluator.class_member(value, name)
            if found is not None:
                given = evaluator.each(found[0], lambda v: called(evaluator, v, facts))
                return given or (value,)
        return (value,)
    if value[0] == "x" and value[2]:
        return tuple(value[2][0])
    return (value,) if value[0] == "x" else ()
