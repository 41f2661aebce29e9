"""Python's imports, and what is known of its standard library."""

from __future__ import annotations

import builtins
import datetime
import io
import logging
import pathlib
import re
import sys
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sightline.graph.build.evaluate import Evaluator
    from sightline.graph.build.facts import FileFacts
    from sightline.graph.build.values import Values

BUILTINS = frozenset(dir(builtins))
_STANDARD = frozenset(sys.stdlib_module_names)


def module(evaluator: Evaluator, facts: FileFacts, spec: str) -> str | None:
    """The file that an import path names, as seen from a file; None when it lies outside the root."""
    folder = facts.path.rpartition("/")[0]
    return evaluator.table.remember(("python module", folder, spec), lambda: _module(evaluator, folder, spec))


def _module(evaluator: Evaluator, importing_folder: str, spec: str) -> str | None:
    table = evaluator.table
    level = len(spec) - len(spec.lstrip("."))
    parts = [p for p in spec[level:].split(".") if p]
    folders = importing_folder.split("/") if importing_folder else []
    if level:
        return _file_at(evaluator, "/".join([*folders[: max(len(folders) - level + 1, 0)], *parts]))
    if not parts:
        return None
    # Every file that can be meant goes by the last part of the path; mostly there is none, and nothing is to be tried.
    named = set(table.files_with_stem("python", parts[-1]))
    if not named:
        return None
    suffix = "/".join(parts)
    for depth in range(len(folders), -1, -1):
        prefix = "".join(f"{folder}/" for folder in folders[:depth])
        for start in (prefix, f"{prefix}src/", f"{prefix}lib/"):
            found = next((path for path in _spellings(start + suffix) if path in named), None)
            # A package folder is not where absolute imports start.
            if found is not None and not table.has_file(f"{start}__init__.py"):
                return found
    if parts[0] in _STANDARD:
        return None
    candidates = [
        path
        for path in named
        if path.endswith(f"/{suffix}/__init__.py")
        or (len(parts) > 1 and path.endswith((f"/{suffix}.py", f"/{suffix}.pyi")))  # one name alone says too little
    ]
    starts = sorted((len(path), path) for path in candidates if not _inside_package(evaluator, path, suffix))
    return starts[0][1] if starts else None


def _inside_package(evaluator: Evaluator, path: str, suffix: str) -> bool:
    """Is the folder where the suffix begins itself a package? Then no absolute import starts there."""
    root = path[: path.rindex(f"/{suffix}")]
    return evaluator.table.has_file(f"{root}/__init__.py")


def _file_at(evaluator: Evaluator, stem: str) -> str | None:
    return next((path for path in _spellings(stem) if evaluator.table.has_file(path)), None)


def _spellings(stem: str) -> tuple[str, ...]:
    """The files that an import path may mean, in order."""
    if not stem:
        return ("__init__.py",)
    return f"{stem}.py", f"{stem}/__init__.py", f"{stem}.pyi", f"{stem}/__init__.pyi"


def submodule(evaluator: Evaluator, space: str, name: str) -> str | None:
    """The module `name` of the package whose `__init__` is at `space`."""
    folder, _, file = space.rpartition("/")
    if not file.startswith("__init__."):
        return None
    return _file_at(evaluator, f"{folder}/{name}" if folder else name)


_RESULTS = {
    "values": -1, "get": -1, "pop": -1, "setdefault": -1, "popitem": -1, "__getitem__": -1,
    "popleft": 0, "copy": None, "__iter__": None,
}  # fmt: skip


def external_result(name: str, arguments: tuple[Any, ...]) -> Values | None:
    """What function types and the methods of built-in containers give, from their type arguments."""
    if not arguments:
        return None
    container, _, method = name.rpartition(".")
    if name == "Callable":
        return tuple(arguments[-1])
    if method == "values":
        return (("x", "Iterator", (arguments[-1],)),)
    if method == "items" and len(arguments) > 1:
        return (("x", "Iterator", ((("t", arguments[0], arguments[1]),),)),)
    if method == "keys":
        return (("x", "Iterator", (arguments[0],)),)
    if method in _RESULTS:
        index = _RESULTS[method]
        return (("x", container, arguments),) if index is None else tuple(arguments[index])
    return None


# Names of methods of built-in and standard-library types: a receiver of unknown type most likely is one of those.
_COMMON_TYPES = (
    str, bytes, list, dict, set, frozenset, tuple, int, float, type, io.TextIOWrapper, io.BytesIO, threading.Thread,
    logging.Logger, re.Pattern, re.Match, pathlib.Path, datetime.datetime, BaseException,
)  # fmt: skip
COMMON_MEMBERS = frozenset(name for type_ in _COMMON_TYPES for name in dir(type_))
