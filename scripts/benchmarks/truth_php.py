"""What PHP did while tests ran, in the form that `scripts/bench graph --truth` reads.

    python scripts/benchmarks/truth_php.py REPO OUT.json.gz --below src -- /usr/bin/phpunit --bootstrap load.php tests

What follows `--` is given to `php`, with the repository as working directory and xdebug's function trace switched on.
Of it every call counts that stands in a file below `--below`: its line, the name, and the method or function that ran,
or that it was none of the repository. The truth is dynamic: calls on lines that never ran are not judged, neither found
nor missed; a line that ran may call more than was seen; what reached another file of PHP (tests, mocks, packages) is
not judged either. `new A` is the instantiation of A: seen by the constructor that ran, and where A has none by any
other call of its line. Which methods the one that ran stands in for is kept, too, so that a call of what an interface
declares counts as a call of what was there.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import traced
import tree_sitter_php
from tree_sitter import Language, Node, Parser

_ENTRY, _FIELDS = "0", 10  # kinds of records; how many fields are looked at
_TYPES = {"class_declaration", "interface_declaration", "trait_declaration", "enum_declaration"}
_FUNCTIONS = {"method_declaration", "function_definition"}
_NAMES = {"name", "qualified_name"}
_CLASSES = _NAMES | {"relative_scope"}
_CALLS = {
    "function_call_expression": "function",
    "member_call_expression": "name",
    "nullsafe_member_call_expression": "name",
    "scoped_call_expression": "name",
}
_CONSTRUCTOR, _INVOKED = "__construct", "__invoke"
_SETTINGS = {
    "xdebug.mode": "trace",
    "xdebug.start_with_request": "yes",
    "xdebug.trace_format": "1",
    "xdebug.use_compression": "0",
    "xdebug.trace_output_name": "calls.%p.%r",
    "xdebug.var_display_max_data": "1",
    "xdebug.var_display_max_depth": "0",
    "xdebug.var_display_max_children": "0",
    "memory_limit": "-1",
}
# What the runner of the tests calls in its own files is a thousand times what is looked for.
_PREPENDED = """<?php
$runner = ["/usr/share/php/PHPUnit/", "/usr/share/php/SebastianBergmann/"];
xdebug_set_filter(XDEBUG_FILTER_TRACING, XDEBUG_PATH_EXCLUDE, $runner);
"""


@dataclass
class Type:
    """A class, interface, trait or enum."""

    entity: dict[str, Any]
    name: str = ""
    above: list[str] = field(default_factory=list)  # what it extends and implements
    traits: list[str] = field(default_factory=list)
    methods: dict[str, dict[str, Any]] = field(default_factory=dict)


class Source:
    """Where the definitions of a repository stand; classes, methods and functions by names in small letters."""

    def __init__(self, root: Path) -> None:
        self.root, self.entities = root, list[dict[str, Any]]()
        self.types: dict[str, Type] = {}
        self.functions: dict[str, dict[str, Any]] = {}
        self.bodies: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self.called: dict[tuple[str, int], set[str]] = defaultdict(set)  # names of calls by line
        self.made: dict[tuple[str, int], set[str]] = defaultdict(set)  # classes behind `new` by line
        self._space, self._imported = "", dict[str, str]()

    def read(self, path: str) -> None:
        tree = Parser(Language(tree_sitter_php.language_php())).parse((self.root / path).read_bytes())
        self._space, self._imported = "", {}
        self._walk(path, tree.root_node, None)

    def _walk(self, path: str, node: Node, owner: Type | None) -> None:
        for child in node.named_children:
            within, line = owner, child.start_point.row + 1
            if child.type == "namespace_definition":
                self._space, self._imported = _text(child.child_by_field_name("name")), {}
            elif child.type == "namespace_use_declaration":
                self._imports(child)
            elif child.type in _TYPES:
                within = self._type(path, child)
            elif child.type == "anonymous_class":
                within = Type({})
            elif child.type in _FUNCTIONS:
                self._function(path, child, owner)
            elif child.type == "use_declaration" and owner is not None:
                owner.traits += [self._full(_text(name)) for name in child.named_children if name.type in _NAMES]
            elif child.type in _CALLS:
                name = child.child_by_field_name(_CALLS[child.type])
                if name is not None and name.type not in _NAMES:
                    self.called[path, line].add(_INVOKED)
                elif name is not None:
                    self.called[path, name.start_point.row + 1].add(_text(name).rpartition("\\")[2].lower())
            elif child.type == "object_creation_expression":
                name = next((made for made in child.named_children if made.type in _CLASSES), None)
                if name is not None:
                    itself = owner is not None and _text(name).lower() in ("self", "static")
                    self.made[path, line].add(owner.name if owner and itself else self._full(_text(name)))
            self._walk(path, child, within)

    def _imports(self, node: Node) -> None:
        """`use A\\B;`, `use A\\B as C;`, `use A\\{B, C as D};`; of functions and constants nothing is needed."""
        group = next((c for c in node.named_children if c.type == "namespace_use_group"), None)
        prefix = next((_text(c) + "\\" for c in node.named_children if c.type == "namespace_name"), "") if group else ""
        for clause in (group or node).named_children:
            if clause.type in ("namespace_use_clause", "namespace_use_group_clause"):
                whole, _, other = _text(clause).partition(" as ")
                whole = prefix + whole.strip().lstrip("\\")
                self._imported[(other.strip() or whole.rpartition("\\")[2]).lower()] = whole

    def _full(self, name: str) -> str:
        """A name of a class as it is known everywhere, in small letters."""
        if name.startswith("\\"):
            return name[1:].lower()
        first, _, rest = name.partition("\\")
        known = self._imported.get(first.lower())
        if known is not None:
            return (f"{known}\\{rest}" if rest else known).lower()
        return (f"{self._space}\\{name}" if self._space else name).lower()

    def _type(self, path: str, node: Node) -> Type:
        name = node.child_by_field_name("name")
        whole = (f"{self._space}\\{_text(name)}" if self._space else _text(name)).lower()
        found = Type(self._entity(path, _text(name), node, name, "class"), whole)
        for clause in node.named_children:
            if clause.type in ("base_clause", "class_interface_clause"):
                found.above += [self._full(_text(above)) for above in clause.named_children if above.type in _NAMES]
        if whole in self.types:  # one of several that a condition chooses from
            found.above += self.types[whole].above
        self.types[whole] = found
        return found

    def _function(self, path: str, node: Node, owner: Type | None) -> None:
        name = node.child_by_field_name("name")
        text = _text(name)
        whole = f"{owner.entity['name']}.{text}" if owner is not None and owner.entity else text
        entity = self._entity(path, whole, node, name, "method" if owner is not None else "function")
        self.bodies[path].append(entity)
        if owner is not None:
            owner.methods[text.lower()] = entity
        else:
            self.functions[(f"{self._space}\\{text}" if self._space else text).lower()] = entity

    def _entity(self, path: str, name: str, node: Node, named: Node | None, kind: str) -> dict[str, Any]:
        entity = {
            "path": path,
            "name": name,
            "line": (named or node).start_point.row + 1,
            "start": node.start_point.row + 1,
            "end": node.end_point.row + 1,
            "kind": kind,
        }
        self.entities.append(entity)
        return entity

    def method(self, type_: str, name: str, seen: frozenset[str] = frozenset()) -> dict[str, Any] | None:
        """The method that a class has, of its own, by a trait or from above; xdebug names the class, not the trait."""
        known = self.types.get(type_)
        if known is None or type_ in seen:
            return None
        if name in known.methods:
            return known.methods[name]
        found = (self.method(other, name, seen | {type_}) for other in (*known.traits, *known.above))
        return next((method for method in found if method is not None), None)

    def lineage(self, type_: str) -> Iterator[str]:
        """All that a class extends and implements within the repository."""
        open_, seen = [type_], {type_}
        while open_:
            known = self.types.get(open_.pop())
            for above in (*known.above, *known.traits) if known is not None else ():
                if above not in seen:
                    seen.add(above)
                    open_.append(above)
                    yield above

    def stands_for(self) -> list[list[dict[str, str]]]:
        """Methods, each with one that it overrides or implements."""
        pairs = []
        for name, type_ in self.types.items():
            methods = {**{m: e for t in type_.traits if t in self.types for m, e in self.types[t].methods.items()}}
            for method, entity in {**methods, **type_.methods}.items():
                for above in self.lineage(name):
                    declared = self.types[above].methods.get(method) if above in self.types else None
                    if declared is not None:
                        pairs.append([{k: e[k] for k in ("path", "name", "line")} for e in (entity, declared)])
        return pairs


def _text(node: Node | None) -> str:
    return node.text.decode() if node is not None and node.text is not None else ""


def document(root: Path, repo: str, files: list[str], calls: set[tuple[str, int, str, bool]]) -> dict[str, Any]:
    """The truth that calls make, each the file, the line, the name of what ran, and whether that is PHP."""
    source = Source(root)
    for path in files:
        source.read(path)
    sites: dict[tuple[str, int, str], dict[str, Any]] = {}

    def state(path: str, line: int, name: str, target: dict[str, Any] | None, *, is_open: bool = False) -> None:
        outer = traced.around(source.bodies[path], line)
        site = sites.setdefault((path, line, name.lower()), traced.site(path, line, name, outer))
        site["open"] |= is_open
        if target is not None and target not in site["targets"]:
            site["targets"].append(target)

    constructed: set[tuple[str, int, str]] = set()  # where a constructor ran, and of which class
    for path, line, name, is_php in sorted(calls):
        type_, _, bare = name.replace("->", "::").rpartition("::")
        bare, written = bare.rpartition("\\")[2], source.called[path, line]
        if bare == _CONSTRUCTOR:
            constructed.add((path, line, type_.lower()))
        if bare.lower() not in written:
            continue  # by `new`, `call_user_func`, a value, an operator: nothing that stands there
        if type_:
            target = source.method(type_.lower(), bare.lower())
        else:
            target = source.functions.get(name.lower())
        state(path, line, bare, target, is_open=is_php and target is None)
    ran: dict[str, set[int]] = defaultdict(set)
    for path, line, *_ in calls:
        ran[path].add(line)
    for (path, line), types in source.made.items():
        for type_ in types if line in ran[path] else ():
            _made(source, state, path, line, type_, constructed)
    traced.settle(list(sites.values()))
    made = traced.truth(root, repo, ("php", "xdebug"), files, source.entities, list(sites.values()), ran)
    return {**made, "stands_for": source.stands_for()}


def _made(source: Source, state: Any, path: str, line: int, type_: str, constructed: set[tuple[str, int, str]]) -> None:
    """State `new A` of a line that ran, where A itself was made for sure."""
    known = source.types.get(type_)
    if known is None:
        return
    lineage = [type_, *source.lineage(type_)]
    inner = source.method(type_, _CONSTRUCTOR)
    outer = any(above not in source.types for above in lineage)  # may have a constructor of elsewhere
    elsewhere = (
        any(where == [path, line] and ran not in source.types for *where, ran in constructed) if outer else False
    )
    own = any((path, line, above) in constructed for above in lineage)
    if own or (inner is None and (elsewhere or not outer)):
        state(path, line, known.entity["name"], known.entity)


def calls_of(root: Path, files: set[str], words: list[str]) -> set[tuple[str, int, str, bool]]:
    """Run PHP and read what its trace says of these files."""
    calls: set[tuple[str, int, str, bool]] = set()
    with tempfile.TemporaryDirectory() as scratch:
        prepended = Path(scratch, "filter.php")
        prepended.write_text(_PREPENDED, encoding="utf-8")
        settings = {**_SETTINGS, "xdebug.output_dir": scratch, "auto_prepend_file": str(prepended)}
        options = [word for name, value in settings.items() for word in ("-d", f"{name}={value}")]
        ran = subprocess.run(["php", *options, *words], cwd=root, capture_output=True, text=True, errors="replace")
        print(f"exit {ran.returncode}: {ran.stdout.strip()[-300:]}", file=sys.stderr)
        prefix = f"{root}{os.sep}"
        for trace in Path(scratch).glob("*.xt"):
            with trace.open(encoding="utf-8", errors="replace") as lines:
                for line in lines:
                    row = line.split("\t", _FIELDS)
                    if len(row) <= _FIELDS or row[2] != _ENTRY or not row[8].startswith(prefix):
                        continue
                    path = row[8].removeprefix(prefix).replace(os.sep, "/")
                    if path in files and not row[7] and "{" not in row[5]:  # no includes, no closures
                        calls.add((path, int(row[9]), row[5], row[6] == "1"))
    return calls


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repo", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--below", action="append", default=[])
    parser.add_argument("php", nargs="+", help="after --: what php is to run")
    chosen = parser.parse_args()
    root = chosen.repo.resolve()
    below = chosen.below or ["src"]
    files = sorted(p.relative_to(root).as_posix() for folder in below for p in (root / folder).rglob("*.php"))
    made = document(root, chosen.repo.name, files, calls_of(root, set(files), chosen.php))
    with gzip.open(chosen.out, "wt", encoding="utf-8") as out:
        json.dump(made, out)
    print(chosen.repo.name, len(made["files"]), "files,", made["stats"], file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
