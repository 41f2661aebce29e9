"""Addresses that changed code answers, and those that lead to what depends on it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sightline.changes.model import Reached, Route, SymbolChange
from sightline.changes.texts import SnapshotTexts
from sightline.graph.build.tested import is_test_file
from sightline.retrieval.routes.find import Answering, routes_in

if TYPE_CHECKING:
    from pathlib import Path

    from sightline.store import Snapshot

MAX_LOOKED_AT = 200  # functions whose routes are looked for
_ANSWERING = frozenset({"function", "method", "constructor", "class"})


def routes(root: Path, snapshot: Snapshot, symbols: Iterable[SymbolChange], reached: Iterable[Reached]) -> list[Route]:
    """The addresses that changed functions, and those that depend on them, answer; nearest first."""
    changed = [(change.new, 0) for change in symbols if change.new is not None]
    functions = [(o, d) for o, d in (*changed, *((r.item, r.distance) for r in reached)) if o.kind in _ANSWERING]
    functions = [(o, d) for o, d in functions if not is_test_file(o.path)][:MAX_LOOKED_AT]
    if not functions:
        return []
    known = routes_in(snapshot, SnapshotTexts(root, snapshot))
    leading: dict[int | None, list[Answering]] = {}
    for one in known.all:
        leading.setdefault(one.position, []).append(one)
    found: dict[tuple[str, str], Route] = {}
    for item, distance in functions:
        position = snapshot.objects.position(item.entity_id)
        for one in leading.get(position, ()) if position is not None else ():
            method, address = ",".join(one.route.methods) or "ANY", one.route.address
            found.setdefault((method, address), Route(method, address, item, distance))
    return list(found.values())
