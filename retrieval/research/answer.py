"""Questions about symbols, answered: one function per kind of question, each adding its evidence to a draft."""

from __future__ import annotations

from collections.abc import Sequence

from sightline.graph.build.tested import is_test_file
from sightline.retrieval.research.evidence import CALLS, SUBTYPES, TYPE_KINDS, USES, Graph, Node, Tree
from sightline.retrieval.research.model import Fact, Line
from sightline.retrieval.research.pieces import (
    ANSWER,
    DEFINITION,
    DISPATCH,
    POSSIBLE,
    RELATED,
    TESTS,
    Draft,
    by_folder,
    callee_text,
    caller_text,
    checked,
    count,
    definitions,
    dispatch,
    groups,
    members,
    named,
    outside,
    possible_lines,
    sites,
    stated,
    test_lines,
    tree_lines,
)
from sightline.types import Object

_TRACE_FACTOR = 2  # a trace goes twice as deep as other questions: its point is the chain
_TEST_REACH = 2  # hops beyond the depth within which a test counts as reaching a changed symbol
_MAX_SUBTYPE_DEPTH = 8  # "all implementations" means all the way down
_FEW = 3


def callers(draft: Draft, symbols: Sequence[Object]) -> None:
    """Who calls these symbols, and who calls those."""
    graph = draft.graph
    for label, positions in groups(graph, symbols):
        draft.progress(f"callers of {label}")
        tree = graph.tree(positions, "in", CALLS, draft.depth, dispatch=True)
        _incoming(draft, label, positions, tree, verb="calls", noun="callers")


def uses(draft: Draft, symbols: Sequence[Object]) -> None:
    """Whatever refers to these symbols: calls, types, bases, imports, decorators."""
    graph = draft.graph
    for label, positions in groups(graph, symbols):
        draft.progress(f"uses of {label}")
        tree = graph.tree(positions, "in", USES, 1)
        _incoming(draft, label, positions, tree, verb="uses", noun="uses")


def _incoming(draft: Draft, label: str, positions: list[int], tree: Tree, *, verb: str, noun: str) -> None:
    graph = draft.graph
    definitions(draft, positions)
    production = [node for node in tree.roots if not is_test_file(node.fact.path if node.fact else "")]
    chained = sum(1 for node in tree.walk() if node.hops > 1 and node.fact and not is_test_file(node.fact.path))
    title = f"{noun.capitalize()} of {label}"
    how = f'expand_graph start="{graph.names[positions[0]]}" direction="in" depth={draft.depth}'
    more = f"a larger max_tokens, or {how}"
    draft.source.prepare(node.fact.path for node in tree.roots[:60] if node.fact is not None)
    around = Draft(graph, draft.source, draft.depth, draft.progress)
    sites(around, production)
    draft.add(title, by_folder(draft, tree.roots, caller_text), ANSWER, more=more, what=noun)
    through_members = _member_callers(draft, positions)
    trees = [tree, *dispatch(draft, positions)]
    guessed = possible_lines(tree.possible)
    draft.add(f"Possible {noun}, not proven", guessed, POSSIBLE, more=more, what="guesses")
    tests = test_lines([*trees, *through_members])
    draft.add("In tests", tests, TESTS, more=more, what="tests")
    draft.blocks += around.blocks
    nothing = not production and not tests and not any(t.roots for t in (*trees, *through_members))
    checked(draft, graph.objects.column("name")[positions[0]], positions, negative=nothing)
    direct = f"{len(production)} proven" + (f", {chained} more through the chain" if chained else "")
    if nothing:
        unless = f" ({_guesses(len(guessed))} aside)" if guessed else ""
        draft.head.append(
            f"Nothing {verb} {label}, as far as the index can tell{unless}; what that rests on is listed below."
        )
    else:
        also = [f"{len(guessed)} possible"] if guessed else []
        also += [f"{len(tests)} in tests"] if tests else []
        draft.head.append(f"{noun.capitalize()} of {label}: {direct}" + "".join(f", {part}" for part in also) + ".")
    if tree.cut:
        draft.warnings.append(f"{label}: only the first {tree.size} {noun} were followed")


def _guesses(number: int) -> str:
    return "1 guess" if number == 1 else f"{number} guesses"


