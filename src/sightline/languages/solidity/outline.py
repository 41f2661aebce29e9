"""Solidity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.naming import always, child_of_type, text_of
from sightline.languages.spec import Definition, LanguageSpec

if TYPE_CHECKING:
    from tree_sitter import Node


def _private(_: str, node: Node) -> bool:
    return text_of(child_of_type(node, "visibility")) == "private"


SOLIDITY = LanguageSpec(
    name="solidity",
    grammar="tree_sitter_solidity:language",
    extensions=(".sol",),
    definitions={
        "contract_declaration": Definition("class"),
        "library_declaration": Definition("class"),
        "interface_declaration": Definition("interface"),
        "struct_declaration": Definition("struct"),
        "enum_declaration": Definition("enum"),
        "event_definition": Definition("struct"),
        "error_declaration": Definition("struct"),
        "user_defined_type_definition": Definition("type_alias"),
        "function_definition": Definition("function"),
        "modifier_definition": Definition("function"),
        "constructor_definition": Definition("constructor", refine=always("constructor", "constructor")),
        "state_variable_declaration": Definition("constant"),
        "constant_variable_declaration": Definition("constant"),
    },
    imports=frozenset({"import_directive"}),
    private=_private,
)
SPECS = (SOLIDITY,)
