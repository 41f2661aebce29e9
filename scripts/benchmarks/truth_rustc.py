"""What rustc says about the calls of a Rust crate, in the form that `scripts/bench graph --truth` reads.

    python scripts/benchmarks/truth_rustc.py REPO OUT.json.gz --crate DIR [--crate DIR ...] [--cfg DIR:FEATURE ...]

Each `--crate` is a folder with a `Cargo.toml` and `src/lib.rs`; they are compiled in the order given, and later ones
may use earlier ones. Nothing is fetched, so that crates need what stands here and no more. `--cfg` switches a feature
on. rustc prints its typed trees (`-Zunpretty=thir-tree`), in which every call names the very definition that it means;
where definitions stand is read with the grammar. A call of a trait's method on a type of the repository means the
`impl` for that type where there is one; on a type parameter or `dyn`, the trait's own. What a macro's text calls, what
operators, `?` and loops call, and calls in code that a feature leaves out are not judged.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import tree_sitter_rust
from tree_sitter import Language, Node, Parser

_BODY = re.compile(r"^DefId\(\d+:\d+ ~ (?P<name>.+)\):$")
_SPAN = re.compile(r"^\s*(?:fn_)?span: (?P<path>.+?):(?P<line>\d+):(?P<column>\d+): \d+:\d+ \(#(?P<context>\d+)\)$")
_CALLED = re.compile(r"^\s*ty: FnDef\(DefId\(\d+:\d+ ~ (?P<name>.+?)\)(?:, \[(?P<given>.*)\])?\)$")
_ADT = re.compile(r"^\s*did: DefId\(\d+:\d+ ~ (?P<name>.+)\)$")
_HASH = re.compile(r"\[[0-9a-f]+\]")
_FUNCTIONS = {"function_item", "function_signature_item"}
_TYPES = {"struct_item": "struct", "enum_item": "class", "trait_item": "interface", "union_item": "struct"}
_VALUES = {"const_item", "static_item"}
_NOT_A_NAME = re.compile(r"^(?:[&*(\[\s]|'\{?\w+\}?\s|(?:dyn|mut|impl|const)\s)+")
_PARAMETER = re.compile(r"^(?:[&*\s]|'\{?\w+\}?\s|mut\s)*\w+/#\d+$")
_GIVEN = re.compile(r"\b([A-Za-z_]\w*)\s*[({]")
_UNJUDGED = {"status": "unknown", "targets": []}
_MODULE = {"name": "<module>", "line": 1, "start": 0}


class Place(NamedTuple):
    """A definition of the source."""

    entity: dict[str, Any]
    name: str
    trait: str  # of the `impl` around, or the trait that it stands in
    type_: str  # of the `impl` around


class Source:
    """Where the definitions of a repository stand."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.entities: list[dict[str, Any]] = []
        self.bodies: dict[tuple[str, int, int], Place] = {}  # by where the body begins
        self.methods: dict[tuple[str, str], list[Place]] = defaultdict(list)  # trait and method → the trait's own
        self.implemented: dict[tuple[str, str], list[Place]] = defaultdict(list)  # trait and method → in `impl`s
        self.types: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self.macros: dict[str, set[int]] = defaultdict(set)  # lines of macros' own text
        self.inherits: list[dict[str, Any]] = []
        self.given: dict[tuple[str, int], set[str]] = defaultdict(set)  # macros and what they are given, by line
        self.conditional: list[tuple[str, range]] = []  # what a `cfg` may leave out

    def read(self, path: str) -> None:
        parser = Parser(Language(tree_sitter_rust.language()))
        tree = parser.parse((self.root / path).read_bytes())
        self._walk(path, tree.root_node, [])

    def _walk(self, path: str, node: Node, owners: list[str], trait: str = "", type_: str = "") -> None:
        for child in node.named_children:
            kind = child.type
            if kind == "impl_item":
                named = _text(child.child_by_field_name("trait"))
                implementing = _bare(_text(child.child_by_field_name("type")))
                self._walk(path, child, [implementing], _bare(named), implementing)
            elif kind in _FUNCTIONS or kind in _VALUES:
                self._value(path, child, owners, trait, type_)
                self._walk(path, child, [])
            elif kind in _TYPES:
                name = _text(child.child_by_field_name("name"))
                entity = self._entity(path, child, name, _TYPES[kind])
                self.types[name].append(entity)
                self._walk(path, child, [name], name if kind == "trait_item" else "")
            elif kind == "macro_definition":
                self.macros[path].update(range(child.start_point.row + 1, child.end_point.row + 2))
                self._entity(path, child, _text(child.child_by_field_name("name")), "macro")
            else:
                if kind == "macro_invocation":
                    self._invocation(path, child)
                elif kind == "attribute_item" and _text(child).startswith("#[cfg(") and child.next_named_sibling:
                    chosen = child.next_named_sibling
                    self.conditional.append((path, range(chosen.start_point.row + 1, chosen.end_point.row + 2)))
                self._walk(path, child, owners, trait, type_)

    def _invocation(self, path: str, node: Node) -> None:
        """A macro's use: neither the macro nor calls in its arguments, which it may leave out, need be calls."""
        names = {_text(node.child_by_field_name("macro")).rpartition("::")[2], *_GIVEN.findall(_text(node))}
        for line in range(node.start_point.row + 1, node.end_point.row + 2):
            self.given[path, line] |= names

    def _value(self, path: str, node: Node, owners: list[str], trait: str, type_: str) -> None:
        name = _text(node.child_by_field_name("name"))
        entity = self._entity(path, node, ".".join([*owners, name]), "method" if owners else "function")
        place = Place(entity, name, trait, type_)
        body = node.child_by_field_name("body") or node.child_by_field_name("value")
        if body is not None:
            self.bodies[path, body.start_point.row + 1, body.start_point.column + 1] = place
        if trait:
            (self.implemented if type_ else self.methods)[trait, name].append(place)

    def _entity(self, path: str, node: Node, name: str, kind: str) -> dict[str, Any]:
        named = node.child_by_field_name("name")
        start, line = node.start_point.row + 1, (named or node).start_point.row + 1
        entity = {"path": path, "name": name, "line": line, "start": start, "end": node.end_point.row + 1, "kind": kind}
        if kind == "interface":
            entity["protocol"] = True
        self.entities.append(entity)
        return entity


