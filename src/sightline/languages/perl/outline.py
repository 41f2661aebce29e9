"""Perl. A package is a class; `package A;` holds the subs up to the next package, `package A { … }` those in braces."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sightline.languages.naming import child_of_type, field_text, text_of
from sightline.languages.spec import Definition, LanguageSpec

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.types import ObjectKind


_HEREDOC = re.compile(rb"<<(~?)(?:\"([^\"\n]*)\"|'([^'\n]*)'|\\?([A-Za-z_]\w*))")


def without_open_heredocs(source: bytes) -> bytes:
    """Blank the mark of a heredoc that nothing ends: at some of these the grammar goes round for ever (2.0.3)."""
    ends = {line.strip() for line in source.split(b"\n")}

    def closed(match: re.Match[bytes]) -> bytes:
        word = next((group for group in match.groups()[1:] if group is not None), b"")
        return match.group() if word in ends else b"  " + match.group()[2:]

    return _HEREDOC.sub(closed, source) if b"<<" in source else source


def package_name(name: str) -> str:
    """A package's name with dots; the main one is the file itself."""
    dotted = name.replace("::", ".").replace("'", ".").strip(".")
    return "" if dotted == "main" else dotted


def _package(node: Node) -> tuple[ObjectKind, str] | None:
    name = package_name(field_text(node, "name"))
    return ("class", name) if name else None


def _sub(node: Node) -> tuple[ObjectKind, str] | None:
    name = package_name(field_text(node, "name"))
    return ("function", name) if name else None


def _variable(node: Node) -> tuple[ObjectKind, str] | None:
    """What a package gives to others (`our`), and the tables and capitals of a file; the rest are its workings."""
    declared = node.child_by_field_name("left")
    variable = declared.child_by_field_name("variable") if declared is not None else None
    if declared is None or variable is None:
        return None
    name = text_of(child_of_type(variable, "varname"))
    shared = text_of(declared).startswith("our")
    kept = shared or variable.type in ("hash", "array") or name.isupper()
    return ("constant", name) if name and kept else None


def _named_constant(node: Node) -> tuple[ObjectKind, str] | None:
    return ("constant", text_of(node))


PERL = LanguageSpec(
    name="perl",
    grammar="tree_sitter_perl:language",
    extensions=(".pl", ".pm", ".t", ".psgi", ".plx"),
    filenames=("cpanfile",),
    seen=without_open_heredocs,
    shebangs=("perl",),
    definitions={
        "package_statement": Definition("class", body="{", refine=_package, lasts=True),
        "class_statement": Definition("class", body="{", refine=_package, lasts=True),
        "role_statement": Definition("interface", body="{", refine=_package, lasts=True),
        "subroutine_declaration_statement": Definition("function", refine=_sub),
        "method_declaration_statement": Definition("function", refine=_sub),
        "assignment_expression": Definition(
            "constant",
            refine=_variable,
            patterns=(
                "(source_file (expression_statement (assignment_expression left: (variable_declaration)) @def))",
                "(package_statement (block (expression_statement"
                " (assignment_expression left: (variable_declaration)) @def)))",
            ),
        ),
        "autoquoted_bareword": Definition(
            "constant",
            refine=_named_constant,
            patterns=(
                "(use_statement module: (package) @_m (list_expression . (autoquoted_bareword) @def)"
                ' (#eq? @_m "constant"))',
                "(use_statement module: (package) @_m (anonymous_hash_expression (list_expression"
                ' (autoquoted_bareword) @def)) (#eq? @_m "constant"))',
            ),
        ),
    },
    wrappers=frozenset({"expression_statement"}),
    bodies=frozenset({"block"}),
    imports=frozenset({"use_statement", "require_expression"}),
    constructors=frozenset({"new", "BUILD"}),
    private=lambda name, _: name.startswith("_"),
)
SPECS = (PERL,)
