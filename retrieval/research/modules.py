"""Dependencies between files and folders, read off the edges that cross them, and the cycles among them.

A file depends on another when proven edges lead from one to the other: imports, and calls, types and bases, since in
Go, Java or Swift files of one package or module need no import. Tests depend on everything and are kept apart.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sightline.graph.build.confidence import is_proven
from sightline.graph.build.tested import is_test_file
from sightline.graph.read.adjacency import adjacency_of, type_mask

if TYPE_CHECKING:
    from sightline.store import Snapshot

_TYPES = ("imports", "calls", "instantiates", "uses_type", "inherits", "implements", "overrides", "decorates")
_KEY = "research crossings"


@dataclass(frozen=True, slots=True)
class Dependency:
    """That one file depends on another, with the edges that say so, in the order of the source."""

    source: str
    target: str
    rows: tuple[int, ...]
    possible: tuple[int, ...]  # guessed edges


class Crossings:
    """All edges of a snapshot that lead from one file into another."""

    def __init__(self, snapshot: Snapshot) -> None:
        edges, objects, graph = snapshot.relationships, snapshot.objects, adjacency_of(snapshot)
        wanted = type_mask(snapshot, _TYPES)
        inside = np.asarray(edges.alive & (graph.source >= 0) & (graph.target >= 0))
        rows = np.flatnonzero(inside if wanted is None else inside & wanted)
        source, target = objects.path_index[graph.source[rows]], objects.path_index[graph.target[rows]]
        # The file that states an edge depends on the other one: a decorator is the source but knows nothing of its use.
        stated = edges.path_index[rows]
        flipped = stated == target
        source, target = np.where(flipped, target, source), np.where(flipped, source, target)
        cross = source != target
        rows, source, target = rows[cross], source[cross], target[cross]
        order = np.lexsort((edges.ids[rows], edges.start_line[rows]))
        confidence, resolutions = edges.column("confidence"), edges.column("resolution")
        proven: dict[tuple[str, str], list[int]] = {}
        guessed: dict[tuple[str, str], list[int]] = {}
        for row, a, b in zip(rows[order].tolist(), source[order].tolist(), target[order].tolist(), strict=True):
            sure = is_proven(confidence[row], resolutions[row])
            (proven if sure else guessed).setdefault((snapshot.paths[a], snapshot.paths[b]), []).append(row)
        self.by_pair: dict[tuple[str, str], Dependency] = {
            pair: Dependency(*pair, tuple(proven.get(pair, ())), tuple(guessed.get(pair, ())))
            for pair in sorted(proven.keys() | guessed.keys())
        }

    def between(self, sources: Collection[str], targets: Collection[str]) -> list[Dependency]:
        """Dependencies of these files on those; a file in both counts as neither."""
        return [
            dependency
            for (source, target), dependency in self.by_pair.items()
            if source in sources and target in targets and source not in targets and target not in sources
        ]

    def out_of(self, files: Collection[str]) -> list[Dependency]:
        """What these files depend on outside themselves."""
        return [d for (source, target), d in self.by_pair.items() if source in files and target not in files]

    def into(self, files: Collection[str]) -> list[Dependency]:
        """What depends on these files from outside."""
        return [d for (source, target), d in self.by_pair.items() if target in files and source not in files]


def crossings_of(snapshot: Snapshot) -> Crossings:
    """The crossings of a snapshot, found when first asked for."""
    return snapshot.relationships.once(_KEY, lambda: Crossings(snapshot))


def folder_of(path: str) -> str:
    """The folder of a file, with a slash at the end; `./` at the top."""
    return (path.rpartition("/")[0] or ".") + "/"


@dataclass(frozen=True, slots=True)
class Cycle:
    """A shortest cycle of a strongly connected component: files or folders that all depend on each other."""

    steps: tuple[tuple[str, str, int], ...]  # from, to, row of an edge that says so
    component: tuple[str, ...]


def file_cycles(snapshot: Snapshot, files: Collection[str], *, imports_only: bool) -> list[Cycle]:
    """Cycles among files, tests left out."""
    types = snapshot.relationships.column("relationship_type")
    links: dict[str, dict[str, int]] = {}
    for (source, target), dependency in crossings_of(snapshot).by_pair.items():
        rows = [row for row in dependency.rows if not imports_only or types[row] == "imports"]
        if rows and source in files and target in files and not (is_test_file(source) or is_test_file(target)):
            links.setdefault(source, {})[target] = _telling(types, rows)
    return _cycles(links)


def folder_cycles(snapshot: Snapshot, files: Collection[str]) -> list[Cycle]:
    """Cycles among folders, tests left out."""
    types = snapshot.relationships.column("relationship_type")
    links: dict[str, dict[str, int]] = {}
    for (source, target), dependency in crossings_of(snapshot).by_pair.items():
        a, b = folder_of(source), folder_of(target)
        if a == b or not dependency.rows or is_test_file(source) or is_test_file(target):
            continue
        if source in files and target in files:
            links.setdefault(a, {}).setdefault(b, _telling(types, dependency.rows))
    return _cycles(links)


def _telling(types: Sequence[str], rows: Sequence[int]) -> int:
    """The edge that shows a dependency best: an import where there is one."""
    return next((row for row in rows if types[row] == "imports"), rows[0])


def _cycles(links: Mapping[str, Mapping[str, int]]) -> list[Cycle]:
    found = []
    for component in components(links):
        inside = set(component)
        ways = [way for start in component if (way := _round_trip(links, start, inside))]
        shortest = min(ways, key=lambda way: (len(way), way))
        steps = tuple((a, b, links[a][b]) for a, b in zip(shortest, [*shortest[1:], shortest[0]], strict=True))
        found.append(Cycle(steps, tuple(sorted(component))))
    return sorted(found, key=lambda cycle: (len(cycle.component), cycle.component))


def _round_trip(links: Mapping[str, Mapping[str, int]], start: str, inside: set[str]) -> list[str]:
    """The shortest way from a node back to itself."""
    before: dict[str, str] = {}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for target in links.get(node, {}):
            if target == start:
                way = [node]
                while way[-1] != start:
                    way.append(before[way[-1]])
                return way[::-1]
            if target in inside and target not in before:
                before[target] = node
                queue.append(target)
    return []


def components(links: Mapping[str, Mapping[str, int]]) -> list[list[str]]:
    """Strongly connected components of more than one node (Tarjan, without recursion), each in no order."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    on_stack: set[str] = set()
    stack: list[str] = []
    components: list[list[str]] = []
    for root in links:
        if root in index:
            continue
        work = [(root, iter(links.get(root, ())))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(links.get(target, ()))))
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    component: list[str] = []
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        component.append(member)
                        if member == node:
                            break
                    if len(component) > 1:
                        components.append(component)
    return components
