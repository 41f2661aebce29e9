"""What a file calls, and which functions it keeps or hands on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sightline.graph.build import steps
from sightline.graph.build.collected import Collected
from sightline.graph.build.confidence import (
    BY_RESOLUTION,
    REGISTERED,
    SEVERAL_VALUES,
    STORED,
    THROUGH_FIELD,
    THROUGH_FIELD_NAME,
    THROUGH_MACRO,
)
from sightline.graph.build.targets import by_name, choose_overloads, linked, preferred, usual
from sightline.languages import facts as f
from sightline.languages import rules_of
from sightline.languages.facts import Target
from sightline.languages.paths import is_header
from sightline.languages.values import TYPED, Class, Function, Instance, Module, Outside, Parts, Super, Value, Values
from sightline.types import RelationshipType, Resolution

if TYPE_CHECKING:
    from sightline.languages.facts import Definition, FileFacts
    from sightline.languages.rows import Registration


_MAX_KEPT, _FEW_KEPT = 16, 4  # functions that a call through a field may reach, by its type and by its name alone
_OPERATOR = "operator"
_MAX_MACROS = 3  # that stand in each other's text


class Calls(Collected):
    """Collects what the calls of one file reach, and what its registrations are of."""

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
            found = self.evaluator.look_up(self.facts, scope, name, at, called=True)
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
        others = rules_of(owner.facts.language).constructors if owner is not None else ()
        names = (value.name.rpartition(".")[2], *others)
        found = [t for name in names for t in self.table.definitions(value.space, f"{value.name}.{name}")]
        constructors = [t for t in found if t.definition.kind == "constructor"]
        how: Resolution = "self" if operator == f.SELF_TYPE else "inherited"
        for target in choose_overloads(constructors, arguments):
            self.add(source, "calls", target, how, line)
        if not constructors and owner is not None:
            self.add(source, "instantiates" if operator == f.SELF_TYPE else "calls", owner, how, line)

    def _member_call(self, source: Definition, scope: int, row: Sequence[int], arguments: int, at: int) -> None:
        name, line = self.facts.names[row[2]], f.line_of(at)
        receivers = self.evaluator.value(self.facts, scope, row[1], at)
        if not receivers:
            of = self.facts.expressions[row[1]]
            if of[0] == f.NAME and self.facts.names[of[1]] in self.rules.outer_names:
                return
            self._by_name(source, name, line, arguments, member=True)
            self._through_field(source, (), name, line)
            return
        if name in self.rules.special.calling and any(self._is_function(v, name) for v in receivers):
            self._called(scope, row[1], -1, at)
            return
        if name in self.rules.special.deferring and self._left_for_later(source, receivers, name, line):
            return
        if self.rules.linked and len(receivers) == 1 and isinstance(receivers[0], Parts):
            self._call(source, self._operators(receivers[0].parts, name), "typed", line, arguments)
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

    def _operators(self, operands: Sequence[Values], name: str) -> Values:
        """What an operator calls: a method of the first operand's class, else those functions of the namespaces around
        the operands' classes that fit best."""
        for operand in operands[0]:
            found = self.evaluator.class_member(operand, name) if isinstance(operand, Instance) else None
            if found is not None:
                return tuple(v for v in found[0] if isinstance(v, Function))
        classes = [v for values in operands for v in values if isinstance(v, Instance)]
        around = dict.fromkeys((v.space, owner) for v in classes for owner in (v.name.rpartition(".")[0], ""))
        by_fit: dict[int, dict[Value, None]] = {}
        for space, owner in around:
            for facts, bindings in self.table.members(space, owner, name):
                for value in self.evaluator.bound(facts, bindings):
                    fits = [self._fits(operand, value, place) for place, operand in enumerate(operands)]
                    if min(fits) >= 0 and max(fits) > 0:
                        by_fit.setdefault(sum(fits), {})[value] = None
        return tuple(by_fit[max(by_fit)]) if by_fit else ()

    def _fits(self, operand: Values, function: Value, place: int) -> int:
        """Is an operand of the class that a function takes there (1), or of another (-1)? What is unknown may be."""
        taken = [t for t in steps.taken(self.evaluator, function, place) if isinstance(t, Instance)]
        given = [v for v in operand if isinstance(v, Instance)]
        if not taken or not given:
            return 0
        classes = {(t.space, t.name) for t in taken}
        above = (b for v in given for b in self.evaluator.hierarchy.linearised(v.space, v.name) if isinstance(b, Class))
        return 1 if any((b.space, b.name) in classes for b in above) else -1

    def _left_for_later(self, source: Definition, receivers: Values, name: str, line: int) -> bool:
        """`Mailer.perform_async(x)`: a queue of jobs calls the method, unless the class says what that name means."""
        method = self.rules.special.deferring[name]
        found: list[Value] = []
        for receiver in receivers:
            if isinstance(receiver, Class) and method:
                if any(isinstance(v, Function) for v in self.evaluator.member(receiver, name, self.facts)):
                    continue
                instance = Instance(receiver.space, receiver.name, receiver.arguments)
                found += self.evaluator.member(instance, method, self.facts)
            elif isinstance(receiver, Function) and not method:
                found.append(receiver)
        targets = self._targets(tuple(v for v in dict.fromkeys(found) if isinstance(v, Function)))
        for target in targets:
            self.add(source, "registers", target, "typed", line, BY_RESOLUTION["typed"] * REGISTERED, name)
        return bool(targets)

    def _is_function(self, value: Value, member: str) -> bool:
        """Is this a function, or a module that is one (`module.exports = f`) and has no such member of its own?"""
        if isinstance(value, Module):
            return not self.evaluator.exported(value.space, member)
        return isinstance(value, Function)

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
                found.update({t.definition.id: t for t in targets})
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
            targets = [t for t in targets if t.definition.kind not in f.TYPE_KINDS]
        elif self.rules.linked:
            # An alias is one of a number, or it would be what it stands for.
            targets = [t for t in targets if t.definition.kind not in ("type_alias", "module")]
        elif self.rules.types_are_not_values:
            targets = [t for t in targets if t.definition.kind not in ("interface", "type_alias")]
        if arguments < -1 and len(targets) > 1:
            targets = self.rules.labelled(targets, self.facts.names[-arguments - 2])
        if self.rules.linked:
            targets = self._with_bodies(targets)
        targets = choose_overloads(targets, arguments)
        if self.rules.linked and len(targets) > 1:
            declared = [t for t in targets if t.definition.flags & f.OVERLOAD][:1]
            if any(t.definition.kind == "macro" or t.definition.name.startswith(_OPERATOR) for t in targets):
                declared = []  # a platform's macro may stand for the function; operators of one name are many
            variants = linked(self.facts, targets, self.seen(self.facts))
            targets = usual(self.facts, variants)
            for target in variants:
                if target not in targets:
                    self.add(source, "calls", target, "ambiguous", line)
            if len({(t.facts.path, t.definition.qualified_name) for t in targets}) > 1:
                for target in declared:  # which body is linked is open, which function is meant is not
                    self.add(source, "calls", target, how, line)
                how, several = "ambiguous", False
        elif self.rules.linked and how == "import" and self._is_unseen_macro(targets):
            how = "ambiguous"
        if len(targets) > 1:
            targets = preferred(self.table, targets)
        factor = SEVERAL_VALUES if several or len(targets) > 1 else 1.0
        for target in targets:
            type_: RelationshipType = "instantiates" if target.definition.kind in f.TYPE_KINDS else "calls"
            stored = (
                bool(name)
                and target.definition.name not in (name, self.rules.special.called)
                and target.definition.kind != "constructor"
            )
            if stored or self.referred:
                self.add(source, type_, target, "ambiguous", line, STORED)
            else:
                self.add(source, type_, target, how, line, BY_RESOLUTION[how] * factor)
        for value in values:
            if isinstance(value, Outside):
                self.add(source, "calls", value.name, "external", line)
        if self.rules.linked:
            sure = THROUGH_MACRO if how != "ambiguous" else BY_RESOLUTION[how]  # which macro it is may be open
            for target in self._expanded(source, targets):
                self.add(source, "calls", target, how, line, sure)

    def _is_unseen_macro(self, targets: list[Target]) -> bool:
        """A macro of a file that this one does not include: another library's, or a platform's. A header may count on
        what stands before it."""
        return (
            len(targets) == 1
            and targets[0].definition.kind == "macro"
            and not is_header(self.facts.path)
            and targets[0].facts.path not in self.seen(self.facts)
        )

    def _with_bodies(self, targets: list[Target]) -> list[Target]:
        """Prototypes that a file states for itself, and the bodies elsewhere that they stand for."""
        found = {t.definition.id: t for t in targets}
        for facts, definition in targets:
            if definition.flags & f.OVERLOAD:
                named = self.table.definitions(facts.space, definition.qualified_name)
                found.update({t.definition.id: t for t in named if t.definition.kind == definition.kind})
        return list(found.values())

    def _expanded(self, source: Definition, targets: list[Target]) -> list[Target]:
        """The functions that the text of macros calls, or that they are another name for, through a few macros; also
        methods of the class that such a macro is used in."""
        found: dict[str, Target] = {}
        seen, level = set[str](), targets
        for _ in range(_MAX_MACROS):
            macros = [
                variant
                for t in level
                if t.definition.kind == "macro" and (variant := _calling_variant(t)).definition.id not in seen
            ]
            seen.update(macro.definition.id for macro in macros)
            level = [
                chosen
                for macro in macros
                if macro.definition.result >= 0
                for named in _by_name(self._with_bodies(self._targets(self._named_by(source, macro))))
                for chosen in usual(self.facts, linked(self.facts, named, self.seen(self.facts)))
            ]
            found.update(
                {
                    t.definition.id: t
                    for t in level
                    if t.definition.kind in f.CALLABLE_KINDS and t.definition.kind != "macro"
                }
            )
        return list(found.values())

    def _named_by(self, source: Definition, macro: Target) -> Values:
        facts, definition = macro
        values = self.evaluator.alias(facts, definition)
        if not self.rules.overloads or source.scope < 0:
            return values
        row = facts.expressions[definition.result]
        rows = [facts.expressions[member] for member in row[1:]] if row[0] == f.UNION else [row]
        for name in (facts.names[row[1]] for row in rows if row[0] == f.NAME):
            around = self.evaluator.own_class(self.facts, source.scope)
            found = self.evaluator.class_member(Instance(*around, ()), name) if around is not None else None
            values += tuple(v for v in found[0] if isinstance(v, Function)) if found is not None else ()
        return tuple(dict.fromkeys(values))

    def _by_name(self, source: Definition, name: str, line: int, arguments: int, *, member: bool) -> None:
        """The last resort: nothing is known about the receiver, but the name has few definitions in the root."""
        candidates = by_name(self.table, self.facts, source, name, arguments, member=member)
        how: Resolution = "unique_name" if len(candidates) == 1 else "ambiguous"
        for candidate in candidates:
            type_: RelationshipType = "instantiates" if candidate.definition.kind in f.TYPE_KINDS else "calls"
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
        targets = [t for t in self._targets(functions) if t.definition.kind != "macro"]
        if self.rules.linked:
            targets = linked(facts, self._with_bodies(targets), self.seen(facts))
        targets = preferred(self.table, choose_overloads(targets, -1))
        return targets, "ambiguous" if self.rules.linked and len(targets) > 1 else how


def _calling_variant(macro: Target) -> Target:
    """A macro, or where its text calls nothing, the first of its variants in the same file whose text does."""
    if macro.definition.result >= 0:
        return macro
    variants = macro.facts.by_qualified_name.get(macro.definition.qualified_name, ())
    calling = (d for d in variants if d.kind == "macro" and d.result >= 0)
    return Target(macro.facts, next(calling, macro.definition))


def _by_name(targets: list[Target]) -> list[list[Target]]:
    groups: dict[str, list[Target]] = {}
    for target in targets:
        groups.setdefault(target.definition.qualified_name, []).append(target)
    return list(groups.values())


def _as_resolution(how: str) -> Resolution:
    if how == "import":
        return "import"
    if how == "self":
        return "self"
    if how == "typed":
        return "typed"
    return "inherited" if how == "inherited" else "local"
