"""Python's imports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.python.library import MODULES

if TYPE_CHECKING:
    from sightline.languages.facts import FileFacts
    from sightline.languages.rules import RootView


def module(view: RootView, facts: FileFacts, spec: str) -> str | None:
    """The file that an import path names, as seen from a file; None when it lies outside the root."""
    folder = facts.path.rpartition("/")[0]
    return view.table.remember(("python module", folder, spec), lambda: _module(view, folder, spec))


def _module(view: RootView, importing_folder: str, spec: str) -> str | None:
    table = view.table
    level = len(spec) - len(spec.lstrip("."))
    parts = [p for p in spec[level:].split(".") if p]
    folders = importing_folder.split("/") if importing_folder else []
    if level:
        return _file_at(view, "/".join([*folders[: max(len(folders) - level + 1, 0)], *parts]))
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
    if parts[0] in MODULES:
        return None
    candidates = [
        path
        for path in named
        if path.endswith(f"/{suffix}/__init__.py")
        or (len(parts) > 1 and path.endswith((f"/{suffix}.py", f"/{suffix}.pyi")))  # one name alone says too little
    ]
    starts = sorted((len(path), path) for path in candidates if not _inside_package(view, path, suffix))
    return starts[0][1] if starts else None


def _inside_package(view: RootView, path: str, suffix: str) -> bool:
    """Is the folder where the suffix begins itself a package? Then no absolute import starts there."""
    root = path[: path.rindex(f"/{suffix}")]
    return view.table.has_file(f"{root}/__init__.py")


def _file_at(view: RootView, stem: str) -> str | None:
    return next((path for path in _spellings(stem) if view.table.has_file(path)), None)


def _spellings(stem: str) -> tuple[str, ...]:
    """The files that an import path may mean, in order."""
    if not stem:
        return ("__init__.py",)
    return f"{stem}.py", f"{stem}/__init__.py", f"{stem}.pyi", f"{stem}/__init__.pyi", f"{stem}.pyx", f"{stem}.pxd"


def submodule(view: RootView, space: str, name: str) -> str | None:
    """The module `name` of the package whose `__init__` is at `space`."""
    folder, _, file = space.rpartition("/")
    if not file.startswith("__init__."):
        return None
    return _file_at(view, f"{folder}/{name}" if folder else name)
