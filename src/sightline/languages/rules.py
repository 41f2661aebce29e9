"""What the graph knows about a language: how its facts are read, and how they are resolved.

The reader of a language (`reader.py` of its folder) fills a `Rules` record:

- `reader` states the facts of a file: a subclass of `Reader` names the node types it cares for in `steps`, and its
  methods open scopes (`reading.enter`), bind names (`facts.bind`), state call sites (`facts.site`), imports
  (`facts.imports`), bases, parameters, results and returns. Expressions are rows of `facts`.
- `module(view, facts, spec)` says which namespace (`space`) an import path names, None when it is outside.
- the remaining fields are data: what a bare name sees, builtins that are never worth an edge, and so on.

A namespace is the file itself unless the reader sets `facts.space` (a Go folder, a Java package): files of one
namespace see each other's top-level names, and members of a class are found by the class's qualified name in its
namespace, so a method, extension or partial class in another file of the namespace belongs to its class.

Reading looks at one file alone. Rules that resolve ask about the other files of the root through `RootView`, which the
graph provides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from sightline.languages.facts import Binding, FileFacts, Target
    from sightline.languages.outline import Defined
    from sightline.languages.reading import Reading
    from sightline.languages.values import Values


Visibility = Literal["public", "protected", "private", "internal"]
T = TypeVar("T")


class FileTable(Protocol):
    """The files of the root. Whoever asks is noted, and resolved again when the answer changes."""

    def has_file(self, path: str) -> bool:
        """Is there a file at this path?"""

    def notes(self, path: str) -> dict[str, Any]:
        """What a file's notes say; {} when there is no such file."""

    def manifests(self, name: str) -> Sequence[str]:
        """The manifests that provide a package."""

    def files_with_stem(self, family: str, stem: str) -> Sequence[str]:
        """Files of a family by their name without extension; a package's file goes by its folder's name."""

    def files_of_space(self, space: str) -> Sequence[str]:
        """The files that share a namespace."""

    def members(self, space: str, owner: str, name: str) -> list[tuple[FileFacts, list[Binding]]]:
        """What a name stands for at the top level of a namespace (owner ""), or in a class."""

    def remember(self, key: tuple[str, ...], answer: Callable[[], T]) -> T:
        """Work an answer out once for all who ask the same."""


class RootView(Protocol):
    """What the rules of a language may ask about the root while its facts are resolved."""

    @property
    def table(self) -> FileTable:
        """The files of the root."""

    def exported(self, space: str, name: str) -> Values | None:
        """What a module gives under a name; None when it has no such name."""

    def starred(self, path: str, name: str, *, exported: bool) -> Values | None:
        """What a name stands for by a star import of a file, or by a star export when asked from outside."""


def _no_module(view: RootView, facts: FileFacts, spec: str) -> str | None:
    return None


def _no_submodule(view: RootView, space: str, name: str) -> str | None:
    return None


def _no_result(name: str, arguments: tuple[Any, ...]) -> Values | None:
    return None


def _no_member(name: str, arguments: tuple[Any, ...], member: str) -> Values | None:
    return None


def _nothing_given(name: str, arguments: tuple[Any, ...], index: int) -> Values:
    return ()


def _all_alike(path: str, notes: dict[str, Any]) -> int:
    return 0


def _as_they_are(targets: list[Target], labels: str) -> list[Target]:
    return targets


def _seen_everywhere(name: str) -> bool:
    return True


class SpecialMembers(NamedTuple):
    """Members of a class that the language itself calls."""

    called: str = ""  # when an instance is called
    calling: frozenset[str] = frozenset()  # members of a function that call it: `f.apply(x)`
    # Members of a class or function by which a queue of jobs calls it later, and the method that is called then; "" is
    # the function itself: `Mailer.perform_async(x)`, `send.delay(x)`.
    deferring: Mapping[str, str] = MappingProxyType({})
    read: str = ""  # when an instance is a member of a class and is read off one of its instances: a descriptor
    indexed: str = ""
    iterated: tuple[str, ...] = ()  # give an iterator
    next: str = ""  # of an iterator
    entered: tuple[str, ...] = ()  # by `with`


class FactsReader(Protocol):
    """What states the facts of a file: a subclass of `Reader`."""

    def state(self, reading: Reading) -> None:
        """State the facts of a file."""
        ...

    def watched(self, language: str) -> Watched:
        """What it looks at."""
        ...


