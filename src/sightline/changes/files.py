"""Files that a change of some files concerns: what the graph connects them with, and what usually changes with them.

Both are ranked by a share between 0 and 1, so that they can be joined: a file that neither is sure of, but both name,
is likelier than either says.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import numpy as np

from sightline.changes.history import History
from sightline.changes.together import MIN_SUPPORT, changes_with
from sightline.graph.build.confidence import BY_RESOLUTION
from sightline.graph.read.adjacency import adjacency_of, type_mask

if TYPE_CHECKING:
    from sightline.store import Snapshot

_SURE_ENOUGH = BY_RESOLUTION["unique_name"]  # a guess, and right 107 times of 111: no less a sign of going together
_CONTAINS = ("contains",)
# How much of a file's relationships lead to another one says little beside history. Chosen on flask and click, with 44
# commits of theirs: recall of the hidden half at 5, 10 and 20 is .494, .573, .701 by history alone, .500, .597, .713
# with the graph at this weight, and less at 20 with a larger one. `scripts/bench changes history`, November 2026.
_WEIGHT = 0.2
_GUESSED = 0.3  # what a relationship counts that is not proven
_SMOOTHING = 2.0  # relationships that lead nowhere, for files with few


def by_graph(snapshot: Snapshot, paths: Collection[str]) -> dict[str, float]:
    """How much files have to do with these: by the share of the relationships of each, either way."""
    graph, objects = adjacency_of(snapshot), snapshot.objects
    inside = type_mask(snapshot, _CONTAINS)
    sure = snapshot.relationships.column("confidence")
    found: dict[str, float] = {}
    for path in paths:
        links = graph.links(objects.positions_of_path(path), "both")
        ok = links.far >= 0
        if inside is not None:
            ok &= ~inside[links.rows]
        numbers = objects.path_index[links.far[ok]]
        weights = np.where(sure[links.rows[ok]] >= np.float32(_SURE_ENOUGH), 1.0, _GUESSED)
        counts = np.bincount(numbers, weights) if len(numbers) else np.empty(0)
        others = {snapshot.paths[n]: float(counts[n]) for n in np.flatnonzero(counts).tolist()}
        others = {other: count for other, count in others.items() if other not in paths}
        total = sum(others.values()) + _SMOOTHING
        for other, count in others.items():
            found[other] = joined(found.get(other, 0.0), _WEIGHT * count / total)
    return found


def by_history(history: History, paths: Collection[str], existing: Collection[str]) -> dict[str, float]:
    """How usual it is that files change with these."""
    found: dict[str, float] = {}
    for pairs in changes_with(history, paths).values():
        for pair in pairs:
            if pair.support >= MIN_SUPPORT - 1 and pair.other in existing and pair.other not in paths:
                found[pair.other] = joined(found.get(pair.other, 0.0), pair.likelihood)
    return found


def likely_files(*ranked: Mapping[str, float]) -> dict[str, float]:
    """Several rankings as one: the chance that any of them is right."""
    found: dict[str, float] = {}
    for each in ranked:
        for path, share in each.items():
            found[path] = joined(found.get(path, 0.0), share)
    return found


def joined(one: float, other: float) -> float:
    """The chance that either is right."""
    return 1.0 - (1.0 - one) * (1.0 - other)
