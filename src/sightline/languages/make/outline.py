"""Make: targets are functions, what `define` makes are macros."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.naming import child_of_type, field_text, text_of
from sightline.languages.spec import FIRST_LINE, Definition, LanguageSpec

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.types import ObjectKind


def _target(node: Node) -> tuple[ObjectKind, str] | None:
    """The first target of a rule; patterns (`%.o`) and settings (`.PHONY`) are none that anybody asks for."""
    targets = child_of_type(node, "targets")
    name = text_of(targets.named_child(0)) if targets is not None and targets.named_child_count else ""
    return ("function", name) if name and not name.startswith(".") and "%" not in name else None


def _variable(node: Node) -> tuple[ObjectKind, str] | None:
    name = field_text(node, "name")
    return ("constant", name) if name.replace("_", "").replace("-", "").isalnum() else None


MAKE = LanguageSpec(
    name="make",
    grammar="tree_sitter_make:language",
    extensions=(".mk", ".mak", ".make"),
    filenames=("Makefile", "makefile", "GNUmakefile", "Makefile.am", "Makefile.in"),
    shebangs=("make",),
    definitions={
        "rule": Definition("function", body=FIRST_LINE, refine=_target),
        "define_directive": Definition("macro", body=FIRST_LINE),
        "variable_assignment": Definition(
            "constant", body=FIRST_LINE, refine=_variable, patterns=("(makefile (variable_assignment) @def)",)
        ),
    },
    imports=frozenset({"include_directive"}),
)
SPECS = (MAKE,)
