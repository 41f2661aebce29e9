"""How the tables read names off nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from sightline.types import ObjectKind

_MAX_MODIFIERS = 8  # modifiers stand first; looking further would copy whole bodies


def text_of(node: Node | None) -> str:
    """The text of a node, "" for none."""
    return node.text.decode("utf-8", "replace") if node is not None and node.text is not None else ""


def field_text(node: Node, field: str) -> str:
    """The text of a field of a node, "" when it has none."""
    return text_of(node.child_by_field_name(field))


def first_child(node: Node | None) -> Node | None:
    """The first named child, None when there is none."""
    return node.named_child(0) if node is not None and node.named_child_count else None


def child_of_type(node: Node, *types: str) -> Node | None:
    """The first named child of one of the types."""
    return next((child for child in node.named_children if child.type in types), None)


def named(kind: ObjectKind, *types: str) -> Callable[[Node], tuple[ObjectKind, str] | None]:
    """Refine by the first child of one of the types, for grammars that have no field for the name."""

    def refine(node: Node) -> tuple[ObjectKind, str] | None:
        name = text_of(child_of_type(node, *types))
        return (kind, name) if name else None

    return refine


def always(kind: ObjectKind, name: str) -> Callable[[Node], tuple[ObjectKind, str]]:
    """Refine to one name: constructors that have none of their own."""
    return lambda _: (kind, name)


def has_word(node: Node, word: str) -> bool:
    """Say whether a modifier is among the first children of a node, or inside its `modifiers`."""
    expected = word.encode()
    for child in node.children[:_MAX_MODIFIERS]:
        if child.type == word:
            return True
        if "modifier" in child.type and child.text is not None and expected in child.text.split():
            return True
    return False


def private_word(_: str, node: Node) -> bool:
    """An object is private when it says `private`."""
    return has_word(node, "private")


def bare(type_name: str) -> str:
    """A type's name without its type arguments, pointers and references: `Session<T>` → `Session`."""
    return type_name.partition("<")[0].partition("[")[0].strip(" *&?")
