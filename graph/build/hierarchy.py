"""Which classes a class inherits from, and where its members are stated.

A hierarchy is evaluated one level below whoever asks for it (see `memo`), so asking never leads back to itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sightline.graph.build.values import EVERYWHERE, merge_c3
from sightline.languages import facts as f
from sightline.languages import rules_of
from sightline.languages.values import Base, Class, External, Outside, Value, Values

if TYPE_CHECKING:
    from sightline.graph.build.evaluate import Evaluator
    from sightline.languages.facts import Binding, Definition, FileFacts

_MAX_ANCESTORS = 200  # of one class; more come from names that are mistaken for each other

Layer = tuple[str, str]  # namespace and qualified name
# The class, or extension, that states a member, in which file, and how. The file by its path: this is kept for long.
Stated = tuple[str, str, "list[Binding]"]


class Hierarchy:
    """The class hierarchies of a table, as seen by one evaluator."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._table = evaluator.table

    # Bases

    def linearised(self, space: str, qualified_name: str) -> tuple[Base, ...]:
        """A class and its bases in the order in which members are looked for; bases outside the root are no classes."""
        own = Class(space, qualified_name, ())
        if not self._evaluator.asks_hierarchy():
            return (own,)
        result: tuple[Base, ...] = self._evaluator.guarded(
            ("mro", space, qualified_name), lambda: self._linearise(own), (own,)
        )
        return result

    def _linearise(self, own: Class) -> tuple[Base, ...]:
        """By the bases' own orders; a class that turns out to inherit from itself, or from hundreds, by distance."""
        direct, c3 = self._direct(own)
        if not direct:
            return (own,)
        above, cyclic = self._above(own)
        if cyclic or len(above) > _MAX_ANCESTORS:
            return (own, *above[:_MAX_ANCESTORS])
        sequences: list[list[Base]] = [
            list(self.linearised(base.space, base.name)) if isinstance(base, Class) else [base] for base in direct
        ]
        merged = merge_c3([*sequences, list(direct)]) if c3 else None
        if merged is None:
            merged = list(dict.fromkeys(v for sequence in sequences for v in sequence))
        return (own, *[v for v in merged if v != own])

    def _above(self, own: Class) -> tuple[list[Base], bool]:
        """All classes above one, nearest first, and whether it is one of them or above one that is above itself."""
        found: dict[Base, None] = {}
        waiting = list(self._direct(own)[0])
        cyclic = False
        for base in waiting:
            if base == own:
                cyclic = True
            elif base not in found:
                found[base] = None
                if isinstance(base, Class) and len(found) <= _MAX_ANCESTORS:
                    waiting.extend(self._direct(base)[0])
        return list(found), cyclic

    def _direct(self, own: Class) -> tuple[tuple[Base, ...], bool]:
        """The direct bases of a class as values without arguments, and whether its language orders them by C3."""
        result: tuple[tuple[Base, ...], bool] = self._evaluator.guarded(
            ("bases", own.space, own.name), lambda: self._stated(own.space, own.name), ((), False)
        )
        return result

    def _stated(self, space: str, qualified_name: str) -> tuple[tuple[Base, ...], bool]:
        direct: list[Base] = []
        c3 = False
        stated = [d for layer in self.layers(space, qualified_name) for d in self._table.definitions(*layer)]
        for facts, definition in stated:
            if not definition.bases:
                continue
            c3 = rules_of(facts.language).linearisation == "c3"
            for _, base in self.stated_bases(facts, definition):
                if isinstance(base, Class) and (base.space, base.name) != (space, qualified_name):
                    direct.append(Class(base.space, base.name, ()))
                elif isinstance(base, (External, Outside)):
                    direct.append(External(base.name, ()))
        return tuple(dict.fromkeys(direct)), c3

    def stated_bases(self, facts: FileFacts, definition: Definition) -> list[tuple[int, Value]]:
        """The direct bases of a class, each with the expression that states it."""
        scope = facts.scopes[definition.scope].parent if definition.scope > 0 else 0
        found: list[tuple[int, Value]] = []
        with self._evaluator.one_level_down():
            for expression, _, line in definition.bases:
                values = self._evaluator.value(facts, scope, expression, f.position(line - 1, 0))
                found.extend((expression, value) for value in values or (External("?", ()),))
        return found

    def members(self, space: str, qualified_name: str, name: str) -> Sequence[tuple[int, Sequence[Stated]]]:
        """Where a class and its bases state a member, with how far up; that they do not is as good to know."""
        result: list[tuple[int, list[Stated]]] = self._evaluator.guarded(
            ("members", space, qualified_name, name), lambda: self._members(space, qualified_name, name), []
        )
        return result

    def _members(self, space: str, qualified_name: str, name: str) -> list[tuple[int, list[Stated]]]:
        found: list[tuple[int, list[Stated]]] = []
        for distance, layers in enumerate(self._ordered(space, qualified_name)):
            stated = [
                (layer[1], facts.path, bindings)
                for layer in layers
                for facts, bindings in self._table.members(*layer, name)
            ]
            if stated:
                found.append((distance, stated))
        return found

    def _ordered(self, space: str, qualified_name: str) -> Sequence[Sequence[Layer]]:
        """Where a class and each of its bases are stated, nearest first: the same for every member that is asked for.
        A base outside the root is stated nowhere."""
        if not self._evaluator.asks_hierarchy():
            return (self.layers(space, qualified_name),)
        result: Sequence[Sequence[Layer]] = self._evaluator.guarded(
            ("ordered", space, qualified_name),
            lambda: tuple(
                self.layers(base.space, base.name) if isinstance(base, Class) else ()
                for base in self.linearised(space, qualified_name)
            ),
            (),
        )
        return result

    # Where a class is stated

    def space_of(self, facts: FileFacts, qualified_name: str) -> str:
        """The namespace that a type of a file belongs to.

        That is the file's own namespace, unless so many files of it define the type that they cannot mean the same one:
        a folder of samples that are all called `Test` is many programs. There each file is a namespace of its own.
        """
        if facts.space == facts.path or rules_of(facts.language).reopens_types:
            return facts.space
        outermost = qualified_name.partition(".")[0]
        for name in (outermost, qualified_name) if outermost != qualified_name else (outermost,):
            stated = facts.by_qualified_name.get(name, ())
            if any(d.kind == "module" for d in stated) or not self._table.is_crowded(facts.space, name):
                continue
            if not all(d.flags & f.HIDDEN for d in stated) or not self._is_opened(facts.space, name):
                return facts.path
        return facts.space

    def _is_opened(self, space: str, qualified_name: str) -> bool:
        """Is this the name of what any file may add to? A file that only says `zmq::send` does not tell."""
        result: bool = self._evaluator.guarded(
            ("opened", space, qualified_name),
            lambda: any(d.kind == "module" for _, d in self._table.definitions(space, qualified_name)),
            False,
        )
        return result

    def extended(self, facts: FileFacts, extension: Definition) -> Class | None:
        """The class of the root that an extension adds to."""
        scope = facts.scopes[extension.scope].parent
        with self._evaluator.one_level_down():
            values: Values = self._evaluator.guarded(
                ("extended", facts.path, extension.index),
                lambda: self._evaluator.value(facts, scope, extension.result, EVERYWHERE),
                (),
            )
        return next((v for v in values if isinstance(v, Class)), None)

    def class_around(self, facts: FileFacts, owner: Definition) -> Layer:
        """Namespace and qualified name of the class that a class scope belongs to."""
        target = self.extended(facts, owner) if owner.flags & f.EXTENSION else None
        if target is not None:
            return target.space, target.name
        return self.space_of(facts, owner.qualified_name), owner.qualified_name

    def layers(self, space: str, qualified_name: str) -> tuple[Layer, ...]:
        """Where the members of a class are stated: in the class, and in its extensions in other namespaces."""
        own = (space, qualified_name)
        extensions = self._table.extensions(qualified_name.rpartition(".")[2])
        if not extensions or not self._evaluator.asks_hierarchy():
            return (own,)

        def find() -> tuple[Layer, ...]:
            found = [own]
            for facts, extension in extensions:
                target = self.extended(facts, extension)
                if target is not None and (target.space, target.name) == own:
                    found.append((facts.space, extension.qualified_name))
            return tuple(dict.fromkeys(found))

        result: tuple[Layer, ...] = self._evaluator.guarded(("layers", *own), find, (own,))
        return result
