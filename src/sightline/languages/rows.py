"""The rows of which the facts of a file consist.

Numbers are indices into the lists of the same facts (scopes, names, expressions, definitions), flags or positions.
"""

from __future__ import annotations

from typing import NamedTuple


class Scope(NamedTuple):
    """A region of a file in which names are bound."""

    parent: int  # -1 at the top
    kind: int
    definition: int  # whose scope it is


class Bound(NamedTuple):
    """A name of a scope and the expression that it stands for from a position on."""

    scope: int
    name: int
    expression: int
    at: int
    until: int  # 0 when it holds to the end of the scope
    flags: int
    evaluated_in: int  # the scope of the expression; -1 when it is that of the name


class Site(NamedTuple):
    """A call."""

    scope: int
    callee: int
    arguments: int  # how many, -1 when that is not known; below that: the name at -2 - arguments is their labels
    at: int
    kind: int


class Calls(NamedTuple):
    """The calls of one expression in one scope, as the store keeps them."""

    scope: int
    callee: int
    arguments: int
    positions: list[int]
    kind: int


class Registration(NamedTuple):
    """A function that is kept or handed on instead of called: `emitter.on("change", f)`, `.open = f`."""

    scope: int
    value: int
    at: int
    label: int  # a name: the event, key or field it is kept under, or what it is handed to
    holder: int  # of a field: the value whose field it is, -1 when it is none or not known
    source: int  # the definition that states it, -1 when it is that of the scope


class Import(NamedTuple):
    """An import of a module, or of names from it."""

    line: int
    module: str
    names: list[str]


# Who sees the names that an import of all brings: the file and whoever imports it, or only one of them. The parts of
# one module (Dart) also see what each other imports.
SEEN_BY_ALL, HANDED_ON, OWN, SHARED = range(4)


class Star(NamedTuple):
    """An import of all names of a module."""

    scope: int
    module: int
    seen_by: int


class Base(NamedTuple):
    """A base of a class."""

    expression: int
    role: int
    line: int


class Parameter(NamedTuple):
    """A parameter of a function, or a type parameter of a class."""

    name: int
    type: int  # -1 when none is declared


class Returned(NamedTuple):
    """A value that a function returns."""

    expression: int
    at: int
    scope: int  # in which it is evaluated
    function: int  # the scope that it returns from


class Mention(NamedTuple):
    """A decorator, or a type that a signature or a field names."""

    expression: int
    line: int
