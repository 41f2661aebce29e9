"""SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.naming import child_of_type, field_text, text_of
from sightline.languages.spec import Definition, LanguageSpec

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from sightline.types import ObjectKind


def _created(kind: ObjectKind) -> Callable[[Node], tuple[ObjectKind, str] | None]:
    """`CREATE … schema.name`."""

    def refine(node: Node) -> tuple[ObjectKind, str] | None:
        name = text_of(child_of_type(node, "object_reference")).replace('"', "").replace("`", "")
        return (kind, name) if name else None

    return refine


def _type(node: Node) -> tuple[ObjectKind, str] | None:
    refined = _created("type_alias")(node)
    if refined is not None and child_of_type(node, "keyword_enum") is not None:
        return "enum", refined[1]
    return refined


def _index(node: Node) -> tuple[ObjectKind, str] | None:
    name = field_text(node, "column")
    return ("constant", name) if name else None


SQL = LanguageSpec(
    name="sql",
    grammar="tree_sitter_sql:language",
    extensions=(".sql", ".ddl", ".psql", ".pgsql"),
    definitions={
        "create_table": Definition("struct", refine=_created("struct")),
        "create_view": Definition("struct", refine=_created("struct")),
        "create_materialized_view": Definition("struct", refine=_created("struct")),
        "create_function": Definition("function", refine=_created("function")),
        "create_trigger": Definition("function", refine=_created("function")),
        "create_type": Definition("type_alias", refine=_type),
        "create_index": Definition("constant", refine=_index),
    },
    wrappers=frozenset({"statement"}),
    bodies=frozenset({"column_definitions", "create_query", "function_body"}),
    comments=frozenset({"comment", "marginalia"}),
)
SPECS = (SQL,)
