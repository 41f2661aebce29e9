"""Records that link two places of a package: README sentence -> the definition it names, test name -> tested code.

Both need the definitions of the whole package: only a name that is defined once can be meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from scripts.train_embedder.prose import summarise

from sightline.tokens import words

Record = dict[str, Any]

_MIN_NAME_CHARS = 5
_MAX_PER_DEFINITION = 3  # sentences or tests of one definition
_MIN_TEST_WORDS = 3
_TEST_NAME = re.compile(r"^(?:tests?|should|it|when)_?(?=[A-Z_a-z])|_?tests?$", re.IGNORECASE)
_FENCE = re.compile(r"^(?:```|~~~).*?^(?:```|~~~)", re.DOTALL | re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?:])\s+(?=[A-Z`])|\n\s*\n|\n\s*[-*|#]+\s")
_MENTION = re.compile(r"`+(?:[\w./:$]*[./:$])?([A-Za-z_]\w+)(?:\([^`]*\))?`+")
# Words of test names that say how it is tested, not what.
_TESTING = frozenset(
    {
        "test",
        "tests",
        "it",
        "should",
        "when",
        "given",
        "then",
        "that",
        "is",
        "returns",
        "return",
        "works",
        "with",
        "for",
    }
)
# A line of a change log names a definition without saying what it does.
_CHANGE = re.compile(
    r"\s*(?:[-*]\s*)?(?:add|fix|remov|chang|updat|deprecat|renam|bump|improv)(?:e|es|ed|s)?\b", re.IGNORECASE
)


class Package:
    """Collects the definitions, the prose and the tests of one archive."""

    def __init__(self) -> None:
        self._definitions: dict[str, Record | None] = {}
        self._prose: list[str] = []
        self._tests: list[Record] = []

    def define(self, record: Record) -> None:
        name = record["name"].rpartition(".")[2]
        if len(name) >= _MIN_NAME_CHARS:
            self._definitions[name] = None if name in self._definitions else record

    def read_prose(self, text: str) -> None:
        self._prose.append(text)

    def read_test(self, record: Record) -> None:
        self._tests.append(record)

    def records(self) -> Iterator[Record]:
        yield from self._few(self._mentions())
        yield from self._few(self._tested())

    def _few(self, found: Iterable[tuple[Record, str, str]]) -> Iterator[Record]:
        times: dict[str, int] = {}
        for definition, kind, query in found:
            times[definition["name"]] = times.get(definition["name"], 0) + 1
            if times[definition["name"]] <= _MAX_PER_DEFINITION:
                yield definition | {"kind": kind, "doc": query, "rest": ""}

    def _mentions(self) -> Iterator[tuple[Record, str, str]]:
        for text in self._prose:
            for sentence in _SENTENCE.split(_FENCE.sub("\n\n", text)):
                named = dict.fromkeys(_MENTION.findall(sentence))
                meant = [d for name in named if (d := self._definitions.get(name)) is not None]
                summary = summarise(sentence.split("\n")) if len(meant) == 1 and not _CHANGE.match(sentence) else None
                if summary is not None:
                    yield meant[0], "mention", summary[0]

    def _tested(self) -> Iterator[tuple[Record, str, str]]:
        for test in self._tests:
            name = test["name"].rpartition(".")[2]
            stem = _TEST_NAME.sub("", name)
            said = words(stem)
            if stem == name or len(said) < _MIN_TEST_WORDS:
                continue
            telling = set(said) - _TESTING
            called = [d for call in test["calls"] if (d := self._definitions.get(call)) is not None]
            best = max(called, key=lambda d: len(telling & set(words(d["name"]))), default=None)
            if best is not None and telling & set(words(best["name"].rpartition(".")[2])):
                yield best, "test", " ".join(said)
