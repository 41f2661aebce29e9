"""C and C++: names sit at the bottom of declarators, and C++ defines members outside their class."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sightline.languages.c.making import made_by_macro
from sightline.languages.c.mending import c_without_macros, cpp_without_macros
from sightline.languages.naming import bare, child_of_type, field_text, text_of
from sightline.languages.spec import UNTIL_BRACE, Definition, LanguageSpec

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.types import ObjectKind

_SPECIFIERS: dict[str, ObjectKind] = {
    "struct_specifier": "struct",
    "union_specifier": "struct",
    "class_specifier": "class",
    "enum_specifier": "enum",
}
_NAMES = frozenset(
    {"identifier", "field_identifier", "type_identifier", "qualified_identifier", "destructor_name", "operator_name"}
)
_MAX_DECLARATORS = 12  # `int (*(*f)(int))[3]` nests; nobody writes deeper
_TEMPLATE_ARGUMENTS = re.compile(r"<[^<>]*>")
# Where a declaration is at file level: also behind include guards and in `extern "C" { … }`, namespaces.
_FILE_LEVEL = ("translation_unit", "preproc_ifdef", "preproc_if", "preproc_else", "preproc_elif", "declaration_list")


def _declared(node: Node) -> tuple[Node | None, bool]:
    """The node that holds the declared name, and whether a function is declared (not a pointer to one)."""
    current = node.child_by_field_name("declarator")
    function = False
    for _ in range(_MAX_DECLARATORS):
        if current is None or current.type in _NAMES:
            break
        if current.type == "function_declarator":
            function = True
            if (late := _late_name(current)) is not None:
                return late, True
        elif current.type == "pointer_declarator" and function:
            function = False  # so far it is a pointer to a function; one further inside returns that pointer
        elif current.type == "operator_cast":
            return current, True
        current = current.child_by_field_name("declarator") or child_of_type(
            current,
            "function_declarator",
            "pointer_declarator",
            "parenthesized_declarator",
            "array_declarator",
            *_NAMES,
        )
    return current, function


def _late_name(declarator: Node) -> Node | None:
    """`API result name(…)`: a macro before the type is taken for the type, and the type for the name."""
    parameters = declarator.child_by_field_name("parameters")
    before = parameters.prev_sibling if parameters is not None else None
    if before is None or before.type != "ERROR" or before.named_child_count != 1:
        return None
    return child_of_type(before, "identifier")


def _path(name: str) -> list[str]:
    """`app::Session<T>::age` → [app, Session, age]."""
    while _TEMPLATE_ARGUMENTS.search(name) and not name.startswith("operator"):
        name = _TEMPLATE_ARGUMENTS.sub("", name)
    return [part.strip() for part in name.split("::") if part.strip()]


def _is_in_body(node: Node) -> bool:
    """Functions do not nest: what looks like one in a body is a macro with a block, `vmcase(OP_MOVE) { … }`."""
    around = node.parent
    for _ in range(_MAX_DECLARATORS):
        if around is None or not around.type.startswith("preproc_"):
            break
        around = around.parent
    return around is not None and around.type.endswith("_statement")


def _function(node: Node) -> tuple[ObjectKind, str] | None:
    if _is_in_body(node):
        return None
    named, _ = _declared(node)
    path = _path(text_of(named))
    if not path:
        return None
    name = path[-1].partition("(")[0] if path[-1].startswith("operator ") else path[-1]
    if len(path) > 1 and path[-2] == name:
        return "constructor", name
    if len(path) == 1 and name == _class_around(node):
        return "constructor", name
    made = made_by_macro(node) if name.isupper() else None
    return "function", name if made is None else text_of(made.name)


def _class_around(node: Node) -> str:
    body = node.parent
    while body is not None and body.type in ("template_declaration", "preproc_ifdef", "preproc_if"):
        body = body.parent
    owner = body.parent if body is not None and body.type == "field_declaration_list" else None
    return bare(field_text(owner, "name")) if owner is not None else ""


def _scope(node: Node) -> str:
    """The class that `long Session::age()` belongs to."""
    named, _ = _declared(node)
    return ".".join(_path(text_of(named))[:-1]) if named is not None and named.type == "qualified_identifier" else ""


def _declaration(node: Node) -> tuple[ObjectKind, str] | None:
    """A prototype or a variable of the file."""
    named, function = _declared(node)
    path = _path(text_of(named))
    if not path:
        return None
    if function:
        around = _class_around(node)
        if path[-1] == around:
            return "constructor", around
        made = made_by_macro(node) if around and path[-1].isupper() else None
        return "function", path[-1] if made is None else text_of(made.name)
    return None if _class_around(node) else ("constant", path[-1])


def _member(node: Node) -> tuple[ObjectKind, str] | None:
    """A member function that is declared in its class; data members are no objects."""
    named, function = _declared(node)
    name = text_of(named)
    return ("function", name) if function and name else None


def _specifier(node: Node) -> tuple[ObjectKind, str] | None:
    """A struct, union, class or enum with a body; one inside a typedef has the typedef's name."""
    if node.child_by_field_name("body") is None:
        return None
    if node.parent is not None and node.parent.type == "type_definition":
        return None
    path = _path(field_text(node, "name"))
    return (_SPECIFIERS[node.type], ".".join(path)) if path else None


