"""Rust's module tree: the paths of a `use`, and which file a path names."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from sightline.languages.reader import first
from sightline.languages.values import Module

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from sightline.languages.facts import FileFacts
    from sightline.languages.reading import Reading
    from sightline.languages.rules import RootView

_ROOTS = ("lib.rs", "main.rs")
_OWN_CRATES = ("tests", "benches", "examples", "bin")  # every file directly inside is a crate of its own


def module(view: RootView, facts: FileFacts, spec: str) -> str | None:
    """The file that a path names as seen from a file; None when it lies outside the root."""
    head, *rest = spec.split("::")
    if head == "mod":  # `mod name;` in this file
        return submodule(view, facts.path, rest[0])
    space: str | None = facts.path
    if head == "crate":
        space = _crate_root(view, facts.path)
    elif head == "super":
        space = _parent(view, facts.path)
        while space is not None and rest[:1] == ["super"]:
            space, rest = _parent(view, space), rest[1:]
    elif head != "self":
        space = _crate(view, facts, head)
    for part in rest:
        if space is None:
            return None
        values = view.exported(space, part) or ()
        space = next((value.space for value in values if isinstance(value, Module)), None)
    return space


def submodule(view: RootView, space: str, name: str) -> str | None:
    """The file of the module `name` that the file at `space` declares."""
    folder = _folder(view, space)
    for path in (f"{folder}{name}.rs", f"{folder}{name}/mod.rs"):
        if view.table.has_file(path):
            return path
    return None


def _folder(view: RootView, path: str) -> str:
    """Where the modules of a file live: beside a root or mod.rs, else in the folder of the file's name."""
    pure = PurePosixPath(path)
    beside = pure.name in (*_ROOTS, "mod.rs", "build.rs") or _is_own_crate(view, pure)
    folder = pure.parent if beside else pure.parent / pure.stem
    return "" if str(folder) == "." else f"{folder}/"


def _is_own_crate(view: RootView, pure: PurePosixPath) -> bool:
    """A file of `tests/` and the like, unless that folder is a module."""
    return pure.parent.name in _OWN_CRATES and not view.table.has_file(f"{pure.parent}/mod.rs")


def _parent(view: RootView, path: str) -> str | None:
    """The file of the module around a file's module."""
    pure = PurePosixPath(path)
    if pure.name in _ROOTS:
        return None
    folder = pure.parent.parent if pure.name == "mod.rs" else pure.parent
    prefix = "" if str(folder) == "." else f"{folder}/"
    for candidate in (f"{prefix}mod.rs", f"{prefix}lib.rs", f"{prefix}main.rs", f"{folder}.rs"):
        if candidate != path and view.table.has_file(candidate):
            return candidate
    return None


def _crate_root(view: RootView, path: str) -> str | None:
    pure = PurePosixPath(path)
    if pure.name in _ROOTS or _is_own_crate(view, pure):
        return path
    for folder in pure.parents:
        prefix = "" if str(folder) == "." else f"{folder}/"
        for name in _ROOTS:
            if view.table.has_file(prefix + name):
                return prefix + name
        if folder.name == "src":
            break
    return None


def _crate(view: RootView, facts: FileFacts, name: str) -> str | None:
    """A crate of the workspace by its name: as its manifest says, else as its folder is called."""
    for manifest in view.table.manifests(f"cargo:{name}"):
        folder = manifest.rpartition("/")[0]
        library = view.table.notes(manifest).get("library", "src/lib.rs")
        path = f"{folder}/{library}" if folder else library
        if view.table.has_file(path):
            return path
    roots = view.table.files_with_stem("rust", "lib")
    named = [root for root in roots if root.split("/")[-3:-2] and root.split("/")[-3].replace("-", "_") == name]
    if named:
        return min(named, key=lambda root: (root.count("/"), root))
    starred = view.starred(facts.path, name, exported=False) or ()
    return next((value.space for value in starred if isinstance(value, Module)), None)


def use_leaves(reading: Reading, node: Node | None) -> Iterator[tuple[list[str], str, int]]:
    """The paths of a `use` tree with the name each of them binds; "" for a star."""
    queue: list[tuple[Node | None, list[str]]] = [(node, [])]
    while queue:
        current, prefix = queue.pop()
        if current is None:
            continue
        kind, line = current.type, reading.line(current)
        if kind in ("identifier", "crate", "super", "scoped_identifier", "metavariable"):
            parts = [*prefix, *reading.text(current).replace(" ", "").split("::")]
            yield [p for p in parts if p], parts[-1], line
        elif kind == "self":
            yield (prefix or ["self"]), (prefix[-1] if prefix else "self"), line
        elif kind == "use_as_clause":
            path = current.child_by_field_name("path")
            parts = [*prefix, *reading.text(path).split("::")]
            parts = parts[:-1] if parts[-1] == "self" and len(parts) > 1 else parts
            alias = reading.field(current, "alias")
            if alias != "_":
                yield parts, alias, line
        elif kind == "use_wildcard":
            inner = first(current)
            yield [*prefix, *(reading.text(inner).split("::") if inner is not None else [])], "", line
        elif kind in ("scoped_use_list", "use_list"):
            path = current.child_by_field_name("path")
            inside = [*prefix, *(p for p in reading.text(path).split("::") if p)] if path is not None else prefix
            listed = current.child_by_field_name("list") if kind == "scoped_use_list" else current
            queue.extend((child, inside) for child in reversed(listed.named_children if listed is not None else []))
