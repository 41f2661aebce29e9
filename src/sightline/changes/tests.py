"""Which tests to run for a change: those that the walk from the changed symbols comes by, most direct first.

A list of tests is worth having only if what it misses is known, so it ends with what no graph can see.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from sightline.changes.inherited import Members, elsewhere, inherited
from sightline.changes.model import Test
from sightline.changes.reach import Reach, Walk
from sightline.changes.runners import BY_FILE, Runners, id_of, is_test
from sightline.graph.build.tested import is_fixture, is_test_file, is_test_name
from sightline.types import Object

if TYPE_CHECKING:
    from sightline.store import Snapshot

# Which of the tests that are reached are named. Where some test plainly runs a changed symbol, its tests are known, and
# others have to be nearly as sure; where none does, it is reached through the program alone, and whatever is not much
# less likely than the likeliest counts. The likeliest others are added, those in files of the changed file's name
# first, as long as all of them together are a small part of the suite. Chosen on flask, marshmallow and chi, where 40
# functions each were broken one at a time: .95, .92 and .98 of the tests that fail are named so, with .23, .25 and .05
# of the suite in the median (docs/CHANGES.md).
_PLAINLY = 0.85
_SURE = 0.75
_OF_LIKELIEST = 0.6
_LEAST = 0.3
_SMALL_PART = 0.2
_MAX_MORE = 150  # tests: a quarter of a suite of thousands is no list to run
LIKELY_ENOUGH = 0.39  # for a test to count as a test of a symbol
_TEST_NAME = re.compile(r"\.(?:test|spec)\.|_(?:test|spec)\.|Tests?\.|^test_")
_KEY = "tests of the suite"
_HOLDERS = frozenset({"class", "struct", "module"})
_ITSELF = "changed itself"
UNSEEN = (
    "tests that start another process, load code by its name (entry points, reflection), or reach the change through "
    "data and files",
    "tests in files that are not indexed",
)


class Tests(NamedTuple):
    """Tests that a change reaches, likeliest first."""

    named: list[Test]
    others: list[Test]


def tests_to_run(snapshot: Snapshot, walk: Walk, reach: Reach, runners: Runners) -> Tests:
    """Every test that a walk came by, each once; `reach` tells the changed symbols apart."""
    best: dict[tuple[str, str], Test] = {}
    places: dict[tuple[str, str], list[int]] = {}
    members = Members(snapshot)
    positions = [p for p in walk.distance if is_test_file(snapshot.objects.path(p)) or _may_test(snapshot, p)]
    items = dict(zip(positions, snapshot.objects.get(positions), strict=True))
    members.read({item.path for item in items.values() if item.kind in _HOLDERS and is_test_file(item.path)})
    for position, item in items.items():
        for test in _tests_of(members, walk, position, item, runners):
            key = test.runner, test.id
            places.setdefault(key, []).append(position)
            better = key not in best or _order(test) < _order(best[key])
            if better or (test.reason == _ITSELF and _order(test) == _order(best[key])):
                best[key] = test
    named = _named(places, best, reach, suite_size(snapshot, runners))
    tests = sorted(best.values(), key=_order)
    return Tests([t for t in tests if (t.runner, t.id) in named], [t for t in tests if (t.runner, t.id) not in named])


def _named(
    places: Mapping[tuple[str, str], Sequence[int]], tests: Mapping[tuple[str, str], Test], reach: Reach, size: int
) -> set[tuple[str, str]]:
    """The tests that are likely enough for any of the changed symbols, and the likeliest of the others."""
    keys = list(places)
    nothing = np.zeros(len(reach.paths))
    rows = [[reach.carried[p] for p in places[key] if p in reach.carried] for key in keys]
    table = np.array([np.max(row, axis=0) if row else nothing for row in rows]).reshape(len(keys), len(nothing))
    chosen = np.zeros(len(keys), np.bool_)
    for column in np.unique(table, axis=1).T:
        chosen |= likely_enough(column)
    stems = {_stem(path) for path in reach.paths}
    alike = np.array([not stems.isdisjoint(_words(tests[key].path)) for key in keys], np.bool_)
    distances = np.array([tests[key].distance for key in keys])
    chosen |= next_likeliest(table.max(axis=1, initial=0.0), alike, distances, chosen, size)
    return {key for key, ok in zip(keys, chosen.tolist(), strict=True) if ok}


def likely_enough(likelihoods: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Which tests to name for one changed symbol."""
    likeliest = likelihoods.max(initial=0.0)
    bound = _SURE if likeliest >= _PLAINLY else max(_LEAST, _OF_LIKELIEST * likeliest)
    return np.asarray(likelihoods >= bound)


