"""Which files and functions are tests, by the conventions of the languages."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

# What tests need is no more part of what is tested than they are: data and fixtures count too.
_TEST_FOLDERS = frozenset({"test", "tests", "testing", "spec", "specs", "__tests__", "testdata", "fixtures", "e2e"})
_SHIPPED_ROOT = ("src", "main")  # of Maven, Gradle and sbt: what is below is delivered, `org/junit/test` included
_FIXTURE_FOLDERS = frozenset({"fixture", "fixtures", "testdata"})
_TEST_STEMS = frozenset({"test", "tests", "conftest"})
_TEST_BEGINNINGS = ("test_", "tests_")
_TEST_ENDINGS = ("_test", "_tests", ".test", ".spec", "-test", ".tests")
# Elsewhere a specification is a thing of its own: `validate_argument_spec.py`, `resource_spec.go`.
_SPECS_ARE_TESTS = frozenset(
    {"rb", "cr", "lua", "moon", "coffee", "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"}
)
_TEST_ENDINGS_IN_CAPITALS = ("Test", "Tests", "Spec", "TestCase")
_TEST_NAME = re.compile(r"^(test|it|should)_|^[Tt]est($|[A-Z_0-9])|Tests?$|^Benchmark[A-Z]|^Example[A-Z]")
_SUBJECT = re.compile(r"^(?:test_|Test_?)(?P<before>\w+)$|^(?P<after>\w+?)Tests?$")


@lru_cache(maxsize=100_000)  # the files of a large root; the same paths come back with every question
def is_test_file(path: str) -> bool:
    """Does the path say that this is a test, or a part of one? The one rule: for the graph, ranking and research."""
    *folders, name = path.split("/")
    stem, _, extension = name.rpartition(".") if "." in name else (name, "", "")
    lowered = stem.lower()
    return (
        (lowered in _TEST_STEMS and not (name == "test.py" and "src" in folders))  # what `src` has of Python is shipped
        or lowered.startswith(_TEST_BEGINNINGS)
        or lowered.endswith(_TEST_ENDINGS)
        or (lowered.endswith("_spec") and extension.lower() in _SPECS_ARE_TESTS)
        or stem.endswith(_TEST_ENDINGS_IN_CAPITALS)
        or any(folder.lower() in _TEST_FOLDERS for folder in _telling(folders, extension))
    )


def _telling(folders: list[str], extension: str) -> list[str]:
    """The folders whose names tell whether something is a test."""
    for at, pair in enumerate(pairwise(folders)):
        if pair == _SHIPPED_ROOT:
            return folders[:at]
    if extension.lower() == "php" and "src" in folders:  # `src/Support/Testing/Fakes` helps those who use the library
        return [folder for folder in folders if folder != "Testing"]
    return folders


def is_fixture(path: str) -> bool:
    """Does the path say that this is what tests work with, and no test itself?"""
    return any(folder.lower() in _FIXTURE_FOLDERS for folder in path.split("/")[:-1])


def is_test_name(name: str, kind: str) -> bool:
    """Does the name say that this is a test?"""
    return kind in ("function", "method", "class") and _TEST_NAME.search(name) is not None


def tested_names(name: str) -> tuple[str, ...]:
    """The names that a test of this name may be about."""
    match = _SUBJECT.match(name)
    subject = (match["before"] or match["after"]) if match is not None else None
    return (subject,) if subject else ()
