"""C#. Namespaces are packages here, not objects: file-scoped and block-scoped ones give the same names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.naming import child_of_type, field_text, has_word, text_of
from sightline.languages.spec import Definition, LanguageSpec

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.types import ObjectKind


def _constant(node: Node) -> tuple[ObjectKind, str] | None:
    """A `const` or `static readonly` field."""
    if not (has_word(node, "const") or (has_word(node, "static") and has_word(node, "readonly"))):
        return None
    declaration = child_of_type(node, "variable_declaration")
    declarator = child_of_type(declaration, "variable_declarator") if declaration is not None else None
    name = field_text(declarator, "name") if declarator is not None else ""
    return ("constant", name) if name else None


def _operator(node: Node) -> tuple[ObjectKind, str] | None:
    return "method", f"operator {field_text(node, 'operator')}".strip()


def _destructor(node: Node) -> tuple[ObjectKind, str] | None:
    return "method", f"~{field_text(node, 'name')}"


def _private(_: str, node: Node) -> bool:
    """Members are private unless they say otherwise; interface members and types are not."""
    if has_word(node, "private"):
        return True
    words = {text_of(child) for child in node.children[:6] if child.type == "modifier"}
    if words & {"public", "protected", "internal"}:
        return False
    owner = node.parent.parent if node.parent is not None else None
    return owner is not None and owner.type in ("class_declaration", "struct_declaration", "record_declaration")


CSHARP = LanguageSpec(
    name="csharp",
    grammar="tree_sitter_c_sharp:language",
    extensions=(".cs", ".csx"),
    definitions={
        "class_declaration": Definition("class"),
        "record_declaration": Definition("class"),
        "struct_declaration": Definition("struct"),
        "interface_declaration": Definition("interface"),
        "enum_declaration": Definition("enum"),
        "delegate_declaration": Definition("type_alias"),
        "method_declaration": Definition("method"),
        "property_declaration": Definition("method", body="accessors"),
        "local_function_statement": Definition("function"),
        "constructor_declaration": Definition("constructor"),
        "destructor_declaration": Definition("method", refine=_destructor),
        "operator_declaration": Definition("method", refine=_operator),
        "field_declaration": Definition("constant", refine=_constant),
    },
    attributes=frozenset({"attribute_list"}),
    imports=frozenset({"using_directive"}),
    private=_private,
)
SPECS = (CSHARP,)
