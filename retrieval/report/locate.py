"""What a report names → where that is in the index: files of its paths, functions of its frames, bearers of its names.

Paths are printed on other machines and in other checkouts, so they are compared from their ends; line numbers belong to
other versions, so a function's name counts before its line.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from sightline.graph.read.symbols import names_of
from sightline.retrieval.report.frames import Frame
from sightline.retrieval.report.reading import Report

if TYPE_CHECKING:
    from sightline.store import Snapshot

FUNCTIONS = frozenset({"function", "method", "constructor", "macro"})
_KEY, _CONSTRUCTORS_KEY = "report.files", "report.constructors"
_SAME_NAME = 3  # files that a path may mean before it means none
_MAX_DEFINITIONS = 40  # of one name: more and it says nothing about where
_UNNAMED = frozenset({"__init__", "index", "mod", "lib", "main"})  # files that go by the name of their folder


@dataclass(slots=True)
class Named:
    """Where the things are that a report names; every worth is above 0, and 1 is as sure as it gets."""

    frames: dict[int, float] = field(default_factory=dict)  # object → how near to the innermost frame
    framed_files: dict[int, float] = field(default_factory=dict)  # index of a path → likewise
    files: dict[int, float] = field(default_factory=dict)  # index of a path → named as a path or a module
    objects: dict[int, float] = field(default_factory=dict)  # object → its name stands in the report
    constructors: dict[int, float] = field(default_factory=dict)  # of classes whose names stand there


class _Files:
    """The paths of a snapshot by their last part."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.number = {path: n for n, path in enumerate(snapshot.paths) if path in snapshot.files}
        self.by_name: dict[str, list[str]] = {}
        self.by_module: dict[str, list[str]] = {}
        for path in self.number:
            folder, _, name = path.rpartition("/")
            self.by_name.setdefault(name, []).append(path)
            stem = name.partition(".")[0]
            self.by_module.setdefault(folder.rpartition("/")[2] if stem in _UNNAMED else stem, []).append(path)

    def meant(self, path: str) -> list[str]:
        """The files that a printed path may mean: those that share the most of its end."""
        parts = [part for part in path.split("/") if part not in ("", ".", "..")]
        if not parts:
            return []
        shared = [
            (_shared_end(candidate.split("/"), parts), candidate) for candidate in self.by_name.get(parts[-1], ())
        ]
        best = max((length for length, _ in shared), default=0)
        # Of a path with folders, a file of the same name in another folder is another file.
        chosen = [
            candidate
            for length, candidate in shared
            if length == best and (best > 1 or length == len(parts) or "/" not in candidate)
        ]
        return chosen if len(chosen) <= _SAME_NAME else []

    def of_module(self, parts: list[str]) -> list[str]:
        """The files of a dotted module: `django.db.models.query` is django/db/models/query.py."""
        if len(parts) < 2:
            return []
        wanted = parts
        return [path for path in self.by_module.get(parts[-1], ()) if _module_of(path)[-len(wanted) :] == wanted]


def _module_of(path: str) -> list[str]:
    *folders, name = path.split("/")
    stem = name.partition(".")[0]
    return folders if stem in _UNNAMED else [*folders, stem]


def _shared_end(a: list[str], b: list[str]) -> int:
    count = 0
    for one, other in zip(reversed(a), reversed(b), strict=False):
        if one != other:
            break
        count += 1
    return count


def files_of(snapshot: Snapshot) -> _Files:
    """The paths of a snapshot, made ready once."""
    return snapshot.chunks.once(_KEY, lambda: _Files(snapshot))


def locate(snapshot: Snapshot, report: Report) -> Named:
    """Look everything up that a report names."""
    named, files = Named(), files_of(snapshot)
    for rank, (frame, paths) in enumerate(_framed(files, (*report.frames, *report.locations))):
        worth = 1.0 / (1.0 + 0.5 * rank)
        for path in paths:
            number = files.number[path]
            named.framed_files[number] = max(worth, named.framed_files.get(number, 0.0))
            for position in _functions_at(snapshot, path, frame):
                named.frames[position] = max(worth, named.frames.get(position, 0.0))
    for path in report.paths:
        for found in files.meant(path):
            named.files[files.number[found]] = 1.0
    _qualified(snapshot, files, report, named)
    _names(snapshot, report.names, named)
    _constructors(snapshot, named)
    return named


