"""Which files and functions are tests, by the conventions of the languages."""

from __future__ import annotations

import re
from functools import lru_cache

_TEST_FILE = re.compile(
    r"(^|/)(tests?|__tests__|spec|specs|testing|Tests)/|(^|/)test_[^/]*$|_test\.[a-z]+$|_spec\.rb$|\.(test|spec)\.[cm]?[jt]sx?$"
    r"|(^|/)conftest\.py$|Tests?\.(java|kt|scala|cs|swift|php)$|(^|/)src/test/"
)
_TEST_NAME = re.compile(r"^(test|it|should)_|^[Tt]est($|[A-Z_0-9])|Tests?$|^Benchmark[A-Z]|^Example[A-Z]")
_SUBJECT = re.compile(r"^(?:test_|Test_?)(?P<before>\w+)$|^(?P<after>\w+?)Tests?$")


@lru_cache(maxsize=8192)
def is_test_file(path: str) -> bool:
    """Does the path say that this is a test?"""
    return _TEST_FILE.search(path) is not None


def is_test_name(name: str, kind: str) -> bool:
    """Does the name say that this is a test?"""
    return kind in ("function", "method", "class") and _TEST_NAME.search(name) is not None


def tested_names(name: str) -> tuple[str, ...]:
    """The names that a test of this name may be about."""
    match = _SUBJECT.match(name)
    subject = (match["before"] or match["after"]) if match is not None else None
    return (subject,) if subject else ()
