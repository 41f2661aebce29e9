"""TypeScript, TSX, JavaScript and JSX: one family, two grammars."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from sightline.languages.javascript.components import script_of
from sightline.languages.javascript.manifests import config_notes, package_notes
from sightline.languages.naming import field_text, has_word, text_of
from sightline.languages.spec import UNTIL_BRACE, Definition, LanguageSpec

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.types import ObjectKind

_FUNCTION_VALUES = ("arrow_function", "function_expression", "function", "generator_function")
_FUNCTION_PATTERN = "[(arrow_function) (function_expression) (generator_function)]"
_AROUND_VALUES = ("parenthesized_expression", "as_expression", "satisfies_expression")  # `((x) => …) as Handler`
_DECLARATIONS = ("lexical_declaration", "variable_declaration")


def variable(node: Node) -> tuple[ObjectKind, str] | None:
    """A variable at module level; a function where its value is one (there and in nested scopes)."""
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None or name.type != "identifier":
        return None
    while value is not None and value.type in _AROUND_VALUES:
        value = value.named_child(0)
    if value is None or value.type not in _FUNCTION_VALUES:
        return None if _is_require(value) else ("constant", text_of(name))
    return "function", text_of(name)


def _is_require(value: Node | None) -> bool:
    return value is not None and value.type == "call_expression" and field_text(value, "function") == "require"


def _named(node: Node) -> tuple[ObjectKind, str] | None:
    """A member whose name may be a string, a private name or computed."""
    name = node.child_by_field_name("name") or node.child_by_field_name("property") or node.child_by_field_name("key")
    if name is None or name.type == "computed_property_name":
        return None
    text = text_of(name).strip("\"'`")
    return ("method", text) if text else None


def _assigned(node: Node) -> tuple[ObjectKind, str] | None:
    """`Session.prototype.renew = function …`, `exports.load = …`."""
    left = node.child_by_field_name("left")
    name = field_text(left, "property") if left is not None else ""
    return ("function", name) if name else None


def _assigned_to(node: Node) -> str:
    """The object a function is assigned to; `exports` and `module.exports` are the module itself."""
    left = node.child_by_field_name("left")
    target = field_text(left, "object") if left is not None else ""
    target = target.removesuffix(".prototype")
    return "" if target in ("exports", "module.exports", "this", "self") or not target.isidentifier() else target


def _module(node: Node) -> tuple[ObjectKind, str] | None:
    name = field_text(node, "name").strip("\"'")
    return ("module", name) if name else None


def _private(name: str, node: Node) -> bool:
    return name.startswith("#") or has_word(node, "private")


_JAVASCRIPT = {
    "function_declaration": Definition("function"),
    "generator_function_declaration": Definition("function"),
    "class_declaration": Definition("class"),
    # `module.exports = class Application { … }`: by the name that the class gives itself.
    "class": Definition(
        "class",
        patterns=(
            "(program (expression_statement (assignment_expression left: (member_expression)"
            " right: (class name: (_)) @def)))",
            "(program (export_statement value: (class name: (_)) @def))",
        ),
    ),
    "method_definition": Definition("method", refine=_named),
    "variable_declarator": Definition(
        "constant",
        body="value",
        refine=variable,
        patterns=(
            *(f"(program ({kind} (variable_declarator name: (identifier)) @def))" for kind in _DECLARATIONS),
            *(
                f"(program (export_statement ({kind} (variable_declarator name: (identifier)) @def)))"
                for kind in _DECLARATIONS
            ),
            f"(variable_declarator name: (identifier) value: {_FUNCTION_PATTERN}) @def",
        ),
    ),
    "assignment_expression": Definition(
        "function",
        body="right",
        refine=_assigned,
        receiver=_assigned_to,
        patterns=(
            "(program (expression_statement (assignment_expression left: (member_expression)"
            f" right: {_FUNCTION_PATTERN}) @def))",
        ),
    ),
    # Functions in an object that a module-level variable holds.
    "pair": Definition(
        "method",
        name="key",
        body="value",
        refine=_named,
        patterns=(
            *(
                f"(program ({kind} (variable_declarator value: (object (pair value: {_FUNCTION_PATTERN}) @def))))"
                for kind in _DECLARATIONS
            ),
            "(program (export_statement (lexical_declaration (variable_declarator value: (object"
            f" (pair value: {_FUNCTION_PATTERN}) @def)))))",
            f"(program (export_statement value: (object (pair value: {_FUNCTION_PATTERN}) @def)))",
        ),
    ),
}
_FIELD = "({type} {field}: [(property_identifier) (private_property_identifier)] value: {function}) @def"


def _field(node_type: str, field: str) -> Definition:
    """A class field that holds a function is a method."""
    pattern = _FIELD.format(type=node_type, field=field, function=_FUNCTION_PATTERN)
    return Definition("method", body="value", refine=_named, patterns=(pattern,))


DEFINITIONS = {
    **_JAVASCRIPT,
    "public_field_definition": _field("public_field_definition", "name"),
    "function_signature": Definition("function"),
    "abstract_class_declaration": Definition("class"),
    "interface_declaration": Definition("interface"),
    "enum_declaration": Definition("enum"),
    "type_alias_declaration": Definition("type_alias", body=UNTIL_BRACE),
    "internal_module": Definition("module", refine=_module),
    "module": Definition("module", refine=_module),
    "method_signature": Definition("method", refine=_named),
    "abstract_method_signature": Definition("method", refine=_named),
}
_WRAPPERS = frozenset(
    {"export_statement", "lexical_declaration", "variable_declaration", "ambient_declaration", "expression_statement"}
)
_ATTRIBUTES = frozenset({"decorator"})
_MANIFESTS = {r"package\.json": package_notes, r"[jt]sconfig(\.[\w.-]+)?\.json": config_notes}
_CONSTRUCTORS = frozenset({"constructor"})
_IMPORTS = frozenset({"import_statement"})
_IMPORT_PATTERNS = tuple(
    f'(program ({kind} (variable_declarator value: (call_expression function: (identifier) @_f (#eq? @_f "require"))))'
    " @import)"
    for kind in _DECLARATIONS
)


def _spec(
    name: str, grammar: str, extensions: tuple[str, ...], *, typed: bool, **more: tuple[str, ...]
) -> LanguageSpec:
    definitions = DEFINITIONS if typed else {**_JAVASCRIPT, "field_definition": _field("field_definition", "property")}
    return LanguageSpec(
        name=name,
        grammar=grammar,
        extensions=extensions,
        shebangs=more.get("shebangs", ()),
        filenames=more.get("filenames", ()),
        definitions=definitions,
        wrappers=_WRAPPERS,
        attributes=_ATTRIBUTES,
        constructors=_CONSTRUCTORS,
        unnamed=frozenset({"index"}),
        manifests=_MANIFESTS,
        imports=_IMPORTS,
        import_patterns=_IMPORT_PATTERNS,
        private=_private,
    )


TYPESCRIPT = _spec(
    "typescript",
    "tree_sitter_typescript:language_typescript",
    (".ts", ".mts", ".cts"),
    typed=True,
    shebangs=("ts-node", "tsx", "deno", "bun"),
)
# Flow's types are written almost like those of TypeScript, and the grammar of JavaScript makes nothing of them: of
# 1,111 such files of react 821 had errors, half of their bytes unread; as TSX 202 have, a twelfth unread (2026-11).
_FLOW = re.compile(rb"@flow\b")
_IS_FLOW = {ending: (lambda head: _FLOW.search(head) is not None) for ending in (".js", ".jsx", ".mjs")}
TSX = replace(_spec("tsx", "tree_sitter_typescript:language_tsx", (".tsx",), typed=True), claims=_IS_FLOW)
JAVASCRIPT = _spec(
    "javascript",
    "tree_sitter_javascript:language",
    (".js", ".mjs", ".cjs", ".es6"),
    typed=False,
    shebangs=("node", "nodejs"),
    filenames=("Jakefile",),
)
JSX = _spec("jsx", "tree_sitter_javascript:language", (".jsx",), typed=False)
_COMPONENT = _spec("vue", "tree_sitter_typescript:language_typescript", (".vue",), typed=True)
VUE = replace(_COMPONENT, seen=script_of)
SVELTE = replace(VUE, name="svelte", extensions=(".svelte",))
ASTRO = replace(VUE, name="astro", extensions=(".astro",))
SPECS = (JAVASCRIPT, JSX, TYPESCRIPT, TSX, VUE, SVELTE, ASTRO)
