"""The map of a root: its folders, what they depend on, and the cycles among them.

Files are grouped by the folder that they are in, a few levels below the one that is looked at. A dependency is what
`modules.py` takes for one: proven edges that lead from one file into another. Guesses are counted apart and make no
cycle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sightline.graph.build.tested import is_test_file
from sightline.retrieval.research.modules import components, crossings_of

if TYPE_CHECKING:
    from sightline.store import Snapshot

MAX_LEVELS = 6
MAX_PLACES = 120  # more cannot be told apart in one picture
_ENOUGH = 6  # places that make a map worth looking at; the levels are chosen so that there are at least as many


@dataclass(frozen=True, slots=True)
class Place:
    """A folder of the map, or a file that lies directly in the folder that is looked at."""

    path: str  # a folder ends with a slash
    files: int
    lines: int
    cycle: int = 0  # which of the cycles it is part of, from 1; 0 for none


@dataclass(frozen=True, slots=True)
class Crossing:
    """That one place depends on another: how many proven edges say so, and how many guesses."""

    source: str
    target: str
    proven: int
    possible: int
    in_cycle: bool = False


@dataclass(frozen=True, slots=True)
class ModuleMap:
    """The places below a folder and the dependencies between them."""

    folder: str  # "" for the whole root
    levels: int
    places: tuple[Place, ...]
    crossings: tuple[Crossing, ...]
    cycles: tuple[tuple[str, ...], ...]
    left_out: int = 0  # places that did not fit, the smallest


def module_map(snapshot: Snapshot, folder: str = "", *, levels: int = 0, tests: bool = False) -> ModuleMap:
    """The map below a folder. Without `levels` they are chosen so that there is something to see."""
    folder = folder.strip("/")
    prefix = f"{folder}/" if folder else ""
    files = {
        path: record.lines
        for path, record in snapshot.files.items()
        if record.state == "indexed" and path.startswith(prefix) and (tests or not is_test_file(path))
    }
    chosen = levels or _telling_levels(files, prefix)
    place_of = {path: _place(path, prefix, chosen) for path in files}
    sizes: dict[str, list[int]] = {}
    for path, place in place_of.items():
        sizes.setdefault(place, []).append(files[path])
    shown = set(sorted(sizes, key=lambda place: (-sum(sizes[place]), place))[:MAX_PLACES])
    counts = _between(snapshot, lambda path: place if (place := place_of.get(path)) in shown else None)
    links: dict[str, dict[str, int]] = {}
    for (source, target), (proven, _) in counts.items():
        if proven:
            links.setdefault(source, {})[target] = proven
    cycles = sorted(tuple(sorted(component)) for component in components(links))
    cycle_of = {place: number for number, cycle in enumerate(cycles, start=1) for place in cycle}
    return ModuleMap(
        folder=folder,
        levels=chosen,
        places=tuple(
            Place(place, len(sizes[place]), sum(sizes[place]), cycle_of.get(place, 0)) for place in sorted(shown)
        ),
        crossings=tuple(
            Crossing(source, target, proven, possible, bool(proven) and _together(cycle_of, source, target))
            for (source, target), (proven, possible) in sorted(counts.items())
        ),
        cycles=tuple(cycles),
        left_out=len(sizes) - len(shown),
    )


def _between(snapshot: Snapshot, place_of: Callable[[str], str | None]) -> dict[tuple[str, str], tuple[int, int]]:
    """How many proven and how many guessed edges lead from one place to another."""
    counts: dict[tuple[str, str], tuple[int, int]] = {}
    for (source, target), dependency in crossings_of(snapshot).by_pair.items():
        a, b = place_of(source), place_of(target)
        if a is not None and b is not None and a != b:
            proven, possible = counts.get((a, b), (0, 0))
            counts[a, b] = (proven + len(dependency.rows), possible + len(dependency.possible))
    return counts


def _together(cycle_of: Mapping[str, int], source: str, target: str) -> bool:
    return cycle_of.get(source, 0) == cycle_of.get(target, -1)


def _telling_levels(files: Mapping[str, int], prefix: str) -> int:
    """The fewest levels that give enough places; where none do, those that give most."""
    counts = {levels: len({_place(path, prefix, levels) for path in files}) for levels in range(1, MAX_LEVELS + 1)}
    enough = [levels for levels, count in counts.items() if count >= _ENOUGH]
    return enough[0] if enough else max(counts, key=lambda levels: (counts[levels], -levels))


def _place(path: str, prefix: str, levels: int) -> str:
    """Where a file belongs: its folder, at most so many levels below the prefix, or itself when it is right there."""
    folders = path[len(prefix) :].split("/")[:-1]
    return prefix + "/".join(folders[:levels]) + "/" if folders else path
