"""Dart. A function is a signature and, as its next sibling, a body."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.naming import bare, child_of_type, field_text, named, text_of
from sightline.languages.spec import Definition, LanguageSpec

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.types import ObjectKind


def _dart_signature(node: Node) -> tuple[ObjectKind, str] | None:
    """A function, method, getter, setter, operator or constructor: the signature says which."""
    inner = node
    while inner.type in ("method_signature", "declaration") and inner.named_child_count:
        found = next((child for child in inner.named_children if child.type.endswith("_signature")), None)
        if found is None:
            return None
        inner = found
    if "constructor" in inner.type:
        names = [text_of(child) for child in inner.named_children if child.type == "identifier"]
        return ("constructor", "_".join(names[-1:])) if names else None
    if inner.type == "operator_signature":
        return "function", f"operator {text_of(child_of_type(inner, 'binary_operator')) or '[]'}"
    name = field_text(inner, "name")
    return ("function", name) if name else None


def _dart_extended(node: Node) -> str:
    """`extension Ends on Session { … }`: its members belong to Session."""
    body = node.parent
    owner = body.parent if body is not None and body.type == "extension_body" else None
    return bare(field_text(owner, "class")) if owner is not None else ""


def _dart_local(node: Node) -> tuple[ObjectKind, str] | None:
    inner = node
    while inner.type != "function_signature":
        found = child_of_type(inner, "function_signature", "lambda_expression")
        if found is None:
            return None
        inner = found
    return "function", field_text(inner, "name")


_DART_SIGNATURES = ("function_signature", "getter_signature", "setter_signature")
_DART_MEMBERS = (
    "function_signature",
    "getter_signature",
    "setter_signature",
    "constructor_signature",
    "constant_constructor_signature",
    "factory_constructor_signature",
    "redirecting_factory_constructor_signature",
    "operator_signature",
)

DART = LanguageSpec(
    name="dart",
    grammar="tree_sitter_dart:language",
    extensions=(".dart",),
    shebangs=("dart",),
    definitions={
        "class_definition": Definition("class"),
        "mixin_declaration": Definition("class", refine=named("class", "identifier")),
        "enum_declaration": Definition("enum"),
        "type_alias": Definition("type_alias", body="", refine=named("type_alias", "type_identifier")),
        "method_signature": Definition("function", refine=_dart_signature, receiver=_dart_extended),
        "declaration": Definition(
            "function",
            refine=_dart_signature,
            receiver=_dart_extended,
            patterns=tuple(f"(declaration ({member})) @def" for member in _DART_MEMBERS),
        ),
        **{
            signature: Definition("function", refine=_dart_signature, patterns=(f"(program ({signature}) @def)",))
            for signature in _DART_SIGNATURES
        },
        "local_function_declaration": Definition("function", body="", refine=_dart_local),
        "static_final_declaration": Definition(
            "constant",
            refine=named("constant", "identifier"),
            patterns=(
                "(program (static_final_declaration_list (static_final_declaration) @def))",
                "(declaration (static_final_declaration_list (static_final_declaration) @def))",
            ),
        ),
    },
    wrappers=frozenset({"static_final_declaration_list", "declaration"}),
    bodies=frozenset({"class_body", "function_body"}),
    tails=frozenset({"function_body"}),
    # A variable's modifiers and type are its siblings, as are its annotations.
    attributes=frozenset({"annotation", "const_builtin", "final_builtin", "type_identifier", "type_arguments"}),
    imports=frozenset({"import_or_export", "part_directive"}),
    comments=frozenset({"comment", "documentation_comment"}),
    private=lambda name, _: name.startswith("_"),
)
SPECS = (DART,)
