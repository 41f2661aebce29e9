"""Files that another language's grammar reads: every word stays at its place, whatever the bytes."""

from __future__ import annotations

import pytest

from sightline.languages import LANGUAGES, outline, parse, spec_of
from tests.support.killers import rubbish
from tests.support.mutations import nearly_right

_REWRITTEN = [language for language in LANGUAGES if spec_of(language).seen is not None]


@pytest.mark.parametrize("language", _REWRITTEN)
def test_what_the_grammar_sees_has_every_line_at_its_length(language: str) -> None:
    seen = spec_of(language).seen
    assert seen is not None
    for source in [*map(rubbish, range(100)), *(nearly_right(language, seed) for seed in (1, 250, 558, 611, 640, 671))]:
        assert [len(line) for line in seen(source).split(b"\n")] == [len(line) for line in source.split(b"\n")]


def test_a_heredoc_that_nothing_ends_does_not_hang_perl() -> None:
    parsed = parse("a.pl", "perl", b"sub f { 1 }\n''<<F\n'\\")
    assert [defined.name for defined in outline(parsed)] == ["f"]


def test_a_heredoc_that_ends_stays_a_string() -> None:
    parsed = parse("a.pl", "perl", b'print <<"END";\nsub no { }\nEND\nsub f { 1 }\n')
    assert [defined.name for defined in outline(parsed)] == ["f"]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("cdef inline int f(int x, object y=None) except -1:\n    return x\n", "f"),
        ("cpdef double[:, ::1] g(double[:, ::1] a not None,\n                       int n):\n    return a\n", "g"),
        ("cdef object HttpVersion10 = _HttpVersion10\n", "HttpVersion10"),
        ("cdef packed struct P:\n    int x\n", "P"),
        ("cdef extern from 'a.h' nogil:\n    double h(double x)\n", "h"),
        ("ctypedef fused real:\n    float\n    double\n", "real"),
        ("cdef class A(B):\n    cdef:\n        int n\n        double[:] w = (\n            1)\n", "A"),
    ],
)
def test_forms_of_cython_are_read_without_errors(line: str, name: str) -> None:
    parsed = parse("a.pyx", "cython", line.encode())
    assert not parsed.has_errors
    assert next(defined.name for defined in outline(parsed)) == name
