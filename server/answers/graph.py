"""Symbols and relationships → the text an agent reads. Same rules as `render.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sightline.graph.build.confidence import is_proven
from sightline.server.answers.answered import Answered, Expanded, Researched, Symbols, joint_status
from sightline.server.answers.render import (
    budget_chars,
    cut_cost,
    doc_lines,
    fit_lines,
    index_note,
    member_lines,
    object_line,
    signature_lines,
)
from sightline.server.answers.snippet import numbered
from sightline.server.arguments import DEFAULT_TOKENS
from sightline.tokens import CHARS_PER_TOKEN
from sightline.types import Object, Relationship
from sightline.visible import visible

if TYPE_CHECKING:
    from sightline.graph.read.symbols import SymbolMatch

_SOURCE_SHARE = 0.6  # of what is left of the budget, the source of the next symbol may take
_MAX_SOURCE_LINES = 40  # of one symbol, unless a larger answer was asked for
_MAX_WEAKER = 3  # names that fit less well, listed beside one that fits
_FEW_MORE = 8  # lines that are not worth a second look: they are shown with the rest
_MAX_DOC_CHARS = 300
_MAX_CANDIDATES = 20
_MAX_STALE = 5  # files named of those that changed
_LIKELY, _FEW_GUESSES = 0.5, 3  # as in research/listing.py, where what guesses are worth is written down
_PASSIVE = {
    "calls": "called by",
    "instantiates": "instantiated by",
    "inherits": "extended by",
    "implements": "implemented by",
    "overrides": "overridden by",
    "uses_type": "used as a type by",
    "imports": "imported by",
    "decorates": "decorated by",
    "contains": "contained in",
    "tests": "tested by",
    "registers": "registered by",
}
_FIT = {
    "exact": "",
    "case": "  (differs in case)",
    "prefix": "  (begins so)",
    "subwords": "  (has these words)",
    "fuzzy": "  (spelled similarly)",
}


def symbols_text(name: str, answers: Sequence[tuple[str, Symbols]], *, limit: int, max_tokens: int) -> str:
    """The text answer of `symbol_search`."""
    found = [(label, answer, match) for label, answer in answers for match in answer.matches]
    found.sort(key=lambda each: -each[2].score)
    ample = max_tokens > DEFAULT_TOKENS
    found = found if ample else _without_rest(found)
    shown = min(len(found), limit)
    lines = [visible(f"{shown} symbol{'s' if shown > 1 else ''} for `{name}`" if found else _no_symbol(name, answers))]
    lines += _notes(answers)
    room = budget_chars(max_tokens) - sum(len(line) + 1 for line in lines)
    for number, (label, answer, match) in enumerate(found[:limit], start=1):
        full = match.match == found[0][2].match  # weaker matches are worth a line each, not their source
        most = None if ample else _MAX_SOURCE_LINES
        block = _symbol_lines(number, label, answer, match, int(room * _SOURCE_SHARE), full=full, most=most)
        block = ["", *block] if full or found[number - 2][2].match == found[0][2].match else block
        size = sum(len(line) + 1 for line in block)
        if size > room - 100:
            lines += ["", f"{min(len(found), limit) - number + 1} more did not fit; ask with a smaller limit."]
            break
        lines += block
        room -= size
    return "\n".join(lines)


def graph_text(start: str, answers: Sequence[tuple[str, Expanded]], *, max_tokens: int) -> str:
    """The text answer of `expand_graph`."""
    room = budget_chars(max_tokens)
    expanded = [(label, answer) for label, answer in answers if answer.expansion is not None]
    lines = _neighbourhood(*expanded[0]) if expanded else _candidates(start, answers)
    lines[1:1] = _notes(answers)
    lines = [visible(line) for line in lines]
    return "\n".join(fit_lines(lines, room, left_out="{count} more lines did not fit; lower depth or name types."))


def research_notes(answers: Sequence[tuple[str, Answered]], *, max_tokens: int) -> list[str]:
    """What has to be said about the index before an answer of `code_research`; at most half of the budget."""
    notes = _notes(answers)
    stale = [path for _, answer in answers for path in sorted(answer.stale)]
    if stale:
        more = f" and {len(stale) - _MAX_STALE} more" if len(stale) > _MAX_STALE else ""
        notes.append(visible(f"Stale, changed after they were indexed: {', '.join(stale[:_MAX_STALE])}{more}"))
    return fit_lines(notes, budget_chars(max_tokens) // 2, left_out="{count} more notes about the index did not fit.")


def research_tokens(notes: Sequence[str], labels: Sequence[str], *, max_tokens: int) -> int:
    """What each root may take for its own part of the answer, below the notes and its label."""
    taken = sum(len(note) + 1 for note in notes) + sum(len(_root_line(label)) + 1 for label in labels)
    return max(int((budget_chars(max_tokens) - taken) / len(labels) / CHARS_PER_TOKEN), 1)


def research_text(answers: Sequence[tuple[str, Researched]], *, max_tokens: int) -> str:
    """The text answer of `code_research`: the core's own, with what has to be said about the index."""
    notes = research_notes(answers, max_tokens=max_tokens)
    texts = [f"{_root_line(label)}{answer.result.text}" for label, answer in answers if answer.result is not None]
    return "\n".join([*notes, *(texts or ["Nothing is indexed yet."])])