def _text(node: Node | None) -> str:
    return node.text.decode() if node is not None and node.text is not None else ""


def _bare(type_: str) -> str:
    """`&'a mut fmt::Formatter<'_>` → Formatter."""
    return _NOT_A_NAME.sub("", type_).partition("<")[0].rpartition("::")[2].strip()


class Body(NamedTuple):
    """What rustc printed of one body."""

    name: str
    place: tuple[str, int, int]  # where it begins
    calls: list[tuple[str, str, str, int, int]]  # called, given, path, line, context
    made: list[tuple[str, str, int, int]]  # type, path, line, context


def bodies(lines: Iterable[str]) -> Iterator[Body]:
    """The bodies of a printed crate: what they call and make, with the place of each."""
    current: Body | None = None
    span: tuple[str, int, int, int] | None = None
    called: re.Match[str] | None = None
    of_source, spans = False, list[tuple[int, tuple[str, int, int, int]]]()
    in_body = False
    for line in lines:
        if heading := _BODY.match(line):
            if current is not None:
                yield current
            current, in_body, spans = Body(_plain(heading["name"]), ("", 0, 0), [], []), False, []
            continue
        if current is None:
            continue
        if line.startswith("body:"):
            in_body = True
            continue
        text = line.lstrip()
        indent = len(line) - len(text)
        if text.startswith(("span: ", "fn_span: ")):
            found = _SPAN.match(line)
            if found is None:
                continue
            span = (found["path"], int(found["line"]), int(found["column"]), int(found["context"]))
            if text.startswith("fn_span: ") and called is not None:
                if of_source:
                    current.calls.append((_plain(called["name"]), called["given"] or "", span[0], span[1], span[3]))
                called = None
                continue
            if in_body and not current.place[1]:
                current = current._replace(place=span[:3])
            while spans and spans[-1][0] >= indent:
                spans.pop()
            spans.append((indent, span))
        elif text.startswith("ty: FnDef("):
            called = _CALLED.match(line)
        elif text.startswith("from_hir_call: "):
            of_source = text.startswith("from_hir_call: true")
        elif text.startswith("did: DefId(") and (adt := _ADT.match(line)):
            around = [kept for level, kept in spans if level < indent]
            if around:
                current.made.append((_plain(adt["name"]), around[-1][0], around[-1][1], around[-1][3]))
    if current is not None:
        yield current


def _plain(name: str) -> str:
    return _HASH.sub("", name)


