"""Which interfaces a type implements by having their methods.

Candidates are the interfaces that declare one of the type's methods; one counts when the type, with what it embeds, has
every method of it with the same shape of parameters and results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.graph.build.tested import is_test_file
from sightline.languages import facts as f
from sightline.languages import family_of, rules_of
from sightline.languages.facts import Target
from sightline.languages.values import Class

if TYPE_CHECKING:
    from sightline.graph.build.evaluate import Evaluator
    from sightline.languages.facts import Definition, FileFacts


_ANY = "?"  # a shape that fits every other
_NO_METHODS: frozenset[str] = frozenset()  # an interface that everything implements


def implemented(evaluator: Evaluator, facts: FileFacts, definition: Definition) -> list[Target]:
    """The interfaces of the root that a type implements."""
    methods, outside = _method_set(evaluator, facts.space, definition.qualified_name)
    if not methods:
        return []
    candidates: dict[str, Target] = {}
    in_test, family = is_test_file(facts.path), family_of(facts.language)
    for name in sorted(methods):
        for where, method in evaluator.table.everywhere(family, name):
            if is_test_file(where.path) and not in_test:
                continue
            owners = evaluator.table.definitions(where.space, method.owner)
            for owner in owners:
                if owner.definition.kind == "interface" and owner.facts.path == where.path:
                    candidates[owner.definition.id] = owner
    return [c for c in candidates.values() if _satisfies(evaluator, facts, methods, outside, c)]


def _method_set(evaluator: Evaluator, space: str, qualified_name: str) -> tuple[dict[str, Target], set[str]]:
    """Methods by name, promoted ones included, and the names of embedded types outside the root."""
    methods: dict[str, Target] = {}
    outside: set[str] = set()
    for base in evaluator.hierarchy.linearised(space, qualified_name):
        if not isinstance(base, Class):
            outside.add(base.name.rpartition(".")[2])
            continue
        for name in evaluator.table.member_names(base.space, base.name):
            if name in methods:
                continue
            for facts, method in evaluator.table.definitions(base.space, f"{base.name}.{name}"):
                if method.kind == "method":
                    methods[name] = Target(facts, method)
                    break
    return methods, outside


def _satisfies(
    evaluator: Evaluator, facts: FileFacts, methods: dict[str, Target], outside: set[str], interface: Target
) -> bool:
    where, definition = interface
    required, embedded = _method_set(evaluator, where.space, definition.qualified_name)
    rules = rules_of(facts.language)
    if where.space != facts.space and not all(rules.is_exported(name) for name in required):
        return False
    for name, wanted in required.items():
        given = methods.get(name)
        if given is None or not _fits(_shape_of(given), _shape_of(wanted)):
            return False
    for name in embedded - outside:
        known = rules.library_interfaces.get(name)
        if known is not None and not known <= methods.keys() and not outside:
            return False
    return bool(required)


def _shape_of(method: Target) -> list[str]:
    facts, definition = method
    parameters = [_shape(facts, type_) for _, type_ in definition.parameters]
    if definition.result < 0:
        return [*parameters, "->"]
    row = facts.expressions[definition.result]
    results = [_shape(facts, x) for x in row[1:]] if row[0] == f.TUPLE else [_shape(facts, definition.result)]
    return [*parameters, "->", *results]


def _shape(facts: FileFacts, expression: int) -> str:
    """The last name of a type; what it is made of for slices, maps and functions."""
    if expression < 0:
        return _ANY
    row = facts.expressions[expression]
    if row[0] == f.NAME:
        name = facts.names[row[1]]
        return _ANY if rules_of(facts.language).library_interfaces.get(name) == _NO_METHODS else name
    if row[0] == f.ATTRIBUTE:
        return facts.names[row[2]]
    if row[0] in (f.INSTANCE, f.GENERIC):
        return _shape(facts, row[1])
    if row[0] == f.CONTAINER:
        return facts.names[row[1]]
    return _ANY


def _fits(given: list[str], wanted: list[str]) -> bool:
    return len(given) == len(wanted) and all(a == b or _ANY in (a, b) for a, b in zip(given, wanted, strict=True))
