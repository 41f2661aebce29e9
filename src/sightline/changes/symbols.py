"""Which symbols differ between two versions of some files.

A symbol is compared by its own lines, without those of the symbols inside it: a class is changed when its own text is,
not whenever a method of it is. What went in one place and came in another with the same text, its own name apart, was
moved or renamed. A file that went and one that came are one file when most of their lines are the same.
"""

from __future__ import annotations

import re
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sightline.changes.model import SymbolChange, SymbolStatus
from sightline.changes.outlines import Outline
from sightline.graph.build.tested import is_test_file
from sightline.types import Object

_ASIDE = re.compile(r"(^|/)(docs?|examples?|samples?|benchmarks?|bench|scripts|fixtures|testdata)/")
_FUNCTIONS = frozenset({"function", "method", "constructor"})
_SAME_FILE = 0.5  # of the lines, as git has it for renames
_MAX_PAIRED_FILES = 300  # that went, and that came: comparing each with each stays below 0.1 s
_MIN_MOVED_CHARS = 24  # a shorter text is the same by chance

_Key = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Versions:
    """A file before and after; None where it is not there."""

    old: Outline | None
    new: Outline | None


def changed_symbols(files: Sequence[Versions]) -> list[SymbolChange]:
    """Every symbol that differs, by place; what lies in another one that came, went or moved is not listed again."""
    files = _paired(files)
    known = {item.entity_id: item for file in files for side in (file.old, file.new) if side for item in side.objects}
    moved = [_moved_file(file) for file in files if _is_moved(file)]
    kept: list[SymbolChange] = []
    gone: list[tuple[Object, str]] = []
    come: list[tuple[Object, str]] = []
    for file in files:
        kept += _kept(file, known)
        gone += _only_in(file.old, file.new)
        come += _only_in(file.new, file.old)
    found = [*moved, *kept, *_relocated(gone, come, known)]
    return sorted(_outermost(found), key=lambda c: (c.item.path, c.item.start_line, c.item.qualified_name))


def is_api(item: Object, around: Mapping[str, Object]) -> bool:
    """Whether a symbol may be used from outside its file, and not only by tests or examples."""
    if is_test_file(item.path) or _ASIDE.search(item.path) or item.kind == "module":
        return False
    inside: Object | None = item
    while inside is not None and inside.kind != "module":
        if inside.visibility not in ("public", "protected") or (inside is not item and inside.kind in _FUNCTIONS):
            return False
        inside = around.get(inside.parent_id)
    return True


def own_lines(outline: Outline) -> dict[str, list[str]]:
    """The lines of each symbol that no symbol inside it has."""
    owner: list[str] = [""] * (len(outline.lines) + 1)
    for item in sorted(outline.objects, key=lambda o: (o.kind != "module", o.start_line - o.end_line)):
        for line in range(item.start_line, min(item.end_line, len(outline.lines)) + 1):
            owner[line] = item.entity_id
    found: dict[str, list[str]] = {item.entity_id: [] for item in outline.objects}
    for line, text in enumerate(outline.lines, 1):
        if owner[line] and text.strip():
            found[owner[line]].append(text.rstrip())
    for item in outline.objects:  # several on one line: each is compared by the whole of it
        if not found[item.entity_id] and item.kind != "module":
            found[item.entity_id] = _span(outline, item)
    return found


def _span(outline: Outline, item: Object) -> list[str]:
    return [line.rstrip() for line in outline.lines[item.start_line - 1 : item.end_line]]


def _keys(outline: Outline | None) -> dict[_Key, Object]:
    """The symbols by name, kind and which of that name; the module under one name for all paths."""
    if outline is None:
        return {}
    ordinals: Counter[tuple[str, str]] = Counter()
    found: dict[_Key, Object] = {}
    for item in outline.objects:
        name = "" if item.kind == "module" else item.qualified_name
        found[name, item.kind, ordinals[name, item.kind]] = item
        ordinals[name, item.kind] += 1
    return found


def _kept(file: Versions, known: Mapping[str, Object]) -> Iterator[SymbolChange]:
    """Symbols that are in both versions and differ."""
    if file.old is None or file.new is None:
        return
    before, after = _keys(file.old), _keys(file.new)
    old_lines, new_lines = own_lines(file.old), own_lines(file.new)
    for key, new in after.items():
        old = before.get(key)
        if old is None:
            continue
        status: SymbolStatus | None = None
        if new.signature != old.signature:
            status = "signature"
        elif old_lines[old.entity_id] != new_lines[new.entity_id]:
            status = "body"
        if status is not None:
            yield SymbolChange(status, old, new, is_api(new, known) or is_api(old, known))


