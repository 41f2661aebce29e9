"""Elixir. Everything is a call: `def`, `defmodule` and the rest are told apart by their target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.naming import child_of_type, field_text, first_child, text_of
from sightline.languages.spec import Definition, LanguageSpec

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.types import ObjectKind

_FUNCTIONS: dict[str, ObjectKind] = {
    "def": "function",
    "defp": "function",
    "defdelegate": "function",
    "defmacro": "macro",
    "defmacrop": "macro",
    "defguard": "macro",
    "defguardp": "macro",
    "defn": "function",
    "defnp": "function",
}
_MODULES: dict[str, ObjectKind] = {"defmodule": "module", "defprotocol": "interface"}
_TYPE_ATTRIBUTES = ("type", "typep", "opaque")
_CALLBACKS = ("callback", "macrocallback")
# Attributes that describe what follows or the module; every other one is a constant.
_NOT_CONSTANTS = frozenset(
    {"doc", "moduledoc", "typedoc", "spec", "impl", "behaviour", "derive", "enforce_keys", "deprecated", "since",
     "compile", "on_load", "external_resource", "before_compile", "after_compile", "dialyzer", "tag", "moduletag",
     "describetag", "optional_callbacks", "shortdoc", "fallback_to_any", "protocol", "for"}
)  # fmt: skip


def _first_argument(node: Node) -> Node | None:
    return first_child(child_of_type(node, "arguments"))


def _head_name(node: Node | None) -> str:
    """The name in `sign_in(user) when is_binary(user)`, `count`, `a <> b`."""
    while node is not None and node.type == "binary_operator":
        if field_text(node, "operator") not in ("when", "::", "|", "\\\\"):
            return field_text(node, "operator")
        node = node.child_by_field_name("left")
    if node is None:
        return ""
    return field_text(node, "target") if node.type == "call" else text_of(node) if node.type == "identifier" else ""


def _call(node: Node) -> tuple[ObjectKind, str] | None:
    word = field_text(node, "target")
    argument = _first_argument(node)
    if word in _MODULES:
        name = text_of(argument)
        return (_MODULES[word], name) if name else None
    name = _head_name(argument)
    return (_FUNCTIONS[word], name) if word in _FUNCTIONS and name else None


def _attribute(node: Node) -> tuple[ObjectKind, str] | None:
    operand = node.child_by_field_name("operand")
    if operand is None or operand.type != "call":
        return None
    word = field_text(operand, "target")
    if word in _TYPE_ATTRIBUTES or word in _CALLBACKS:
        name = _head_name(_first_argument(operand))
        return ("type_alias" if word in _TYPE_ATTRIBUTES else "method", name) if name else None
    return None if word in _NOT_CONSTANTS or not word else ("constant", word)


def _implemented_for(node: Node) -> str:
    """The type of the `defimpl … for: Type` that a function stands in."""
    block = node.parent
    call = block.parent if block is not None and block.type == "do_block" else None
    if call is None or field_text(call, "target") != "defimpl":
        return ""
    arguments = child_of_type(call, "arguments")
    keywords = child_of_type(arguments, "keywords") if arguments is not None else None
    for pair in keywords.named_children if keywords is not None else ():
        if field_text(pair, "key").strip().startswith("for"):
            return field_text(pair, "value")
    return ""


def _doc(outer: Node) -> str:
    """`@doc` above a function, `@moduledoc` inside a module; a comment above where there is neither."""
    if field_text(outer, "target") in _MODULES:
        return _attribute_text(first_child(child_of_type(outer, "do_block")), "moduledoc")
    sibling = outer.prev_named_sibling
    line = outer.start_point.row
    comments: list[str] = []
    while sibling is not None and sibling.type in ("unary_operator", "comment") and sibling.end_point.row >= line - 1:
        found = _attribute_text(sibling, "doc") or _attribute_text(sibling, "typedoc")
        if found:
            return found
        if sibling.type == "comment":
            comments.append(text_of(sibling))
        line, sibling = sibling.start_point.row, sibling.prev_named_sibling
    return "\n".join(reversed(comments))


def _attribute_text(node: Node | None, word: str) -> str:
    operand = node.child_by_field_name("operand") if node is not None and node.type == "unary_operator" else None
    if operand is None or field_text(operand, "target") != word:
        return ""
    argument = _first_argument(operand)
    if argument is None or argument.type not in ("string", "sigil"):
        return ""
    return text_of(child_of_type(argument, "quoted_content"))


_WORDS = " ".join(f'"{word}"' for word in (*_FUNCTIONS, *_MODULES))

ELIXIR = LanguageSpec(
    name="elixir",
    grammar="tree_sitter_elixir:language",
    extensions=(".ex", ".exs"),
    shebangs=("elixir",),
    definitions={
        "call": Definition(
            "function",
            body=", do:",
            refine=_call,
            receiver=_implemented_for,
            clauses=True,
            patterns=(f"(call target: (identifier) @_word (#any-of? @_word {_WORDS})) @def",),
        ),
        "unary_operator": Definition(
            "constant",
            refine=_attribute,
            patterns=('(do_block (unary_operator operator: "@" operand: (call (arguments))) @def)',),
        ),
    },
    bodies=frozenset({"do_block"}),
    attributes=frozenset({"unary_operator"}),
    import_patterns=('(call target: (identifier) @_word (#any-of? @_word "alias" "import" "use" "require")) @import',),
    doc_of=_doc,
    private=lambda _, node: field_text(node, "target").endswith("p"),
)
SPECS = (ELIXIR,)
