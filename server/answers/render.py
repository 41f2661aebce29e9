"""Results → the text an agent reads: compact, within a token budget, no JSON.

A file's path is printed once, source lines are numbered as on disk, relationships are `Relationship: …` lines (GRA-4),
and a guessed relationship never looks like a proven one (`~ possible, 0.4`). The budget belongs to the hits in their
order: headings of all hits first, then source, the best hits getting the larger shares. Whatever is left out is said,
with what to ask for next.

What comes out of the repository cannot look like a line of ours: every line goes through `visible`, source lines have
numbers, documentation is quoted with `>`, a signature is indented.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sightline.graph.build.confidence import is_proven
from sightline.graph.read.spoken import spoken_kind
from sightline.server.answers.snippet import MAX_LINE_CHARS, Body, body_lines, body_of, cut, size_if_small
from sightline.server.arguments import DEFAULT_TOKENS
from sightline.tokens import chars_within
from sightline.types import MAX_ANSWER_CHARS, Hit, IndexStatus, Object, Related, Relationship, SearchResult
from sightline.visible import visible

_MIN_ROOM = 160  # for less than this nothing is added
_SURE_HITS, _MOST_HITS = 3, 6  # shown with source whatever their score, and at most
_WEAK = 0.5  # of the best score: below, a hit is worth a line and no source, unless a larger answer was asked for
_SMALL_SHARE = 0.5  # of the room that is left, a small function may take to be shown whole
_TOP_SHARE = 1.8  # how much more than an even share of the budget the best remaining hit may take
_MAX_MEMBERS_SHOWN = 30
_GAPS = 8  # empty lines between head, hits and foot
_STALE = "  [stale: the file changed after it was indexed; read it before editing]"
_FURTHER = "Further files, likeliest first: "
_LEFT_OUT = "{count} hits did not fit; ask with a larger max_tokens or a smaller limit."


def budget_chars(max_tokens: int) -> int:
    """Characters that a token budget buys, never more than the hard cap."""
    return min(chars_within(max_tokens), MAX_ANSWER_CHARS)


@dataclass(slots=True)
class _Piece:
    """One hit as text: a heading that is always shown, and a body that the budget may cut."""

    place: str  # pieces of one place (a file of a root) stand under one path line
    heading: str
    body: Body | None
    aside: bool = False  # a weak hit: one line at the end


def search_text(result: SearchResult, *, max_tokens: int) -> str:
    """The text answer of `search`."""
    room = budget_chars(max_tokens)
    head = "\n".join([*_head(result), *_routes(result)])
    foot = _foot(result)
    ample = max_tokens > DEFAULT_TOKENS
    pieces = _pieces(result, ample=ample)
    left = room - len(head) - len(foot) - _GAPS
    kept = _pieces_that_fit(pieces, left)
    if len(kept) < len(pieces):
        left -= len(_LEFT_OUT) + 1
        kept = _pieces_that_fit(pieces, left)
        foot = f"{_LEFT_OUT.format(count=len(pieces) - len(kept))}\n{foot}"
    further = _further(result, len(kept), left - _headings(kept))
    if further:
        left -= len(further) + 1
        foot = f"{further}\n{foot}"
    blocks = _blocks(kept, left, ample=ample)
    related = _related(result, left - len(blocks) - 2)
    text = "\n\n".join(part for part in (head, blocks, related, foot.strip()) if part)
    return text[:room]


def _routes(result: SearchResult) -> list[str]:
    """What answers the address that a query names."""
    if not result.routes:
        return []
    lines = [f"{f'[{route.root}] ' if route.root else ''}{route.text}" for route in result.routes]
    return ["", "Routes, read off the source:", *map(visible, lines)]


def _further(result: SearchResult, shown: int, room: int) -> str:
    """The files that a report is likely about beyond those of the hits that are shown, as many as there is room for."""
    known = {(hit.root, hit.path) for hit in result.hits[:shown]}
    line = ""
    for file in result.files:
        if (file.root, file.path) not in known:
            name = visible(f"{f'{file.root}: ' if file.root else ''}{file.path}{' [stale]' if file.stale else ''}")
            longer = f"{line}, {name}" if line else f"{_FURTHER}{name}"
            if len(longer) >= room:
                break
            line = longer
    return line


def _related(result: SearchResult, room: int) -> str:
    """What `expand` added, as far as there is room."""
    if not result.related or room < _MIN_ROOM:
        return ""
    return "\n".join(fit_lines(["Related:", *map(_edge_line, result.related)], room))


def index_note(status: IndexStatus) -> str:
    """One line when the index is not the whole truth, else ""."""
    failed = (
        f" {status.files_failed:,} files could not be parsed; see `sightline status`." if status.files_failed else ""
    )
    if status.state == "indexing":
        total = f" of {status.files_total:,}" if status.files_total else ""
        done = f"{status.files:,}{total} files done"
        return f"Index: still indexing, {done}; this answer is partial, ask again soon.{failed}"
    if status.state == "stale":
        return f"Index: older than the files on disk; hits marked stale may have moved.{failed}"
    return ""


def relationship_line(item: Relationship, *, target_line: int = 0) -> str:
    """`Relationship: A calls B  (a.py:12 → b.py:3)`, marked when it is a guess or leads outside the root."""
    where = f"{item.path}:{item.site_line}"
    if item.target_path:
        there = "" if item.target_path == item.path else item.target_path
        line = f":{target_line}" if target_line else ""
        where += f" → {there}{line}" if there or line else ""
    mark = ""
    if item.resolution == "external":
        mark = "  [external]"
    elif not is_proven(item.confidence, item.resolution):
        mark = f"  ~ possible, {item.confidence:.1f}"
    return visible(f"Relationship: {item.triplet}{mark}  ({where})")


def object_line(item: Object, names: Mapping[str, str] | None = None) -> str:
    """`method AuthService.login  (src/auth.py:10-42)`."""
    return visible(f"{object_name(item, names)}  ({item.path}:{item.start_line}-{item.end_line})")


def object_name(item: Object, names: Mapping[str, str] | None = None) -> str:
    """`actual object DefaultExecutor`: kind and name, as people of the language say them."""
    name = (names or {}).get(item.entity_id, item.qualified_name)
    return f"{spoken_kind(item.kind, item.signature, item.name)} {name}"


def doc_lines(doc: str, max_chars: int = MAX_LINE_CHARS) -> list[str]:
    """Documentation, quoted line by line: it is the repository that speaks, not we."""
    lines = doc[:max_chars].rstrip().split("\n")
    return [f"> {visible(line.strip())}".rstrip() for line in lines] if doc.strip() else []


def signature_lines(signature: str) -> list[str]:
    """A signature, indented as nothing of ours is."""
    return [f"    {cut(visible(signature.strip()))}"] if signature.strip() else []


def fit_lines(lines: Iterable[str], room: int, *, left_out: str = "{count} more did not fit") -> list[str]:
    """As many lines as fit; when some do not, the last line says how many."""
    every = list(lines)
    if sum(len(line) + 1 for line in every) <= room:
        return every
    room -= cut_cost(left_out)
    kept: list[str] = []
    for line in every:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return [*kept, left_out.format(count=len(every) - len(kept))]


def cut_cost(left_out: str) -> int:
    """The room that `fit_lines` sets aside for saying what it left out."""
    return len(left_out) + 8  # the number may be longer than its place


def member_lines(members: Sequence[Object]) -> list[str]:
    """The members of an object, by line."""
    shown = [visible(f"  {m.start_line:>5} {m.signature or f'{m.kind} {m.name}'}")[:MAX_LINE_CHARS] for m in members]
    if len(shown) > _MAX_MEMBERS_SHOWN:
        return [*shown[:_MAX_MEMBERS_SHOWN], f"        … {len(shown) - _MAX_MEMBERS_SHOWN} more members"]
    return shown


def _head(result: SearchResult) -> list[str]:
    lines = []
    if result.hits:
        more = "+" if result.total_at_least else ""
        lines.append(f"{len(result.hits)} of {result.total}{more} hits for {_quoted(result.query)}")
    else:
        lines.append(_no_hits(result))
    note = index_note(result.index)
    if note:
        lines.append(note)
    lines += [f"Warning: {warning}" for warning in result.warnings]
    return [visible(line) for line in lines]


def _quoted(text: str) -> str:
    flat = visible(" ".join(text.split()))
    return f'"{flat}"' if len(flat) <= 80 else f'"{flat[:77]}…"'


def _no_hits(result: SearchResult) -> str:
    if not result.query.strip():
        return "Empty query: no hits. Ask for something: a phrase, an identifier or a question."
    if result.index.files == 0 and result.index.state == "ready":
        return f"No hits for {_quoted(result.query)}: there are no files to index; see `sightline status --files`."
    if result.index.files == 0:
        return f"No hits for {_quoted(result.query)}: the index holds no files yet."
    return (
        f"No hits for {_quoted(result.query)} in {result.index.files:,} files. "
        "Try other words, drop file_filter/filters, or symbol_search for a name."
    )


def _foot(result: SearchResult) -> str:
    if result.next_cursor:
        return f'More hits: same call with cursor="{result.next_cursor}".'
    return ""


def _pieces(result: SearchResult, *, ample: bool) -> list[_Piece]:
    best = max((hit.score for hit in result.hits), default=0.0)
    found = []
    for rank, hit in enumerate(result.hits, start=1):
        weak = not ample and rank > _SURE_HITS and (hit.score < _WEAK * best or rank > _MOST_HITS)
        found.append(_piece(hit, rank, weak=weak))
    return found


def _edge_line(edge: Related) -> str:
    label = visible(f"[{edge.root}] ") if edge.root else ""
    return f"{label}{relationship_line(edge.item, target_line=edge.target_line)}{_STALE if edge.stale else ''}"


def _piece(hit: Hit, rank: int, *, weak: bool) -> _Piece:
    item = hit.item
    stale = _STALE if hit.stale else ""
    if isinstance(item, Relationship):
        return _Piece("", _edge_line(Related(item, hit.target_line, hit.stale, hit.root)), None)
    place = visible(f"{hit.root}: {hit.path}" if hit.root else hit.path)
    chunk = hit.chunk if isinstance(item, Object) else item
    if isinstance(item, Object):
        what = object_name(item, {item.entity_id: hit.spoken} if hit.spoken else None)
    else:
        what = f"{item.kind} {item.symbol}".strip() or item.language
    score = f"score {hit.score:.2f}{stale}"
    if weak:
        return _Piece(
            "", visible(f"#{rank} {what}  {place}:{hit.start_line}-{hit.end_line}  {score}"), None, aside=True
        )
    heading = visible(f"#{rank} {what}  lines {hit.start_line}-{hit.end_line}  {score}")
    if chunk is None:
        summary = [*signature_lines(item.signature), *doc_lines(getattr(item, "doc", ""))]
        return _Piece(place, "\n".join([heading, *summary]), None)
    return _Piece(place, heading, body_of(hit, chunk))


def _pieces_that_fit(pieces: Sequence[_Piece], room: int) -> list[_Piece]:
    """The longest run of hits from the top whose headings fit."""
    kept: list[_Piece] = []
    places: set[str] = set()
    for piece in pieces:
        room -= len(piece.heading) + 2 + (0 if piece.place in places else len(piece.place) + 2)
        if room < 0:
            break
        places.add(piece.place)
        kept.append(piece)
    return kept


def _headings(pieces: Sequence[_Piece]) -> int:
    """The room that pieces take without their bodies."""
    places = dict.fromkeys(piece.place for piece in pieces if not piece.aside)
    return sum(len(place) + 2 for place in places) + sum(len(piece.heading) + 2 for piece in pieces)


def _blocks(pieces: Sequence[_Piece], room: int, *, ample: bool) -> str:
    """All pieces, those of one file together where the first of them ranks, weak ones last."""
    places = dict.fromkeys(piece.place for piece in pieces if not piece.aside)
    room -= _headings(pieces)
    bodies: dict[int, list[str]] = {}
    waiting = sum(piece.body is not None for piece in pieces)
    for index, piece in enumerate(pieces):
        if piece.body is None:
            continue
        share = int(min(room, room / waiting * _TOP_SHARE))
        small = size_if_small(piece.body)
        share = max(share, small) if small <= room * _SMALL_SHARE else share
        bodies[index] = body_lines(piece.body, share, ample=ample)
        room -= sum(len(line) + 1 for line in bodies[index])
        waiting -= 1
    blocks = []
    for place in places:
        lines = [place] if place else []
        for index, piece in enumerate(pieces):
            if piece.place == place and not piece.aside:
                lines += [piece.heading, *bodies.get(index, ())]
        blocks.append("\n".join(lines))
    aside = "\n".join(piece.heading for piece in pieces if piece.aside)
    return "\n\n".join([*blocks, *([aside] if aside else [])])
