"""Python."""

from __future__ import annotations

from dataclasses import replace

from sightline.languages.python.cython import as_python
from sightline.languages.spec import Definition, LanguageSpec

PYTHON = LanguageSpec(
    name="python",
    grammar="tree_sitter_python:language",
    extensions=(".py", ".pyi", ".pyw"),
    filenames=("SConstruct", "SConscript"),
    shebangs=("python", "python3", "pypy"),
    definitions={
        "function_definition": Definition("function"),
        "class_definition": Definition("class"),
        "type_alias_statement": Definition("type_alias", name="left", body="right"),
        "assignment": Definition(
            "constant",
            name="left",
            body="right",
            patterns=("(module (expression_statement (assignment left: (identifier)) @def))",),
        ),
    },
    wrappers=frozenset({"decorated_definition", "expression_statement"}),
    attributes=frozenset({"decorator"}),
    constructors=frozenset({"__init__"}),
    unnamed=frozenset({"__init__"}),
    imports=frozenset({"import_statement", "import_from_statement", "future_import_statement"}),
    doc="docstring",
    private=lambda name, _: name.startswith("_") and not (name.startswith("__") and name.endswith("__")),
)
CYTHON = replace(
    PYTHON,
    name="cython",
    extensions=(".pyx", ".pxd", ".pxi"),
    filenames=(),
    shebangs=(),
    seen=as_python,
    constructors=frozenset({"__init__", "__cinit__"}),
)
SPECS = (PYTHON, CYTHON)
