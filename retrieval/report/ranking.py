"""Which functions a report is about: named signals, one function each, as for questions.

A function is as good as what is known of it plus what is known of its file. Frames and names are facts, words and
meaning are hints. Further functions of a file are held back a little (`SAME_FILE`), so that where one file stands out,
several of its functions come, and where none does, several files. However far one stands out, the first ten places
have three files (`FURTHER`): the likeliest one is the right one in little more than half of all reports.

The functions are ranked twice: what the best of the first time call in their file has none of the report's words, and
is as often where the fault is. And among the best, a word that few of them have says more than one that all have.

What the first steps gave, on 47 instances of SWE-bench Verified that are not in Lite (`scripts/bench issues`, source
only; file Acc@1 / 3 / 5, function Acc@10): ranked as a question 47 / 70 / 79, 17; words and meaning 51 / 72 / 83, 43;
the same of their files 57 / 83 / 89, 48; the words of their own lines 57 / 87 / 89, 55; names and paths 64 / 91 / 91,
57; frames 64 / 91 / 94, 64. The later ones, and what was tried in vain, are in docs/ISSUES.md. Weights were set by hand
and kept round.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from sightline.retrieval import fuse
from sightline.retrieval.candidates import Candidates, Key, definition_chunks
from sightline.retrieval.filters import Allowed
from sightline.retrieval.lanes import Retrieved
from sightline.retrieval.paths import facts_of
from sightline.retrieval.query import Analysis
from sightline.retrieval.ranking.english import name_words
from sightline.retrieval.ranking.rerank import Ranking, Tie, Why, strength
from sightline.retrieval.report.bodies import Bodies
from sightline.retrieval.report.locate import locate
from sightline.retrieval.report.reading import Report
from sightline.retrieval.report.units import Column, Units, shares
from sightline.types import Query

if TYPE_CHECKING:
    from sightline.store import Snapshot

SAME_FILE = 0.9  # what each further candidate of a file keeps of its score
PLACES, FURTHER = 10, 7  # of the first places, so many are for further candidates of files that have one there
SAME_NAME = 0.5  # and what one keeps that bears the name of an earlier one: overloads, a property's parts
_FRAME_STEP = 0.5  # of what is left up to 1: the innermost frame of a bare trace
_TEST_FRAME = 0.1  # a test's frame as a share of others: it says how the fault was met


@dataclass(frozen=True, slots=True)
class Signal:
    """A reason to place a candidate higher (weight > 0), or to take that share of its score away (weight < 0)."""

    name: str
    value: Callable[[Units], Column]
    weight: float

    def added(self, units: Units, total: Column) -> Column:
        """What the signal adds to the score so far."""
        values = self.value(units)
        return self.weight * values if self.weight > 0 else self.weight * values * total


def words(units: Units) -> Column:
    """BM25 of the chunk."""
    return units.words


def meaning(units: Units) -> Column:
    """Cosine similarity of the chunk."""
    return units.meaning


def object_words(units: Units) -> Column:
    """BM25 of the function's name, signature and documentation."""
    return units.object_words


def object_meaning(units: Units) -> Column:
    """Cosine similarity of the same."""
    return units.object_meaning


def own_words(units: Units) -> Column:
    """The share of the report's words, by worth and rarity, that the function's own lines have."""
    return units.of_functions(shares(units.bodies.covered(units)))


def named(units: Units) -> Column:
    """The report has the function's name, the more telling the place where it stands and the rarer the name."""
    return units.of_functions(units.named.objects)


def framed(units: Units) -> Column:
    """A stack trace passes through the function; the innermost counts most."""
    return units.of_functions(units.named.frames)


def name_asked(units: Units) -> Column:
    """How well the function's name says what the title says."""
    names = units.snapshot.objects.column("name")
    return units.of_functions({position: units.wanted.match(names[position]) for position in units.functions})


def called(units: Units) -> Column:
    """One of the best candidates calls the function, or at least says its name, in the same file."""
    return units.of_functions(units.called)


def telling(units: Units) -> Column:
    """The function has words of the report that few of the best candidates have."""
    return units.of_functions(shares(units.telling))


def makes(units: Units) -> Column:
    """The function is the constructor of a class that the report names."""
    return units.of_functions(units.named.constructors)


def file_words(units: Units) -> Column:
    """BM25 of the file's best chunks together."""
    return units.evidence(units.words)


def file_meaning(units: Units) -> Column:
    """Similarity of the file's best chunks together."""
    return units.evidence(units.meaning)


def file_object_words(units: Units) -> Column:
    """BM25 of the file's best functions together."""
    return units.evidence(units.object_words)


def file_object_meaning(units: Units) -> Column:
    """Similarity of the file's best functions together."""
    return units.evidence(units.object_meaning)


