"""The relationships of one file while they are collected, and the objects that values are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import xxhash

from sightline.graph.build.confidence import BY_RESOLUTION
from sightline.graph.build.evaluate import Evaluator
from sightline.graph.build.includes import included
from sightline.graph.build.memo import GivenUpError
from sightline.graph.build.targets import linked
from sightline.graph.build.tested import is_test_file
from sightline.languages import facts as f
from sightline.languages import family_of, rules_of
from sightline.languages.facts import Target
from sightline.languages.values import Class, Function, Instance, Module, Value, Values
from sightline.triplet import triplet
from sightline.types import Relationship, RelationshipType, Resolution

if TYPE_CHECKING:
    from sightline.languages.facts import Definition, FileFacts

T = TypeVar("T")


class Collected:
    """The relationships of one file that were found so far."""

    def __init__(self, evaluator: Evaluator, facts: FileFacts) -> None:
        self.evaluator = evaluator
        self.table = evaluator.table
        self.facts = facts
        self.rules = rules_of(facts.language)
        self.family = family_of(facts.language)
        self.referred = False
        self.structural = self.rules.types_are_not_values
        self.found: dict[str, Relationship] = {}
        self.given_up = 0

    def ask(self, question: Callable[..., T], *arguments: Any) -> T | None:
        """One question to the evaluator, which may have to give it up."""
        self.evaluator.begin_query()
        try:
            return question(*arguments)
        except GivenUpError:
            self.given_up += 1
            return None

    def sorted(self) -> list[Relationship]:
        """The collected relationships by place."""
        return sorted(
            self.found.values(), key=lambda r: (r.site_line, r.relationship_type, r.source_id, r.target_name, r.id)
        )

    def add(
        self,
        source: Definition,
        type_: RelationshipType,
        target: Target | str,
        how: Resolution,
        line: int,
        confidence: float | None = None,
        label: str = "",
    ) -> None:
        """Add a relationship, or strengthen the one that is there."""
        if isinstance(target, str):
            target_id, target_name, target_path, key = "", target, "", target
        else:
            meant = target.definition
            target_id, target_name, target_path = meant.id, meant.qualified_name, target.facts.path
            key = target_id
            if target_id == source.id and type_ not in ("calls", "instantiates"):
                return
        sure = BY_RESOLUTION[how] if confidence is None else confidence
        stated = f"{source.id}\0{type_}\0{key}" + (f"\0{label}" if label else "")
        id_ = xxhash.xxh3_64_hexdigest(stated.encode("utf-8", "replace"))
        known = self.found.get(id_)
        if known is not None and known.confidence >= sure and known.site_line <= line:
            return
        best = known if known is not None and known.confidence >= sure else None
        self.found[id_] = Relationship(
            id=id_,
            relationship_type=type_,
            path=self.facts.path,
            source_id=source.id,
            source_name=source.qualified_name,
            target_id=target_id,
            target_name=target_name,
            target_path=target_path,
            triplet=triplet(source.qualified_name, type_, target_name, label),
            confidence=best.confidence if best is not None else round(sure, 3),
            resolution=best.resolution if best is not None else how,
            site_line=min(line, known.site_line) if known is not None else line,
            label=label,
        )

    def _is_own(self, space: str) -> bool:
        """Is this the file's namespace, or the file's part of it?"""
        return space in (self.facts.space, self.facts.path)

    def _visible(self, index: int) -> Definition:
        """The nearest definition around that is an object."""
        definition = self.facts.definitions[max(index, 0)]
        while definition.flags & f.HIDDEN and definition.parent >= 0:
            definition = self.facts.definitions[definition.parent]
        return definition

    def _targets(self, values: Values) -> list[Target]:
        """The objects that calling these values reaches."""
        targets: list[Target] = []
        for value in values:
            if isinstance(value, Instance):
                called = self.evaluator.special_member(value, self.rules.special.called)
                targets.extend(self._targets(called[0]) if called is not None else [])
                continue
            if isinstance(value, Module) and self.rules.default_export:  # `module.exports = f`
                whole = self.evaluator.exported(value.space, self.rules.default_export) or ()
                targets.extend(self._targets(tuple(v for v in whole if not isinstance(v, Module))))
                continue
            target = self.target_of(value)
            if target is not None:
                targets.append(target)
        return list({target.definition.id: target for target in targets}.values())

    def target_of(self, value: Value) -> Target | None:
        """The object that a value is."""
        if isinstance(value, Function):
            facts = self.table.files.get(value.path)
            return Target(facts, facts.definitions[value.definition]) if facts is not None else None
        if isinstance(value, Class):
            found = [d for d in self.table.definitions(value.space, value.name) if not d.definition.flags & f.HIDDEN]
            types = [d for d in found if d.definition.kind in f.TYPE_KINDS]
            if len(types) > 1 and self.rules.linked:
                types = self._nearest_type(types)
            return next(iter(types or found), None)
        return None

    def seen(self, facts: FileFacts) -> frozenset[str]:
        """The files that a file of C sees by its includes."""
        return included(self.evaluator, facts.path)

    def _nearest_type(self, types: list[Target]) -> list[Target]:
        """Of types of one name that several programs of a root define, those that a file can mean."""
        known = [t for t in types if not is_test_file(t.facts.path)] if not is_test_file(self.facts.path) else types
        return linked(self.facts, known or types, self.seen(self.facts))
