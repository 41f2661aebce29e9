"""How the files of a language are recognised and what they define, as data: `outline.py` of every language's folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from sightline.types import ObjectKind

if TYPE_CHECKING:
    from tree_sitter import Node

# Decides from the node what it defines: (kind, name), or None when this node defines nothing. A dotted name
# (`App.Sessions`) gives its last word as the object's name and all of it to the qualified name.
Refine = Callable[["Node"], "tuple[ObjectKind, str] | None"]
# `Definition.body` may also be the text that ends the signature: the first brace, the first line, ", do:".
UNTIL_BRACE = "{"
FIRST_LINE = "\n"


@dataclass(frozen=True, slots=True)
class Definition:
    """One node type that defines an object. A function directly inside a type is a method without saying so."""

    kind: ObjectKind
    name: str = "name"  # field of the node that holds the name
    body: str = "body"  # field (or text) where the signature ends; a function held by it gives its own body
    refine: Refine | None = None  # for node types whose kind or name needs a look at the node
    patterns: tuple[str, ...] = ()  # query patterns with @def that find it; () = every node of the type
    receiver: Callable[[Node], str] | None = None  # name of the object it belongs to when nesting does not say so
    clauses: bool = False  # neighbours of one name are clauses of one definition
    lasts: bool = False  # functions and constants behind it, up to the next one, belong to it: Perl's `package A;`


@dataclass(frozen=True, slots=True)
class LanguageSpec:
    """A language: how to recognise its files, parse them and find what they define."""

    name: str
    grammar: str  # "module:function" of the grammar wheel, e.g. "tree_sitter_python:language"; "" = line-based
    extensions: tuple[str, ...]
    filenames: tuple[str, ...] = ()
    extra: str = ""  # the extra of this package that installs the grammar, where it is too large for everybody
    # What the grammar is shown in place of the source: as many bytes, each word and line at its place. The script of a
    # page, Cython as Python, C++ without words that a preprocessor would take out.
    seen: Callable[[bytes], bytes] | None = None
    shebangs: tuple[str, ...] = ()  # interpreter names: "python3", "bash"
    # An extension of another language → whether a file that begins with these bytes is in this one all the same.
    claims: Mapping[str, Callable[[bytes], bool]] = field(default_factory=dict)
    definitions: Mapping[str, Definition] = field(default_factory=dict)
    wrappers: frozenset[str] = frozenset()  # nodes around a definition that belong to it: decorators, export
    bodies: frozenset[str] = frozenset()  # node types that are bodies where the grammar has no field for them
    # Where the grammar finds errors: the source, of the same length, without what it is known not to understand.
    mended: Callable[[bytes], bytes] | None = None
    tails: frozenset[str] = frozenset()  # node types that, as the next sibling, belong to a definition (Dart's bodies)
    imports: frozenset[str] = frozenset()  # nodes that import something
    import_patterns: tuple[str, ...] = ()  # the same as query patterns with @import, where a type does not say so
    comments: frozenset[str] = frozenset({"comment"})
    attributes: frozenset[str] = frozenset()  # annotations, attributes: they stay with what follows
    constructors: frozenset[str] = frozenset()  # names of methods that are constructors
    unnamed: frozenset[str] = frozenset()  # stems of files that go by the name of their folder
    # A file's name, as a pattern → what its content says of paths and packages, as notes of its facts. Such a file need
    # not be in the language. `provides` in the notes lists packages, by which the rules of the language find the file.
    manifests: Mapping[str, Callable[[bytes], dict[str, Any]]] = field(default_factory=dict)
    doc: Literal["before", "docstring"] = "before"  # where documentation stands
    doc_of: Callable[[Node], str] | None = None  # where it stands elsewhere: raw text for the outermost node
    document: bool = False  # prose or data: no objects but the module
    sections: Mapping[str, Callable[[Node], str]] = field(default_factory=dict)  # node type → title of that part
    headings: Callable[[str], list[tuple[int, int, str]]] | None = None  # text → (row, level, title), without a grammar
    private: Callable[[str, Node], bool] | None = None  # is the object of that name private to its file or class?
