"""Languages without a reader of their own: imports, bases, calls and declared types from tables of node types.

A `Tables` record says which node types of a grammar call, construct, access a member, import and declare. That gives
containment, imports by path, inheritance and calls by scope, by declared type and by unique name. A language that needs
more gets a module of its own and may still use `Reader` for what the tables cover.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from sightline.graph.facts import (
    CALL,
    CLASS_SCOPE,
    DECLARED,
    FUNCTION_SCOPE,
    IMPLEMENTS,
    IMPORTED,
    INHERITS,
    INSTANCE,
    MODULE,
    NEW_SITE,
    PARAMETER,
    SELF,
    SUPER,
)
from sightline.graph.languages import Rules
from sightline.graph.languages.reading import MAX_NESTING, Handler, Reading

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.graph.evaluate import Evaluator
    from sightline.graph.facts import FileFacts

_TYPE_KINDS = frozenset({"class", "interface", "struct", "enum"})
_FUNCTION_KINDS = frozenset({"function", "method", "constructor", "macro"})


@dataclass(frozen=True, slots=True)
class Tables:
    """Node types of a grammar, by what they state. A value is the field that holds the operand, "" = first child."""

    family: str
    calls: Mapping[str, str] = field(default_factory=dict)  # call node → field of the callee
    constructions: Mapping[str, str] = field(default_factory=dict)  # `new T()` → field of the type
    members: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # `a.b` → fields of object and name
    names: frozenset[str] = frozenset({"identifier", "type_identifier", "field_identifier", "simple_identifier"})
    selves: frozenset[str] = frozenset({"self", "this", "this_expression", "self_expression"})
    supers: frozenset[str] = frozenset({"super", "super_expression", "base", "parent"})
    transparent: frozenset[str] = frozenset({"parenthesized_expression", "non_null_expression", "try_expression"})
    bases: frozenset[str] = frozenset()  # nodes inside a class that list bases to inherit
    interfaces: frozenset[str] = frozenset()  # nodes inside a class that list interfaces to implement
    parameters: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # parameter → fields of name and type
    variables: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)  # → fields of name, type and value
    imports: Mapping[str, str] = field(default_factory=dict)  # import node → field of the path
    extensions: tuple[str, ...] = ()  # of files that an import path may name
    members_in_scope: bool = True
    guesses_names: bool = True
    builtins: frozenset[str] = frozenset()


def _operand(node: Node, name: str) -> Node | None:
    if name:
        return node.child_by_field_name(name)
    return next(iter(node.named_children), None)


class Reader:
    """Reads a file by tables."""

    def __init__(self, reading: Reading, tables: Tables) -> None:
        self.reading = reading
        self.facts = reading.facts
        self.tables = tables

    def value(self, node: Node | None, depth: int = 0) -> int:
        """The expression that a node states, as far as the tables know it."""
        facts, tables = self.facts, self.tables
        if node is None or depth > MAX_NESTING:
            return facts.unknown
        kind = node.type
        if kind in tables.selves:
            return facts.expression(SELF)
        if kind in tables.supers:
            return facts.expression(SUPER)
        if kind in tables.names:
            text = self.reading.text(node)
            if text in ("self", "this"):
                return facts.expression(SELF)
            return facts.named(text) if text else facts.unknown
        if kind in tables.members:
            holder, name = tables.members[kind]
            value = self.value(_operand(node, holder), depth + 1)
            text = self.reading.text(node.child_by_field_name(name) if name else node.named_children[-1])
            return facts.attribute(value, text.lstrip(".:?").strip())
        if kind in tables.calls:
            return facts.expression(CALL, self.value(_operand(node, tables.calls[kind]), depth + 1))
        if kind in tables.constructions:
            return facts.expression(INSTANCE, self.type(_operand(node, tables.constructions[kind])))
        if kind in tables.transparent:
            return self.value(next(iter(node.named_children), None), depth + 1)
        return facts.unknown

    def type(self, node: Node | None) -> int:
        """The first type name inside a type node; type arguments are erased."""
        if node is None:
            return self.facts.unknown
        queue = [node]
        while queue:
            child = queue.pop(0)
            if child.type in self.tables.names:
                return self.facts.named(self.reading.text(child))
            if child.type in ("scoped_type_identifier", "qualified_name", "qualified_identifier", "user_type"):
                text = self.reading.text(child).partition("<")[0].replace("::", ".").replace("\\", ".").strip(". ?")
                return self.facts.named(text) if text else self.facts.unknown
            queue.extend(child.named_children)
        return self.facts.unknown

    def definition(self, reading: Reading, node: Node) -> None:
        """Open the scope of a definition; a class states its bases."""
        index = reading.definitions.get(node.id)
        if index is None:
            return
        kind = reading.outlined[index - 1].kind
        if kind in _TYPE_KINDS:
            self._bases(node, index)
            reading.enter(node, CLASS_SCOPE, index)
        elif kind in _FUNCTION_KINDS:
            for name in ("return_type", "type", "returns", "result"):
                result = node.child_by_field_name(name)
                if result is not None:
                    reading.result(index, self.type(result))
                    break
            reading.enter(node, FUNCTION_SCOPE, index)

    def _bases(self, node: Node, index: int) -> None:
        for child in node.named_children:
            role = INHERITS if child.type in self.tables.bases else IMPLEMENTS
            if role == IMPLEMENTS and child.type not in self.tables.interfaces:
                continue
            for base in child.named_children:
                type_ = self.type(base)
                if type_ != self.facts.unknown:
                    self.reading.base(index, type_, role, self.reading.line(base))

    def call(self, reading: Reading, node: Node) -> None:
        """A call site."""
        callee = _operand(node, self.tables.calls[node.type])
        arguments = node.child_by_field_name("arguments")
        count = len(arguments.named_children) if arguments is not None else -1
        if callee is not None:
            self.facts.site(reading.scope, self.value(callee), count, reading.at(callee))

    def construction(self, reading: Reading, node: Node) -> None:
        """`new T()`."""
        type_ = _operand(node, self.tables.constructions[node.type])
        if type_ is not None:
            self.facts.site(reading.scope, self.type(type_), -1, reading.at(type_), NEW_SITE)

    def parameter(self, reading: Reading, node: Node) -> None:
        """A parameter with its declared type."""
        name, type_ = self.tables.parameters[node.type]
        self._declare(node, name, type_, "", PARAMETER)

    def variable(self, reading: Reading, node: Node) -> None:
        """A variable or field with its declared type, else with its value."""
        name, type_, value = self.tables.variables[node.type]
        self._declare(node, name, type_, value, 0)

    def _declare(self, node: Node, name: str, type_: str, value: str, flags: int) -> None:
        named = _operand(node, name)
        text = self.reading.text(named)
        if named is None or not text.isidentifier():
            return
        declared = node.child_by_field_name(type_) if type_ else None
        given = node.child_by_field_name(value) if value else None
        expression = self.type(declared)
        if expression != self.facts.unknown:
            expression, flags = self.facts.expression(INSTANCE, expression), flags | DECLARED
            index = self.reading.definition()
            if flags & PARAMETER:
                self.reading.parameter(index, text, self.type(declared))
            else:
                self.reading.uses(index, self.type(declared), self.reading.line(node))
        else:
            expression = self.value(given)
            if flags & PARAMETER:
                self.reading.parameter(self.reading.definition(), text)
        self.facts.bind(self.reading.scope, text, expression, self.reading.after(node), flags=flags)

    def imported(self, reading: Reading, node: Node) -> None:
        """An import of a path; the last part of the path names it."""
        path = reading.text(_operand(node, self.tables.imports[node.type])).strip("\"'<>; ")
        path = path.replace("::", ".").replace("\\", ".") if "/" not in path else path
        if not path:
            return
        self.facts.imports.append([reading.line(node), path, []])
        name = PurePosixPath(path.replace(".", "/")).name if "/" not in path else PurePosixPath(path).stem
        if name.isidentifier():
            module = self.facts.expression(MODULE, self.facts.name(path))
            self.facts.bind(reading.scope, name, module, reading.after(node), flags=IMPORTED)

    def handlers(self) -> dict[str, Handler]:
        """The handler of each node type that the tables name."""
        tables = self.tables
        found: dict[str, Handler] = {defined.node.type: self.definition for defined in self.reading.outlined}
        for types, handler in (
            (tables.imports, self.imported),
            (tables.parameters, self.parameter),
            (tables.variables, self.variable),
            (tables.constructions, self.construction),
            (tables.calls, self.call),
        ):
            for node_type in types:
                if node_type not in found:
                    found[node_type] = handler
        return found


TABLES: dict[str, Tables] = {}


def _module(tables: Tables) -> Callable[[Evaluator, FileFacts, str], str | None]:
    def find(evaluator: Evaluator, facts: FileFacts, spec: str) -> str | None:
        """A file whose path ends with the import path; nearest first."""
        here = PurePosixPath(facts.path).parent
        wanted = spec.lstrip("./") if "/" in spec else spec.replace(".", "/")
        stem = PurePosixPath(wanted).stem
        endings = [wanted] if PurePosixPath(wanted).suffix in tables.extensions else []
        endings += [wanted + extension for extension in tables.extensions]
        for ending in endings:
            beside = f"{here}/{ending}" if str(here) != "." else ending
            if evaluator.table.has_file(beside):
                return beside
        found = [
            path
            for path in evaluator.table.files_with_stem(tables.family, stem)
            if any(path == ending or path.endswith(f"/{ending}") for ending in endings)
        ]
        return min(found, key=lambda path: (len(path), path)) if found else None

    return find


def rules(language: str) -> Rules:
    """The rules of a language without a module of its own."""
    tables = TABLES.get(language)
    if tables is None:
        return Rules(family=language, read=_read_nothing)
    known = tables

    def read(reading: Reading) -> None:
        reader = Reader(reading, known)
        reading.sweep(reader.handlers())

    return Rules(
        family=known.family,
        read=read,
        module=_module(known),
        builtins=known.builtins,
        members_in_scope=known.members_in_scope,
        guesses_names=known.guesses_names,
    )


def _read_nothing(reading: Reading) -> None:
    """Documents and data state nothing beside their objects."""
