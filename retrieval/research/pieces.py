"""Evidence written down: the parts that answers of several kinds share.

A `Draft` collects blocks for one answer. Every line that claims something carries its facts and names `path:line`;
guessed edges go to blocks of their own and begin with `~ possible`; tests come last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from sightline.graph.build.tested import is_test_file
from sightline.retrieval.research import proof
from sightline.retrieval.research.evidence import CALLS, TYPE_KINDS, Graph, Node, Tree
from sightline.retrieval.research.model import Block, Fact, Line
from sightline.retrieval.research.modules import folder_of
from sightline.retrieval.research.source import Source
from sightline.types import Object

_DEFINITION_LINES = 30  # of a function shown at first; the rest follows if there is room and it is the answer
_TYPE_LINES = 14  # of a type: its declaration and how its documentation begins; its members are listed by name
_MORE_LINES = 90
_SITE_LINES = 5  # around a call site, within the calling function
_MAX_SITES = 4  # call sites shown with the lines around them; the others as one line
_MAX_MEMBERS = 40
_MAX_MENTIONS, _FEW_MENTIONS = 12, 5  # listed of a kind, with a negative answer and with another one
_VERBS = {
    "calls": "calls",
    "instantiates": "instantiates",
    "inherits": "extends",
    "implements": "implements",
    "overrides": "overrides",
    "uses_type": "uses type",
    "imports": "imports",
    "decorates": "decorates",
    "tests": "tests",
}

# What is worth its room first; a question's own evidence comes before everything.
ANSWER, DEFINITION, DISPATCH, POSSIBLE, PROOF, TESTS, SITES, RELATED, REST = range(9)


@dataclass(slots=True)
class Draft:
    """An answer in the making."""

    graph: Graph
    source: Source
    depth: int
    progress: Callable[[str], None]
    head: list[str] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def add(self, title: str, lines: Sequence[Line], priority: int, *, more: str = "", what: str = "lines") -> None:
        """Add a block, unless it is empty."""
        if lines:
            self.blocks.append(Block(title, lines, priority, more, what=what))


def groups(graph: Graph, symbols: Sequence[Object]) -> list[tuple[str, list[int]]]:
    """Symbols by label, as positions; overloads of one name in one file are one group."""
    found: dict[tuple[str, str], list[int]] = {}
    for symbol in symbols:
        position = graph.objects.position(symbol.entity_id)
        if position is not None:
            found.setdefault((symbol.path, symbol.qualified_name), []).append(position)
    ambiguous = len({name for _, name in found}) < len(found)
    return [(f"{name} ({path})" if ambiguous else name, positions) for (path, name), positions in found.items()]


def count(number: int, noun: str) -> str:
    """`1 place`, `2 places`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def named(graph: Graph, position: int) -> str:
    """`kind qualified_name`."""
    return f"{graph.kinds[position]} {graph.names[position]}"


def definitions(
    draft: Draft,
    positions: Sequence[int],
    *,
    title: str = "Definition",
    priority: int = DEFINITION,
    whole: bool = False,
) -> None:
    """Definitions with numbered source: the beginning, of a type its head; with `whole` the rest if there is room."""
    graph = draft.graph
    draft.source.prepare(graph.path(position) for position in positions)
    for position in positions:
        path, start, end = graph.path(position), graph.line(position), int(graph.objects.end_line[position])
        head = Line(f"{path}:{start}-{end}  {named(graph, position)}", (graph.definition(position),))
        is_type = graph.kinds[position] in TYPE_KINDS
        cut = min(end, start + (_TYPE_LINES if is_type else _DEFINITION_LINES) - 1)
        more = f"read {path}:{start}-{end}"
        draft.blocks.append(Block(title, [head, *draft.source.excerpt(path, start, cut)], priority, more))
        if whole and not is_type:
            rest = draft.source.excerpt(path, cut + 1, min(end, cut + _MORE_LINES))
            draft.blocks.append(Block(title, rest, REST, more, least=5, what="source lines"))


def members(draft: Draft, position: int) -> None:
    """What a type contains, as names with lines."""
    graph = draft.graph
    found = graph.members(position)
    lines = [
        Line(f"{named(graph, member)}  {graph.place(member)}", (graph.definition(member),))
        for member in found[:_MAX_MEMBERS]
    ]
    more = f"symbol_search {graph.names[position]}"
    draft.add(f"Members of {graph.names[position]} ({len(found)})", lines, RELATED, more=more, what="members")