def _member_callers(draft: Draft, positions: Sequence[int]) -> list[Tree]:
    """For a type: who calls its members."""
    graph, trees = draft.graph, []
    lines: list[Line] = []
    for position in positions:
        if graph.kinds[position] not in TYPE_KINDS:
            continue
        own = set(graph.members(position))
        for member in sorted(
            own - set(graph.with_constructors(position)), key=lambda p: (graph.path(p), graph.line(p))
        ):
            tree = graph.tree([member], "in", CALLS, 1)
            tree.roots = [node for node in tree.roots if node.position not in own]
            outside = [node for node in tree.roots if node.fact is not None and not is_test_file(node.fact.path)]
            if outside:
                lines.append(Line(f"{graph.names[member]}  {graph.place(member)}", heading=True))
                lines += [caller_text(draft, node, 1) for node in outside]
            trees.append(tree)
    draft.add("Calls of its members", lines, RELATED, what="callers")
    return trees


def callees(draft: Draft, symbols: Sequence[Object], *, trace: bool = False) -> None:
    """What these symbols call; a trace follows the chain further down."""
    graph = draft.graph
    depth = draft.depth * _TRACE_FACTOR if trace else draft.depth
    for label, positions in groups(graph, symbols):
        draft.progress(f"calls of {label}")
        definitions(draft, positions, priority=ANSWER if len(symbols) == 1 else DEFINITION, whole=True)
        starts = _called_on(graph, positions)
        tree = graph.tree(starts, "out", CALLS, depth, dispatch=True)
        more = f'expand_graph start="{graph.names[positions[0]]}" direction="out" depth={depth}'
        title = f"Call chain from {label}" if trace else f"What {label} calls"
        draft.add(title, tree_lines(draft, tree.roots, callee_text), ANSWER, more=more, what="calls")
        draft.add("Calls that leave this root", outside(graph, starts, CALLS), RELATED, what="calls")
        guessed = possible_lines(tree.possible)
        draft.add("Possible calls, not proven", guessed, POSSIBLE, more=more, what="guesses")
        reached = [p for p in dict.fromkeys(n.position for n in tree.walk()) if not graph.is_test(p)]
        definitions(draft, reached[:_FEW], title="Source of what it calls", priority=RELATED)
        checked(draft)
        reach = sum(1 for _ in tree.walk())
        draft.head.append(
            f"{label} calls {count(len(tree.roots), 'symbol')} of this root directly, {reach} within {depth} hops."
            if tree.roots
            else f"{label} calls nothing inside this root that could be resolved."
        )
        if tree.cut:
            draft.warnings.append(f"{label}: only the first {tree.size} calls were followed")


def _called_on(graph: Graph, positions: Sequence[int]) -> list[int]:
    """A type is traced through all its members, anything else by itself."""
    starts = list(positions)
    for position in positions:
        if graph.kinds[position] in TYPE_KINDS:
            starts += [p for p in graph.members(position) if p not in starts]
    return starts


def implementations(draft: Draft, symbols: Sequence[Object]) -> None:
    """Who implements, extends, conforms to or overrides these symbols, all the way down."""
    graph = draft.graph
    for label, positions in groups(graph, symbols):
        draft.progress(f"implementations of {label}")
        definitions(draft, positions)
        types = SUBTYPES if graph.kinds[positions[0]] in TYPE_KINDS else ("overrides",)
        tree = graph.tree(positions, "in", types, _MAX_SUBTYPE_DEPTH)
        more = f'expand_graph start="{graph.names[positions[0]]}" direction="in" relationship_types={list(types)}'
        lines = by_folder(draft, tree.roots, _subtype_text)
        draft.add(f"Implementations of {label}", lines, ANSWER, more=more, what="implementations")
        guessed = possible_lines(tree.possible)
        draft.add("Possible implementations, not proven", guessed, POSSIBLE, what="guesses")
        draft.add("In tests", test_lines([tree]), TESTS, what="tests")
        found = list(dict.fromkeys(node.position for node in tree.walk()))
        _overriding_members(draft, positions)
        definitions(draft, [p for p in found if not graph.is_test(p)][:_FEW], title="Source", priority=RELATED)
        checked(draft, graph.objects.column("name")[positions[0]], positions, negative=not found)
        direct = len({node.position for node in tree.roots})
        draft.head.append(
            f"{label} ({graph.kinds[positions[0]]}) has {count(direct, 'direct implementation')}"
            + (f", {len(found)} in all" if len(found) > direct else "")
            + (f", and {len(guessed)} possible ones." if guessed else ".")
            if found or guessed
            else f"Nothing implements {label}, as far as the index can tell; what that rests on is listed below."
        )


