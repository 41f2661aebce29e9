"""Under a hit stands what makes the point."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sightline.server.answers.render import search_text
from sightline.types import Chunk
from tests.support.hits import chunk, chunk_hit, obj, object_hit, relationship, relationship_hit, result


def piece(text: str, start: int = 1) -> Chunk:
    return Chunk("a.py", start, start + text.count("\n"), "python", text, "", "", "", "")


@pytest.mark.parametrize(
    "head",
    [
        "# Copyright 2020 Somebody\n# Licensed under the Apache License\n\n",
        "/*\n * Copyright (c) Us\n Permission is hereby granted\n */\n",
        "import os\nfrom a import (\n    b,\n    c,\n)\n\n",
        "// SPDX-License-Identifier: MIT\nuse std::io;\npub use crate::a::{\n    B,\n};\n\n",
        "<?php\n\nnamespace App\\Models;\n\nuse App\\Base;\n",
        '#include <stdio.h>\n#include "x.h"\n',
        'package main\n\nimport (\n\t"fmt"\n)\n',
    ],
)
def test_a_chunk_is_shown_without_licence_and_imports(head: str) -> None:
    text = search_text(result([chunk_hit(piece(f"{head}point = 1\nmore = 2"))]), max_tokens=1_500)

    shown = [line for line in text.split("\n") if line[:1].isdigit() and "hits for" not in line]
    assert [line.split(" ", 1)[1] for line in shown] == ["point = 1", "more = 2"]
    assert shown[0].startswith(f"{head.count(chr(10)) + 1} ")


def test_a_hit_that_is_nothing_else_is_a_heading() -> None:
    text = search_text(
        result([chunk_hit(piece("# Copyright Us\n# All rights reserved\nimport os\n"))]), max_tokens=1_500
    )

    assert "lines 1-4" in text
    assert "Copyright" not in text


def test_a_comment_that_is_no_licence_stays() -> None:
    text = search_text(result([chunk_hit(piece("# How sessions end\n# is said here\nx = 1"))]), max_tokens=1_500)

    assert "1 # How sessions end" in text


def test_an_object_is_shown_with_what_belongs_to_it_and_nothing_else() -> None:
    lines = ["other = 1", "", "@cached", "# why", "def login(self, user)", "    pass", "    pass", "", "next = 2"]
    whole = Chunk("src/auth.py", 1, 9, "python", "\n".join(lines), "", "", "", "")
    text = search_text(result([object_hit(obj(start=5), whole)]), max_tokens=1_500)

    assert "\n3 @cached\n4 # why\n5 def login" in text
    assert "other" not in text
    assert "next" not in text


def test_a_small_object_that_its_chunk_holds_in_part_is_shown_whole() -> None:
    """In Haskell a type's signature may end one chunk and its equations begin the next."""
    hit = object_hit(obj(start=10), chunk(start=10, lines=1))
    text = search_text(result([replace(hit, source=["sig", "equation 1", "equation 2"])]), max_tokens=1_500)

    assert "\n10 sig\n11 equation 1\n12 equation 2" in text


def test_weak_hits_are_a_line_each_unless_more_is_asked_for() -> None:
    hits = [chunk_hit(chunk(f"f{n}.py"), score) for n, score in enumerate((0.9, 0.8, 0.7, 0.6, 0.3, 0.2))]
    hits.insert(4, relationship_hit(relationship()))
    text = search_text(result(hits), max_tokens=1_500)

    assert "method AuthService.login  f4.py:10-12  score 0.30\n#7" in text
    assert text.count("line_11") == 4
    assert search_text(result(hits), max_tokens=3_000).count("line_11") == 6


def test_a_long_body_keeps_its_head_and_what_matches() -> None:
    long = chunk(lines=100)
    place = long.text.index("line_80")
    text = search_text(result([chunk_hit(long, highlights=((place, place + 7),))]), max_tokens=1_500)

    assert "line_10 " in text
    assert "line_80" in text
    assert len([line for line in text.split("\n") if "line_" in line]) <= 18


def test_kinds_are_those_of_the_language() -> None:
    item = replace(obj("Default"), kind="class", signature="internal actual object Default : Loop()")
    text = search_text(result([object_hit(item, chunk())]), max_tokens=1_500)

    assert "#1 actual object AuthService.Default  lines" in text


def test_a_method_is_named_as_its_language_names_it() -> None:
    hit = object_hit(obj("schedule"), chunk())
    text = search_text(result([replace(hit, spoken="schedule (impl Schedule for Arc<Handle>)")]), max_tokens=1_500)

    assert "#1 method schedule (impl Schedule for Arc<Handle>)  lines 10-12" in text


def test_of_a_long_documented_function_the_body_is_shown() -> None:
    doc = ['    """Apply the validators.', *(f"    validators line {n}" for n in range(20)), '    """']
    lines = ["def apply(schema):", *doc, *(f"    step_{n} = validators({n})" for n in range(20))]
    whole = Chunk("src/auth.py", 1, len(lines), "python", "\n".join(lines), "", "", "", "")
    marks = tuple(
        (at, at + 10) for at in (whole.text.index("validators line 3"), whole.text.index("validators line 9"))
    )
    item = replace(obj("apply", start=1), end_line=len(lines))
    text = search_text(result([object_hit(item, whole, highlights=marks)]), max_tokens=1_500)

    assert '"""Apply the validators.' in text
    assert "validators line 3" not in text
    assert "step_0 = " in text
