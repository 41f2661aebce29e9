"""What clang says about the calls of a C or C++ repository, in the form that `scripts/bench graph --truth` reads.

    python scripts/benchmarks/truth_clang.py REPO OUT.json.gz [--build DIR] [--language c|cpp] [--below PATH ...]
           [--flag=-DX ...]

Needs the package `libclang`, which is no dependency of the project: run it from an environment that has it. With
`--build`, the folder's `compile_commands.json` says which files are compiled and how (`cmake
-DCMAKE_EXPORT_COMPILE_COMMANDS=ON` writes one); without it every source file below `--below` is compiled with the
folders of all headers as include path. What the preprocessor left out of every compilation is not judged: its lines are
listed under `unseen`. Calls through pointers and of functions that several files define are sites of unknown target,
and so are calls on values whose type a template leaves open. A constructor's call is the instantiation of its class, as
in the other truths; conversions, copies and defaults that nobody wrote are not judged.
"""

from __future__ import annotations

import argparse
import ctypes
import gzip
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clang import cindex
from clang.cindex import Cursor, CursorKind, TranslationUnit

FUNCTIONS = {
    CursorKind.FUNCTION_DECL: "function",
    CursorKind.CXX_METHOD: "method",
    CursorKind.CONSTRUCTOR: "constructor",
    CursorKind.DESTRUCTOR: "method",
    CursorKind.CONVERSION_FUNCTION: "method",
    CursorKind.FUNCTION_TEMPLATE: "function",
}
CLASSES = {
    CursorKind.STRUCT_DECL: "struct",
    CursorKind.CLASS_DECL: "class",
    CursorKind.CLASS_TEMPLATE: "class",
    CursorKind.UNION_DECL: "struct",
}
OWNERS = {*CLASSES, CursorKind.NAMESPACE, CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION}
SOURCES = {"c": (".c",), "cpp": (".cc", ".cpp", ".cxx", ".c++")}
_NAMES = re.compile(rb"[A-Za-z_]\w*")
_CALLED = re.compile(rb"\b([A-Za-z_]\w*)\s*\(")
_GIVEN_NAME = re.compile(rb"[A-Za-z_]\w*\s*\(\s*([A-Za-z_]\w*)\s*\)")
HEADERS = (".h", ".hpp", ".hh", ".hxx", ".inl", ".ipp")


class _Ranges(ctypes.Structure):
    _fields_ = [("count", ctypes.c_uint), ("ranges", ctypes.POINTER(cindex.SourceRange))]


def skipped_lines(unit: TranslationUnit, path: str) -> set[int]:
    """The lines of a file that the preprocessor left out."""
    library = cindex.conf.lib
    library.clang_getSkippedRanges.restype = ctypes.POINTER(_Ranges)
    found = library.clang_getSkippedRanges(unit, unit.get_file(path))
    lines: set[int] = set()
    for number in range(found.contents.count):
        range_ = found.contents.ranges[number]
        lines.update(range(range_.start.line, range_.end.line + 1))
    library.clang_disposeSourceRangeList(found)
    return lines


