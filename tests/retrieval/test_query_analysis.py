"""Any string is a query, and says what kind of answer would fit."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.retrieval.highlight import Highlighter, highlight, joined_up
from sightline.retrieval.query import ANALYSED_CHARS, MAX_TERMS, analyse, variants
from sightline.retrieval.ranking.english import WantedWords, kinship


@pytest.mark.parametrize(
    ("text", "kind", "symbols"),
    [
        ("AuthService", "symbol", ("AuthService",)),
        ("AuthService.login", "symbol", ("login",)),
        ("ns::Type::method", "symbol", ("method",)),
        ("parse_url()", "symbol", ("parse_url",)),
        ("src/auth/login.py", "path", ()),
        ("login.py", "path", ()),
        ("server.cjs", "path", ()),
        ("build.gradle.kts", "path", ()),
        ("how are routes registered", "natural", ()),
        ("where is parseHTTPResponse used", "natural", ("parseHTTPResponse",)),
        ("func login()", "natural", ("login",)),
        ("errors of `retry`", "natural", ("retry",)),
    ],
)
def test_queries_are_told_apart(text: str, kind: str, symbols: tuple[str, ...]) -> None:
    analysis = analyse(text)
    assert analysis.kind == kind
    assert analysis.symbols == symbols


def test_identifiers_are_looked_up_whole_and_in_parts() -> None:
    terms = analyse("parseHTTPResponse").terms
    assert set(terms) == {"parsehttpresponse", "parse", "http", "response"}
    assert terms["parsehttpresponse"] > terms["parse"]


def test_words_without_a_topic_do_not_count() -> None:
    analysis = analyse("how does the router find handlers")
    assert analysis.words == ("router", "handlers")
    assert "how" not in analysis.terms
    assert {"how", "to", "do", "it"} <= set(analyse("how to do it").terms)  # unless there is nothing else


def test_questions_about_tests_documents_and_relationships_are_recognised() -> None:
    assert analyse("unit tests of the parser").wants_tests
    assert analyse("installation guide").wants_docs
    assert analyse("what calls login").wants_relationships
    plain = analyse("parse the header")
    assert not (plain.wants_tests or plain.wants_docs or plain.wants_relationships)


def test_other_forms_of_a_word_are_known() -> None:
    assert {"validate", "validator"} <= set(variants("validation"))
    assert {"handle", "handler"} <= set(variants("handling"))
    assert "query" in variants("queries")
    assert variants("id") == ()
    assert kinship("validates", "validate") > kinship("validation", "validate") > 0
    assert kinship("config", "configuration") > 0 == kinship("config", "conflict")


def test_names_are_compared_by_their_words() -> None:
    wanted = WantedWords(["error", "handlers"], [1.0, 1.0])
    assert wanted.match("register_error_handler") > wanted.match("handle_request") > wanted.match("url_for") == 0
    assert wanted.match("ErrorHandlers") == 1.0


@given(st.text(max_size=300))
def test_any_text_is_analysed_within_bounds(text: str) -> None:
    analysis = analyse(text)
    assert len(analysis.words) <= MAX_TERMS
    assert all(0 < boost <= 2 for boost in analysis.terms.values())
    assert all(term == term.strip() and " " not in term for term in analysis.terms)


def test_a_megabyte_is_cut_to_a_question() -> None:
    analysis = analyse("long_identifier_number " * 50_000)
    assert len(analysis.text) <= ANALYSED_CHARS
    assert len(analysis.terms) < MAX_TERMS * 10


@pytest.mark.req("COD-7")
@pytest.mark.parametrize(
    ("query", "text", "marked"),
    [
        ("authenticate", "def authenticateUser(): # authenticate", ["authenticate", "authenticate"]),
        ("parse_url", "x = parse_url(y)", ["parse_url"]),
        ("parseURL", "x = parse_url(y)", ["parse_url"]),
        ("url parsing", "def parse_the_url(): pass", ["parse", "url"]),
        ("größe", "die Größe", ["Größe"]),
        ("login", "nothing here", []),
    ],
)
def test_highlights_are_exact_spans(query: str, text: str, marked: list[str]) -> None:
    assert [text[start:end] for start, end in highlight(text, analyse(query))] == marked


@given(st.text(max_size=80), st.text(max_size=200))
def test_highlights_lie_inside_the_text_in_order(query: str, text: str) -> None:
    spans = highlight(text, analyse(query))
    flat = [place for span in spans for place in span]
    assert flat == sorted(flat)
    assert all(0 <= start < end <= len(text) for start, end in spans)


_WORDS = st.sampled_from(
    [
        "parse",
        "parsing",
        "queries",
        "query",
        "run",
        "running",
        "getIt",
        "get_it",
        "URL",
        "url_",
        "İx",
        "ΑΣ",
        "__init__",
        "a_b_c",
        "v2",
    ]
)


@given(st.lists(_WORDS, max_size=5).map(" ".join), st.lists(_WORDS, max_size=12).map(".".join))
def test_highlights_are_those_that_looking_at_every_identifier_finds(query: str, text: str) -> None:
    highlighter = Highlighter(analyse(query))
    every = [
        (match.start() + start, match.start() + end)
        for match in re.finditer(r"[^\W_]+(?:_+[^\W_]+)*", text)
        for start, end in highlighter._inside(match.group())
    ]
    assert list(highlighter.spans(text)) == joined_up(text, every)
