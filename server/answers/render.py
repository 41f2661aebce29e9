"""Results → the text an agent reads: compact, within a token budget, no JSON.

A file's path is printed once, source lines are numbered as on disk, relationships are `Relationship: …` lines (GRA-4),
and a guessed relationship never looks like a proven one (`~ possible, 0.4`). The budget belongs to the hits in their
order: headings of all hits first, then source, the best hits getting the larger shares. Whatever is left out is said,
with what to ask for next.

What comes out of the repository cannot look like a line of ours: every line goes through `visible`, source lines have
numbers, documentation is quoted with `>`, a signature is indented.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sightline.graph.build.confidence import PROVEN
from sightline.tokens import chars_within
from sightline.types import Chunk, Hit, IndexStatus, Object, Relationship, SearchResult
from sightline.visible import visible, visible_source

MAX_CHARS = 24_000  # hard cap of one answer; clients begin to spill tool results into files around 25,000 tokens
PROVEN_CONFIDENCE = PROVEN  # below this a relationship is shown as possible
_MAX_LINE_CHARS = 240  # longer lines are data or minified code
_MIN_BODY_CHARS = 160  # a smaller piece of source helps nobody
_CONTEXT_LINES = 2  # shown around an object that is smaller than its chunk: decorators and comments stand there
_HEAD_LINES = 3  # signature and the start of the documentation stay when a body is cut
_TOP_SHARE = 1.8  # how much more than an even share of the budget the best remaining hit may take
_MAX_MEMBERS_SHOWN = 30
_GAPS = 8  # empty lines between head, hits and foot
_LEFT_OUT = "{count} hits did not fit; ask with a larger max_tokens or a smaller limit."


def budget_chars(max_tokens: int) -> int:
    """Characters that a token budget buys, never more than the hard cap."""
    return min(chars_within(max_tokens), MAX_CHARS)


@dataclass(slots=True)
class _Body:
    """Source to show under a hit: lines of a chunk, all of them or those around an object."""

    hit: Hit
    chunk: Chunk
    skipped: int  # lines of the chunk before the first one here
    lines: list[str]
    own: int  # index of the line where the object begins, 0 for the chunk itself

    @property
    def first_line(self) -> int:
        """Where it begins in the file."""
        return self.chunk.start_line + self.skipped

    def focus(self) -> int:
        """Index of the line with the most highlighted spans, the first one of several, but none before the object."""
        counts = Counter(self.chunk.text.count("\n", 0, start) for start, _ in self.hit.highlights)
        line = min(counts, key=lambda line: (-counts[line], line)) if counts else 0
        return line - self.skipped if self.own <= line - self.skipped < len(self.lines) else self.own


@dataclass(slots=True)
class _Piece:
    """One hit as text: a heading that is always shown, and a body that the budget may cut."""

    place: str  # pieces of one place (a file of a root) stand under one path line
    heading: str
    body: _Body | None


def search_text(result: SearchResult, *, max_tokens: int) -> str:
    """The text answer of `search`."""
    room = budget_chars(max_tokens)
    head = "\n".join(_head(result))
    foot = _foot(result)
    lines: Mapping[str, int] = result.extra.get("lines", {})
    pieces = [_piece(hit, rank, lines) for rank, hit in enumerate(result.hits, start=1)]
    left = room - len(head) - len(foot) - _GAPS
    kept = _pieces_that_fit(pieces, left)
    if len(kept) < len(pieces):
        left -= len(_LEFT_OUT) + 1
        kept = _pieces_that_fit(pieces, left)
        foot = f"{_LEFT_OUT.format(count=len(pieces) - len(kept))}\n{foot}"
    blocks = _blocks(kept, left)
    related = _related(result, left - len(blocks) - 2)
    text = "\n\n".join(part for part in (head, blocks, related, foot.strip()) if part)
    return text[:room]


def _related(result: SearchResult, room: int) -> str:
    """What `expand` added, as far as there is room."""
    lines: Mapping[str, int] = result.extra.get("lines", {})
    related: Sequence[Relationship] = result.extra.get("related", ())
    if not related or room < _MIN_BODY_CHARS:
        return ""
    drawn = [relationship_line(edge, target_line=lines.get(edge.target_id, 0)) for edge in related]
    return "\n".join(fit_lines(["Related:", *drawn], room))


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
    elif item.confidence < PROVEN_CONFIDENCE or item.resolution == "ambiguous":
        mark = f"  ~ possible, {item.confidence:.1f}"
    return visible(f"Relationship: {item.triplet}{mark}  ({where})")


def object_line(item: Object) -> str:
    """`method AuthService.login  (src/auth.py:10-42)`."""
    return visible(f"{item.kind} {item.qualified_name}  ({item.path}:{item.start_line}-{item.end_line})")


def numbered(lines: Sequence[str], first_line: int) -> list[str]:
    """Source lines with their numbers; an over-long line is cut."""
    width = len(str(first_line + len(lines) - 1))
    return [
        f"{number:{width}} {_cut(visible_source(line.rstrip()))}".rstrip()
        for number, line in enumerate(lines, start=first_line)
    ]


def doc_lines(doc: str, max_chars: int = _MAX_LINE_CHARS) -> list[str]:
    """Documentation, quoted line by line: it is the repository that speaks, not we."""
    lines = doc[:max_chars].rstrip().split("\n")
    return [f"> {visible(line.strip())}".rstrip() for line in lines] if doc.strip() else []


def signature_lines(signature: str) -> list[str]:
    """A signature, indented as nothing of ours is."""
    return [f"    {_cut(visible(signature.strip()))}"] if signature.strip() else []


def _cut(line: str) -> str:
    return line if len(line) <= _MAX_LINE_CHARS else line[:_MAX_LINE_CHARS] + "…"


def fit_lines(lines: Iterable[str], room: int, *, left_out: str = "{count} more did not fit") -> list[str]:
    """As many lines as fit; when some do not, the last line says how many."""
    every = list(lines)
    if sum(len(line) + 1 for line in every) <= room:
        return every
    room -= len(left_out) + 8
    kept: list[str] = []
    for line in every:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return [*kept, left_out.format(count=len(every) - len(kept))]


def member_lines(members: Sequence[Object]) -> list[str]:
    """The members of an object, by line."""
    shown = [visible(f"  {m.start_line:>5} {m.kind} {m.signature or m.name}")[:_MAX_LINE_CHARS] for m in members]
    if len(shown) > _MAX_MEMBERS_SHOWN:
        return [*shown[:_MAX_MEMBERS_SHOWN], f"        … {len(shown) - _MAX_MEMBERS_SHOWN} more members"]
    return shown


def _head(result: SearchResult) -> list[str]:
    lines = []
    if result.hits:
        lines.append(f"{len(result.hits)} of {result.total} hits for {_quoted(result.query)}")
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


def _piece(hit: Hit, rank: int, lines: Mapping[str, int]) -> _Piece:
    item = hit.item
    stale = "  [stale: the file changed after it was indexed; read it before editing]" if hit.stale else ""
    if isinstance(item, Relationship):
        label = visible(f"[{hit.root}] ") if hit.root else ""
        line = relationship_line(item, target_line=lines.get(item.target_id, 0))
        return _Piece("", f"{label}{line}{stale}", None)
    place = visible(f"{hit.root}: {hit.path}" if hit.root else hit.path)
    chunk = hit.chunk if isinstance(item, Object) else item
    if isinstance(item, Object):
        what = f"{item.kind} {item.qualified_name}"
    else:
        what = f"{item.kind} {item.symbol}".strip() or item.language
    heading = visible(f"#{rank} {what}  lines {hit.start_line}-{hit.end_line}  score {hit.score:.2f}{stale}")
    if chunk is None:
        summary = [*signature_lines(item.signature), *doc_lines(getattr(item, "doc", ""))]
        return _Piece(place, "\n".join([heading, *summary]), None)
    return _Piece(place, heading, _around(hit, chunk, item) if isinstance(item, Object) else _whole(hit, chunk))


def _whole(hit: Hit, chunk: Chunk) -> _Body:
    return _Body(hit, chunk, 0, chunk.lines(), 0)


def _around(hit: Hit, chunk: Chunk, item: Object) -> _Body:
    """The lines of the object itself with a little around it: a chunk may hold several small objects."""
    own = max(item.start_line - chunk.start_line, 0)
    start = max(own - _CONTEXT_LINES, 0)
    end = max(item.end_line - chunk.start_line + 1 + _CONTEXT_LINES, start + 1)
    return _Body(hit, chunk, start, chunk.lines()[start:end], own - start)


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


def _blocks(pieces: Sequence[_Piece], room: int) -> str:
    """All pieces, those of one file together where the first of them ranks."""
    places = dict.fromkeys(piece.place for piece in pieces)
    room -= sum(len(place) + 2 for place in places) + sum(len(piece.heading) + 2 for piece in pieces)
    bodies: dict[int, list[str]] = {}
    waiting = sum(piece.body is not None for piece in pieces)
    for index, piece in enumerate(pieces):
        if piece.body is None:
            continue
        share = int(min(room, room / waiting * _TOP_SHARE))
        bodies[index] = _body_lines(piece.body, share)
        room -= sum(len(line) + 1 for line in bodies[index])
        waiting -= 1
    blocks = []
    for place in places:
        lines = [place] if place else []
        for index, piece in enumerate(pieces):
            if piece.place == place:
                lines += [piece.heading, *bodies.get(index, ())]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _body_lines(body: _Body, room: int) -> list[str]:
    """The source within `room` characters: all of it, or its head and the lines around the focus."""
    lines = numbered(body.lines, body.first_line)
    sizes = [len(line) + 1 for line in lines]
    if sum(sizes) <= room:
        return lines
    last_line = body.first_line + len(lines) - 1
    note = visible(f"… more: {body.hit.path}:{body.first_line}-{last_line}")
    room -= len(note) + 1
    if room < _MIN_BODY_CHARS:
        return []
    chosen: set[int] = set()
    for index in _by_interest(len(lines), body.focus()):
        room -= sizes[index]
        if room < 0:
            break
        chosen.add(index)
    out: list[str] = []
    previous = -1
    for index in sorted(chosen):
        if index != previous + 1:
            out.append("…")
        out.append(lines[index])
        previous = index
    return [*out, note] if chosen else []


def _by_interest(count: int, focus: int) -> Iterable[int]:
    """Line indexes, most interesting first: the head, then outwards from the focus."""
    head = min(_HEAD_LINES, count)
    yield from range(head)
    start = min(max(focus, head), count)
    after, before = start, start - 1
    while after < count or before >= head:
        if after < count:
            yield after
            after += 1
        if before >= head:
            yield before
            before -= 1