def _root_line(label: str) -> str:
    return f"{visible(f'[{label}]')}\n" if label else ""


def _without_rest(found: list[tuple[str, Symbols, SymbolMatch]]) -> list[tuple[str, Symbols, SymbolMatch]]:
    """What fits best, and the nearest of what fits less well: who knows the name does not look for these."""
    best = [each for each in found if each[2].match == found[0][2].match]
    return best + found[len(best) :][:_MAX_WEAKER] if best and best[0][2].match in ("exact", "case") else found


def _symbol_lines(
    number: int, label: str, answer: Symbols, match: SymbolMatch, room: int, *, full: bool, most: int | None
) -> list[str]:
    item = match.object
    stale = _stale(answer, item, *match.members)
    root = f"[{label}] " if label else ""
    heading = visible(f"#{number} {root}{object_line(item, answer.names)}{_FIT[match.match]}{stale}")
    if not full:
        return [heading]
    lines = [heading, f"entity_id {item.entity_id}", *doc_lines(item.doc, _MAX_DOC_CHARS)]
    if match.members:
        return [*lines, *signature_lines(item.signature), *member_lines(match.members)]
    source = numbered(answer.source.get(item.entity_id, []), item.start_line)
    place = visible(f"{item.path}:{item.start_line}-{item.end_line}").replace("{", "{{").replace("}", "}}")
    left_out = f"… {{count}} more lines: {place}"
    if item.kind == "module":
        return lines
    wanted = source if most is None or len(source) <= most + _FEW_MORE else source[:most]
    size = sum(len(line) + 1 for line in wanted) + cut_cost(left_out)
    return [*lines, *fit_lines(source, max(min(room - sum(map(len, lines)), size), 0), left_out=left_out)]


def _neighbourhood(label: str, answer: Expanded) -> list[str]:
    expansion = answer.expansion
    assert expansion is not None
    root = f"[{label}] " if label else ""
    lines = [
        f"{root}{object_line(item, answer.names)}  entity_id {item.entity_id}{_stale(answer, item)}"
        for item in answer.starts
    ]
    if not expansion.edges:
        return [*lines, "No relationships of this kind were found.", *_from_elsewhere(answer)]
    edges = _each_once(expansion.edges)
    unlikely = [edge for edge in edges if edge.confidence < _LIKELY]
    if answer.every_guess or len(unlikely) <= _FEW_GUESSES:
        unlikely = []
    edges = [edge for edge in edges if edge not in unlikely] if unlikely else edges
    left_out = f"; {len(unlikely)} guesses below {_LIKELY} left out (min_confidence=0 lists them)" if unlikely else ""
    lines.append(f"{len(edges)} relationships{left_out}")
    for title, chosen in (
        ("", [edge for edge in edges if _proven(edge)]),
        ("Possible, not resolved for certain:", [edge for edge in edges if not _proven(edge)]),
    ):
        if chosen:
            lines += ["", *([title] if title else []), *_by_relation(answer, chosen)]
    if expansion.cut:
        limits = " and ".join(expansion.cut.by) or "the limits"
        cut = f"{expansion.cut.nodes} symbols and {expansion.cut.edges} relationships"
        lines += ["", f"Left out by {limits}: {cut}. Raise the limit, or rank with query_context."]
    return [*lines, *_from_elsewhere(answer)]


def _from_elsewhere(answer: Expanded) -> list[str]:
    """Who uses it in other roots, by the full name that they import."""
    lines = [
        f"  [{root}] {edge.source_name} {edge.relationship_type} {edge.target_name}  {edge.path}:{edge.site_line}"
        for root, edge in answer.elsewhere
    ]
    return ["", "from other roots, by the full name that they import:", *lines] if lines else []


def _each_once(edges: Sequence[Relationship]) -> list[Relationship]:
    """The edges without `tests` ones that say what a call of the same test says."""
    called = {(edge.source_id, edge.target_id) for edge in edges if edge.relationship_type != "tests"}
    return [e for e in edges if e.relationship_type != "tests" or (e.source_id, e.target_id) not in called]


