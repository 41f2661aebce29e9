"""What a report may be about, as columns: functions, and chunks that hold none (class bodies, module code, documents).

Functions are candidates when a lane found them or a chunk they stand in, when the report names them or the class whose
constructor they are, or when one of the best candidates calls them. Functions within functions are part of their
outermost one, unless the report names them.
All arrays are parallel: functions first, then chunks. Built from in-memory columns only; no record is fetched.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sightline.retrieval.filters import Allowed
from sightline.retrieval.lanes import MAX_WORDS, Retrieved
from sightline.retrieval.paths import PathFacts, facts_of
from sightline.retrieval.query import Analysis
from sightline.retrieval.ranking.english import WantedWords
from sightline.retrieval.ranking.signals import evidence
from sightline.retrieval.report.locate import FUNCTIONS, Named
from sightline.retrieval.report.reading import Report

if TYPE_CHECKING:
    from sightline.retrieval.report.bodies import Bodies
    from sightline.store import Snapshot

Column = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int32]

_FUNCTIONS_KEY, _OUTERMOST_KEY = "report.functions", "report.outermost"


class Units:
    """The candidates of one report."""

    def __init__(
        self,
        snapshot: Snapshot,
        report: Report,
        analysis: Analysis,
        retrieved: Retrieved,
        named: Named,
        bodies: Bodies,
        allowed: Allowed,
        called: Mapping[int, float] | None = None,
        telling: Mapping[int, float] | None = None,
    ) -> None:
        self.snapshot, self.report, self.analysis = snapshot, report, analysis
        self.retrieved, self.named, self.bodies = retrieved, named, bodies
        self.called = called or {}  # function → how good the best candidate is that calls it
        self.telling = telling or {}  # function → what its words are worth that few of the best have
        objects, chunks = snapshot.objects, snapshot.chunks
        self._is_function = functions(snapshot)
        self.held_by: dict[int, list[int]] = {}  # chunk that a lane found → functions that stand in it
        self.functions = self._chosen(allowed.mask(objects, "object"))
        self.alone = [chunk for chunk, held in self.held_by.items() if not held]
        self.size = len(self.functions) + len(self.alone)
        of_objects, of_chunks = np.array(self.functions, np.int64), np.array(self.alone, np.int64)
        self.path_index = np.concatenate([objects.path_index[of_objects], chunks.path_index[of_chunks]])
        self.files, self.file = np.unique(self.path_index, return_inverse=True)

    def _chosen(self, mask: Mask | None) -> list[int]:
        lanes, chunks, named = self.retrieved.lanes, self.snapshot.chunks, self.named
        found = np.fromiter(dict.fromkeys((*lanes["chunk"].bm25, *lanes["chunk"].cosine)), np.int64)
        outermost = outermost_functions(self.snapshot)
        held = outermost.in_lines(chunks.path_index[found], chunks.start_line[found], chunks.end_line[found])
        self.held_by.update(zip(found.tolist(), held, strict=True))
        chosen: dict[int, None] = dict.fromkeys(position for positions in held for position in positions)
        of_lanes = (lanes["object"].bm25, lanes["object"].cosine)
        for more in (*of_lanes, named.objects, named.frames, named.constructors, self.called):
            chosen.update(dict.fromkeys(p for p in more if self._is_function[p] and (mask is None or mask[p])))
        return list(chosen)

    @cached_property
    def path_facts(self) -> list[PathFacts]:
        """What each file's path says."""
        return [facts_of(self.snapshot.paths[index]) for index in self.files.tolist()]

    @cached_property
    def wanted(self) -> WantedWords:
        """The words of the title, ready to be compared with names; rare words say more."""
        chunks, wanted = self.snapshot.chunks, self.analysis.words[:MAX_WORDS]
        return WantedWords(wanted, [math.log(1 + chunks.size / (1 + chunks.frequency(word))) for word in wanted])

    @cached_property
    def words(self) -> Column:
        """BM25 of the chunk, as a share of the best."""
        return self.of_chunks(shares(self.retrieved.lanes["chunk"].bm25))

    @cached_property
    def meaning(self) -> Column:
        """Cosine of the chunk, spread over the range that was found."""
        return self.of_chunks(spread(self.retrieved.lanes["chunk"].cosine))

    @cached_property
    def object_words(self) -> Column:
        """BM25 of the function's name, signature and documentation, as a share of the best."""
        return self.of_functions(shares(self.retrieved.lanes["object"].bm25))

    @cached_property
    def object_meaning(self) -> Column:
        """Cosine of the same, spread over the range that was found."""
        return self.of_functions(spread(self.retrieved.lanes["object"].cosine))

    def of_chunks(self, values: Mapping[int, float]) -> Column:
        """A value per chunk as one per candidate: a function has that of the best chunk it stands in."""
        best: dict[int, float] = {}
        for chunk, held in self.held_by.items():
            value = values.get(chunk, 0.0)
            for position in held:
                best[position] = max(value, best.get(position, 0.0))
        return self._column((best.get(p, 0.0) for p in self.functions), (values.get(c, 0.0) for c in self.alone))

    def of_functions(self, values: Mapping[int, float]) -> Column:
        """A value per object as one per candidate."""
        return self._column((values.get(p, 0.0) for p in self.functions), (0.0 for _ in self.alone))

    def of_files(self, values: Sequence[float]) -> Column:
        """Spread a value per file over its candidates."""
        return np.asarray(values, dtype=np.float64)[self.file]

    def of_file_numbers(self, values: Mapping[int, float]) -> Column:
        """Spread values by index of the path over the candidates."""
        return self.of_files([values.get(index, 0.0) for index in self.files.tolist()])

    def evidence(self, values: Column) -> Column:
        """Per candidate: its file's best five values, weighted, as a share of the best file's."""
        return evidence(self, values)

    def _column(self, of_functions: Iterable[float], of_alone: Iterable[float]) -> Column:
        return np.fromiter((*of_functions, *of_alone), np.float64, self.size)


