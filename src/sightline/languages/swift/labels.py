"""Overloads that are told apart by the labels of their arguments, as Swift does.

A call states its labels instead of the number of its arguments: `url method &` for `f(url: u, method: m) { … }`, where
`_` has no label and `&` is a trailing closure. A parameter's name is its label, with `=` when it has a default.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sightline.languages.facts import Target

CLOSURE = "&"
DEFAULT = "="


def by_labels(targets: list[Target], labels: str) -> list[Target]:
    """The targets that a call with these labels fits best; all of them when it fits none."""
    given = labels.split()
    rated = [(_unused(target, given), target) for target in targets]
    fitting = [(unused, target) for unused, target in rated if unused >= 0]
    if not fitting:
        return targets
    best = min(unused for unused, _ in fitting)
    return [target for unused, target in fitting if unused == best]


def _unused(target: Target, given: list[str]) -> int:
    """How many parameters a call leaves to their defaults, -1 when it does not fit."""
    facts, definition = target
    parameters = [facts.names[name] for name, _ in definition.parameters]
    closures = given.count(CLOSURE)
    place = unused = 0
    for label in given:
        if label == CLOSURE:
            continue
        while place < len(parameters) and parameters[place].rstrip(DEFAULT) != label:
            if not parameters[place].endswith(DEFAULT):
                return -1
            place, unused = place + 1, unused + 1
        if place == len(parameters):
            return -1
        place += 1
    rest = parameters[place:]
    required = sum(1 for name in rest if not name.endswith(DEFAULT))
    if required > closures or closures > len(rest):
        return -1
    return unused + len(rest) - closures
