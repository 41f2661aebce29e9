"""What a file states, before anything is resolved: scopes, names, expressions, call sites and imports.

The languages' readers translate a syntax tree into this one neutral form and the graph's evaluator gives it meaning.
Expressions are interned rows of small integers, so `self.app.config` is stored once however often it is written.
`Facts` collects them, `encoding` is the compact form that the store keeps, `FileFacts` is what the resolver reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import xxhash

from sightline.errors import CorruptIndexError
from sightline.languages.rows import (
    SEEN_BY_ALL,
    Base,
    Bound,
    Calls,
    Import,
    Mention,
    Parameter,
    Registration,
    Returned,
    Scope,
    Site,
    Star,
)
from sightline.languages.table import rules_of
from sightline.types import OBJECT_KINDS, ObjectKind
from sightline.types import TYPE_KINDS as TYPE_KINDS

# Operators of an expression row: [operator, operand …]. Operands are expression indices (e) or name indices (n).
NAME = 0  # n: a name looked up in the scope
ATTRIBUTE = 1  # e n: member of a value
CALL = 2  # e: what calling it gives
ELEMENT = 3  # e: what iterating over it gives
LITERAL = 4  # n: an instance of a type that the language brings along
UNION = 5  # e …: any of them
SELF = 6  # : the instance whose member this scope is
SELF_TYPE = 7  # : the class whose member this scope is
SUPER = 8  # : the instance, seen from its bases
DEFINED = 9  # d: the object defined here
INSTANCE = 10  # e: an instance of the type that e names
GENERIC = 11  # e e …: a type with type arguments
ENTERED = 12  # e: what `with e as x` binds
TUPLE = 13  # e …: several values
PART = 14  # e i: one value of a tuple
MODULE = 15  # n: the module or package of that import path
CONTAINER = 16  # n e …: an instance of a type that the language brings along, with values as type arguments
UNKNOWN = 17
LAMBDA = 18  # s: an anonymous function, by its scope
AWAITED = 19  # e: what awaiting it gives
ITEM = 20  # e: what indexing it gives
TYPE = 21  # n: a type by its name; one that is not found lies outside the root
METHOD = 22  # n: a method of the classes around, or an imported function
TAKEN = 23  # e i: what a function takes as one of its arguments
GIVEN = 24  # e i: what a function of that type is given as one of its arguments

NOTHING = "None"  # the LITERAL that is no value: null, nil
SPREAD = "..."  # the name under which an object binds what it takes all members of: `{ ...other }`
FUNCTION_TYPE = "=>"  # a CONTAINER: a function; the first value is its result, the others are what it is given
RECEIVING_TYPE = ".=>"  # the same of a function that is called on something: that is the second value
IMPLICIT = "this."  # the name under which a block binds the instance that it is run on: `x.apply { … }`
ON, LAST = -1, -1  # places of GIVEN and TAKEN: what a function is called on, and its last argument

# Which operand of an operator is a name; of the others none is.
NAME_OPERANDS: dict[int, int] = {NAME: 0, ATTRIBUTE: 1, LITERAL: 0, MODULE: 0, CONTAINER: 0, TYPE: 0, METHOD: 0}
# Operators whose first operand is what they are about.
OVER_FIRST = frozenset({ATTRIBUTE, CALL, ELEMENT, ITEM, INSTANCE, ENTERED, PART, AWAITED, GENERIC, TAKEN, GIVEN})
NUMBERED = frozenset({PART, TAKEN, GIVEN})  # their second operand is a number
_PLAIN_OPERANDS = {DEFINED, LAMBDA, SELF, SELF_TYPE, SUPER, UNKNOWN}

# Scopes
MODULE_SCOPE, CLASS_SCOPE, FUNCTION_SCOPE, BLOCK_SCOPE = 0, 1, 2, 3  # a namespace inside a file is a module scope
TYPE_SCOPE = 4  # around a definition: the names of its type parameters

# Flags of a binding
DECLARED = 1  # the expression is the declared type
IMPORTED = 2
LIMITED = 4  # visible up to `until` only (a narrowed or block-scoped name); else `until` ends a conditional block
PARAMETER = 8
EXPORTED = 16  # `export default`, re-exports: seen from outside only
HOISTED = 32  # a type: known in all of its scope, wherever it is written, beside a value of the same name

RECEIVER = 64  # the instance that a method is called on, where it is declared like a parameter

# Flags of a definition
STATIC = 1
CLASS_LEVEL = 2  # classmethod: the first parameter is the class
PROPERTY = 4  # reading the member calls it
ABSTRACT = 8  # has no body
HIDDEN = 16  # no object: an anonymous class
GENERATOR = 32
VARIADIC = 128
CONTEXT_MANAGER = 256  # a generator that `with` enters
OVERLOAD = 512  # a declaration without body that another one implements
DISTINCT = 1024  # a type made from another one, with members of its own; `result` is the other one
EXTENSION = 2048  # adds members and bases to the class that `result` names; itself hidden
FILE_PRIVATE = 4096  # other files of the namespace do not see it

# Kinds of a site
CALL_SITE, NEW_SITE, REFERENCE_SITE = 0, 1, 2

CALLABLE_KINDS = frozenset({"function", "method", "constructor", "macro"})

# Roles of a base
INHERITS, IMPLEMENTS = 0, 1
BY_TARGET = 2  # what the target is decides: an interface is implemented; outside the root: inherited
CONFORMS = 3  # the same; outside the root: implemented


def position(row: int, column: int) -> int:
    """Row and column as one sortable number."""
    return row << 10 | min(column, 1023)


def line_of(at: int) -> int:
    """The 1-based line of a position."""
    return (at >> 10) + 1


def entity_id(path: str, qualified_name: str, kind: str, ordinal: int) -> str:
    """The id of a symbol, stable while its body changes."""
    return xxhash.xxh3_64_hexdigest(f"{path}\0{qualified_name}\0{kind}\0{ordinal}".encode("utf-8", "replace"))


@dataclass(slots=True)
class Stated:
    """A definition as a reader states it; its fields in this order are the columns of the encoding."""

    name: str
    qualified_name: str
    kind: int  # index of OBJECT_KINDS
    ordinal: int
    parent: int
    line: int
    scope: int = -1
    flags: int = 0
    bases: list[Base] = field(default_factory=list)
    parameters: list[Parameter] = field(default_factory=list)
    result: int = -1  # declared result type, -1 when none
    returns: list[Returned] = field(default_factory=list)
    decorators: list[Mention] = field(default_factory=list)
    uses: list[Mention] = field(default_factory=list)
    owner: str | None = None  # of which class it is a member, where its qualified name does not say so


class Facts:
    """Collects the facts of one file while its tree is read."""

    def __init__(self, language: str, module: str) -> None:
        self.language = language
        self.module = module  # qualified name of the module object
        self.space = ""  # namespace of the top-level names; "" = the file itself
        self.notes: dict[str, Any] = {}  # what one language's rules need beside the common form
        self.names: list[str] = []
        self.expressions: list[tuple[int, ...]] = []
        self.scopes: list[Scope] = []
        self.definitions: list[Stated] = []
        self.bindings: list[Bound] = []
        self.sites: list[Site] = []
        self.registrations: list[Registration] = []
        self.imports: list[Import] = []
        self.stars: list[Star] = []
        self.bound: dict[str, int] = {}  # names that were bound so far, with the flags of all their bindings
        self._name_ids: dict[str, int] = {}
        self._expression_ids: dict[tuple[int, ...], int] = {}
        self.unknown = self.expression(UNKNOWN)

    def name(self, text: str) -> int:
        """Intern a name."""
        found = self._name_ids.get(text)
        if found is None:
            found = self._name_ids[text] = len(self.names)
            self.names.append(text)
        return found

    def expression(self, *row: int) -> int:
        """Intern an expression row."""
        found = self._expression_ids.get(row)
        if found is None:
            found = self._expression_ids[row] = len(self.expressions)
            self.expressions.append(row)
        return found

    def named(self, text: str) -> int:
        """The expression that looks `text` up; dots are member accesses."""
        first, *rest = text.split(".")
        result = self.expression(NAME, self.name(first))
        for part in rest:
            result = self.expression(ATTRIBUTE, result, self.name(part))
        return result

    def attribute(self, value: int, text: str) -> int:
        """The expression for a member of a value."""
        return self.expression(ATTRIBUTE, value, self.name(text))

    def union(self, members: Sequence[int]) -> int:
        """Any of several expressions."""
        unique = tuple(dict.fromkeys(m for m in members if m != self.unknown))
        if not unique:
            return self.unknown
        return unique[0] if len(unique) == 1 else self.expression(UNION, *unique)

    def scope(self, parent: int, kind: int, definition: int) -> int:
        """Open a scope that belongs to a definition."""
        self.scopes.append(Scope(parent, kind, definition))
        return len(self.scopes) - 1

    def define(
        self,
        name: str,
        qualified_name: str,
        kind: ObjectKind,
        *,
        ordinal: int,
        parent: int,
        line: int,
        owner: str | None = None,
    ) -> int:
        """Add a definition; the reader fills in its details."""
        stated = Stated(name, qualified_name, OBJECT_KINDS.index(kind), ordinal, parent, line, owner=owner)
        self.definitions.append(stated)
        return len(self.definitions) - 1

    def bind(
        self,
        scope: int,
        name: str,
        expression: int,
        at: int = 0,
        *,
        until: int = 0,
        flags: int = 0,
        evaluated_in: int = -1,
    ) -> None:
        """State that a name of a scope stands for an expression, from a position on."""
        self.bindings.append(Bound(scope, self.name(name), expression, at, until, flags, evaluated_in))
        self.bound[name] = self.bound.get(name, 0) | flags

    def site(self, scope: int, callee: int, arguments: int, at: int, kind: int = CALL_SITE) -> None:
        """State that a scope calls something at a position; `arguments` -1 when their number is not known."""
        self.sites.append(Site(scope, callee, arguments, at, kind))

    def register(self, scope: int, value: int, at: int, label: str, *, holder: int = -1, source: int = -1) -> None:
        """State that a function is kept or handed on at a position."""
        self.registrations.append(Registration(scope, value, at, self.name(label), holder, source))

    def imported(self, line: int, module: str, names: Iterable[str] = ()) -> None:
        """State that the file imports a module, or names from it."""
        self.imports.append(Import(line, module, list(names)))

    def star(self, scope: int, module: int, seen_by: int = SEEN_BY_ALL) -> None:
        """State that all names of a module are visible in a scope, and whether it hands them on."""
        self.stars.append(Star(scope, module, seen_by))

    def drop_sites(self, builtins: frozenset[str], *, members_hide: bool = False) -> None:
        """Forget calls of built-in functions, which are no edges: of names that the file gives no other meaning, and
        outside of classes and blocks whose members may have such a name, where these hide what is built in."""
        if not builtins or self.stars:
            return
        bound = {binding.name for binding in self.bindings}
        bound.update(self._name_ids.get(stated.name, -1) for stated in self.definitions)
        dropped = {
            index
            for index, row in enumerate(self.expressions)
            if row[0] == NAME and row[1] not in bound and self.names[row[1]] in builtins
        }
        if members_hide:
            within = self._with_members()
            self.sites = [s for s in self.sites if s.callee not in dropped or s.scope in within]
        else:
            self.sites = [site for site in self.sites if site.callee not in dropped]

    def _with_members(self) -> set[int]:
        """The scopes in which a bare name may be a member of something."""
        implicit = self._name_ids.get(IMPLICIT, -1)
        found = {binding.scope for binding in self.bindings if binding.name == implicit}
        for scope, (parent, kind, _) in enumerate(self.scopes):  # outer ones stand before inner ones
            if kind == CLASS_SCOPE or parent in found:
                found.add(scope)
        return found


class Definition:
    """A definition as the resolver reads it."""

    __slots__ = (
        "_cells",
        "_path",
        "bases",
        "decorators",
        "flags",
        "id",
        "index",
        "kind",
        "line",
        "name",
        "ordinal",
        "owner",
        "parameters",
        "parent",
        "qualified_name",
        "result",
        "returns",
        "scope",
        "uses",
    )
    id: str
    name: str
    qualified_name: str
    ordinal: int
    parent: int
    line: int
    scope: int
    flags: int
    result: int
    bases: list[Base]
    parameters: list[Parameter]
    returns: list[Returned]
    decorators: list[Mention]
    uses: list[Mention]

    def __init__(self, path: str, index: int, stated: Sequence[Any]) -> None:
        """From the fields of `Stated` in their order, with rows as plain lists."""
        self._path = path
        self.index = index
        (
            self.name,
            self.qualified_name,
            kind,
            self.ordinal,
            self.parent,
            self.line,
            self.scope,
            self.flags,
            bases,
            parameters,
            self.result,
            returns,
            decorators,
            uses,
            owner,
        ) = stated
        self.kind: ObjectKind = OBJECT_KINDS[kind]
        self._cells = (bases, parameters, returns, decorators, uses)
        self.owner: str = self.qualified_name.rpartition(".")[0] if owner is None else owner

    def __getattr__(self, name: str) -> Any:
        """The id or rows, when they are asked for first: most definitions are never anybody's target."""
        if name == "id":
            self.id = entity_id(self._path, self.qualified_name, self.kind, self.ordinal)
            return self.id
        if name not in _ROWS:
            raise AttributeError(name)
        place, row = _ROWS[name]
        try:
            rows = [row._make(cell) for cell in self._cells[place]]
        except TypeError as error:
            raise CorruptIndexError(f"the facts of {self._path!r} are damaged: {name} of a definition") from error
        setattr(self, name, rows)
        return rows


