"""Whatever a file holds: every line is in exactly one chunk, in order, and nothing is lost or added."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sightline.indexer.analysis.chunk import chunk
from sightline.languages import LANGUAGES as TABLE
from sightline.languages import outline, parse, sections
from sightline.types import Chunk
from tests.support.samples import LANGUAGES, sample

_LINES = {language: sample(language).read_bytes().split(b"\n") for language in LANGUAGES}
_LINES["text"] = _LINES["markdown"]
# Pieces of real syntax, torn apart, doubled and mixed with noise: what half-written files look like.
_NOISE = st.sampled_from(
    [b"", b"\t", b"{", b"}", b"))", b"\"", b"'''", b"/*", b"*/", b"#", b"--", b"\r", b"\x00", b"\xff\xfe", b"\f",
     "\u2028 é \U0001f600".encode(), b"end", b"def", b"class A:", b"x" * 3000, b"```", b"---", b"- a: [", b"<a>", b"@"]
)  # fmt: skip
_EXAMPLES = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def assert_covers(source: bytes, chunks: list[Chunk]) -> None:
    text = source.decode("utf-8", "replace").replace("\r\n", "\n")
    joined = "\n".join(piece.text for piece in chunks)
    assert joined == text.removesuffix("\n") if text != "\n" else joined == ""
    lines = text.count("\n") + (0 if text.endswith("\n") or not text else 1)
    covered = [line for piece in chunks for line in range(piece.start_line, piece.end_line + 1)]
    assert covered == list(range(1, lines + 1))


def chunks_of(language: str, source: bytes) -> list[Chunk]:
    parsed = parse("folder/file", language, source)
    sections(parsed)
    return chunk(parsed, outline(parsed))


@pytest.mark.parametrize("language", sorted(TABLE))
@_EXAMPLES
@given(data=st.data())
def test_every_line_of_torn_source_is_in_exactly_one_chunk(language: str, data: st.DataObject) -> None:
    line = st.one_of(st.sampled_from(_LINES[language]), st.sampled_from(_LINES[language]), _NOISE)
    lines = data.draw(st.lists(line, max_size=120))
    separator = data.draw(st.sampled_from([b"\n", b"\n", b"\r\n"]))
    source = separator.join(lines)
    assert_covers(source, chunks_of(language, source))


@pytest.mark.parametrize("language", sorted(TABLE))
@_EXAMPLES
@given(
    source=st.one_of(st.binary(max_size=400), st.text(max_size=400).map(lambda text: text.encode("utf-8", "replace")))
)
def test_arbitrary_bytes_are_covered_in_any_language(language: str, source: bytes) -> None:
    assert_covers(source, chunks_of(language, source))


@pytest.mark.parametrize("language", sorted(TABLE))
def test_deep_nesting_does_not_break_the_chunker(language: str) -> None:
    for source in (b"(\n" * 1000, b"[\n" * 1000 + b"]\n" * 1000, b"a +\n" * 2000, b"{ x: {\n" * 500):
        assert_covers(source, chunks_of(language, source))
