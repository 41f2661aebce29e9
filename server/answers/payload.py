"""Results of the core → what goes over the wire (`wire.py`).

Together with `render.py` the only place that knows both what travels inside and what goes over the wire.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import TypeVar, cast

from sightline import wire
from sightline.server.answers.answered import Expanded, Researched, Symbols, joint_status
from sightline.types import Chunk, Hit, IndexStatus, Object, RankedFile, Related, Relationship, SearchResult
from sightline.wire import API_VERSION, ApiVersion, Data, GraphOut, IndexOut, Member, ResearchOut, SymbolsOut

_SCORE_DIGITS = 4
_T = TypeVar("_T")
Labelled = tuple[str, _T]  # the name of the root, "" when there is only one, and its answer


def search_payload(result: SearchResult, *, api_version: ApiVersion = API_VERSION) -> Data:
    """The answer of `search`; relationships added by `expand` follow the hits and have no rank."""
    chunks: list[Data] = []
    objects: list[Data] = []
    relationships: list[Data] = []
    refs: list[Data] = []
    for rank, hit in enumerate(result.hits, start=1):
        refs.append(_hit_ref(hit, rank))
        item = hit.item
        if isinstance(item, Object):
            objects.append(_ranked_object(hit, item, rank, api_version))
            if hit.chunk is not None:
                definition = _chunk(hit, hit.chunk, rank)
                definition["entity_id"] = item.entity_id
                chunks.append(definition)
        elif isinstance(item, Relationship):
            relationships.append(_ranked_relationship(hit, item, rank))
        else:
            chunks.append(_chunk(hit, item, rank))
    for edge in result.related:
        relationships.append(_marked(relationship_payload(edge.item, target_line=edge.target_line), edge))
    out = wire.data(
        wire.SearchResponse,
        result,
        api_version=api_version,
        hits=refs,
        chunks=chunks,
        objects=objects,
        relationships=relationships,
        warnings=list(result.warnings),
        timings_ms={stage: round(ms, 3) for stage, ms in result.timings_ms.items()},
        index=index_payload(result.index),
    )
    if result.total_at_least:
        out["total_at_least"] = True
    if result.routes:
        out["routes"] = [route.text for route in result.routes]
    if result.files:
        out["files"] = [_marked(wire.data(wire.FileResult, file), file) for file in result.files]
    return out


def index_payload(status: IndexStatus) -> IndexOut:
    """The state of the index; how many files there will be only while that differs from what is there."""
    out = wire.data(IndexOut, status)
    if status.state == "indexing":
        out["files_total"] = status.files_total
    return cast(IndexOut, out)


def object_payload(item: Object, *, api_version: ApiVersion = API_VERSION) -> Data:
    """An object with both of its ids, and under API version 1 with their deprecated names too."""
    return wire.data(wire.ObjectResult, item) | (wire.renamed(item) if api_version == 1 else {})


def symbols_payload(
    name: str, answers: Sequence[Labelled[Symbols]], api_version: ApiVersion, *, limit: int | None = None
) -> SymbolsOut:
    """The answer of `symbol_search` from one or several roots, best first."""
    objects: list[Data] = []
    for label, answer in answers:
        for match in answer.matches:
            out = object_payload(match.object, api_version=api_version)
            out["score"] = round(match.score, _SCORE_DIGITS)
            out["match_type"] = match.match
            if match.members:
                out["members"] = [member_payload(member) for member in match.members]
            objects.append(_placed(out, label, stale=answer.is_stale(match.object, *match.members)))
    objects.sort(key=lambda out: -out["score"])
    for rank, out in enumerate(objects, start=1):
        out["rank"] = rank
    return {
        "api_version": api_version,
        "name": name,
        "objects": objects[:limit],
        "nearest": _unique(near for _, answer in answers for near in answer.nearest),
        "warnings": _unique(warning for _, answer in answers for warning in answer.warnings),
        "index": index_payload(joint_status([answer.status for _, answer in answers])),
        "total": len(objects),
    }


def graph_payload(start: str, answers: Sequence[Labelled[Expanded]], api_version: ApiVersion) -> GraphOut:
    """The answer of `expand_graph`: the start's neighbourhood, or the candidates when the start is ambiguous."""
    out: GraphOut = {
        "api_version": api_version,
        "start": start,
        "start_objects": [],
        "candidates": [],
        "nearest": _unique(near for _, answer in answers for near in answer.nearest),
        "objects": [],
        "relationships": [],
        "warnings": _unique(warning for _, answer in answers for warning in answer.warnings),
        "index": index_payload(joint_status([answer.status for _, answer in answers])),
        "truncated": False,
        "left_out": {"objects": 0, "relationships": 0},
    }
    for label, answer in answers:
        for candidate in answer.candidates:
            shown = object_payload(candidate, api_version=api_version)
            out["candidates"].append(_placed(shown, label, stale=answer.is_stale(candidate)))
        expansion = answer.expansion
        if expansion is None:
            continue
        lines = {node.entity_id: node.start_line for node in expansion.nodes}
        for node in expansion.nodes:
            shown = _placed(object_payload(node, api_version=api_version), label, stale=answer.is_stale(node))
            shown["distance"] = expansion.depths[node.entity_id]
            out["objects" if shown["distance"] else "start_objects"].append(shown)
        for edge in expansion.edges:
            drawn = relationship_payload(edge, target_line=lines.get(edge.target_id, 0))
            if edge.id in expansion.similarity:
                drawn["similarity"] = round(expansion.similarity[edge.id], _SCORE_DIGITS)
            out["relationships"].append(_placed(drawn, label, stale=answer.is_stale(edge)))
        for root, edge in answer.elsewhere:
            out["relationships"].append(_placed(relationship_payload(edge), root, stale=False))
        out["left_out"]["objects"] += expansion.cut.nodes
        out["left_out"]["relationships"] += expansion.cut.edges
        out["truncated"] = out["truncated"] or bool(expansion.cut)
    return out


