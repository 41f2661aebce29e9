"""What Kotlin's compiler says about the calls of a repository, in the form that `scripts/bench graph --truth` reads.

    python scripts/benchmarks/truth_kotlin.py REPO OUT.json.gz --classes DIR --below DIR [--below DIR ...]

`--classes` holds what was compiled of the `.kt` files `--below` these folders (relative to REPO); how they are compiled
is left to whoever does it, and a file without a class file is not judged. `javap` (of any JDK) prints the class files:
each call instruction with its line and the method that it means. What `compiled.py` says at its top holds; judged are
calls of functions and constructors. Not judged are inline functions (they leave no instruction), properties, operators,
`invoke`, infix calls, the constructor of a base, functions that are called otherwise in class files (`@JvmName`), and
classes of which the source has no definition. A call of an `expect` declaration counts as one of its `actual`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import compiled
import tree_sitter_kotlin
from tree_sitter import Language, Node, Parser

from sightline.languages.kotlin.mending import mended

_FROM = re.compile(r'^Compiled from "(.+)"$')
_CLASS = re.compile(r"^[\w ]*?\b(?:class|interface) ([\w.$-]+)(?:<.*?>)?(?: extends (.+?))?(?: implements (.+?))? ?\{$")
_METHOD = re.compile(r"^  (?:\S.*? )?([\w$.<>`-]+)\(.*\).*;$")
_DESCRIPTOR = re.compile(r"^    descriptor: (\(.*)$")
_CALL = re.compile(r"^ +(\d+): invoke(virtual|special|static|interface) .*// (?:Interface)?Method (.+)$")
_LINE = re.compile(r"^ +line (\d+): (\d+)$")
_GENERIC = re.compile(r"<[^<>]*>")
_AT_ONCE = 200  # class files that javap is given
_INIT, _OBJECT = "<init>", "java/lang/Object"


class Instruction(NamedTuple):
    """A call, of a method by the class that the instruction names."""

    owner: str
    name: str
    descriptor: str
    line: int


@dataclass
class Method:
    """A method of a class file."""

    name: str
    descriptor: str = ""
    calls: list[tuple[int, str]] = field(default_factory=list)
    lines: list[tuple[int, int]] = field(default_factory=list)  # line, first instruction

    def line(self, at: int) -> int:
        """The line of an instruction."""
        return max(((start, line) for line, start in self.lines if start <= at), default=(0, 0))[1]


@dataclass
class Class:
    """A class file."""

    name: str  # a/b/C$D
    file: str  # C.kt
    above: list[str]
    methods: list[Method] = field(default_factory=list)

    @property
    def package(self) -> str:
        return self.name.rpartition("/")[0].replace("/", ".")


def classes_of(folder: Path) -> Iterator[Class]:
    """The class files below a folder."""
    files = sorted(str(path) for path in folder.rglob("*.class"))
    for start in range(0, len(files), _AT_ONCE):
        words = ["javap", "-c", "-l", "-p", "-s", *files[start : start + _AT_ONCE]]
        yield from read(subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines())


def read(lines: list[str]) -> Iterator[Class]:
    """What javap prints."""
    made: Class | None = None
    file = ""
    for line in lines:
        if found := _FROM.match(line):
            file = found[1]
        elif found := _CLASS.match(line):
            if made is not None:
                yield made
            above = _plain(f"{found[2] or ''},{found[3] or ''}").split(",")
            made = Class(found[1].replace(".", "/"), file, [a.strip().replace(".", "/") for a in above if a.strip()])
            file = ""
        elif made is None:
            continue
        elif found := _METHOD.match(line):
            bare = found[1]
            made.methods.append(Method(_INIT if bare.replace(".", "/") == made.name else bare))
        elif line.startswith("  static {}"):
            made.methods.append(Method("<clinit>"))
        elif not made.methods:
            continue
        elif found := _DESCRIPTOR.match(line):
            made.methods[-1].descriptor = found[1]
        elif found := _CALL.match(line):
            made.methods[-1].calls.append((int(found[1]), found[3]))
        elif found := _LINE.match(line):
            made.methods[-1].lines.append((int(found[1]), int(found[2])))
    if made is not None:
        yield made


def _plain(types: str) -> str:
    """Without what stands between angle brackets."""
    while (shorter := _GENERIC.sub("", types)) != types:
        types = shorter
    return types


class Source(compiled.Source):
    """The definitions of Kotlin, by their package and file."""

    def __init__(self, root: Path) -> None:
        super().__init__()
        self.root, self.lengths = root, dict[str, int]()
        self.files: dict[tuple[str, str], list[str]] = defaultdict(list)  # by package and name of the file
        self.expected: dict[tuple[str, str], dict[str, Any]] = {}  # `expect`, by package and name
        self.only_expected: set[int] = set()
        self.packages: dict[str, str] = {}

    def read(self, path: str) -> None:
        text = (self.root / path).read_bytes()
        tree = Parser(Language(tree_sitter_kotlin.language())).parse(mended(text))
        found = re.search(rb"(?m)^package ([\w.`]+)", text)
        package = found[1].decode().replace("`", "") if found else ""
        self.files[package, path.rpartition("/")[2]].append(path)
        self.packages[path] = package
        self.lengths[path] = text.count(b"\n") + 1
        self.read_calls(path, text.decode(errors="replace"))
        self._walk(path, tree.root_node, "", is_expected=False)

    def _walk(self, path: str, node: Node, owner: str, *, is_expected: bool) -> None:
        for child in node.named_children:
            within, expected = owner, is_expected
            kind = _kind(child)
            if kind:
                name = child.child_by_field_name("name")
                text = name.text.decode() if name is not None and name.text else "Companion"
                if child.type == "secondary_constructor":
                    text = "constructor"
                elif child.type == "property_declaration":
                    declared = next((c for c in child.named_children if c.type == "variable_declaration"), None)
                    text = declared.named_children[0].text.decode() if declared is not None else "_"  # type: ignore[union-attr]
                whole = f"{owner}.{text.strip('`')}" if owner else text.strip("`")
                place = (name or child).start_point.row + 1
                lines = (place, child.start_point.row + 1, child.end_point.row + 1)
                entity = self.define(path, whole, lines, kind)
                expected |= any(c.type == "modifiers" and b"expect" in (c.text or b"").split() for c in child.children)
                if expected:
                    self.expected[self.packages[path], whole] = entity
                    self.only_expected.add(id(entity))  # overloads have one name
                within = whole if kind != "property" else owner
            self._walk(path, child, within, is_expected=expected)

    def find(self, class_: Class, name: str, first: int) -> dict[str, Any] | None:
        """The function or (without a name) the class that a class file holds."""
        inner = class_.name.rpartition("/")[2].removesuffix("$DefaultImpls").replace("$", ".")
        for path in self.files[class_.package, class_.file]:
            if inner.endswith(("Kt", "__" + inner.rpartition("__")[2])) and name:
                at = [e for e in self.entities[path] if e["name"] == name and e["kind"] == "function"]
                at += [e for e in self.entities[path] if e["kind"] == "function" and e["name"].endswith("." + name)]
                chosen = [e for e in at if e["start"] <= first <= e["end"]]
                chosen = chosen or [e for e in at if "." not in e["name"]]
            else:
                wanted = f"{inner}.{name}" if name else inner
                kinds = ("function",) if name else compiled.TYPES
                at = [e for e in self.entities[path] if e["kind"] in kinds and e["name"] == wanted]
                chosen = [e for e in at if e["start"] <= first <= e["end"]] or at
            real = [e for e in chosen if id(e) not in self.only_expected]
            if real:
                return real[0]
        return None

    def stands_for(self) -> list[list[dict[str, Any]]]:
        """What is `actual`, each with what was expected."""
        return [
            [{key: entity[key] for key in ("path", "name", "line")} for entity in (actual, self.expected[where])]
            for path, defined in self.entities.items()
            for actual in defined
            if (where := (self.packages[path], actual["name"])) in self.expected
            and id(actual) not in self.only_expected
        ]


def _kind(node: Node) -> str:
    if node.type == "class_declaration":
        return "interface" if any(c.type == "interface" for c in node.children) else "class"
    if node.type in ("object_declaration", "companion_object"):
        return "class"
    if node.type == "property_declaration":
        around = node.parent.type if node.parent is not None else ""
        return "property" if around in ("source_file", "class_body", "enum_class_body") else ""
    return {"function_declaration": "function", "secondary_constructor": "constructor"}.get(node.type, "")


class Reader:
    """Puts calls of class files and definitions of the source together."""

    def __init__(self, source: Source, classes: list[Class]) -> None:
        self.source, self.classes = source, {class_.name: class_ for class_ in classes}
        self._expected = {name for _, name in source.expected}

    def calls(self) -> Iterator[compiled.Called]:
        for class_ in self.classes.values():
            for method in class_.methods:
                if method.name.endswith("$default") or method.name.startswith("access$"):
                    continue
                for at, written in method.calls:
                    path = self._path(class_, line := method.line(at))
                    called = _called(written, class_.name, line)
                    if path and called.name and not self._is_delegation(class_, method, called):
                        name, target, is_known = self._meant(called)
                        if is_known:
                            yield compiled.Called(path, line, name, target)

    def _path(self, class_: Class, line: int) -> str:
        """The file of a line; a line behind its end is one of an inlined function."""
        paths = self.source.files.get((class_.package, class_.file), [])
        paths = [path for path in paths if 0 < line <= self.source.lengths[path]]
        if len(paths) > 1:  # expected and actual: the latter has the class
            real = [path for path in paths if self._holds(path, class_, line)]
            paths = real if len(real) == 1 else []
        return paths[0] if paths else ""

    def _holds(self, path: str, class_: Class, line: int) -> bool:
        outer = self.source.around(path, line)
        if not outer or any(id(e) in self.source.only_expected for e in outer):
            return False
        top = class_.name.rpartition("/")[2].partition("$")[0]
        return top.endswith("Kt") or any(e["name"] == top for e in outer)

    def _is_delegation(self, class_: Class, method: Method, called: Instruction) -> bool:
        bases = (class_.name, *class_.above[:1], _OBJECT)  # which javap does not name as a base
        return called.name == _INIT == method.name and called.owner in bases

    def _meant(self, called: Instruction) -> tuple[str, dict[str, Any] | None, bool]:
        """The name that is written, the definition, and whether that is known."""
        inner = called.owner.rpartition("/")[2]
        if called.name == _INIT:
            owner = self.classes.get(called.owner)
            name = inner.rpartition("$")[2]
            if owner is None:  # a class of elsewhere may be what an expected one is on this platform
                return name, None, not self._is_ours(called.owner) and name not in self._expected
            entity = self.source.find(owner, "", 0)
            return name, entity, entity is not None
        name = called.name.removesuffix("$default")
        name = re.sub(r"-[\w-]{7,}$|\$\w+$", "", name) if not name.startswith("access$") else name[len("access$") :]
        if called.owner not in self.classes:
            return name, None, not self._is_ours(called.owner)
        entity, is_outside = self._declared(called.owner, called, name, set())
        return name, entity, entity is not None or is_outside

    def _is_ours(self, owner: str) -> bool:
        """May a class that was not compiled stand in the repository?"""
        return owner.rpartition("/")[0].replace("/", ".") in set(self.source.packages.values())

    def _declared(
        self, owner: str, called: Instruction, name: str, seen: set[str]
    ) -> tuple[dict[str, Any] | None, bool]:
        """The definition in a class or above it; whether it comes from outside."""
        class_ = self.classes.get(owner)
        if class_ is None:
            return None, not self._is_ours(owner)
        if owner in seen:
            return None, False
        seen.add(owner)
        own = [m for m in class_.methods if m.name == called.name and m.descriptor == called.descriptor]
        if called.name.endswith("$default") or called.name.startswith("access$") or own:
            plain = called.name.removesuffix("$default").removeprefix("access$")
            bodies = [m for m in class_.methods if m.name == plain and m.lines] or [m for m in own if m.lines]
            exact = [m for m in own if m.lines and m.name == plain] or bodies
            entity = self.source.find(class_, name, exact[0].line(0) if exact else 0)
            if entity is not None:
                return entity, False
        outside = False
        for above in class_.above:
            entity, is_outside = self._declared(above, called, name, seen)
            outside |= is_outside
            if entity is not None:
                return entity, False
        return None, outside and not own

    def inherits(self) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        for class_ in self.classes.values():
            entity = self.source.find(class_, "", 0)
            for above in class_.above if entity is not None else ():
                if above in self.classes:
                    other = self.source.find(self.classes[above], "", 0)
                    if entity is not None and other is not None:
                        yield entity, other


def _called(written: str, owner: str, line: int) -> Instruction:
    """`a/B.name:(desc)`, and `name:(desc)` of the class itself."""
    whole, _, descriptor = written.partition(":")
    of, _, name = whole.rpartition(".")
    return Instruction(of.strip('"') or owner, name.strip('"'), descriptor, line)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repo", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--classes", type=Path, required=True)
    parser.add_argument("--below", action="append", required=True)
    chosen = parser.parse_args()
    root = chosen.repo.resolve()
    source = Source(root)
    for path in sorted(
        p.relative_to(root).as_posix() for folder in chosen.below for p in (root / folder).rglob("*.kt")
    ):
        source.read(path)
    classes = list(classes_of(chosen.classes))
    compiled_of = {(class_.package, class_.file) for class_ in classes}
    files = sorted(p for where, paths in source.files.items() if where in compiled_of for p in paths)
    reader = Reader(source, classes)
    named = ("kotlin", "kotlinc")
    made = compiled.document(root, chosen.repo.name, named, files, source, reader.calls(), reader.inherits())
    made["stands_for"] = source.stands_for()
    with gzip.open(chosen.out, "wt", encoding="utf-8") as out:
        json.dump(made, out)
    print(chosen.repo.name, len(made["files"]), "files,", made["stats"], file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
