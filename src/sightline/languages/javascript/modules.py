"""Module paths of JavaScript and TypeScript."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sightline.languages.facts import FileFacts
    from sightline.languages.rules import RootView

_EXTENSIONS = (
    ".ts",
    ".tsx",
    ".d.ts",
    ".mts",
    ".cts",
    ".js",
    ".jsx",
    ".mjs",
    ".cjs",
    ".vue",
    ".svelte",
    ".astro",
    ".json",
)
_COMPILED = {".js": (".ts", ".tsx", ".d.ts", ".jsx"), ".mjs": (".mts",), ".cjs": (".cts",), ".jsx": (".tsx",)}
_MAX_EXTENDS = 5  # tsconfig files that build on each other


def module(view: RootView, facts: FileFacts, spec: str) -> str | None:
    """The file that an import path names, as seen from a file; None when it lies outside the root."""
    folder = str(PurePosixPath(facts.path).parent)
    if spec.startswith("."):
        return _file_at(view, _join(folder, spec))
    return _by_alias(view, folder, spec) or _by_package(view, spec)


def _join(folder: str, path: str) -> str:
    """A path relative to a folder of the root, without dots."""
    parts = [] if path.startswith("/") or folder in ("", ".") else folder.split("/")
    for part in path.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in ("", ".", ".."):
            parts.append(part)
    return "/".join(parts)


def _file_at(view: RootView, stem: str) -> str | None:
    has = view.table.has_file
    suffix = PurePosixPath(stem).suffix
    if suffix in _EXTENSIONS:
        for source in _COMPILED.get(suffix, ()):
            if has(stem[: -len(suffix)] + source):
                return stem[: -len(suffix)] + source
        if has(stem):
            return stem
    for extension in _EXTENSIONS:
        if has(stem + extension):
            return stem + extension
    index = f"{stem}/index" if stem else "index"
    for extension in _EXTENSIONS[:9]:
        if has(index + extension):
            return index + extension
    return None


def _by_alias(view: RootView, folder: str, spec: str) -> str | None:
    """The paths and the base folder of the nearest tsconfig.json."""
    here = PurePosixPath(folder)
    for parent in [here, *here.parents]:
        for name in ("tsconfig.json", "jsconfig.json"):
            config = _join(str(parent), name)
            if view.table.has_file(config):
                found = _by_config(view, config, spec, 0)
                if found is not None:
                    return found
    return None


def _by_config(view: RootView, config: str, spec: str, depth: int) -> str | None:
    notes = view.table.notes(config)
    base = _join(str(PurePosixPath(config).parent), notes.get("base", "."))
    for pattern, targets in notes.get("paths", {}).items():
        head, star, tail = pattern.partition("*")
        if spec != pattern and not (star and spec.startswith(head) and spec.endswith(tail)):
            continue
        middle = spec[len(head) : len(spec) - len(tail)] if star else ""
        for target in targets:
            found = _file_at(view, _join(base, target.replace("*", middle, 1)))
            if found is not None:
                return found
    if "base" in notes:
        found = _file_at(view, _join(base, spec))
        if found is not None:
            return found
    extends = notes.get("extends", "")
    if extends.startswith(".") and depth < _MAX_EXTENDS:
        other = _join(str(PurePosixPath(config).parent), extends)
        return _by_config(view, other if other.endswith(".json") else f"{other}.json", spec, depth + 1)
    return None


def _by_package(view: RootView, spec: str) -> str | None:
    """A package of the same root, by the name in its package.json."""
    parts = spec.split("/")
    size = 2 if spec.startswith("@") else 1
    name, rest = "/".join(parts[:size]), "/".join(parts[size:])
    for manifest in view.table.manifests(f"npm:{name}"):
        folder = str(PurePosixPath(manifest).parent)
        exports = view.table.notes(manifest).get("exports", {})
        targets = list(exports.get(rest, ()))
        for pattern, values in exports.items():
            head, star, tail = pattern.partition("*")
            if star and rest.startswith(head) and rest.endswith(tail):
                middle = rest[len(head) : len(rest) - len(tail)]
                targets.extend(value.replace("*", middle, 1) for value in values)
        for target in (*targets, rest, f"src/{rest}"):
            found = _file_at(view, _join(folder, target))
            if found is not None:
                return found
    return None
