"""OCaml: implementations and interfaces, two grammars of one family."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.naming import child_of_type, field_text, has_word, named, text_of
from sightline.languages.spec import FIRST_LINE, Definition, LanguageSpec

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.types import ObjectKind

_BODIES: dict[str, ObjectKind] = {"record_declaration": "struct", "variant_declaration": "enum"}
_FUNCTIONS = ("fun_expression", "function_expression")


def _binding(node: Node) -> tuple[ObjectKind, str] | None:
    """`let f x = …` is a function, `let x = …` a constant."""
    pattern, body = node.child_by_field_name("pattern"), node.child_by_field_name("body")
    if pattern is None or pattern.type != "value_name":
        return None
    takes = child_of_type(node, "parameter") is not None or (body is not None and body.type in _FUNCTIONS)
    return ("function" if takes else "constant"), text_of(pattern)


def _type(node: Node) -> tuple[ObjectKind, str] | None:
    body = node.child_by_field_name("body")
    name = field_text(node, "name")
    return (_BODIES.get(body.type, "type_alias") if body is not None else "type_alias", name) if name else None


def _value(node: Node) -> tuple[ObjectKind, str] | None:
    """`val f : a -> b`, `external f : …`."""
    type_, name = node.child_by_field_name("type"), text_of(child_of_type(node, "value_name", "parenthesized_operator"))
    return ("function" if type_ is not None and type_.type == "function_type" else "constant", name) if name else None


def _exception(node: Node) -> tuple[ObjectKind, str] | None:
    declared = child_of_type(node, "constructor_declaration")
    name = text_of(child_of_type(declared, "constructor_name")) if declared is not None else ""
    return ("class", name) if name else None


_DEFINITIONS = {
    "let_binding": Definition(
        "function",
        refine=_binding,
        body=FIRST_LINE,
        patterns=(
            "(compilation_unit (value_definition (let_binding) @def))",
            "(structure (value_definition (let_binding) @def))",
        ),
    ),
    "type_binding": Definition("type_alias", refine=_type, body=FIRST_LINE),
    "module_binding": Definition("module", refine=named("module", "module_name"), body=FIRST_LINE),
    "module_type_definition": Definition("interface", refine=named("interface", "module_type_name"), body=FIRST_LINE),
    "class_binding": Definition("class", refine=named("class", "class_name"), body=FIRST_LINE),
    "method_definition": Definition("method", refine=named("method", "method_name"), body=FIRST_LINE),
    "exception_definition": Definition("class", refine=_exception),
    "external": Definition("function", refine=_value),
    "value_specification": Definition("function", refine=_value),
}


def _spec(name: str, grammar: str, extensions: tuple[str, ...]) -> LanguageSpec:
    return LanguageSpec(
        name=name,
        grammar=f"tree_sitter_ocaml:{grammar}",
        extra="ocaml",
        extensions=extensions,
        shebangs=("ocaml",) if name == "ocaml" else (),
        definitions={kind: d for kind, d in _DEFINITIONS.items() if name == "ocaml" or kind != "let_binding"},
        wrappers=frozenset({"value_definition", "type_definition", "module_definition", "class_definition"}),
        imports=frozenset({"open_module"}),
        private=lambda _, node: has_word(node, "private"),
    )


OCAML = _spec("ocaml", "language_ocaml", (".ml",))
OCAML_INTERFACE = _spec("ocaml_interface", "language_ocaml_interface", (".mli",))
SPECS = (OCAML, OCAML_INTERFACE)