# The details of a definition that are rows, with their places in its cells.
_ROWS: dict[str, tuple[int, type[Base | Parameter | Returned | Mention]]] = {
    "bases": (0, Base),
    "parameters": (1, Parameter),
    "returns": (2, Returned),
    "decorators": (3, Mention),
    "uses": (4, Mention),
}
_IN_BODY = frozenset({"expressions", "scopes", "imports", "bindings", "members", "registrations"})


class Binding:
    """A name of a scope and what it stands for."""

    __slots__ = ("at", "expression", "flags", "scope", "until")

    def __init__(self, expression: int, at: int, until: int, flags: int, scope: int) -> None:
        self.expression = expression
        self.at = at
        self.until = until
        self.flags = flags
        self.scope = scope  # where the expression is evaluated


class Body(NamedTuple):
    """What the definitions of a file are made of."""

    expressions: Sequence[Sequence[int]]
    scopes: list[Scope]
    bindings: Iterable[tuple[int, int, int, int, int, int, int]]
    imports: list[Import]
    registrations: list[Registration]


class FileFacts:
    """The decoded facts of a file, with the maps that look-ups need.

    What is inside of definitions is decoded when it is asked for first, and calls, which only the file itself needs,
    every time.
    """

    __slots__ = (
        "_body",
        "_calls",
        "bindings",
        "by_name",
        "by_qualified_name",
        "definitions",
        "expressions",
        "imports",
        "language",
        "members",
        "module",
        "names",
        "notes",
        "path",
        "registrations",
        "scopes",
        "space",
        "stars",
    )

    expressions: list[Sequence[int]]
    scopes: list[Scope]
    imports: list[Import]
    registrations: list[Registration]
    bindings: list[dict[str, list[Binding]]]  # scope → name → bindings, in file order
    # (owner's qualified name, member name) → bindings; owner "" is the top level
    members: dict[tuple[str, str], list[Binding]]

    def __init__(
        self,
        path: str,
        facts: Facts,
        stated: Iterable[Sequence[Any]],
        body: Callable[[], Body],
        calls: Callable[[], list[Calls]],
    ) -> None:
        self._body, self._calls = body, calls
        self.path = path
        self.language = facts.language
        self.module = facts.module
        self.space = facts.space or path
        self.notes = facts.notes
        self.names = facts.names
        self.definitions = [Definition(path, index, row) for index, row in enumerate(stated)]
        self.by_qualified_name: dict[str, list[Definition]] = {}
        self.by_name: dict[str, list[Definition]] = {}
        for definition in self.definitions[1:]:
            self.by_qualified_name.setdefault(definition.qualified_name, []).append(definition)
            self.by_name.setdefault(definition.name, []).append(definition)
        self.stars = facts.stars

    def __getattr__(self, name: str) -> Any:
        """A part that was not asked for yet."""
        if name not in _IN_BODY:
            raise AttributeError(name)
        body = self._body()
        self.expressions = list(body.expressions)
        self.scopes, self.imports, self.registrations = body.scopes, body.imports, body.registrations
        self.bindings = [{} for _ in self.scopes]
        self.members = {}
        self._bind_all(body.bindings)
        return object.__getattribute__(self, name)

    @property
    def calls(self) -> list[Calls]:
        """The calls of the file."""
        return self._calls()

    def methods_of(self, owner: str) -> list[str]:
        """The names of the methods of a class that this file defines."""
        return sorted({d.name for d in self.definitions if d.kind == "method" and d.owner == owner})

    def _bind_all(self, rows: Iterable[tuple[int, int, int, int, int, int, int]]) -> None:
        owners = [self._owner_of(scope) for scope in range(len(self.scopes))]
        for scope, name, expression, at, until, flags, evaluated_in in rows:
            binding = Binding(expression, at, until, flags, scope if evaluated_in < 0 else evaluated_in)
            text = self.names[name]
            if not flags & EXPORTED:
                self.bindings[scope].setdefault(text, []).append(binding)
            owner = owners[scope]
            if owner is not None:
                self.members.setdefault((owner, text), []).append(binding)
        for definition in self.definitions[1:]:
            if not definition.flags & HIDDEN and definition.name:
                self._bind_definition(definition)

    def _bind_definition(self, definition: Definition) -> None:
        """Members are found by their owner's qualified name, so that `func (s *T) M()` is a member of T."""
        scope = self._scope_around(definition)
        kind = self.scopes[scope].kind
        if definition.kind in ("constant", "module") and definition.name in self.bindings[scope]:
            return  # the reader has bound it to its value, or to the file of the module
        if definition.kind == "constructor" and definition.owner.rpartition(".")[2] == definition.name:
            return  # the name means the class
        self.expressions.append([DEFINED, definition.index])
        hoisted = HOISTED if definition.kind in TYPE_KINDS and not rules_of(self.language).types_are_statements else 0
        binding = Binding(len(self.expressions) - 1, position(definition.line - 1, 0), 0, hoisted, scope)
        member = kind in (MODULE_SCOPE, CLASS_SCOPE) or definition.kind in ("method", "constructor")
        if member:
            self.members.setdefault((definition.owner, definition.name), []).append(binding)
        if scope > 0 or not definition.owner:
            self.bindings[scope].setdefault(definition.name, []).append(binding)

    def _scope_around(self, definition: Definition) -> int:
        if definition.scope >= 0:
            scope = definition.scope
            if definition.kind != "type_alias" or self.scopes[scope].kind != TYPE_SCOPE:
                scope = max(self.scopes[scope].parent, 0)
            while self.scopes[scope].kind == TYPE_SCOPE:
                scope = self.scopes[scope].parent
            return scope
        parent = self.definitions[definition.parent] if definition.parent >= 0 else None
        return parent.scope if parent is not None and parent.scope >= 0 else 0

    def _owner_of(self, scope: int) -> str | None:
        _, kind, definition = self.scopes[scope]
        if scope == 0:
            return ""
        return self.definitions[definition].qualified_name if kind in (MODULE_SCOPE, CLASS_SCOPE) else None


def structure_hashes(facts: FileFacts) -> list[int]:
    """A hash for each expression that depends on what it says and not on where its row stands."""
    hashes: list[int] = []
    names, definitions = facts.names, facts.definitions
    for row in facts.expressions:  # operands always stand before the row that uses them
        operator = row[0]
        if operator == DEFINED:
            defined = definitions[row[1]]
            hashes.append(hash((operator, defined.id, defined.qualified_name, defined.flags)))
        elif operator in NUMBERED:
            hashes.append(hash((operator, hashes[row[1]], row[2])))
        elif operator in _PLAIN_OPERANDS:
            hashes.append(hash(tuple(row)))
        else:
            named = NAME_OPERANDS.get(operator, -1)
            hashes.append(hash((operator, *[names[x] if i == named else hashes[x] for i, x in enumerate(row[1:])])))
    return hashes


class Target(NamedTuple):
    """A definition, and the facts of the file that states it."""

    facts: FileFacts
    definition: Definition