def _by_relation(answer: Expanded, edges: Sequence[Relationship]) -> list[str]:
    """What the start has to do with its neighbours, one heading per relation, then what lies further away."""
    expansion = answer.expansion
    assert expansion is not None
    starts = {item.entity_id for item in answer.starts}
    places = {node.entity_id: node.start_line for node in expansion.nodes}
    near: dict[str, list[tuple[str, str]]] = {}
    far: dict[int, list[str]] = {}
    for edge in edges:
        site, marks = _sites(answer, edge), f"{_label(edge)}{_guess(edge)}{_stale(answer, edge)}"
        if edge.source_id in starts:
            path, line = edge.target_path, places.get(edge.target_id, 0)
            where = f"{path}:{line}, at {_short(edge.path, path)}{site}" if line else f"{edge.path}{site}"
            target = answer.names.get(edge.target_id, edge.target_name)
            near.setdefault(edge.relationship_type, []).append(("", f"{target}{marks}  {where}"))
        elif edge.target_id in starts:
            heading = _PASSIVE.get(edge.relationship_type, f"{edge.relationship_type} it")
            source = answer.names.get(edge.source_id, edge.source_name)
            near.setdefault(heading, []).append((edge.path, f"{source}{marks}@{site}"))
        else:
            hop = max(expansion.depths.get(edge.source_id, 0), expansion.depths.get(edge.target_id, 0), 1)
            marks = f"{_guess(edge)}{_stale(answer, edge)}"  # the triplet has the label
            far.setdefault(hop, []).append(f"  {edge.triplet}{marks}  {edge.path}{site}")
    lines: list[str] = []
    for relation, found in near.items():
        lines += [f"{relation.replace('_', ' ')}:", *_under_paths(found)]
    for hop in sorted(far):
        lines += [f"{hop} hops away:", *far[hop]]
    return lines


def _under_paths(found: Sequence[tuple[str, str]]) -> list[str]:
    """`name@:sites` of each path; a path that several share stands once above them."""
    by_path: dict[str, list[str]] = {}
    for path, text in found:
        by_path.setdefault(path, []).append(text)
    lines: list[str] = []
    for path, texts in by_path.items():
        if not path:
            lines += [f"  {text}" for text in texts]
        elif len(texts) == 1:
            lines.append(f"  {_placed(texts[0], path)}")
        else:
            lines += [f"  {path}", *(f"    {_placed(text, '')}" for text in texts)]
    return lines


def _placed(text: str, path: str) -> str:
    name, _, sites = text.rpartition("@")
    return f"{name}  {path}{sites}"


def _sites(answer: Expanded, edge: Relationship) -> str:
    return ", ".join(f":{line}" for line in answer.sites.get(edge.id, (edge.site_line,)))


def _short(path: str, here: str) -> str:
    return "" if path == here else path


def _label(edge: Relationship) -> str:
    return f"  for `{edge.label}`" if edge.label else ""


def _guess(edge: Relationship) -> str:
    return "" if _proven(edge) else f"  ~ possible, {edge.confidence:.1f}"


def _stale(answer: Answered, *shown: Object | Relationship) -> str:
    return "  [stale: the file changed after it was indexed]" if answer.is_stale(*shown) else ""


def _proven(edge: Relationship) -> bool:
    return is_proven(edge.confidence, edge.resolution)


def _candidates(start: str, answers: Sequence[tuple[str, Expanded]]) -> list[str]:
    candidates = [(label, item, answer) for label, answer in answers for item in answer.candidates]
    near = list(dict.fromkeys(name for _, answer in answers for name in answer.nearest))
    if not start.strip():
        return ["Empty start: give the name of a symbol, an entity_id or path:line."]
    if not candidates:
        hint = f"; nearest: {', '.join(near)}" if near else ""
        return [f"No symbol `{start}`{hint}. Try symbol_search, or path:line."]
    exact = "is ambiguous" if not near else "is not known; did you mean"
    lines = [f"`{start}` {exact}. Ask again with one of these entity_ids as start:"]
    for label, item, answer in candidates[:_MAX_CANDIDATES]:
        lines.append(f"{item.entity_id}  {f'[{label}] ' if label else ''}{object_line(item)}{_stale(answer, item)}")
    if len(candidates) > _MAX_CANDIDATES:
        lines.append(f"… {len(candidates) - _MAX_CANDIDATES} more; write more of the name, e.g. Class.{start}")
    return lines


def _no_symbol(name: str, answers: Sequence[tuple[str, Symbols]]) -> str:
    if not name.strip():
        return "Empty name: ask for a symbol by its name, or by a part of it."
    near = list(dict.fromkeys(near for _, answer in answers for near in answer.nearest))
    if near:
        return f"No symbol `{name}`; nearest: {', '.join(near)}"
    return f"No symbol `{name}`. Try search, or drop kind and the filters."


def _notes(answers: Sequence[tuple[str, Answered]]) -> list[str]:
    note = index_note(joint_status([answer.status for _, answer in answers]))
    warnings = dict.fromkeys(f"Warning: {warning}" for _, answer in answers for warning in answer.warnings)
    return [*([note] if note else []), *map(visible, warnings)]
