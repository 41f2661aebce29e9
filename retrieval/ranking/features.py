"""The code candidates of one search as columns: what the ranking signals look at.

Built once per search from in-memory columns only; no record is fetched. All arrays are parallel to `keys`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sightline.retrieval.candidates import Candidates, Key
from sightline.retrieval.lanes import Retrieved
from sightline.retrieval.lineindex import object_lines
from sightline.retrieval.paths import PathFacts, facts_of
from sightline.retrieval.query import Analysis
from sightline.retrieval.ranking.english import WantedWords

if TYPE_CHECKING:
    from sightline.store import Snapshot

Column = npt.NDArray[np.float64]


class Features:
    """Columns of the candidates that are code."""

    def __init__(self, snapshot: Snapshot, analysis: Analysis, retrieved: Retrieved, found: Candidates) -> None:
        self.snapshot, self.analysis, self.retrieved, self.found = snapshot, analysis, retrieved, found
        self.keys: list[Key] = found.code()
        self.size = len(self.keys)
        self._matches: dict[str, float] = {}
        chunks, objects = snapshot.chunks, snapshot.objects
        self.chunk = np.array([found.chunk_of.get(key, -1) for key in self.keys], dtype=np.int64)
        self.object = np.array([found.object_of.get(key, -1) for key in self.keys], dtype=np.int64)
        at = np.array([key.position for key in self.keys], dtype=np.int64)
        is_object = np.array([key.type == "object" for key in self.keys], dtype=np.bool_)
        self.path_index = _either(is_object, objects.path_index, chunks.path_index, at)
        self.start_line = _either(is_object, objects.start_line, chunks.start_line, at)
        self.end_line = _either(is_object, objects.end_line, chunks.end_line, at)
        # The files, and for each candidate its place among them.
        self.files, self.file = np.unique(self.path_index, return_inverse=True)
        self.paths: list[str] = [snapshot.paths[index] for index in self.files.tolist()]

    @cached_property
    def path_facts(self) -> list[PathFacts]:
        """What each file's path says."""
        return [facts_of(path) for path in self.paths]

    @cached_property
    def bm25(self) -> Column:
        """BM25 of the chunk, as a share of the best; 0 where BM25 did not find it."""
        return self._share("chunk", self.chunk, "bm25")

    @cached_property
    def cosine(self) -> Column:
        """Cosine of the chunk, spread over the range that was found: worst 0, best 1."""
        return self._spread("chunk", self.chunk)

    @cached_property
    def object_cosine(self) -> Column:
        """Cosine of the object that the candidate defines, spread over the range that was found."""
        return self._spread("object", self.object)

    def _share(self, lane: str, positions: npt.NDArray[np.int64], which: str) -> Column:
        found: dict[int, float] = getattr(self.retrieved.lanes[lane], which)  # type: ignore[index]
        best = max(found.values(), default=0.0)
        if best <= 0:
            return np.zeros(self.size)
        return np.array([found.get(position, 0.0) for position in positions.tolist()]) / best

    def _spread(self, lane: str, positions: npt.NDArray[np.int64]) -> Column:
        found = self.retrieved.lanes[lane].cosine  # type: ignore[index]
        if not found:
            return np.zeros(self.size)
        low, high = min(found.values()), max(found.values())
        width = high - low or 1.0
        return (np.array([found.get(position, low) for position in positions.tolist()]) - low) / width

    @cached_property
    def coverage(self) -> Column:
        """The share of the query's words, by importance, that the chunk has at all, in any of their forms."""
        share, least = self.retrieved.words.coverage, self.retrieved.words.least_coverage
        return np.array([min(1.0, share.get(position, least)) for position in self.chunk.tolist()])

    def of_files(self, values: Sequence[float]) -> Column:
        """Spread a value per file over its candidates."""
        return np.asarray(values, dtype=np.float64)[self.file]

    @cached_property
    def wanted(self) -> WantedWords:
        """The query's topic words, ready to be compared with names."""
        return WantedWords(self.retrieved.words.wanted, self.retrieved.words.importance)

    def name_match(self, name: str) -> float:
        """How well a name says what is wanted; remembered within the search."""
        found = self._matches.get(name)
        if found is None:
            found = self._matches[name] = self.wanted.match(name)
        return found

    def defined_in(self, candidate: int) -> list[int]:
        """The positions of the objects whose definition begins in a candidate."""
        key = self.keys[candidate]
        if key.type == "object":
            return [key.position]
        first, last = self._defined
        defined: list[int] = object_lines(self.snapshot).positions[first[candidate] : last[candidate]].tolist()
        return defined

    @cached_property
    def named(self) -> list[tuple[int, int]]:
        """Candidates and objects that begin in them, where the query has the object's name, in whatever style."""
        names, wanted = self.snapshot.objects.column("name"), {folded(name) for name in self.analysis.symbols}
        if not wanted:
            return []
        at, of = self._all_defined
        places = at.tolist()
        hits = [n for n, name in enumerate(map(folded, map(names.__getitem__, places))) if name in wanted]
        return [(int(of[n]), places[n]) for n in hits]

    @cached_property
    def only_definition(self) -> npt.NDArray[np.bool_]:
        """The candidates in the one file that defines the name which is the query: it is meant, wherever it lies."""
        names, only = self.snapshot.objects.column("name"), np.zeros(self.size, np.bool_)
        if self.analysis.names_code:
            defining = [i for i, position in self.named if names[position] in self.analysis.symbols]
            only[defining] = len(np.unique(self.file[defining])) == 1
        return only

    @cached_property
    def _all_defined(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The objects that begin in candidates, in the order of these, and the candidate of each: all at once."""
        first, last = self._defined
        alone = np.array([key.type == "object" for key in self.keys], dtype=np.bool_)
        counts = np.where(alone, 1, last - first)
        of = np.repeat(np.arange(self.size), counts)
        within = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
        positions = np.array([key.position for key in self.keys], dtype=np.int64)
        by_line = object_lines(self.snapshot).positions
        if not len(by_line):
            return positions[of], of
        at = np.where(alone[of], positions[of], by_line[np.minimum(first[of] + within, len(by_line) - 1)])
        return at, of

    @cached_property
    def _defined(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """For each candidate, from where to where the objects that begin in it stand in their order of places."""
        return object_lines(self.snapshot).between(self.path_index, self.start_line, self.end_line)


@lru_cache(maxsize=50_000)
def folded(name: str) -> str:
    """A name without what differs between styles and languages: case, underscores, sigils."""
    return name.replace("_", "").replace("$", "").lower()


def _either(
    first: npt.NDArray[np.bool_], a: npt.NDArray[np.int32], b: npt.NDArray[np.int32], at: npt.NDArray[np.int64]
) -> npt.NDArray[np.int32]:
    """Take `a` at the positions where `first` holds, `b` elsewhere."""
    if not first.any():
        return b[at]
    out = np.empty(len(at), np.int32)
    out[first], out[~first] = a[at[first]], b[at[~first]]
    return out
