"""Every language of the table: the same assertions on one sample each."""

from __future__ import annotations

import re

import pytest

from sightline.indexer.analysis.chunk import chunk
from sightline.languages import LANGUAGES as TABLE
from sightline.languages import detect, outline, parse, spec_of
from tests.support.samples import LANGUAGES, described, expected, parsed_sample, sample

CODE = [language for language in LANGUAGES if not spec_of(language).document]


def test_every_language_that_was_promised_is_in_the_table() -> None:
    promised = (
        "python javascript jsx typescript tsx go rust java c cpp csharp ruby php swift kotlin scala elixir lua bash zig"
        " haskell dart sql html css markdown json yaml toml"
    )
    assert set(promised.split()) <= set(TABLE)


@pytest.mark.parametrize("language", LANGUAGES)
def test_sample_is_recognised_and_parses_without_errors(language: str) -> None:
    path = sample(language)
    assert detect(path.name, path.read_bytes()) == language
    assert not parsed_sample(language).has_errors


@pytest.mark.parametrize("language", LANGUAGES)
def test_outline_of_sample_is_the_expected_one(language: str) -> None:
    assert described(parsed_sample(language)) == expected()[language]


@pytest.mark.parametrize("language", CODE)
def test_definition_names_stand_in_the_lines_they_claim(language: str) -> None:
    parsed = parsed_sample(language)
    lines = parsed.source.decode().split("\n")
    for defined in outline(parsed):
        text = "\n".join(lines[defined.start_line - 1 : defined.end_line])
        word = re.sub(r"^(operator |~)", "", defined.name)
        assert word in text, defined.qualified_name


@pytest.mark.parametrize("language", CODE)
def test_nesting_is_consistent(language: str) -> None:
    outlined = outline(parsed_sample(language))
    for index, defined in enumerate(outlined):
        assert -1 <= defined.parent < index
        if defined.parent >= 0:
            parent = outlined[defined.parent]
            assert parent.start_line <= defined.start_line
            assert defined.end_line <= parent.end_line
            assert defined.qualified_name.startswith(parent.qualified_name + ".")
        assert defined.qualified_name.endswith(defined.name)
        if defined.owner:
            assert defined.qualified_name.startswith(defined.owner + ".")


@pytest.mark.parametrize("language", CODE)
def test_outline_survives_a_syntax_error_in_the_middle(language: str) -> None:
    parsed = parsed_sample(language)
    lines = parsed.source.split(b"\n")
    broken = b"\n".join([*lines, b"", b")]} %%% ((("])
    before = {defined.qualified_name for defined in outline(parsed)}
    after = {defined.qualified_name for defined in outline(parse(parsed.path, language, broken))}
    assert len(before & after) >= 0.8 * len(before)


@pytest.mark.parametrize("language", LANGUAGES)
def test_chunks_of_sample_cover_it_and_name_their_symbol(language: str) -> None:
    parsed = parsed_sample(language)
    chunks = chunk(parsed, outline(parsed))
    assert "\n".join(piece.text for piece in chunks) + "\n" == parsed.source.decode()
    assert [piece.start_line for piece in chunks[1:]] == [piece.end_line + 1 for piece in chunks[:-1]]
    assert all(piece.language == language for piece in chunks)
    if spec_of(language).document:
        assert {piece.kind for piece in chunks} == {"document"}
    else:
        names = {defined.qualified_name for defined in outline(parsed)}
        assert {piece.symbol for piece in chunks} <= {"", *names}
