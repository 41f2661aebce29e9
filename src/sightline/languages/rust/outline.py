"""Rust."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sightline.languages.naming import bare, child_of_type, field_text
from sightline.languages.rust.manifests import cargo_notes
from sightline.languages.spec import UNTIL_BRACE, Definition, LanguageSpec

if TYPE_CHECKING:
    from tree_sitter import Node


# What may stand before a type's name: references, lifetimes, `dyn`, `mut`, `impl`.
_NOT_NAME = re.compile(r"^(?:[&*(\[\s]|'\w+\s|(?:dyn|mut|impl|const)\s)+")


def _implemented_type(node: Node) -> str:
    """The type of the `impl` that a member stands in: `impl<T> Clock for Session<T>` → Session."""
    body = node.parent
    block = body.parent if body is not None and body.type == "declaration_list" else None
    if block is None or block.type != "impl_item":
        return ""
    return implemented_name(field_text(block, "type"))


def implemented_name(written: str) -> str:
    """The name of the type that an `impl` is for: `&'a dyn io::Read` → io.Read."""
    return bare(_NOT_NAME.sub("", written)).replace("::", ".")


def _not_public(_: str, node: Node) -> bool:
    """Without `pub`, except what a trait declares or an `impl` of a trait gives, and macros."""
    owner = node.parent.parent if node.parent is not None else None
    if owner is not None and (owner.type == "trait_item" or owner.child_by_field_name("trait") is not None):
        return False
    return node.type != "macro_definition" and child_of_type(node, "visibility_modifier") is None


_AT_MODULE_OR_TYPE = ("(source_file ({0}) @def)", "(declaration_list ({0}) @def)")


def _outside_functions(node_type: str) -> tuple[str, ...]:
    return tuple(pattern.format(node_type) for pattern in _AT_MODULE_OR_TYPE)


RUST = LanguageSpec(
    name="rust",
    grammar="tree_sitter_rust:language",
    extensions=(".rs",),
    definitions={
        "function_item": Definition("function", receiver=_implemented_type),
        "function_signature_item": Definition("function", receiver=_implemented_type),
        "struct_item": Definition("struct"),
        "union_item": Definition("struct"),
        "enum_item": Definition("enum"),
        "trait_item": Definition("interface"),
        "mod_item": Definition("module"),
        "type_item": Definition("type_alias", body="", receiver=_implemented_type),
        "associated_type": Definition("type_alias", body=""),
        "macro_definition": Definition("macro", body=UNTIL_BRACE),
        "const_item": Definition(
            "constant", body="value", receiver=_implemented_type, patterns=_outside_functions("const_item")
        ),
        "static_item": Definition("constant", body="value", patterns=_outside_functions("static_item")),
    },
    attributes=frozenset({"attribute_item"}),
    imports=frozenset({"use_declaration", "extern_crate_declaration"}),
    unnamed=frozenset({"mod"}),
    manifests={r"Cargo\.toml": cargo_notes},
    comments=frozenset({"line_comment", "block_comment"}),
    private=_not_public,
)
SPECS = (RUST,)
