"""An answer before there is an index: files that are not indexed yet, searched by their words as they are on disk.

A new client on a big repository asks long before its first index is complete. This reads what it can within a moment,
code before tests and documents, the files whose path speaks of the query first, ranks them by BM25 and shows the place
in each that holds most of the query. No symbols, no meaning, no relationships: those come with the index, and the
answer says so.
"""

from __future__ import annotations

import math
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import xxhash

from sightline.config import Config
from sightline.indexer.files.read import Source, read
from sightline.indexer.files.walk import Candidate, walk
from sightline.retrieval.filters import PathFilter
from sightline.retrieval.highlight import highlight
from sightline.retrieval.paths import facts_of
from sightline.retrieval.query import Analysis, analyse
from sightline.tokens import stem, words
from sightline.types import Chunk, Hit, Query

MATCH_TYPE = "text"
LOOK_S = 0.5  # for reading; listing the files comes before, ranking after
_MAX_FILE_BYTES = 200_000  # a larger one would eat the time of many
_MAX_WORDS = 12  # of the query
_WINDOW_LINES = 24  # shown around the best place of a file
_K1, _B, _HALF = 1.2, 0.75, 10.0  # BM25 as in the index, and its score b as b/(b+10)
_PATH_WEIGHT = 2.0  # a word in the path says more than one in the text
_STANDING = (1.0, 0.7, 0.5)  # what a match counts in code, in tests and examples, in documents
_LISTING_S = 30.0  # how long the list of files is good for: listing a large repository takes as long as reading it


@dataclass(frozen=True, slots=True)
class FirstLook:
    """What was found in the files that were read, and how many there were to read."""

    hits: Sequence[Hit] = ()
    files_read: int = 0
    files: int = 0


@dataclass(slots=True)
class _Read:
    candidate: Candidate
    text: str
    counts: Mapping[str, int]
    score: float = field(default=0.0)


class Looker:
    """Looks into the files of one root, whose list it keeps for a while."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._listed: list[Candidate] = []
        self._listed_at = -math.inf
        self._lock = threading.Lock()

    def look(
        self,
        query: Query,
        indexed: Collection[str],
        *,
        budget_s: float = LOOK_S,
        check: Callable[[], None] = lambda: None,
    ) -> FirstLook:
        """Search the files that the index does not have yet, for as long as the budget lasts; `check` may stop it."""
        return _look(self._config, self.list_files(), query, indexed, budget_s, check)

    def list_files(self) -> Sequence[Candidate]:
        """The files that may be looked into."""
        with self._lock:
            if time.monotonic() - self._listed_at > _LISTING_S:
                listed = walk(self._config)
                self._listed = [c for c in listed if not c.skip_reason and c.size_bytes <= _MAX_FILE_BYTES]
                self._listed_at = time.monotonic()
            return self._listed


def _look(
    config: Config,
    candidates: Sequence[Candidate],
    query: Query,
    indexed: Collection[str],
    budget_s: float,
    check: Callable[[], None],
) -> FirstLook:
    analysis = analyse(query.text)
    stems = list(dict.fromkeys(stem(word) for word in analysis.words))[:_MAX_WORDS]
    if not stems or "chunk" not in query.types or query.mode == "vector" or query.filters.metadata:
        return FirstLook()
    allowed = PathFilter(query.filters.file_filter, query.filters.exclude_filter)
    waiting = [
        candidate for candidate in candidates if candidate.path not in indexed and allowed.allows(candidate.path)
    ]
    waiting.sort(key=lambda c: (_standing(c.path, analysis), -_path_hits(c.path, stems), c.path))
    found, read_count = _read_all(config, waiting, stems, budget_s, check)
    _score(found, stems, read_count)
    for item in found:
        item.score *= _STANDING[_standing(item.candidate.path, analysis)]
    found.sort(key=lambda item: (-item.score, item.candidate.path))
    hits = [_hit(item, analysis, stems) for item in found[: query.limit]]
    return FirstLook(hits, read_count, len(waiting))


def _standing(path: str, analysis: Analysis) -> int:
    """0 for code, 1 for tests and examples, 2 for documents; what the query asks for counts as code."""
    facts = facts_of(path)
    if facts.is_document:
        return 0 if analysis.wants_docs else 2
    if facts.is_test:
        return 0 if analysis.wants_tests else 1
    if facts.is_copy:
        return 0 if analysis.wants_copies else 1
    return 1 if facts.is_example and not analysis.wants_examples else 0


def _path_hits(path: str, stems: Sequence[str]) -> int:
    in_path = {stem(word) for word in words(path)}
    return sum(word in in_path for word in stems)


def _read_all(
    config: Config, waiting: Sequence[Candidate], stems: Sequence[str], budget_s: float, check: Callable[[], None]
) -> tuple[list[_Read], int]:
    """The files that hold a word of the query; which words a file holds is a quick test of its lower-case text."""
    pattern = re.compile("|".join(sorted(map(re.escape, stems), key=len, reverse=True)))
    deadline = time.monotonic() + budget_s
    found: list[_Read] = []
    for number, candidate in enumerate(waiting):
        if time.monotonic() > deadline:
            return found, number
        check()
        source = read(config, candidate)
        if not isinstance(source, Source):
            continue
        text = source.text.decode("utf-8", "replace")
        counts = Counter(pattern.findall(text.lower()))
        in_path = _path_hits(candidate.path, stems)
        if counts or in_path:
            found.append(_Read(candidate, text, counts, in_path * _PATH_WEIGHT))
    return found, len(waiting)


def _score(found: Sequence[_Read], stems: Sequence[str], files: int) -> None:
    mean = sum(len(item.text) for item in found) / max(len(found), 1) or 1.0
    for word in stems:
        holding = sum(word in item.counts for item in found)
        rarity = math.log(1 + (files - holding + 0.5) / (holding + 0.5))
        for item in found:
            count = item.counts.get(word, 0)
            if count:
                length = 1 - _B + _B * len(item.text) / mean
                item.score += rarity * count * (_K1 + 1) / (count + _K1 * length)


def _hit(item: _Read, analysis: Analysis, stems: Sequence[str]) -> Hit:
    lines = [line.rstrip("\r") for line in item.text.removesuffix("\n").split("\n")]  # numbered as on disk
    lowered = [line.lower() for line in lines]
    start = _best_window(lowered, stems)
    shown = lines[start : start + _WINDOW_LINES]
    text = "\n".join(shown)
    path, first, last = item.candidate.path, start + 1, start + len(shown)
    chunk = Chunk(path, first, last, item.candidate.language, text, "", "", "", "")
    key = xxhash.xxh3_64_hexdigest(f"{path}:{first}".encode())
    return Hit(
        "chunk",
        key,
        item.score / (item.score + _HALF),
        MATCH_TYPE,
        path,
        first,
        last,
        chunk,
        None,
        highlight(text, analysis),
    )


def _best_window(lines: Sequence[str], stems: Sequence[str]) -> int:
    """Where the window begins that holds the most different words of the query, then the most of them."""
    marks = [{word for word in stems if word in line} for line in lines]
    best, best_start = (0, 0), 0
    for number, mark in enumerate(marks):
        if not mark:
            continue
        window = marks[number : number + _WINDOW_LINES // 2]
        value = (len(set().union(*window)), sum(map(len, window)))
        if value > best:
            best, best_start = value, number
    return max(best_start - 2, 0)