def next_likeliest(
    likelihoods: npt.NDArray[np.float64],
    alike: npt.NDArray[np.bool_],
    distances: npt.NDArray[np.int64],
    chosen: npt.NDArray[np.bool_],
    size: int,
) -> npt.NDArray[np.bool_]:
    """Those that are named as well, as long as all together are a small part of a suite of this size."""
    room = min(int(_SMALL_PART * size) - int(chosen.sum()), _MAX_MORE)
    rest = np.flatnonzero(~chosen & (likelihoods > 0))
    order = np.lexsort((-likelihoods[rest], distances[rest], ~alike[rest], -np.round(likelihoods[rest], 1)))
    more = np.zeros(len(chosen), np.bool_)
    more[rest[order[: max(room, 0)]]] = True
    return more


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0].strip("_").lower()


def _words(path: str) -> set[str]:
    """What a test file may be named after: `test_json_tag.py` after `tag.py`, `utils.test.ts` after `utils.ts`."""
    stem = _stem(path)
    return {stem, *re.split(r"[_-]", stem)} | {stem.removeprefix("test_").removesuffix("_test")}


def suite_size(snapshot: Snapshot, runners: Runners) -> int:
    """How many tests a root has, files where its runner is given files; worked out once per snapshot."""
    files = snapshot.files
    return snapshot.objects.once(
        _KEY, lambda: sum(_count(snapshot, path, runners) for path in files if is_test_file(path))
    )


def _count(snapshot: Snapshot, path: str, runners: Runners) -> int:
    objects = snapshot.objects
    positions = objects.positions_of_path(path).tolist()
    if not positions:
        return 0
    if runners.of(objects.column("language")[positions[0]], path) in BY_FILE:
        return 0 if _is_support(path) else 1
    names, kinds = objects.column("name"), objects.column("kind")
    return sum(is_test_name(names[p], kinds[p]) and kinds[p] != "class" for p in positions)


def _tests_of(members: Members, walk: Walk, position: int, item: Object, runners: Runners) -> Iterator[Test]:
    snapshot = members.snapshot
    runner = runners.of(item.language, item.path)
    if runner in BY_FILE:
        if is_test_file(item.path) and not _is_support(item.path):
            yield _test(snapshot, walk, position, item, runner)
    elif is_test(item):
        known = members.outermost(item)
        for each in (known, *elsewhere(members, known)) if is_test(known) else ():
            yield _test(snapshot, walk, position, each, runner)
    elif item.kind in _HOLDERS and is_test_file(item.path):
        # What a class or module of tests does when it is set up or loaded concerns all tests inside it.
        inside = (member for member in _inside(members, item) if members.outermost(member) is member)
        for member in (*inside, *inherited(members, item)):
            if is_test(member):
                yield _test(snapshot, walk, position, member, runner)


def _test(snapshot: Snapshot, walk: Walk, position: int, item: Object, runner: str) -> Test:
    cause = snapshot.objects.column("qualified_name")[walk.cause[position]]
    distance = walk.distance[position]
    reason = _ITSELF if not distance else f"{walk.through[position].replace('_', ' ')} {cause}"
    if not distance and item.kind not in _HOLDERS and snapshot.objects.column("kind")[position] in _HOLDERS:
        reason = f"in {snapshot.objects.column('qualified_name')[position]}, which changed"
    elif walk.through[position] == "contains":
        reason = f"through {cause}"
    return Test(runner, id_of(item, runner), item.path, item.start_line, distance, walk.likelihood[position], reason)


def _inside(members: Members, item: Object) -> list[Object]:
    found = members.of_file(item.path)
    if item.kind == "module":
        return found
    prefix = f"{item.qualified_name}."
    return [member for member in found if member.qualified_name.startswith(prefix)]


def _may_test(snapshot: Snapshot, position: int) -> bool:
    """Rust keeps its tests beside the code."""
    return bool(snapshot.objects.column("language")[position] == "rust")


def _is_support(path: str) -> bool:
    """Files of a test folder that hold no tests: fixtures, helpers, set-up. A name that says test is a test's."""
    name = path.rpartition("/")[2]
    if _TEST_NAME.search(name):
        return False
    return is_fixture(path) or name.startswith(("setup", "helper", "util", "spec_helper"))


def _order(test: Test) -> tuple[float, int, str, int, str]:
    return -test.likelihood, test.distance, test.path, test.line, test.id
