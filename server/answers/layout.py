"""Where the boxes of a picture go: in layers, so that arrows lead one way as far as they can.

The usual four steps: arrows that close a circle are turned round, every box gets the layer after the last one that
leads to it, boxes are put in the order of their neighbours' places, and layers are centred on each other. The same
boxes and arrows give the same picture.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

_T = TypeVar("_T", bound=Hashable)
_SWEEPS = 6
_GAP = 24.0  # between boxes of a layer
_BETWEEN = 72.0  # layers
_MAX_ROW = 1_150.0  # a layer that is wider goes on in the next row
HEIGHT = 40.0


@dataclass(frozen=True, slots=True)
class Box:
    """A box in the picture: its upper left corner and its size."""

    x: float
    y: float
    width: float
    height: float = HEIGHT


def layered(widths: Mapping[_T, float], arrows: Sequence[tuple[_T, _T]], *, across: bool = False) -> dict[_T, Box]:
    """Place boxes of these widths, the start of an arrow above its end wherever there is no circle.

    With `across` to the left of it instead: layers are columns, which suits layers of many boxes. What no arrow leads
    to or from stands below all the others.
    """
    connected = {node for arrow in arrows for node in arrow}
    after: dict[_T, list[_T]] = {node: [] for node in widths if node in connected}
    for source, target in _acyclic(list(after), arrows):
        after[source].append(target)
    layers = _ordered(_layers(after), after)
    alone = [node for node in widths if node not in connected]
    return _columns([*layers, *([alone] if alone else [])], widths) if across else _rows(layers, alone, widths)


def _rows(layers: Sequence[Sequence[_T]], alone: Sequence[_T], widths: Mapping[_T, float]) -> dict[_T, Box]:
    """Layers from top to bottom; one that is too wide takes several rows."""
    rows = [(row, _BETWEEN) for layer in layers for row in _broken(layer, widths)]
    rows += [(row, _GAP) for row in _broken(alone, widths) if row]
    whole = max((_width(row, widths) for row, _ in rows), default=0.0)
    placed: dict[_T, Box] = {}
    y = 0.0
    for row, below in rows:
        x = (whole - _width(row, widths)) / 2
        for node in row:
            placed[node] = Box(round(x, 1), y, round(widths[node], 1))
            x += widths[node] + _GAP
        y += HEIGHT + below
    return placed


def _columns(layers: Sequence[Sequence[_T]], widths: Mapping[_T, float]) -> dict[_T, Box]:
    """Layers from left to right."""
    step = HEIGHT + _GAP / 2
    tallest = max(map(len, layers), default=0)
    placed: dict[_T, Box] = {}
    x = 0.0
    for layer in layers:
        for number, node in enumerate(layer):
            placed[node] = Box(x, round((tallest - len(layer)) * step / 2 + number * step, 1), round(widths[node], 1))
        x = round(x + max(widths[node] for node in layer) + 1.5 * _BETWEEN, 1)
    return placed


def _width(row: Sequence[_T], widths: Mapping[_T, float]) -> float:
    return sum(widths[node] for node in row) + _GAP * max(len(row) - 1, 0)


def _acyclic(nodes: Sequence[_T], arrows: Sequence[tuple[_T, _T]]) -> list[tuple[_T, _T]]:
    """The arrows, those turned round that lead back to where a walk along them came from."""
    after: dict[_T, list[_T]] = {node: [] for node in nodes}
    into: dict[_T, int] = dict.fromkeys(nodes, 0)
    for source, target in arrows:
        if source != target:
            after[source].append(target)
            into[target] += 1
    number: dict[_T, int] = {}  # when a walk was done with a node
    open_nodes: set[_T] = set()
    for start in sorted(nodes, key=lambda node: (into[node] - len(after[node]), into[node])):
        if start in number or start in open_nodes:
            continue
        work = [(start, iter(after[start]))]
        open_nodes.add(start)
        while work:
            node, targets = work[-1]
            following = next((t for t in targets if t not in number and t not in open_nodes), None)
            if following is None:
                work.pop()
                open_nodes.discard(node)
                number[node] = len(number)
            else:
                open_nodes.add(following)
                work.append((following, iter(after[following])))
    # A walk ends a node after everything it leads to, so an arrow that leads to a later end leads back.
    return list(dict.fromkeys((s, t) if number[s] > number[t] else (t, s) for s, t in arrows if s != t))


def _layers(after: Mapping[_T, Sequence[_T]]) -> dict[_T, int]:
    """The length of the longest way to each node."""
    waiting: dict[_T, int] = dict.fromkeys(after, 0)
    for targets in after.values():
        for target in targets:
            waiting[target] += 1
    layer: dict[_T, int] = dict.fromkeys(after, 0)
    ready = [node for node, count in waiting.items() if not count]
    while ready:
        node = ready.pop()
        for target in after[node]:
            layer[target] = max(layer[target], layer[node] + 1)
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    return layer


def _ordered(layer: Mapping[_T, int], after: Mapping[_T, Sequence[_T]]) -> list[list[_T]]:
    """The boxes of each layer, in an order in which arrows cross little."""
    rows: list[list[_T]] = [[] for _ in range(max(layer.values(), default=-1) + 1)]
    for node in layer:
        rows[layer[node]].append(node)
    near: dict[_T, list[_T]] = {node: list(targets) for node, targets in after.items()}
    for node, targets in after.items():
        for target in targets:
            near[target].append(node)
    for sweep in range(_SWEEPS):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            place = {node: index / max(len(each), 1) for each in rows for index, node in enumerate(each)}
            row.sort(key=lambda node: _mean([place[other] for other in near[node]], place[node]))
    return rows


def _broken(row: Sequence[_T], widths: Mapping[_T, float]) -> list[list[_T]]:
    parts: list[list[_T]] = [[]]
    for node in row:
        if parts[-1] and _width([*parts[-1], node], widths) > _MAX_ROW:
            parts.append([])
        parts[-1].append(node)
    return parts


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