# Trees


def caller_text(draft: Draft, node: Node, depth: int) -> Line:
    """A caller: who, where, and the line that calls."""
    fact = node.fact
    assert fact is not None
    verb = "" if fact.kind == "calls" else f" ({_VERBS[fact.kind]})"
    site, shown = draft.source.site(fact) if node.hops == 1 else ("", None)
    again = "  (see above)" if node.again and node.hops > 1 else ""
    arrow, through = ("← " if depth else ""), ""
    if node.via:
        steps = " → ".join(f"{step.source} ({step.path}:{step.line})" for step in node.via)
        arrow, through = "⇠ ", f"  calls {fact.target}, overridden by {steps}"
    text = f"{'  ' * depth}{arrow}{fact.source}{verb}  {fact.path}:{fact.line}{through}{again}"
    return Line(text + (f"  | {site}" if site else ""), (fact, *node.via), shown, rank=node.hops)


def callee_text(draft: Draft, node: Node, depth: int) -> Line:
    """A callee: what, where it is defined, and where it is called."""
    fact = node.fact
    assert fact is not None
    graph = draft.graph
    again = "  (see above)" if node.again else ""
    if node.dispatched:
        text = f"{'  ' * depth}⇢ may run {fact.source}  {fact.path}:{fact.line}{again}"
    else:
        verb = "" if fact.kind == "calls" else f" ({_VERBS[fact.kind]})"
        text = f"{'  ' * depth}→ {fact.target}{verb}  {graph.place(node.position)}, at {fact.path}:{fact.line}{again}"
    return Line(text, (fact,), rank=node.hops)


def tree_lines(draft: Draft, roots: Iterable[Node], write: Callable[[Draft, Node, int], Line]) -> list[Line]:
    """A tree as indented lines, tests left out."""
    lines: list[Line] = []
    stack = [(node, 0) for node in reversed(list(roots))]
    while stack:
        node, depth = stack.pop()
        if node.fact is not None and is_test_file(node.fact.path):
            continue
        lines.append(write(draft, node, depth))
        stack.extend((child, depth + 1) for child in reversed(node.children))
    return lines


def by_folder(draft: Draft, roots: Sequence[Node], write: Callable[[Draft, Node, int], Line]) -> list[Line]:
    """Trees grouped by the folder that states the first edge, where there are several."""
    grouped: dict[str, list[Node]] = {}
    for node in roots:
        if node.fact is not None and not is_test_file(node.fact.path):
            grouped.setdefault(folder_of(node.fact.path), []).append(node)
    if len(grouped) < 2:
        return tree_lines(draft, roots, write)
    lines: list[Line] = []
    for folder, nodes in grouped.items():
        lines += [Line(f"[{folder}]", heading=True), *tree_lines(draft, nodes, write)]
    return lines


def test_lines(trees: Iterable[Tree]) -> list[Line]:
    """The tests among the callers, nearest first."""
    facts: dict[Fact, None] = {}
    for tree in trees:
        for node in tree.walk():
            if node.fact is not None and is_test_file(node.fact.path):
                facts.setdefault(node.fact)
    ordered = sorted(facts, key=lambda f: (f.hops, f.path, f.line))
    return [
        Line(f"{f.source}  {f.path}:{f.line}  {_VERBS[f.kind]} {f.target}", (f,), rank=f.hops)
        for f in ordered
    ]  # fmt: skip


def possible_lines(facts: Iterable[Fact]) -> list[Line]:
    """Guessed edges, most likely first, tests last."""
    unique = {(f.kind, f.source, f.source_path, f.target, f.target_path): f for f in facts}
    ordered = sorted(unique.values(), key=lambda f: (is_test_file(f.path), f.hops, -f.confidence, f.path, f.line))
    return [
        Line(
            f"~ possible, {f.confidence:.1f}: {f.source} {_VERBS[f.kind]} {f.target}  {f.path}:{f.line}"
            f" ({f.resolution.replace('_', ' ')})",
            (f,),
            rank=f.hops,
        )
        for f in ordered
    ]