def file_defines(units: Units) -> Column:
    """The file defines what the report names, classes and constants too."""
    path_index = units.snapshot.objects.path_index
    by_file: dict[int, list[float]] = {}
    for position, worth in units.named.objects.items():
        by_file.setdefault(int(path_index[position]), []).append(worth)
    together = {}
    for file, worths in by_file.items():
        best, *others = sorted(worths, reverse=True)[:5]
        together[file] = min(2.0, best + 0.3 * sum(others)) / 2
    return units.of_file_numbers(together)


def file_named(units: Units) -> Column:
    """The report names the file, as a path or as a module."""
    return units.of_file_numbers(units.named.files)


def file_framed(units: Units) -> Column:
    """A stack trace passes through the file."""
    return units.of_file_numbers(units.named.framed_files)


def file_name_asked(units: Units) -> Column:
    """The share of the file's name that the title says."""
    return units.of_files([units.wanted.covering(facts.stem) for facts in units.path_facts])


def folder_asked(units: Units) -> Column:
    """The share of the folder's name that the title says: `postgresql/client.py`, not `mysql/client.py`."""
    folders = [units.snapshot.paths[index].split("/")[-2:-1] for index in units.files.tolist()]
    return units.of_files([units.wanted.covering(name_words(folder[0])) if folder else 0.0 for folder in folders])


def no_function(units: Units) -> Column:
    """Code outside of functions is changed less often than functions are."""
    return np.concatenate([np.zeros(len(units.functions)), np.ones(len(units.alone))])


def tests(units: Units) -> Column:
    """Test code: a report quotes tests, and is about what they test."""
    return units.of_files([float(facts.is_test) for facts in units.path_facts]) * (not units.analysis.wants_tests)


def documents(units: Units) -> Column:
    """Prose and data, change logs above all, which tell of every name."""
    values = units.of_files([float(facts.is_document or facts.in_documents) for facts in units.path_facts])
    return values * (not units.analysis.wants_docs)


def generated(units: Units) -> Column:
    """What a tool wrote: it is changed where it is made from."""
    return units.of_files([float(facts.is_generated) for facts in units.path_facts])


def examples(units: Units) -> Column:
    """Examples and benchmarks."""
    values = units.of_files([float(facts.is_example) for facts in units.path_facts])
    return values * (not units.analysis.wants_examples)


def copies(units: Units) -> Column:
    """Vendored, compatibility and legacy code."""
    return units.of_files([float(facts.is_copy) for facts in units.path_facts]) * (not units.analysis.wants_copies)


SIGNALS: tuple[Signal, ...] = (
    Signal("words", words, 0.3),
    Signal("own_words", own_words, 0.3),
    Signal("meaning", meaning, 0.2),
    Signal("object_words", object_words, 0.2),
    Signal("object_meaning", object_meaning, 0.3),
    Signal("named", named, 0.8),
    Signal("framed", framed, 1.5),
    Signal("name_asked", name_asked, 0.2),
    Signal("called", called, 0.5),
    Signal("telling", telling, 0.3),
    Signal("makes", makes, 0.2),
    Signal("file_words", file_words, 0.5),
    Signal("file_meaning", file_meaning, 0.4),
    Signal("file_object_words", file_object_words, 0.2),
    Signal("file_object_meaning", file_object_meaning, 0.3),
    Signal("file_defines", file_defines, 0.8),
    Signal("file_named", file_named, 0.5),
    Signal("file_framed", file_framed, 0.5),
    Signal("file_name_asked", file_name_asked, 0.2),
    Signal("folder_asked", folder_asked, 0.2),
    Signal("no_function", no_function, -0.05),
    Signal("tests", tests, -0.5),
    Signal("documents", documents, -0.6),
    Signal("generated", generated, -0.5),
    Signal("examples", examples, -0.4),
    Signal("copies", copies, -0.3),
)
_MOST = sum(signal.weight for signal in SIGNALS if signal.weight > 0)
SIGNAL_NAMES = (*(signal.name for signal in SIGNALS), "same_file")


def ranks(query: Query) -> bool:
    """Is the order ours? A mode, a strategy, relationships alone or a metadata filter have their own."""
    by_default = query.rerank and query.mode == "hybrid" and query.strategy == "rrf"
    return by_default and not query.filters.metadata and bool({"chunk", "object"} & set(query.types))


