"""The relationships that one file states: its facts, evaluated.

`relationships_of` goes through what the file defines, imports, declares and calls, asks the evaluator what each
expression stands for, and keeps one relationship per source, type and target with how it was found. `collected` keeps
them, `calls` finds what is called and what is registered; everything else is here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sightline.graph.build.calls import Calls
from sightline.graph.build.confidence import BY_CONVENTION, CERTAIN, PROVEN, STRUCTURAL
from sightline.graph.build.evaluate import Evaluator
from sightline.graph.build.structural import implemented
from sightline.graph.build.targets import preferred
from sightline.graph.build.tested import is_test_file, is_test_name, tested_names
from sightline.graph.build.values import EVERYWHERE
from sightline.languages import facts as f
from sightline.languages.facts import Target
from sightline.languages.values import Class, External, Module, Outside
from sightline.types import Relationship, RelationshipType, Resolution

if TYPE_CHECKING:
    from sightline.languages.facts import Definition, FileFacts


_MAX_CYCLIC = 100_000  # evaluations for one file that met a cycle: the last net; at most 29,610 in the scala compiler


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


class _Edges(Calls):
    """Collects the relationships of one file."""

    # Containment and imports

    def contains(self) -> None:
        """Module → object, class → member."""
        for definition in self.facts.definitions[1:]:
            if definition.flags & f.HIDDEN:
                continue
            owner = self._owner(definition)
            source = owner.definition if owner is not None else self._visible(definition.parent)
            self.add(source, "contains", Target(self.facts, definition), "local", definition.line, CERTAIN)

    def _owner(self, definition: Definition) -> Target | None:
        """The class that a member written outside of it belongs to."""
        nested = self.facts.definitions[definition.parent]
        if not definition.owner or nested.qualified_name == definition.owner:
            return None
        owners = self.table.definitions(self._space_of(definition.owner), definition.owner)
        own = [o for o in owners if o.facts is self.facts and not o.definition.flags & f.HIDDEN]
        found = own or [o for o in owners if o.definition.kind in f.TYPE_KINDS and not o.definition.flags & f.HIDDEN]
        if found:
            return found[0]
        around = self.facts.scopes[definition.scope].parent if definition.scope > 0 else -1
        extension = self.facts.definitions[self.facts.scopes[around].definition] if around > 0 else None
        return self._extended(extension) if extension is not None else None

    def _space_of(self, qualified_name: str) -> str:
        return self.evaluator.hierarchy.space_of(self.facts, qualified_name)

    def _extended(self, definition: Definition) -> Target | None:
        """The type that an extension adds to."""
        if not definition.flags & f.EXTENSION:
            return None
        value = self.ask(self.evaluator.hierarchy.extended, self.facts, definition)
        return self.target_of(value) if value is not None else None

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
                    self.add(module, "imports", Target(target.facts, target.facts.definitions[0]), "import", line)
                    continue
                # An object that the module only hands on is imported by the module that defines or takes it.
                if target is not None and file is not None and target.facts.space == file.facts.space:
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
        return Target(facts, facts.definitions[0])

    # Declarations

    def declared(self, definition: Definition) -> None:
        """Bases, overridden members, types named in the signature, decorators."""
        facts, source = self.facts, self._visible(definition.index)
        extended = self._extended(definition)
        if extended is not None:
            source = extended.definition
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
            how: Resolution = "local" if decorator.facts is self.facts else "import"
            self.add(decorator.definition, "decorates", Target(self.facts, decorated), how, line)

    def _base(self, source: Definition, expression: int, role: int, line: int, scope: int) -> None:
        values = self.evaluator.value(self.facts, scope, expression, f.position(line - 1, 0))
        type_: RelationshipType = "implements" if role in (f.IMPLEMENTS, f.CONFORMS) else "inherits"
        for value in tuple(v for v in values if isinstance(v, Class)) or values:
            target = self.target_of(value)
            if target is not None:
                if role in (f.BY_TARGET, f.CONFORMS):
                    type_ = "implements" if target.definition.kind == "interface" != source.kind else "inherits"
                # A type alias is no type of its own: what extends it takes on its members, and has no further base.
                named: RelationshipType = (
                    "uses_type" if target.definition.kind == "type_alias" and self.structural else type_
                )
                self.add(source, named, target, "local" if target.facts is self.facts else "import", line)
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
            targets = [t for t in targets if len(t.definition.parameters) == len(definition.parameters)]
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
                    self.add(source, "uses_type", target, "local" if target.facts is self.facts else "import", line)

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
                    self.add(source, "tests", Target(target, reached), call.resolution, call.site_line, call.confidence)
        for test in tests.values():
            for name in tested_names(test.name):
                guessed = self.table.guessed(self.family, name, by_test=False)
                named = [target for target in guessed if target.definition.kind != "method"]
                if len(named) == 1:
                    self.add(test, "tests", named[0], "unique_name", test.line, BY_CONVENTION)
