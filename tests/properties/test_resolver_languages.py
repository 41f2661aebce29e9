"""For every language with a reader: after any sequence of edits the resolver states what a fresh one would."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline import languages
from sightline.graph.build import edges, hierarchy, memo, table
from sightline.graph.build.extract import extract
from sightline.graph.build.resolve import Resolver

_NAMES = ("a", "b", "C", "D")
# language → (paths, lines); {n} {k} {m} are names
_LANGUAGES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "swift": (
        ("a.swift", "x/b.swift", "C.swift"),
        (
            "class {n}: {k} {{ let {m}: {k}; func {m}() -> {n} {{ self.{k}(); return {m}.{k}() }} }}",
            "extension {n}: {k} {{ func {m}() {{ {k}() }} }}",
            "protocol {n}: {k} {{ func {m}() -> {k} }}",
            "private func {n}(x: {k}) {{ x.{m}(); {k}().{n}() }}",
            "typealias {n} = {k}",
        ),
    ),
    "rust": (
        ("src/lib.rs", "src/a.rs", "src/b/mod.rs", "src/b/C.rs"),
        (
            "mod {n};",
            "use crate::{n}::{k};",
            "pub use super::{n}::*;",
            "use self::{n}::{{{k}, {m} as D}};",
            "pub struct {n} {{ {m}: Box<{k}> }}",
            "impl {n} {{ fn {m}(&self) -> {k} {{ self.{k}(); self.{m}.{n}() }} }}",
            "impl {n} for {k} {{ fn {m}(&self) {{ {n}::{k}() }} }}",
            "pub trait {n}: {k} {{ fn {m}(&self) {{}} }}",
            "fn {n}(x: &{k}) {{ x.{m}(); {n}::{k}(); {m}() }}",
            "fn {n}() {{ on({k}, {n}::{m}) }}",
        ),
    ),
    "csharp": (
        ("a.cs", "b.cs", "c/D.cs"),
        (
            "using N.{n};",
            "namespace N.{n};",
            "partial class {n} : {k} {{ {k} {m}; {n} {k}() {{ this.{m}.{k}(); return {m}(); }} }}",
            "interface {n} : {k} {{ void {m}(); }}",
            "static class {n} {{ static void {m}(this {k} x) {{ x.{m}(); }} }}",
        ),
    ),
    "kotlin": (
        ("a.kt", "b.kt", "c/D.kt"),
        (
            "package p.{n}\n",
            "import p.{n}.{k}\n",
            "import p.{n}.*\n",
            "class {n}(val {m}: {k}) : {k}() {{\n  fun {m}(): {n} {{ {m}.{k}(); return this }}\n}}\n",
            "fun {n}.{m}(): {k} {{\n  this.{k}()\n}}\n",
        ),
    ),
    "ruby": (
        ("a.rb", "b.rb", "lib/C.rb"),
        (
            "require '{n}'",
            "require_relative '{n}'",
            "class {n} < {k}\n  include {m}\n  def {m}\n    @{k} = {k}.new\n    @{k}.{m}\n    {k}\n  end\nend",
            "module {n}\n  def self.{m}; {k}.{m}; end\nend",
            "module {n}\n  module {k}\n    include {m}\n    class {m} < {n}::{k}\n"
            "      def {n}; {k}::{m}.{n}; end\n    end\n  end\nend",
        ),
    ),
    "scala": (
        ("a.scala", "b.scala", "x/C.scala", "x/D.scala"),
        (
            "package p.{n}",
            "import p.{n}._",
            "import {n}.{k}",
            "trait {n} extends {k} {{ self: {m} =>\n  type {m} = {k}\n  def {m}(x: {k}): {n} = x.{m}({k}.{n}) }}",
            "object {n} extends {k} with {m} {{\n  class {m} extends {k}.{m} {{ def {n} = {m}.{k} }}\n"
            "  val {k} = {m}.{n}({k}) }}",
        ),
    ),
    "c": (
        ("a.h", "b.c", "x/C.c", "b.h"),
        (
            '#include "{n}.h"',
            "#include <{n}.h>",
            "typedef struct {n} {k};",
            "int {n}({k}* x);",
            "static int {n}({k}* x) {{ return {m}(x); }}",
            "int {n}({k}* x) {{ {m}(x); return {k}(); }}",
            "#define {n}(x) {m}(x, {k}(1))",
            "#define {n} {m}",
            "struct {n} {{ int (*{m})(int); struct {k} *D; }};",
            "struct {n} {k} = {{ .{m} = {k}, .D = {n} }};",
            "void {n}(struct {k} *b) {{ b->{m} = {n}; add(b, {m}); }}",
            "int {n}(struct {k} *x) {{ return x->{m}(1) + x->D->{n}(2); }}",
        ),
    ),
    "cpp": (
        ("a.hpp", "b.cpp", "x/C.cpp"),
        (
            "namespace {n} {{ class {k} : public {m} {{ public: {n} {m}(); {k} D; }}; }}",
            "void {n}::{k}() {{ {m}(); this->{n}(); D.{k}(); }}",
            "using namespace {n};",
            "class {n} : {k} {{ void {m}() {{ {k}::{m}(); }} }};",
            "namespace {{ void {n}({k} x) {{ typedef {m} D; D {n}(x); {n}.{k}(); on({m}, &{n}::{k}); }} }}",
            "class {n} {{ typedef {k} D; D b; {n}() : {m}(1) {{ b[1].{k}(); }} }};",
            "#define MAKE(x, y) x y() {{ return {m}(); }}",
            "class {n} {{ MAKE({k}, {m})\n }};\nMAKE({m}) {{ {n} x; x.{m}().{k}(); }}",
        ),
    ),
    "elixir": (
        ("a.ex", "b.ex", "x/c.ex"),
        (
            "defmodule A.{n} do\n  alias A.{k}\n  import A.{m}\n  @behaviour A.{k}\n"
            "  def {m}(x), do: {k}.{m}(x)\n  def f(x), do: g(x)\nend",
            "defimpl A.{n}, for: A.{k} do\n  def {m}(x), do: A.{m}.{k}(x)\nend",
        ),
    ),
    "haskell": (
        ("src/A.hs", "src/B.hs", "src/C.hs", "src/D.hs"),
        (
            "module A (module {n}, {m}) where",
            "import {n}",
            "import {n} as {k}",
            "import {n} ({m}, {k}(..))",
            "import qualified {n} as {k}",
            "{m} x = {k} (D.{n} x)",
            "data {n} = {k} Int",
            "class {n} a where\n  {m} :: a -> Int",
            "instance {n} {k} where\n  {m} x = {k} x",
        ),
    ),
    "lua": (
        ("a.lua", "b.lua", "lua/C.lua", "lua/D/init.lua"),
        (
            'local {n} = require("{k}")',
            "local M = {{}}\nfunction M.{n}() {k}.{m}() end\nfunction M:{m}() self:{n}() end\nreturn M",
            "function {n}() {k}() end",
        ),
    ),
    "perl": (
        ("a.pl", "lib/b.pm", "lib/C.pm", "lib/D.pm"),
        (
            "use {n} qw({m});",
            "require '{n}.pl';",
            "package {n};\nuse parent '{k}';\nsub new {{ bless {{}}, shift }}",
            "sub {m} {{ my $self = shift; $self->{k} }}",
            "sub {n} {{ {k}(); {n}->new->{m}; {k}::{m}() }}",
        ),
    ),
    "php": (
        ("a.php", "b.php", "c/D.php"),
        (
            "<?php namespace N\\{n}; ?>",
            "<?php use N\\{n}\\{k} as {m}; ?>",
            "<?php class {n} extends {k} {{ /** @var {m}[] */ private $a; function {m}() {{ foreach ($this->a as $b) {{"
            " $b->{k}(); }} return $this->a; }} }} ?>",
            "<?php interface {n} extends {k} {{ /** @return list<{m}> */ function {m}(array $a); }} ?>",
            "<?php enum {n} {{ case {k}; function {m}() {{ {n}::{k}->{m}(); self::$a = {k}::{m}()[0]; }} }} ?>",
            "<?php function {n}({k} $x) {{ if ($x instanceof {m}) {{ $x = $x->{k}() ?? new {n}; }} $x->{m}();"
            " on({n}(...), $x->{k}(...)); }} ?>",
            "<?php /** @param {k}|{m} $x */ function {n}($x) {{ end($x->{m}())->{k}(); }} ?>",
        ),
    ),
    "dart": (
        ("a.dart", "lib/b.dart", "lib/C.dart"),
        (
            "import '{n}.dart';",
            "export '{n}.dart';",
            "export 'package:absent/{n}.dart';",
            "part '{n}.dart';",
            "part of '{n}.dart';",
            "import 'lib/{n}.dart' as {k} show {m};",
            "class {n} extends {k} with {m} {{ {k} {m}; {n} {k}() {{ {m}.{k}(); return this; }} }}",
            "extension E on {n} {{ void {m}() {{ {k}(); }} }}",
        ),
    ),
}


def _facts(path: str, text: str) -> bytes:
    parsed = languages.parse(path, languages.detect(path), text.encode())
    return extract(parsed, languages.outline(parsed)).facts


@st.composite
def _steps(draw: st.DrawFn, language: str) -> list[dict[str, str | None]]:
    paths, lines = _LANGUAGES[language]
    name = st.sampled_from(_NAMES)
    steps: list[dict[str, str | None]] = []
    for _ in range(draw(st.integers(2, 4))):
        step: dict[str, str | None] = {}
        for path in draw(st.lists(st.sampled_from(paths), min_size=1, max_size=3)):
            chosen = draw(st.lists(st.sampled_from(lines), max_size=4))
            text = "\n".join(line.format(n=draw(name), k=draw(name), m=draw(name)) for line in chosen) + "\n"
            step[path] = None if draw(st.integers(0, 5)) == 0 else text
        steps.append(step)
    return steps


def _check(steps: list[dict[str, str | None]]) -> None:
    resolver, state, known = Resolver(), dict[str, bytes](), {}
    for step in steps:
        changed = {path: None if text is None else _facts(path, text) for path, text in step.items()}
        changed = {path: facts for path, facts in changed.items() if facts is not None or path in state}
        for path, facts in changed.items():
            if facts is None:
                state.pop(path)
            else:
                state[path] = facts
        known.update(resolver.update(changed))
        fresh = Resolver()
        found = fresh.update(state)
        assert {p: r for p, r in known.items() if r} == {p: r for p, r in found.items() if r}
        assert resolver.given_up == fresh.given_up


@pytest.mark.parametrize("language", sorted(_LANGUAGES))
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_relationships_after_edits_equal_those_of_a_fresh_resolver(language: str, data: st.DataObject) -> None:
    _check(data.draw(_steps(language)))


@pytest.mark.parametrize("language", sorted(_LANGUAGES))
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_that_holds_also_where_questions_are_given_up_and_names_are_crowded(language: str, data: st.DataObject) -> None:
    with (
        patch.object(memo, "_MAX_CYCLIC", 1),
        patch.object(memo, "_MAX_DEPTH", 7),
        patch.object(edges, "_MAX_CYCLIC", 6),
        patch.object(table, "_CROWD", 1),
        patch.object(table, "_MANY_READS", 1),
        patch.object(hierarchy, "_MAX_ANCESTORS", 2),
    ):
        _check(data.draw(_steps(language)))


def test_what_is_given_up_does_not_depend_on_which_file_asked_first() -> None:
    library = "import 'a.dart';\npart 'a.dart';\nimport 'lib/a.dart' as a show b;\nimport 'a.dart';\n"
    user = "import 'C.dart';\nimport 'a.dart';\nclass a extends b with a { b a; a b() { a.b(); return this; } }\n"
    added = "class b extends a with a { a a; b a() { a.a(); return this; } }\nimport 'a.dart';\n"
    with patch.object(memo, "_MAX_DEPTH", 7):
        _check([{"lib/b.dart": user, "lib/C.dart": library}, {"a.dart": added}])
