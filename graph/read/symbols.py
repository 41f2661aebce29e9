"""Objects by name, as a person or an agent writes it: `Flask`, `Class.method`, `ns::name`, `path/file.py:name`.

`find` goes down five levels, exact > case-insensitive > prefix > sub-words > fuzzy, and stops when it has enough. The
name tables are sorted once per snapshot from the in-memory columns; the lower levels scan the distinct names, which at
100k objects takes a few milliseconds and costs nothing to keep up to date.
"""

from __future__ import annotations

import bisect
import re
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from sightline.graph.build.tested import is_test_file
from sightline.graph.read.adjacency import adjacency_of
from sightline.tokens import subwords
from sightline.types import TYPE_KINDS, Object

if TYPE_CHECKING:
    from sightline.store import Snapshot

Match = Literal["exact", "case", "prefix", "subwords", "fuzzy"]
Mask = npt.NDArray[np.bool_]

SCORES: dict[Match, float] = {"exact": 1.0, "case": 0.9, "prefix": 0.75, "subwords": 0.6, "fuzzy": 0.4}
_KIND_ORDER = {"function": 1, "macro": 1, "constant": 1, "method": 2, "constructor": 2, "module": 3}  # types: 0
_MAX_NAME_CHARS = 300  # nobody's symbol; keeps the comparison of letters bounded
_ROOT_WORDS = frozenset({"crate", "self", "super", "this", "root", ""})  # say where to begin, not a name
_UNNAMED_FILES = frozenset({"__init__", "index", "mod"})  # go by the name of their folder
_SEPARATORS = re.compile(r"::|->|[./\\#:$]|\s+")
_ARGUMENTS = re.compile(r"\(.*$", re.DOTALL)
_PATH_AND_NAME = re.compile(r"(?P<path>[^\0]*[^\0:]):(?P<name>[^:/\\]+)")
_LETTERS = 28  # a-z, digits, everything else
_FUZZY_CANDIDATES = 200  # names whose letters are most alike; only these are compared exactly
_FUZZY_SIMILARITY = 0.7  # shared share of letters in order: `AuthServise` finds AuthService, `Foo` does not find `Bar`


@dataclass(frozen=True, slots=True)
class SymbolMatch:
    """An object that a name may mean, and how well the name fits."""

    object: Object
    match: Match
    score: float  # 0..1, falls along the list
    members: list[Object]  # of a type: what it contains, in the order of the source


class _Candidate(NamedTuple):
    position: int
    match: Match
    quality: float  # within the level, 0..1


class _Wanted(NamedTuple):
    """A name taken apart."""

    whole: str
    name: str  # the last part
    scopes: tuple[str, ...]  # the parts before it
    path: str  # of `path:name`, else ""


class _Sorted(Mapping[str, tuple[int, ...]]):
    """Positions by what a column says of them, in its order: four bytes for each, where a dictionary took a hundred."""

    def __init__(
        self, column: Sequence[str], positions: Iterable[int], fold: Callable[[str], str] | None = None
    ) -> None:
        said = column.__getitem__
        self.key: Callable[[int], str] = said if fold is None else lambda position: fold(said(position))
        self.order = array("i", sorted(positions, key=self.key))

    def __getitem__(self, name: str) -> tuple[int, ...]:
        found = self._bearers(name)
        if not found:
            raise KeyError(name)
        return found

    def get(self, name: str, default: Any = None) -> Any:
        """Without the exception for what is not there, which costs as much as looking."""
        return self._bearers(name) or default

    def _bearers(self, name: str) -> tuple[int, ...]:
        first = bisect.bisect_left(self.order, name, key=self.key)
        return tuple(self.order[first : bisect.bisect_right(self.order, name, first, key=self.key)])

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and bool(self._bearers(name))

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in groupby(self.order, self.key))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def groups(self) -> Iterator[tuple[str, Iterable[int]]]:
        """All of them, by name."""
        return groupby(self.order, self.key)

    def with_prefix(self, prefix: str) -> list[str]:
        """What begins so."""
        first = bisect.bisect_left(self.order, prefix, key=self.key)
        last = bisect.bisect_left(self.order, prefix + "\U0010ffff", first, key=self.key)
        return list(dict.fromkeys(map(self.key, self.order[first:last])))


