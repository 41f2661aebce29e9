"""Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.spec import Definition, LanguageSpec

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.types import ObjectKind


def _function(node: Node) -> tuple[ObjectKind, str] | None:
    name = node.child_by_field_name("name")
    if name is None or name.text is None:
        return None
    text = name.text.decode()
    if not _in_class(node):
        return "function", text
    return ("constructor" if text == "__init__" else "method"), text


def _in_class(node: Node) -> bool:
    parent = node.parent
    while parent is not None and parent.type in (
        "block",
        "decorated_definition",
        "if_statement",
        "else_clause",
        "try_statement",
    ):
        parent = parent.parent
    return parent is not None and parent.type == "class_definition"


def _constant(node: Node) -> tuple[ObjectKind, str] | None:
    """An assignment at module level to a plain name, as the pattern finds it."""
    left = node.child_by_field_name("left")
    return ("constant", left.text.decode()) if left is not None and left.text is not None else None


PYTHON = LanguageSpec(
    name="python",
    grammar="tree_sitter_python:language",
    extensions=(".py", ".pyi", ".pyw"),
    filenames=("SConstruct", "SConscript"),
    shebangs=("python", "python3", "pypy"),
    definitions={
        "function_definition": Definition("function", refine=_function),
        "class_definition": Definition("class"),
        "assignment": Definition(
            "constant",
            body="right",
            refine=_constant,
            patterns=("(module (expression_statement (assignment left: (identifier)) @def))",),
        ),
    },
    wrappers=frozenset({"decorated_definition", "expression_statement"}),
    imports=frozenset({"import_statement", "import_from_statement", "future_import_statement"}),
    doc="docstring",
    private=lambda name, _: name.startswith("_") and not (name.startswith("__") and name.endswith("__")),
)
