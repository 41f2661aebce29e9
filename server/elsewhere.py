"""Relationships from one root into another: who in the other roots uses a symbol by the full name that they import.

Every root is resolved by itself, and what leads out of it keeps the name that its source states, such as
`werkzeug.wsgi.get_host`. A symbol of another root is meant when that name ends with its own and what stands before is
its module, or a package above its module, which may re-export it. Nothing is kept: the index of relationships is asked.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from sightline.retrieval.query import analyse
from sightline.types import Object, Relationship

if TYPE_CHECKING:
    from sightline.server.progress import Call
    from sightline.server.root import Root
    from sightline.store import Snapshot

MAX_SHOWN = 50
_LOOKED_AT = 500  # relationships of a root whose words fit best
_ABOVE_PACKAGES = ("src.", "lib.", "python.")  # folders that packages lie in and that no import names


def users(
    defined: Root, starts: Sequence[Object], others: Sequence[Root], *, types: Collection[str] | None, call: Call
) -> list[tuple[str, Relationship]]:
    """The relationships of other roots that lead to these symbols, with the name of their root."""
    snapshot = defined.snapshot()
    wanted = [(module, start) for start in starts if snapshot is not None and (module := _module(snapshot, start))]
    found: list[tuple[str, Relationship]] = []
    for other in others:
        if other is defined or not wanted or len(found) >= MAX_SHOWN:
            continue
        call.step(f"looking into {other.name}")
        edges, _ = other.ask(lambda of: _leading_to(of, wanted), _paths, call)
        found += [(other.name, edge) for edge in edges or () if types is None or edge.relationship_type in types]
    return found[:MAX_SHOWN]


def _leading_to(snapshot: Snapshot, wanted: Sequence[tuple[str, Object]]) -> list[Relationship]:
    rows = snapshot.relationships
    outside = rows.column("resolution").mask("external")
    found: dict[str, Relationship] = {}
    for module, start in wanted:
        terms = analyse(f"{module} {start.name}").terms
        ranked = rows.lexical(terms, limit=_LOOKED_AT, allowed=outside)
        for edge in rows.get(ranked.positions):
            if means(edge.target_name, module, start):
                found[edge.id] = edge
    return sorted(found.values(), key=lambda edge: (edge.path, edge.site_line, edge.id))


def means(name: str, module: str, item: Object) -> bool:
    """Whether a name from outside is that of an object of this module."""
    if item.kind == "module":
        return name == module
    package = name.removesuffix(f".{item.qualified_name}")
    return package != name and (module == package or module.startswith(f"{package}."))


def _module(snapshot: Snapshot, item: Object) -> str:
    """The module of an object as others import it; "" for a file that is none."""
    for other in snapshot.objects.get(snapshot.objects.positions_of_path(item.path)):
        if other.kind == "module":
            name = other.qualified_name
            above = next((folder for folder in _ABOVE_PACKAGES if name.startswith(folder)), "")
            return name.removeprefix(above)
    return ""


def _paths(edges: list[Relationship] | None) -> list[str]:
    return list(dict.fromkeys(edge.path for edge in edges or ()))
