"""What an agent reads: compact, within the budget, nothing hidden."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.server.answers.render import budget_chars, relationship_line, search_text
from sightline.types import MAX_ANSWER_CHARS, Chunk, IndexStatus
from sightline.visible import visible_source
from tests.support.hits import chunk, chunk_hit, obj, object_hit, relationship, relationship_hit, result


def test_a_path_stands_once_and_lines_have_their_numbers() -> None:
    hits = [chunk_hit(chunk(start=10)), chunk_hit(chunk("b.py", 5)), chunk_hit(chunk(start=40))]
    text = search_text(result(hits), max_tokens=6_000)
    assert text.count("src/auth.py") == 1
    assert "\n10     line_10 = 10\n" in text
    assert "\n42     line_42 = 42" in text
    assert text.index("line_10") < text.index("line_42") < text.index("line_5 ")


@pytest.mark.req("GRA-4")
def test_the_text_has_the_objects_and_the_relationship_lines() -> None:
    hits = [object_hit(obj(), chunk()), relationship_hit(relationship())]
    text = search_text(result(hits), max_tokens=6_000)
    assert "method AuthService.login  lines 10-12" in text
    assert "Relationship: AuthService.login calls validate_credentials" in text


def test_a_guessed_relationship_never_looks_like_a_proven_one() -> None:
    assert "possible" not in relationship_line(relationship(0.95, "import"))
    assert "~ possible, 0.4" in relationship_line(relationship(0.4, "ambiguous"))
    assert "~ possible, 0.9" in relationship_line(relationship(0.9, "ambiguous"))
    assert "[external]" in relationship_line(relationship(0.9, "external", ""))


def test_an_object_without_source_shows_its_signature() -> None:
    text = search_text(result([object_hit(obj(), None)]), max_tokens=6_000)
    assert "def login(self, user)" in text
    assert "Check who it is." in text


def test_a_stale_hit_is_marked() -> None:
    assert "[stale:" in search_text(result([chunk_hit(chunk(), stale=True)]), max_tokens=6_000)


def test_an_index_under_construction_says_so() -> None:
    text = search_text(result([], index=IndexStatus("indexing", 1, 40, 0, 2_000)), max_tokens=6_000)
    assert "still indexing, 40 of 2,000 files done" in text


def test_nothing_found_is_guidance_not_an_error() -> None:
    assert "No hits for" in search_text(result([]), max_tokens=6_000)


def test_warnings_and_the_cursor_are_said() -> None:
    text = search_text(result([chunk_hit(chunk())], warnings=["lexical only"], next_cursor="10-abc"), max_tokens=6_000)
    assert "Warning: lexical only" in text
    assert 'cursor="10-abc"' in text


def test_a_cut_body_keeps_its_head_and_what_matched_and_says_what_is_missing() -> None:
    long = chunk(lines=400)
    place = long.text.index("line_300")
    hits = [chunk_hit(long, highlights=((place, place + 8),))]
    text = search_text(result(hits), max_tokens=300)
    assert "line_10 " in text
    assert "line_300" in text
    assert "line_200" not in text
    assert "… more: src/auth.py:10-409" in text


def test_an_object_whose_highlights_lie_elsewhere_in_its_chunk_is_cut_around_itself() -> None:
    whole = chunk(start=1, lines=60)
    last = whole.text.index("line_60")
    hits = [object_hit(obj(start=5), whole, highlights=((last, last + 7),)) for _ in range(4)]
    text = search_text(result(hits), max_tokens=200)
    assert "line_5 " in text
    assert "line_60" not in text


def test_only_a_newline_ends_a_line() -> None:
    page = Chunk("a.el", 7, 9, "text", "before\x0c\x0bstill seven\u2028and still\neight\nnine", "", "", "", "")
    text = search_text(result([chunk_hit(page)]), max_tokens=6_000)
    assert "\n8 eight\n9 nine" in text


@given(
    st.text(st.sampled_from("ab \n\x0c\r"), max_size=400),
    st.integers(1, 40),
    st.integers(0, 60),
    st.lists(st.integers(0, 399), max_size=5),
    st.integers(200, 1_000),
)
def test_every_numbered_line_is_that_line_of_the_file(
    text: str, start: int, length: int, spans: list[int], max_tokens: int
) -> None:
    shown = text.replace("\r\n", "\n")
    piece = Chunk("a.py", 10, 10 + shown.count("\n"), "python", shown, "", "", "", "")
    thing = replace(obj(), path="a.py", start_line=start, end_line=start + length)
    highlights = tuple((at, at + 1) for at in spans if at < len(shown))
    hits = [object_hit(thing, piece, highlights=highlights), chunk_hit(piece, highlights=highlights)] * 3
    lines = dict(enumerate(shown.split("\n"), start=10))
    for line in search_text(result(hits), max_tokens=max_tokens).split("\n"):
        number, _, rest = line.strip().partition(" ")
        if number.isdigit() and "hits for" not in line:
            assert rest == visible_source(lines[int(number)].rstrip())


def test_every_hit_keeps_its_heading_when_the_source_does_not_fit() -> None:
    hits = [chunk_hit(chunk(f"f{number}.py", lines=200)) for number in range(10)]
    text = search_text(result(hits), max_tokens=700)
    assert all(f"f{number}.py" in text for number in range(10))


def test_roots_are_named_when_there_are_several() -> None:
    text = search_text(
        result([chunk_hit(chunk(), root="api"), relationship_hit(relationship(), root="web")]), max_tokens=999
    )
    assert "api: src/auth.py" in text
    assert "[web] Relationship:" in text


@given(
    st.lists(st.tuples(st.integers(1, 500), st.integers(0, 20)), max_size=30),
    st.integers(200, 6_800),
)
def test_no_answer_exceeds_its_budget(shapes: list[tuple[int, int]], max_tokens: int) -> None:
    hits = [chunk_hit(chunk(f"folder/f{place}.py", lines=lines)) for lines, place in shapes]
    hits += [relationship_hit(relationship()) for _ in shapes]
    text = search_text(result(hits), max_tokens=max_tokens)
    assert len(text) <= min(budget_chars(max_tokens), MAX_ANSWER_CHARS)
