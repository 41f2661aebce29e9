"""How the values that an expression may stand for combine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sightline.languages import facts as f
from sightline.languages.values import Base, Class, External, Function, Instance, Outside, Value, Values

if TYPE_CHECKING:
    from sightline.languages.facts import Binding, FileFacts

_MAX_OVERLOADS = 48  # functions of one name, with their prototypes: which one is meant is decided by the arguments
_MAX_VALUES = 8  # of one expression; what may be more than eight things is not known
_FUNCTION_TYPES = (f.FUNCTION_TYPE, f.RECEIVING_TYPE)
EVERYWHERE = 1 << 60  # a position after everything


def select(bindings: Sequence[Binding], at: int, crossed: bool) -> Sequence[Binding]:
    """The bindings that may hold at a position: back to the last one that surely ran.

    From inside a nested function (`crossed`) the order of assignments says nothing; only block-scoped names do.
    """
    if len(bindings) == 1:
        return bindings
    if crossed or at == EVERYWHERE:
        inside = [b for b in bindings if b.flags & f.LIMITED and b.at <= at <= b.until]
        return inside[-1:] or [b for b in bindings if not b.flags & f.LIMITED] or bindings
    chosen: list[Binding] = [b for b in bindings if b.flags & f.HOISTED]
    for binding in sorted(bindings, key=lambda b: b.at, reverse=True):
        if binding.at > at or binding.flags & f.HOISTED or (binding.flags & f.LIMITED and at > binding.until):
            continue
        chosen.append(binding)
        if not binding.until or at <= binding.until:
            break
    if chosen:
        return chosen
    return [b for b in bindings if not b.flags & f.LIMITED] or bindings


def shown(shared: list[tuple[FileFacts, Sequence[Binding]]]) -> list[tuple[FileFacts, list[Binding]]]:
    """What files of a namespace show each other: nothing that is private to its file."""
    seen = [(where, [b for b in bindings if not _is_file_private(where, b)]) for where, bindings in shared]
    return [entry for entry in seen if entry[1]]


def _is_file_private(facts: FileFacts, binding: Binding) -> bool:
    row = facts.expressions[binding.expression]
    return row[0] == f.DEFINED and bool(facts.definitions[row[1]].flags & f.FILE_PRIVATE)


def own_names(facts: FileFacts, bindings: Sequence[Binding]) -> Sequence[Binding]:
    """Without a file's imports, which files of one namespace do not share."""
    if facts.space == facts.path:
        return bindings
    return [b for b in bindings if not b.flags & f.IMPORTED]


def unite(parts: Sequence[Values]) -> Values:
    """Any of them, each once; more than a few are as good as unknown."""
    merged = tuple(dict.fromkeys(value for values in parts for value in values))
    if len(merged) <= _MAX_VALUES:
        return merged
    overloads = len(merged) <= _MAX_OVERLOADS and all(isinstance(value, Function) for value in merged)
    return merged if overloads else ()


def with_arguments(value: Value, arguments: tuple[Values, ...]) -> Values:
    if isinstance(value, Class):
        return (Class(value.space, value.name, arguments),)
    if isinstance(value, External):  # an alias of a function's type has parameters that are not those of the function
        return (value if value.name in _FUNCTION_TYPES else External(value.name, arguments),)
    if isinstance(value, Outside):
        return (External(value.name.rpartition(".")[2], arguments),)
    return (value,)


def awaited(value: Value, awaitables: frozenset[str]) -> Values:
    if isinstance(value, External) and value.arguments and value.name.rpartition(".")[2] in awaitables:
        return value.arguments[-1]
    return (value,)


def replace_self(values: Values, receiver: Value | None, owner: str) -> Values:
    """A method that returns its own instance returns the receiver's type, also when it was inherited."""
    if receiver is None or not isinstance(receiver, Instance):
        return values
    return tuple(receiver if isinstance(v, Instance) and v.name == owner and not v.arguments else v for v in values)


def merge_c3(sequences: list[list[Base]]) -> list[Base] | None:
    """Merge linearisations as Python does; None when there is no consistent order."""
    result: list[Base] = []
    rest = [s for s in sequences if s]
    while rest:
        head = next((s[0] for s in rest if not any(s[0] in other[1:] for other in rest)), None)
        if head is None:
            return None
        result.append(head)
        rest = [t for t in ([v for v in s if v != head] for s in rest) if t]
    return result
