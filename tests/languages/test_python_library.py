"""What is known of Python's library comes from a list, not from the Python that happens to run."""

from __future__ import annotations

import ast
import builtins
import sys
from pathlib import Path

from sightline.languages.python import library


def test_the_list_holds_what_the_running_python_brings_along() -> None:
    assert set(dir(builtins)) - {"_"} <= library.BUILTINS  # an interactive session adds the last value
    assert sys.stdlib_module_names <= library.MODULES


def test_nothing_is_asked_of_the_running_python() -> None:
    tree = ast.parse(Path(library.__file__).read_text(encoding="utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    assert all(name in ("__future__", "typing") or name.startswith("sightline.languages.") for name in imported)