def _subtype_text(draft: Draft, node: Node, depth: int) -> Line:
    fact = node.fact
    assert fact is not None
    graph = draft.graph
    where = graph.place(node.position)
    stated_at = f"{fact.path}:{fact.line}"
    extra = "" if where == stated_at else f" (stated at {stated_at})"
    again = "  (see above)" if node.again else ""
    verb = {"implements": "implements", "inherits": "extends", "overrides": "overrides"}[fact.kind]
    text = f"{'  ' * depth}{named(graph, node.position)}  {where}{extra}  {verb} {fact.target}{again}"
    return Line(text, (fact,), rank=node.hops)


def _overriding_members(draft: Draft, positions: Sequence[int]) -> None:
    """Which members of a type are overridden, and where."""
    graph = draft.graph
    lines: list[Line] = []
    for position in positions:
        if graph.kinds[position] not in TYPE_KINDS:
            continue
        for member in graph.members(position):
            facts = [fact for fact, _ in graph.overrides(member, "in")]
            lines += [stated(fact) for fact in facts if not is_test_file(fact.path)]
    draft.add("Overridden members", lines, RELATED, what="overrides")


def bases(draft: Draft, symbols: Sequence[Object]) -> None:
    """What these symbols implement, extend or override, up to the top; bases outside the root included."""
    graph = draft.graph
    for label, positions in groups(graph, symbols):
        definitions(draft, positions)
        types = SUBTYPES if graph.kinds[positions[0]] in TYPE_KINDS else ("overrides",)
        tree = graph.tree(positions, "out", types, _MAX_SUBTYPE_DEPTH)
        lines = tree_lines(draft, tree.roots, _base_text)
        foreign = outside(graph, positions, types)
        draft.add(f"Bases of {label}", lines, ANSWER, what="bases")
        draft.add("Bases outside this root", foreign, ANSWER, what="bases")
        draft.add("Possible bases, not proven", possible_lines(tree.possible), POSSIBLE, what="guesses")
        checked(draft)
        draft.head.append(f"{label} has {count(len(lines), 'base')} in this root and {len(foreign)} outside.")


def _base_text(draft: Draft, node: Node, depth: int) -> Line:
    fact = node.fact
    assert fact is not None
    verb = {"implements": "implements", "inherits": "extends", "overrides": "overrides"}[fact.kind]
    place = draft.graph.place(node.position)
    return Line(f"{'  ' * depth}{verb} {fact.target}  {place} (stated at {fact.path}:{fact.line})", (fact,), rank=depth)


def impact(draft: Draft, symbols: Sequence[Object]) -> None:
    """What a change reaches: callers through the chain, overriders and subtypes, and the tests to run."""
    graph = draft.graph
    for label, positions in groups(graph, symbols):
        draft.progress(f"impact of {label}")
        definitions(draft, positions)
        changed = _called_on(graph, positions)
        uses = tuple(kind for kind in USES if kind != "overrides")
        tree = graph.tree(changed, "in", uses, draft.depth, later=CALLS, dispatch=True)
        far = graph.tree(changed, "in", CALLS, draft.depth + _TEST_REACH, dispatch=True)
        more = f'expand_graph start="{graph.names[positions[0]]}" direction="in" depth={draft.depth + 1}'
        draft.source.prepare(node.fact.path for node in tree.roots[:60] if node.fact is not None)
        draft.add(f"Affected by {label}", by_folder(draft, tree.roots, caller_text), ANSWER, more=more, what="places")
        overridden = [chain[-1] for p in changed for chain, _ in graph.overriders(p)]
        draft.add("Overrides that must follow", [stated(fact) for fact in overridden], DISPATCH, what="overrides")
        trees = [tree, far, *dispatch(draft, positions)]
        draft.add("Possibly affected, not proven", possible_lines(tree.possible), POSSIBLE, what="guesses")
        tests = test_lines(trees)
        draft.add("Tests that reach it", tests, ANSWER, what="tests")
        affected = [n for n in tree.walk() if n.fact is not None and not is_test_file(n.fact.path)]
        files = {node.fact.path for node in affected if node.fact is not None}
        negative = not affected and not tests and not overridden
        checked(draft, graph.objects.column("name")[positions[0]], positions, negative=negative)
        draft.head.append(
            f"Nothing refers to {label}, as far as the index can tell; what that rests on is listed below."
            if negative
            else f"A change of {label} reaches {count(len(affected), 'place')} in {count(len(files), 'file')} within"
            f" {draft.depth} hops, {count(len(overridden), 'override')} and {count(len(tests), 'test')}."
        )