class Outermost:
    """The functions that stand in no other function, in the order of file and line. They never overlap."""

    def __init__(self, snapshot: Snapshot) -> None:
        objects = snapshot.objects
        chosen = np.flatnonzero(functions(snapshot))
        begins = _key(objects.path_index[chosen], objects.start_line[chosen])
        ends = _key(objects.path_index[chosen], objects.end_line[chosen])
        order = np.lexsort((-ends, begins))
        begins, ends, chosen = begins[order], ends[order], chosen[order]
        reached = np.maximum.accumulate(ends) if len(ends) else ends
        outer = np.ones(len(begins), np.bool_)
        outer[1:] = begins[1:] > reached[:-1]
        self._begins, self._ends, self._positions = begins[outer], ends[outer], chosen[outer]

    def in_lines(self, files: Numbers, first: Numbers, last: Numbers) -> list[list[int]]:
        """For each stretch of lines of a file, the functions that have a line in it."""
        start = np.searchsorted(self._ends, _key(files, first), side="left").tolist()
        end = np.searchsorted(self._begins, _key(files, last), side="right").tolist()
        return [self._positions[a:b].tolist() for a, b in zip(start, end, strict=True)]

    def of_file(self, file: int) -> list[int]:
        """The functions of a file, by its index."""
        start, end = np.searchsorted(self._begins, np.array([file, file + 1], np.int64) << 32)
        positions: list[int] = self._positions[start:end].tolist()
        return positions


def outermost_functions(snapshot: Snapshot) -> Outermost:
    """The outermost functions of a snapshot, made ready once."""
    return snapshot.objects.once(_OUTERMOST_KEY, lambda: Outermost(snapshot))


def _key(files: Numbers, lines: Numbers) -> npt.NDArray[np.int64]:
    return (files.astype(np.int64) << 32) | lines


def functions(snapshot: Snapshot) -> Mask:
    """Which objects are functions; worked out once per snapshot."""
    return snapshot.objects.once(_FUNCTIONS_KEY, lambda: _find_functions(snapshot))


def _find_functions(snapshot: Snapshot) -> Mask:
    kinds = snapshot.objects.column("kind")
    chosen = np.logical_or.reduce([kinds.mask(kind) for kind in FUNCTIONS])
    return np.asarray(snapshot.objects.alive & chosen)


def shares(found: Mapping[int, float]) -> dict[int, float]:
    """Scores as shares of the best."""
    best = max(found.values(), default=0.0)
    return {position: value / best for position, value in found.items()} if best > 0 else {}


def spread(found: Mapping[int, float]) -> dict[int, float]:
    """Scores over the range that was found: worst 0, best 1."""
    if not found:
        return {}
    low, high = min(found.values()), max(found.values())
    return {position: (value - low) / ((high - low) or 1.0) for position, value in found.items()}
