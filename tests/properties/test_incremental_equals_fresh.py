"""The most important test of the project: after any sequence of edits the incremental index equals a fresh one."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from sightline.config import Config
from sightline.embed import Embedder
from sightline.indexer.pipeline import Indexer
from sightline.indexer.service import open_writer
from sightline.store import open_snapshot
from tests.support.index_content import content_of, fresh_content

NAMES = ("alpha", "beta", "gamma", "delta")
PATHS = (
    "a.py",
    "b.py",
    "pkg/__init__.py",
    "pkg/c.py",
    "pkg/sub/d.py",
    "web/e.ts",
    "web/f.ts",
    "cmd/g.go",
    "lib/h.c",
    "lib/i.c",
    "README.md",
    ".gitignore",
)

PIECES = {
    "py": (
        "from b import {0}\n",
        "from pkg.c import {0} as {1}\n",
        "import a\n",
        "from .c import *\n",
        "def {0}():\n    return {1}()\n",
        "class {0}:\n    def {1}(self):\n        return self.{2}()\n    def {2}(self):\n        return {0}().{1}()\n",
        "class {0}({1}):\n    pass\n",
        "x = {0}()\nx.{1}()\n",
        "class {0}[T]:\n    def {1}(self) -> T: ...\n",
        "class {0}({1}[{2}]):\n    def {3}(self):\n        return self.{1}().{3}()\n",
        "bus.on('{0}', {1})\nKEPT = {{'{2}': {3}, 'x': {0}}}\n",
        "class {0}:\n    def {1}(self):\n        self.bus.on('{2}', self.{3})\n    def {3}(self): pass\n",
        "@bus.on('{1}')\ndef {0}(): pass\n",
        "def broken(:\n",
    ),
    "ts": (
        "import {{ {0} }} from './f'\n",
        "export * from './e'\n",
        "export class {0} extends {1} {{ {2}() {{ this.{2}(); {0}() }} }}\n",
        "export function {0}(x: {1}) {{ return {2}() }}\n",
        "export const {0} = () => {1}()\n",
        "export class {0}<T> {{ {1}(): T {{ return null! }} }}\n",
        "export class {0} extends {1}<{2}> {{ {3}() {{ this.{1}().{3}() }} }}\n",
        "export function {0}(f: (x: {1}) => void) {{}}\n{2}(x => x.{3}())\n",
        "export function {0}() {{ return {{ {1}() {{ {2}().{3}() }} }} }}\n",
        "export const {0} = {{ ...{1} }}\n{2}.{3}()\n",
        "bus.on('{0}', {1})\nset({{ {2}, x: {3} }})\n",
    ),
    "go": (
        "package main\n",
        "func {0}() {{ {1}() }}\n",
        "type {0} struct {{}}\nfunc (x *{0}) {1}() {{ x.{2}() }}\n",
        "type {0}[T any] struct {{ {1} T }}\nfunc (x *{0}[T]) {2}() T {{ return x.{1} }}\n",
        "func {0}(x *{1}[{2}]) {{ x.{3}().{0}() }}\n",
    ),
    "c": (
        "struct {0} {{ int (*{1})(int); }};\n",
        "static int {0}(int x) {{ return {1}(x); }}\n",
        "int {0}(int x) {{ return x; }}\n",
        "struct {0} {2} = {{ .{1} = {3} }};\n",
        "int {0}(struct {1} *x) {{ return x->{2}(1); }}\n",
        "void {0}(struct {1} *x) {{ x->{2} = {3}; add({2}); }}\n",
    ),
    "md": ("# {0}\n\nSee {1}.\n",),
    "gitignore": ("", "web/\n", "*.go\n", "pkg/sub\n"),
}


@st.composite
def contents(draw: st.DrawFn, path: str) -> str:
    pieces = PIECES[path.rpartition(".")[2]]
    chosen = draw(st.lists(st.sampled_from(pieces), max_size=4))
    return "".join(piece.format(*draw(st.permutations(NAMES))) for piece in chosen)


@st.composite
def operations(draw: st.DrawFn) -> tuple[str, ...]:
    path = draw(st.sampled_from(PATHS))
    kind = draw(st.sampled_from(("write", "write", "write", "delete", "rename", "touch")))
    if kind == "write":
        return "write", path, draw(contents(path))
    if kind == "rename":
        return "rename", path, draw(st.sampled_from(PATHS))
    return kind, path


def apply(root: Path, operation: tuple[str, ...]) -> set[str]:
    """Carry an operation out; return the paths a watcher would report."""
    kind, path, *rest = operation
    target = root / path
    if kind == "write":
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(rest[0])
    elif kind == "delete":
        target.unlink(missing_ok=True)
    elif kind == "touch" and target.exists():
        target.touch()
    elif kind == "rename" and target.exists():
        other = root / rest[0]
        other.parent.mkdir(parents=True, exist_ok=True)
        target.replace(other)
        return {path, rest[0]}
    return {path}


Step = tuple[bool, bool, list[tuple[str, ...]]]


def check_sequence(steps: list[Step], embedder: Embedder) -> None:
    """Run batches of operations; each batch is indexed by its paths or by comparing the whole root, by an indexer that
    knows the graph or has just been started."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder).resolve()
        root = home / "root"
        root.mkdir()
        config = Config(root, home / "incremental")
        with open_writer(config, embedder) as writer:
            indexer = Indexer(config, writer, embedder)
            indexer.update()
            for whole, restarted, batch in steps:
                if restarted:
                    indexer = Indexer(config, writer, embedder)
                reported: set[str] = set()
                for operation in batch:
                    reported |= apply(root, operation)
                everything = whole or ".gitignore" in reported
                indexer.update(None if everything else reported)
        assert content_of(open_snapshot(config.index_dir)) == fresh_content(root, home / "fresh", embedder)


STEPS = st.tuples(st.booleans(), st.booleans(), st.lists(operations(), min_size=1, max_size=4))
SEQUENCES = st.lists(STEPS, min_size=1, max_size=5)
QUIET = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large]


# Shrinking would index hundreds of roots; the slow run below shrinks.
@settings(
    max_examples=25, deadline=None, suppress_health_check=QUIET, phases=(Phase.explicit, Phase.reuse, Phase.generate)
)
@given(steps=SEQUENCES)
def test_after_any_edits_the_index_equals_a_fresh_one(steps: list[Any], embedder: Embedder) -> None:
    check_sequence(steps, embedder)


@pytest.mark.slow
@pytest.mark.timeout(7_200)
@settings(max_examples=1_000, deadline=None, suppress_health_check=QUIET)
@given(steps=SEQUENCES)
def test_after_hundreds_of_edit_sequences_the_index_equals_a_fresh_one(steps: list[Any], embedder: Embedder) -> None:
    check_sequence(steps, embedder)
