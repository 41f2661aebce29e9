"""Open questions: where and how something is done.

Seeds come from hybrid search, the files they lie in are named first, then their source, then how they are connected:
a walk from the seeds along the edges most like the question. The question is embedded once; search and walk share the
vector (UNI-6).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sightline.graph.build.tested import is_test_file
from sightline.graph.read import walk
from sightline.graph.read.spoken import documentation
from sightline.retrieval.research.evidence import USES
from sightline.retrieval.research.listing import stated
from sightline.retrieval.research.model import Block, Line
from sightline.retrieval.research.pieces import (
    ANSWER,
    DEFINITION,
    RELATED,
    REST,
    TESTS,
    Draft,
    checked,
)
from sightline.retrieval.search import search
from sightline.types import Chunk, Hit, Object, Query

if TYPE_CHECKING:
    from sightline.types import Vector

_HITS = 30  # asked of search: enough files to name
_PLACES, _BRIEF_PLACES, _TEST_PLACES = 10, 4, 4  # files named at most
_EXCERPTS = 6  # hits shown with source if a larger answer was asked for
_EXCERPT_LINES, _REST_LINES = 30, 60  # of each at first, and of the rest if there is room
_FEW_PLACES, _FEW_EXCERPTS, _FEW_TESTS = 6, 3, 2  # of an answer of the usual size
_FEW_LINES, _HEAD_LINES = 18, 2  # of an excerpt then: its head and what is around the best match
_FEW_CONNECTIONS = 8
_WEAK = 0.5  # of the best score: what is below is named only if little else is
_SEEDS = 8  # hits the walk begins at
_MAX_NODES, _MAX_EDGES = 40, 40  # of the walk; cut by similarity to the question
_WALKED = tuple(kind for kind in USES if kind != "imports")


def open_question(draft: Draft, question: str, vector: Vector | None, *, brief: bool = False) -> list[Object]:
    """Answer from search and the neighbourhood of what it found; returns the objects it began at. `brief`: only where
    it is, since another answer follows."""
    graph = draft.graph
    draft.progress("searching")
    query = Query(
        question,
        vector=vector,
        limit=_HITS,
        types=("chunk", "object"),
        mode="hybrid" if vector is not None else "bm25",
        filters=draft.scope.filters,
    )
    result = search(graph.snapshot, query, embedder=None)
    draft.warnings += result.warnings
    hits = [hit for hit in result.hits if draft.scope.given.allows(hit.path)]
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
    named = _PLACES if draft.ample else max(_BRIEF_PLACES, min(len(strong), _FEW_PLACES))
    draft.add("Where", places[:named], ANSWER, more=more, what="places")
    shown = strong[: _EXCERPTS if draft.ample else _FEW_EXCERPTS]
    draft.source.prepare(hit.path for hit in shown)
    for number, hit in enumerate(shown):
        _excerpt(draft, hit, DEFINITION if number < _EXCERPTS // 2 else RELATED)
    draft.progress("following relationships")
    seeds = _seeds(draft, strong[:_SEEDS])
    _connections(draft, seeds, vector)
    tests = [hit for hit in hits if is_test_file(hit.path) and hit not in production]
    draft.add("Tests", _where(tests)[: _TEST_PLACES if draft.ample else _FEW_TESTS], TESTS, what="places")
    files = list(dict.fromkeys(hit.path for hit in production))
    draft.head.append(f"Best evidence: {', '.join(files[:3])}; {len(files)} files in all.")
    return graph.objects.get(seeds)


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


def _name(hit: Hit) -> str:
    if isinstance(hit.item, Object):
        return hit.item.qualified_name
    return hit.item.symbol if isinstance(hit.item, Chunk) else ""


def _excerpt(draft: Draft, hit: Hit, priority: int) -> None:
    start, end = hit.start_line, hit.end_line
    heading = Line(f"{hit.path}:{start}-{end}  {_name(hit)}".rstrip(), heading=True)
    more = f"read {hit.path}:{start}-{end}"
    if not draft.ample:
        lines = _point(draft, hit)
        draft.blocks.append(Block("Source", [heading, *lines], priority, more, least=3, what="source lines"))
        return
    cut = min(end, start + _EXCERPT_LINES - 1)
    lines = draft.source.excerpt(hit.path, start, cut)
    if lines:
        draft.blocks.append(Block("Source", [heading, *lines], priority, more, least=3, what="source lines"))
    if end > cut:
        rest = draft.source.excerpt(hit.path, cut + 1, min(end, cut + _REST_LINES))
        draft.blocks.append(Block("Source", rest, REST, more, least=5, what="source lines"))


def _point(draft: Draft, hit: Hit) -> list[Line]:
    """A hit whole if it is small, else its head and the lines of its body around the one that matches best."""
    start, end = hit.start_line, hit.end_line
    if end - start < _FEW_LINES + _HEAD_LINES:
        return draft.source.excerpt(hit.path, start, end)
    doc = documentation([text for _, text in draft.source.lines(hit.path, start, end)])
    body = max(start + _HEAD_LINES, start + doc.stop)  # where what follows signature and documentation begins
    inside = {line: number for line, number in _marked(hit).items() if body <= line <= end}
    focus = min(inside, key=lambda line: (-inside[line], line)) if inside else body
    first = max(min(focus - _FEW_LINES // 3, end - _FEW_LINES + 1), body)
    if first <= start + _HEAD_LINES:
        return draft.source.excerpt(hit.path, start, start + _FEW_LINES - 1)
    head = draft.source.excerpt(hit.path, start, start + _HEAD_LINES - 1)
    rest = draft.source.excerpt(hit.path, first, min(first + _FEW_LINES - _HEAD_LINES - 1, end))
    return [*head, Line("    …"), *rest]


def _marked(hit: Hit) -> Counter[int]:
    """Lines that match the question, and how often."""
    chunk = hit.chunk if isinstance(hit.item, Object) else hit.item
    if not isinstance(chunk, Chunk):
        return Counter()
    return Counter(chunk.start_line + chunk.text.count("\n", 0, at) for at, _ in hit.highlights)


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