class Truth:
    """Everything that all compilations of a repository say."""

    def __init__(self, root: Path, language: str) -> None:
        self.root, self.language = root.resolve(), language
        self.files: set[str] = set()
        self.entities: dict[tuple[str, str, int], dict[str, Any]] = {}
        self.bodies: dict[str, set[tuple[str, str, int]]] = defaultdict(set)  # USR → entities that have a body
        self.prototypes: dict[str, set[tuple[str, str, int]]] = defaultdict(set)
        self.sites: dict[tuple[str, int, int, str], dict[str, Any]] = {}
        self.made: dict[tuple[str, int, int, str], dict[str, Any]] = {}  # instantiations
        self.inherits: dict[tuple[str, str], dict[str, Any]] = {}
        self.includes: set[tuple[str, str, int]] = set()
        self.skipped: dict[str, set[int]] = {}
        self.uses: dict[tuple[str, int, int], tuple[str, tuple[str, str, int], bool]] = {}  # of macros
        self.given: dict[tuple[str, int], set[str]] = defaultdict(set)  # calls that are written in a macro's arguments
        self.macro_lines: dict[str, set[int]] = defaultdict(set)  # what a macro's text does is not the macro's doing
        self._paths: dict[str, str] = {}
        self._texts: dict[str, bytes] = {}
        self._walked: set[tuple[str, int, int]] = set()

    def path(self, cursor: Cursor) -> str:
        """The path of a cursor's file in the repository; nothing where it is outside."""
        file = cursor.location.file
        return self.relative(file.name) if file is not None else ""

    def relative(self, name: str) -> str:
        if name not in self._paths:
            real = os.path.realpath(name)
            inside = real.startswith(f"{self.root}{os.sep}")
            self._paths[name] = os.path.relpath(real, self.root) if inside else ""
        return self._paths[name]

    def read(self, unit: TranslationUnit) -> None:
        included = {unit.spelling} | {include.include.name for include in unit.get_includes()}
        for name in included:
            if path := self.relative(name):
                self.files.add(path)
                skipped = skipped_lines(unit, name)
                self.skipped[path] = self.skipped.get(path, skipped) & skipped
        for child in unit.cursor.get_children():
            file, extent = child.location.file, child.extent
            place = (file.name if file else "", extent.start.offset, extent.end.offset)
            if place not in self._walked:  # headers come with every file that includes them
                self._walked.add(place)
                if child.kind.is_preprocessing():
                    self._directive(child)
                else:
                    self._visit(child, [])

    def _directive(self, cursor: Cursor) -> None:
        """An include, the definition of a macro, or its use where somebody wrote it."""
        path = self.path(cursor)
        if not path:
            return
        if cursor.kind is CursorKind.INCLUSION_DIRECTIVE:
            file = cursor.get_included_file() if cindex.conf.lib.clang_getIncludedFile(cursor) else None
            if file is not None and (target := self.relative(file.name)):
                self.includes.add((path, target, cursor.location.line))
        elif cursor.kind is CursorKind.MACRO_DEFINITION:
            macro = self._entity(cursor, path, "macro")
            self.macro_lines[path].update(range(macro["start"], macro["end"] + 1))
        elif cursor.kind is CursorKind.MACRO_INSTANTIATION and self._is_written(cursor, path):
            macro = cursor.referenced
            if macro is not None and (where := self.path(macro)):
                called = bool(cindex.conf.lib.clang_Cursor_isMacroFunctionLike(macro))
                key = (where, macro.spelling, macro.location.line)
                self.uses[path, cursor.location.line, cursor.location.column] = (macro.spelling, key, called)
            extent = cursor.extent
            given = self._text(path)[extent.start.offset + len(cursor.spelling) : extent.end.offset]
            if b"(" in given[1:]:
                self.given[path, cursor.location.line] |= {name.decode() for name in _CALLED.findall(given)}

    def _is_written(self, cursor: Cursor, path: str) -> bool:
        """Whether a macro's use stands in the file, and not in what another macro expands to."""
        return self._text(path).startswith(cursor.spelling.encode(), cursor.extent.start.offset)

    def _walk(self, cursor: Cursor, enclosing: list[dict[str, Any]]) -> None:
        for child in cursor.get_children():
            self._visit(child, enclosing)

    def _visit(self, cursor: Cursor, enclosing: list[dict[str, Any]]) -> None:
        path = self.path(cursor)
        if not path and cursor.location.file is not None:
            return  # of the system
        if path and cursor.kind in FUNCTIONS:
            entity = self._function(cursor, path)
            enclosing = [entity, *enclosing] if cursor.is_definition() else enclosing
            if cursor.kind is CursorKind.CONSTRUCTOR or cursor.kind is CursorKind.FUNCTION_TEMPLATE:
                self._left_open(cursor, path, enclosing)
        elif path and cursor.kind in CLASSES and cursor.is_definition():
            self._class(cursor, path)
        elif path and cursor.kind is CursorKind.CALL_EXPR:
            self._site(cursor, path, enclosing)
        elif path and cursor.kind is CursorKind.VAR_DECL:
            self._left_open(cursor, path, enclosing)
        elif path and cursor.kind is CursorKind.CXX_NEW_EXPR:
            made = cursor.type.get_pointee().get_declaration()
            self._instantiation(cursor, path, enclosing, made, written=False)
        self._walk(cursor, enclosing)

    def _left_open(self, cursor: Cursor, path: str, enclosing: list[dict[str, Any]]) -> None:
        """The bases that a constructor makes, and variables: in a template clang does not say by which constructor."""
        for child in cursor.get_children():
            if child.kind in (CursorKind.TYPE_REF, CursorKind.TEMPLATE_REF) and child.referenced is not None:
                self._instantiation(child, path, enclosing, child.referenced, written=False)

    def _written_name(self, cursor: Cursor, path: str) -> str:
        """What stands in the file where a macro makes up the name: x for `TEST_IMPL(x) { … }`, run_test_x to clang."""
        text = self._text(path)[cursor.location.offset :]
        if self.language != "c" or text.startswith(cursor.spelling.encode()):
            return ""
        written = _GIVEN_NAME.match(text)
        if written:
            return written[1].decode()
        named = _NAMES.match(text)  # `#define f PREFIX(f)`, and f stands there
        return named[0].decode() if named and cursor.spelling.endswith(named[0].decode()) else ""

    def _text(self, path: str) -> bytes:
        if path not in self._texts:
            self._texts[path] = (self.root / path).read_bytes()
        return self._texts[path]

    def _entity(self, cursor: Cursor, path: str, kind: str, written: str = "") -> dict[str, Any]:
        name = written or qualified(cursor)
        key = (path, name, cursor.location.line)
        start, end = cursor.extent.start.line, cursor.extent.end.line
        return self.entities.setdefault(
            key,
            {"path": path, "name": name, "line": cursor.location.line, "start": start, "end": end, "kind": kind},
        )

    def _function(self, cursor: Cursor, path: str) -> dict[str, Any]:
        entity = self._entity(cursor, path, FUNCTIONS[cursor.kind], self._written_name(cursor, path))
        key = (path, entity["name"], entity["line"])
        (self.bodies if cursor.is_definition() else self.prototypes)[cursor.get_usr()].add(key)
        return entity

    def _class(self, cursor: Cursor, path: str) -> None:
        entity = self._entity(cursor, path, CLASSES[cursor.kind])
        for base in cursor.get_children():
            if base.kind is CursorKind.CXX_BASE_SPECIFIER:
                target = base.referenced
                target = target.get_definition() or target if target is not None else None
                if target is not None and target.kind in CLASSES and (where := self.path(target)):
                    parent = self._entity(target, where, CLASSES[target.kind])
                    self.inherits[entity["name"], parent["name"]] = {"type": "INHERITS", "sub": entity, "super": parent}

    def _site(self, cursor: Cursor, path: str, enclosing: list[dict[str, Any]]) -> None:
        target = cursor.referenced
        name = cursor.spelling or (target.spelling if target is not None else "") or self._called_name(cursor, path)
        if target is None and not name:
            return  # through an expression
        if target is not None and target.kind is CursorKind.CONSTRUCTOR:
            self._instantiation(cursor, path, enclosing, target.semantic_parent, written=self._is_named(cursor, path))
            return
        if target is not None and target.kind is CursorKind.CONVERSION_FUNCTION:
            return
        location = cursor.location
        module = {"path": path, "name": "<module>", "line": 1, "start": 0}
        chain = [entity for entity in enclosing if entity["path"] == path]
        usr = target.get_usr() if target is not None and target.kind in FUNCTIONS else ""
        if usr and target.kind in (CursorKind.CXX_METHOD, CursorKind.FUNCTION_DECL, CursorKind.CONSTRUCTOR):
            general = cindex.conf.lib.clang_getSpecializedCursorTemplate(target)
            usr = general.get_usr() if general is not None and general.kind in FUNCTIONS else usr
        self.sites.setdefault(
            (path, location.line, location.column, usr or name),
            {
                "path": path,
                "line": location.line,
                "name": name,
                "caller": chain[0] if chain else module,
                "enclosing": [*chain[1:], module] if chain else [],
                "form": "name",
                "usr": usr,
                "external": bool(usr) and not self.path(target) and target.location.file is not None,
                "at": self._place_of(target) if usr else None,
            },
        )

    def _place_of(self, target: Cursor) -> tuple[str, str, int]:
        """Where a function stands: clang names static ones of headers differently in every compilation."""
        return self.path(target), qualified(target), target.location.line

    def _called_name(self, cursor: Cursor, path: str) -> str:
        """What stands before the arguments of a call whose target depends on a template's arguments."""
        callee = next(iter(cursor.get_children()), None)
        extent = callee.extent if callee is not None else cursor.extent
        names = _NAMES.findall(self._text(path)[extent.start.offset : extent.end.offset].partition(b"(")[0])
        return names[-1].decode() if names else ""

    def _is_named(self, cursor: Cursor, path: str) -> bool:
        """Whether the class of a constructor's call stands on its lines, and the call is no default: `T x;`."""
        if cursor.referenced.is_default_constructor() or not cursor.referenced.location.file:
            return False
        if cursor.referenced.is_copy_constructor() or cursor.referenced.is_move_constructor():
            return False
        lines = self._text(path).splitlines()[cursor.extent.start.line - 1 : cursor.extent.end.line]
        return any(cursor.referenced.spelling.partition("<")[0].encode() in _NAMES.findall(line) for line in lines)

    def _instantiation(
        self, cursor: Cursor, path: str, enclosing: list[dict[str, Any]], made: Cursor | None, *, written: bool
    ) -> None:
        """The instantiation of a class; of one that is not written only that it is not judged."""
        if made is None:
            return
        general = cindex.conf.lib.clang_getSpecializedCursorTemplate(made)
        made = general if general is not None and general.kind in CLASSES else made
        made = made.get_definition() or made
        where = self.path(made) if made.kind in CLASSES else ""
        location, name = cursor.location, made.spelling.partition("<")[0]
        module = {"path": path, "name": "<module>", "line": 1, "start": 0}
        chain = [entity for entity in enclosing if entity["path"] == path]
        entity = self._entity(made, where, CLASSES[made.kind]) if where else None
        found = {
            "path": path,
            "line": location.line,
            "name": name,
            "caller": chain[0] if chain else module,
            "enclosing": [*chain[1:], module] if chain else [],
            "form": "new",
            "status": ("internal" if entity is not None else "external") if written else "unknown",
            "targets": [entity] if entity is not None and written else [],
            "soft": [],
        }
        self.made.setdefault((path, location.line, location.column, name), found)

    def _macro_sites(self) -> Iterator[dict[str, Any]]:
        """The uses of macros as sites: a call where the macro takes arguments, else nothing that is judged. Nor are
        calls that are given to a macro which leaves them out, such as an assertion."""
        bodies = defaultdict(list)
        for keys in self.bodies.values():
            for key in keys:
                bodies[key[0]].append(self.entities[key])
        for (path, line, _), (name, key, called) in self.uses.items():
            entity = self.entities.get(key)
            if entity is not None:
                status, targets = ("internal", [entity]) if called else ("variable", [])
                yield self._written(bodies[path], path, line, name) | {
                    "form": "macro",
                    "status": status,
                    "targets": targets,
                    "soft": [entity],
                }
        for (path, line), names in self.given.items():
            for name in names:
                unjudged = {"form": "given", "status": "unknown", "targets": [], "soft": []}
                yield self._written(bodies[path], path, line, name) | unjudged

    @staticmethod
    def _written(bodies: list[dict[str, Any]], path: str, line: int, name: str) -> dict[str, Any]:
        around = [entity for entity in bodies if entity["start"] <= line <= entity["end"]]
        around.sort(key=lambda entity: entity["end"] - entity["start"])
        module = {"path": path, "name": "<module>", "line": 1, "start": 0}
        caller, enclosing = (around[0], [*around[1:], module]) if around else (module, [])
        return {"path": path, "line": line, "name": name, "caller": caller, "enclosing": enclosing}

    def document(self, repo: str) -> dict[str, Any]:
        known = {(site["path"], site["caller"]["line"], site["name"]) for site in self.sites.values()}
        sites = [
            site
            for site in self._macro_sites()
            if site["form"] != "given" or (site["path"], site["caller"]["line"], site["name"]) not in known
        ]
        by_status = Counter(site["form"] for site in sites)
        sites += self.made.values()
        by_status.update(f"{site['status']} new" for site in self.made.values())
        for site in self.sites.values():
            usr = site.pop("usr")
            external, at = site.pop("external"), site.pop("at")
            found = self.bodies.get(usr) or self.prototypes.get(usr) or ({at} if at in self.entities else set())
            same = {key for key in found if key[0] == site["path"]}
            found = same or found
            if external or (usr and not found):
                site["status"] = "external"
            elif len(found) == 1:
                site["status"] = "internal"
            else:
                site["status"] = "unknown"
            site["targets"] = [self.entities[key] for key in found] if site["status"] == "internal" else []
            site["soft"] = [self.entities[key] for key in self.prototypes.get(usr, ())]
            by_status[site["status"]] += 1
            sites.append(site)
        return {
            "repo": repo,
            "language": self.language,
            "resolver": "clang",
            "root": "",
            "files": sorted(self.files),
            "entities": list(self.entities.values()),
            "sites": sites,
            "inherits": list(self.inherits.values()),
            "imports": [{"from": a, "to": b, "line": line} for a, b, line in sorted(self.includes)],
            "refs": [],
            "calls": [],
            "unseen": {path: sorted(lines | self.macro_lines[path]) for path, lines in self.skipped.items()},
            "stats": {"by_status": dict(by_status), "call_sites": len(sites)},
        }


