"""Questions about symbols, answered: one function per kind of question, each adding its evidence to a draft."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from sightline.graph.build.tested import is_test_file
from sightline.graph.read.symbols import names_of
from sightline.retrieval.research.evidence import CALLS, REGISTERS, SUBTYPES, USES, Graph, Node, Tree
from sightline.retrieval.research.family import through_dispatchers, through_overrides
from sightline.retrieval.research.foreign import foreign_implementations
from sightline.retrieval.research.listing import (
    Write,
    base_text,
    by_folder,
    callee_text,
    caller_text,
    callers_by_file,
    location,
    registration_text,
    shown,
    stated,
    subtype_text,
    tree_lines,
    under_folders,
)
from sightline.retrieval.research.model import Fact, Line
from sightline.retrieval.research.pieces import (
    ANSWER,
    DEFINITION,
    DISPATCH,
    RELATED,
    Draft,
    checked,
    count,
    defined,
    definitions,
    dispatch,
    groups,
    members,
    outside,
)
from sightline.retrieval.research.relevance import FUNCTIONS
from sightline.retrieval.research.said import name_said
from sightline.retrieval.research.standins import stand_ins
from sightline.types import TYPE_KINDS, Object

_ONLY_TESTS = re.compile(
    r"^(?:which|what|list|show|find|name)?(?: me)?(?: are)?(?: the| all)*(?: most direct| direct)? tests?\b"
)
_TRACE_FACTOR = 2  # a trace goes twice as deep as other questions: its point is the chain
_TEST_REACH = 2  # hops beyond the depth within which a test counts as reaching a changed symbol
_MAX_SUBTYPE_DEPTH = 8  # "all implementations" means all the way down
_FEW = 3
_MAX_REGISTRATIONS = 60  # whose files are read at once
_FEW_OVERRIDES = 6  # overridden members of a type that are listed unasked
_MANY_SIBLINGS = 12  # overrides of what a method overrides: more are counted only


def callers(draft: Draft, symbols: Sequence[Object]) -> None:
    """Who calls these symbols, and who calls those."""
    graph = draft.graph
    for label, positions in groups(graph, symbols):
        draft.progress(f"callers of {label}")
        tree = graph.tree(positions, "in", CALLS, draft.depth, dispatch=True)
        through = through_overrides(draft, positions, tree)
        _incoming(draft, label, positions, tree, "callers", through)


def uses(draft: Draft, symbols: Sequence[Object]) -> None:
    """Whatever refers to these symbols: calls, types, bases, imports, decorators."""
    graph = draft.graph
    for label, positions in groups(graph, symbols):
        draft.progress(f"uses of {label}")
        tree = graph.tree(positions, "in", USES, 1)
        _incoming(draft, label, positions, tree, "uses")


def _incoming(
    draft: Draft,
    label: str,
    positions: list[int],
    tree: Tree,
    noun: str,
    through: Mapping[str, Tree] = MappingProxyType({}),
) -> None:
    graph = draft.graph
    production = [node for node in tree.roots if shown(draft, node)]
    chained = sum(1 for node in tree.walk() if node.hops > 1 and shown(draft, node))
    more = f'max_tokens, or expand_graph start="{graph.names[positions[0]]}" direction=in depth={draft.depth}'
    draft.source.prepare(node.fact.path for node in tree.roots[:60] if node.fact is not None)
    dispatched = through_dispatchers(draft, positions, tree) if noun == "callers" else {}
    lines = callers_by_file(draft, tree, {**through, **dispatched})
    draft.add(f"{noun.capitalize()} of {label}", lines, ANSWER, more=more, what=noun)
    registered = registrations(draft, label, positions) if noun == "callers" else 0
    through_members = _member_callers(draft, positions)
    own = [tree, *dispatch(draft, positions)]
    trees = [*own, *through.values()]
    guessed = draft.add_possible(f"Possible {noun}, not proven", _direct_guesses(tree), closed=True)
    tests = draft.add_tests(_tested([*own, *through_members], through), positions[0])
    nothing = not production and not tests and not any(t.roots for t in (*trees, *through_members)) and not registered
    checked(draft, graph.objects.column("name")[positions[0]], positions, negative=nothing, denied=noun)
    if not nothing:
        what = defined(draft, positions)
        direct = f"{len(production)} proven" + (f", {chained} more through the chain" if chained else "")
        beside = {"overrides": through, "a dispatcher": dispatched}
        numbers = {
            way: sum(shown(draft, n) for each in found.values() for n in each.roots) for way, found in beside.items()
        }
        also = [f"{number} through {way}" for way, number in numbers.items() if number]
        also += [f"registered at {count(registered, 'place')}"] if registered else []
        also += [f"{guessed} possible"] if guessed else []
        also += [f"{tests} in tests"] if tests else []
        hidden = sum(_hidden(draft, each) for each in (tree, *through.values()))
        also += [f"{hidden} elsewhere"] if hidden else []
        draft.head.append(f"{noun.capitalize()} of {what}: {direct}" + "".join(f", {part}" for part in also) + ".")
    if tree.cut:
        draft.warnings.append(f"{label}: only the first {tree.size} {noun} were followed")


def _tested(own: list[Tree], through: Mapping[str, Tree]) -> list[Tree]:
    """Where tests are looked for: what overrides a symbol has tests of its own, which count if there are no others."""
    facts = (node.fact for tree in own for node in tree.walk() if node.fact is not None)
    return own if any(is_test_file(fact.path) for fact in facts) else [*own, *through.values()]


def _direct_guesses(tree: Tree) -> list[Fact]:
    """Guessed edges to what is asked about itself: guesses about its callers' callers are worth nothing, nor is one
    about a line that is listed already (of several bodies of one function the prototype may be what is proven)."""
    proven = {(node.fact.path, node.fact.source, node.fact.line) for node in tree.roots if node.fact is not None}
    return [fact for fact in tree.possible if fact.hops == 1 and (fact.path, fact.source, fact.line) not in proven]


def registrations(draft: Draft, label: str, positions: Sequence[int], priority: int = ANSWER) -> int:
    """Add where these symbols are kept or handed on instead of called; returns how often that is."""
    graph = draft.graph
    found = [graph.fact(row) for row, _, _ in graph.rows(positions, "in", REGISTERS)]
    facts = [f for f in found if (draft.scope.test(f.path) if is_test_file(f.path) else draft.scope.code(f.path))]
    facts.sort(key=lambda f: (is_test_file(f.path), not f.proven, f.path, f.line))
    draft.source.prepare(fact.path for fact in facts[:_MAX_REGISTRATIONS])
    lines = [registration_text(draft, fact) for fact in facts]
    more = f'expand_graph start="{graph.names[positions[0]]}" direction=in relationship_types=registers'
    title = f"{label} is registered by (called later, by whoever keeps it)"
    draft.add(title, lines, priority, more=more, what="registrations")
    return len(facts)


def _hidden(draft: Draft, tree: Tree) -> int:
    """How many direct nodes a filter hides."""
    paths = [node.fact.path for node in tree.roots if node.fact is not None]
    return sum(not is_test_file(path) and not draft.scope.code(path) for path in paths)


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
            callers = [node for node in tree.roots if shown(draft, node)]
            if callers:
                lines.append(Line(f"{graph.names[member]}  {graph.location(member)}", heading=True))
                lines += [caller_text(draft, node, 1) for node in callers]
            trees.append(tree)
    draft.add("Calls of its members", lines, RELATED, what="callers")
    return trees


def callees(draft: Draft, symbols: Sequence[Object], *, trace: bool = False) -> None:
    """What these symbols call; a trace follows the chain further down."""
    graph = draft.graph
    depth = draft.depth * _TRACE_FACTOR if trace else draft.depth
    for label, positions in groups(graph, symbols):
        draft.progress(f"calls of {label}")
        starts = called_on(graph, positions)
        tree = graph.tree(starts, "out", CALLS, depth, dispatch=True)
        more = f'expand_graph start="{graph.names[positions[0]]}" direction=out depth={depth}'
        title = f"Call chain from {label}" if trace else f"What {label} calls"
        draft.source.prepare(node.fact.path for node in tree.walk() if node.fact is not None)
        draft.add(title, tree_lines(draft, tree.roots, callee_text), ANSWER, more=more, what="calls")
        draft.add("Calls that leave this root", outside(graph, starts, CALLS), RELATED, what="calls")
        draft.add_possible("Possible calls, not proven", tree.possible)
        reach = sum(1 for _ in tree.walk())
        what = defined(draft, positions)
        draft.head.append(
            f"{what} calls {count(len(tree.roots), 'symbol')} of this root directly, {reach} within {depth} hops."
            if tree.roots
            else f"{what} calls nothing inside this root that could be resolved."
        )
        if tree.cut:
            draft.warnings.append(f"{label}: only the first {tree.size} calls were followed")


def called_on(graph: Graph, positions: Sequence[int]) -> list[int]:
    """A type is traced through all its members, anything else by itself."""
    starts = list(positions)
    for position in positions:
        if graph.kinds[position] in TYPE_KINDS:
            starts += [p for p in graph.members(position) if p not in starts]
    return starts


def implementations(draft: Draft, symbols: Sequence[Object]) -> None:
    """Who implements, extends, conforms to or overrides these symbols, all the way down."""
    graph = draft.graph
    if _of_one_name(draft, symbols):
        return
    for label, positions in groups(graph, symbols):
        draft.progress(f"implementations of {label}")
        types = SUBTYPES if graph.kinds[positions[0]] in TYPE_KINDS else ("overrides",)
        tree = graph.tree(positions, "in", types, _MAX_SUBTYPE_DEPTH)
        more = f'max_tokens, or expand_graph start="{graph.names[positions[0]]}" direction=in depth=4'
        wanted = _wanted_members(draft, positions)
        lines = by_folder(draft, tree.roots, _with_members(draft, wanted))
        foreign = foreign_implementations(draft, positions)
        draft.add(
            f"Implementations of {label}", under_folders(lines, foreign), ANSWER, more=more, what="implementations"
        )
        guessed = draft.add_possible("Possible implementations, not proven", tree.possible, closed=True)
        tests = draft.add_tests([tree], positions[0])
        found = {node.position for node in tree.walk() if shown(draft, node)}
        if not wanted:
            _overriding_members(draft, positions)
        nothing = not found and not tests and not foreign
        name = graph.objects.column("name")[positions[0]]
        checked(
            draft,
            name,
            positions,
            negative=nothing,
            declared=types is SUBTYPES,
            denied="" if guessed else "implementations",
        )
        direct = len({node.position for node in tree.roots if shown(draft, node)}) + len(foreign)
        every = len(found) + len(foreign)
        if every or guessed or tests:
            draft.head.append(
                f"{defined(draft, positions)} has {count(direct, 'direct implementation')}"
                + (f", {every} in all" if every > direct else "")
                + (f", {tests} in tests" if tests else "")
                + (f", and {guessed} possible ones." if guessed else ".")
            )


def _wanted_members(draft: Draft, positions: Sequence[int]) -> frozenset[int]:
    """The methods of a type whose lines are told with each implementation: those that the question names, and the only
    one of an interface, which is the implementation."""
    graph, names = draft.graph, draft.graph.objects.column("name")
    types = [p for p in positions if graph.kinds[p] in TYPE_KINDS]
    methods = [m for p in types for m in graph.members(p) if graph.kinds[m] in FUNCTIONS]
    if len({names[m] for m in methods}) == 1 and all(graph.kinds[p] == "interface" for p in types):
        return frozenset(methods)
    asked = set(re.findall(r"\w+", draft.asked))
    return frozenset(m for m in methods if names[m].lower() in asked)


def _with_members(draft: Draft, wanted: frozenset[int]) -> Write:
    """Writes a subtype, with where it has the members that are wanted."""
    graph, names = draft.graph, draft.graph.objects.column("name")
    wanted_names = {names[m] for m in wanted}

    def write(draft: Draft, node: Node, depth: int, here: str = "") -> Line:
        line, path = subtype_text(draft, node, depth, here), graph.path(node.position)
        own = [m for m in graph.members(node.position) if names[m] in wanted_names]
        if not own:
            return line
        said = ", ".join(f"{names[m]} {location(graph.path(m), [graph.declared(m)], path)}" for m in own)
        overrides = tuple(
            graph.at_declaration(fact, m) for m in own for fact, far in graph.overrides(m, "out") if far in wanted
        )
        return replace(line, text=f"{line.text}, {said}", facts=(*line.facts, *overrides))

    return write if wanted else subtype_text


def _of_one_name(draft: Draft, symbols: Sequence[Object]) -> bool:
    """Who implements a hook, a callback by name, a function of several programs: all functions of that name, where no
    class hierarchy says more."""
    graph = draft.graph
    starts = [p for p in (graph.objects.position(symbol.entity_id) for symbol in symbols) if p is not None]
    if not starts or any(graph.kinds[p] in TYPE_KINDS for p in starts) or graph.rows(starts, "in", ("overrides",)):
        return False
    name = graph.objects.column("name")[starts[0]]
    found = [p for p in names_of(graph.snapshot).by_name.get(name, ()) if graph.kinds[p] in FUNCTIONS]
    listed = sorted((p for p in found if not graph.is_test(p) and draft.scope.code(graph.path(p))), key=graph.location)
    if len(listed) < 2:
        return False
    lines = [Line(f"{name_said(graph, draft.source, p)}  {graph.location(p)}", (graph.definition(p),)) for p in listed]
    draft.blocks = [block for block in draft.blocks if block.title != f"Other symbols named {name}"]  # told here
    draft.add(f"Functions named {name}", lines, ANSWER, more=f"symbol_search {name}", what="functions")
    tests = sum(graph.is_test(p) for p in found)
    also = f", {tests} in tests" if tests else ""
    draft.head.append(f"{count(len(listed), 'function')} are named {name}{also}; no class hierarchy connects them.")
    checked(draft, name, found)
    return True


def _overriding_members(draft: Draft, positions: Sequence[int]) -> None:
    """Which members of a type are overridden, and where: if that is asked, or there are only a few and the question is
    not about some files only."""
    graph = draft.graph
    lines: list[Line] = []
    for position in positions:
        if graph.kinds[position] not in TYPE_KINDS:
            continue
        for member in graph.members(position):
            facts = [fact for fact, _ in graph.overrides(member, "in")]
            lines += [stated(fact) for fact in facts if not is_test_file(fact.path) and draft.scope.code(fact.path)]
    if "overrid" in draft.asked or (len(lines) <= _FEW_OVERRIDES and not draft.scope.said):
        draft.add("Overridden members", lines, RELATED, what="overrides")


def bases(draft: Draft, symbols: Sequence[Object]) -> None:
    """What these symbols implement, extend or override, up to the top; bases outside the root included."""
    graph = draft.graph
    for label, positions in groups(graph, symbols):
        types = SUBTYPES if graph.kinds[positions[0]] in TYPE_KINDS else ("overrides",)
        tree = graph.tree(positions, "out", types, _MAX_SUBTYPE_DEPTH)
        lines = tree_lines(draft, tree.roots, base_text)
        foreign = outside(graph, positions, types)
        draft.add(f"Bases of {label}", lines, ANSWER, what="bases")
        draft.add("Bases outside this root", foreign, ANSWER, what="bases")
        draft.add_possible("Possible bases, not proven", tree.possible)
        what = defined(draft, positions)
        draft.head.append(f"{what} has {count(len(lines), 'base')} in this root and {len(foreign)} outside.")


def impact(draft: Draft, symbols: Sequence[Object]) -> None:
    """What a change reaches: what must follow it, callers through the chain, and the tests to run."""
    graph = draft.graph
    if _ONLY_TESTS.match(draft.asked.strip()):
        _tests_only(draft, symbols)
        return
    for label, positions in groups(graph, symbols):
        draft.progress(f"impact of {label}")
        changed = called_on(graph, positions)
        uses = tuple(kind for kind in USES if kind != "overrides")
        tree = graph.tree(changed, "in", uses, draft.depth, later=CALLS, dispatch=True)
        far = graph.tree(changed, "in", CALLS, draft.depth + _TEST_REACH, dispatch=True)
        more = f'max_tokens, or expand_graph start="{graph.names[positions[0]]}" direction=in depth={draft.depth + 1}'
        draft.source.prepare(node.fact.path for node in tree.roots[:60] if node.fact is not None)
        told = {line.text for block in draft.blocks if block.title == "Must follow" for line in block.lines}
        follows = [line for line in _must_follow(draft, changed, positions) if line.text not in told]
        draft.add("Must follow", follows, ANSWER, more=more, what="overrides")
        beside = through_overrides(draft, positions, tree)
        lines = callers_by_file(draft, tree, beside)
        draft.add(f"Affected by {label}", lines, ANSWER, more=more, what="places")
        through = dispatch(draft, positions)
        trees = _tested([tree, far, *through], beside)
        guessed = draft.add_possible("Possibly affected, not proven", _direct_guesses(tree), closed=True)
        tests = draft.add_tests(trees, positions[0], priority=DEFINITION)
        overriding = [node for each in beside.values() for node in each.roots if shown(draft, node)]
        affected = [node for node in tree.walk() if shown(draft, node)] + overriding
        direct = sum(node.hops == 1 for node in affected)
        files = {node.fact.path for node in affected if node.fact is not None}
        dispatched = {node.position for each in through for node in each.roots if shown(draft, node)}
        negative = not affected and not tests and not follows and not tree.roots
        checked(draft, graph.objects.column("name")[positions[0]], positions, negative=negative, denied="uses")
        if not negative:
            through_them = f" ({len(overriding)} through overrides)" if overriding else ""
            draft.head.append(
                f"A change of {defined(draft, positions)}: {len(follows)} must follow, {count(direct, 'place')}"
                f" directly{through_them} and {len(affected) - direct} more within {draft.depth} hops"
                f" in {count(len(files), 'file')},"
                f" {count(tests, 'test')}"
                + (f", {count(len(dispatched), 'caller')} of what it overrides" if dispatched else "")
                + (f", {guessed} possible." if guessed else ".")
            )


def _tests_only(draft: Draft, symbols: Sequence[Object]) -> None:
    """Which tests reach these symbols; who else calls them is only counted."""
    graph = draft.graph
    for label, positions in groups(graph, symbols):
        draft.progress(f"tests of {label}")
        tree = graph.tree(called_on(graph, positions), "in", CALLS, draft.depth + _TEST_REACH, dispatch=True)
        trees = [tree, *(graph.tree([base], "in", CALLS, draft.depth, dispatch=True) for p in positions
                         for _, base in graph.overridden(p))]  # fmt: skip
        tests = draft.add_tests(trees, positions[0], priority=ANSWER)
        guesses = [fact for fact in _direct_guesses(tree) if is_test_file(fact.path)]
        guessed = draft.add_possible("Possible tests, not proven", guesses, closed=True)
        callers = sum(node.hops == 1 and shown(draft, node) for node in tree.roots)
        nothing = not tests and not guessed
        checked(draft, graph.objects.column("name")[positions[0]], positions, negative=nothing, denied="tests")
        if not nothing:
            draft.head.append(
                f"Tests of {defined(draft, positions)}: {tests} reach it"
                + (f", {guessed} more may" if guessed else "")
                + f"; {count(callers, 'other function')} call it."
            )


def _must_follow(draft: Draft, changed: Sequence[int], positions: Sequence[int]) -> list[Line]:
    """Overrides of what is changed, and types that stand in for its type."""
    graph = draft.graph
    overrides = {far: chain[-1] for p in changed for chain, far in graph.overriders(p)}
    overloads: dict[tuple[str, str], list[Fact]] = {}
    for position, fact in overrides.items():
        if not is_test_file(fact.path):
            overloads.setdefault((fact.source, fact.path), []).append(graph.at_declaration(fact, position))
    lines = [
        Line(f"override {name}  {location(path, [fact.line for fact in facts])}", tuple(facts))
        for (name, path), facts in overloads.items()
    ]
    beside = _siblings(draft, positions, overrides)
    lines += beside.values()
    lines += [
        Line(f"stand-in {graph.names[p]}  {graph.location(p)}  (same methods, no common base)", (graph.definition(p),))
        for p in stand_ins(graph, positions)
        if p not in overrides and p not in beside
    ]
    return lines


def _siblings(draft: Draft, positions: Sequence[int], known: Collection[int]) -> dict[int, Line]:
    """What a method overrides and what else overrides that: they have one signature."""
    graph = draft.graph
    found: dict[int, Line] = {}
    for position in positions:
        for _, base in graph.overridden(position):
            if base not in positions:
                text = f"overridden {graph.names[base]}  {graph.location(base)}"
                found.setdefault(base, Line(text, (graph.definition(base),)))
            others = graph.overriders(base)
            if len(others) > _MANY_SIBLINGS:
                more = f'expand_graph start="{graph.names[base]}" direction=in relationship_types=overrides'
                text = f"the {len(others)} overrides of {graph.names[base]}: {more}"
                found[base] = replace(found[base], text=f"{found[base].text}, {text}") if base in found else Line(text)
                continue
            for chain, other in others:
                counts = other not in positions and other not in known and not graph.is_test(other)
                if counts and draft.scope.code(graph.path(other)):
                    text = f"override {graph.names[other]}  {graph.location(other)}"
                    found.setdefault(other, Line(text, (graph.at_declaration(chain[-1], other),)))
    return found


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
        draft.add(f"Bases of {label}", tree_lines(draft, up.roots, base_text), DEFINITION, what="bases")
        draft.add(f"Implementations of {label}", tree_lines(draft, down.roots, subtype_text), DISPATCH, what="types")
        kinds_in = ("calls", "instantiates", "uses_type") if is_type else CALLS
        incoming = graph.tree(positions, "in", kinds_in, draft.depth, later=CALLS, dispatch=True)
        draft.source.prepare(node.fact.path for node in incoming.roots[:60] if node.fact is not None)
        more = f'expand_graph start="{graph.names[first]}"'
        draft.add(f"Callers of {label}", callers_by_file(draft, incoming), DISPATCH, more=more, what="callers")
        registrations(draft, label, positions, DISPATCH)
        trees = [incoming, *_member_callers(draft, positions), *dispatch(draft, positions)]
        outgoing = graph.tree(called_on(graph, positions), "out", CALLS, draft.depth, dispatch=True)
        lines = tree_lines(draft, outgoing.roots, callee_text)
        draft.add(f"What {label} calls", lines, DISPATCH, more=more, what="calls")
        draft.add_possible("Possible, not proven", [*incoming.possible, *outgoing.possible])
        draft.add_tests(trees, first)
        draft.head.append(f"{defined(draft, positions)}.")
