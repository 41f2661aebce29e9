"""Go's import paths, and which of several files of a package a usual build takes."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sightline.languages.facts import FileFacts
    from sightline.languages.rules import RootView

_SYSTEMS = ("_windows", "_darwin", "_js", "_wasm", "_plan9", "_solaris", "_freebsd", "_openbsd", "_netbsd", "_aix")


def preference(path: str, notes: dict[str, Any]) -> int:
    """Of several files that define one name, a usual build takes the one with the lowest number."""
    build = notes.get("build", "")
    if not build:
        return 2 if PurePosixPath(path).stem.endswith(_SYSTEMS) else 0
    if build.startswith("!") and "&&" not in build and "||" not in build:
        return 1
    return 2 if "linux" in build or "unix" in build else 3


def module(view: RootView, facts: FileFacts, spec: str) -> str | None:
    """The folder that an import path names, by the module path of a go.mod of the root."""
    table = view.table
    here = PurePosixPath(facts.path).parent
    manifests = [f"{'' if str(parent) == '.' else f'{parent}/'}go.mod" for parent in (here, *here.parents)]
    parts = spec.split("/")
    for size in range(len(parts), 0, -1):
        manifests.extend(table.manifests(f"go:{'/'.join(parts[:size])}"))
    for manifest in manifests:
        name = table.notes(manifest).get("go", "")
        if name and (spec == name or spec.startswith(f"{name}/")):
            folder = "/".join(p for p in (manifest.rpartition("/")[0], spec[len(name) :].strip("/")) if p)
            if table.files_of_space(f"go:{folder}"):
                return f"go:{folder}"
    return None
