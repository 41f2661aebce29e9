"""What Mono's C# compiler says about the calls of a repository, in the form that `scripts/bench graph --truth` reads.

    python scripts/benchmarks/truth_csharp.py REPO OUT.json.gz --below DIR [--below DIR ...] [--mcs=WORD ...]

Compiles the `.cs` files `--below` these folders (relative to REPO) to one library with `mcs -debug`, WORDs being more
options of mcs, and prints its instructions with Mono.Cecil (Debian: mono-devel); `truth_csharp.cs` does the latter. mcs
knows C# 6 and a part of 7. What `compiled.py` says at its top holds; judged are calls of methods and `new`. Not judged
are properties, operators, delegates, constructors of a base, and what a condition leaves out. An instruction names the
first declaration of a virtual method, whatever the type of the receiver overrides, so that a call of an override
counts as a call of what it overrides.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import compiled
import tree_sitter_c_sharp
from tree_sitter import Language, Node, Parser

_GAC = Path("/usr/lib/mono/gac")
_LIBRARIES = ("Mono.Cecil", "Mono.CompilerServices.SymbolWriter")
_TYPES = {
    "class_declaration": "class",
    "struct_declaration": "struct",
    "interface_declaration": "interface",
    "enum_declaration": "class",
    "delegate_declaration": "class",
}
_MEMBERS = {
    "method_declaration": "function",
    "constructor_declaration": "constructor",
    "destructor_declaration": "function",
    "operator_declaration": "function",
    "conversion_operator_declaration": "function",
    "property_declaration": "property",
    "indexer_declaration": "property",
    "event_declaration": "property",
}
_SPACES = {"namespace_declaration", "file_scoped_namespace_declaration"}


class Source(compiled.Source):
    """The definitions of C#, by the full names of their types."""

    def __init__(self, root: Path) -> None:
        super().__init__()
        self.root = root
        self.types: dict[str, list[dict[str, Any]]] = defaultdict(list)  # parts of one by its name
        self.members: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)  # by type and name

    def read(self, path: str) -> None:
        text = (self.root / path).read_bytes().removeprefix(b"\xef\xbb\xbf")
        self.read_calls(path, text.decode(errors="replace"))
        self._walk(path, Parser(Language(tree_sitter_c_sharp.language())).parse(text).root_node, "", "")

    def _walk(self, path: str, node: Node, space: str, owner: str) -> None:
        for child in node.named_children:
            within, inside = space, owner
            name = child.child_by_field_name("name")
            text = name.text.decode() if name is not None and name.text else "this"
            lines = ((name or child).start_point.row + 1, child.start_point.row + 1, child.end_point.row + 1)
            if child.type in _SPACES:
                within = f"{space}.{text}" if space else text
            elif child.type in _TYPES:
                inside = f"{owner}.{text}" if owner else text
                entity = self.define(path, inside, lines, _TYPES[child.type])
                self.types[f"{space}.{inside}" if space else inside].append(entity)
            elif child.type in _MEMBERS:
                entity = self.define(path, f"{owner}.{text}", lines, _MEMBERS[child.type])
                self.members[f"{space}.{owner}" if space else owner, text].append(entity)
            self._walk(path, child, within, inside)

    def type(self, name: str) -> dict[str, Any] | None:
        """The definition of a type; of several parts the one that is alone in naming what is above is not known."""
        parts = self.types.get(_plain(name), [])
        return parts[0] if len({part["path"] for part in parts}) == 1 else None

    def member(self, type_: str, name: str, path: str, line: int) -> dict[str, Any] | None:
        """The method whose body stands in a file around a line; without a body, the only one of the name."""
        bare = name.rpartition(".")[2]  # of an interface that is named
        named = [e for e in self.members.get((_plain(type_), bare), ()) if e["kind"] == "function"]
        at = [e for e in named if e["path"] == path and e["start"] <= line <= e["end"]]
        found = at or named
        return found[0] if len({(e["path"], e["name"]) for e in found}) == 1 else None


def _plain(name: str) -> str:
    """`N.A`1/B` as `N.A.B`."""
    return ".".join(part.partition("`")[0] for part in name.replace("/", ".").split("."))


