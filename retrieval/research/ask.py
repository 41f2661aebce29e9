"""A question about a root, answered from its graph and from search.

The question is understood by its phrasing (`question`), its names by the symbol table (`names`); `answer`, `areas` and
`open` collect evidence from the graph and from search, and `budget` writes down as much as fits, most useful first.
Nothing here writes, and nothing is claimed without a location that shows it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from sightline.errors import EmbedderError, QueryError
from sightline.graph.read.symbols import names_of
from sightline.retrieval.report import embedded_text, is_report, read
from sightline.retrieval.research import answer, areas, budget, routed, unused, ways
from sightline.retrieval.research.closing import closing_lines
from sightline.retrieval.research.evidence import Graph
from sightline.retrieval.research.model import Line, QuestionKind, ResearchResult
from sightline.retrieval.research.names import Area, Meant, area_of, symbols_of
from sightline.retrieval.research.occurrences import Texts
from sightline.retrieval.research.open import Embed, calling_outside, described_by, open_question
from sightline.retrieval.research.pieces import ANSWER, DEFINITION, Draft, close, named
from sightline.retrieval.research.question import Reading, follow_up, readings, unanswered
from sightline.retrieval.research.scope import Scope, only, scope_of
from sightline.retrieval.research.source import ReadLines, Source
from sightline.retrieval.research.wording import simple
from sightline.retrieval.routes.asked import asked as asked_routes
from sightline.retrieval.timing import Clock
from sightline.tokens import estimate_tokens
from sightline.types import MAX_DEPTH, Filters, Object

if TYPE_CHECKING:
    from sightline.embed import Embedder
    from sightline.store import Snapshot
    from sightline.types import Vector

USUAL_TOKENS = 2_000  # of an answer for which nothing else is asked; a larger budget brings more of everything
_DIRECT = re.compile(
    r"\bdirect(?:ly)?\b|\b(?:every|each|all)(?: of)?(?: the| its)? call(?:s|[ -]?sites?)?\b|"
    r"\b(?:which|what) (?:functions?|methods?|classes|places?|files?|code)(?: and \w+)?(?: in \S+)? "
    r"(?:calls?|invokes?)\b|\b(?:calls?|callers?|invokes?|called)\b.*\b(?:file:line|file and line|lines?)\b",
    re.IGNORECASE,
)
_INDIRECT = re.compile(r"\b(?:indirect|or not|transitiv|through|chain|most direct)", re.IGNORECASE)
_DESCRIBED = frozenset({"function", "method", "constructor", "class", "interface", "struct", "enum", "macro"})
_OTHERS_DESCRIBED = 2  # symbols that a description may mean beside the best
_FURTHER_PARTS = 2  # of one question that are answered beside its first
_FEW_OTHERS = 6  # symbols of the same name that are named
_OF_AREAS: frozenset[QuestionKind] = frozenset({"dependencies", "dependents", "cycles", "unused", "overview"})


def research(
    snapshot: Snapshot,
    question: str,
    *,
    embedder: Embedder | None,
    depth: int = 2,
    max_tokens: int = USUAL_TOKENS,
    filters: Filters | None = None,
    read_lines: ReadLines | None = None,
    texts: Texts | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> ResearchResult:
    """Answer an architectural question from one snapshot, within a budget of tokens.

    `progress` is told each step before it is taken; what it raises ends the question.
    """
    if depth < 1 or max_tokens < 1:
        raise QueryError(f"depth={depth} or max_tokens={max_tokens} is out of bounds", hint="both must be 1 or more")
    clock = Clock()
    progress("understanding the question")
    source = Source(snapshot, read_lines)
    graph = Graph(snapshot, source.lines)
    with clock.stage("understand"):
        asked, scope, understood = _within(snapshot, question, filters or Filters())
        reading, meant, found_places = understood
    draft = Draft(
        graph,
        source,
        _depth(question, depth),
        progress,
        scope=scope,
        given_texts=texts,
        ample=max_tokens > USUAL_TOKENS,
        asked=question.lower(),
    )
    kind = reading.kind
    with clock.stage("evidence"):
        about_routes = _about_routes(draft, question)
        if about_routes is not None:
            symbols, kind = about_routes, "routes"
        else:
            symbols = _answer(draft, asked, reading, meant, found_places, embedder, clock)
            for part in unanswered(asked, reading)[:_FURTHER_PARTS]:
                symbols += _answer_part(draft, part, embedder, clock)
    with clock.stage("check"):
        close(draft)
    progress("writing")
    with clock.stage("write"):
        fitted = budget.fit(_opening(draft), draft.blocks, max_tokens)
    return ResearchResult(
        question=question,
        kind=kind,
        symbols=tuple(symbols),
        sections=fitted.sections,
        text=fitted.text,
        tokens=estimate_tokens(fitted.text),
        facts=fitted.facts,
        left_out=fitted.left_out,
        warnings=tuple(dict.fromkeys(draft.warnings)),
        timings_ms=clock.timings_ms(),
        index=snapshot.status(),
        paths=tuple(p for p in dict.fromkeys((*fitted.paths, *sorted(draft.changed))) if p in snapshot.files),
    )


def _within(
    snapshot: Snapshot, question: str, filters: Filters
) -> tuple[str, Scope, tuple[Reading, list[Meant], list[Area]]]:
    """What is asked, and about which files: words like "in src/" are a filter where a symbol is asked about, and the
    subject where a folder is. A report says nothing of the kind: it is an open question as a whole."""
    if is_report(question):
        return question, only(filters), (Reading("open"), [], [])
    rest, scope = scope_of(question, filters, snapshot.files)
    understood = _understand(snapshot, rest)
    if scope.missing and understood[0].kind == "open":
        rest, scope = scope_of(question, filters, snapshot.files, of_symbols=False)
        understood = _understand(snapshot, rest)
    if rest != question and (understood[0].kind == "open" or understood[0].kind in _OF_AREAS):
        whole = _understand(snapshot, question)
        if whole[0].kind != "open" and (whole[2] or not scope.missing):
            return question, replace(only(filters), missing=scope.missing), whole
    return rest, scope, understood


def _depth(question: str, depth: int) -> int:
    """Callers of callers are not asked for by "which functions call it directly"."""
    direct = _DIRECT.search(question) is not None and _INDIRECT.search(question) is None
    return 1 if direct else min(depth, MAX_DEPTH)


def _understand(snapshot: Snapshot, question: str) -> tuple[Reading, list[Meant], list[Area]]:
    """The first reading whose names are in the index; failing that, the first that names code; failing that, open."""
    missing: tuple[Reading, list[Meant], list[Area]] | None = None
    for reading in readings(question):
        if reading.kind == "open":
            return missing or (reading, [], [])
        meant = [symbols_of(snapshot, subject, reading.kind) for subject in reading.subjects]
        located = [area_of(snapshot, subject) for subject in reading.subjects]
        found = [area for area in located if area is not None]
        if reading.kind in _OF_AREAS:
            if len(found) == len(located):
                return reading, [], found
            if meant and all(m.symbols for m in meant):
                return Reading(_as_symbol_question(reading), reading.subjects), meant, []
        elif reading.kind == "path" and any(m.corrected for m in meant):
            continue  # one end is no name: the open answer looks for what it may be, with the other end as named
        elif all(m.symbols for m in meant) or (len(meant) > 1 and reading.kind != "path" and _one_is_known(meant)):
            return reading, meant, []
        elif len(found) == len(located) and reading.kind in _ABOUT_OF_AREAS and _names_an_area(reading):
            return Reading(_ABOUT_OF_AREAS[reading.kind], reading.subjects), [], found
        if missing is None and all(s.marked for s, m in zip(reading.subjects, meant, strict=True) if not m.symbols):
            missing = (reading, meant, [])
    raise AssertionError("every question has an open reading")


def _one_is_known(meant: list[Meant]) -> bool:
    return any(m.symbols and not m.corrected for m in meant)


# A question about symbols whose names are folders or files, and the other way round.
_ABOUT_OF_AREAS: dict[QuestionKind, QuestionKind] = {
    "uses": "dependents",
    "callers": "dependents",
    "impact": "dependents",
    "callees": "dependencies",
    "path": "dependencies",
    "symbol": "overview",
    "trace": "overview",
}


def _names_an_area(reading: Reading) -> bool:
    """A plain word may be the name of a folder and yet a topic: "how does routing work" is an open question."""
    if reading.kind not in ("symbol", "trace"):
        return True
    return all(s.folder or s.marked or "/" in s.name for s in reading.subjects)


def _as_symbol_question(reading: Reading) -> QuestionKind:
    if reading.kind == "dependencies":
        return "path" if len(reading.subjects) == 2 else "callees"
    return "uses" if reading.kind == "dependents" else "symbol"


def _about_routes(draft: Draft, question: str) -> list[Object] | None:
    """The answer to a question about routes, and None where it is another one or there are none; what was found out
    about routes then stands before the answer."""
    if is_report(question):
        return None
    files = draft.graph.snapshot.files
    rest, scope = scope_of(question, draft.scope.filters, files)
    about = asked_routes(question, files) or asked_routes(rest, files)
    if about is None:
        return None
    draft.scope = scope
    return routed.routed(draft, about)


def _answer(
    draft: Draft,
    question: str,
    reading: Reading,
    meant: list[Meant],
    found: list[Area],
    embedder: Embedder | None,
    clock: Clock,
) -> list[Object]:
    """Collect the evidence; returns the symbols that the names were taken for."""
    kind = reading.kind
    if kind == "open":
        return _described(draft, question, embedder, clock) or _open(draft, question, embedder, clock)
    if kind in _OF_AREAS:
        _area_answer(draft, kind, found)
        return []
    if kind == "path" and meant[0].symbols and calling_outside(draft, meant[-1].name):
        return _open(draft, question, embedder, clock)  # the end is a function of another library, called here
    if kind != "path" and any(m.symbols for m in meant):  # of several names one may not be there
        _missing(draft, [m for m in meant if not m.symbols])
        meant = [m for m in meant if m.symbols]
    if not all(m.symbols for m in meant):
        _unknown(draft, meant)
        return _open(draft, question, embedder, clock, brief=not draft.ample)
    for m in meant:
        _note(draft, m)
    symbols = [symbol for m in meant for symbol in m.symbols]
    positions = (draft.graph.objects.position(symbol.entity_id) for symbol in symbols)
    draft.meant = frozenset(position for position in positions if position is not None)
    _tell(draft, kind, meant, symbols)
    return symbols


def _answer_part(draft: Draft, part: str, embedder: Embedder | None, clock: Clock) -> list[Object]:
    """Answer a further part of a question: as a question of its own if it names code, else by what it describes."""
    reading, meant, found = _understand(draft.graph.snapshot, part)
    if reading.kind not in ("open", *_OF_AREAS) and all(m.symbols for m in meant):
        draft.head.append(f'"{part}":')
        return _answer(draft, part, reading, meant, found, embedder, clock)
    described, point = described_by(draft, part, _embed(draft, embedder, clock))
    likely = [o for o in described if o.kind in _DESCRIBED][: _OTHERS_DESCRIBED + 1]
    if not likely:
        draft.head.append(f'"{part}": nothing in the index is about that.')
        return []
    best = likely[0]
    named_ones = ", ".join(f"{o.qualified_name} ({_place(draft, o)})" for o in likely)
    draft.head.append(f'"{part}": by its words, most likely first: {named_ones}.')
    heading = Line(f"{best.path}:{best.start_line}-{best.end_line}  {best.qualified_name}", heading=True)
    draft.add("What is described", [heading, *point(best)], DEFINITION, what="source lines")
    return [best]


def _tell(draft: Draft, kind: QuestionKind, meant: list[Meant], symbols: list[Object]) -> None:
    if kind == "path":
        ways.path(draft, meant[0].symbols, meant[-1].symbols)
    elif kind == "trace":
        answer.callees(draft, symbols, trace=True)
    else:
        _SYMBOL_ANSWERS[kind](draft, symbols)


def _described(draft: Draft, question: str, embedder: Embedder | None, clock: Clock) -> list[Object]:
    """ "Which function does this, and who calls it": find what is described, then answer for it; [] when the question
    is another one, or nothing is found."""
    parts = follow_up(question)
    if parts is None:
        return []
    first, second = parts
    kind = next(reading.kind for reading in readings(second.format("`X`")))
    if kind == "open" or kind in _OF_AREAS or kind == "path":
        return []
    described, point = described_by(draft, first, _embed(draft, embedder, clock))
    found = [o for o in described if o.kind in _DESCRIBED]
    if found:
        best = [o for o in found if (o.path, o.qualified_name) == (found[0].path, found[0].qualified_name)]
        others = [o for o in found if o not in best][:_OTHERS_DESCRIBED]
        also = ", ".join(f"{o.qualified_name} ({_place(draft, o)})" for o in others)
        draft.head.append(
            f"Taken for what is described: {best[0].qualified_name}" + (f"; next: {also}." if also else ".")
        )
        _tell(draft, kind, [], best)
        longest = max(best, key=lambda o: o.end_line - o.start_line)
        heading = Line(
            f"{longest.path}:{longest.start_line}-{longest.end_line}  {longest.qualified_name}", heading=True
        )
        draft.add("What is described", [heading, *point(longest)], DEFINITION, what="source lines")
    return found[:1]


_SYMBOL_ANSWERS: dict[QuestionKind, Callable[[Draft, list[Object]], None]] = {
    "implementations": answer.implementations,
    "bases": answer.bases,
    "callers": answer.callers,
    "uses": answer.uses,
    "callees": answer.callees,
    "impact": answer.impact,
    "symbol": answer.symbol,
}


def _area_answer(draft: Draft, kind: QuestionKind, found: list[Area]) -> None:
    whole = Area("the whole root", frozenset(draft.graph.snapshot.files))
    if kind == "cycles":
        areas.cycles(draft, _joined(found) or whole)
    elif kind == "unused":
        unused.unused(draft, _joined(found) or whole)
    elif kind == "dependents":
        areas.dependents(draft, found[0])
    elif kind == "overview":
        areas.overview(draft, found[0] if found else whole)
    elif found:
        areas.dependencies(draft, found[0], found[1] if len(found) > 1 else None)
    else:
        areas.module_map(draft, whole)


def _joined(found: list[Area]) -> Area | None:
    if len(found) < 2:
        return found[0] if found else None
    return Area(" and ".join(p.label for p in found), frozenset(path for p in found for path in p.files))


def _open(draft: Draft, question: str, embedder: Embedder | None, clock: Clock, *, brief: bool = False) -> list[Object]:
    return open_question(draft, question, _embed(draft, embedder, clock), brief=brief)


def _embed(draft: Draft, embedder: Embedder | None, clock: Clock) -> Embed:
    """Embeds texts, each once."""
    known: dict[str, Vector | None] = {}

    def embed(text: str) -> Vector | None:
        if text not in known:
            known[text] = _vector(draft, text, embedder, clock)
        return known[text]

    return embed


def _vector(draft: Draft, text: str, embedder: Embedder | None, clock: Clock) -> Vector | None:
    if embedder is None or not text.strip():
        return None
    try:
        with clock.stage("embed"):
            return embedder.encode_query(embedded_text(read(text)) if is_report(text) else text)
    except EmbedderError as error:
        draft.warnings.append(f"no semantic search: {error}")
        return None


def _missing(draft: Draft, meant: list[Meant]) -> None:
    """Say which of several names are not in the index, and whether they stand anywhere in text."""
    for m in meant:
        said = closing_lines(draft, m.name, (), negative=True)[0]
        where = f" {said[0].text}" if said else ""
        draft.head.append(f"There is no symbol `{m.name}` in this index.{where}")


def _unknown(draft: Draft, meant: list[Meant]) -> None:
    """Say which names are not in the index, what is near, and where the bare name stands in text."""
    for m in meant:
        if m.symbols:
            continue
        near = f"; nearest: {', '.join(m.nearest)}" if m.nearest else ""
        draft.head.append(f"There is no symbol `{m.name}` in this index{near}.")
        draft.warnings.append(f"no symbol `{m.name}`{near}")
        alike = names_of(draft.graph.snapshot).by_name.get(simple(m.name), ())[:_FEW_OTHERS]
        lines = [
            Line(f"{named(draft.graph, p)}  {draft.graph.location(p)}", (draft.graph.definition(p),)) for p in alike
        ]
        draft.add(f"Symbols named {simple(m.name)}", lines, ANSWER, what="symbols")
        draft.add(f"Mentions of {m.name}", closing_lines(draft, m.name, alike, negative=True)[0], ANSWER)


def _note(draft: Draft, meant: Meant) -> None:
    if meant.corrected:
        names = ", ".join(dict.fromkeys(symbol.qualified_name for symbol in meant.symbols))
        draft.head.append(f"`{meant.name}` was read as {names}.")
        draft.warnings.append(f"`{meant.name}` was read as {names}")
    if meant.others:
        shown = meant.others if draft.ample else meant.others[:_FEW_OTHERS]
        lines = [Line(f"{o.kind} {o.qualified_name}  {_place(draft, o)}") for o in shown]
        if len(shown) < len(meant.others):
            lines.append(Line(f"and {len(meant.others) - len(shown)} more: symbol_search {meant.name}"))
        draft.add(
            f"Other symbols named {meant.name}", lines, ANSWER, more=f"symbol_search {meant.name}", what="symbols"
        )


def _place(draft: Draft, symbol: Object) -> str:
    position = draft.graph.objects.position(symbol.entity_id)
    return draft.graph.location(position) if position is not None else f"{symbol.path}:{symbol.start_line}"


def _opening(draft: Draft) -> list[str]:
    head = [*draft.scope.missing, *draft.head]
    if draft.graph.snapshot.status().state == "indexing":
        return ["Indexing is still going on: this answer rests on part of the files.", *head]
    return head
