"""What functions say themselves: a chunk may hold several functions, and BM25 knows chunks only.

The one part of the ranking that reads text: of the best chunks and the best functions only, and each chunk once.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from sightline.retrieval.report.units import Column, Units, outermost_functions
from sightline.tokens import identifiers, terms_in

if TYPE_CHECKING:
    from sightline.store import Snapshot

MAX_CHUNKS = 60  # whose text is read, best first
CALLERS = 10  # functions whose own text is read for what they call
COMPARED = 100  # functions whose own text is read to be compared with each other
_MIN_NAME_CHARS = 3  # shorter names are variables'


class Bodies:
    """The texts of a report's candidates, as far as they were read."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._lines: dict[int, list[str]] = {}  # of chunks
        self._terms: dict[tuple[int, int], set[str]] = {}  # of a function's lines in a chunk
        self._covered: dict[int, float] | None = None

    def covered(self, units: Units) -> dict[int, float]:
        """Function → the sum of what the words are worth that its lines in the best chunks have; read once."""
        if self._covered is None:
            self._covered = self._find_covered(units)
        return self._covered

    def _find_covered(self, units: Units) -> dict[int, float]:
        chunks = self._snapshot.chunks
        found = units.retrieved.lanes["chunk"].bm25
        best = [chunk for chunk in sorted(found, key=lambda chunk: -found[chunk]) if units.held_by[chunk]][:MAX_CHUNKS]
        worth = {
            term: boost * math.log(1 + chunks.size / max(1, chunks.frequency(term)))
            for term, boost in units.analysis.terms.items()
        }
        self._read(best)
        had: dict[int, set[str]] = {}
        for chunk in best:
            for position in units.held_by[chunk]:
                had.setdefault(position, set()).update(worth.keys() & self._own_terms(chunk, position))
        return {position: sum(worth[term] for term in terms) for position, terms in had.items()}

    def called(self, units: Units, total: Column) -> dict[int, float]:
        """Function → how good the best candidate is that says its name, of the same file.

        What a report describes is what a function does with its helpers, and the fault is as often in these. A name
        that several candidates bear says less of each: it is called everywhere.
        """
        callers = [i for i in np.argsort(-total, kind="stable").tolist() if i < len(units.functions)][:CALLERS]
        if not callers:
            return {}
        best = float(total[callers[0]]) or 1.0
        said = self._names_in([units.functions[i] for i in callers])
        defined = {file: self._defined(file) for file in {int(units.path_index[i]) for i in callers}}
        column = self._snapshot.objects.column("name")
        bearers = Counter(column[position] for position in units.functions)
        found: dict[int, float] = {}
        for i, names in zip(callers, said, strict=True):
            by_name = defined[int(units.path_index[i])]
            for name in names & by_name.keys():
                worth = float(total[i]) / best / (1 + math.log2(max(bearers[name], len(by_name[name]))))
                for position in by_name[name]:
                    found[position] = max(worth, found.get(position, 0.0))
        return found

    def telling(self, units: Units, total: Column, called: Iterable[int]) -> dict[int, float]:
        """Function → the sum of what the words are worth that its lines, its name and its path have, for the best
        functions and those they call. A word is worth the more, the fewer of these have it.

        What all candidates have found each of them; what only one has tells it from the others.
        """
        best = [i for i in np.argsort(-total, kind="stable").tolist() if i < len(units.functions)][:COMPARED]
        compared = list(dict.fromkeys([*(units.functions[i] for i in best), *called]))
        boosts = units.analysis.terms
        had = [boosts.keys() & terms for terms in self._all_terms(compared)]
        bearers = Counter(term for terms in had for term in terms)
        worth = {term: boosts[term] * math.log(1 + len(had) / (1 + count)) for term, count in bearers.items()}
        return {
            position: math.fsum(worth[term] for term in terms) for position, terms in zip(compared, had, strict=True)
        }

    def _all_terms(self, functions: Sequence[int]) -> list[set[str]]:
        """For each function, the terms of its path, its qualified name and its own lines."""
        objects = self._snapshot.objects
        qualified = objects.column("qualified_name")
        held = [self._chunks_of(position) for position in functions]
        self._read([chunk for chunks in held for chunk in chunks])
        return [
            terms_in(f"{objects.path(position)} {qualified[position]}").union(
                *(self._own_terms(chunk, position) for chunk in chunks)
            )
            for position, chunks in zip(functions, held, strict=True)
        ]

    def _defined(self, file: int) -> dict[str, list[int]]:
        """The functions of a file by name."""
        names = self._snapshot.objects.column("name")
        by_name: dict[str, list[int]] = {}
        for position in outermost_functions(self._snapshot).of_file(file):
            by_name.setdefault(names[position], []).append(position)
        return by_name

    def _names_in(self, functions: Sequence[int]) -> list[set[str]]:
        """For each function, the names that its own lines have, its own name left out."""
        names = self._snapshot.objects.column("name")
        held = [self._chunks_of(position) for position in functions]
        self._read([chunk for chunks in held for chunk in chunks])
        said = []
        for position, chunks in zip(functions, held, strict=True):
            own = set(identifiers("\n".join(self._own_lines(chunk, position) for chunk in chunks)))
            said.append({name for name in own if len(name) >= _MIN_NAME_CHARS and name != names[position]})
        return said

    def _chunks_of(self, position: int) -> list[int]:
        """The chunks that a function stands in."""
        objects, chunks = self._snapshot.objects, self._snapshot.chunks
        of_file = chunks.positions_of_path(objects.path(position))
        inside = (chunks.start_line[of_file] <= objects.end_line[position]) & (
            chunks.end_line[of_file] >= objects.start_line[position]
        )
        return [int(chunk) for chunk in of_file[inside]]

    def _read(self, wanted: Sequence[int]) -> None:
        missing = [chunk for chunk in dict.fromkeys(wanted) if chunk not in self._lines]
        for chunk, record in zip(missing, self._snapshot.chunks.get(missing), strict=True):
            self._lines[chunk] = record.text.split("\n")

    def _own_terms(self, chunk: int, position: int) -> set[str]:
        """The terms of the lines of a chunk that are a function's; worked out once."""
        terms = self._terms.get((chunk, position))
        if terms is None:
            terms = self._terms[chunk, position] = terms_in(self._own_lines(chunk, position))
        return terms

    def _own_lines(self, chunk: int, position: int) -> str:
        """The lines of a chunk that are a function's."""
        objects, begins = self._snapshot.objects, int(self._snapshot.chunks.start_line[chunk])
        first, last = int(objects.start_line[position]) - begins, int(objects.end_line[position]) - begins
        return "\n".join(self._lines[chunk][max(0, first) : last + 1])