def _framed(files: _Files, frames: tuple[Frame, ...]) -> Iterator[tuple[Frame, list[str]]]:
    """The frames that lie in this root, with their files."""
    for frame in frames:
        paths = files.meant(frame.path)
        if paths:
            yield frame, paths


def _functions_at(snapshot: Snapshot, path: str, frame: Frame) -> list[int]:
    """The functions of a file that a frame means: of that name, else around that line."""
    objects = snapshot.objects
    names, kinds = objects.column("name"), objects.column("kind")
    positions = [p for p in objects.positions_of_path(path).tolist() if kinds[p] in FUNCTIONS]
    same = [p for p in positions if frame.name and names[p] == frame.name]
    if len(same) > 1 and frame.line:
        return [min(same, key=lambda p: _apart(int(objects.start_line[p]), int(objects.end_line[p]), frame.line))]
    if same or not frame.line:
        return same
    around = [p for p in positions if objects.start_line[p] <= frame.line <= objects.end_line[p]]
    return sorted(around, key=lambda p: int(objects.start_line[p]))[:1]


def _apart(start: int, end: int, line: int) -> int:
    return 0 if start <= line <= end else min(abs(line - start), abs(line - end))


def _qualified(snapshot: Snapshot, files: _Files, report: Report, named: Named) -> None:
    """Dotted names: a module, a member of a module, a member of a class."""
    objects, names = snapshot.objects, names_of(snapshot)
    qualified = objects.column("qualified_name")
    for name, worth in report.qualified.items():
        parts = [part for part in name.replace("::", ".").replace("#", ".").replace("->", ".").split(".") if part]
        share = min(1.0, worth / 3)
        for length in range(len(parts), 1, -1):
            modules = files.of_module(parts[:length])
            for path in modules:
                number = files.number[path]
                named.files[number] = max(share, named.files.get(number, 0.0))
            if modules:
                break
        last, scope = parts[-1], parts[-2] if len(parts) > 1 else ""
        for position in names.by_name.get(last, ()):
            if qualified[position].replace("::", ".").split(".")[-2:] == [scope, last]:
                named.objects[position] = max(share, named.objects.get(position, 0.0))


def _names(snapshot: Snapshot, worths: Mapping[str, float], named: Named) -> None:
    """Names by themselves: the more things bear one, the less it says."""
    names = names_of(snapshot)
    for name, worth in worths.items():
        bearers = names.by_name.get(name, ())
        if bearers and len(bearers) <= _MAX_DEFINITIONS:
            share = min(1.0, worth / 3) / (1 + math.log2(len(bearers)))
            for position in bearers:
                named.objects[position] = max(share, named.objects.get(position, 0.0))


def _constructors(snapshot: Snapshot, named: Named) -> None:
    """The constructors of the classes that are named: who writes of a class often writes of how one is made."""
    objects = snapshot.objects
    of_class = objects.once(_CONSTRUCTORS_KEY, lambda: _find_constructors(snapshot))
    for position, worth in named.objects.items():
        for constructor in of_class.get(int(objects.ids[position]), ()):
            named.constructors[constructor] = max(worth, named.constructors.get(constructor, 0.0))


def _find_constructors(snapshot: Snapshot) -> dict[int, list[int]]:
    """Class, by id → its constructors."""
    objects, found = snapshot.objects, dict[int, list[int]]()
    constructors = np.flatnonzero(objects.alive & objects.column("kind").mask("constructor")).tolist()
    parents = objects.column("parent")
    for position in (*constructors, *names_of(snapshot).by_name.get("__new__", ())):
        found.setdefault(int(parents[position]), []).append(position)
    return found
