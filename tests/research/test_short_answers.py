"""Answers say no more than was asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sightline.embed import Embedder
from sightline.retrieval.research import research
from sightline.retrieval.research.question import readings
from sightline.store import Snapshot

Build = Callable[[Mapping[str, str]], Snapshot]

FILES = {
    "core.py": (
        "def convert(value):\n    return int(value)\n\n\n"
        "def read(text):\n    return convert(text)\n\n\n"
        "def main(argv):\n    return read(argv[0])\n"
    ),
    "tests/test_core.py": "".join(
        f"from core import convert\n\n\ndef test_convert_{n}():\n    assert convert('{n}') == {n}\n\n\n"
        for n in range(5)
    ),
}


def test_which_functions_call_it_asks_for_no_callers_of_callers(build: Build, embedder: Embedder) -> None:
    direct = research(build(FILES), "Which functions call `convert`?", embedder=embedder).text
    chain = research(build(FILES), "Who calls `convert`?", embedder=embedder).text

    assert "read (:5)" in direct and "main" not in direct
    assert "main" in chain


def test_a_title_that_repeats_the_sentence_before_it_is_left_out(build: Build, embedder: Embedder) -> None:
    result = research(build(FILES), "Which functions call `convert`?", embedder=embedder)

    assert result.text.startswith("Callers of function convert (core.py:1): 1 proven")
    assert "## Callers of" not in result.text
    assert result.sections[0].title == "Callers of convert"


def test_three_tests_are_named_unless_tests_are_asked_about(build: Build, embedder: Embedder) -> None:
    snapshot = build(FILES)
    callers = research(snapshot, "Who calls `convert`?", embedder=embedder).text
    tests = research(snapshot, "Which tests cover `convert`?", embedder=embedder).text

    assert callers.count("test_convert_") == 3
    assert tests.count("test_convert_") == 5


def test_which_tests_cover_it_is_answered_by_tests(build: Build, embedder: Embedder) -> None:
    result = research(build(FILES), "Which tests cover `convert`?", embedder=embedder)

    assert result.text.startswith("Tests of function convert (core.py:1): 5 reach it; 1 other function call it.")
    assert "Affected by" not in result.text


def test_a_new_argument_is_a_change() -> None:
    for question in (
        "What must change if Session.request gets a new argument?",
        "If Session.request takes another parameter, what must follow?",
    ):
        assert readings(question)[0].kind == "impact", question


def test_two_questions_about_one_name_are_no_name() -> None:
    assert readings("Where is `save_session` called and what implements it?")[0].kind == "callers"
