"""What the graph knows about each language.

A language is one module here that fills a `Rules` record:

- `read(reading)` states the facts of a file. Name the node types you care for in a `{node type: handler}` map and call
  `reading.sweep(map)`; handlers open scopes (`reading.enter`), bind names (`facts.bind`), state call sites
  (`facts.site`), imports (`facts.imports`), bases, parameters, results and returns. Expressions are rows of `facts`.
- `module(evaluator, facts, spec)` says which namespace (`space`) an import path names, None when it is outside.
- the remaining fields are data: what a bare name sees, builtins that are never worth an edge, and so on.

A namespace is the file itself unless the reader sets `facts.space` (a Go folder, a Java package): files of one
namespace see each other's top-level names, and members of a class are found by the class's qualified name in its
namespace, so a method, extension or partial class in another file of the namespace belongs to its class.

`generic.py` is the common part of the readers that are driven by tables of node types; `common_names.py` lists the
names of library methods that are never found by name alone. A language without a reader states nothing beside its
objects.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from sightline.graph.build.evaluate import Evaluator
    from sightline.graph.build.facts import FileFacts
    from sightline.graph.build.values import Values
    from sightline.graph.languages.reading import Reading
    from sightline.languages import Defined

Visibility = Literal["public", "protected", "private", "internal"]


def _no_module(evaluator: Evaluator, facts: FileFacts, spec: str) -> str | None:
    return None


def _no_submodule(evaluator: Evaluator, space: str, name: str) -> str | None:
    return None


def _no_result(name: str, arguments: tuple[Any, ...]) -> Values | None:
    return None


def _nothing_given(name: str, arguments: tuple[Any, ...], index: int) -> Values:
    return ()


def _all_alike(path: str, notes: dict[str, Any]) -> int:
    return 0


@dataclass(frozen=True, slots=True)
class Rules:
    """How facts of a language are read and resolved."""

    family: str  # languages of one family see each other's definitions
    read: Callable[[Reading], None]
    module: Callable[[Evaluator, FileFacts, str], str | None] = _no_module
    submodule: Callable[[Evaluator, str, str], str | None] = _no_submodule  # member of a package that is a file
    external_result: Callable[[str, tuple[Any, ...]], Values | None] = _no_result  # calls on built-in containers
    external_given: Callable[[str, tuple[Any, ...], int], Values] = _nothing_given  # arguments of library functions
    preference: Callable[[str, dict[str, Any]], int] = _all_alike  # of files with the same definition, lowest wins
    builtins: frozenset[str] = frozenset()  # names that are never worth an edge
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
    exact_arity: bool = False  # a call gives every parameter an argument: no defaults, nothing variadic
    open_packages: bool = False  # importing a whole package of several files says nothing about which of them
    linked: bool = False  # definitions of one name in several files are one thing: prototypes, bodies, variants
    reopens_types: bool = False  # any file may add to a type by stating it once more
    modules_are_types: bool = False  # a file is a type, and a value may be an instance of it
    unique_name: float | None = None  # how often a unique name is right, where that was found to differ
    linearisation: str = "depth-first"  # or "c3"
    visibility: Callable[[Defined], Visibility] | None = None  # by default: the spec's `private`, else the modifiers


# language → (module of this package, name of its Rules)
_RULES: dict[str, str] = {
    "python": "python",
    "typescript": "javascript",
    "tsx": "javascript",
    "javascript": "javascript",
    "jsx": "javascript",
    "go": "go",
    "swift": "swift",
    "rust": "rust",
    "java": "java",
    "csharp": "csharp",
    "kotlin": "kotlin",
    "scala": "scala",
    "php": "php",
    "ruby": "ruby",
    "c": "c",
    "cpp": "c",
    "dart": "dart",
    "elixir": "elixir",
    "lua": "lua",
    "bash": "bash",
    "zig": "zig",
    "haskell": "haskell",
}


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


@cache
def rules_of(language: str) -> Rules:
    """The rules of a language; the generic ones where it has none of its own."""
    module = import_module(f"sightline.graph.languages.{_RULES.get(language, 'generic')}")
    rules: Rules = module.rules(language)
    return rules


@cache
def family_of(language: str) -> str:
    """The family of a language."""
    return rules_of(language).family
