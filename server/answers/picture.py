"""Pictures for people: a neighbourhood or the map of a root as SVG, Mermaid or DOT.

Whatever a name of the repository holds, it is text in all three: escaped, on one line, and never a link or a style.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from sightline.graph.build.confidence import is_proven
from sightline.server.answers.layout import HEIGHT, Box, layered
from sightline.visible import visible

if TYPE_CHECKING:
    from sightline.graph.read.walk import Expansion
    from sightline.retrieval.research.map import ModuleMap

_CHAR = 7.2  # wide, of the monospaced letters at the size below
_PADDING = 12.0
_MARGIN = 24.0
_MAX_CHARS = 44
_SAMPLES = 24  # points of an arrow at which it is looked whether it runs behind a box
_ROUND = 14.0  # beside the boxes, for an arrow that goes round them,
_ROUND_MORE = 9.0  # and so much more for every row that it passes
_MAX_DETOUR = 420.0  # further than that an arrow rather runs behind a box
_STYLE = """\
text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#1c2024}.s{font-size:10px;fill:#60646c}
.b{fill:#f7f8fa;stroke:#8b8d98;stroke-width:1.2}.b.start{fill:#e6f0ff;stroke:#0d6bde;stroke-width:2}
.b.cycle{stroke:#ce2c31;stroke-width:2}.e{fill:none;stroke:#8b8d98;stroke-width:1.2}.e.possible{stroke-dasharray:5 4}
.e.cycle{stroke:#ce2c31}.bg{fill:#ffffff}#a path{fill:#8b8d98}#c path{fill:#ce2c31}
@media(prefers-color-scheme:dark){.bg{fill:#111113}text{fill:#edeef0}.s{fill:#b0b4ba}.b{fill:#212225;stroke:#696e77}
.b.start{fill:#0d2847;stroke:#70b8ff}.e{stroke:#696e77}.b.cycle,.e.cycle{stroke:#ff9592}#a path{fill:#696e77}
#c path{fill:#ff9592}}"""


@dataclass(frozen=True, slots=True)
class Node:
    """A box: what it says, and what is the matter with it."""

    key: str
    label: str
    note: str = ""
    start: bool = False
    cycle: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """An arrow between two boxes."""

    source: str
    target: str
    label: str = ""
    possible: bool = False
    cycle: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """Boxes and arrows, whatever they are drawn with."""

    title: str
    nodes: Sequence[Node]
    edges: Sequence[Edge]
    across: bool = False  # whether it is read from left to right; else from top to bottom


def of_map(title: str, found: ModuleMap) -> Picture:
    """The picture of a map: a box per folder, red where folders depend on each other in a circle."""
    return Picture(
        title,
        [Node(p.path, _below(p.path, found.folder), _sized(p.files, p.lines), cycle=p.cycle > 0) for p in found.areas],
        [
            Edge(c.source, c.target, str(c.proven or c.possible), possible=not c.proven, cycle=c.in_cycle)
            for c in found.crossings
        ],
    )


def of_expansion(title: str, expansion: Expansion) -> Picture:
    """The picture of a neighbourhood: arrows of one kind between the same two symbols are one."""
    kinds: dict[tuple[str, str], dict[str, bool]] = {}
    for edge in expansion.edges:
        proven = is_proven(edge.confidence, edge.resolution)
        proven = proven and edge.relationship_type != "registers"  # who is registered is called later, or never
        of_pair = kinds.setdefault((edge.source_id, edge.target_id), {})
        of_pair[edge.relationship_type] = of_pair.get(edge.relationship_type, False) or proven
    known = {node.entity_id for node in expansion.nodes}
    return Picture(
        title,
        [
            Node(n.entity_id, n.qualified_name, f"{n.path}:{n.start_line}", start=not expansion.depths[n.entity_id])
            for n in expansion.nodes
        ],
        [
            Edge(source, target, ", ".join(types).replace("_", " "), possible=not any(types.values()))
            for (source, target), types in kinds.items()
            if source in known and target in known
        ],
        across=True,
    )


def place(picture: Picture) -> dict[str, Box]:
    """Where the boxes of a picture go."""
    widths = {
        node.key: max(len(_short(node.label)), len(_short(node.note)) * 0.85) * _CHAR + 2 * _PADDING
        for node in picture.nodes
    }
    return layered(widths, [(edge.source, edge.target) for edge in picture.edges], across=picture.across)


def svg(picture: Picture) -> str:
    """An SVG document that needs nothing from elsewhere, for light and dark."""
    boxes = place(picture)
    drawn = ways(picture, boxes)
    left, right = sides(boxes.values(), drawn.values())
    left, width = left - _MARGIN, right - left + 2 * _MARGIN
    height = max((box.y + box.height for box in boxes.values()), default=0.0) + 2 * _MARGIN
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="{left:.0f} {-_MARGIN:.0f} {width:.0f} {height:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">\n<title>{_text(picture.title)}</title>'
    parts = [
        head,
        f"<style>{_STYLE}</style>",
        f"<defs>{_arrowhead('a')}{_arrowhead('c')}</defs>",
        f'<rect class="bg" x="{left:.0f}" y="{-_MARGIN:.0f}" width="{width:.0f}" height="{height:.0f}"/>',
        *(
            _drawn_edge(edge, drawn[edge.source, edge.target])
            for edge in picture.edges
            if (edge.source, edge.target) in drawn
        ),
        *(_drawn_node(node, boxes[node.key]) for node in picture.nodes),
        "</svg>\n",
    ]
    return "\n".join(parts)


def mermaid(picture: Picture) -> str:
    """A Mermaid flowchart."""
    number = {node.key: f"n{index}" for index, node in enumerate(picture.nodes)}
    lines = [f"flowchart {'LR' if picture.across else 'TD'}"]
    for node in picture.nodes:
        style = ":::start" if node.start else ":::cycle" if node.cycle else ""
        lines.append(f'  {number[node.key]}["{_mermaid_text(node.label)}"]{style}')
    for edge in picture.edges:
        arrow = "-.->" if edge.possible else "-->"
        label = f'|"{_mermaid_text(edge.label)}"|' if edge.label else ""
        lines.append(f"  {number[edge.source]} {arrow}{label} {number[edge.target]}")
    lines += ["  classDef start stroke-width:3px", "  classDef cycle stroke:#ce2c31,stroke-width:2px"]
    return "\n".join(lines) + "\n"


def dot(picture: Picture) -> str:
    """A Graphviz digraph."""
    number = {node.key: f"n{index}" for index, node in enumerate(picture.nodes)}
    lines = [f"digraph {_quoted(picture.title)} {{", '  node [shape=box, style=rounded, fontname="monospace"];']
    if picture.across:
        lines.append("  rankdir=LR;")
    for node in picture.nodes:
        more = ", penwidth=2" if node.start else ', color="#ce2c31"' if node.cycle else ""
        lines.append(f"  {number[node.key]} [label={_quoted(node.label)}, tooltip={_quoted(node.note)}{more}];")
    for edge in picture.edges:
        more = (", style=dashed" if edge.possible else "") + (', color="#ce2c31"' if edge.cycle else "")
        lines.append(f"  {number[edge.source]} -> {number[edge.target]} [label={_quoted(edge.label)}{more}];")
    return "\n".join([*lines, "}"]) + "\n"


FORMATS: Mapping[str, Callable[[Picture], str]] = {"svg": svg, "mermaid": mermaid, "dot": dot}


def _drawn_node(node: Node, box: Box) -> str:
    style = "".join(f" {name}" for name in _marks(start=node.start, cycle=node.cycle))
    middle = box.x + box.width / 2
    label = f'<text x="{middle:.1f}" y="{box.y + (17 if node.note else 24):.1f}" text-anchor="middle">'
    note = (
        f'<text class="s" x="{middle:.1f}" y="{box.y + 31:.1f}" text-anchor="middle">{_text(_short(node.note))}</text>'
    )
    size = f'width="{box.width:.1f}" height="{box.height:.1f}" rx="6"'
    return (
        f'<g><title>{_text(node.label)}</title><rect class="b{style}" x="{box.x:.1f}" y="{box.y:.1f}" {size}/>'
        f"{label}{_text(_short(node.label))}</text>{note if node.note else ''}</g>"
    )


def _drawn_edge(edge: Edge, way: Way) -> str:
    style = "".join(f" {name}" for name in _marks(possible=edge.possible, cycle=edge.cycle))
    head = "c" if edge.cycle else "a"
    title = f"<title>{_text(edge.label)}</title>" if edge.label else ""
    return f'<path class="e{style}" marker-end="url(#{head})" d="{way.path}">{title}</path>'


@dataclass(frozen=True, slots=True)
class Way:
    """The way of an arrow: a cubic curve by its four points."""

    points: tuple[tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]]

    @property
    def path(self) -> str:
        """As SVG writes it."""
        start, *rest = (f"{x:.1f} {y:.1f}" for x, y in self.points)
        return f"M{start}C{' '.join(rest)}"

    def at(self, part: float) -> tuple[float, float]:
        """The point after a part of it, 0 to 1."""
        rest = 1 - part
        weights = (rest**3, 3 * rest**2 * part, 3 * rest * part**2, part**3)
        pairs = list(zip(weights, self.points, strict=True))
        return sum(w * x for w, (x, _) in pairs), sum(w * y for w, (_, y) in pairs)


def ways(picture: Picture, boxes: Mapping[str, Box]) -> dict[tuple[str, str], Way]:
    """The way of each arrow, by its ends."""
    every = list(boxes.values())
    return {
        (edge.source, edge.target): _way(boxes[edge.source], boxes[edge.target], every, picture.across)
        for edge in picture.edges
        if edge.source in boxes and edge.target in boxes
    }


def sides(boxes: Iterable[Box], all_ways: Iterable[Way]) -> tuple[float, float]:
    """How far a picture reaches to the left and to the right."""
    ends = [(box.x, box.x + box.width) for box in boxes]
    for way in all_ways:
        across = [way.at(part / _SAMPLES)[0] for part in range(_SAMPLES + 1)]
        ends.append((min(across), max(across)))
    return min((left for left, _ in ends), default=0.0), max((right for _, right in ends), default=0.0)


def _way(source: Box, target: Box, every: Sequence[Box], across: bool) -> Way:
    """From one box to the next; round the side where it leads back, stays in its layer or would run behind a box."""
    if source is target:
        x, y = source.x + source.width, source.y + HEIGHT / 2
        return Way(((x, y), (x + 30, y - 24), (x + 30, y + 24), (x, y + 8)))
    if across:
        return _across(source, target)
    sx, tx = source.x + source.width / 2, target.x + target.width / 2
    if target.y == source.y:
        y = source.y + source.height
        return _bent(sx, y, tx, y, 0, 36)
    if target.y > source.y:
        sy, ty = source.y + source.height, target.y
        straight = _bent(sx, sy, tx, ty, 0, max((ty - sy) / 2, 20), back=-1)
    else:
        sy, ty = source.y, target.y + target.height
        beside = 26 if tx >= sx else -26  # the arrow that comes down
        straight = _bent(sx + beside, sy, tx + beside, ty, 0, -max((sy - ty) / 2, 20), back=-1)
    others = [box for box in every if box is not source and box is not target]
    if not _runs_behind(straight, others):
        return straight
    down = target.y > source.y
    rounds = [way for left in (down, not down) if (way := _around(source, target, every, left=left)) is not None]
    free = [way for way in rounds if not _runs_behind(way, others)]
    return (free or rounds or [straight])[0]


def _runs_behind(way: Way, boxes: Sequence[Box]) -> bool:
    points = [way.at(part / _SAMPLES) for part in range(_SAMPLES + 1)]
    return any(b.x < x < b.x + b.width and b.y < y < b.y + b.height for b in boxes for x, y in points)


def _around(source: Box, target: Box, every: Sequence[Box], *, left: bool) -> Way | None:
    """Past one side of all rows between; None where that is too far a way."""
    top, bottom = sorted((source.y, target.y))
    between = [box for box in every if top <= box.y <= bottom]
    apart = _ROUND + _ROUND_MORE * (bottom - top) / (2 * HEIGHT)  # longer arrows pass further out
    if left:
        sx, tx, out = source.x, target.x, min(box.x for box in between) - apart
    else:
        sx, tx = source.x + source.width, target.x + target.width
        out = max(box.x + box.width for box in between) + apart
    if max(abs(out - sx), abs(out - tx)) > _MAX_DETOUR:
        return None
    sy, ty = source.y + source.height * 0.65, target.y + target.height * 0.35
    # A curve comes three quarters of the way towards the two points that pull it.
    pull = out + (out - (sx + tx) / 2) / 3
    return Way(((sx, sy), (pull, sy), (pull, ty), (tx, ty)))


def _across(source: Box, target: Box) -> Way:
    sy, ty = source.y + source.height / 2, target.y + target.height / 2
    if target.x > source.x + source.width:
        sx, tx = source.x + source.width, target.x
        return _bent(sx, sy, tx, ty, max((tx - sx) / 2, 20), 0, back=-1)
    if target.x + target.width < source.x:
        sx, tx = source.x, target.x + target.width
        return _bent(sx, sy + 8, tx, ty + 8, -max((sx - tx) / 2, 20), 0, back=-1)
    sx, tx = source.x + source.width, target.x + target.width
    return _bent(sx, sy, tx, ty, 36, 0)


def _bent(sx: float, sy: float, tx: float, ty: float, dx: float, dy: float, *, back: int = 1) -> Way:
    """A curve that leaves in a direction and comes in from the same side, or with `back` -1 from the other one."""
    return Way(((sx, sy), (sx + dx, sy + dy), (tx + back * dx, ty + back * dy), (tx, ty)))


def _arrowhead(name: str) -> str:
    return (
        f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto-start-reverse"><path d="M0 0L8 4L0 8z"/></marker>'
    )


def _marks(**given: bool) -> Iterable[str]:
    return (name for name, is_so in given.items() if is_so)


def _below(path: str, folder: str) -> str:
    return path[len(folder) + 1 :] if folder else path


def _sized(files: int, lines: int) -> str:
    return f"{files:,} file{'s' if files != 1 else ''}, {lines:,} lines"


def _short(text: str) -> str:
    shown = visible(text)
    return shown if len(shown) <= _MAX_CHARS else "…" + shown[-(_MAX_CHARS - 1) :]


def _text(text: str) -> str:
    return escape(visible(text))


def _mermaid_text(text: str) -> str:
    """Text between quotes: Mermaid reads entities, and markdown and HTML in whatever is not one."""
    return "".join(c if c.isalnum() or c in " _./:,-" else f"#{ord(c)};" for c in visible(text))


def _quoted(text: str) -> str:
    return json.dumps(visible(text), ensure_ascii=False)
