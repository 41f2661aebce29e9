"""A change → what it touches. `report` is the whole journey, a step a line."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from sightline.changes import asked as asking
from sightline.changes.asked import Asked
from sightline.changes.contents import Sides, sides_of
from sightline.changes.files import by_graph
from sightline.changes.fixtures import injections
from sightline.changes.history import history
from sightline.changes.mentions import mentions, users
from sightline.changes.model import Compared, FileChange, Mention, Reached, Report, SymbolChange
from sightline.changes.outlines import Outline, Text, indexed, outlines
from sightline.changes.reach import CLASS_STEP, MAX_EACH, NAMED_STEP, Dependents, Reach, Walk
from sightline.changes.repository import repository
from sightline.changes.routes import routes
from sightline.changes.runners import runners_of
from sightline.changes.symbols import Versions, changed_symbols
from sightline.changes.tests import LIKELY_ENOUGH, UNSEEN, tests_to_run
from sightline.changes.together import companions
from sightline.graph.build.tested import is_test_file
from sightline.indexer.files.confine import read_bytes
from sightline.types import Object

if TYPE_CHECKING:
    from sightline.config import Config
    from sightline.store import Snapshot

DEPTH = 3  # steps that are listed; beyond, nearly everything is reached from everything
TEST_DEPTH = 12  # steps to a test: a test often comes to what it tests through the whole of the program
MAX_SYMBOLS = 5_000  # changed; more is a new program, not a change
_MAX_MENTIONS = 20  # of one name
_MAX_NAMES = 50  # that are looked up as text
_MANIFEST_BYTES = 100_000
_MAX_COMPANIONS = 20


class _Clock:
    def __init__(self) -> None:
        self.timings_ms: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, stage: str) -> None:
        now = time.perf_counter()
        self.timings_ms[stage] = round((now - self._last) * 1000, 2)
        self._last = now


def report(config: Config, snapshot: Snapshot, asked: Asked) -> Report:
    """What a change touches, told from git and one snapshot."""
    clock = _Clock()
    found = repository(config.root)
    compared = asking.compared(found, asked)
    clock.lap("git")
    sides = list(sides_of(config, found, compared.files))
    compared = _with_notes(compared, sides)
    clock.lap("contents")
    files = _versions(config, snapshot, [s for s in sides if isinstance(s, Sides) and not s.same])
    symbols = changed_symbols(files)
    clock.lap("symbols")
    warnings = [*compared.warnings, *_warnings(snapshot, compared, symbols)]
    symbols = symbols[:MAX_SYMBOLS]
    starts = _starts(snapshot, symbols)
    dependents = Dependents(snapshot, injections(snapshot))
    by_text = _by_text(snapshot, symbols)
    walk = dependents.walk(starts, depth=TEST_DEPTH, named=by_text)
    clock.lap("reach")
    runners = runners_of(snapshot.files.keys(), _package_json(config))
    reach = dependents.each(starts, depth=TEST_DEPTH, named=by_text)
    tests = tests_to_run(snapshot, walk, reach, runners)
    untested = tuple(_untested(snapshot, reach, starts[: MAX_EACH - 1], symbols))
    clock.lap("tests")
    past = history(config, found)
    existing = {path for path, record in snapshot.files.items() if record.state == "indexed"}
    changed = {file.path for file in compared.files}
    together = companions(past, changed, existing, by_graph(snapshot, changed)) if past is not None else []
    clock.lap("history")
    reached = _reached(snapshot, walk, set(starts))
    followers = _followers(snapshot, dependents, symbols)
    clock.lap("records")
    named = _mentions(snapshot, symbols)
    clock.lap("mentions")
    answering = routes(config.root, snapshot, symbols, reached)
    clock.lap("routes")
    return Report(
        compared,
        tuple(symbols),
        tuple(reached),
        tuple(followers),
        tuple(named),
        tuple(tests.named),
        tuple(tests.others),
        untested,
        tuple(answering),
        companions=tuple(together[:_MAX_COMPANIONS]),
        unseen=UNSEEN,
        warnings=tuple(warnings),
        timings_ms=clock.timings_ms,
    )


def _with_notes(compared: Compared, sides: Sequence[Sides | FileChange]) -> Compared:
    """The files as they turned out: some are the same but for their line ends, of some the symbols are not compared."""
    noted = {s.path: s for s in sides if isinstance(s, FileChange)}
    same = {s.change.path for s in sides if isinstance(s, Sides) and s.same}
    files = tuple(noted.get(file.path, file) for file in compared.files if file.path not in same)
    return replace(compared, files=files)


def _versions(config: Config, snapshot: Snapshot, sides: Sequence[Sides]) -> list[Versions]:
    """The symbols before and after. What the index holds is not parsed again."""
    known: dict[tuple[str, bool], Outline] = {}
    unknown: list[tuple[tuple[str, bool], Text]] = []
    for side in sides:
        for is_new, data in ((False, side.old), (True, side.new)):
            if data is None:
                continue
            text = Text(side.change.path, data)
            outline = indexed(snapshot, text) if is_new else None
            if outline is not None:
                known[text.path, is_new] = outline
            else:
                unknown.append(((text.path, is_new), text))
    parsed = outlines(config, [text for _, text in unknown])
    known |= {key: outline for (key, _), outline in zip(unknown, parsed, strict=True)}
    paths = dict.fromkeys(side.change.path for side in sides)
    return [Versions(known.get((path, False)), known.get((path, True))) for path in paths]


def _starts(snapshot: Snapshot, symbols: Iterable[SymbolChange]) -> list[int]:
    """The changed symbols that the graph knows. What was moved brings along what lies in it."""
    found: dict[int, None] = {}
    for change in symbols:
        for item in (change.new, change.old):
            position = snapshot.objects.position(item.entity_id) if item is not None else None
            if position is None:
                continue
            found.setdefault(position)
            if change.status in ("moved", "renamed", "added"):
                found.update(dict.fromkeys(_members(snapshot, position)))
            break
    return list(found)


def _members(snapshot: Snapshot, position: int) -> Iterator[int]:
    objects = snapshot.objects
    names = objects.column("qualified_name")
    prefix = f"{names[position]}."
    for other in objects.positions_of_path(objects.path(position)).tolist():
        if names[other].startswith(prefix) and objects.column("kind")[position] != "module":
            yield int(other)


def _by_text(snapshot: Snapshot, symbols: Iterable[SymbolChange]) -> list[int]:
    """Who names what is gone: the graph has no relationship for that."""
    names = [item.name for item in _gone(snapshot, symbols)]
    return list(dict.fromkeys(position for name in names[:_MAX_NAMES] for position in users(snapshot, name)))


def _gone(snapshot: Snapshot, symbols: Iterable[SymbolChange]) -> list[Object]:
    """What is gone, where nothing else of the root has its name: a line that says it means what is gone."""
    gone = [c.old for c in symbols if c.status in ("removed", "renamed") and c.old is not None]
    names = set(snapshot.objects.column("name")) if gone else set()
    return [item for item in gone if item.name not in names]


def _reached(snapshot: Snapshot, walk: Walk, starts: set[int]) -> list[Reached]:
    """What was reached, nearest and surest first; tests have a list of their own."""
    positions = [p for p in walk.distance if p not in starts and not is_test_file(snapshot.objects.path(p))]
    positions = [p for p in positions if walk.through[p] != CLASS_STEP and walk.distance[p] <= DEPTH]
    names = snapshot.objects.column("name")
    positions = [p for p in positions if names[p] != "_"]  # Go's `var _ Shape = Square{}`: nobody can look it up
    items = snapshot.objects.get(positions)
    found = [_one(snapshot, walk, p, item) for p, item in zip(positions, items, strict=True)]
    return sorted(found, key=lambda r: (r.distance, -r.confidence, r.item.path, r.item.start_line))


def _one(snapshot: Snapshot, walk: Walk, position: int, item: Object) -> Reached:
    cause = snapshot.objects.column("qualified_name")[walk.cause[position]]
    confidence = round(walk.confidence[position], 3)
    gone = walk.through[position] == NAMED_STEP and walk.cause[position] == position  # what it names is not there
    return Reached(item, walk.distance[position], confidence, walk.through[position], "" if gone else cause)


def _followers(snapshot: Snapshot, dependents: Dependents, symbols: Iterable[SymbolChange]) -> list[Reached]:
    """Overrides and implementers of declarations that changed in more than their bodies."""
    changed = [c for c in symbols if c.status in ("signature", "renamed", "moved") and c.new is not None]
    found = (snapshot.objects.position(c.item.entity_id) for c in changed)
    starts = [position for position in found if position is not None]
    walk = dependents.followers(starts)
    return _reached_all(snapshot, walk, set(starts))


def _reached_all(snapshot: Snapshot, walk: Walk, starts: set[int]) -> list[Reached]:
    positions = [p for p in walk.distance if p not in starts]
    items = snapshot.objects.get(positions)
    found = [_one(snapshot, walk, p, item) for p, item in zip(positions, items, strict=True)]
    return sorted(found, key=lambda r: (-r.confidence, r.item.path, r.item.start_line))


def _untested(
    snapshot: Snapshot, reach: Reach, starts: Sequence[int], symbols: Iterable[SymbolChange]
) -> Iterator[Object]:
    """Changed functions that no test is likely to run; of a large change, the first ones are looked at."""
    changed = [c.new for c in symbols if c.new is not None and c.status in ("added", "signature", "body")]
    functions = [o for o in changed if o.kind in ("function", "method", "constructor") and not is_test_file(o.path)]
    placed = ((item, snapshot.objects.position(item.entity_id)) for item in functions)
    looked = {position: item for item, position in placed if position is not None}
    if not starts:
        return
    tested = np.zeros(len(reach.paths))
    for position, likelihood in reach.carried.items():
        if is_test_file(snapshot.objects.path(position)):
            tested = np.maximum(tested, likelihood)
    for start, sure in zip(starts, tested.tolist(), strict=False):
        if start in looked and sure < LIKELY_ENOUGH:
            yield looked[start]


def _mentions(snapshot: Snapshot, symbols: Iterable[SymbolChange]) -> list[Mention]:
    """Lines that still name what is gone."""
    found: list[Mention] = []
    for item in _gone(snapshot, symbols)[:_MAX_NAMES]:
        found += mentions(snapshot, item.name, limit=_MAX_MENTIONS)
    return list(dict.fromkeys(found))


def _warnings(snapshot: Snapshot, compared: Compared, symbols: Sequence[SymbolChange]) -> Iterator[str]:
    if len(symbols) > MAX_SYMBOLS:
        yield f"{len(symbols):,} symbols changed; the first {MAX_SYMBOLS:,} are looked at"
    if not compared.of_disk and any(snapshot.objects.position(c.item.entity_id) is None for c in symbols if c.new):
        yield "what depends on the change is told from the files on disk, which are not those that are compared"
    if snapshot.status().state == "indexing":
        yield "indexing is still going on: what depends on the change is told from part of the files"


def _package_json(config: Config) -> str:
    try:
        return read_bytes(config.root, "package.json", _MANIFEST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