class Names:
    """The distinct names of a snapshot and who bears them."""

    def __init__(self, snapshot: Snapshot) -> None:
        objects = snapshot.objects
        self._names: list[str] = objects.column("name")
        living = np.flatnonzero(objects.alive).tolist()
        self.by_name = _Sorted(self._names, living)
        self.by_qualified = _Sorted(objects.column("qualified_name"), living)
        self.by_lowered = _Sorted(self._names, living, str.lower)

    @cached_property
    def letters(self) -> npt.NDArray[np.int8]:
        """How often each letter occurs in each of the lower-cased names, made for the first name that nothing fits."""
        return _letter_counts(list(self.by_lowered))

    def spellings(self, lowered: str) -> list[str]:
        """The names that are this one in lower case."""
        return sorted({self._names[position] for position in self.by_lowered.get(lowered, ())})

    def alike(self, name: str) -> list[tuple[float, str]]:
        """Lower-cased names with the most letters in common, as (similarity, name), best first."""
        known = list(self.by_lowered)
        if not known or not name:
            return []
        apart = np.abs(self.letters - _letter_counts([name])[0]).sum(axis=1)
        near = np.argsort(apart, kind="stable")[:_FUZZY_CANDIDATES].tolist()
        compared = [(_similarity(name, known[n]), known[n]) for n in near]
        return sorted(compared, key=lambda pair: (-pair[0], pair[1]))


def find(
    snapshot: Snapshot,
    name: str,
    *,
    kind: str | Collection[str] | None = None,
    allowed: Mask | None = None,
    limit: int = 10,
    include_members: bool = True,
) -> list[SymbolMatch]:
    """Objects that a name may mean, best first. `allowed` is a mask over objects by position."""
    wanted = parse(name)
    if not wanted.name or limit <= 0:
        return []
    kinds = frozenset([kind] if isinstance(kind, str) else kind or ())
    found: dict[int, _Candidate] = {}
    for level in (_exact, _case, _prefix, _subwords, _fuzzy):
        if len(found) >= limit or (found and level is _fuzzy):  # guessing is for names that are not there
            break
        for candidate in level(snapshot, names_of(snapshot), wanted):
            if _may(snapshot, candidate.position, kinds, allowed):
                found.setdefault(candidate.position, candidate)
    ordered = sorted(found.values(), key=lambda candidate: _order(snapshot, candidate))[:limit]
    records = snapshot.objects.get([candidate.position for candidate in ordered])
    return [
        SymbolMatch(
            record,
            candidate.match,
            _score(candidate),
            members_of(snapshot, candidate.position) if include_members and record.kind in TYPE_KINDS else [],
        )
        for candidate, record in zip(ordered, records, strict=True)
    ]


def knows(snapshot: Snapshot, name: str) -> bool:
    """Whether objects have this very name, its case aside; costs next to nothing."""
    wanted, names = parse(name), names_of(snapshot)
    return bool(wanted.name) and any(True for level in (_exact, _case) for _ in level(snapshot, names, wanted))


def nearest(snapshot: Snapshot, name: str, *, limit: int = 5) -> list[str]:
    """Names in the snapshot most like one that is not there, for guidance; filters do not apply."""
    wanted, names = parse(name), names_of(snapshot)
    likely = [lowered for similarity, lowered in names.alike(wanted.name.lower()) if similarity > 0.5]
    words = set(subwords(wanted.name))
    sharing = [lowered for lowered in names.by_lowered if any(len(word) > 2 and word in lowered for word in words)]
    sharing.sort(key=lambda lowered: (abs(len(lowered) - len(wanted.name)), lowered))
    spelled = (spelling for lowered in [*likely, *sharing] for spelling in names.spellings(lowered))
    return list(dict.fromkeys(spelled))[:limit]


def names_of(snapshot: Snapshot) -> Names:
    """The name tables of a snapshot, built when first asked for."""
    return snapshot.objects.once("names", lambda: Names(snapshot))


def members_of(snapshot: Snapshot, position: int) -> list[Object]:
    """What an object contains, in the order of path and line: also members written elsewhere (extensions, Go)."""
    objects, edges = snapshot.objects, snapshot.relationships
    positions = set(_children(snapshot).get(int(objects.ids[position]), ()))
    links = adjacency_of(snapshot).links(np.array([position], np.int64), "out")
    types = edges.column("relationship_type")
    positions.update(
        far for row, far in zip(links.rows.tolist(), links.far.tolist(), strict=True) if types[row] == "contains"
    )
    positions.discard(-1)
    own = int(objects.path_index[position])
    ordered = sorted(positions, key=lambda p: (objects.path_index[p] != own, objects.path(p), objects.start_line[p], p))
    return objects.get(ordered)


