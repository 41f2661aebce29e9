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
MAX_AREAS = 120  # more cannot be told apart in one picture
_ENOUGH = 6  # areas that make a map worth looking at; the levels are chosen so that there are at least as many


@dataclass(frozen=True, slots=True)
class MapArea:
    """A folder of the map, or a file that lies directly in the folder that is looked at."""

    path: str  # a folder ends with a slash
    files: int
    lines: int
    cycle: int = 0  # which of the cycles it is part of, from 1; 0 for none


@dataclass(frozen=True, slots=True)
class Crossing:
    """That one area depends on another: how many proven edges say so, and how many guesses."""

    source: str
    target: str
    proven: int
    possible: int
    in_cycle: bool = False


@dataclass(frozen=True, slots=True)
class ModuleMap:
    """The areas below a folder and the dependencies between them."""

    folder: str  # "" for the whole root
    levels: int
    areas: tuple[MapArea, ...]
    crossings: tuple[Crossing, ...]
    cycles: tuple[tuple[str, ...], ...]
    left_out: int = 0  # areas that did not fit, the smallest


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
    area_of = {path: _area(path, prefix, chosen) for path in files}
    sizes: dict[str, list[int]] = {}
    for path, area in area_of.items():
        sizes.setdefault(area, []).append(files[path])
    shown = set(sorted(sizes, key=lambda area: (-sum(sizes[area]), area))[:MAX_AREAS])
    counts = _between(snapshot, lambda path: area if (area := area_of.get(path)) in shown else None)
    links: dict[str, dict[str, int]] = {}
    for (source, target), (proven, _) in counts.items():
        if proven:
            links.setdefault(source, {})[target] = proven
    cycles = sorted(tuple(sorted(component)) for component in components(links))
    cycle_of = {area: number for number, cycle in enumerate(cycles, start=1) for area in cycle}
    return ModuleMap(
        folder=folder,
        levels=chosen,
        areas=tuple(MapArea(area, len(sizes[area]), sum(sizes[area]), cycle_of.get(area, 0)) for area in sorted(shown)),
        crossings=tuple(
            Crossing(source, target, proven, possible, bool(proven) and _together(cycle_of, source, target))
            for (source, target), (proven, possible) in sorted(counts.items())
        ),
        cycles=tuple(cycles),
        left_out=len(sizes) - len(shown),
    )


def _between(snapshot: Snapshot, area_of: Callable[[str], str | None]) -> dict[tuple[str, str], tuple[int, int]]:
    """How many proven and how many guessed edges lead from one area to another."""
    counts: dict[tuple[str, str], tuple[int, int]] = {}
    for (source, target), dependency in crossings_of(snapshot).by_pair.items():
        a, b = area_of(source), area_of(target)
        if a is not None and b is not None and a != b:
            proven, possible = counts.get((a, b), (0, 0))
            counts[a, b] = (proven + len(dependency.rows), possible + len(dependency.possible))
    return counts


def _together(cycle_of: Mapping[str, int], source: str, target: str) -> bool:
    return cycle_of.get(source, 0) == cycle_of.get(target, -1)


def _telling_levels(files: Mapping[str, int], prefix: str) -> int:
    """The fewest levels that give enough areas; where none do, those that give most."""
    counts = {levels: len({_area(path, prefix, levels) for path in files}) for levels in range(1, MAX_LEVELS + 1)}
    enough = [levels for levels, count in counts.items() if count >= _ENOUGH]
    return enough[0] if enough else max(counts, key=lambda levels: (counts[levels], -levels))


def _area(path: str, prefix: str, levels: int) -> str:
    """Where a file belongs: its folder, at most so many levels below the prefix, or itself when it is right there."""
    folders = path[len(prefix) :].split("/")[:-1]
    return prefix + "/".join(folders[:levels]) + "/" if folders else path
