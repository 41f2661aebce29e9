"""ParsedFile → chunks: pieces of a file that follow its syntax tree.

Every line is in exactly one chunk, in order. A definition stays whole while it fits; a larger one is cut where its
statements begin; small neighbours of one owner are joined; comments stay with what they precede. Everything works on
rows (0-based, half-open), and cuts lie between rows only, so that the cover cannot fail whatever the tree looks like.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from sightline.indexer.analysis.context import Imports, Scope, context_of
from sightline.languages import Defined, sections, spec_of
from sightline.types import Chunk, ParsedFile

if TYPE_CHECKING:
    from tree_sitter import Node

# A definition up to this size stays whole; pieces below the small one are joined with a neighbour. Measured with
# scripts/bench quality on 14 repositories, 279 queries (2026-11): NDCG@10 .9055 with 1500/400 and 6,894 chunks;
# 1500/250 .9021, 1500/150 .9018 with half as many chunks again, 2000/200 .8969.
MAX_BYTES = 1_500
MAX_ROWS = 60
_SMALL_BYTES = 400
_TINY_BYTES = 150  # a closing brace or a last `return`: joined even when the sum is a little over the maximum
_OVER = 1.2
_MAX_DEPTH = 60  # nesting below which only lines are looked at: chains of operators nest thousands deep
_FILLS = 0.4  # a definition that has more than this share of a chunk's lines names it


@dataclass(slots=True)
class _Piece:
    start: int
    end: int
    owner: int = -1  # index of the innermost definition that is larger than the piece, -1 at file level


def chunk(parsed: ParsedFile, outlined: Sequence[Defined]) -> list[Chunk]:
    """Cut a file into chunks; an empty file has none."""
    if not parsed.source:
        return []
    layout = _Layout(parsed.source)
    document = spec_of(parsed.language).document
    named: Sequence[Scope] = sections(parsed) if document else outlined
    scopes = _Scopes(named)
    pieces = _pieces(parsed, layout, scopes)
    for piece in pieces:
        piece.owner = scopes.larger_than(piece.start, layout.last_text(piece.start, piece.end))
    imports = Imports(parsed)
    owners = {scope.qualified_name: index for index, scope in reversed(list(enumerate(named)))}
    chunks: list[Chunk] = []
    for piece in _joined(pieces, layout):
        index = scopes.named_by(piece)
        scope = named[index] if index >= 0 else None
        text = layout.text(piece.start, piece.end)
        chunks.append(
            Chunk(
                path=parsed.path,
                start_line=piece.start + 1,
                end_line=piece.end,
                language=parsed.language,
                text=text,
                symbol=scope.qualified_name if scope is not None else "",
                kind="document" if document else scope.kind if scope is not None else "",
                signature=scope.signature if scope is not None else "",
                context=context_of(parsed.path, named, owners, index, piece.start + 1, piece.end, text, imports),
            )
        )
    return chunks


class _Layout:
    """The rows of a file: where each begins in bytes, and their text."""

    def __init__(self, source: bytes) -> None:
        # Only \n separates lines, as in git, grep and the tree; \r\n is shown as \n.
        self._lines = source.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
        if not self._lines[-1] and len(self._lines) > 1:
            self._lines.pop()
        self.rows = len(self._lines)
        self._offsets = list(accumulate(map((1).__add__, map(len, self._lines)), initial=0))

    def size(self, start: int, end: int) -> int:
        return self._offsets[end] - self._offsets[start]

    def fits(self, start: int, end: int, over: float = 1.0) -> bool:
        return end - start <= over * MAX_ROWS and self._offsets[end] - self._offsets[start] <= over * MAX_BYTES

    def text(self, start: int, end: int) -> str:
        return "\n".join(self._lines[start:end])

    def last_text(self, start: int, end: int) -> int:
        """The end of the rows without the blank ones that trail: those belong to nothing."""
        while end > start + 1 and not self._lines[end - 1].strip():
            end -= 1
        return end

    def best_cut(self, start: int, end: int) -> int:
        """The row in (start, end] to cut at when only lines are known: a blank line, else the least indented row."""
        first = start + max(1, (end - start) // 2)
        best, best_indent = end, 1 << 30
        for row in range(end, first - 1, -1):
            if row >= self.rows:
                continue
            line = self._lines[row]
            if not line.strip():
                return row + 1 if row + 1 <= end else row
            indent = len(line) - len(line.lstrip())
            if indent < best_indent:
                best, best_indent = row, indent
        return best


def _pieces(parsed: ParsedFile, layout: _Layout, scopes: _Scopes) -> list[_Piece]:
    """Cut the file into pieces that fit where that can be, in order and without a gap."""
    if parsed.tree is None:
        return _prose(layout, scopes)
    spec = spec_of(parsed.language)
    leading = spec.comments | spec.attributes
    done: list[_Piece] = []
    open_: list[tuple[Node | None, int, int, int]] = [(parsed.tree.root_node, 0, layout.rows, 0)]
    while open_:
        node, start, end, depth = open_.pop()
        if layout.fits(start, end):
            done.append(_Piece(start, end))
            continue
        parts = _parts(node, start, end, leading) if node is not None and depth < _MAX_DEPTH else []
        if parts:
            open_.extend((inner, low, high, depth + 1) for inner, low, high in parts)
        else:
            done.extend(_windows(layout, start, end))
    done.sort(key=lambda piece: piece.start)
    return done


def _prose(layout: _Layout, scopes: _Scopes) -> list[_Piece]:
    """Cut prose where its sections begin, and long sections between paragraphs."""
    cuts = sorted({0, layout.rows, *(row for row in scopes.starts if row < layout.rows)})
    pieces: list[_Piece] = []
    for start, end in pairwise(cuts):
        pieces.extend([_Piece(start, end)] if layout.fits(start, end) else _windows(layout, start, end))
    return pieces


def _parts(node: Node, start: int, end: int, leading: frozenset[str]) -> list[tuple[Node | None, int, int]]:
    """Cut rows where the children of a node begin; empty when the node gives no cut. Each part has its main node."""
    while True:
        cuts = [start]
        mains: list[Node | None] = []
        main: Node | None = None
        main_rows = -1
        lead_end = -2  # last row of a run of comments that waits for what it belongs to
        code_end = -1  # last row of what came before: a comment behind code on its row leads nothing
        for child in node.children:
            first = child.start_point.row
            last = child.end_point.row
            if first >= end or last < start:
                continue
            if child.is_named and first > cuts[-1] and first != lead_end + 1:
                cuts.append(first)
                mains.append(main)
                main, main_rows = None, -1
            if child.type in leading and first > code_end:
                lead_end = last - (child.end_point.column == 0 and last > first)
            else:
                lead_end, code_end = -2, max(code_end, last)
            if last - first > main_rows:
                main, main_rows = child, last - first
        mains.append(main)
        if len(cuts) > 1:
            ends = [*cuts[1:], end]
            return list(zip(mains, cuts, ends, strict=True))
        if main is None or main_rows <= 0:
            return []
        node = main


def _windows(layout: _Layout, start: int, end: int) -> list[_Piece]:
    """Cut rows that the tree says nothing about: prose, long strings, tables."""
    pieces: list[_Piece] = []
    while start < end:
        stop = start + 1
        while stop < end and layout.fits(start, stop + 1):
            stop += 1
        cut = layout.best_cut(start, stop) if stop < end else end
        pieces.append(_Piece(start, cut))
        start = cut
    return pieces


def _joined(pieces: list[_Piece], layout: _Layout) -> list[_Piece]:
    """Join small neighbours that have the same owner."""
    joined: list[_Piece] = []
    for position, piece in enumerate(pieces):
        last = joined[-1] if joined else None
        if last is None or last.owner != piece.owner:
            joined.append(piece)
            continue
        follower = pieces[position + 1] if position + 1 < len(pieces) else None
        closes = follower is None or follower.owner != piece.owner
        if _belong_together(last, piece, layout, closes=closes):
            last.end = piece.end
        else:
            joined.append(piece)
    return joined


def _belong_together(last: _Piece, piece: _Piece, layout: _Layout, *, closes: bool) -> bool:
    """Two neighbours fit in one chunk and one is small, or the second is the small rest of what the first began."""
    size, next_size = layout.size(last.start, last.end), layout.size(piece.start, piece.end)
    if min(size, next_size) > _SMALL_BYTES:
        return False
    return layout.fits(last.start, piece.end) or (
        closes and next_size <= _TINY_BYTES and layout.fits(last.start, piece.end, _OVER)
    )


class _Scopes:
    """Which definition or section a piece lies in, and which one names it."""

    def __init__(self, scopes: Sequence[Scope]) -> None:
        self._scopes = scopes
        self.starts = [scope.start_line - 1 for scope in scopes]
        # An outline is ordered by the definition's own node; decoration may put a start before its predecessor's.
        for i in range(1, len(self.starts)):
            self.starts[i] = max(self.starts[i], self.starts[i - 1])

    def larger_than(self, start: int, end: int) -> int:
        """The innermost scope that encloses these rows and goes beyond them."""
        index = bisect_right(self.starts, start) - 1
        while index >= 0:
            scope = self._scopes[index]
            if scope.end_line >= end and scope.end_line - scope.start_line + 1 > end - start:
                return index
            index = scope.parent
        return -1

    def named_by(self, piece: _Piece) -> int:
        """The definition that fills most of the piece, else the one that encloses it."""
        low, high = bisect_left(self.starts, piece.start), bisect_left(self.starts, piece.end)
        best, best_rows = -1, 0
        for index in range(low, high):
            scope = self._scopes[index]
            rows = min(scope.end_line, piece.end) - scope.start_line + 1
            if rows > best_rows:
                best, best_rows = index, rows
        if best_rows > _FILLS * (piece.end - piece.start):
            return best
        return piece.owner
