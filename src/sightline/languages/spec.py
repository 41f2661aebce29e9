"""What the project knows about a language, as data.

Adding a language is a `LanguageSpec` in a module of `table/` and a sample in `fixtures/languages/`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from sightline.types import ObjectKind

if TYPE_CHECKING:
    from tree_sitter import Node

# Decides from the node what it defines: (kind, name), or None when this node defines nothing.
Refine = Callable[["Node"], "tuple[ObjectKind, str] | None"]


@dataclass(frozen=True, slots=True)
class Definition:
    """One node type that defines an object."""

    kind: ObjectKind
    name: str = "name"  # field of the node that holds the name
    body: str = "body"  # field where the signature ends
    refine: Refine | None = None  # for node types whose kind or name needs a look at the node
    patterns: tuple[str, ...] = ()  # query patterns with @def that find it; () = every node of the type
    receiver: Callable[[Node], str] | None = None  # name of the object it belongs to when nesting does not say so


@dataclass(frozen=True, slots=True)
class LanguageSpec:
    """A language: how to recognise its files, parse them and find what they define."""

    name: str
    grammar: str  # "module:function" of the grammar wheel, e.g. "tree_sitter_python:language"; "" = line-based
    extensions: tuple[str, ...]
    filenames: tuple[str, ...] = ()
    shebangs: tuple[str, ...] = ()  # interpreter names: "python3", "bash"
    definitions: Mapping[str, Definition] = field(default_factory=dict)
    wrappers: frozenset[str] = frozenset()  # nodes around a definition that belong to it: decorators, export
    imports: frozenset[str] = frozenset()  # nodes that import something
    comments: frozenset[str] = frozenset({"comment"})
    doc: Literal["before", "docstring"] = "before"  # where documentation stands
    document: bool = False  # prose or data: no objects but the module
    private: Callable[[str, Node], bool] | None = None  # is the object of that name private to its file or class?