def _typedef(node: Node) -> tuple[ObjectKind, str] | None:
    named, _ = _declared(node)
    name = text_of(named)
    if not name:
        return None
    value = node.child_by_field_name("type")
    if value is not None and value.type in _SPECIFIERS and value.child_by_field_name("body") is not None:
        return _SPECIFIERS[value.type], name
    return "type_alias", name


def _namespace(node: Node) -> tuple[ObjectKind, str] | None:
    """A namespace; what stands in an inline one is a member of the one around."""
    if node.child_count and node.children[0].type == "inline":
        return None
    path = _path(field_text(node, "name"))
    return ("module", ".".join(path)) if path else None


def _macro(node: Node) -> tuple[ObjectKind, str] | None:
    """A macro with a value; include guards and flags have none."""
    name = field_text(node, "name")
    return ("macro", name) if name and node.child_by_field_name("value") is not None else None


def _static(_: str, node: Node) -> bool:
    return text_of(child_of_type(node, "storage_class_specifier")) == "static"


def _private(name: str, node: Node) -> bool:
    """In a class everything below `private:`; elsewhere what is static."""
    if node.parent is None or node.parent.type != "field_declaration_list":
        return _static(name, node)
    sibling = node.prev_named_sibling
    for _ in range(200):  # bounded: classes of thousands of members are generated
        if sibling is None:
            break
        if sibling.type == "access_specifier":
            return text_of(sibling) != "public"
        sibling = sibling.prev_named_sibling
    return node.parent.parent is not None and node.parent.parent.type == "class_specifier"


_DEFINITIONS = {
    "function_definition": Definition("function", refine=_function),
    "declaration": Definition(
        "constant",
        refine=_declaration,
        patterns=tuple(f"({level} (declaration) @def)" for level in _FILE_LEVEL),
    ),
    "struct_specifier": Definition("struct", refine=_specifier),
    "union_specifier": Definition("struct", refine=_specifier),
    "enum_specifier": Definition("enum", refine=_specifier),
    "type_definition": Definition("type_alias", body=UNTIL_BRACE, refine=_typedef),
    "preproc_def": Definition("macro", body="", refine=_macro),
    "preproc_function_def": Definition("macro", body="value"),
}

_CPP_WORDS = re.compile(
    rb"^\s*(?:class\s+\w|namespace\s+\w|template\s*<|using\s+\w|public:|private:|protected:|constexpr\s|virtual\s"
    rb"|#\s*include\s*<(?:string|vector|memory|map|set|unordered_map|functional|utility|optional|iostream|cstd\w+"
    rb"|array|algorithm|type_traits|mutex|thread|atomic|chrono|tuple|variant|string_view)>)",
    re.MULTILINE,
)


def _is_cpp_header(head: bytes) -> bool:
    """Say whether a `.h` file is C++: it uses words that C does not have."""
    return _CPP_WORDS.search(head) is not None


C = LanguageSpec(
    name="c",
    grammar="tree_sitter_c:language",
    seen=c_without_macros,
    extensions=(".c", ".h"),
    definitions=_DEFINITIONS,
    imports=frozenset({"preproc_include"}),
    private=_static,
)
CPP = LanguageSpec(
    name="cpp",
    grammar="tree_sitter_cpp:language",
    seen=cpp_without_macros,
    extensions=(".cpp", ".cc", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".h++", ".ipp", ".inl", ".tpp", ".cu", ".cuh",
                ".ino", ".cppm", ".ixx"),
    claims={".h": _is_cpp_header},
    definitions={
        **_DEFINITIONS,
        "function_definition": Definition("function", refine=_function, receiver=_scope),
        "declaration": Definition(
            "constant",
            refine=_declaration,
            receiver=_scope,
            patterns=(
                *(f"({level} (declaration) @def)" for level in _FILE_LEVEL),
                "(field_declaration_list (declaration) @def)",
                "(translation_unit (template_declaration (declaration) @def))",
                "(declaration_list (template_declaration (declaration) @def))",
                "(field_declaration_list (template_declaration (declaration) @def))",
            ),
        ),
        "field_declaration": Definition("function", refine=_member),
        "class_specifier": Definition("class", refine=_specifier),
        "namespace_definition": Definition("module", refine=_namespace),
        "alias_declaration": Definition("type_alias", body=""),
        "concept_definition": Definition("interface", body=""),
    },
    wrappers=frozenset({"template_declaration"}),
    imports=frozenset({"preproc_include", "using_declaration"}),
    private=_private,
)  # fmt: skip
SPECS = (C, CPP)
