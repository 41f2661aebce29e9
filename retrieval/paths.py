"""What a path alone says about a file: its topic words, and whether it is a test, an example, a copy or a manual.

Pure and cached: the same paths come back with every query.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from sightline.retrieval.ranking.english import name_words

_TEST_FOLDERS = frozenset({"test", "tests", "testing", "spec", "specs", "__tests__", "testdata", "fixtures", "e2e"})
_EXAMPLE_FOLDERS = frozenset(
    {"example", "examples", "sample", "samples", "demo", "demos", "benchmark", "benchmarks", "bench", "benches"}
)
_COPY_FOLDERS = frozenset(
    {"vendor", "vendored", "third_party", "thirdparty", "compat", "legacy", "deprecated", "_vendor", "node_modules"}
)
_COPY_WORDS = frozenset({"compat", "legacy", "deprecated", "polyfill", "polyfills"})
_DOCUMENT_ENDINGS = frozenset(
    {"md", "markdown", "rst", "txt", "adoc", "toml", "yaml", "yml", "json", "lock", "cfg", "ini"}
)

# Word in a path → the words of a query that ask for it. The common platforms are not listed: theirs is the usual code.
_WINDOWS = frozenset({"win", "win32", "windows", "msvc", "iocp", "winapi"})
_PLATFORMS = dict.fromkeys(("win", "win32", "windows", "cygwin", "mingw", "msvc"), _WINDOWS) | {
    word: frozenset({word})
    for word in ("aix", "os390", "zos", "sunos", "solaris", "ibmi", "haiku", "plan9", "qnx", "hurd", "cygwin", "wasi")
}
_PLATFORM = re.compile(rf"(?<![a-z0-9])(?:{'|'.join(_PLATFORMS)})(?![a-z0-9])")

_VERSION = re.compile(r"v(\d{1,4})")


@dataclass(frozen=True, slots=True)
class PathFacts:
    """A path, understood."""

    stem: tuple[str, ...]  # words of the file's name without its endings
    is_test: bool
    is_example: bool
    is_copy: bool  # vendored, compatibility or legacy code
    is_document: bool
    platforms: frozenset[str]  # words by which a query asks for the one platform that this file is for
    version: tuple[str, int] | None  # (what stands before it, 3) for a path with a folder `v3`


@lru_cache(maxsize=100_000)
def facts_of(path: str) -> PathFacts:
    """Understand a root-relative path."""
    *folders, name = path.split("/")
    stem, _, ending = name.rpartition(".")
    stem = stem or name
    lowered = stem.lower()
    lowered_folders = {folder.lower() for folder in folders}
    stem_words = name_words(stem)
    test_name = (
        lowered.startswith(("test_", "tests_"))
        or lowered.endswith(("_test", "_tests", "_spec", ".test", ".spec", "-test", ".tests"))
        or stem.endswith(("Test", "Tests", "Spec", "TestCase"))
        or lowered in ("test", "tests", "conftest")
    )
    return PathFacts(
        stem=stem_words,
        is_test=test_name or bool(lowered_folders & _TEST_FOLDERS),
        is_example=bool(lowered_folders & _EXAMPLE_FOLDERS),
        is_copy=bool(lowered_folders & _COPY_FOLDERS) or bool(set(stem_words) & _COPY_WORDS),
        is_document=ending.lower() in _DOCUMENT_ENDINGS,
        platforms=frozenset().union(*(_PLATFORMS[word] for word in _PLATFORM.findall(path.lower()))),
        version=_version(folders),
    )


def _version(folders: list[str]) -> tuple[str, int] | None:
    for depth, folder in enumerate(folders):
        match = _VERSION.fullmatch(folder)
        if match is not None:
            return "/".join(folders[:depth]), int(match.group(1))
    return None
