"""Python."""

from __future__ import annotations

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
SPECS = (PYTHON,)