class Watched(NamedTuple):
    """What the reader of a language looks at: node types, and patterns that capture more nodes as `@x`."""

    node_types: frozenset[str]
    patterns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rules:
    """How facts of a language are read and resolved."""

    family: str  # languages of one family see each other's definitions
    reader: FactsReader | None = None  # none for documents and data, which state nothing beside their objects
    module: Callable[[RootView, FileFacts, str], str | None] = _no_module
    submodule: Callable[[RootView, str, str], str | None] = _no_submodule  # member of a package that is a file
    external_result: Callable[[str, tuple[Any, ...]], Values | None] = _no_result  # calls on built-in containers
    external_element: Callable[[str, tuple[Any, ...]], Values | None] = _no_result  # iterating over built-in containers
    external_member: Callable[[str, tuple[Any, ...], str], Values | None] = _no_member  # fields of library types
    external_given: Callable[[str, tuple[Any, ...], int], Values] = _nothing_given  # arguments of library functions
    preference: Callable[[str, dict[str, Any]], int] = _all_alike  # of files with the same definition, lowest wins
    special: SpecialMembers = field(default_factory=SpecialMembers)
    awaitables: frozenset[str] = frozenset()  # library types: awaiting one gives its last type argument
    library_interfaces: Mapping[str, frozenset[str]] = field(default_factory=dict)  # name → the methods it asks for
    labelled: Callable[[list[Target], str], list[Target]] = _as_they_are  # what a call with these labels fits
    is_exported: Callable[[str], bool] = _seen_everywhere  # do other namespaces see a member of this name?
    self_names: frozenset[str] = frozenset()  # variables that are the instance or the class, as everybody calls them
    self_types: frozenset[str] = frozenset()  # a result declared by such a name is what the method was called on
    untyped: frozenset[str] = frozenset()  # library types that say nothing about a value
    class_types: frozenset[str] = frozenset()  # library types: a value is the class that is their type argument
    tuple_types: frozenset[str] = frozenset()  # library types with a type argument for each value
    constructors: tuple[str, ...] = ()  # what constructors are called that do not bear the name of their class
    default_export: str = ""  # what a module is when it is called like a function
    builtins: frozenset[str] = frozenset()  # names that are never worth an edge
    members_hide_builtins: bool = (
        False  # a member of a class around, or of what a block is run on, may have such a name
    )
    calls_pass_over_values: bool = False  # what is called is a function, also where a variable has its name
    common_members: frozenset[str] = frozenset()  # member names too common to be found by name alone
    members_in_scope: bool = False  # a bare name sees the members of the classes around it, inherited ones too
    class_names_in_scope: bool = False  # a bare name sees names of the class bodies around it
    types_are_not_values: bool = False  # an interface and a variable may share a name and mean different things
    class_body_in_scope: bool = False  # code in a class body sees the names of the body
    calls_convert: bool = False  # calling a type converts; it does not make an instance
    structural_interfaces: bool = False  # a type with all methods of an interface implements it
    imports_objects: bool = False  # an import names a class; the module it means is the file of the class
    overloads: bool = False  # methods of one name differ by their parameters, also between a class and its bases
    imports_submodules: bool = False  # a name imported from a package may be a file of its own
    guesses_names: bool = False  # bare names may live in other files without an import
    by_name: bool = False  # calls are found by name in all of the root: no types and no imports that say which file
    exact_arity: bool = False  # a call gives every parameter an argument: no defaults, nothing variadic
    # Types of elsewhere may get members by extensions: what each of them is besides, as far as extensions go.
    external_bases: Mapping[str, tuple[str, ...]] | None = None
    open_packages: bool = False  # importing a whole package of several files says nothing about which of them
    linked: bool = False  # definitions of one name in several files are one thing: prototypes, bodies, variants
    types_are_statements: bool = False  # a class is known from where it is written on, and not in all of its scope
    # All that an import of all names brings is defined somewhere, under that name: no aliases are handed on. So a name
    # that nothing in the root defines is not looked for in what a library exports, of which there may be hundreds.
    stars_bring_definitions: bool = False
    blocks_are_of_their_base: bool = False  # a block that adds to a type (`impl Trait for T`) holds members of its base
    package_stem: str = ""  # the file of that name is the module of its folder
    outer_names: frozenset[str] = frozenset()  # libraries whose members are no members of the root by their names alone
    reopens_types: bool = False  # any file may add to a type by stating it once more
    modules_are_types: bool = False  # a file is a type, and a value may be an instance of it
    unique_name: float | None = None  # how often a unique name is right, where that was found to differ
    linearisation: str = "depth-first"  # or "c3"
    visibility: Callable[[Defined], Visibility] | None = None  # by default: the spec's `private`, else the modifiers


_MODIFIERS: dict[str, Visibility] = {
    "public": "public",
    "private": "private",
    "fileprivate": "private",
    "protected": "protected",
    "internal": "internal",
}


def by_modifier(signature: str, otherwise: Visibility) -> Visibility:
    """Most languages write the visibility down among the first words of the declaration."""
    for word in signature.partition("(")[0].split()[:6]:
        if word in _MODIFIERS:
            return _MODIFIERS[word]
    return otherwise


def no_rules(language: str) -> Rules:
    """The rules of a language without a reader."""
    return Rules(family=language)