def _children(snapshot: Snapshot) -> dict[int, list[int]]:
    return snapshot.objects.once("children", lambda: _find_children(snapshot))


def _find_children(snapshot: Snapshot) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    parents = snapshot.objects.column("parent")
    living = np.flatnonzero(snapshot.objects.alive & (parents != 0))
    for position, parent in zip(living.tolist(), parents[living].tolist(), strict=True):
        found.setdefault(parent, []).append(position)
    return found


def parse(text: str) -> _Wanted:
    """Take a written name apart; arguments and a leading `@` or `&` say nothing."""
    text = text.strip()[:_MAX_NAME_CHARS].lstrip("@&*").strip("`'\"")
    bare = _ARGUMENTS.sub("", text).rstrip(".:/") or text
    path = ""
    placed = _PATH_AND_NAME.fullmatch(bare)
    if placed is not None and ("/" in placed["path"] or "." in placed["path"]) and "::" not in bare:
        path, bare = placed["path"].removeprefix("./"), placed["name"]
    parts = [part for part in _SEPARATORS.split(bare) if part not in _ROOT_WORDS] or [bare]
    return _Wanted(bare, parts[-1], tuple(parts[:-1]), path)


# The levels. Each yields candidates; those of an earlier level are not taken again.


def _exact(snapshot: Snapshot, names: Names, wanted: _Wanted) -> Iterator[_Candidate]:
    for position in [*names.by_qualified.get(wanted.whole, ()), *names.by_name.get(wanted.whole, ())]:
        if not wanted.path or _path_fits(snapshot.objects.path(position), wanted.path):
            yield _Candidate(position, "exact", 1.0)
    for position in names.by_name.get(wanted.name, ()):
        fit = _scope_fit(snapshot, position, wanted, fold=False)
        if fit:
            yield _Candidate(position, "exact", fit)


def _case(snapshot: Snapshot, names: Names, wanted: _Wanted) -> Iterator[_Candidate]:
    for position in names.by_lowered.get(wanted.name.lower(), ()):
        fit = _scope_fit(snapshot, position, wanted, fold=True)
        if fit:
            yield _Candidate(position, "case", fit)


def _prefix(snapshot: Snapshot, names: Names, wanted: _Wanted) -> Iterator[_Candidate]:
    for lowered in names.by_lowered.with_prefix(wanted.name.lower()):
        for position in names.by_lowered[lowered]:
            fit = _scope_fit(snapshot, position, wanted, fold=True)
            if fit:
                yield _Candidate(position, "prefix", fit)


def _subwords(snapshot: Snapshot, names: Names, wanted: _Wanted) -> Iterator[_Candidate]:
    """All words of the name occur in the qualified name; better the more of the object's own name they are."""
    words = [word for part in (*wanted.scopes, wanted.name) for word in subwords(part)]
    if not words:
        return
    longest = max(words, key=len)
    for qualified, positions in names.by_qualified.groups():
        if longest not in qualified.lower():
            continue
        own = subwords(qualified)
        if not all(word in own for word in words):
            continue
        for position in positions:
            if wanted.path and not _path_fits(snapshot.objects.path(position), wanted.path):
                continue
            last = subwords(snapshot.objects.column("name")[position])
            named = sum(word in last for word in words) / len(words)
            covered = sum(word in words for word in last) / max(len(last), 1)
            yield _Candidate(position, "subwords", round((2 * named + covered) / 3, 3))


def _fuzzy(snapshot: Snapshot, names: Names, wanted: _Wanted) -> Iterator[_Candidate]:
    for similarity, lowered in names.alike(wanted.name.lower()):
        if similarity < _FUZZY_SIMILARITY:
            break
        for position in names.by_lowered[lowered]:
            fit = _scope_fit(snapshot, position, wanted, fold=True)
            if fit:
                yield _Candidate(position, "fuzzy", round(similarity * fit, 3))
    if not wanted.scopes:
        return
    owner = wanted.scopes[-1].lower()  # the name is right and what stands before it misspelt
    for position in names.by_lowered.get(wanted.name.lower(), ()):
        around = _around(snapshot, position)
        similarity = _similarity(around[-1].lower(), owner) if around else 0.0
        if similarity >= _FUZZY_SIMILARITY:
            yield _Candidate(position, "fuzzy", round(similarity, 3))


