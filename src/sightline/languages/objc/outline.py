"""Objective-C. A method goes by the first word of its selector and belongs to its class wherever it is implemented."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sightline.languages.naming import child_of_type, has_word, text_of
from sightline.languages.spec import UNTIL_BRACE, Definition, LanguageSpec

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.types import ObjectKind

_HEADER = re.compile(rb"^\s*(?:@interface|@protocol|@class|#import|@import|NS_ASSUME_NONNULL_BEGIN)\b", re.MULTILINE)
_MAX_DECLARATORS = 12


def declared_name(declarator: Node | None) -> Node | None:
    """The name inside of pointers, arrays, functions and initialisers."""
    for _ in range(_MAX_DECLARATORS):
        if declarator is None or declarator.type in ("identifier", "type_identifier", "field_identifier"):
            return declarator
        declarator = declarator.child_by_field_name("declarator")
    return None


def _is_category(interface: Node) -> bool:
    return any(child.type == "(" for child in interface.children[:6])


def _interface(node: Node) -> tuple[ObjectKind, str] | None:
    """A class; a category adds to one and is none of its own."""
    name = text_of(child_of_type(node, "identifier"))
    return ("class", name) if name and not _is_category(node) else None


def _protocol(node: Node) -> tuple[ObjectKind, str] | None:
    name = text_of(child_of_type(node, "identifier"))
    return ("interface", name) if name else None


def _method(node: Node) -> tuple[ObjectKind, str] | None:
    name = text_of(child_of_type(node, "identifier"))
    return ("method", name) if name else None


def _adds_to(node: Node) -> str:
    """The class whose implementation or category a method stands in."""
    around = node.parent
    while around is not None and around.type not in ("class_implementation", "class_interface"):
        around = around.parent
    if around is None or (around.type == "class_interface" and not _is_category(around)):
        return ""
    return text_of(child_of_type(around, "identifier"))


def _function(node: Node) -> tuple[ObjectKind, str] | None:
    name = text_of(declared_name(node.child_by_field_name("declarator")))
    return ("function", name) if name else None


def _constant(node: Node) -> tuple[ObjectKind, str] | None:
    declarator = node.child_by_field_name("declarator")
    if declarator is None or declarator.type != "init_declarator":
        return None
    name = text_of(declared_name(declarator))
    return ("constant", name) if name else None


def _typedef(node: Node) -> tuple[ObjectKind, str] | None:
    """`typedef NS_ENUM(NSInteger, State) { … }`, which the grammar knows nothing of, and other typedefs."""
    given = node.child_by_field_name("type")
    if given is not None and given.type == "macro_type_specifier":
        name = text_of(given.child_by_field_name("type"))
        return ("enum", name) if name else None
    name = text_of(declared_name(node.child_by_field_name("declarator")))
    return ("type_alias", name) if name else None


OBJC = LanguageSpec(
    name="objc",
    grammar="tree_sitter_objc:language",
    extensions=(".m", ".mm"),
    claims={".h": lambda head: _HEADER.search(head) is not None},
    definitions={
        "class_interface": Definition("class", body="\n", refine=_interface),
        "protocol_declaration": Definition("interface", body="\n", refine=_protocol),
        "method_declaration": Definition("method", refine=_method, receiver=_adds_to),
        "method_definition": Definition("method", body=UNTIL_BRACE, refine=_method, receiver=_adds_to),
        "function_definition": Definition("function", refine=_function),
        "preproc_function_def": Definition("macro", body="value"),
        "preproc_def": Definition("constant", body="\n"),
        "declaration": Definition("constant", refine=_constant, patterns=("(translation_unit (declaration) @def)",)),
        "type_definition": Definition("type_alias", body=UNTIL_BRACE, refine=_typedef),
        "struct_specifier": Definition("struct", patterns=("(struct_specifier name: (_) body: (_)) @def",)),
        "enum_specifier": Definition("enum", patterns=("(enum_specifier name: (_) body: (_)) @def",)),
    },
    wrappers=frozenset({"implementation_definition"}),
    imports=frozenset({"preproc_include"}),
    private=lambda _, node: has_word(node, "static"),
)
SPECS = (OBJC,)
