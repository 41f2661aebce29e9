"""What an expression may stand for.

Values are compared and hashed without end while a root is resolved, so they are tuples. The last part of each, which
nobody gives, keeps those of different kinds apart: an instance of a class is not the class.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias


class Instance(NamedTuple):
    """An instance of a class of the root."""

    space: str
    name: str  # the qualified name of its class
    arguments: tuple[Values, ...]  # of the type
    kind: Literal["instance"] = "instance"


class Class(NamedTuple):
    """A class of the root itself."""

    space: str
    name: str  # qualified
    arguments: tuple[Values, ...]  # of the type
    kind: Literal["class"] = "class"


class Super(NamedTuple):
    """`super()` inside a class."""

    space: str
    name: str  # qualified
    kind: Literal["super"] = "super"


class Function(NamedTuple):
    """A function of the root."""

    path: str
    definition: int  # its index in the file
    receiver: Value | None  # what it was taken from
    kind: Literal["function"] = "function"


class Lambda(NamedTuple):
    """An anonymous function."""

    path: str
    scope: int
    kind: Literal["lambda"] = "lambda"


class Module(NamedTuple):
    """A module or package of the root."""

    space: str
    kind: Literal["module"] = "module"


class Outside(NamedTuple):
    """A module outside the root, or a name in it."""

    name: str  # as the file imports it
    path: str  # of the file that imports it
    kind: Literal["outside"] = "outside"


class External(NamedTuple):
    """Anything outside the root of which no more than a name is known."""

    name: str
    arguments: tuple[Values, ...]  # of the type
    kind: Literal["external"] = "external"


class Parts(NamedTuple):
    """A tuple: the values of each of its parts."""

    parts: tuple[Values, ...]
    kind: Literal["parts"] = "parts"


Value: TypeAlias = Instance | Class | Super | Function | Lambda | Module | Outside | External | Parts
Typed: TypeAlias = Instance | Class  # what has the members of a class of the root
TYPED = (Instance, Class)  # the same, as `isinstance` takes it fastest
Base: TypeAlias = Class | External  # what a class may inherit from
Values: TypeAlias = tuple[Value, ...]  # any of them; () = nothing is known