def _scope_fit(snapshot: Snapshot, position: int, wanted: _Wanted, *, fold: bool) -> float:
    """How well the parts before the name fit the object: 1 directly around it, less with gaps, 0 not at all."""
    if wanted.path and not _path_fits(snapshot.objects.path(position), wanted.path):
        return 0.0
    if not wanted.scopes:
        return 1.0
    scopes = [part.lower() for part in wanted.scopes] if fold else list(wanted.scopes)
    place = f"{snapshot.objects.path(position)} {snapshot.objects.column('qualified_name')[position]}"
    if scopes[0] not in (place.lower() if fold else place):  # most are refused here, at a tenth of the cost
        return 0.0
    around = _around(snapshot, position)
    if fold:
        around = [part.lower() for part in around]
    if around[-len(scopes) :] == scopes:
        return 1.0
    rest = iter(around)
    return 0.9 if all(scope in rest for scope in scopes) else 0.0


def _around(snapshot: Snapshot, position: int) -> list[str]:
    """The names around an object from the outside in: folders, file, enclosing objects."""
    objects = snapshot.objects
    folders = objects.path(position).split("/")
    file = folders.pop()
    stem = file.partition(".")[0] or file
    if objects.column("kind")[position] == "module":
        return folders
    if stem not in _UNNAMED_FILES:
        folders.append(stem)
    qualified: str = objects.column("qualified_name")[position]
    owner = qualified.removesuffix(objects.column("name")[position])
    return [*folders, *(part for part in _SEPARATORS.split(owner) if part)]


def _path_fits(path: str, wanted: str) -> bool:
    """Is this the file, or one that a shorter form of its path names?"""
    return path == wanted or path.endswith("/" + wanted) or path.rpartition(".")[0].endswith(("/" + wanted, wanted))


def _may(snapshot: Snapshot, position: int, kinds: Collection[str], allowed: Mask | None) -> bool:
    if allowed is not None and not allowed[position]:
        return False
    return not kinds or snapshot.objects.column("kind")[position] in kinds


def _order(snapshot: Snapshot, candidate: _Candidate) -> tuple[Any, ...]:
    """Best first: level, fit; types before members, public first, tests last, shorter names, then the place."""
    objects, position = snapshot.objects, candidate.position
    path = objects.path(position)
    return (
        -SCORES[candidate.match],
        -candidate.quality,
        _KIND_ORDER.get(objects.column("kind")[position], 0),
        objects.column("visibility")[position] != "public",
        is_test_file(path),
        len(objects.column("qualified_name")[position]),
        path,
        int(objects.start_line[position]),
        int(objects.ids[position]),
    )


def _score(candidate: _Candidate) -> float:
    """The level's score, less up to a tenth for a poorer fit; levels never overlap."""
    return round(SCORES[candidate.match] - 0.1 * (1 - candidate.quality), 4)


# Similarity of names


def _letter_counts(names: Sequence[str]) -> npt.NDArray[np.int8]:
    """How often each letter occurs in each name: half the difference of two rows is a lower bound of the edits."""
    data = "".join(names).encode("ascii", "replace")
    codes = np.frombuffer(data, np.uint8).astype(np.int64)
    letters = np.where((codes >= 97) & (codes <= 122), codes - 97, np.where((codes >= 48) & (codes <= 57), 26, 27))
    owners = np.repeat(np.arange(len(names)), [len(name) for name in names])
    counts = np.bincount(owners * _LETTERS + letters, minlength=len(names) * _LETTERS)
    return np.minimum(counts, 127).reshape(len(names), _LETTERS).astype(np.int8)  # differences fit a byte, too


def _similarity(a: str, b: str) -> float:
    """1 - edits / length of the longer; swapping neighbours is one edit."""
    longer = max(len(a), len(b))
    return 1.0 - _edits(a, b) / longer if longer else 1.0


def _edits(a: str, b: str) -> int:
    """Insertions, deletions, replacements and swaps of neighbours that turn a into b."""
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        row = [i]
        for j, other in enumerate(b, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]
