"""One function per tool: checked arguments → call of the core → answer. MCP and the command line both come here.

A tool that is added needs its arguments (`arguments.py`), its answer (`wire.py`), a function here and a row in
`TOOLS`; the MCP schema, the command's flags and the documentation test follow from the row.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from sightline import wire
from sightline.errors import QueryError
from sightline.server import arguments, heavy
from sightline.server.answers import graph as render_graph
from sightline.server.answers import payload, render
from sightline.server.answers.answered import Answered, Expanded, Researched
from sightline.server.arguments import Argument
from sightline.server.progress import Call
from sightline.tokens import estimate_tokens
from sightline.types import MODES, Filters, Object, Query, Relationship, Weights

if TYPE_CHECKING:
    from sightline.server.app import App
    from sightline.server.root import Root

_Answered = TypeVar("_Answered", bound=Answered)

INSTRUCTIONS = """\
Sightline has this code base indexed: text, meaning and the graph of its symbols, kept fresh while files change.
Ask it before grep, find or reading whole files:
- search: find code by what it does, by words in it or by identifier. Answers with numbered source lines.
- symbol_search: a name is known, even partly or misspelt: where is it defined, what members does it have.
- expand_graph: who calls it, what it calls, who implements or inherits it, what tests it.
- code_research: a whole question about structure ("what breaks if I change X", "how does A reach B", "which code
  answers POST /users", "the functions from A to B in order") in one call, as it was asked, filters and all ("in
  src/, no tests"); or about your work in git ("what do my changes break", "which tests should I run").
Say which function a chain begins with, if you know it: "what happens in order when `Site.process` is called".
Paths are relative to the root, lines are those on disk. What is marked "~" is likely by its name; the others were
resolved, and the line quoted behind "|" is the source: do not read it again. "All 39 lines accounted for" means that
grep would find nothing else: do not check again. When the index is still being built the answer says so. Use grep for
exact strings in data files.\
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool answers: text for an agent, data for a program that wants it, and whether anything was found."""

    text: str
    found: bool
    make_payload: Callable[[], Mapping[str, Any]]

    @property
    def payload(self) -> Mapping[str, Any]:
        """The answer as data, made when it is asked for: an agent never does."""
        return self.make_payload()


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool as MCP lists it and the command line offers it."""

    name: str
    title: str
    description: str
    arguments: tuple[Argument, ...]
    output: type
    run: Callable[[App, Mapping[str, Any], Call], Answer]

    @property
    def subject(self) -> Argument:
        """The one required argument: what is asked."""
        return next(argument for argument in self.arguments if argument.required)


def call(app: App, tool: Tool, given: Mapping[str, Any], under_way: Call | None = None) -> Answer:
    """Check the arguments and run the tool."""
    return tool.run(app, arguments.check(tool.arguments, given), under_way or Call())


def make_query(values: Mapping[str, Any]) -> Query:
    """The core's query from the checked arguments of `search`."""
    weights = values["weights"] or {}
    return Query(
        text=values["query"],
        limit=values["limit"],
        types=values["types"] or ("chunk", "object", "relationship"),
        mode=MODES[values["mode"]],
        strategy=values["strategy"],
        depth=values["depth"],
        min_similarity=values["min_similarity"],
        filters=make_filters(values),
        relationship_limit=values["relationship_limit"],
        weights=Weights(**weights),
        rrf_k=values["rrf_k"],
        rerank=values["rerank"],
        explain=values.get("explain", False),
    )


def make_filters(values: Mapping[str, Any]) -> Filters:
    """What may be a hit, from the checked arguments."""
    return Filters(
        file_filter=values["file_filter"] or (),
        exclude_filter=values["exclude_filter"] or (),
        metadata=values.get("filters") or {},
    )


def search(app: App, values: Mapping[str, Any], call: Call) -> Answer:
    """Find code by meaning, words and identifiers."""
    query = make_query(values)
    result = app.search(query, root=values["root"], cursor=values["cursor"], expand=values["expand"], call=call)
    text = render.search_text(result, max_tokens=values["max_tokens"])
    return Answer(text, bool(result.hits), lambda: payload.search_payload(result, api_version=app.api_version))


def symbol_search(app: App, values: Mapping[str, Any], call: Call) -> Answer:
    """Find objects by name."""
    answers = [
        (
            app.label(root),
            root.symbols(
                values["name"],
                kind=values["kind"],
                filters=make_filters(values),
                limit=values["limit"],
                include_members=values["include_members"],
                call=call,
            ),
        )
        for root in app.knowing(app.choose(values["root"]), values["name"])
    ]
    text = render_graph.symbols_text(values["name"], answers, limit=values["limit"], max_tokens=values["max_tokens"])
    found = any(answer.matches for _, answer in answers)
    return Answer(
        text, found, lambda: payload.symbols_payload(values["name"], answers, app.api_version, limit=values["limit"])
    )


def expand_graph(app: App, values: Mapping[str, Any], call: Call) -> Answer:
    """Walk the relationships around a symbol."""
    options = {key: value for key, value in values.items() if key not in ("root", "max_tokens")}
    roots = app.choose(values["root"])
    asked = app.knowing(roots, values["start"])
    answers = [(app.label(root), root.expand(**options, call=call)) for root in asked]
    found = [answer for answer in answers if answer[1].expansion is not None]
    ambiguous = [(label, a) for label, a in answers if a.expansion is None and _names(a.candidates, values["start"])]
    if len(found) + len(ambiguous) > 1:  # the name is known in several roots: list them instead of picking one
        answers = [(label, dataclasses.replace(a, expansion=None, candidates=a.starts)) for label, a in found]
        found, answers = [], answers + ambiguous
    elif len(found) == 1:
        [(label, only)] = found
        defined = asked[answers.index(found[0])]
        answers = [(label, dataclasses.replace(only, elsewhere=_elsewhere(defined, only, roots, values, call)))]
    text = render_graph.graph_text(values["start"], answers, max_tokens=values["max_tokens"])
    return Answer(text, len(found) == 1, lambda: payload.graph_payload(values["start"], answers, app.api_version))


def _names(candidates: Sequence[Object], start: str) -> bool:
    """Whether a name is that of candidates, and they are not only like it."""
    return any(start in (candidate.name, candidate.qualified_name) for candidate in candidates)


def _elsewhere(
    defined: Root, found: Expanded, roots: Sequence[Root], values: Mapping[str, Any], call: Call
) -> list[tuple[str, Relationship]]:
    """Who uses a symbol in the other roots that were asked, where that was asked."""
    if len(roots) == 1 or values["direction"] == "out":
        return []
    return heavy.elsewhere.users(defined, found.starts, roots, types=values["relationship_types"], call=call)


def code_research(app: App, values: Mapping[str, Any], call: Call) -> Answer:
    """Answer an architectural question."""
    budget = values["max_tokens"]
    roots, word = app.narrowed(app.choose(values["root"]), values["question"], call)
    labels = [app.label(root) for root in roots]

    def asked(notes: Sequence[str]) -> list[tuple[str, Researched]]:
        share = render_graph.research_tokens(notes, labels, max_tokens=budget)
        options = {"depth": values["depth"], "max_tokens": share, "filters": make_filters(values), "call": call}
        answers = [(app.label(root), root.research(values["question"], **options)) for root in roots]
        return [(label, _with_word(answer, word)) for label, answer in answers]

    standing = [(app.label(root), _with_word(root.standing(), word)) for root in roots]
    notes = render_graph.research_notes(standing, max_tokens=budget)
    answers = asked(notes)
    final = render_graph.research_notes(answers, max_tokens=budget)
    if sum(map(len, final)) > sum(map(len, notes)):  # files that nobody could index in time: what is shown must fit
        answers = asked(final)
    text = render_graph.research_text(answers, max_tokens=budget)
    found = any(a.result is not None and (a.result.facts or a.result.paths) for _, a in answers)
    return Answer(
        text,
        found,
        lambda: payload.research_payload(values["question"], answers, estimate_tokens(text), app.api_version),
    )


def _with_word(answer: _Answered, word: str) -> _Answered:
    return dataclasses.replace(answer, warnings=[*answer.warnings, word]) if word else answer


SEARCH = Tool(
    "search",
    "Search code",
    "Find code by what it does, by words in it or by identifier, when you do not know where it is. Answers with the "
    "best places as numbered source lines, and relationships. Use it before grep, find or reading whole files.",
    arguments.SEARCH,
    wire.SearchResponse,
    search,
)

SYMBOL_SEARCH = Tool(
    "symbol_search",
    "Find a symbol",
    "Find the definition of a class, function or other symbol whose name you know, even partly or misspelt. Answers "
    "with where it is, its source and the members of a class. Use it instead of grep for a definition.",
    arguments.SYMBOL_SEARCH,
    wire.SymbolsOut,
    symbol_search,
)
EXPAND_GRAPH = Tool(
    "expand_graph",
    "Follow relationships",
    "List who calls a symbol and what it calls, what implements, inherits, overrides, imports or tests it, each "
    "with path:line and guesses marked. Use it instead of grep for usages: it tells calls from mentions "
    "and namesakes apart.",
    arguments.EXPAND_GRAPH,
    wire.GraphOut,
    expand_graph,
)
CODE_RESEARCH = Tool(
    "code_research",
    "Answer an architectural question",
    "Answer a whole question about structure in one call: callers through the chain, implementations, what a change "
    "breaks, how A reaches B, dependencies, where a feature lives; path:line for every claim, checked against the text "
    "of all files. Use it instead of many searches.",
    arguments.CODE_RESEARCH,
    wire.ResearchOut,
    code_research,
)

TOOLS: tuple[Tool, ...] = (SEARCH, SYMBOL_SEARCH, EXPAND_GRAPH, CODE_RESEARCH)
BY_NAME: Mapping[str, Tool] = {tool.name: tool for tool in TOOLS}


def tool_named(name: str) -> Tool:
    """The tool of this name; QueryError names the nearest one."""
    if name in BY_NAME:
        return BY_NAME[name]
    close = arguments.nearest(name, tuple(BY_NAME))
    hint = f"did you mean {close}?" if close else f"known ones: {', '.join(BY_NAME)}"
    raise QueryError(f"unknown tool {name[:80]!r}", hint=hint)