class Truth:
    """Everything that the crates of a repository say."""

    def __init__(self, root: Path) -> None:
        self.root, self.source = root, Source(root)
        self.files: set[str] = set()
        self.placed: dict[str, Place] = {}  # rustc's name → where it stands
        self.read: list[Body] = []
        self.crates: set[str] = set()

    def add(self, crate: str, printed: Path) -> None:
        self.crates.add(crate)
        with printed.open(encoding="utf-8") as lines:
            found = list(bodies(lines))
        for path in sorted({self.relative(body.place[0]) for body in found} - {""}):
            if path not in self.files:
                self.files.add(path)
                self.source.read(path)
        for body in found:
            place = self.source.bodies.get((self.relative(body.place[0]), *body.place[1:]))
            if place is not None and "{closure#" not in body.name:
                self.placed[body.name] = place
        self.read += found

    def relative(self, path: str) -> str:
        real = os.path.realpath(path)
        return os.path.relpath(real, self.root) if real.startswith(f"{self.root}{os.sep}") else ""

    def sites(self) -> Iterator[dict[str, Any]]:
        for body in self.read:
            caller = self.placed.get(_owner(body.name))
            if caller is None:
                continue  # made by a derive, or by a macro
            path, inside = caller.entity["path"], range(caller.entity["start"], caller.entity["end"] + 1)
            around = {"caller": caller.entity, "enclosing": [{"path": path, **_MODULE}], "soft": []}
            for called, given, file, line, context in body.calls:
                where = self.relative(file)
                if where != path or line not in inside:
                    continue  # of a macro's text
                name = _last(called)
                site = {"path": path, "line": line, "name": name, "form": "call", **around}
                status, targets = self._target(called, given)
                if context and status != "internal":
                    status = "unknown"
                yield site | {"status": status, "targets": targets}
            for line in inside if body.name == _owner(body.name) else ():
                for name in self.source.given.get((path, line), ()):
                    yield {"path": path, "form": "given", "line": line, "name": name, **around} | _UNJUDGED
            for made, file, line, context in body.made:
                if self.relative(file) == path and line in inside and not context:
                    yield {"path": path, "form": "new", "line": line, **around} | self._made(made)

    def _made(self, type_: str) -> dict[str, Any]:
        name = _last(type_)
        found = self.source.types.get(name, []) if type_.partition("::")[0] in self.crates else []
        if type_.partition("::")[0] not in self.crates:
            return {"name": name, "status": "external", "targets": []}
        plain = len(found) == 1 and found[0]["kind"] == "struct"  # of an enum's variants nothing is said
        return {"name": name, "status": "internal" if plain else "unknown", "targets": found if plain else []}

    def _target(self, called: str, given: str) -> tuple[str, list[dict[str, Any]]]:
        if called.partition("::")[0] not in self.crates:
            return self._of_foreign_trait(called, given)
        if called.endswith("::{constructor#0}") or "{constructor#" in called:
            made = self._made(called.rpartition("::")[0])
            return str(made["status"]), made["targets"]
        own = self.placed.get(called)
        trait, name = called.split("::")[-2:] if "::" in called else ("", called)
        if "{impl#" in trait or (own is not None and not (own.trait and not own.type_)):
            return ("internal", [own.entity]) if own is not None else ("unknown", [])
        if not self.source.methods.get((trait, name)):
            return "unknown", []  # a macro's
        own = own or self._alone(self.source.methods[trait, name])
        return self._of_trait(trait, name, given, own)

    def _of_trait(self, trait: str, name: str, given: str, own: Place | None) -> tuple[str, list[dict[str, Any]]]:
        """A method of a trait of the repository: the `impl` for the type, or the trait's own."""
        type_ = _self_type(given)
        if "dyn " in type_ or _PARAMETER.match(type_):
            return ("internal", [own.entity]) if own is not None else ("unknown", [])
        implementing = [p for p in self.source.implemented[trait, name] if p.type_ == _bare(type_)]
        if len(implementing) == 1:
            return "internal", [implementing[0].entity]
        if implementing or not type_ or own is None:
            return "unknown", []
        return "internal" if _bare(type_) in self.source.types else "unknown", [own.entity]

    def _of_foreign_trait(self, called: str, given: str) -> tuple[str, list[dict[str, Any]]]:
        """`<T as Iterator>::next` of a type of the repository is the method of its `impl`."""
        parts = called.split("::")
        if len(parts) < 2:
            return "external", []
        type_ = _bare(_self_type(given))
        found = [p for p in self.source.implemented.get((parts[-2], parts[-1]), ()) if p.type_ == type_]
        if not found or type_ not in self.source.types:
            return "external", []
        return ("internal", [found[0].entity]) if len(found) == 1 else ("unknown", [])

    @staticmethod
    def _alone(places: list[Place]) -> Place | None:
        return places[0] if len(places) == 1 else None

    def document(self, repo: str) -> dict[str, Any]:
        sites = list(self.sites())
        judged = {(s["path"], s["caller"]["line"], s["name"]) for s in sites if s["form"] == "call"}
        sites = [
            s for s in sites if s["form"] != "given" or (s["path"], s["caller"]["line"], s["name"]) not in judged
        ]  # what a call says of a name counts for all of its function
        for site in sites:
            if site["status"] != "internal":
                site["targets"] = []
        lines: dict[str, set[int]] = defaultdict(set)
        for body in self.read:
            place = self.placed.get(_owner(body.name))
            if place is not None:
                lines[place.entity["path"]].update(range(place.entity["start"], place.entity["end"] + 1))
        met = {(site["path"], site["line"]) for site in sites if site["form"] != "given"}
        for path, left_out in self.source.conditional:
            if not any((path, line) in met for line in left_out):
                lines[path].difference_update(left_out)
        unseen = {}
        for path in self.files:
            count = (self.root / path).read_bytes().count(b"\n") + 2
            unseen[path] = sorted(set(range(1, count)) - (lines[path] - self.source.macros[path]))
        return {
            "repo": repo,
            "language": "rust",
            "resolver": "rustc",
            "root": "",
            "files": sorted(self.files),
            "entities": self.source.entities,
            "sites": sites,
            "inherits": [],
            "imports": [],
            "refs": [],
            "calls": [],
            "unseen": unseen,
            "stats": {"by_status": dict(Counter(s["status"] for s in sites)), "call_sites": len(sites)},
        }