class Assembly:
    """What the printer says, line by line."""

    def __init__(self, root: Path, source: Source, printed: list[str]) -> None:
        self.source, self._prefix = source, f"{root}/"
        rows = [line.split("\t") for line in printed]
        self.types = {row[1]: [name for name in (row[2], *row[3].split(",")) if name] for row in rows if row[0] == "T"}
        self._methods = [row for row in rows if row[0] == "M"]
        self._calls = [row for row in rows if row[0] == "C"]

    def _path(self, file: str) -> str:
        return file.removeprefix(self._prefix)

    def calls(self) -> Iterator[compiled.Called]:
        for _, file, line, word, type_, name, ours, where, at in self._calls:
            if name in (".ctor", ".cctor"):
                if word != "newobj":
                    continue  # of a base, or of a value where it stands
                bare = _plain(type_).rpartition(".")[2]
                target = self.source.type(type_) if ours else None
                if target is None and ours:
                    parts = self.source.types.get(_plain(type_), [])
                    target = next((part for part in parts if part["path"] == self._path(where)), None)
            else:
                bare = name.rpartition(".")[2]
                target = self.source.member(type_, name, self._path(where), int(at)) if ours else None
            if target is not None or not ours:
                yield compiled.Called(self._path(file), int(line), bare, target)

    def inherits(self) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        for type_, above in self.types.items():
            entity = self.source.type(type_)
            implied = {name for one in above for name in self._above(one)}  # instructions name them all
            for name in above if entity is not None else ():
                other = self.source.type(name) if name not in implied else None
                if entity is not None and other is not None:
                    yield entity, other

    def stands_for(self) -> list[list[dict[str, Any]]]:
        """What is overridden, each with what overrides it."""
        pairs = []
        for _, type_, name, file, line, word in self._methods:
            entity = self.source.member(type_, name, self._path(file), int(line)) if word else None
            for above in self._lineage(type_) if entity is not None else ():
                for declared in self.source.members.get((_plain(above), name), ()):
                    pairs.append([{key: e[key] for key in ("path", "name", "line")} for e in (declared, entity or {})])
        return pairs

    def _above(self, type_: str) -> Iterator[str]:
        for name in self.types.get(type_, ()):
            yield name
            yield from self._above(name)

    def _lineage(self, type_: str) -> Iterator[str]:
        while self.types.get(type_):
            type_ = self.types[type_][0]
            yield type_


def _version(library: Path) -> list[int]:
    return [int(part) for part in library.parent.name.partition("_")[0].split(".")]


def instructions(root: Path, files: list[str], words: list[str]) -> list[str]:
    """Compile a library and print what it consists of."""
    with tempfile.TemporaryDirectory() as scratch:
        library, printer = Path(scratch, "library.dll"), Path(scratch, "printer.exe")
        options = ["-debug", "-unsafe", "-target:library", "-warn:0", f"-out:{library}", *words]
        subprocess.run(["mcs", *options, *(str(root / path) for path in files)], check=True)
        used = [max((_GAC / name).glob("*/*.dll"), key=_version) for name in _LIBRARIES]
        for one in used:
            shutil.copy(one, scratch)
        source = Path(__file__).with_name("truth_csharp.cs")
        subprocess.run(["mcs", f"-out:{printer}", *(f"-r:{one}" for one in used), source], check=True)
        ran = subprocess.run(["mono", printer, library], check=True, capture_output=True, text=True)
        return ran.stdout.splitlines()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repo", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--below", action="append", required=True)
    parser.add_argument("--without", action="append", default=[], help="a file that is left out")
    parser.add_argument("--mcs", action="append", default=[], help="a further option of mcs, as --mcs=-d:NET_4_5")
    chosen = parser.parse_args()
    root = chosen.repo.resolve()
    found = {p.relative_to(root).as_posix() for folder in chosen.below for p in (root / folder).rglob("*.cs")}
    files = sorted(found - set(chosen.without))
    source = Source(root)
    for path in files:
        source.read(path)
    assembly = Assembly(root, source, instructions(root, files, chosen.mcs))
    named = ("csharp", "mcs")
    made = compiled.document(root, chosen.repo.name, named, files, source, assembly.calls(), assembly.inherits())
    made["stands_for"] = assembly.stands_for()
    with gzip.open(chosen.out, "wt", encoding="utf-8") as out:
        json.dump(made, out)
    print(chosen.repo.name, len(made["files"]), "files,", made["stats"], file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