def qualified(cursor: Cursor) -> str:
    """`a.B.f` for a::B::f."""
    spelling = cursor.spelling
    if spelling.startswith("operator"):
        own = "operator" if spelling == "operator()" else spelling  # as the scorer writes it
    else:
        own = spelling.partition("<")[0] or spelling
    parts, current = [own], cursor.semantic_parent
    while current is not None and current.kind in OWNERS:
        if current.spelling and "(" not in current.spelling:
            parts.append(current.spelling.partition("<")[0])
        current = current.semantic_parent
    return ".".join(reversed(parts))


def compilations(chosen: argparse.Namespace, root: Path) -> Iterator[tuple[str, list[str]]]:
    """Each file that is compiled, and its arguments."""
    system = system_flags(chosen.language)
    if chosen.build:
        for command in json.loads((chosen.build / "compile_commands.json").read_text(encoding="utf-8")):
            words = command.get("arguments") or shlex.split(command["command"])
            file = os.path.join(command["directory"], command["file"])  # noqa: PTH118
            kept, skip = [], False
            for word in words[1:]:
                if skip or word in ("-c", command["file"]):
                    skip = False
                elif word in ("-o", "-MF", "-MT", "-MQ"):
                    skip = True
                else:
                    kept.append(word)
            yield file, [*kept, f"-working-directory={command['directory']}", *system, *chosen.flag]
        return
    folders = {str(path.parent) for path in root.rglob("*") if path.suffix in HEADERS}
    includes = [f"-I{folder}" for folder in sorted(folders)]
    for below in chosen.below or ["."]:
        for path in sorted((root / below).rglob("*")):
            if path.suffix in SOURCES[chosen.language]:
                yield str(path), [*includes, *system, *chosen.flag]


