"""After any sequence of edits, renames and deletions the resolver states what a fresh one would."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from sightline import languages
from sightline.graph.build.extract import extract
from sightline.graph.build.resolve import Resolver
from sightline.types import Relationship

_PYTHON_LINES = (
    "from {m} import {n}",
    "from {m} import {n} as {k}",
    "from {m} import *",
    "import {m}",
    "def {n}():\n    return {k}()",
    "def {n}(x: {k}):\n    x.{m}()\n    return x",
    "def {n}():\n    y = {m}.{k}\n    return y",
    "class {n}({k}):\n    def {m}(self):\n        self.{k}()\n        return self.field\n"
    "    def {k}(self): self.field = {n}()",
    "class {n}:\n    {m} = {k}\n    def {k}(self) -> '{n}': ...",
    "{n} = {k}()",
    "{n} = {k}.{m}",
    "{n}().{k}().{m}()",
    "@{k}\ndef {n}(): {m}()",
    "@{k}.on('{m}')\ndef {n}(): bus.on('{m}', {k})",
    "class {n}({k}):\n    def {m}(self):\n        self.bus.on('x', self.{k}, {m})",
    "{n} = {{'{k}': {m}, '{m}': [{k}]}}",
    "class {n}[{k}]({m}[{k}]):\n    {m}: {k}\n    def {n}(self) -> {k}:\n        return self.{m}.{n}()",
    "{n} = TypeVar('{n}', bound='{k}')",
    "def {n}(x: {k}[{m}]):\n    return x.{m}().{k}()",
)
_TYPESCRIPT_LINES = (
    "import {{ {n} }} from './{m}';",
    "import * as {k} from './{m}';",
    "export * from './{m}';",
    "export {{ {n} as {k} }} from './{m}';",
    "export function {n}(x: {k}) {{ return x.{m}(); }}",
    "export class {n} extends {k} {{ field: {m}; {k}() {{ this.field.{m}(); return this; }} }}",
    "export interface {n} {{ {m}(): {k}; }}",
    "export const {n} = () => {k}();",
    "const {n} = new {k}();",
    "{n}.{k}().{m}();",
    "{n}.on('{k}', {m}); {k}({{ {m}, {n}: {k} }});",
    "export class {n}<{k}> extends {m}<{k}> {{ {m}!: {k}; {n}(): {k} {{ return this.{m}.{n}(); }} }}",
    "export type {n} = (x: {k}, y: {m}) => {n};",
    "{n}((x, y) => x.{k}(y.{m}()));",
    "export function {n}(f: (x: {k}) => {m}) {{ return {{ ...{k}, {m}() {{ return f({n}) }}, {n} }}; }}",
    "export const {n} = {{ ...{k}, ...{m} }};",
    "let {n}: ReturnType<typeof {k}>;",
)
_GO_LINES = (
    'import {k} "ex.org/r/{m}"',
    "func {n}() {k} {{ return {m}() }}",
    'func (r *{n}) {m}() {{ on("{k}", r.{k}, {m}) }}',
    "func (r *{n}) {m}() *{k} {{ r.{k}(); return r.f }}",
    "type {n} struct {{ {k}\n f *{m} }}",
    "type {n} interface {{ {m}() *{k} }}",
    "func {n}(a {k}) {{ b := a.{m}(); b.{k}() }}",
    "var {n} = {m}.{k}()",
    "type {n}[{k} any] struct {{ {m}[{k}]\n f {k} }}",
    "func (r *{n}[{k}]) {m}() {k} {{ return r.f.{m}() }}",
    "func {n}(a *{k}[{m}]) {{ a.{m}().{k}(); {k}[{m}](nil).{n}() }}",
)
_JAVA_LINES = (
    "import {m}.{k};",
    "import static {m}.{k}.*;",
    "class {n} extends {k} {{ {m} f; {k} {m}() {{ {n}(); return f.{k}(); }} }}",
    "class {n}<{k}> implements {m} {{ {k} {m};\n"
    "  {k} {n}(int a) {{ return new {m}<{n}>() {{ void {k}() {{ {n}(1); }} }}; }} }}",
    "interface {n} extends {k} {{ {m} {k}(); }}",
    "enum {n} {{ A; {k} {m}() {{ return A.{m}().{k}(); }} }}",
    "class {n}<{k}> extends {m}<{k}> {{ {k} {m}; void {n}({k} f) {{ {m}(x -> x.{n}()); }} }}",
    "interface {n} {{ void {m}({k} x); }}",
)
_C_LINES = (
    '#include "{n}.h"',
    "#include <{n}.h>",
    '#include "x/{n}.h"',
    '#include "{n}.py"',
    "int {n}(int x);",
    "static inline int {n}(int x) {{ return {m}(x); }}",
    "int {n}(int x) {{ return {k}({m}(x)); }}",
    "typedef struct {n} {k};",
    "struct {n} {{ int (*{m})(int); struct {k} *d; }};",
    "struct {n} {k} = {{ .{m} = {k}, .d = {n} }};",
    "int {n}(struct {k} *x) {{ return x->{m}(1) + x->d->{n}(2); }}",
    "#define {n}(x) {m}(x, {k}(1))",
)
_NAMES = ("a", "b", "c", "d")

_python = st.tuples(st.sampled_from([f"{n}.py" for n in _NAMES] + ["a/__init__.py", "a/b.py"]), st.just(_PYTHON_LINES))
_typescript = st.tuples(st.sampled_from([f"{n}.ts" for n in _NAMES] + ["a/index.ts"]), st.just(_TYPESCRIPT_LINES))
_go = st.tuples(st.sampled_from(["a/x.go", "a/y.go", "b/x.go", "main.go"]), st.just(_GO_LINES))
_java = st.tuples(st.sampled_from(["a/A.java", "a/B.java", "b/A.java", "c/A.java"]), st.just(_JAVA_LINES))
_c = st.tuples(
    st.sampled_from([f"{n}.h" for n in _NAMES] + ["x/a.h", "x/b.h", "a.c", "x/b.c", "a.py"]), st.just(_C_LINES)
)
_name = st.sampled_from(_NAMES)


@st.composite
def _edit(draw: st.DrawFn, places: st.SearchStrategy[tuple[str, tuple[str, ...]]]) -> tuple[str, str | None]:
    path, lines = draw(places)
    if draw(st.integers(0, 5)) == 0:
        return path, None
    chosen = draw(st.lists(st.sampled_from(lines), max_size=5))
    text = "\n".join(line.format(n=draw(_name), k=draw(_name), m=draw(_name)) for line in chosen) + "\n"
    folder = path.partition("/")[0]
    return path, f"package {folder};\n{text}" if path.endswith((".go", ".java")) else text


def _facts(path: str, text: str) -> bytes:
    source = text.encode()
    parsed = languages.parse(path, languages.detect(path), source)
    return extract(parsed, languages.outline(parsed)).facts


def _check(steps: list[list[tuple[str, str | None]]]) -> None:
    """Apply the steps one by one; a resolver that lives on, one that was loaded and one that has room for a single file
    must all agree with a fresh one. The latter two foresee every step, one to its end and the other for a while."""
    resolver, narrow = Resolver(), Resolver(room=1)
    state: dict[str, bytes] = {"go.mod": _facts("go.mod", "module ex.org/r\n")}
    known, lookups = {}, {}
    for update in resolver.updates(state):
        known[update.path], lookups[update.path] = update.relationships, update.lookups
    narrow.update(state)
    for number, step in enumerate(steps):
        changed = {path: None if text is None else _facts(path, text) for path, text in dict(step).items()}
        changed = {path: data for path, data in changed.items() if data is not None or path in state}
        loaded = Resolver()
        loaded.load(state.items(), [(path, each) for path, each in lookups.items() if each is not None])
        loaded.expect(changed, lambda: False)
        narrow.expect(changed, _after(2 * number))
        for path, data in changed.items():
            if data is None:
                state.pop(path)
            else:
                state[path] = data
        updated = {}
        for update in resolver.updates(changed):
            updated[update.path], lookups[update.path] = update.relationships, update.lookups
        assert loaded.update(changed) == updated
        assert narrow.update(changed) == updated
        known.update(updated)
        fresh = Resolver().update(state)
        assert _without_empty(known) == _without_empty(fresh)


def _after(times: int) -> Callable[[], bool]:
    """Whether it was asked more often than that."""
    asked = itertools.count()
    return lambda: next(asked) >= times


def _without_empty(found: dict[str, list[Relationship]]) -> dict[str, list[Relationship]]:
    return {path: relationships for path, relationships in found.items() if relationships}


@settings(max_examples=120, deadline=None)
@given(st.lists(st.lists(_edit(_python), min_size=1, max_size=4), min_size=2, max_size=5))
def test_python_relationships_after_edits_equal_those_of_a_fresh_resolver(
    steps: list[list[tuple[str, str | None]]],
) -> None:
    _check(steps)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.lists(_edit(_typescript), min_size=1, max_size=4), min_size=2, max_size=5))
def test_typescript_relationships_after_edits_equal_those_of_a_fresh_resolver(
    steps: list[list[tuple[str, str | None]]],
) -> None:
    _check(steps)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.lists(_edit(_go), min_size=1, max_size=4), min_size=2, max_size=5))
def test_go_relationships_after_edits_equal_those_of_a_fresh_resolver(
    steps: list[list[tuple[str, str | None]]],
) -> None:
    _check(steps)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.lists(_edit(_java), min_size=1, max_size=4), min_size=2, max_size=5))
def test_java_relationships_after_edits_equal_those_of_a_fresh_resolver(
    steps: list[list[tuple[str, str | None]]],
) -> None:
    _check(steps)


@settings(max_examples=120, deadline=None)
@given(st.lists(st.lists(_edit(_c), min_size=1, max_size=4), min_size=2, max_size=5))
def test_relationships_of_c_after_edits_equal_those_of_a_fresh_resolver(
    steps: list[list[tuple[str, str | None]]],
) -> None:
    _check(steps)


def test_a_file_that_appears_reaches_those_who_include_it_through_others() -> None:
    """What `a.c` sees of `x/c.h` it sees by two headers, neither of which changes."""
    known = {
        "a.c": '#include "a.h"\nint main(void) { return f(1); }\n',
        "a.h": '#include "b.h"\n',
        "b.h": '#include "x/c.h"\n',
        "y/c.h": "static inline int f(int x) { return x; }\n",
    }
    steps: list[list[tuple[str, str | None]]] = [
        list(known.items()),
        [("x/c.h", "static inline int f(int x) { return 2 * x; }\n")],
        [("b.h", '#include "y/c.h"\n')],
        [("x/c.h", None)],
    ]
    _check(steps)
    resolver, targets = Resolver(), []
    for step in steps:
        update = resolver.update({path: None if text is None else _facts(path, text) for path, text in step})
        targets.append([edge.target_path for edge in update.get("a.c", []) if edge.relationship_type == "calls"])
    assert targets == [["y/c.h"], ["x/c.h"], ["y/c.h"], ["y/c.h"]]
