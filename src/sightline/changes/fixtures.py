"""What pytest hands to tests by name: fixtures, and who takes them.

No relationship of the graph says so, since nothing in the code does: a parameter has the name of a function somewhere
above. A fixture of a file is seen in that file, one of a `conftest.py` in all folders below it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from sightline.graph.build.tested import is_fixture, is_test_file, is_test_name

if TYPE_CHECKING:
    from sightline.store import Snapshot
    from sightline.types import Object

_KEY = "pytest fixtures"
_MAX_CHUNKS = 4_000
_FIXTURE = re.compile(
    r"^[ \t]*@(?:pytest\.|pytest_asyncio\.)?(?:yield_)?fixture\b"
    r"(?P<options>[^\n]*(?:\n(?![ \t]*(?:async )?def )[^\n]*){0,12}?)"
    r"\n[ \t]*(?:async )?def (?P<name>\w+)",
    re.MULTILINE,
)
_NAMED = re.compile(r"\bname\s*=\s*[\"'](\w+)[\"']")
_AUTOUSE = re.compile(r"\bautouse\s*=\s*True")
_PARAMETERS = re.compile(r"\((?P<inside>.*)\)", re.DOTALL)
_NAME = re.compile(r"^\s*\*{0,2}(\w+)")


def injections(snapshot: Snapshot) -> dict[int, list[int]]:
    """Fixtures and the functions that take them, as positions of objects; worked out once per snapshot."""
    return snapshot.objects.once(_KEY, lambda: _injections(snapshot))


def _injections(snapshot: Snapshot) -> dict[int, list[int]]:
    fixtures = _fixtures(snapshot)
    if not fixtures:
        return {}
    found: dict[int, list[int]] = defaultdict(list)
    parents = snapshot.objects.positions(snapshot.objects.column("parent"))
    for fixture, _ in fixtures.values():  # one of a class serves all tests of the class, those it inherits included
        owner = int(parents[fixture])
        if owner >= 0 and snapshot.objects.column("kind")[owner] == "class":
            found[fixture].append(owner)
    by_name: dict[str, list[tuple[str, int]]] = defaultdict(list)
    everywhere: list[tuple[str, int]] = []
    for (name, path), (fixture, automatic) in fixtures.items():
        by_name[name].append((path, fixture))
        if automatic:
            everywhere.append((path, fixture))
    for position, item in _takers(snapshot):
        wanted = [place for name in _parameters(item.signature) for place in by_name.get(name, ())]
        if is_test_name(item.name, item.kind):
            wanted += everywhere
        for path, fixture in dict.fromkeys(wanted):
            if fixture != position and _is_seen(path, item.path):
                found[fixture].append(position)
    return dict(found)


def _fixtures(snapshot: Snapshot) -> dict[tuple[str, str], tuple[int, bool]]:
    """(name, file) → (its function, whether every test below gets it)."""
    ranked = snapshot.chunks.lexical({"fixture": 1.0}, limit=_MAX_CHUNKS)
    languages = snapshot.chunks.column("language")
    positions = [int(p) for p in ranked.positions if languages[int(p)] == "python"]
    found: dict[tuple[str, str], tuple[int, bool]] = {}
    for chunk in snapshot.chunks.get(positions):
        for match in _FIXTURE.finditer(chunk.text):
            function = _function(snapshot, chunk.path, match["name"])
            named = _NAMED.search(match["options"])
            if function is not None:
                name = named[1] if named is not None else match["name"]
                found[name, chunk.path] = function, _AUTOUSE.search(match["options"]) is not None
    return found


def _function(snapshot: Snapshot, path: str, name: str) -> int | None:
    names, kinds = snapshot.objects.column("name"), snapshot.objects.column("kind")
    for position in snapshot.objects.positions_of_path(path).tolist():
        if names[position] == name and kinds[position] in ("function", "method"):
            return int(position)
    return None


def _takers(snapshot: Snapshot) -> list[tuple[int, Object]]:
    """Functions of Python tests that may take a fixture."""
    objects = snapshot.objects
    kinds, languages = objects.column("kind"), objects.column("language")
    positions = [
        position
        for position in np.flatnonzero(objects.alive).tolist()
        if kinds[position] in ("function", "method") and languages[position] == "python"
        if is_test_file(objects.path(position))
    ]
    return list(zip(positions, objects.get(positions), strict=True))


def _parameters(signature: str) -> set[str]:
    inside = _PARAMETERS.search(signature)
    if inside is None:
        return set()
    matches = (_NAME.match(part) for part in inside["inside"].split(","))
    return {match[1] for match in matches if match is not None}


def _is_seen(fixture_path: str, path: str) -> bool:
    folder, _, name = fixture_path.rpartition("/")
    if name == "conftest.py" or is_fixture(fixture_path) or name.startswith("fixtures") or "plugin" in name:
        return not folder or name != "conftest.py" or path.startswith(f"{folder}/")
    return fixture_path == path
