"""What the names in a question stand for: symbols, or areas (folders and files)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from sightline.graph.build.tested import is_test_file
from sightline.graph.read import symbols
from sightline.languages import rules_of
from sightline.languages.paths import is_header
from sightline.retrieval.research.model import QuestionKind
from sightline.retrieval.research.question import Subject
from sightline.tokens import subwords
from sightline.types import Object

if TYPE_CHECKING:
    from sightline.store import Snapshot

MAX_MEANT = 4  # symbols of one name that are answered for together; the others are named
_CANDIDATES = 20
_CONSIDERED = frozenset({"exact", "case"})
_LIKE = 0.5  # how alike a word is to the one that may have been meant
_WHOLE_FIT = 0.59  # score of a sub-word match that has no word more or less
# Kinds whose phrasing alone shows that a name follows; elsewhere a plain word must fit exactly to be taken for one.
_EXPLICIT: frozenset[QuestionKind] = frozenset(
    {"implementations", "bases", "callers", "uses", "callees", "impact", "path"}
)
_SUBTYPED = frozenset({"class", "interface", "struct", "enum", "type_alias", "method", "constant"})


@dataclass(frozen=True, slots=True)
class Meant:
    """The symbols that a name stands for; overloads of one name in one file are one symbol."""

    name: str
    symbols: tuple[Object, ...] = ()
    others: tuple[Object, ...] = ()  # fit equally well, not answered for
    corrected: bool = False  # the name fits only nearly
    nearest: tuple[str, ...] = ()  # when there is no such symbol


@dataclass(frozen=True, slots=True)
class Area:
    """A folder or file: a label and the files it holds."""

    label: str
    files: frozenset[str]
    is_file: bool = False


def symbols_of(snapshot: Snapshot, subject: Subject, kind: QuestionKind) -> Meant:
    """Find the symbols that a name means."""
    matches = symbols.find(snapshot, subject.name, limit=_CANDIDATES, include_members=False)
    matches = [match for match in matches if match.object.kind != "module"]
    if not matches or not _fits(matches[0], subject, kind):
        if kind in _EXPLICIT and len(subject.name) > 3 and subject.name.endswith("s") and subject.name[-2] != "s":
            one = symbols_of(snapshot, replace(subject, name=subject.name[:-1]), kind)
            if one.symbols:  # "the auth providers": the kind of thing is named in the plural
                return replace(one, name=subject.name, corrected=True)
        nearest = tuple(symbols.nearest(snapshot, subject.name)) if subject.marked else ()
        return Meant(subject.name, nearest=nearest)
    best = [match.object for match in matches if (match.match, match.score) == (matches[0].match, matches[0].score)]
    best = _preferred(best, kind)
    chosen = _first_groups(best)
    return Meant(
        subject.name,
        tuple(chosen),
        tuple(found for found in best if found not in chosen),
        corrected=matches[0].match not in _CONSIDERED,
    )


def _fits(match: symbols.SymbolMatch, subject: Subject, kind: QuestionKind) -> bool:
    if match.match in _CONSIDERED:
        return True
    if match.match == "fuzzy" and not _mistyped(subject.name, match.object.name):
        return False
    if len(subject.name.split()) > 1:
        return match.match == "subwords" and match.score >= _WHOLE_FIT
    if subject.marked:
        return match.match != "subwords" or match.score >= _WHOLE_FIT or kind in _EXPLICIT
    return kind in _EXPLICIT and match.match == "fuzzy"


def _mistyped(said: str, name: str) -> bool:
    """May a name be another one, mistyped? `AsyncSink` is no `TracingSink`: one of its words is another."""
    ours, theirs = (subwords(re.split(r"[.:#>\\]+", each)[-1]) for each in (said, name))
    return len(ours) != len(theirs) or all(
        SequenceMatcher(None, one, other, autojunk=False).ratio() >= _LIKE
        for one, other in zip(ours, theirs, strict=True)
    )


def _preferred(found: list[Object], kind: QuestionKind) -> list[Object]:
    """Leave out tests where there is other code, and what cannot be the subject of this kind of question."""
    found = [o for o in found if not is_test_file(o.path)] or found
    classes = {o.entity_id for o in found}
    found = [o for o in found if o.kind != "constructor" or o.parent_id not in classes]
    if kind in ("implementations", "bases"):
        types = [o for o in found if o.kind in _SUBTYPED and o.kind not in ("method", "constant")]
        return types or [o for o in found if o.kind in _SUBTYPED] or found
    if kind in ("callers", "callees", "trace", "path"):
        return [o for o in found if o.kind not in ("constant", "type_alias")] or found
    return found


def by_symbol(found: Iterable[Object]) -> dict[tuple[str, str], list[Object]]:
    """Objects that are one symbol to whoever asks, by file and qualified name: the overloads of one file; in C the
    prototypes and bodies of a function that all files see, with no file as the key. Bodies come before prototypes."""
    groups: dict[tuple[str, str], list[Object]] = {}
    for item in found:
        everywhere = item.kind == "function" and item.visibility != "private" and rules_of(item.language).linked
        groups.setdefault(("" if everywhere else item.path, item.qualified_name), []).append(item)
    return {key: _bodies_first(group) if len(group) > 1 else group for key, group in groups.items()}


def _bodies_first(group: list[Object]) -> list[Object]:
    if not rules_of(group[0].language).linked:
        return group
    return sorted(group, key=lambda o: (o.end_line == o.start_line, is_header(o.path)))


def _first_groups(found: Sequence[Object]) -> list[Object]:
    return [item for group in list(by_symbol(found).values())[:MAX_MEANT] for item in group]


def area_of(snapshot: Snapshot, subject: Subject) -> Area | None:
    """Find the folder or file that a name means; None when there is none. The empty name is the whole root."""
    areas = _areas(snapshot)
    if not subject.name or subject.name in (".", "/"):
        return Area("the whole root", frozenset(areas.paths))
    wanted = subject.name.strip("/").removeprefix("./").replace("\\", "/").replace("::", "/").lower()
    dotted = wanted.replace(".", "/")
    for find in (areas.file, areas.folder, areas.file_stem):
        for form in dict.fromkeys((wanted, dotted, wanted.replace(" ", "_"), wanted.replace(" ", ""))):
            found = find(form)
            if found is not None:
                return found
    return None


class _Areas:
    """The indexed files and their folders, by the last part of their paths in lower case."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.paths = paths
        self._files: dict[str, list[str]] = {}
        self._stems: dict[str, list[str]] = {}
        self._folders: dict[str, list[str]] = {}
        folders: dict[str, None] = {}
        for path in paths:
            folder, _, name = path.rpartition("/")
            self._files.setdefault(name.lower(), []).append(path)
            self._stems.setdefault(name.lower().partition(".")[0], []).append(path)
            while folder and folder not in folders:
                folders[folder] = None
                self._folders.setdefault(folder.rpartition("/")[2].lower(), []).append(folder)
                folder = folder.rpartition("/")[0]

    def file(self, wanted: str) -> Area | None:
        """The outermost file of that name."""
        found = [path for path in self._files.get(_last(wanted), ()) if _ends(path.lower(), wanted)]
        return Area(min(found, key=_depth), frozenset([min(found, key=_depth)]), is_file=True) if found else None

    def folder(self, wanted: str) -> Area | None:
        """The outermost folder of that name that is not among the tests, of several the fullest; all files below it."""
        found = [folder for folder in self._folders.get(_last(wanted), ()) if _ends(folder.lower(), wanted)]
        if not found:
            return None
        held = {folder: frozenset(path for path in self.paths if path.startswith(folder + "/")) for folder in found}
        chosen = min(found, key=lambda f: (is_test_file(f + "/"), f.count("/"), -len(held[f]), f))
        return Area(chosen + "/", held[chosen])

    def file_stem(self, wanted: str) -> Area | None:
        """The outermost file of that name without its ending that is not among the tests."""
        found = [path for path in self._stems.get(_last(wanted), ()) if _ends(_stemmed(path), wanted)]
        if not found:
            return None
        chosen = min(found, key=lambda path: (is_test_file(path), _depth(path)))
        return Area(chosen, frozenset([chosen]), is_file=True)


def _areas(snapshot: Snapshot) -> _Areas:
    return snapshot.chunks.once(
        "research.areas",
        lambda: _Areas([path for path, record in snapshot.files.items() if record.state == "indexed"]),
    )


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def _ends(path: str, wanted: str) -> bool:
    return path == wanted or path.endswith("/" + wanted)


def _stemmed(path: str) -> str:
    folder, slash, name = path.lower().rpartition("/")
    return folder + slash + name.partition(".")[0]


def _depth(path: str) -> tuple[int, str]:
    return (path.count("/"), path)
