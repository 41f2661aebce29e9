"""The code candidates of one search as columns: what the ranking signals look at.

Built once per search from in-memory columns only; no record is fetched. All arrays are parallel to `keys`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sightline.retrieval.candidates import Candidates, Key
from sightline.retrieval.lanes import Retrieved
from sightline.retrieval.paths import PathFacts, facts_of
from sightline.retrieval.query import Analysis
from sightline.retrieval.words import WantedWords

if TYPE_CHECKING:
    from sightline.store import Snapshot

Column = npt.NDArray[np.float64]


class View:
    """Columns of the candidates that are code."""

    def __init__(self, snapshot: Snapshot, analysis: Analysis, retrieved: Retrieved, found: Candidates) -> None:
        self.snapshot, self.analysis, self.retrieved, self.found = snapshot, analysis, retrieved, found
        self.keys: list[Key] = found.code()
        self.size = len(self.keys)
        self._matches: dict[str, float] = {}
        chunks, objects = snapshot.chunks, snapshot.objects
        self.chunk = np.array([found.chunk_of.get(key, -1) for key in self.keys], dtype=np.int64)
        self.object = np.array([found.object_of.get(key, -1) for key in self.keys], dtype=np.int64)
        rows = [(chunks if key.type == "chunk" else objects, key.position) for key in self.keys]
        self.path_index = np.array([table.path_index[position] for table, position in rows], dtype=np.int64)
        self.start_line = np.array([table.start_line[position] for table, position in rows], dtype=np.int64)
        self.end_line = np.array([table.end_line[position] for table, position in rows], dtype=np.int64)
        # Files in order of first appearance; `file` gives each candidate's place in that list.
        self.files, self.file = np.unique(self.path_index, return_inverse=True)
        self.paths: list[str] = [snapshot.paths[index] for index in self.files]

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

    @cached_property
    def defined_here(self) -> list[list[int]]:
        """Per candidate, the positions of the objects whose definition begins in it."""
        objects = self.snapshot.objects
        parents = objects.column("parent")  # 0 for the object that stands for the file itself
        of_file: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]] = []
        for path in self.paths:
            positions = objects.positions_of_path(path)
            of_file.append((positions, objects.start_line[positions]))
        out: list[list[int]] = []
        for file, start, end, key in zip(self.file, self.start_line, self.end_line, self.keys, strict=True):
            if key.type == "object":
                out.append([key.position])
                continue
            positions, lines = of_file[file]
            inside = positions[(lines >= start) & (lines <= end)].tolist()
            out.append([position for position in inside if parents[position]])
        return out