def stated(fact: Fact, *, indent: str = "") -> Line:
    """An edge as a sentence with its place."""
    return Line(f"{indent}{fact.source} {_VERBS[fact.kind]} {fact.target}  {fact.path}:{fact.line}", (fact,))


def sites(draft: Draft, nodes: Sequence[Node]) -> None:
    """The lines around the first few call sites; claimed before the callers are written, which quote the others."""
    graph = draft.graph
    calls = [n for n in nodes if n.fact is not None and n.fact.kind in CALLS and not is_test_file(n.fact.path)]
    for node in calls[:_MAX_SITES]:
        fact = node.fact
        assert fact is not None
        first = max(graph.line(node.position), fact.line - _SITE_LINES)
        last = min(int(graph.objects.end_line[node.position]), fact.line + _SITE_LINES)
        lines = draft.source.excerpt(fact.path, first, last)
        if lines:
            heading = Line(f"{fact.path}:{fact.line}  in {fact.source}", heading=True)
            more = f"read {fact.path}:{fact.line}"
            draft.blocks.append(Block("Call sites", [heading, *lines], SITES, more, least=2, what="source lines"))


# Dispatch and proof


def dispatch(draft: Draft, positions: Sequence[int]) -> list[Tree]:
    """Callers of what a method overrides: at run time their calls may land here."""
    graph, trees = draft.graph, []
    for position in positions:
        for chain, base in graph.overridden(position):
            tree = graph.tree([base], "in", CALLS, draft.depth, dispatch=True)
            title = "Callers through dynamic dispatch"
            steps = " → ".join(f"{step.target} (stated at {step.path}:{step.line})" for step in chain)
            head = Line(f"{graph.names[position]} overrides {steps}; calls of {graph.names[base]} may run it:", chain)
            draft.add(title, [head, *tree_lines(draft, tree.roots, caller_text)], DISPATCH, what="callers")
            trees.append(tree)
    return trees


def checked(draft: Draft, name: str = "", positions: Sequence[int] = (), *, negative: bool = False) -> None:
    """What was looked at, and the call sites of a name that no edge accounts for; with a negative answer everything
    else that could contradict it."""
    said = any(block.title == "Looked at" for block in draft.blocks)
    lines = [] if said else proof.looked_at(draft.graph.snapshot)
    if negative:
        lines += proof.dispatch_lines(draft.graph, positions)
        lines += mention_lines(draft, name, positions)
    elif name:
        lines += mention_lines(draft, name, positions, only="call")
    draft.add("Looked at", lines, ANSWER if negative else PROOF)


def mention_lines(draft: Draft, name: str, positions: Sequence[int], *, only: str = "") -> list[Line]:
    """Where the name stands without a known edge: unresolved calls, strings, other code, and plain text."""
    bare = name.replace("::", ".").replace("#", ".").replace("->", ".").rpartition(".")[2].rpartition("/")[2]
    found, more = proof.mentions(draft.graph, bare, positions)
    words = {
        "call": f"call sites of the bare name `{bare}` that could not be resolved",
        "string": f"strings that contain `{bare}` (may be called by name)",
        "code": f"other code that says `{bare}`",
        "text": f"text that mentions `{bare}` (comments, documents)",
    }
    lines: list[Line] = []
    for kind, label in words.items():
        if only and kind != only:
            continue
        chosen = [mention for mention in found if mention.kind == kind]
        lines.append(Line(f"{len(chosen)} {label}{' (first 200 chunks only)' if more else ''}"))
        lines += [
            Line(f"  {m.path}:{m.line}  | {m.text[:100]}", rank=1 if kind == "call" else 2)
            for m in chosen[: _FEW_MENTIONS if only else _MAX_MENTIONS]
        ]
    return lines


def outside(graph: Graph, positions: Sequence[int], types: Sequence[str]) -> list[Line]:
    """Edges of these types that lead out of the root, by the name as written."""
    links = graph.adjacency.links(np.array(positions, np.int64), "out")
    kinds = graph.edges.column("relationship_type")
    ends = zip(links.rows.tolist(), links.far.tolist(), strict=True)
    rows = [row for row, far in ends if far < 0 and kinds[row] in types]
    return [Line(f"{edge.target_name}  at {edge.path}:{edge.site_line}") for edge in graph.edges.get(rows)]
