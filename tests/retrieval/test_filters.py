"""Globs and metadata decide which rows may be hits, before top-K."""

from __future__ import annotations

import fnmatch
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.errors import QueryError
from sightline.retrieval.filters import MAX_GLOBS, PathFilter

PATHS = [
    "Package.swift",
    "Sources/Auth/Login.swift",
    "Sources/Auth/Deep/Token.swift",
    "Sources/Net/Http.swift",
    "Sources/Net/Tests/HttpTests.swift",
    "Tests/AuthTests/LoginTests.swift",
    "docs/a/b/a/c/readme.md",
]


def kept(*include: str, exclude: tuple[str, ...] = ()) -> list[str]:
    allows = PathFilter(include, exclude).allows
    return [path for path in PATHS if allows(path)]


@pytest.mark.req("COD-8")
@pytest.mark.parametrize(
    ("glob", "expected"),
    [
        ("Sources/Auth/**", PATHS[1:3]),
        ("*.swift", PATHS[:6]),
        ("**/*.md", PATHS[6:]),
        ("Sources/*/Http.swift", PATHS[3:4]),
        ("Sources/**/Tests/**", PATHS[4:5]),
        ("**/Tests/**", PATHS[4:6]),
        ("Tests", PATHS[4:6]),
        ("Tests/", PATHS[4:6]),
        ("Sources/Auth", PATHS[1:3]),
        ("./Sources/Net/", PATHS[3:5]),
        ("/Sources/Net/*", PATHS[3:5]),
        ("**/a/c/**", PATHS[6:]),
        ("**/b/**/readme.md", PATHS[6:]),
        ("{Package,Sources/Net/Http}.swift", [PATHS[0], PATHS[3]]),
        ("[LT]o*.swift", PATHS[1:3] + PATHS[5:6]),
        ("L????.swift", PATHS[1:2]),
        ("**", PATHS),
        ("*", PATHS),
        ("", []),
        ("../outside/**", []),
        ("[", []),
        ("[9-0]", []),
        ("Sources\\Auth\\*.swift", PATHS[1:2]),
    ],
)
def test_globs_match_what_a_shell_user_expects(glob: str, expected: list[str]) -> None:
    assert kept(glob) == expected


@pytest.mark.req("COD-8")
def test_several_globs_mean_any_of_them_and_exclusion_wins() -> None:
    assert kept("*.md", "Sources/Auth/**") == [PATHS[1], PATHS[2], PATHS[6]]
    assert kept("*.swift", exclude=("**/Tests/**", "Package.swift")) == PATHS[1:4]
    assert kept(exclude=("*",)) == []


@pytest.mark.req("COD-8")
def test_without_globs_everything_passes() -> None:
    assert kept() == PATHS
    assert not PathFilter((), ())


def test_too_many_or_too_long_globs_are_refused_by_name() -> None:
    with pytest.raises(QueryError, match="too many"):
        PathFilter(["*.py"] * (MAX_GLOBS + 1), [])
    with pytest.raises(QueryError, match="too long"):
        PathFilter(["a" * 2_000], [])
    with pytest.raises(QueryError, match="alternatives"):
        PathFilter(["{a,b}" * 40], [])
    with pytest.raises(QueryError, match="NUL"):
        PathFilter(["a\0b"], [])


def test_a_hostile_glob_costs_no_more_than_a_friendly_one() -> None:
    hostile = ["*a" * 300 + "b", "**/" * 300 + "b", "*?" * 300, "a*" * 400 + "[!b]", "**/a*a*a*/" * 80 + "z"]
    paths = ["a" * 200, "a/" * 100 + "a", "/".join("aaa" for _ in range(80))]
    started = time.process_time()
    for glob in hostile:
        allows = PathFilter([glob], []).allows
        for path in paths:
            allows(path)
    assert time.process_time() - started < 20  # without atomic groups this never ends


@settings(max_examples=200)
@given(st.text(max_size=60), st.text(alphabet="ab*?[]{}!-,/.\\^ ", max_size=40))
def test_any_text_is_a_glob_or_a_named_error(path: str, glob: str) -> None:
    for pattern in (path, glob):
        try:
            PathFilter([pattern], [pattern]).allows(path)
        except QueryError as error:
            assert error.message


@settings(max_examples=300)
@given(
    st.text(alphabet="ab.", min_size=1, max_size=12).filter(lambda name: set(name) != {"."}),
    st.text(alphabet="ab*?.", min_size=1, max_size=8).filter(lambda glob: set(glob) != {"."}),
)
def test_one_component_agrees_with_fnmatch(name: str, glob: str) -> None:
    assert PathFilter([glob], []).allows(name) == fnmatch.fnmatchcase(name, glob)