def _owner(body: str) -> str:
    """The function that a closure stands in."""
    return body.partition("::{closure#")[0]


def _last(name: str) -> str:
    return next((part for part in reversed(name.split("::")) if "{" not in part), name)


def _self_type(given: str) -> str:
    """The first type of a list of arguments: `Foo<A, B>, u8` → `Foo<A, B>`."""
    depth, start = 0, 0
    for at, sign in enumerate(given):
        depth += sign in "<([{"
        depth -= sign in ">)]}" and given[at - 1 : at + 1] != "->"
        if sign == "," and not depth:
            part = given[start:at].strip()
            if not part.startswith("'"):
                return part
            start = at + 1
    return given[start:].strip()


def compiled(folder: Path, features: list[str], scratch: Path) -> tuple[str, Path]:
    """A crate's name and what rustc prints of it; its library is kept for the crates that use it."""
    manifest = tomllib.loads((folder / "Cargo.toml").read_text(encoding="utf-8"))
    crate = manifest["package"]["name"].replace("-", "_")
    edition = manifest["package"].get("edition", "2015")
    edition = edition if isinstance(edition, str) else "2021"  # of the workspace
    library = folder / manifest.get("lib", {}).get("path", "src/lib.rs")
    words = ["rustc", "--crate-type", "lib", "--crate-name", crate, "--edition", edition, "--cap-lints", "allow"]
    words += [f'--cfg=feature="{feature}"' for feature in features]
    words += ["-L", str(scratch), str(library)]
    for rlib in scratch.glob("*.rlib"):
        words += ["--extern", f"{rlib.stem.removeprefix('lib')}={rlib}"]
    environment = {**os.environ, "RUSTC_BOOTSTRAP": "1"}
    for key in ("NAME", "VERSION", "VERSION_MAJOR", "VERSION_MINOR", "VERSION_PATCH"):
        environment[f"CARGO_PKG_{key}"] = crate if key == "NAME" else "0"
    subprocess.run([*words, "--out-dir", str(scratch)], check=True, env=environment)
    printed = scratch / f"{crate}.thir"
    with printed.open("wb") as out:
        options = ["-Zunpretty=thir-tree", "-Ztrim-diagnostic-paths=no"]
        subprocess.run([*words, *options], check=True, env=environment, stdout=out)
    return crate, printed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repo", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--crate", action="append", default=[])
    parser.add_argument("--cfg", action="append", default=[], help="DIR:FEATURE")
    chosen = parser.parse_args()
    root = chosen.repo.resolve()
    truth = Truth(root)
    with tempfile.TemporaryDirectory() as scratch:
        for folder in chosen.crate:
            features = [cfg.partition(":")[2] for cfg in chosen.cfg if cfg.partition(":")[0] == folder]
            truth.add(*compiled(root / folder, features, Path(scratch)))
    document = truth.document(chosen.repo.name)
    with gzip.open(chosen.out, "wt", encoding="utf-8") as out:
        json.dump(document, out)
    print(chosen.repo.name, len(document["files"]), "files,", document["stats"], file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
