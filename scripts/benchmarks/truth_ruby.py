"""What Ruby did while tests ran, in the form that `scripts/bench graph --truth` reads.

    python scripts/benchmarks/truth_ruby.py REPO OUT.json.gz --below lib -- -Ilib -Itest test/test_a.rb test/test_b.rb

What follows `--` is given to `ruby`, with the repository as working directory, once per file that ends in `.rb`. A
TracePoint writes down every call that stands in a file below `--below`: its line, the name, and the method that ran, or
that it was none of the repository. The truth is dynamic: calls on lines that never ran are not judged, neither found
nor missed; a line that ran may call more than was seen. `Class.new` is the instantiation of its class.
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
from pathlib import Path
from typing import Any

import traced
import tree_sitter_ruby
from tree_sitter import Language, Node, Parser

_TRACER = """
seen = {}
root, out, belows = ENV.fetch("TRUTH_ROOT") + "/", ENV.fetch("TRUTH_OUT"), ENV.fetch("TRUTH_BELOW").split(":")
inside = {}
inner = ->(path) { inside.fetch(path) { inside[path] = belows.any? { |b| path.start_with?(root + b + "/") } } }
TracePoint.new(:call, :c_call) do |point|
  if point.event == :c_call
    path = point.path
    made = point.method_id == :new && Class === point.self ? point.self.name : nil
    seen[[path, point.lineno, point.method_id, nil, 0, made]] = 1 if path && inner.(path)
  else
    at = caller_locations(2, 1)&.first
    path = at && at.absolute_path
    if path && inner.(path)
      target = inner.(point.path) ? point.path : nil
      seen[[path, at.lineno, point.method_id, target, target ? point.lineno : 0]] = 1
    end
  end
end.enable
at_exit do
  at_exit { File.open(out, "a") { |file| seen.each_key { |key| file.puts(key.join("\\t")) } } }
end
"""
_TYPES = {"class", "module"}
_METHODS = {"method", "singleton_method"}


class Source:
    """Where the definitions of a repository stand."""

    def __init__(self, root: Path) -> None:
        self.root, self.entities = root, list[dict[str, Any]]()
        self.methods: dict[tuple[str, int], dict[str, Any]] = {}
        self.types: dict[str, dict[str, Any]] = {}  # where each is opened first
        self.bodies: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self.called: dict[tuple[str, int], set[str]] = defaultdict(set)  # names of calls by line

    def read(self, path: str) -> None:
        tree = Parser(Language(tree_sitter_ruby.language())).parse((self.root / path).read_bytes())
        self._walk(path, tree.root_node, [])

    def _walk(self, path: str, node: Node, owners: list[str]) -> None:
        for child in node.named_children:
            within = owners
            if child.type in _TYPES | _METHODS:
                name = _text(child.child_by_field_name("name"))
                within = [*owners, *name.split("::")] if child.type in _TYPES else owners
                qualified = ".".join(within if child.type in _TYPES else [*owners, name])
                entity = {
                    "path": path,
                    "name": qualified,
                    "line": child.start_point.row + 1,
                    "start": child.start_point.row + 1,
                    "end": child.end_point.row + 1,
                    "kind": "class" if child.type in _TYPES else "method",
                }
                self.entities.append(entity)
                if child.type in _TYPES:
                    self.types.setdefault(qualified, entity)
                else:
                    self.methods[path, entity["line"]] = entity
                    self.bodies[path].append(entity)
            elif child.type == "call":
                method = child.child_by_field_name("method")
                if method is not None:
                    self.called[path, method.start_point.row + 1].add(_text(method))
            elif child.type == "identifier":
                self.called[path, child.start_point.row + 1].add(_text(child))
            self._walk(path, child, within)


def _text(node: Node | None) -> str:
    return node.text.decode() if node is not None and node.text is not None else ""


def document(root: Path, repo: str, belows: list[str], lines: set[str]) -> dict[str, Any]:
    """The truth that the lines of the tracer make."""
    source = Source(root)
    files = sorted(str(p.relative_to(root)) for below in belows for p in (root / below).rglob("*.rb"))
    for path in files:
        source.read(path)
    sites: dict[tuple[str, int, str], dict[str, Any]] = {}
    for line in sorted(lines):
        where, number, name, target_path, target_line, *made = line.split("\t")
        path = os.path.relpath(where, root)
        written = source.called[path, int(number)]
        target = source.methods.get((os.path.relpath(target_path, root), int(target_line))) if target_path else None
        if name == "new" and made and made[0]:
            target = source.types.get(made[0].replace("::", "."))
        if name not in written or name == "initialize" or path not in files:
            continue  # by `send`, an operator, a block given by name: nothing that stands there
        key = (path, int(number), target["name"] if name == "new" and target is not None else name)
        outer = traced.around(source.bodies[path], int(number))
        site = sites.setdefault(key, traced.site(path, int(number), name, outer))
        if target is not None and target not in site["targets"]:
            site["targets"].append(target)
        elif target_path and target is None:
            site["open"] = True  # defined by `define_method`, `attr_reader` or text
    traced.settle(list(sites.values()))
    for site in sites.values():  # by what is made: several classes may be made on one line
        if site["name"] == "new" and site["targets"]:
            site["name"] = site["targets"][0]["name"].rpartition(".")[2]
    ran: dict[str, set[int]] = defaultdict(set)
    for path, number, _ in sites:
        ran[path].add(number)
    return traced.truth(root, repo, ("ruby", "TracePoint"), files, source.entities, list(sites.values()), ran)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repo", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--below", action="append", default=[])
    parser.add_argument("ruby", nargs="+", help="after --: options, and the files to run")
    chosen = parser.parse_args()
    root, belows = chosen.repo.resolve(), chosen.below or ["lib"]
    options = [word for word in chosen.ruby if not word.endswith(".rb")]
    lines: set[str] = set()
    with tempfile.TemporaryDirectory() as scratch:
        tracer, written = Path(scratch, "tracer.rb"), Path(scratch, "calls.tsv")
        tracer.write_text(_TRACER, encoding="utf-8")
        environment = {**os.environ, "TRUTH_ROOT": str(root), "TRUTH_OUT": str(written)}
        environment["TRUTH_BELOW"] = ":".join(belows)
        for file in (word for word in chosen.ruby if word.endswith(".rb")):
            ran = subprocess.run(
                ["ruby", "-r", str(tracer), *options, file], cwd=root, env=environment, capture_output=True, text=True
            )
            print(f"{file}: exit {ran.returncode}, {ran.stdout.strip()[-120:]!r}", file=sys.stderr)
        lines.update(written.read_text(encoding="utf-8").splitlines() if written.exists() else ())
    made = document(root, chosen.repo.name, belows, lines)
    with gzip.open(chosen.out, "wt", encoding="utf-8") as out:
        json.dump(made, out)
    print(chosen.repo.name, len(made["files"]), "files,", made["stats"], file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