def system_flags(language: str) -> list[str]:
    """Where the machine's compiler has its headers: the package brings none. Those of a clang are taken where there is
    one, since gcc's headers of vector instructions use what only gcc knows."""
    compilers = ("clang", "cc") if language == "c" else ("clang++", "c++")
    compiler = next(filter(shutil.which, compilers), compilers[-1])
    driver = [compiler, "-xc" if language == "c" else "-xc++"]
    said = subprocess.run(
        [*driver, "-E", "-v", os.devnull], capture_output=True, text=True, check=True, env={**os.environ, "LC_ALL": "C"}
    ).stderr
    listed = (
        said.partition("search starts here:\n#include <...> search starts here:\n")[2]
        or said.partition("#include <...> search starts here:\n")[2]
    )
    return [f"-isystem{line.strip()}" for line in listed.partition("End of search list.")[0].splitlines()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repo", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--build", type=Path)
    parser.add_argument("--language", choices=sorted(SOURCES), default="c")
    parser.add_argument("--below", nargs="*", default=[])
    parser.add_argument("--flag", action="append", default=[])
    chosen = parser.parse_args()
    sys.setrecursionlimit(10_000)
    truth, index = Truth(chosen.repo, chosen.language), cindex.Index.create()
    errors, compiled = Counter[str](), set[str]()
    for file, flags in compilations(chosen, chosen.repo.resolve()):
        if not truth.relative(file) or truth.relative(file) in compiled:
            continue  # outside, or built as another kind of library once more
        compiled.add(truth.relative(file))
        try:
            unit = index.parse(
                file, [*flags, "-ferror-limit=0"], options=TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
            )
        except cindex.TranslationUnitLoadError as error:  # no source of C, or not there before a build
            errors[truth.relative(file)] = 1
            print(f"{truth.relative(file)}: left out, {error}", file=sys.stderr)
            continue
        severe = [said for said in unit.diagnostics if said.severity >= cindex.Diagnostic.Fatal]
        if severe:
            errors[truth.relative(file)] = len(severe)
            print(f"{truth.relative(file)}: left out, {severe[0]}", file=sys.stderr)
            continue
        truth.read(unit)
    document = truth.document(chosen.repo.name)
    with gzip.open(chosen.out, "wt", encoding="utf-8") as out:
        json.dump(document, out)
    print(chosen.repo.name, len(document["files"]), "files,", document["stats"], len(errors), "files left out")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
