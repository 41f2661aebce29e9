"""PowerShell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.naming import child_of_type, named, text_of
from sightline.languages.spec import UNTIL_BRACE, Definition, LanguageSpec

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.types import ObjectKind

_SYNOPSIS = ".synopsis"


def _function(node: Node) -> tuple[ObjectKind, str] | None:
    name = text_of(child_of_type(node, "function_name")).rpartition(":")[2]  # `function script:Get-It`
    return ("function", name) if name else None


def _method(node: Node) -> tuple[ObjectKind, str] | None:
    name = text_of(child_of_type(node, "simple_name"))
    around = node.parent
    made = around is not None and name == text_of(child_of_type(around, "simple_name"))
    return ("constructor" if made else "method", name) if name else None


def _doc(outer: Node) -> str:
    """The comment before a function, or the help that it opens with; of help the synopsis."""
    before = outer.prev_named_sibling
    near = before is not None and before.type == "comment" and before.end_point.row >= outer.start_point.row - 1
    text = text_of(before) if near else ""
    block = child_of_type(outer, "script_block") if not text else None
    inner = block.named_child(0) if block is not None and block.named_child_count else None
    inside = child_of_type(outer, "comment") if not text else None
    for found in (inside, inner):
        if found is not None and found.type == "comment":
            text = text_of(found)
    lines = text.removeprefix("<#").removesuffix("#>").strip().splitlines()
    at = next((n for n, line in enumerate(lines) if line.strip().lower() == _SYNOPSIS), -1)
    return "\n".join(lines[at + 1 :]) if at >= 0 else "\n".join(lines)


POWERSHELL = LanguageSpec(
    name="powershell",
    grammar="tree_sitter_powershell:language",
    extensions=(".ps1", ".psm1", ".psd1"),
    shebangs=("pwsh", "powershell"),
    definitions={
        "function_statement": Definition("function", body=UNTIL_BRACE, refine=_function),
        "class_statement": Definition("class", body=UNTIL_BRACE, refine=named("class", "simple_name")),
        "enum_statement": Definition("enum", body=UNTIL_BRACE, refine=named("enum", "simple_name")),
        "class_method_definition": Definition("method", body=UNTIL_BRACE, refine=_method),
    },
    doc_of=_doc,
)
SPECS = (POWERSHELL,)
