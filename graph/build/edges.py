"""The relationships that one file states: its facts, evaluated.

`relationships_of` goes through what the file defines, imports, declares and calls, asks the evaluator what each
expression stands for, and keeps one relationship per source, type and target with how it was found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import xxhash

from sightline.graph.build.confidence import (
    BY_CONVENTION,
    BY_RESOLUTION,
    CERTAIN,
    PROVEN,
    REGISTERED,
    SEVERAL_VALUES,
    STORED,
    STRUCTURAL,
    THROUGH_FIELD,
    THROUGH_FIELD_NAME,
    THROUGH_MACRO,
)
from sightline.graph.build.evaluate import Evaluator
from sightline.graph.build.includes import included
from sightline.graph.build.memo import GivenUpError
from sightline.graph.build.structural import implemented
from sightline.graph.build.targets import Target, by_name, choose_overloads, linked, preferred
from sightline.graph.build.tested import is_test_file, is_test_name, tested_names
from sightline.graph.build.values import EVERYWHERE
from sightline.languages import facts as f
from sightline.languages import family_of, rules_of
from sightline.languages.paths import is_header
from sightline.languages.values import TYPED, Class, External, Function, Instance, Module, Outside, Super, Value, Values
from sightline.triplet import triplet
from sightline.types import Relationship, RelationshipType, Resolution

if TYPE_CHECKING:
    from sightline.languages.facts import Definition, FileFacts
    from sightline.languages.rows import Registration

T = TypeVar("T")

_MAX_CYCLIC = 100_000  # evaluations for one file that met a cycle: the last net; at most 29,610 in the scala compiler
_MAX_KEPT, _FEW_KEPT = 16, 4  # functions that a call through a field may reach, by its type and by its name alone
_MAX_MACROS = 3  # that stand in each other's text


class Resolved(NamedTuple):
    """What resolving a file gave."""

    relationships: list[Relationship]  # in a stable order
    given_up: int  # questions about the file that went round in circles for too long


def relationships_of(evaluator: Evaluator, facts: FileFacts) -> Resolved:
    """All relationships that a file states."""
    evaluator.begin_file()
    edges = _Edges(evaluator, facts)
    edges.contains()
    edges.imports()
    for definition in facts.definitions:
        edges.declared(definition)
    for scope, callee, arguments, positions, kind in facts.calls:
        if evaluator.cyclic > _MAX_CYCLIC:
            edges.given_up += 1
            continue
        for at in positions if len(positions) > 1 and edges.is_volatile(scope, callee) else positions[:1]:
            edges.called(scope, callee, arguments, at, referred=kind == f.REFERENCE_SITE)
    for registration in facts.registrations:
        edges.registered(registration)
    edges.tests()
    return Resolved(edges.sorted(), edges.given_up)


class _Edges:
    """Collects the relationships of one file."""

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
            target_id, target_name, target_path = target[1].id, target[1].qualified_name, target[0].path
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

    # Containment and imports

    def contains(self) -> None:
        """Module → object, class → member."""
        for definition in self.facts.definitions[1:]:
            if definition.flags & f.HIDDEN:
                continue
            owner = self._owner(definition)
            source = owner[1] if owner is not None and owner[0] is self.facts else self._visible(definition.parent)
            if owner is not None and owner[0] is not self.facts:
                source = owner[1]
            self.add(source, "contains", (self.facts, definition), "local", definition.line, CERTAIN)

    def _owner(self, definition: Definition) -> Target | None:
        """The class that a member written outside of it belongs to."""
        nested = self.facts.definitions[definition.parent]
        if not definition.owner or nested.qualified_name == definition.owner:
            return None
        owners = self.table.definitions(self._space_of(definition.owner), definition.owner)
        own = [o for o in owners if o[0] is self.facts and not o[1].flags & f.HIDDEN]
        found = own or [o for o in owners if o[1].kind in f.TYPE_KINDS and not o[1].flags & f.HIDDEN]
        if found:
            return found[0]
        around = self.facts.scopes[definition.scope].parent if definition.scope > 0 else -1
        extension = self.facts.definitions[self.facts.scopes[around].definition] if around > 0 else None
        return self._extended(extension) if extension is not None else None

    def _space_of(self, qualified_name: str) -> str:
        return self.evaluator.hierarchy.space_of(self.facts, qualified_name)

    def _is_own(self, space: str) -> bool:
        """Is this the file's namespace, or the file's part of it?"""
        return space in (self.facts.space, self.facts.path)

    def _extended(self, definition: Definition) -> Target | None:
        """The type that an extension adds to."""
        if not definition.flags & f.EXTENSION:
            return None
        value = self.ask(self.evaluator.hierarchy.extended, self.facts, definition)
        return self.target_of(value) if value is not None else None

    def _visible(self, index: int) -> Definition:
        """The nearest definition around that is an object."""
        definition = self.facts.definitions[max(index, 0)]
        while definition.flags & f.HIDDEN and definition.parent >= 0:
            definition = self.facts.definitions[definition.parent]
        return definition

    def imports(self) -> None:
        """Module → module, and → the object where an object is imported."""
        module = self.facts.definitions[0]
        for line, spec, names in self.facts.imports:
            self.ask(self._import, module, spec, names, line)

    def _import(self, module: Definition, spec: str, names: list[str], line: int) -> None:
        for value in self.evaluator.module(self.facts, spec):
            if isinstance(value, Module):
                self._import_names(module, value.space, names, line)
            else:
                self._import_outside(module, spec, names, line)

    def _import_names(self, module: Definition, space: str, names: list[str], line: int) -> None:
        file = self.file_of(space)
        files = 0
        for name in names:
            for value in self.evaluator.exported(space, name) or ():
                if isinstance(value, Module):
                    submodule = self.file_of(value.space) if self.rules.imports_submodules else None
                    if submodule is not None:
                        self.add(module, "imports", submodule, "import", line)
                        files += 1
                    continue
                target = self.target_of(value)
                if target is not None and self.rules.imports_objects:
                    self.add(module, "imports", target, "import", line)
                    self.add(module, "imports", (target[0], target[0].definitions[0]), "import", line)
                    continue
                # An object that the module only hands on is imported by the module that defines or takes it.
                if target is not None and file is not None and target[0].space == file[0].space:
                    self.add(module, "imports", target, "import", line)
        if self.rules.open_packages and len(self.table.files_of_space(space)) > 1:
            return
        if file is not None and not self.rules.imports_objects and (not names or files < len(names)):
            self.add(module, "imports", file, "import", line)

    def _import_outside(self, module: Definition, spec: str, names: list[str], line: int) -> None:
        """A package without a file of its own may still hold modules of the root."""
        inside = 0
        for name in names:
            joined = spec + name if spec.endswith(".") else f"{spec}.{name}"
            space = self.rules.module(self.evaluator, self.facts, joined)
            target = self.file_of(space) if space is not None else None
            if target is not None:
                self.add(module, "imports", target, "import", line)
                inside += 1
        if not inside:
            self.add(module, "imports", spec, "external", line)

    def file_of(self, space: str) -> Target | None:
        """The module object of a namespace: of its file, or of the first of its files."""
        paths = (space,) if space in self.table.files else self.table.files_of_space(space)
        if not paths:
            return None
        facts = self.table.files[paths[0]]
        return facts, facts.definitions[0]

    # Declarations

    def declared(self, definition: Definition) -> None:
        """Bases, overridden members, types named in the signature, decorators."""
        facts, source = self.facts, self._visible(definition.index)
        extended = self._extended(definition)
        if extended is not None:
            source = extended[1]
        around = facts.scopes[definition.scope].parent if definition.scope > 0 else 0
        hidden = definition.flags & f.HIDDEN and not definition.flags & f.EXTENSION
        for expression, role, line in () if hidden else definition.bases:
            if definition.flags & f.EXTENSION and extended is None:
                break  # of a type outside the root
            self.ask(self._base, source, expression, role, line, around)
        if definition.owner and definition.kind == "method":
            self.ask(self._overrides, definition)
        if self.rules.structural_interfaces and definition.kind in ("struct", "type_alias"):
            self.ask(self._implements, source, definition)
        inner = definition.scope if definition.scope >= 0 else around
        named = [(type_, definition.line) for _, type_ in definition.parameters if type_ >= 0]
        if definition.result >= 0:
            named.append((definition.result, definition.line))
        for expression, line in (*named, *definition.uses):
            self.ask(self._types, source, expression, inner, line)
        for expression, line in definition.decorators:
            self.ask(self._decorates, source, expression, line, around)

    def _implements(self, source: Definition, definition: Definition) -> None:
        """The interfaces whose methods a type has."""
        for interface in preferred(self.table, implemented(self.evaluator, self.facts, definition)):
            self.add(source, "implements", interface, "typed", definition.line, STRUCTURAL)

    def _decorates(self, decorated: Definition, expression: int, line: int, scope: int) -> None:
        """The decorator is the source, but the edge belongs to the file that states it."""
        for decorator in self._targets(self.evaluator.value(self.facts, scope, expression, f.position(line - 1, 0))):
            how: Resolution = "local" if decorator[0] is self.facts else "import"
            self.add(decorator[1], "decorates", (self.facts, decorated), how, line)

    def _base(self, source: Definition, expression: int, role: int, line: int, scope: int) -> None:
        values = self.evaluator.value(self.facts, scope, expression, f.position(line - 1, 0))
        type_: RelationshipType = "implements" if role in (f.IMPLEMENTS, f.CONFORMS) else "inherits"
        for value in tuple(v for v in values if isinstance(v, Class)) or values:
            target = self.target_of(value)
            if target is not None:
                if role in (f.BY_TARGET, f.CONFORMS):
                    type_ = "implements" if target[1].kind == "interface" != source.kind else "inherits"
                # A type alias is no type of its own: what extends it takes on its members, and has no further base.
                named: RelationshipType = "uses_type" if target[1].kind == "type_alias" and self.structural else type_
                self.add(source, named, target, "local" if target[0] is self.facts else "import", line)
            elif isinstance(value, (External, Outside)):
                self.add(source, type_, value.name, "external", line)

    def _overrides(self, definition: Definition) -> None:
        block = self._block_of(definition) if self.rules.blocks_are_of_their_base else None
        if block is not None:
            targets = self._members_of_base(block, definition.name)
        else:
            owner = Class(self._space_of(definition.owner), definition.owner, ())
            found = self.evaluator.class_member(owner, definition.name, skip=1)
            targets = self._targets(found[0]) if found is not None else []
        if self.rules.overloads:
            targets = [t for t in targets if len(t[1].parameters) == len(definition.parameters)]
        for target in targets[:1]:
            self.add(definition, "overrides", target, "inherited", definition.line)

    def _block_of(self, definition: Definition) -> Definition | None:
        """The block around a method that adds to a type."""
        scope = self.facts.scopes[definition.scope].parent if definition.scope > 0 else -1
        around = self.facts.definitions[self.facts.scopes[scope].definition] if scope > 0 else None
        return around if around is not None and around.flags & f.EXTENSION else None

    def _members_of_base(self, block: Definition, name: str) -> list[Target]:
        """What the bases that a block names have under a name."""
        around = self.facts.scopes[block.scope].parent if block.scope > 0 else 0
        targets: list[Target] = []
        for expression, _, line in block.bases:
            for value in self.evaluator.value(self.facts, around, expression, f.position(line - 1, 0)):
                found = self.evaluator.class_member(value, name) if isinstance(value, Class) else None
                targets += self._targets(found[0]) if found is not None else []
        return targets

    def _types(self, source: Definition, expression: int, scope: int, line: int) -> None:
        """Every type that a type expression names."""
        row = self.facts.expressions[expression]
        if row[0] in (f.UNION, f.GENERIC, f.INSTANCE, f.TUPLE, f.ELEMENT):
            for member in row[1:]:
                self._types(source, member, scope, line)
        elif row[0] == f.CONTAINER:
            for member in row[2:]:
                self._types(source, member, scope, line)
        elif row[0] in (f.NAME, f.ATTRIBUTE, f.TYPE):
            for value in self.evaluator.value(self.facts, scope, expression, EVERYWHERE):
                target = self.target_of(value) if isinstance(value, Class) else None
                if target is not None:
                    self.add(source, "uses_type", target, "local" if target[0] is self.facts else "import", line)

    # Calls

    def is_volatile(self, scope: int, expression: int) -> bool:
        """May the expression mean different things at different places of a scope? It does when its name is rebound."""
        row = self.facts.expressions[expression]
        while row[0] in f.OVER_FIRST:
            row = self.facts.expressions[row[1]]
        if row[0] != f.NAME:
            return False
        name = self.facts.names[row[1]]
        while scope >= 0:
            bindings = self.facts.bindings[scope].get(name)
            if bindings:
                return len(bindings) > 1
            scope = self.facts.scopes[scope].parent
        return False

    def called(self, scope: int, callee: int, arguments: int, at: int, *, referred: bool) -> None:
        """One call site; a function that is only referred to may be called by whoever gets it."""
        self.referred = referred
        self.ask(self._called, scope, callee, arguments, at)

    def _called(self, scope: int, callee: int, arguments: int, at: int) -> None:
        source = self._visible(self.facts.scopes[scope].definition)
        row, line = self.facts.expressions[callee], f.line_of(at)
        if row[0] == f.ITEM and any(
            isinstance(v, Function) for v in self.evaluator.value(self.facts, scope, row[1], at)
        ):
            row = self.facts.expressions[row[1]]  # a generic function with its type arguments
        if row[0] == f.NAME:
            name = self.facts.names[row[1]]
            found = self.evaluator.look_up(self.facts, scope, name, at)
            if found is None:
                if self.rules.guesses_names:
                    self._by_name(source, name, line, arguments, member=False)
                return
            values, how = found
            imported = how == "import"
            self._call(source, values, _as_resolution(how), line, arguments, "" if imported else name)
        elif row[0] == f.METHOD:
            found = self.evaluator.look_up_method(self.facts, scope, self.facts.names[row[1]], arguments)
            if found is not None:
                self._call(source, found[0], _as_resolution(found[1]), line, arguments)
        elif row[0] in (f.SUPER, f.SELF_TYPE):
            self._constructor_call(source, scope, row[0], arguments, line)
        elif row[0] == f.TYPE:
            values = self.evaluator.value(self.facts, scope, callee, at)
            own = any(isinstance(v, Class) and self._is_own(v.space) for v in values)
            self._call(source, values, "local" if own else "import", line, arguments)
        elif row[0] == f.ATTRIBUTE:
            self._member_call(source, scope, row, arguments, at)
        else:
            values = self.evaluator.value(self.facts, scope, callee, at)
            self._call(source, values, "typed", line, arguments)

    def _constructor_call(self, source: Definition, scope: int, operator: int, arguments: int, line: int) -> None:
        """`this(…)`, `super(…)`: the constructor of the class around, or of its base."""
        around = self.evaluator.own_class(self.facts, scope)
        if around is None:
            return
        bases = self.evaluator.hierarchy.linearised(*around)
        value = bases[0] if operator == f.SELF_TYPE else next(iter(bases[1:]), None)
        if value is None or not isinstance(value, Class):
            return
        owner = self.target_of(value)
        others = rules_of(owner[0].language).constructors if owner is not None else ()
        names = (value.name.rpartition(".")[2], *others)
        found = [t for name in names for t in self.table.definitions(value.space, f"{value.name}.{name}")]
        constructors = [t for t in found if t[1].kind == "constructor"]
        how: Resolution = "self" if operator == f.SELF_TYPE else "inherited"
        for target in choose_overloads(constructors, arguments):
            self.add(source, "calls", target, how, line)
        if not constructors and owner is not None:
            self.add(source, "instantiates" if operator == f.SELF_TYPE else "calls", owner, how, line)

    def _member_call(self, source: Definition, scope: int, row: Sequence[int], arguments: int, at: int) -> None:
        name, line = self.facts.names[row[2]], f.line_of(at)
        receivers = self.evaluator.value(self.facts, scope, row[1], at)
        if not receivers:
            self._by_name(source, name, line, arguments, member=True)
            self._through_field(source, (), name, line)
            return
        by_how: dict[Resolution, list[Values]] = {}
        for receiver in receivers:
            count = arguments if self.rules.overloads else -1
            values = self.evaluator.member(receiver, name, self.facts, count)
            by_how.setdefault(self._how(scope, row[1], receiver, name), []).append(values)
        several = sum(len(v) for parts in by_how.values() for v in parts) > 1
        for how, parts in by_how.items():
            merged = tuple(dict.fromkeys(v for values in parts for v in values))
            if not merged:
                self._through_field(source, receivers, name, line)
            self._call(source, merged, how, line, arguments, "" if how == "import" else name, several=several)

    def _through_field(self, source: Definition, receivers: Values, name: str, line: int) -> None:
        """`ops->open(…)`: the functions that are kept in that field of that type, as far as they are not too many."""
        if not self.rules.linked or (name in self.rules.builtins | self.rules.common_members and not receivers):
            return
        types = {(v.space, v.name) for v in receivers if isinstance(v, Instance)}
        if receivers and not types:
            return
        found: dict[str, Target] = {}
        for facts, kept in self.table.kept(self.family, name):
            held_by = self.evaluator.value(facts, kept.scope, kept.holder, kept.at)
            holders = {(v.space, v.name) for v in held_by if isinstance(v, Instance)}
            if not types or holders & types:
                targets, _ = self._kept_functions(facts, kept.scope, kept.value, kept.at)
                found.update({t[1].id: t for t in targets})
        if len(found) <= (_MAX_KEPT if types else _FEW_KEPT):
            for target in found.values():
                sure = THROUGH_FIELD if types else THROUGH_FIELD_NAME
                self.add(source, "calls", target, "ambiguous", line, sure)

    def _how(self, scope: int, expression: int, receiver: Value, name: str) -> Resolution:
        """How the member of a receiver was found."""
        row = self.facts.expressions[expression]
        if isinstance(receiver, (Module, Outside)):
            return "import"
        if isinstance(receiver, Super):
            return "inherited"
        if isinstance(receiver, TYPED):
            own = row[0] in (f.SELF, f.SELF_TYPE) or (row[0] == f.NAME and self._is_receiver(scope, row[1]))
            found = self.evaluator.class_member(receiver, name)
            if own:
                return "self" if found is not None and found[1] == 0 else "inherited"
            if isinstance(receiver, Class):
                if found is not None and found[1] > 0:
                    return "inherited"
                return "local" if self._is_own(receiver.space) else "import"
            if found is None and self.table.members(receiver.space, receiver.name, f.SPREAD):
                return "import"  # from a module, most often, which may export it under another name
        return "typed"

    def _is_receiver(self, scope: int, name: int) -> bool:
        """Is this name the instance that the method around is called on?"""
        text = self.facts.names[name]
        if text in self.rules.self_names:
            return True
        while scope > 0:
            bindings = self.facts.bindings[scope].get(text)
            if bindings:
                return bool(bindings[0].flags & f.RECEIVER)
            scope = self.facts.scopes[scope].parent
        return False

    def _call(
        self,
        source: Definition,
        values: Values,
        how: Resolution,
        line: int,
        arguments: int,
        name: str = "",
        *,
        several: bool = False,
    ) -> None:
        """Calls of values; a target that goes by another name than `name` was stored in a variable or a field."""
        targets = self._targets(values)
        if self.rules.calls_convert:
            targets = [t for t in targets if t[1].kind not in f.TYPE_KINDS]
        elif self.rules.linked:
            targets = [
                t for t in targets if t[1].kind != "type_alias"
            ]  # of a number, or it would be what it stands for
        elif self.rules.types_are_not_values:
            targets = [t for t in targets if t[1].kind not in ("interface", "type_alias")]
        if arguments < -1 and len(targets) > 1:
            targets = self.rules.labelled(targets, self.facts.names[-arguments - 2])
        if self.rules.linked:
            targets = self._with_bodies(targets)
        targets = choose_overloads(targets, arguments)
        if self.rules.linked and len(targets) > 1:
            declared = [t for t in targets if t[1].flags & f.OVERLOAD][:1]
            targets = linked(self.facts, targets, self._seen(self.facts))
            if len({(t[0].path, t[1].qualified_name) for t in targets}) > 1:
                for target in declared:  # which body is linked is open, which function is meant is not
                    self.add(source, "calls", target, how, line)
                how, several = "ambiguous", False
        elif self.rules.linked and how == "import" and self._is_unseen_macro(targets):
            how = "ambiguous"
        if len(targets) > 1:
            targets = preferred(self.table, targets)
        factor = SEVERAL_VALUES if several or len(targets) > 1 else 1.0
        for target in targets:
            type_: RelationshipType = "instantiates" if target[1].kind in f.TYPE_KINDS else "calls"
            stored = (
                bool(name)
                and target[1].name not in (name, self.rules.special.called)
                and target[1].kind != "constructor"
            )
            if stored or self.referred:
                self.add(source, type_, target, "ambiguous", line, STORED)
            else:
                self.add(source, type_, target, how, line, BY_RESOLUTION[how] * factor)
        for value in values:
            if isinstance(value, Outside):
                self.add(source, "calls", value.name, "external", line)
        if self.rules.linked:
            for target in self._expanded(targets):
                self.add(source, "calls", target, how, line, THROUGH_MACRO)

    def _seen(self, facts: FileFacts) -> frozenset[str]:
        return included(self.evaluator, facts.path)

    def _is_unseen_macro(self, targets: list[Target]) -> bool:
        """A macro of a file that this one does not include: another library's, or a platform's. A header may count on
        what stands before it."""
        return (
            len(targets) == 1
            and targets[0][1].kind == "macro"
            and not is_header(self.facts.path)
            and targets[0][0].path not in self._seen(self.facts)
        )

    def _with_bodies(self, targets: list[Target]) -> list[Target]:
        """Prototypes that a file states for itself, and the bodies elsewhere that they stand for."""
        found = {t[1].id: t for t in targets}
        for facts, definition in targets:
            if definition.flags & f.OVERLOAD:
                named = self.table.definitions(facts.space, definition.qualified_name)
                found.update({t[1].id: t for t in named if t[1].kind == definition.kind})
        return list(found.values())

    def _expanded(self, targets: list[Target]) -> list[Target]:
        """The functions that the text of macros calls, or that they are another name for, through a few macros."""
        found: dict[str, Target] = {}
        seen, level = set[str](), targets
        for _ in range(_MAX_MACROS):
            macros = [t for t in level if t[1].kind == "macro" and t[1].result >= 0 and t[1].id not in seen]
            seen.update(macro[1].id for macro in macros)
            level = [
                chosen
                for macro in macros
                for named in _by_name(self._with_bodies(self._targets(self.evaluator.alias(*macro))))
                for chosen in linked(self.facts, named, self._seen(self.facts))
            ]
            found.update({t[1].id: t for t in level if t[1].kind in f.CALLABLE_KINDS and t[1].kind != "macro"})
        return list(found.values())

    def _targets(self, values: Values) -> list[Target]:
        """The objects that calling these values reaches."""
        targets: list[Target] = []
        for value in values:
            if isinstance(value, Instance):
                called = self.evaluator.special_member(value, self.rules.special.called)
                targets.extend(self._targets(called[0]) if called is not None else [])
                continue
            target = self.target_of(value)
            if target is not None:
                targets.append(target)
        return list({target[1].id: target for target in targets}.values())

    def target_of(self, value: Value) -> Target | None:
        """The object that a value is."""
        if isinstance(value, Function):
            facts = self.table.files.get(value.path)
            return (facts, facts.definitions[value.definition]) if facts is not None else None
        if isinstance(value, Class):
            found = [d for d in self.table.definitions(value.space, value.name) if not d[1].flags & f.HIDDEN]
            types = [d for d in found if d[1].kind in f.TYPE_KINDS]
            if len(types) > 1 and self.rules.linked:
                types = self._nearest_type(types)
            return next(iter(types or found), None)
        return None

    def _nearest_type(self, types: list[Target]) -> list[Target]:
        """Of types of one name that several programs of a root define, those that a file can mean."""
        known = [t for t in types if not is_test_file(t[0].path)] if not is_test_file(self.facts.path) else types
        return linked(self.facts, known or types, self._seen(self.facts))

    def _by_name(self, source: Definition, name: str, line: int, arguments: int, *, member: bool) -> None:
        """The last resort: nothing is known about the receiver, but the name has few definitions in the root."""
        candidates = by_name(self.table, self.facts, source, name, arguments, member=member)
        how: Resolution = "unique_name" if len(candidates) == 1 else "ambiguous"
        for candidate in candidates:
            type_: RelationshipType = "instantiates" if candidate[1].kind in f.TYPE_KINDS else "calls"
            sure = self.rules.unique_name if how == "unique_name" else None
            self.add(source, type_, candidate, how, line, sure)

    # Functions as values

    def registered(self, registration: Registration) -> None:
        """A function that is kept or handed on; whatever else has the same form is data."""
        scope, value, at, label, _, stated = registration
        found = self.ask(self._kept_functions, self.facts, scope, value, at)
        if not found:
            return
        source = self._visible(stated if stated >= 0 else self.facts.scopes[scope].definition)
        targets, how = found
        factor = SEVERAL_VALUES if len(targets) > 1 else 1.0
        for target in targets:
            sure = BY_RESOLUTION[how] * factor * REGISTERED
            self.add(source, "registers", target, how, f.line_of(at), sure, self.facts.names[label])

    def _kept_functions(
        self, facts: FileFacts, scope: int, expression: int, at: int
    ) -> tuple[list[Target], Resolution]:
        """The functions that an expression without a call may be, and how they were found."""
        row = facts.expressions[expression]
        how: Resolution = "typed"
        if row[0] == f.NAME:
            looked_up = self.evaluator.look_up(facts, scope, facts.names[row[1]], at)
            values, how = (looked_up[0], _as_resolution(looked_up[1])) if looked_up is not None else ((), how)
        elif row[0] == f.ATTRIBUTE and facts is self.facts:
            receivers = self.evaluator.value(facts, scope, row[1], at)
            name = facts.names[row[2]]
            values = tuple(v for r in receivers for v in self.evaluator.member(r, name, facts))
            how = self._how(scope, row[1], receivers[0], name) if receivers else how
        else:
            values = self.evaluator.value(facts, scope, expression, at)
            how = "local" if row[0] == f.DEFINED else how
        functions = tuple(dict.fromkeys(v for v in values if isinstance(v, Function)))
        targets = [t for t in self._targets(functions) if t[1].kind != "macro"]
        if self.rules.linked:
            targets = linked(facts, self._with_bodies(targets), self._seen(facts))
        targets = preferred(self.table, choose_overloads(targets, -1))
        return targets, "ambiguous" if self.rules.linked and len(targets) > 1 else how

    # Tests

    def tests(self) -> None:
        """What a test calls directly, and what it is named after."""
        if not is_test_file(self.facts.path):
            return
        calls = [r for r in self.found.values() if r.relationship_type in ("calls", "instantiates") and r.target_id]
        tests = {d.id: d for d in self.facts.definitions if is_test_name(d.name, d.kind) or d.index == 0}
        for call in calls:
            if call.source_id in tests and call.confidence >= PROVEN and not is_test_file(call.target_path):
                target = self.table.files[call.target_path]
                reached = next((d for d in target.definitions if d.id == call.target_id), None)
                if reached is not None:
                    source = tests[call.source_id]
                    self.add(source, "tests", (target, reached), call.resolution, call.site_line, call.confidence)
        for test in tests.values():
            for name in tested_names(test.name):
                named = [
                    t for t in self.table.everywhere(self.family, name)
                    if t[1].kind != "method" and not is_test_file(t[0].path)
                ]  # fmt: skip
                if len(named) == 1:
                    self.add(test, "tests", named[0], "unique_name", test.line, BY_CONVENTION)


def _by_name(targets: list[Target]) -> list[list[Target]]:
    groups: dict[str, list[Target]] = {}
    for target in targets:
        groups.setdefault(target[1].qualified_name, []).append(target)
    return list(groups.values())


def _as_resolution(how: str) -> Resolution:
    if how == "import":
        return "import"
    if how == "self":
        return "self"
    return "inherited" if how == "inherited" else "local"
