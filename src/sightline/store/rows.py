"""One table of a snapshot: light columns in memory, full records on demand.

A row is addressed by its position. Positions only ever grow: a newer generation appends the rows of replaced files and
marks the old ones dead, sharing the buffers with the older snapshot, so that following a one-file edit costs
milliseconds whatever the size of the index. When the tables were compacted everything is read anew.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import tantivy

from sightline.store import schema, vectors
from sightline.store.columns import Buffer, Categories, Category, Mask, Paths, Strings
from sightline.store.embeddings import ExactHolder, Held, Holder, SketchHolder
from sightline.store.lexical import LexicalIndex
from sightline.store.longcolumns import LongColumns
from sightline.store.seam import reading
from sightline.types import Chunk, Object, Relationship

if TYPE_CHECKING:
    from sightline.types import Vector

T = TypeVar("T", Chunk, Object, Relationship)
V = TypeVar("V")

_TERM_SET_FILES = 2_000  # up to so many allowed files tantivy filters itself; beyond, hits are filtered and re-asked
_MOST_ASKED = 1_000  # rows asked for to have all that are as good as the last one of a list
_BATCH_ROWS = 32_768  # rows that are read at a time
_OVERFETCH = 4  # how much more to ask for when hits are filtered afterwards


class Ranked(NamedTuple):
    """Positions of rows with their scores, best first; ties are ordered by path, line and id."""

    positions: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float32]


EMPTY = Ranked(np.empty(0, np.int64), np.empty(0, np.float32))


@dataclass(frozen=True)
class TableSpec(Generic[T]):
    """Which columns of a table are held in memory, and how a row becomes a record."""

    name: str
    numbers: Mapping[str, npt.DTypeLike]
    categories: tuple[str, ...]
    strings: tuple[str, ...]
    record: Callable[[dict[str, Any]], T]
    record_columns: tuple[str, ...]


CHUNKS: TableSpec[Chunk] = TableSpec(
    "chunks",
    {"start_line": np.int32, "end_line": np.int32},
    ("language", "kind"),
    ("symbol",),
    schema.chunk_of,
    ("path", "start_line", "end_line", "language", "symbol", "kind", "signature", "text", "context"),
)
OBJECTS: TableSpec[Object] = TableSpec(
    "objects",
    {"start_line": np.int32, "end_line": np.int32, "parent": np.uint64},
    ("language", "kind", "visibility"),
    ("name", "qualified_name"),
    schema.object_of,
    (
        "id", "version", "path", "start_line", "end_line", "name", "qualified_name", "kind", "language", "visibility",
        "parent", "signature", "doc",
    ),
)  # fmt: skip
RELATIONSHIPS: TableSpec[Relationship] = TableSpec(
    "relationships",
    {"start_line": np.int32, "source": np.uint64, "target": np.uint64, "confidence": np.float32},
    ("relationship_type", "resolution", "label"),
    (),
    schema.relationship_of,
    (
        "id", "path", "start_line", "relationship_type", "resolution", "confidence", "source", "target", "source_name",
        "target_name", "target_path", "label",
    ),
)  # fmt: skip


class _Buffers:
    """The growing columns of one table, shared by the snapshots that follow each other."""

    def __init__(self, spec: TableSpec[Any], holder: Holder | None) -> None:
        self.ids = Buffer(np.uint64)
        self.addresses = Buffer(np.uint64)  # LanceDB row addresses; ascending, because rows are read in order
        self.path_index = Buffer(np.int32)
        self.numbers = {name: Buffer(dtype) for name, dtype in spec.numbers.items()}
        self.categories = {name: Categories() for name in spec.categories}
        self.strings: dict[str, Strings] = {}
        for name in spec.strings:  # in C a name and the same name qualified are nearly always the same
            self.strings[name] = Strings(next(iter(self.strings.values()), None))
        self.vectors = holder  # of the rows that have one, in their order
        self.embedded = Buffer(np.int32)  # the positions of these rows
        self.slots = Buffer(np.int32)  # position → slot in `vectors`, -1 = no embedding

    def reserve(self, more: int) -> None:
        """Have room for so many more rows; what is not used takes no memory."""
        buffers = [self.ids, self.addresses, self.path_index, self.embedded, self.slots, *self.numbers.values()]
        for buffer in (*buffers, *(categories.codes for categories in self.categories.values())):
            buffer.reserve(more)
        if self.vectors is not None:
            self.vectors.reserve(more)

    def append(self, table: pa.Table, paths: Paths, dim: int) -> None:
        self.ids.append(table["id"].to_numpy())
        self.addresses.append(table["_rowid"].to_numpy())
        encoded = Categories()
        encoded.append(table["path"])
        numbers = paths.numbers(encoded.names)
        if len(table):
            self.path_index.append(numbers[encoded.codes.view()])
        for name, buffer in self.numbers.items():
            buffer.append(table[name].to_numpy())
        for name, categories in self.categories.items():
            categories.append(table[name])
        first: pa.ChunkedArray | None = None
        for name, strings in self.strings.items():
            strings.append(table[name], first)
            first = table[name] if first is None else first
        if self.vectors is not None:
            stored, present = schema.stored_vectors(table["vector"], dim)
            start, place = self.ids.count - len(present), self.vectors.count
            self.vectors.append(stored)
            self.embedded.append(np.flatnonzero(present) + start)
            self.slots.append(np.where(present, np.cumsum(present) - 1 + place, -1))


def _holder(dataset: Any, dim: int) -> Holder | None:
    """How the embeddings of a table are held in memory; None where the index is asked."""
    count = dataset.count_rows()
    if not vectors.scanned(count, dim):
        count = dataset.count_rows(filter="vector IS NOT NULL")
    if vectors.scanned(count, dim):
        return ExactHolder(dim)
    if vectors.held(count, dim) or schema.stored_as(dataset.schema) == schema.NARROW:  # which has no index yet
        return SketchHolder(dim)
    return None


_ById = tuple[npt.NDArray[np.uint64], npt.NDArray[np.int32]]  # keys in their order, and the positions of their rows


class Rows(Generic[T]):
    """One table at one generation."""

    def __init__(
        self,
        spec: TableSpec[T],
        dataset: Any,
        dim: int,
        full_dim: int,
        paths: Paths,
        lexical: LexicalIndex,
        searcher: tantivy.Searcher,
        *,
        base: Rows[T] | None = None,
        changed: Iterable[str] = (),
    ) -> None:
        self._spec: TableSpec[T] = spec
        self.dataset, self._dim, self._full_dim, self._paths = dataset, dim, full_dim, paths
        self._words = lexical.reader(searcher)
        with reading(f"table {spec.name}"):
            fragments = dataset.get_fragments()
        self._fragments = {fragment.fragment_id for fragment in fragments}
        if base is None:
            self._buffers = _Buffers(spec, _holder(dataset, dim))
            self.alive: Mask = np.empty(0, bool)
            self._of_path: dict[int, npt.NDArray[np.int64]] = {}
            fresh = fragments
        else:
            self._buffers = base._buffers
            self.alive = base.alive.copy()
            self._of_path = dict(base._of_path)
            for path in changed:
                number = paths.find(path)
                if number is not None and number in self._of_path:
                    self.alive[self._of_path.pop(number)] = False
            fresh = [fragment for fragment in fragments if fragment.fragment_id not in base._fragments]
        self._load(fresh)
        self.size = self._buffers.ids.count
        self.ids: npt.NDArray[np.uint64] = self._buffers.ids.view()
        self.path_index: npt.NDArray[np.int32] = self._buffers.path_index.view()
        self.start_line: npt.NDArray[np.int32] = self._buffers.numbers["start_line"].view()
        end = self._buffers.numbers.get("end_line")
        self.end_line: npt.NDArray[np.int32] = end.view() if end is not None else self.start_line
        self._addresses: npt.NDArray[np.uint64] = self._buffers.addresses.view()
        self._vectors: Held | None = self._buffers.vectors.view() if self._buffers.vectors is not None else None
        self._embedded: npt.NDArray[np.int32] = self._buffers.embedded.view()
        self._slots: npt.NDArray[np.int32] = self._buffers.slots.view()
        self._columns: dict[str, Any] = {name: buffer.view() for name, buffer in self._buffers.numbers.items()}
        self._columns |= {name: categories.view() for name, categories in self._buffers.categories.items()}
        self._columns |= self._buffers.strings
        long = [name for name in spec.record_columns if name not in self._columns and name not in ("id", "path")]
        self._long: LongColumns = LongColumns(
            dataset, spec.name, long, self._addresses, base._long if base is not None else None
        )
        self._by_id: _ById | None = None
        self._older: tuple[int, _ById] | None = None  # how many rows an older generation had, and their order
        if base is not None:
            self._older = (base.size, base._by_id) if base._by_id is not None else base._older
        self._derived: dict[str, Any] = {}

    def once(self, key: str, make: Callable[[], V]) -> V:
        """What is worked out of these rows once, when first asked for: adjacency, tables of names, masks.

        Of two threads that ask at the same time both may make it; all get the one that was ready first.
        """
        if key not in self._derived:
            self._derived.setdefault(key, make())
        return cast(V, self._derived[key])

    def _load(self, fragments: list[Any]) -> None:
        if not fragments:
            return
        spec: TableSpec[Any] = self._spec
        start = self._buffers.ids.count
        columns = ["id", "path", *spec.numbers, *spec.categories, *spec.strings]
        if self._buffers.vectors is not None:
            columns.append("vector")
        with reading(f"table {spec.name}"):
            self._buffers.reserve(sum(fragment.count_rows() for fragment in fragments))
            scanner = self.dataset.scanner(
                columns=columns, fragments=fragments, with_row_id=True, batch_size=_BATCH_ROWS
            )
            for batch in scanner.to_batches():
                self._buffers.append(pa.Table.from_batches([batch]), self._paths, self._dim)
        self.alive = np.concatenate([self.alive, np.ones(self._buffers.ids.count - start, bool)])
        numbers = self._buffers.path_index.view()[start:]
        order = np.argsort(numbers, kind="stable")
        by_file: npt.NDArray[np.int32] = numbers[order]
        positions: npt.NDArray[np.int64] = order + start
        ends: list[int] = [*(np.flatnonzero(np.diff(by_file)) + 1).tolist(), len(order)] if len(order) else []
        for first, end in zip([0, *ends], ends, strict=False):
            number, group = int(by_file[first]), positions[first:end]
            known = self._of_path.get(number)
            self._of_path[number] = group if known is None else np.concatenate([known, group])

    @property
    def count(self) -> int:
        """How many rows are alive."""
        return int(np.count_nonzero(self.alive))

    def column(self, name: str) -> Any:
        """An in-memory column: a numpy array, `Strings` or a `Category`; indexed by position."""
        return self._columns[name]

    def positions_of_path(self, path: str) -> npt.NDArray[np.int64]:
        """The rows of one file."""
        number = self._paths.find(path)
        return self._of_path.get(number, EMPTY.positions) if number is not None else EMPTY.positions

    def path(self, position: int) -> str:
        """The file of a row."""
        return self._paths.names[int(self.path_index[position])]

    def positions(self, keys: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
        """Row keys → positions; -1 where no such row is alive."""
        sorted_ids, order = self._sorted()
        if not len(sorted_ids):
            return np.full(len(keys), -1, np.int64)
        places = np.minimum(np.searchsorted(sorted_ids, keys), len(sorted_ids) - 1)
        return np.where(sorted_ids[places] == keys, order[places], -1).astype(np.int64)

    def _sorted(self) -> _ById:
        """The living rows in the order of their keys, worked out when first asked for.

        After an edit the few new ones are put between those that an older generation has sorted.
        """
        found, older = self._by_id, self._older
        if found is None:
            known, kept = older if older is not None else (0, (self.ids[:0], np.empty(0, np.int32)))
            living = np.flatnonzero(self.alive[known:]) + known
            order = living[np.argsort(self.ids[living], kind="stable")].astype(np.int32)
            if older is not None:
                stays = self.alive[kept[1]]
                ids, places = kept[0][stays], kept[1][stays]
                slots = np.searchsorted(ids, self.ids[order], side="right")
                found = np.insert(ids, slots, self.ids[order]), np.insert(places, slots, order)
            else:
                found = self.ids[order], order
            self._by_id, self._older = found, None
        return found

    def position(self, row_id: str) -> int | None:
        """The position of an id; None when no such row is alive."""
        try:
            row_key = schema.key(row_id)
        except ValueError:
            return None
        if row_key >= 2**64:
            return None
        found = int(self.positions(np.array([row_key], np.uint64))[0])
        return None if found < 0 else found

    def get(self, positions: Sequence[int] | npt.NDArray[np.int64]) -> list[T]:
        """The full records of rows, in the order asked for."""
        if not len(positions):
            return []
        chosen = np.asarray(positions, np.int64)
        held = self._held(chosen)
        held |= self._long.get(chosen)
        return [self._spec.record(dict(zip(held, row, strict=True))) for row in zip(*held.values(), strict=True)]

    @property
    def holds_records(self) -> bool:
        """Is all that `get` returns in memory?"""
        return self._long.held

    def _held(self, positions: npt.NDArray[np.int64]) -> dict[str, list[Any]]:
        """The in-memory columns of rows, as Python values."""
        names = self._paths.names
        held: dict[str, list[Any]] = {
            "id": self.ids[positions].tolist(),
            "path": [names[number] for number in self.path_index[positions].tolist()],
        }
        for name, column in self._columns.items():
            if isinstance(column, np.ndarray):
                held[name] = column[positions].tolist()
            elif isinstance(column, Category):
                held[name] = [column.names[code] for code in column.codes[positions].tolist()]
            else:
                held[name] = [column[position] for position in positions.tolist()]
        return held

    @property
    def holds_vectors(self) -> bool:
        """Are the embeddings in memory, so that `vectors` costs nothing?"""
        return self._vectors is not None

    def vectors(self, positions: Sequence[int] | npt.NDArray[np.int64]) -> Vector:
        """The embeddings of rows, as wide as the embedder's; zero where there is none or beyond the table's width."""
        values = self._short_vectors(positions)
        return values if self._dim == self._full_dim else np.pad(values, ((0, 0), (0, self._full_dim - self._dim)))

    def _short_vectors(self, positions: Sequence[int] | npt.NDArray[np.int64]) -> Vector:
        if not len(positions):
            return np.zeros((0, self._dim), np.float32)
        chosen = np.asarray(positions, np.int64)
        if self._vectors is not None:
            places = self._slots[chosen].astype(np.int64)
            values = np.zeros((len(places), self._dim), np.float32)
            values[places >= 0] = self._vectors.rows(places[places >= 0])
            return values
        return schema.arrow_to_vectors(self._long.take(chosen, ["vector"])["vector"], self._dim)[0]

    def lexical(
        self,
        terms: Mapping[str, float],
        *,
        limit: int,
        allowed: Mask | None = None,
        fields: Mapping[str, float] | None = None,
    ) -> Ranked:
        """Rank rows by BM25. `allowed` is applied before the cut, so a filter never leaves a page short."""
        search = functools.partial(self._words.search, terms, fields=fields)
        return self._before_the_cut(search, limit, allowed)

    def cover(
        self, groups: Sequence[tuple[Sequence[str], float]], *, limit: int, allowed: Mask | None = None
    ) -> Ranked:
        """Rank rows by which groups of terms they have at all; the score is the weight of those groups together.

        Most rows share their score with many: these stand in the order of the index, which is the same every time.
        """
        return self._before_the_cut(functools.partial(self._words.cover, groups), limit, allowed, settle=False)

    def _before_the_cut(
        self, search: Callable[..., Any], limit: int, allowed: Mask | None, *, settle: bool = True
    ) -> Ranked:
        """Run a lexical search so that `allowed` holds before the list is cut at `limit`.

        With `settle` rows of equal score are put in order before the cut too, as far as `_MOST_ASKED` goes: tantivy has
        them in the order of their history, and which come in must not depend on that.
        """
        files: list[str] | None = None
        if allowed is not None:
            numbers = np.unique(self.path_index[allowed & self.alive])
            if len(numbers) == 0:
                return EMPTY
            if len(numbers) <= _TERM_SET_FILES:
                files = [self._paths.names[number] for number in numbers]
        ask = limit + 1 if allowed is None else limit * _OVERFETCH
        while True:
            ids, scores = search(limit=ask, files=files)
            exhausted = len(ids) < ask
            positions = self.positions(ids) if len(ids) else EMPTY.positions
            keep = positions >= 0
            if allowed is not None:
                keep &= allowed[np.maximum(positions, 0)]
            positions, scores = positions[keep], scores[keep]
            enough = len(positions) >= limit and (not settle or ask > _MOST_ASKED or _parted(scores, limit))
            if exhausted or enough:
                ranked = Ranked(positions, scores)  # tantivy gives the best first
                return self._cut(ranked, limit) if settle else Ranked(positions[:limit], scores[:limit])
            ask *= _OVERFETCH

    def frequency(self, term: str) -> int:
        """In how many rows a term occurs: what makes a word telling or common in this index."""
        return self._words.frequency(term)

    def nearest(self, vector: Vector, *, limit: int, allowed: Mask | None = None) -> Ranked:
        """Rank rows by cosine similarity to a unit vector; rows without an embedding are never returned."""
        if limit <= 0 or not np.any(vector) or not self.size:
            return EMPTY
        vector = schema.shortened(vector, self._dim)
        mask = self.alive if allowed is None else self.alive & allowed
        if self._vectors is not None:
            best, scores = self._vectors.nearest(vector, limit, self._scannable(mask, allowed))
            return self._ordered(self._embedded[best].astype(np.int64), scores, limit)
        candidates = np.flatnonzero(mask) if allowed is not None else None
        if candidates is not None and vectors.scanned(len(candidates) * 4, self._dim):
            values = self._short_vectors(candidates)
            best, scores = vectors.scan(values, vector, limit, np.asarray(values.any(axis=1)))
            return self._ordered(candidates[best], scores, limit)
        ask = limit if allowed is None else limit * _OVERFETCH
        while True:
            with reading(f"table {self._spec.name}"):
                addresses, scores = vectors.ivf(self.dataset, vector, ask)
            positions = np.searchsorted(self._addresses, addresses).astype(np.int64)
            keep = mask[positions]
            if len(addresses) < ask or int(keep.sum()) >= limit:
                return self._ordered(positions[keep], scores[keep], limit)
            ask *= _OVERFETCH

    def _scannable(self, mask: Mask, allowed: Mask | None) -> Mask | None:
        """Which of the embeddings may be found; None = all. Without a filter it is the same for every query."""
        if allowed is not None:
            return mask[self._embedded]
        return self.once("scannable", lambda: self._alive_only(mask[self._embedded]))

    @staticmethod
    def _alive_only(alive: Mask) -> Mask | None:
        return None if alive.all() else alive

    def similarity(self, positions: Sequence[int] | npt.NDArray[np.int64], vector: Vector) -> Vector:
        """The cosine similarity of rows to a vector; -1 where a row has no embedding."""
        query = schema.shortened(vector, self._dim)
        values = self._short_vectors(positions)
        similar: Vector = np.where(values.any(axis=1), np.vecdot(values, query / (np.linalg.norm(query) or 1.0)), -1.0)
        return similar

    def explain_nearest(self, vector: Vector, limit: int = 10) -> str:
        """How LanceDB would run the indexed form of `nearest`."""
        query = schema.shortened(vector, self._dim)
        return str(vectors.ivf_scanner(self.dataset, query, limit).explain_plan())

    def _ordered(self, positions: npt.NDArray[np.int64], scores: npt.NDArray[np.float32], limit: int) -> Ranked:
        """Put best scores first, and equal scores in the order of path, line and id."""
        order = np.argsort(-scores, kind="stable")
        return self._cut(Ranked(positions[order].astype(np.int64), scores[order].astype(np.float32)), limit)

    def _cut(self, ranked: Ranked, limit: int) -> Ranked:
        """The first of a list, once all that are as good as the last of them are in order; the others need not be."""
        positions, scores = ranked
        if len(scores) > limit:
            reach = int(np.searchsorted(-scores, -scores[limit - 1], side="right"))
            positions, scores = positions[:reach], scores[:reach]
        ranked = self._settled(Ranked(positions, scores))
        return Ranked(ranked.positions[:limit], ranked.scores[:limit])

    def _settled(self, ranked: Ranked) -> Ranked:
        """Put rows of equal score in the order of path, line and id."""
        positions, scores = ranked
        same = scores[1:] == scores[:-1]
        if not same.any():
            return ranked
        tied = np.flatnonzero(np.append(same, False) | np.append(False, same))
        group = np.cumsum(np.append(True, ~same))[tied]  # ascends with the place in the list
        rows, names = positions[tied], self._paths.names
        columns = (self.path_index[rows], self.start_line[rows], self.ids[rows], rows)
        files, *others = (column.tolist() for column in columns)
        places = sorted(zip(group.tolist(), [names[number] for number in files], *others, strict=True))
        positions = positions.copy()
        positions[tied] = [place[-1] for place in places]
        return Ranked(positions, scores)


def _parted(scores: npt.NDArray[np.float32], limit: int) -> bool:
    """Whether all that are as good as the last of the first `limit` are there: the list ends with something worse."""
    return len(scores) > limit and bool(scores[-1] < scores[limit - 1])