def _only_in(outline: Outline | None, other: Outline | None) -> Iterator[tuple[Object, str]]:
    """Symbols of one version that the other does not have, each with its text without its own name."""
    if outline is None:
        return
    known = _keys(other)
    for key, item in _keys(outline).items():
        if key not in known and item.kind != "module":
            yield item, _nameless(outline, item)


def _nameless(outline: Outline, item: Object) -> str:
    text = textwrap.dedent("\n".join(_span(outline, item)))
    return re.sub(rf"\b{re.escape(item.name)}\b", "\0", text) if item.name else text


def _relocated(
    gone: Sequence[tuple[Object, str]], come: Sequence[tuple[Object, str]], known: Mapping[str, Object]
) -> Iterator[SymbolChange]:
    """What went and came: pairs of the same text as moved or renamed, the others as removed and added."""
    by_text: dict[tuple[str, str], list[Object]] = defaultdict(list)
    for item, text in come:
        by_text[_sort(item), text].append(item)
    taken: set[str] = set()
    for item, text in gone:
        same = [other for other in by_text[_sort(item), text] if other.entity_id not in taken]
        named = [other for other in same if other.name == item.name]
        best = (named or same)[:1] if len(text) >= _MIN_MOVED_CHARS and (named or len(same) == 1) else []
        if not best:
            yield SymbolChange("removed", item, None, is_api(item, known))
            continue
        taken.add(best[0].entity_id)
        status: SymbolStatus = "renamed" if best[0].name != item.name else "moved"
        yield SymbolChange(status, item, best[0], is_api(item, known))
    for item, _ in come:
        if item.entity_id not in taken:
            yield SymbolChange("added", None, item, is_api(item, known))


def _sort(item: Object) -> str:
    """Its kind, functions and methods being one: a method that becomes a function was moved."""
    return "function" if item.kind in _FUNCTIONS else item.kind


def _outermost(found: Iterable[SymbolChange]) -> Iterator[SymbolChange]:
    """Leave out what came, went or moved together with what it lies in."""
    found = list(found)
    going = {c.old.entity_id for c in found if c.old is not None and c.new is None}
    coming = {c.new.entity_id for c in found if c.new is not None and c.old is None}
    moving = {c.old.entity_id for c in found if c.old is not None and c.status in ("moved", "renamed")}
    for change in found:
        if change.old is not None and change.status in ("removed", "moved", "renamed"):
            if change.old.parent_id in (going | moving):
                continue
        elif change.new is not None and change.status == "added" and change.new.parent_id in coming:
            continue
        yield change


def _paired(files: Sequence[Versions]) -> list[Versions]:
    """Files that went and files that came, put together where most of their lines are the same."""
    gone = [f for f in files if f.new is None and f.old is not None][:_MAX_PAIRED_FILES]
    come = [f for f in files if f.old is None and f.new is not None][:_MAX_PAIRED_FILES]
    bags = {id(f): Counter(filter(str.strip, (f.old or f.new).lines)) for f in (*gone, *come)}  # type: ignore[union-attr]
    likeness = []
    for old in gone:
        for new in come:
            share = _likeness(bags[id(old)], bags[id(new)])
            if share >= _SAME_FILE:
                likeness.append((-share, old.old.path, new.new.path, old, new))  # type: ignore[union-attr]
    taken: set[int] = set()
    joined = []
    for _, _, _, old, new in sorted(likeness, key=lambda pair: pair[:3]):
        if id(old) not in taken and id(new) not in taken:
            taken |= {id(old), id(new)}
            joined.append(Versions(old.old, new.new))
    return [*joined, *(f for f in files if id(f) not in taken)]


def _likeness(one: Counter[str], other: Counter[str]) -> float:
    larger = max(one.total(), other.total())
    if not larger or min(one.total(), other.total()) < _SAME_FILE * larger:
        return 0.0
    return (one & other).total() / larger


def _is_moved(file: Versions) -> bool:
    return file.old is not None and file.new is not None and file.old.path != file.new.path and bool(file.new.objects)


def _moved_file(file: Versions) -> SymbolChange:
    assert file.old is not None and file.new is not None
    return SymbolChange("moved", file.old.objects[0] if file.old.objects else None, file.new.objects[0], False)