def research_payload(
    question: str, answers: Sequence[Labelled[Researched]], tokens: int, api_version: ApiVersion
) -> ResearchOut:
    """The answer of `code_research` from one or several roots."""
    out: ResearchOut = {
        "api_version": api_version,
        "question": question,
        "kind": next((answer.result.kind for _, answer in answers if answer.result is not None), "open"),
        "objects": [],
        "sections": [],
        "facts": [],
        "left_out": [],
        "paths": [],
        "stale_paths": _unique(path for _, answer in answers for path in sorted(answer.stale)),
        "tokens": tokens,
        "warnings": _unique(warning for _, answer in answers for warning in answer.all_warnings()),
        "timings_ms": {},
        "index": index_payload(joint_status([answer.status for _, answer in answers])),
    }
    for label, answer in answers:
        result = answer.result
        if result is None:
            continue
        root = {"root": label} if label else {}
        prefix = f"{label}." if label else ""
        for item in result.symbols:
            shown = object_payload(item, api_version=api_version)
            out["objects"].append(_placed(shown, label, stale=answer.is_stale(item)))
        for section in result.sections:
            out["sections"].append({"title": section.title, "lines": list(section.lines), **root})  # type: ignore[typeddict-item]
        for fact in result.facts:
            out["facts"].append({**dataclasses.asdict(fact), "sites": list(fact.sites), **root})  # type: ignore[typeddict-item]
        out["left_out"] += [{"what": part.what, "count": part.count, "how": part.how} for part in result.left_out]
        out["paths"] += result.paths
        out["timings_ms"] |= {f"{prefix}{stage}": round(ms, 3) for stage, ms in result.timings_ms.items()}
    return out


def _placed(out: Data, label: str, *, stale: bool) -> Data:
    if label:
        out["root"] = label
    if stale:
        out["stale"] = True
    return out


def _unique(items: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(items))


def member_payload(item: Object) -> Member:
    """A member as its owner lists it."""
    return cast(Member, wire.data(Member, item))


def relationship_payload(item: Relationship, *, target_line: int = 0) -> Data:
    """A relationship with both ends."""
    return wire.data(
        wire.RelationshipResult,
        item,
        source=wire.data(
            wire.RelationshipEnd, item, name=item.source_name, entity_id=item.source_id, line=item.site_line
        ),
        target=wire.data(
            wire.RelationshipEnd,
            item,
            name=item.target_name,
            entity_id=item.target_id,
            path=item.target_path,
            line=target_line,
        ),
        confidence=round(item.confidence, _SCORE_DIGITS),
    )


def _hit_ref(hit: Hit, rank: int) -> Data:
    out = _marked(wire.data(wire.HitResult, hit, **_standing(hit, rank)), hit)
    if hit.why:
        out["why"] = {signal: round(value, _SCORE_DIGITS) for signal, value in hit.why.items()}
    return out


def _chunk(hit: Hit, chunk: Chunk, rank: int) -> Data:
    spans = [list(span) for span in hit.highlights]
    return _marked(
        wire.data(wire.ChunkResult, chunk, id=hit.id, **_standing(hit, rank), highlights=spans),
        hit,
    )


def _ranked_object(hit: Hit, item: Object, rank: int, api_version: ApiVersion) -> Data:
    return _marked(object_payload(item, api_version=api_version) | _standing(hit, rank), hit)


def _ranked_relationship(hit: Hit, item: Relationship, rank: int) -> Data:
    out = relationship_payload(item, target_line=hit.target_line)
    return _marked(out | _standing(hit, rank), hit)


def _standing(hit: Hit, rank: int) -> Data:
    """Where a hit stands among the others."""
    return {"rank": rank, "score": round(hit.score, _SCORE_DIGITS), "match_type": hit.match_type}


def _marked(out: Data, hit: Hit | Related | RankedFile) -> Data:
    if hit.root:
        out["root"] = hit.root
    if hit.stale:
        out["stale"] = True
    return out