def path(draft: Draft, sources: Sequence[Object], targets: Sequence[Object]) -> None:
    """The shortest ways from one symbol to another; the other way round if there is none."""
    graph = draft.graph
    start = [p for _, group in groups(graph, sources) for p in group]
    end = [p for _, group in groups(graph, targets) for p in group]
    names = (_any_of(graph, start), _any_of(graph, end))
    for types, what in ((CALLS, "calls"), (USES, "any relationship")):
        for a, b, back in ((start, end, False), (end, start, True)):
            ways = graph.ways(_called_on(graph, a), b, types)
            if ways:
                _ways(draft, ways, names, what, back=back)
                definitions(draft, [*start[:1], *end[:1]], title="Ends")
                return
    draft.head.append(
        f"No way from {names[0]} to {names[1]} or back, along calls or any other relationship; what that rests on is"
        " listed below."
    )
    definitions(draft, [*start[:1], *end[:1]], title="Ends")
    checked(draft, graph.objects.column("name")[end[0]], end, negative=True)


def _any_of(graph: Graph, positions: Sequence[int]) -> str:
    """Every symbol that a name was taken for."""
    return " or ".join(dict.fromkeys(graph.names[position] for position in positions))


def _ways(draft: Draft, ways: list[list[Fact]], names: tuple[str, str], what: str, *, back: bool) -> None:
    a, b = reversed(names) if back else names
    sure = all(fact.proven for way in ways for fact in way)
    draft.head.append(
        (f"No way from {names[0]} to {names[1]}, but the other way round: " if back else "")
        + f"{a} reaches {b} in {len(ways[0])} steps along {what}"
        + ("." if sure else "; some steps are guessed and marked.")
    )
    for number, way in enumerate(ways, 1):
        lines = [Line(way[0].source if way else a)]
        for step, fact in enumerate(way, 1):
            mark = "" if fact.proven else f"~ possible, {fact.confidence:.1f}: "
            lines.append(_way_line(fact, step, mark))
        draft.add(f"Way {number}" if len(ways) > 1 else "Way", lines, ANSWER if number == 1 else RELATED, what="steps")
    checked(draft)


def _way_line(fact: Fact, step: int, mark: str) -> Line:
    indent = "  " * step
    if fact.kind == "overrides":  # walked from the overridden method down
        return Line(f"{indent}{mark}⇢ may run {fact.source}  {fact.path}:{fact.line}", (fact,))
    verb = {"calls": "→", "instantiates": "→ new"}.get(fact.kind, f"→ ({fact.kind.replace('_', ' ')})")
    return Line(f"{indent}{mark}{verb} {fact.target}  at {fact.path}:{fact.line}", (fact,))


def symbol(draft: Draft, symbols: Sequence[Object]) -> None:
    """One symbol from all sides."""
    graph = draft.graph
    for label, positions in groups(graph, symbols):
        draft.progress(label)
        definitions(draft, positions, priority=ANSWER, whole=True)
        first = positions[0]
        is_type = graph.kinds[first] in TYPE_KINDS
        if is_type:
            for position in positions:
                members(draft, position)
        kinds = SUBTYPES if is_type else ("overrides",)
        up, down = graph.tree(positions, "out", kinds, _FEW), graph.tree(positions, "in", kinds, _FEW)
        draft.add(f"Bases of {label}", tree_lines(draft, up.roots, _base_text), DEFINITION, what="bases")
        draft.add(f"Implementations of {label}", tree_lines(draft, down.roots, _subtype_text), DISPATCH, what="types")
        kinds_in = ("calls", "instantiates", "uses_type") if is_type else CALLS
        incoming = graph.tree(positions, "in", kinds_in, draft.depth, later=CALLS, dispatch=True)
        draft.source.prepare(node.fact.path for node in incoming.roots[:60] if node.fact is not None)
        more = f'expand_graph start="{graph.names[first]}"'
        draft.add(
            f"Callers of {label}", by_folder(draft, incoming.roots, caller_text), DISPATCH, more=more, what="callers"
        )
        trees = [incoming, *_member_callers(draft, positions), *dispatch(draft, positions)]
        outgoing = graph.tree(_called_on(graph, positions), "out", CALLS, draft.depth, dispatch=True)
        lines = tree_lines(draft, outgoing.roots, callee_text)
        draft.add(f"What {label} calls", lines, DISPATCH, more=more, what="calls")
        guessed = possible_lines([*incoming.possible, *outgoing.possible])
        draft.add("Possible, not proven", guessed, POSSIBLE, what="guesses")
        draft.add("In tests", test_lines(trees), TESTS, what="tests")
        checked(draft)
        draft.head.append(f"{named(graph, first)} is defined at {graph.place(first)}.")
