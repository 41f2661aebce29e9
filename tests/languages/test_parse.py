"""Parsing: bounded in time, safe in threads, and languages found by name, extension and first bytes."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor

import pytest

from sightline.indexer.analysis.chunk import chunk
from sightline.languages import detect, outline, parse


def test_a_file_that_parses_for_too_long_is_cut_by_lines(caplog: pytest.LogCaptureFixture) -> None:
    source = b"> - " * 2000 + b"\nfn main() {}\n"
    with caplog.at_level(logging.WARNING):
        parsed = parse("a.rs", "rust", source, limit_s=0.05)
    assert parsed.tree is None
    assert parsed.has_errors
    assert "a.rs" in caplog.text
    assert outline(parsed) == []
    assert chunk(parsed, [])[-1].end_line == 2
    after = parse("b.rs", "rust", b"fn main() {}\n", limit_s=0.05)
    assert [defined.name for defined in outline(after)] == ["main"]


def test_threads_parse_side_by_side() -> None:
    source = b"def f():\n    return 1\n" * 200

    def names(_: int) -> int:
        return len(outline(parse("a.py", "python", source)))

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(names, range(40))) == {200}


@pytest.mark.parametrize(
    "line",
    [
        "fun q() = where?.let { 1 }",
        "fun q(x: Any) = when (x) {\n        is Int if x > 1 -> 2\n        else -> 3\n    }",
        '@Value($$"${a.b:false}")\n    var q = 1',
        "val q: Int\n        @OptIn(Api::class)\n        get() = 1",
        "fun q() = insert { a() } get id",
    ],
)
def test_kotlin_that_the_grammar_does_not_know_hides_nothing_around_it(line: str) -> None:
    source = f"class Before\n\nclass Query {{\n    {line}\n}}\n\nclass After {{\n    fun end() {{}}\n}}\n".encode()
    parsed = parse("a.kt", "kotlin", source)

    assert not parsed.has_errors
    names = [defined.name for defined in outline(parsed)]
    assert {"Before", "Query", "After", "end"} <= set(names)
    assert parsed.source == source


@pytest.mark.parametrize(
    ("path", "head", "language"),
    [
        ("a/b.PY", b"", "python"),
        ("run", b"#!/usr/bin/env python3\n", "python"),
        ("run", b"#!/usr/bin/python3.12 -u\n", "python"),
        ("run", b"#!/bin/sh\n", "bash"),
        ("run", b"#!/usr/bin/env -S deno run\n", "typescript"),
        ("Rakefile", b"", "ruby"),
        ("a.h", b"#include <stdio.h>\nint f(void);\n", "c"),
        ("a.h", b"#pragma once\nnamespace a {\nclass B;\n}\n", "cpp"),
        ("a.h", b"#include <vector>\n", "cpp"),
        ("a.unknown", b"hello", "text"),
        ("LICENSE", b"words", "text"),
    ],
)
def test_language_is_found(path: str, head: bytes, language: str) -> None:
    assert detect(path, head) == language
