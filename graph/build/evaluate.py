"""What an expression of the facts may stand for: classes, instances, functions, modules, or things outside the root.

Evaluation is lazy and follows names through scopes, imports, members and results into other files; every such step
reads the tracked `Table`. `memo` says what is kept of it and what bounds it, `hierarchy` knows the bases of classes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sightline.graph.build import steps
from sightline.graph.build.hierarchy import Hierarchy
from sightline.graph.build.includes import included
from sightline.graph.build.memo import Memo
from sightline.graph.build.stars import handed_on, imported
from sightline.graph.build.values import EVERYWHERE, awaited, own_names, select, shown, unite, with_arguments
from sightline.languages import facts as f
from sightline.languages import rules_of
from sightline.languages.rows import HANDED_ON
from sightline.languages.rules import Rules
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
    Super,
    Typed,
    Value,
    Values,
)

if TYPE_CHECKING:
    from sightline.graph.build.table import Table
    from sightline.languages.facts import Binding, Definition, FileFacts


_FUNCTIONS = ("Function", "KFunction")  # what readers call the type of an anonymous function
_TYPES = (Class, Module, Outside, External)  # what the name of a type may stand for


class Evaluator(Memo):
    """Evaluates expressions of the files of one table."""

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self.hierarchy = Hierarchy(self)

    # Expressions

    def value(self, facts: FileFacts, scope: int, expression: int, at: int) -> Values:
        """What an expression may stand for, at a position of a scope."""
        row = facts.expressions[expression]
        operator = row[0]
        if operator == f.NAME:
            return self.name(facts, scope, facts.names[row[1]], at)
        if operator == f.ATTRIBUTE:
            return self.attribute(facts, scope, row, at)
        if operator == f.CALL:
            values = self.value(facts, scope, row[1], at)
            if len(values) > 1 and rules_of(facts.language).overloads:  # fields and methods are named apart
                values = tuple(v for v in values if isinstance(v, Function)) or values
            return self.each(values, lambda v: steps.called(self, v, facts))
        if operator == f.INSTANCE:
            values = self.value(facts, scope, row[1], at)
            if len(values) > 1:  # a name may be a type and a value at once
                values = tuple(v for v in values if isinstance(v, Class)) or values
            return self.each(values, lambda v: steps.instance(v, facts))
        if operator == f.METHOD:
            found = self.look_up_method(facts, scope, facts.names[row[1]])
            return found[0] if found is not None else ()
        if operator == f.TYPE:
            name = facts.names[row[1]]
            values = self._type(facts, scope, name, at)
            return values or (External(name, ()),)
        if operator == f.LITERAL:
            name = facts.names[row[1]]
            return () if name == f.NOTHING else (External(name, ()),)
        if operator == f.UNION:
            return unite([self.value(facts, scope, member, at) for member in row[1:]])
        if operator in (f.SELF, f.SELF_TYPE, f.SUPER):
            return self._self(facts, scope, operator)
        if operator == f.DEFINED:
            return self.defined(facts, facts.definitions[row[1]])
        if operator == f.MODULE:
            return self.module(facts, facts.names[row[1]])
        if operator == f.GENERIC:
            arguments = tuple(
                self.each(self.value(facts, scope, a, at), lambda v: steps.instance(v, facts)) for a in row[2:]
            )
            return self.each(self.value(facts, scope, row[1], at), lambda v: with_arguments(v, arguments))
        if operator in (f.ELEMENT, f.ITEM):
            return self.each(
                self.value(facts, scope, row[1], at), lambda v: steps.element(self, v, facts, operator == f.ITEM)
            )
        if operator == f.PART:
            return self.each(self.value(facts, scope, row[1], at), lambda v: steps.part(self, v, row[2], facts))
        if operator == f.TAKEN:
            return self.each(self.value(facts, scope, row[1], at), lambda v: steps.taken(self, v, row[2]))
        if operator == f.GIVEN:
            return self.each(self.value(facts, scope, row[1], at), lambda v: steps.given(self, v, row[2], facts))
        if operator == f.TUPLE:
            return (Parts(tuple([self.value(facts, scope, member, at) for member in row[1:]])),)
        if operator == f.CONTAINER:
            members = tuple(self.value(facts, scope, member, at) for member in row[2:])
            return (External(facts.names[row[1]], members),)
        if operator == f.ENTERED:
            return self.each(self.value(facts, scope, row[1], at), lambda v: steps.entered(self, v, facts))
        if operator == f.AWAITED:
            awaitables = rules_of(facts.language).awaitables
            return self.each(self.value(facts, scope, row[1], at), lambda v: awaited(v, awaitables))
        if operator == f.LAMBDA:
            return (Lambda(facts.path, row[1]),)
        return ()

    def _type(self, facts: FileFacts, scope: int, name: str, at: int) -> Values:
        """The types that go by a name; a variable of that name, as in `log::Writer log`, hides none of them."""
        while True:
            found = self.look_up(facts, scope, name, at)
            values = tuple(v for v in found[0] if isinstance(v, _TYPES)) if found is not None else ()
            if values or found is None or scope <= 0:
                return values
            scope = facts.scopes[scope].parent

    def each(self, values: Values, step: Callable[[Value], Values]) -> Values:
        """The union of a step over values."""
        if len(values) == 1:
            return step(values[0])
        return unite([step(value) for value in values])

    # Names

    def name(self, facts: FileFacts, scope: int, name: str, at: int) -> Values:
        """What a bare name stands for; () when it is unknown or not found."""
        found = self.look_up(facts, scope, name, at)
        return found[0] if found is not None else ()

    def look_up(
        self, facts: FileFacts, scope: int, name: str, at: int, *, called: bool = False
    ) -> tuple[Values, str] | None:
        """Values of a bare name with how it was found: local, import, inherited, typed or external; None when nowhere.

        Where the language names functions apart, a name that is `called` is none of a variable that cannot be.
        """
        rules = rules_of(facts.language)
        called = called and rules.calls_pass_over_values
        here, same_function = scope, True
        while here > 0:
            parent, kind, definition = facts.scopes[here]
            if kind == f.CLASS_SCOPE:
                if rules.members_in_scope:
                    values = self._implicit_member(facts, definition, name, called=called)
                    if values is not None and not (called and self._is_no_function(values[0])):
                        return values
                elif (here == scope and rules.class_body_in_scope) or rules.class_names_in_scope:
                    bindings = facts.bindings[here].get(name)
                    if bindings:
                        return self.bound(facts, select(bindings, at, here != scope)), "local"
                same_function = False
            else:
                self.table.read("d", facts.path, facts.definitions[definition].qualified_name if definition else "")
                bindings = facts.bindings[here].get(name)
                if bindings and called and same_function:
                    bindings = [b for b in bindings if b.at <= at or b.flags & f.HOISTED]  # `val size = size()`
                if bindings:
                    chosen = select(bindings, at, not same_function)
                    values_here = self.bound(facts, chosen) if chosen else ()
                    if chosen and not (called and self._is_no_function(values_here)):
                        imported = any(b.flags & f.IMPORTED for b in chosen)
                        return values_here, "import" if imported else "local"
                received = facts.bindings[here].get(f.IMPLICIT)
                if received:
                    values_here = self._received_member(facts, received, name)
                    if values_here and not (called and self._is_no_function(values_here)):
                        return values_here, "typed"
                same_function = same_function and kind != f.FUNCTION_SCOPE
            here = parent
        return self._top_level(facts, name, at if same_function else EVERYWHERE, rules)

    def look_up_method(self, facts: FileFacts, scope: int, name: str, arguments: int = -1) -> tuple[Values, str] | None:
        """A bare method name: a member of the classes around, innermost first, else an import."""
        here = scope
        while here > 0:
            parent, kind, definition = facts.scopes[here]
            if kind == f.CLASS_SCOPE:
                found = self._implicit_member(facts, definition, name, arguments)
                if found is not None and any(isinstance(v, Function) for v in found[0]):
                    return tuple(v for v in found[0] if isinstance(v, Function)), found[1]
            here = parent
        return self._top_level(facts, name, EVERYWHERE, rules_of(facts.language))

    def _top_level(self, facts: FileFacts, name: str, at: int, rules: Rules) -> tuple[Values, str] | None:
        own = facts.bindings[0].get(name)
        if own and facts.space == facts.path:
            self.table.read("n", facts.space, "", name)
            imported = any(b.flags & f.IMPORTED for b in own)
            return self.bound(facts, select(own, at, at == EVERYWHERE)), "import" if imported else "local"
        if facts.space != facts.path:
            if own and any(b.flags & f.IMPORTED for b in own):  # a file's imports are its own
                return self.bound(facts, own), "import"
            shared = self._shared(facts, name)
            if shared is not None:
                return shared
        else:
            self.table.read("n", facts.space, "", name)
        starred = self.starred(facts.path, name, exported=False)
        if starred is not None:
            return starred, "import"
        if name in rules.builtins:
            return (External(name, ()),), "external"
        return None

    def _shared(self, facts: FileFacts, name: str) -> tuple[Values, str] | None:
        """What a name stands for at the top level of a namespace of several files: the file's own first."""
        own = facts.members.get(("", name))
        self.table.read("n", facts.path, "", name)
        if own:
            values: Values = self.guarded(("own", facts.path, name), lambda: self.bound(facts, own), ())
            return values, "local"
        if rules_of(facts.language).linked:
            seen = self._of_included(facts, name)
            if seen is not None:
                return seen, "import"
        others: Values | None = self.guarded(("shared", facts.space, name), lambda: self._of_others(facts, name), None)
        return (others, "import") if others is not None else None

    def _of_included(self, facts: FileFacts, name: str) -> Values | None:
        """Of what several files show under a name, what a file includes; None where that decides nothing."""
        if len(self.table.read("n", facts.space, "", name)) < 2:
            return None
        found: Values | None = self.guarded(
            ("included", facts.path, name), lambda: self._find_included(facts, name), None
        )
        return found

    def _find_included(self, facts: FileFacts, name: str) -> Values | None:
        seen = included(self, facts.path)
        members = self.table.members(facts.space, "", name, among=seen)
        shared = shown([(where, own_names(where, bindings)) for where, bindings in members])
        return unite([self.bound(where, bindings) for where, bindings in shared]) if shared else None

    def _of_others(self, facts: FileFacts, name: str) -> Values | None:
        """What the files of a namespace show each other under a name; None when that is nothing."""
        shared = shown(
            [(where, own_names(where, bindings)) for where, bindings in self.table.members(facts.space, "", name)]
        )
        return unite([self.bound(where, bindings) for where, bindings in shared]) if shared else None

    def starred(self, path: str, name: str, *, exported: bool) -> Values | None:
        """What a name stands for by a star import of a file, or by a star export when asked from outside."""
        found = self.table.stars(path)
        if found is None or not found[1]:
            return None
        facts, stars = found
        if rules_of(facts.language).stars_bring_definitions:
            return self._brought(facts, name, exported=exported)
        unknown = False
        for scope, expression, seen_by in stars:
            if seen_by == HANDED_ON and not exported:
                continue
            for module in self.star(facts, scope, expression):
                if isinstance(module, Class):  # the members of a class or namespace
                    member = self.class_member(module, name)
                    if member is not None:
                        return member[0]
                    continue
                if not isinstance(module, Module):
                    unknown = True
                    continue
                values = self._starred_export(module.space, name)
                if values is not None:
                    return values
        return (External(name, ()),) if unknown else None

    def _brought(self, facts: FileFacts, name: str, *, exported: bool) -> Values | None:
        """The same where all that such imports bring is defined in a file that the imported one hands on.

        So one looks for the few files that define the name among those that are handed on, instead of asking each of
        these, of which a library may have hundreds. What lies outside may have any name, so it is believed last.
        """
        seen = handed_on(self, facts.path) if exported else imported(self, facts.path)
        for path in self.table.files_with_name(rules_of(facts.language).family, name):
            if path != facts.path and any(path in files for files in seen.files):
                return self._starred_export(path, name)
        return (External(name, ()),) if seen.outside else None

    def star(self, facts: FileFacts, scope: int, expression: int) -> Values:
        """The module of a star import, whose path may itself be looked for among the stars."""
        result: Values = self.guarded(
            ("star", facts.path, scope, expression), lambda: self.value(facts, scope, expression, EVERYWHERE), ()
        )
        return result

    def _starred_export(self, space: str, name: str) -> Values | None:
        """What a module gives under a name to those who import all of it, which it may itself."""
        result: Values | None = self.guarded(("*", space, name), lambda: self.exported(space, name), None)
        return result

    def exported(self, space: str, name: str) -> Values | None:
        """What a module gives under a name; None when it has no such name."""
        entries = self.table.members(space, "", name)
        if entries:
            values = unite([self.bound(facts, own_names(facts, bindings)) for facts, bindings in entries])
            return values or self._submodule(space, name) or ()
        if space in self.table.files or self.table.has_file(space):
            starred = self.starred(space, name, exported=True)
            if starred is not None:
                return starred
            return self._submodule(space, name)
        return None

    def _submodule(self, space: str, name: str) -> Values | None:
        facts = self.table.files.get(space)
        inner = rules_of(facts.language).submodule(self, space, name) if facts is not None else None
        return (Module(inner),) if inner is not None else None

    def bound(self, facts: FileFacts, bindings: Sequence[Binding]) -> Values:
        """The union of what bindings stand for; a declared type outweighs what is assigned."""
        if len(bindings) == 1:
            return self._binding(facts, bindings[0])
        chosen = bindings
        if any(b.flags & f.DECLARED for b in bindings):
            rows = facts.expressions
            chosen = [b for b in bindings if b.flags & f.DECLARED or rows[b.expression][0] == f.DEFINED]
        return unite([self._binding(facts, binding) for binding in chosen])

    def _binding(self, facts: FileFacts, binding: Binding) -> Values:
        row = facts.expressions[binding.expression]
        if row[0] == f.DEFINED:
            return self.defined(facts, facts.definitions[row[1]])
        if row[0] == f.UNKNOWN:
            return ()
        key = (facts.path, binding.scope, binding.expression, binding.at)
        result: Values = self.guarded(
            key, lambda: self.value(facts, binding.scope, binding.expression, binding.at - 1), ()
        )
        return result

    def defined(self, facts: FileFacts, definition: Definition) -> Values:
        """The value that a definition is."""
        if definition.kind in f.CALLABLE_KINDS:
            return (Function(facts.path, definition.index, None),)
        if definition.kind in f.TYPE_KINDS:
            if definition.kind == "type_alias" and definition.result >= 0 and not definition.flags & f.DISTINCT:
                return self.alias(facts, definition)
            return (Class(self.hierarchy.space_of(facts, definition.qualified_name), definition.qualified_name, ()),)
        if definition.kind == "module":
            return (Class(facts.space, definition.qualified_name, ()),)
        if definition.scope >= 0:  # a constant that is an object with members
            return (Instance(facts.space, definition.qualified_name, ()),)
        return ()

    def alias(self, facts: FileFacts, definition: Definition) -> Values:
        self.table.read("d", facts.path, definition.qualified_name)
        around = facts.definitions[max(definition.parent, 0)].scope  # of the class or namespace that it stands in
        scope = definition.scope if definition.scope >= 0 else max(around, 0)
        result: Values = self.guarded(
            ("alias", facts.path, definition.index),
            lambda: self.value(facts, scope, definition.result, EVERYWHERE),
            (),
        )
        return result

    def module(self, facts: FileFacts, spec: str) -> Values:
        """The module that an import path names from this file."""
        space: str | None = self.guarded(
            ("module", facts.path, spec), lambda: rules_of(facts.language).module(self, facts, spec), None
        )
        return (Module(space),) if space is not None else (Outside(spec, facts.path),)

    # Members

    def attribute(self, facts: FileFacts, scope: int, row: Sequence[int], at: int) -> Values:
        """The value of `e.name`."""
        name = facts.names[row[2]]
        return self.each(self.value(facts, scope, row[1], at), lambda v: self.member(v, name, facts))

    def member(self, value: Value, name: str, facts: FileFacts, arguments: int = -1) -> Values:
        """A member of a value; () when it is not known."""
        if isinstance(value, TYPED):
            found = self.class_member(value, name, arguments=arguments)
            if found is not None:
                return found[0]
            spread = self._spread_member(value, name)
            if spread:
                return spread
            below = steps.underlying(self, value) if isinstance(value, Instance) else ()
            if below:
                return self.each(
                    below, lambda v: self.member(v, name, facts) if isinstance(v, Instance) and v != value else ()
                )
            return self._missing_member(value, name)
        if isinstance(value, Super):
            found = self.class_member(Instance(value.space, value.name, ()), name, skip=1)
            if found is not None:
                return found[0]
            return (External(name, ()),)
        if isinstance(value, Module):
            exported = self.exported(value.space, name)
            return exported if exported is not None else self._of_default(value, name, facts)
        if isinstance(value, Outside):
            joined = f"{value.name}.{name}" if value.name and not value.name.endswith(".") else value.name + name
            space = rules_of(facts.language).module(self, self.table.files.get(value.path) or facts, joined)
            return (Module(space),) if space is not None else (Outside(joined, value.path),)
        if isinstance(value, External):
            held = rules_of(facts.language).external_member(value.name, value.arguments, name)
            if held is not None:
                return held
            return self._added_member(value, name, facts) or (External(f"{value.name}.{name}", value.arguments),)
        if isinstance(value, Function):
            calls_it = name in rules_of(facts.language).special.calling
            return (value,) if calls_it else (External(f"function.{name}", ()),)
        return ()

    def _added_member(self, value: External, name: str, facts: FileFacts) -> Values:
        """A member that extensions of the root add to a type of elsewhere; what that type has itself comes before."""
        rules = rules_of(facts.language)
        if rules.external_bases is None or name in rules.common_members or not self.asks_hierarchy():
            return ()
        for type_ in (value.name, *rules.external_bases.get(value.name, ())):
            found: dict[bool, list[Values]] = {True: [], False: []}  # by whether they stand in the same namespace
            for where, extension in self.table.extensions(type_):
                stated = self.table.members(where.space, extension.qualified_name, name)
                if not stated or rules_of(where.language) != rules or self.hierarchy.extended(where, extension):
                    continue
                values = [self._binding(file, binding) for file, bindings in stated for binding in bindings]
                found[where.space == facts.space].extend(values)
            added = unite(found[True] or found[False])
            if added:
                return added
        return ()

    def _spread_member(self, value: Typed, name: str) -> Values:
        """A member of what an object has spread into itself; the last one that has it counts."""
        stated = self.table.members(value.space, value.name, f.SPREAD)
        if not stated:
            return ()
        result: Values = self.guarded(("spread", value, name), lambda: self._last_spread(stated, name), ())
        return result

    def _last_spread(self, stated: Sequence[tuple[FileFacts, Sequence[Binding]]], name: str) -> Values:
        for facts, binding in ((facts, binding) for facts, bindings in stated for binding in reversed(bindings)):
            found = unite([self.member(v, name, facts) for v in self._binding(facts, binding)])
            if found:
                return found
        return ()

    def _missing_member(self, value: Typed, name: str) -> Values:
        """A class with a base outside the root may have it from there."""
        if any(not isinstance(v, Class) for v in self.hierarchy.linearised(value.space, value.name)):
            return (External(name, ()),)
        return ()

    def _of_default(self, module: Module, name: str, facts: FileFacts) -> Values:
        """A member of what a module is as a whole: `module.exports = Reply`, `require("./reply").send`."""
        default = rules_of(facts.language).default_export
        whole = self.exported(module.space, default) if default and name != default else None
        classes = tuple(v for v in whole or () if isinstance(v, (Class, Instance)))
        return self.each(classes, lambda v: self.member(v, name, facts))

    def class_member(self, value: Typed, name: str, skip: int = 0, arguments: int = -1) -> tuple[Values, int] | None:
        """A member by the linearised bases: its values and how far up it was found.

        With the number of arguments given, a method that takes another number of them does not hide those of the bases.
        """
        first: tuple[Values, int] | None = None
        for distance, stated in self.hierarchy.members(value.space, value.name, name):
            if distance < skip:
                continue
            files = self.table.files
            values = unite([self._member_values(files[path], found, value, owner) for owner, path, found in stated])
            if arguments < 0 or self._takes(values, arguments):
                return values, distance
            first = first or (values, distance)
        return first

    def special_member(self, value: Typed, name: str) -> tuple[Values, int] | None:
        """A member that the language itself calls; "" where it has none of the kind."""
        return self.class_member(value, name) if name else None

    def _takes(self, values: Values, arguments: int) -> bool:
        """May one of the values be called with that many arguments?"""
        for value in values:
            if not isinstance(value, Function):
                return True
            facts = self.table.files.get(value.path)
            if facts is None:
                return True
            definition = facts.definitions[value.definition]
            self.table.read("d", facts.path, definition.qualified_name)
            if definition.flags & f.VARIADIC or len(definition.parameters) == arguments:
                return True
        return not values

    def _member_values(self, facts: FileFacts, bindings: Sequence[Binding], receiver: Typed, owner: str) -> Values:
        """What a member is whose bindings the class `owner` states, seen from a receiver."""
        results: list[Values] = []
        declared = any(b.flags & f.DECLARED for b in bindings)
        for binding in bindings:
            row = facts.expressions[binding.expression]
            if declared and not binding.flags & f.DECLARED and row[0] != f.DEFINED:
                continue  # a declared type outweighs what is assigned
            if row[0] == f.DEFINED:
                definition = facts.definitions[row[1]]
                if definition.flags & f.PROPERTY:
                    results.append(steps.returned(self, facts, definition, receiver))
                elif definition.kind in f.CALLABLE_KINDS:
                    results.append((Function(facts.path, definition.index, receiver),))
                else:
                    results.append(self.defined(facts, definition))
            else:
                if (
                    row[0] == f.INSTANCE
                    and binding.flags & f.DECLARED
                    and steps.is_generic(self, self.hierarchy.space_of(facts, owner), owner)
                ):
                    values = self._declared(facts, binding.scope, row[1], owner, receiver)
                else:
                    values = self._binding(facts, binding)
                if isinstance(receiver, Instance) and facts.scopes[binding.scope].kind == f.CLASS_SCOPE:
                    values = self._read_off(facts, values)
                results.append(values)
        return unite(results)

    def _read_off(self, facts: FileFacts, values: Values) -> Values:
        """What reading members of a class off an instance gives: of a descriptor what it hands out, not itself."""
        read = rules_of(facts.language).special.read
        if not read or not any(isinstance(value, Instance) for value in values):
            return values
        given: list[Values] = []
        for value in values:
            found = self.special_member(value, read) if isinstance(value, Instance) else None
            if found is None or not isinstance(value, Instance):
                given.append((value,))
                continue
            handed = unite([steps.called(self, member, facts) for member in found[0]])
            own = (value.space, value.name)
            given.append(tuple(v for v in handed if not isinstance(v, Instance) or (v.space, v.name) != own))
        return unite(given)

    def _declared(self, facts: FileFacts, scope: int, type_: int, owner: str, receiver: Typed) -> Values:
        """`steps.declared`, where a field may have the name of its own type."""
        key = ("declared", facts.path, scope, type_, owner, receiver)
        result: Values = self.guarded(key, lambda: steps.declared(self, facts, scope, type_, owner, receiver), ())
        return result

    def _implicit_member(
        self, facts: FileFacts, definition: int, name: str, arguments: int = -1, *, called: bool = False
    ) -> tuple[Values, str] | None:
        owner = facts.definitions[definition]
        around = Instance(*self.hierarchy.class_around(facts, owner), ())
        found = self.class_member(around, name, arguments=arguments)
        if called and found is not None and self._is_no_function(found[0]):  # a base may have a function of that name
            found = self.class_member(around, name, skip=found[1] + 1)
        if found is None:
            added = self._beside(facts, owner, name) if owner.flags & f.EXTENSION else ()
            return (added, "self") if added else None
        return found[0], "self" if found[1] == 0 else "inherited"

    def _beside(self, facts: FileFacts, owner: Definition, name: str) -> Values:
        """What other extensions add to a type that goes by the same name, be it of elsewhere or an alias."""
        type_ = owner.qualified_name.rpartition(".")[2]
        target = self.hierarchy.extended(facts, owner)
        if target is None:
            return self._added_member(External(type_, ()), name, facts)
        if rules_of(facts.language).external_bases is None or target.name.rpartition(".")[2] == type_:
            return ()
        return unite(
            [
                self._binding(file, binding)
                for where, extension in self.table.extensions(type_)
                if self.hierarchy.extended(where, extension) == target
                for file, bindings in self.table.members(where.space, extension.qualified_name, name)
                for binding in bindings
            ]
        )

    def _received_member(self, facts: FileFacts, received: Sequence[Binding], name: str) -> Values:
        """A member of what a block is run on."""
        found: list[Values] = []
        for value in self.bound(facts, received):
            if isinstance(value, TYPED):
                member = self.class_member(value, name)
                found.append(member[0] if member is not None else ())
            elif isinstance(value, External):
                found.append(self._added_member(value, name, facts))
        return unite(found)

    def _self(self, facts: FileFacts, scope: int, operator: int) -> Values:
        if operator == f.SELF:
            received = self._received(facts, scope)
            if received:
                return received
        around = self.own_class(facts, scope)
        if around is None:
            return ()
        if operator == f.SUPER:
            return (Super(*around),)
        return (Instance(*around, ()) if operator == f.SELF else Class(*around, ()),)

    def _received(self, facts: FileFacts, scope: int) -> Values:
        """What the innermost block inside of the class around is run on, as far as there is one."""
        while scope > 0 and facts.scopes[scope].kind != f.CLASS_SCOPE:
            bindings = facts.bindings[scope].get(f.IMPLICIT)
            values = self.bound(facts, bindings) if bindings else ()
            if values:
                return values
            scope = facts.scopes[scope].parent
        return ()

    def own_class(self, facts: FileFacts, scope: int) -> tuple[str, str] | None:
        """The class that the code of a scope is a member of."""
        while scope > 0 and facts.scopes[scope].kind != f.CLASS_SCOPE:
            scope = facts.scopes[scope].parent
        if scope <= 0:
            return None
        return self.hierarchy.class_around(facts, facts.definitions[facts.scopes[scope].definition])

    def _is_no_function(self, values: Values) -> bool:
        """Can none of them be called, as far as they are known?"""
        return bool(values) and all(
            (isinstance(v, Instance) and self.special_member(v, self._calling(v)) is None)
            or (isinstance(v, External) and v.name.isidentifier() and v.name not in _FUNCTIONS)
            for v in values
        )

    def _calling(self, value: Instance) -> str:
        """What the member of an instance is called that is meant when it is called itself."""
        stated = next(iter(self.table.definitions(value.space, value.name)), None)
        return rules_of(stated.facts.language).special.called if stated is not None else ""
