"""Which tests to run for a change: those that the walk from the changed symbols comes by, most direct first.

A list of tests is worth having only if what it misses is known, so it ends with what no graph can see.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sightline.changes.inherited import Members, elsewhere, inherited
from sightline.changes.model import Test
from sightline.changes.reach import Walk
from sightline.changes.runners import BY_FILE, Runners, id_of, is_test
from sightline.graph.build.tested import is_fixture, is_test_file
from sightline.types import Object

if TYPE_CHECKING:
    from sightline.store import Snapshot

# Tests that are less likely to run the change are not named unless asked for. On flask, where 40 functions were broken
# one at a time, .75 of the failing tests are named so, with .11 of the suite in the median; at .38 it is more than a
# quarter of the suite for .77, and all that is reached has .96 of them, but is nearly the whole suite. `scripts/bench
# changes tests`, November 2026.
LIKELY_ENOUGH = 0.39
_TEST_NAME = re.compile(r"\.(?:test|spec)\.|_(?:test|spec)\.|Tests?\.|^test_")
UNSEEN = (
    "tests that start another process, load code by its name (entry points, reflection), or reach the change through "
    "data and files",
    "tests in files that are not indexed",
)


def tests_to_run(snapshot: Snapshot, walk: Walk, runners: Runners) -> list[Test]:
    """Every test that a walk came by, each once."""
    best: dict[tuple[str, str], Test] = {}
    members = Members(snapshot)
    positions = [p for p in walk.distance if is_test_file(snapshot.objects.path(p)) or _may_test(snapshot, p)]
    items = dict(zip(positions, snapshot.objects.get(positions), strict=True))
    for position, item in items.items():
        for test in _tests_of(members, walk, position, item, runners):
            known = best.get((test.runner, test.id))
            if known is None or _order(test) < _order(known):
                best[test.runner, test.id] = test
    return sorted(best.values(), key=_order)


def _tests_of(members: Members, walk: Walk, position: int, item: Object, runners: Runners) -> Iterator[Test]:
    snapshot = members.snapshot
    runner = runners.of(item.language, item.path)
    if runner in BY_FILE:
        if is_test_file(item.path) and not _is_support(item.path):
            yield _test(snapshot, walk, position, item, runner)
    elif is_test(item):
        for each in (item, *elsewhere(members, item)):
            yield _test(snapshot, walk, position, each, runner)
    elif item.kind in ("class", "struct", "module") and is_test_file(item.path):
        # What a class or module of tests does when it is set up or loaded concerns all tests inside it.
        for member in (*_inside(members, item), *inherited(members, item)):
            if is_test(member):
                yield _test(snapshot, walk, position, member, runner)


def _test(snapshot: Snapshot, walk: Walk, position: int, item: Object, runner: str) -> Test:
    cause = snapshot.objects.column("qualified_name")[walk.cause[position]]
    distance = walk.distance[position]
    reason = "changed itself" if not distance else f"{walk.through[position].replace('_', ' ')} {cause}"
    if walk.through[position] == "contains":
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
