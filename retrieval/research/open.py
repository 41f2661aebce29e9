"""Open questions: where and how something is done.

Seeds come from hybrid search, the files they lie in are named first, then their source, then how they are connected:
a walk from the seeds along the edges most like the question. The question is embedded once; search and walk share the
vector (UNI-6).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sightline.graph.build.tested import is_test_file
from sightline.graph.read import walk
from sightline.graph.read.symbols import names_of
from sightline.retrieval.report import FILES, is_report
from sightline.retrieval.research.chain import Chain, chain_of, deciding, main_tree
from sightline.retrieval.research.decided import asks_where_decided, decided
from sightline.retrieval.research.evidence import CALLS, USES
from sightline.retrieval.research.flow import extend, flow_of
from sightline.retrieval.research.focus import SMALLER, TRIVIAL_LINES, Focus
from sightline.retrieval.research.listing import stated
from sightline.retrieval.research.model import Block, Line
from sightline.retrieval.research.names import symbols_of
from sightline.retrieval.research.occurrences import occurrences
from sightline.retrieval.research.pieces import (
    ANSWER,
    DEFINITION,
    RELATED,
    REST,
    TESTS,
    Draft,
    checked,
    count,
)
from sightline.retrieval.research.prose import about, asks_order, begins, ends, named_in, outside_names
from sightline.retrieval.research.question import Subject, subject_of
from sightline.retrieval.research.relevance import FUNCTIONS, Asked, bodies, is_step, relevance
from sightline.retrieval.research.told import chain_lines
from sightline.retrieval.research.wording import kind_of
from sightline.retrieval.search import search
from sightline.types import TYPE_KINDS, Chunk, Hit, Object, Query, RankedFile, SearchResult

if TYPE_CHECKING:
    from sightline.types import Vector

Embed = Callable[[str], "Vector | None"]  # None where there is no embedder; a text is embedded once

_HITS = 30  # asked of search: enough files to name
_PLACES, _BRIEF_PLACES, _TEST_PLACES = 10, 4, 4  # files named at most
_EXCERPTS = 6  # hits shown with source if a larger answer was asked for
_EXCERPT_LINES, _REST_LINES = 30, 60  # of each at first, and of the rest if there is room
_FEW_PLACES, _FEW_EXCERPTS, _FEW_TESTS = 6, 3, 2  # of an answer of the usual size
_FEW_CONNECTIONS = 8
_WEAK = 0.5  # of the best score: what is below is named only if little else is
_SEEDS = 8  # hits the walk begins at
_MAX_NODES, _MAX_EDGES = 40, 40  # of the walk; cut by similarity to the question
_END_CANDIDATES = 10  # functions that one end of a chain may be
_CONNECTED = 1.4  # what a function weighs more, as a place to show, where it is part of the chain
_WITH_CHAIN = 2  # excerpts beside a chain, which quotes its lines
_BESIDE_DECIDED = 1  # and beside lines that decide
_BESIDE_CHAIN = 2  # files that are named although no step of the chain lies in them
_FEW_NAMESAKES = 3  # functions of a plain word that a question may begin with
_BEST_HITS = 2  # whose source is shown first where it is asked where something is
_TREES = 2  # that are told where the order is asked for: the second may be what is meant
_CALLED = 0.15  # what a described function weighs more if something calls it
_OF_FUNCTIONS = re.compile(r"\b(?:functions?|methods?|code|what|who)\b", re.IGNORECASE)
_WHOLE_LINES = 19  # of the last function of a chain, which is shown if it is no longer
_WHOLE = 0.5  # what the whole question says for an end
_WALKED = tuple(kind for kind in USES if kind != "imports")


def open_question(draft: Draft, question: str, embed: Embed, *, brief: bool = False) -> list[Object]:
    """Answer from search and the neighbourhood of what it found; returns the objects it began at. `brief`: only where
    it is, since another answer follows."""
    graph = draft.graph
    draft.progress("searching")
    asked = question if is_report(question) else about(question)
    vector = embed(asked)
    searched = _searched(draft, asked, vector)
    hits = searched.hits
    if not hits:
        draft.head.append("Nothing in the index is about that.")
        checked(draft, negative=True)
        return []
    production = [hit for hit in hits if not is_test_file(hit.path)] or hits
    strong = (
        production if draft.ample else [hit for hit in production if hit.score >= _WEAK * hits[0].score] or hits[:1]
    )
    places = _where(production if brief or len(strong) < _BRIEF_PLACES else strong)
    more = "search with the same words and a cursor"
    if brief:
        draft.add("Where", places[:_BRIEF_PLACES], ANSWER, what="places")
        return graph.objects.get(_seeds(draft, production[:_SEEDS]))
    draft.progress("following relationships")
    weights, chain, flows = (
        ({}, None, False) if is_report(question) else _chained(draft, question, Asked(asked, vector), embed, hits)
    )
    if chain is not None and flows and not draft.ample:
        _flow(draft, chain, Asked(asked, vector))
        return graph.objects.get(main_tree(chain)[:_SEEDS])
    ordered = chain is not None and not draft.ample and asks_order(question)
    if ordered and chain is not None:
        extend(draft, chain)
    deciding_lines = decided(draft, Asked(asked, vector), hits) if asks_where_decided(question) else []
    draft.add("Decided at", deciding_lines, ANSWER, more=more, what="source lines")
    if deciding_lines and not draft.ample:  # how that is reached is another question
        chain = None
    named = _PLACES if draft.ample else max(_BRIEF_PLACES, min(len(strong), _FEW_PLACES))
    if is_report(question):
        places = [*places[:named], *_further(places[:named], searched.files)]
        named = len(places)
    if not ordered:
        draft.add("Where", places[:named], ANSWER, more=more, what="places")
    if chain is not None:
        most = None if draft.ample or chain.carried else _TREES if ordered else 1
        draft.add("In order", chain_lines(draft, chain, most), ANSWER, more="expand_graph", what="steps")
    if ordered and chain is not None:  # which says where; what lies beside it may still be what is meant
        functions = main_tree(chain)
        told = {graph.path(position) for position in functions}
        beside = [line for line in places if line.path not in told][:_BESIDE_CHAIN]
        draft.add("Where else", beside, RELATED, more=more, what="places")
        draft.head.append(
            f"{count(len(functions), 'function')} in {count(len(told), 'file')} come one after another as below"
            " (⇢: no proven call); which of them matter was found by search."
        )
    if draft.ample:
        for number, hit in enumerate(strong[:_EXCERPTS]):
            _excerpt(draft, hit, DEFINITION if number < _EXCERPTS // 2 else RELATED)
    else:
        where, lines = deciding(chain) if chain is not None else ({}, {})
        focus = Focus(draft, Asked(asked, vector), lines)
        if chain is not None:
            weights.update({p: _CONNECTED * weights[p] for p in main_tree(chain) if p in weights})
            weights.update(where)
        spots = focus.best(strong, weights)
        if not ordered:  # where something is, search knows best
            best = {at[0]: at for at in reversed([focus.place(hit) for hit in strong[:_BEST_HITS]])}
            found = [s for s in spots if best.get(s.path) == (s.path, s.start) and s.end - s.start > TRIVIAL_LINES]
            found = [s for s in found if s.function] or found  # of a whole type or module the head says little
            found.sort(key=lambda s: list(best).index(s.path), reverse=True)
            spots = [*found, *(s for s in spots if s not in found)]
        if ordered and chain is not None:  # what a function of few lines calls, the chain has quoted
            steps = {(graph.path(p), graph.line(p)) for p in main_tree(chain)}
            longer = [s for s in spots if s.end - s.start > TRIVIAL_LINES or (s.path, s.start) not in steps]
            spots = longer or spots
        shown = _WITH_CHAIN if chain is not None else _BESIDE_DECIDED if deciding_lines else _FEW_EXCERPTS
        for spot in spots[:shown]:
            heading, more = Line(spot.heading, heading=True), f"read {spot.path}:{spot.start}-{spot.end}"
            draft.blocks.append(
                Block("Source", [heading, *focus.point(spot)], DEFINITION, more, least=3, what="source lines")
            )
    seeds = _seeds(draft, strong[:_SEEDS])
    if chain is None and not deciding_lines:
        _connections(draft, seeds, vector)
    tests = [hit for hit in hits if is_test_file(hit.path) and hit not in production]
    if draft.ample or "test" in draft.asked:
        draft.add("Tests", _where(tests)[: _TEST_PLACES if draft.ample else _FEW_TESTS], TESTS, what="places")
    files = list(dict.fromkeys(hit.path for hit in production))
    if not ordered:
        draft.head.append(f"Best evidence first, found by search; {count(len(files), 'file')} in all.")
    return graph.objects.get(seeds)


def described_by(draft: Draft, question: str, embed: Embed) -> tuple[list[Object], Callable[[Object], list[Line]]]:
    """The objects that a description may mean, the best first, and what of their source shows it."""
    asked = Asked(about(question), embed(about(question)))
    hits = [hit for hit in _found(draft, asked.text, asked.vector) if not is_test_file(hit.path)]
    focus = Focus(draft, asked, {})

    def point(found: Object) -> list[Line]:
        position = draft.graph.objects.position(found.entity_id)
        return focus.point_of(position) if position is not None else []

    seeds = _seeds(draft, hits[:_SEEDS])
    if _OF_FUNCTIONS.search(question):
        seeds = _likely(draft, relevance(draft, asked, hits)) or seeds
    return draft.graph.objects.get(seeds), point


def _likely(draft: Draft, weights: Mapping[int, float]) -> list[int]:
    """The functions that matter most, those that something calls before others: who calls it is asked next."""
    graph = draft.graph
    best = sorted(weights, key=lambda p: -weights[p])[:_SEEDS]
    called = {p: any(graph.is_proven(row) and far != p for row, _, far in graph.rows([p], "in", CALLS)) for p in best}

    def likely(position: int) -> float:
        small = int(graph.objects.end_line[position]) - graph.line(position) < TRIVIAL_LINES
        return weights[position] * (SMALLER if small else 1.0) + (_CALLED if called[position] else 0.0)

    return sorted(best, key=lambda p: -likely(p))


def _found(draft: Draft, asked: str, vector: Vector | None) -> Sequence[Hit]:
    return _searched(draft, asked, vector).hits


def _searched(draft: Draft, asked: str, vector: Vector | None) -> SearchResult:
    query = Query(
        asked,
        vector=vector,
        limit=_HITS,
        types=("chunk", "object"),
        mode="hybrid" if vector is not None else "bm25",
        filters=draft.scope.filters,
    )
    result = search(draft.graph.snapshot, query, embedder=None)
    draft.warnings += result.warnings
    allows = draft.scope.given.allows
    return replace(
        result,
        hits=[hit for hit in result.hits if allows(hit.path)],
        files=[file for file in result.files if allows(file.path)],
    )


def _chained(
    draft: Draft, question: str, asked: Asked, embed: Embed, hits: Sequence[Hit]
) -> tuple[dict[int, float], Chain | None, bool]:
    """How much functions matter, and how they come one after another; None where nothing connects them. The last says
    whether the question names what they begin with."""
    named = _named(draft, question)
    weights = relevance(draft, asked, hits, named)
    said = ends(question)
    found = relevance(draft, asked, hits)
    begin, starts = _begin(draft, question, said)
    first: dict[int, float] = {}
    last: dict[int, float] = {}
    if starts:
        further = [p for name in named_in(question) if name != begin for p in _of_name(draft, name)]
        others = dict.fromkeys((p for p in further if p not in starts), 1.0)
        if not others and said is not None:  # "the endpoint of the matching `Route`": its methods
            others = dict.fromkeys(_methods_named(draft, said[1]), 1.0)
        outside = calling_outside(draft, said[1]) if said is not None and not others else {}
        last = others or (_end(draft, said[1], embed, weights) if said is not None else {})
        last = {p: likely for p, likely in last.items() if p not in starts}
        chain = flow_of(draft, asked, found, starts, last, outside)
        if chain is not None:
            return weights, chain, True
    if said is not None:
        first, last = (_end(draft, prose, embed, weights) for prose in said)
    return weights, chain_of(draft, asked, weights, first, last), False


def _begin(draft: Draft, question: str, said: tuple[str, str] | None) -> tuple[str, list[int]]:
    """The name that a question says to begin with, and its functions."""
    for name in (*begins(question), *(named_in(said[0]) if said is not None else ())):
        found = _of_name(draft, name)
        if found and (len(found) <= _FEW_NAMESAKES or named_in(name)):  # a plain word that many have says nothing
            return name, _told_apart(draft, question, _best_named(draft, name, found))
    return "", []


def _told_apart(draft: Draft, question: str, found: list[int]) -> list[int]:
    """Of several functions of a name those that the question says more of: "on unix" is a folder of one of them,
    "top-level" is no method."""
    graph = draft.graph
    words = set(re.findall(r"\w+", question.lower()))
    if "top-level" in question.lower():
        of_types = {p for p in found for o in graph.parents(p) if graph.kinds[o] in TYPE_KINDS}
        found = [p for p in found if p not in of_types] or found
    folders = {p: set(graph.path(p).lower().split("/")[:-1]) for p in found}
    common = set.intersection(*folders.values()) if found else set()
    return [p for p in found if (folders[p] - common) & words] or found


def _best_named(draft: Draft, name: str, found: list[int]) -> list[int]:
    """Of several functions that a qualified name may mean those of the type that it says; where it says a module or a
    package (`requests.get`), those that are no methods."""
    graph = draft.graph
    before = re.split(r"[.:#>\\]+", name)[-2:-1]
    owners = {
        p: [graph.objects.column("name")[o] for o in graph.parents(p) if graph.kinds[o] in TYPE_KINDS] for p in found
    }
    own = [p for p in found if set(owners[p]) & set(before)]
    return own or ([p for p in found if before and not owners[p]] or found)


def _flow(draft: Draft, chain: Chain, asked: Asked) -> None:
    """Tell a chain whose beginning is known, and the source of what it leads to in the end."""
    graph = draft.graph
    functions = main_tree(chain)
    files = {graph.path(position) for position in functions}
    steps = chain.above.values()
    marks = ["~: likely by its name" if any(step.likely for step in steps) else ""]
    marks += [
        "⇢: no call"
        if any(step.bridge or (step.fact and step.fact.kind in ("overrides", "registers")) for step in steps)
        else ""
    ]
    legend = "; ".join(filter(None, marks))
    draft.head.append(
        f"{count(len(functions), 'function')} in {count(len(files), 'file')}, in the order of the calls"
        + (f" ({legend})." if legend else ".")
    )
    draft.add("In order", chain_lines(draft, chain), ANSWER, more="expand_graph", what="steps")
    for position in chain.ends[1:]:  # what the question names as its end
        path, start, end = graph.path(position), graph.line(position), int(graph.objects.end_line[position])
        lines = Focus(draft, asked, {}).point_of(position) if TRIVIAL_LINES < end - start < _WHOLE_LINES else []
        heading = Line(f"{path}:{start}-{end}  {graph.names[position]}", heading=True)
        draft.add("Source", [heading, *lines] if lines else [], DEFINITION, what="source lines")


def _end(draft: Draft, prose: str, embed: Embed, whole: Mapping[int, float]) -> dict[int, float]:
    """The functions that one end of a chain may be, each with how likely, 0 to 1."""
    named = _named(draft, prose) or _known(draft, prose) or list(calling_outside(draft, prose))
    if named:
        return dict.fromkeys(named, 1.0)
    asked = Asked(about(prose), embed(about(prose)))
    own = relevance(draft, asked, _found(draft, asked.text, asked.vector))
    both = {p: weight + _WHOLE * whole.get(p, 0.0) for p, weight in own.items()}
    best = sorted(both, key=lambda p: -both[p])[:_END_CANDIDATES]
    return {p: both[p] / both[best[0]] for p in best}


def _known(draft: Draft, prose: str) -> list[int]:
    """The functions of a symbol that is the whole of an end: "the Searcher" is its constructors and methods."""
    graph, subject = draft.graph, subject_of(prose)
    if subject is None or " " in subject.name or not subject.name:
        return []
    meant = symbols_of(graph.snapshot, subject, "path")
    positions = [graph.objects.position(symbol.entity_id) for symbol in meant.symbols if not meant.corrected]
    found = [p for position in positions if position is not None for p in (position, *graph.members(position))]
    return [p for p in found if graph.kinds[p] in FUNCTIONS][:_END_CANDIDATES]


def _named(draft: Draft, prose: str) -> list[int]:
    """The functions that names in prose stand for."""
    return bodies(draft.graph, [p for name in named_in(prose) for p in _of_name(draft, name)])


def _methods_named(draft: Draft, prose: str) -> list[int]:
    """The methods of the types that prose names."""
    graph = draft.graph
    found: list[int] = []
    for name in named_in(prose):
        meant = symbols_of(graph.snapshot, Subject(name, marked=True), "symbol")
        positions = [graph.objects.position(symbol.entity_id) for symbol in meant.symbols if not meant.corrected]
        types = [p for p in positions if p is not None and graph.kinds[p] in TYPE_KINDS]
        found += [m for p in types for m in graph.members(p) if graph.kinds[m] == "method"]
    return [p for p in bodies(graph, found) if not graph.objects.column("name")[p].startswith("__")]


def _of_name(draft: Draft, name: str) -> list[int]:
    graph = draft.graph
    meant = symbols_of(graph.snapshot, Subject(name, marked=True), "path")
    if meant.corrected:
        return []
    positions = (graph.objects.position(symbol.entity_id) for symbol in meant.symbols)
    return bodies(graph, [p for p in positions if p is not None and graph.kinds[p] in FUNCTIONS])


def calling_outside(draft: Draft, prose: str) -> dict[int, list[tuple[str, int]]]:
    """The functions that call what the prose names and this root does not define ("ends up in curl_exec"), each with
    the name and the line."""
    graph = draft.graph
    known = names_of(graph.snapshot).by_name
    for name in outside_names(prose):
        if name in known:
            continue
        called = re.compile(rf"(?<![\w$]){name}\s*\(")
        found: dict[int, list[tuple[str, int]]] = {}
        for file in occurrences(graph.snapshot, draft.texts, name).files:
            path = file.text.path
            if is_test_file(path) or file.text.reason:
                continue
            for number, line in enumerate(file.lines):
                text = file.line(number)
                match = called.search(text)
                around = walk.object_at(graph.snapshot, path, line) if match is not None else None
                if match is not None and kind_of(text, match) in ("code", "call") and around is not None:
                    found.setdefault(around, []).append((name, line))
        functions = {p: lines for p, lines in found.items() if is_step(graph, p)}
        if 0 < len(functions) <= _FEW_PLACES:
            return functions
    return {}


def _where(hits: Sequence[Hit]) -> list[Line]:
    """Files in the order of their best hit, each with the symbols found in it."""
    by_file: dict[str, list[Hit]] = {}
    for hit in hits:
        by_file.setdefault(hit.path, []).append(hit)
    lines = []
    for path, found in by_file.items():
        places = [f"{_name(hit) or 'lines'}:{hit.start_line}-{hit.end_line}" for hit in found[:4]]
        lines.append(Line(f"{path}  {', '.join(places)}", path=path))
    return lines


def _further(places: Sequence[Line], files: Sequence[RankedFile]) -> list[Line]:
    """The files that a report is likely about beyond those of its best hits, as many as `search` would name."""
    known = {line.path for line in places}
    further = [file.path for file in files if file.path not in known and not is_test_file(file.path)]
    return [Line(path, path=path) for path in further[: max(0, FILES - len(places))]]


def _name(hit: Hit) -> str:
    if isinstance(hit.item, Object):
        return hit.item.qualified_name
    return hit.item.symbol if isinstance(hit.item, Chunk) else ""


def _excerpt(draft: Draft, hit: Hit, priority: int) -> None:
    start, end = hit.start_line, hit.end_line
    heading = Line(f"{hit.path}:{start}-{end}  {_name(hit)}".rstrip(), heading=True)
    more = f"read {hit.path}:{start}-{end}"
    cut = min(end, start + _EXCERPT_LINES - 1)
    lines = draft.source.excerpt(hit.path, start, cut)
    if lines:
        draft.blocks.append(Block("Source", [heading, *lines], priority, more, least=3, what="source lines"))
    if end > cut:
        rest = draft.source.excerpt(hit.path, cut + 1, min(end, cut + _REST_LINES))
        draft.blocks.append(Block("Source", rest, REST, more, least=5, what="source lines"))


def _seeds(draft: Draft, hits: Sequence[Hit]) -> list[int]:
    """The objects that the best hits define or lie in."""
    objects = draft.graph.objects
    found: dict[int, None] = {}
    for hit in hits:
        if isinstance(hit.item, Object):
            position = objects.position(hit.item.entity_id)
        else:
            position = walk.object_at(draft.graph.snapshot, hit.path, hit.start_line)
        if position is not None and draft.graph.kinds[position] != "module":
            found.setdefault(position)
    return list(found)


def _connections(draft: Draft, seeds: Sequence[int], vector: Vector | None) -> None:
    """How the seeds are connected with each other and their surroundings, most like the question first."""
    graph = draft.graph
    expansion = walk.expand(
        graph.snapshot,
        [graph.entity_id(position) for position in seeds],
        relationship_types=_WALKED if draft.ample else tuple(kind for kind in _WALKED if kind != "uses_type"),
        depth=draft.depth if draft.ample else 1,
        max_nodes=_MAX_NODES,
        max_edges=_MAX_EDGES,
        query_vector=vector,
    )
    rows = [graph.edges.position(edge.id) for edge in expansion.edges]
    facts = [graph.fact(row) for row in rows if row is not None]
    proven = [fact for fact in facts if fact.proven and not is_test_file(fact.path)]
    proven = proven if draft.ample else proven[:_FEW_CONNECTIONS]
    draft.add("How it is connected", [stated(f) for f in proven], RELATED, more="expand_graph", what="relationships")
    if draft.ample:
        draft.add_possible("Possible connections, not proven", [fact for fact in facts if not fact.proven])