def rank(
    snapshot: Snapshot,
    query: Query,
    report: Report,
    analysis: Analysis,
    retrieved: Retrieved,
    found: Candidates,
    *,
    allowed: Allowed,
    tie: Tie,
    why: Why,
    without: frozenset[str] = frozenset(),
) -> Ranking:
    """Order what a report may be about; fills `why` when the query asks for it."""
    bodies = Bodies(snapshot)
    candidates = partial(Units, snapshot, report, analysis, retrieved, locate(snapshot, report), bodies, allowed)
    units = candidates()
    total, parts = _scored(units, without)
    if not {"called", "telling"} <= without:
        called = bodies.called(units, total) if "called" not in without else {}
        telling = bodies.telling(units, total, called) if "telling" not in without else {}
        units = candidates(called, telling)
        total, parts = _scored(units, without)
    relevance = np.clip(total / _MOST, 0.0, 1.0) * strength(retrieved)
    keys = _keys(units, query, found)
    scores: dict[Key, float] = {}
    for i, key in enumerate(keys):
        if key is not None and relevance[i] >= scores.get(key, 0.0):
            scores[key] = float(relevance[i])
            if query.explain:
                why[key] = {name: float(column[i]) for name, column in parts.items() if column[i]}
    if "same_file" not in without:
        scores = _with_room(snapshot, _held_back(snapshot, scores, tie, why), tie)
    if report.is_trace:
        _raise_frames(units, scores)
    return fuse.ordered(scores, tie)


def _scored(units: Units, without: frozenset[str]) -> tuple[Column, dict[str, Column]]:
    """Add the signals up; what each added is told too."""
    total, parts = np.zeros(units.size), {}
    for signal in SIGNALS:
        if signal.name not in without:
            parts[signal.name] = added = signal.added(units, total)
            total = total + added
    return total, parts


def _keys(units: Units, query: Query, found: Candidates) -> list[Key | None]:
    """The candidates by name: functions as objects, and as their chunks where objects are not wanted."""
    chunks = definition_chunks(units.snapshot, np.array(units.functions, np.int64)).tolist()
    keys: list[Key | None] = []
    for position, chunk in zip(units.functions, chunks, strict=True):
        key = Key("object", position) if "object" in query.types else Key("chunk", chunk)
        if key.position < 0:
            keys.append(None)
            continue
        if chunk >= 0:
            found.chunk_of[key] = chunk
        found.object_of[key] = position
        if position in units.named.frames or units.named.objects.get(position, 0.0) >= 0.5:
            found.named.add(key)
        keys.append(key)
    for chunk in units.alone:
        key = Key("chunk", chunk)
        found.chunk_of[key] = chunk
        keys.append(key)
    return keys


def _raise_frames(units: Units, scores: dict[Key, float]) -> None:
    """Put the frames of a trace that is the whole question before everything else, those of tests last."""
    best = max(scores.values(), default=0.0)
    paths, path_index = units.snapshot.paths, units.snapshot.objects.path_index
    for position, worth in units.named.frames.items():
        key = Key("object", position)
        if key in scores:
            share = _TEST_FRAME if facts_of(paths[path_index[position]]).is_test else 1.0
            scores[key] = best + (1.0 - best) * _FRAME_STEP * worth * share


def _held_back(snapshot: Snapshot, scores: dict[Key, float], tie: Tie, why: Why) -> dict[Key, float]:
    """Hold back further candidates of a file, and more so those of the same name."""
    seen: dict[int, int] = {}
    named: dict[tuple[int, str], int] = {}
    out: dict[Key, float] = {}
    rows = {"object": snapshot.objects.path_index, "chunk": snapshot.chunks.path_index}
    qualified = snapshot.objects.column("qualified_name")
    for key, value in fuse.ordered(scores, tie):
        file = int(rows[key.type][key.position])
        before, same = seen.get(file, 0), 0
        seen[file] = before + 1
        if key.type == "object":
            name = (file, qualified[key.position])
            same = named.get(name, 0)
            named[name] = same + 1
        out[key] = value * SAME_FILE**before * SAME_NAME**same
        if before and key in why:
            why[key]["same_file"] = out[key] - value
    return out


def _with_room(snapshot: Snapshot, scores: dict[Key, float], tie: Tie) -> dict[Key, float]:
    """Of the first places, keep some for files that have none yet; what has to wait comes right behind them."""
    rows = {"object": snapshot.objects.path_index, "chunk": snapshot.chunks.path_index}
    first: list[tuple[Key, float]] = []
    waiting: list[tuple[Key, float]] = []
    files: set[int] = set()
    for key, value in fuse.ordered(scores, tie):
        file = int(rows[key.type][key.position])
        if file in files and len(first) - len(files) >= FURTHER:
            waiting.append((key, value))
            continue
        first.append((key, value))
        files.add(file)
        if len(first) == PLACES:
            break
    out = dict(scores)
    if len(first) == PLACES:  # else there are no other files to make room for
        below = first[-1][1]
        for key, value in waiting:
            below = out[key] = min(value, math.nextafter(below, 0.0))
    return out
