"""What a path alone says about a file: its topic words, and whether it is a test, an example, a copy or a manual.

Pure and cached: the same paths come back with every query.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from sightline.graph.build.tested import is_test_file
from sightline.retrieval.ranking.english import name_words

_EXAMPLE_FOLDERS = frozenset(
    {"example", "examples", "sample", "samples", "demo", "demos", "benchmark", "benchmarks", "bench", "benches"}
)
_COPY_FOLDERS = frozenset(
    {"vendor", "vendored", "third_party", "thirdparty", "compat", "legacy", "deprecated", "_vendor", "node_modules"}
)
_DOCUMENT_FOLDERS = frozenset({"doc", "docs", "documentation"})
_GENERATED_FOLDERS = frozenset({"generated", "__generated__", "_generated", "dist", "autogen"})
_GENERATED_NAME = re.compile(
    r"(?:_pb2(?:_grpc)?\.pyi?|\.pb(?:\.\w+)?\.(?:go|cc|h|swift)|\.g\.(?:cs|dart)|\.freezed\.dart|\.designer\.cs|\.min\.(?:js|css)"
    r"|[._](?:gen|generated)\.\w+|_string\.go|\.bundle\.js)$|^zz_generated|^(?:bindata|parsetab|lextab|y\.tab)\."
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
    is_generated: bool  # or built; only reports go by this one and the next
    in_documents: bool  # lies in a folder of documentation, whatever it is
    platforms: frozenset[str]  # words by which a query asks for the one platform that this file is for
    version: tuple[str, int] | None  # (what stands before it, 3) for a path with a folder `v3`


@lru_cache(maxsize=100_000)
def facts_of(path: str) -> PathFacts:
    """Understand a root-relative path."""
    *folders, name = path.split("/")
    stem, _, ending = name.rpartition(".")
    stem = stem or name
    lowered_folders = {folder.lower() for folder in folders}
    stem_words = name_words(stem)
    return PathFacts(
        stem=stem_words,
        is_test=is_test_file(path),
        is_example=bool(lowered_folders & _EXAMPLE_FOLDERS),
        is_copy=bool(lowered_folders & _COPY_FOLDERS) or bool(set(stem_words) & _COPY_WORDS),
        is_document=ending.lower() in _DOCUMENT_ENDINGS,
        in_documents=bool(lowered_folders & _DOCUMENT_FOLDERS),
        is_generated=bool(lowered_folders & _GENERATED_FOLDERS) or _GENERATED_NAME.search(name.lower()) is not None,
        platforms=frozenset().union(*(_PLATFORMS[word] for word in _PLATFORM.findall(path.lower()))),
        version=_version(folders),
    )


def _version(folders: list[str]) -> tuple[str, int] | None:
    for depth, folder in enumerate(folders):
        match = _VERSION.fullmatch(folder)
        if match is not None:
            return "/".join(folders[:depth]), int(match.group(1))
    return None
