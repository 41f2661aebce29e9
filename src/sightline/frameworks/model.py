"""What the rules of a framework are, what a file states by them, and what becomes of that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from sightline.frameworks.notes import Notes

Form = Literal["decorator", "call"]


@dataclass(frozen=True, slots=True)
class RouterRule:
    """A call whose result routes are put on."""

    call: str  # pattern of what is called
    prefix: tuple[str | int, ...] = ()  # keys or numbers of the argument that all its addresses begin with
    grouped: bool = False  # it is a member of the router that it belongs to: `r.Group("/v1")`
    root: bool = False  # an application: nothing mounts it
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class MountRule:
    """A call that puts a router below an address of another."""

    call: str
    child: tuple[str | int, ...] = (0,)  # "any": whichever argument is a router
    prefix: tuple[str | int, ...] = ()
    bare: bool = False  # a function, and not a member of the parent: Django's `path("x/", include(…))`
    patterns: tuple[str, ...] = ()  # of such functions, those whose address is a regular expression
    replaces: bool = False  # its prefix stands for the router's own


@dataclass(frozen=True, slots=True)
class RouteRule:
    """A decorator or a call that states a route."""

    form: Form
    call: str  # pattern of its name, a member of a router; a verb of HTTP is the method
    path: tuple[str | int, ...] = (0,)
    handler: tuple[str | int, ...] = (-1,)
    methods: tuple[str | int, ...] = ()  # the argument that names the methods
    default: tuple[str, ...] = ()  # methods where none are named; () is any
    least: int = 1  # arguments that it has
    bare: bool = False  # a function: nothing stands before it
    pattern: bool = False  # the address is a regular expression
    optional: bool = False  # it may have no address
    expands: str = ""  # what one statement stands for: "rest" for the seven actions
    confidence: float = 0.95


@dataclass(frozen=True, slots=True)
class ClassRule:
    """Annotations of controllers."""

    marks: str = ""  # pattern of the annotation that makes a class a controller
    prefix: str = ""  # pattern of the annotation of a class that its addresses begin with
    none: str = ""  # pattern of an annotation by which a class is no controller
    confidence: float = 0.97
    unmarked: float = 0.6  # of a class without such a mark


@dataclass(frozen=True, slots=True)
class TableRule:
    """A class that stands for a table."""

    model: str  # pattern of its head, with the groups `name` and maybe `bases`; with `table` it says all
    base: str = ""  # pattern of a base that makes it one; what derives from a model is one, too
    above: str = ""  # pattern of an annotation above it that makes it one
    named: str = ""  # pattern that names the table, in the class or above it, with the group `table`
    abstract: str = ""  # pattern in the class by which it has no table itself
    default: str = ""  # how the table is called otherwise: "snake", "snake_plural", "lower", "app_lower"
    confidence: float = 0.9


@dataclass(frozen=True, slots=True)
class InjectionRule:
    """What is given where something is asked for."""

    pattern: (
        str  # with the groups `key`, what is asked for, and `value`, what is given; without `key` they are the same
    )
    how: str  # how it is said in an answer: "AddScoped"
    confidence: float = 0.95


@dataclass(frozen=True, slots=True)
class Rules:
    """How one framework states routes: the contents of a file in `rules/`."""

    key: str  # the name of the file
    name: str
    languages: frozenset[str]
    style: str = ""  # which reader of routes: "routers", "classes", "rails", "laravel", "files"; "" has none
    words: tuple[str, ...] = ()  # a file that states routes says one of these
    marks: str = ""  # pattern; a file that uses the framework has it
    manifests: str = ""  # pattern; a manifest above the file has it
    files: str = ""  # pattern of the paths that are read, whatever they say
    usual: str = ""  # pattern of names that are taken for routers where it cannot be seen what they are
    typed: str = ""  # pattern of a parameter that is a router
    unmarked: float = 0.0  # confidence of a file without marks where the manifest has it; 0: not read
    routers: tuple[RouterRule, ...] = ()
    mounts: tuple[MountRule, ...] = ()
    routes: tuple[RouteRule, ...] = ()
    applications: str = ""  # pattern of the files that may say what all addresses of an application begin with
    before_all: str = ""  # pattern of what says it; without its group `prefix` it is not read
    versions: str = ""  # pattern of what makes a controller's version a part of its addresses
    usual_version: str = ""  # pattern of the version that controllers have otherwise, with the group `version`
    excluded: str = ""  # pattern of the addresses that nothing is put before, with the group `addresses`
    controllers: ClassRule = field(default_factory=ClassRule)
    injections: tuple[InjectionRule, ...] = ()
    tables: tuple[TableRule, ...] = ()


@dataclass(frozen=True, slots=True)
class Handler:
    """What answers: a name as written, or a function that stands there."""

    name: str = ""  # "" for a function without one
    path: str = ""  # the file in which it stands, where the text says that
    line: int = 0  # of a function that stands beside the route
    owner: str = ""  # the class of a method
    module: str = ""  # the file that the name is imported from, where that was found
    end: int = 0  # the last line of a function without a name


@dataclass(frozen=True, slots=True)
class Stated:
    """A route as its file states it, before prefixes are put before it."""

    rules: Rules
    methods: tuple[str, ...]  # () is any
    address: str
    on: str  # the router as written
    handler: Handler
    offset: int
    line: int
    how: str  # "@app.post"
    confidence: float
    prefixes: tuple[str, ...] = ("",)  # of the class or block around it
    partial: str = ""  # why the address may not be the whole one


@dataclass(slots=True)
class Router:
    """A name that routes are put on, from where it is bound."""

    name: str
    offset: int
    prefix: str = ""
    parent: str = ""  # the router it is a group of
    root: bool = False
    given_to: str = ""  # the function whose parameter it is
    confidence: float = 1.0
    until: int = 1 << 60  # where the function ends


@dataclass(frozen=True, slots=True)
class Mount:
    """A router put below an address of another one."""

    on: str
    child: str  # as written
    prefix: str
    offset: int
    replaces: bool = False  # the prefix stands for the router's own


@dataclass(frozen=True, slots=True)
class Controller:
    """A class with annotations, as far as others that derive from it have them, too."""

    prefixes: tuple[str, ...]
    bases: tuple[str, ...]


@dataclass(slots=True)
class FileRoutes:
    """What one file states by the rules of one framework. It may be noted: who adds to it adds to a copy."""

    routes: list[Stated] = field(default_factory=list)
    routers: list[Router] = field(default_factory=list)
    mounts: list[Mount] = field(default_factory=list)
    controllers: dict[str, Controller] = field(default_factory=dict)

    def router(self, name: str, offset: int) -> Router | None:
        """The router that a name is at a place: the last binding before it, else the first."""
        bound = [router for router in self.routers if router.name == name and router.until >= offset]
        before = [router for router in bound if router.offset <= offset]
        return before[-1] if before else bound[0] if bound else None


@dataclass(frozen=True, slots=True)
class Route:
    """An address and what answers it."""

    framework: str
    methods: tuple[str, ...]  # () is any
    address: str
    handler: Handler
    path: str  # where it is stated
    line: int
    how: str
    confidence: float
    partial: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A model and its table."""

    framework: str
    model: str
    table: str
    path: str
    line: int
    how: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Injection:
    """What is given for what."""

    framework: str
    key: str
    value: str
    path: str
    line: int
    how: str
    confidence: float


class Opened(NamedTuple):
    """A file of the root: its text, for whom the notes on it do not suffice."""

    text: Callable[[], str]
    notes: Notes


Open = Callable[[str], Opened | None]  # None where there is no such file
