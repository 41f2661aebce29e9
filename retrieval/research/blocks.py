"""Comments and strings that go over several lines, found once per file.

No grammar: the point of looking is also what no grammar saw. Where the marks of a file do not come in pairs, none of
its blocks is believed: a line would then be taken for a comment that is none.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator

_PAIRS = {  # how a comment or string over several lines begins and ends
    "python": ((b'"""', b'"""'), (b"'''", b"'''")),
    "elixir": ((b'"""', b'"""'),),
    "haskell": ((b"{-", b"-}"),),
    "lua": ((b"--[[", b"]]"),),
    "html": ((b"<!--", b"-->"),),
    "ruby": ((b"\n=begin", b"\n=end"),),
    "perl": ((b"\n=head", b"\n=cut"), (b"\n=pod", b"\n=cut"), (b"\n=over", b"\n=cut")),
    "cython": ((b'"""', b'"""'), (b"'''", b"'''")),
    "julia": ((b'"""', b'"""'), (b"#=", b"=#")),
    "ocaml": ((b"(*", b"*)"),),
    "ocaml_interface": ((b"(*", b"*)"),),
    "fsharp": ((b"(*", b"*)"),),
    "powershell": ((b"<#", b"#>"),),
    "bash": (),
    "make": (),
    "dockerfile": (),
    "text": (),
    "zig": (),
}
_SLASHED = ((b"/*", b"*/"),)
_TEMPLATED = frozenset({"javascript", "jsx", "typescript", "tsx"})
_MAX_INDENT = 200
_MAX_TEMPLATE_BYTES = 2_000  # of a longer template string the code in it is not looked for


class Blocks:
    """The blocks of one file."""

    def __init__(self, data: bytes, language: str) -> None:
        self._data = data
        found = [block for begin, end in _PAIRS.get(language, _SLASHED) for block in _between(data, begin, end)]
        self._blocks = sorted(found)
        self._templates = sorted(_between(data, b"`", b"`")) if language in _TEMPLATED else []

    def inside(self, at: int) -> bool:
        """Does a place lie in a comment or string, and not in the code of a template string?"""
        if _around(self._blocks, at) is not None:
            return True
        start = _around(self._templates, at)
        if start is None:
            return False
        since = self._data[start : min(at, start + _MAX_TEMPLATE_BYTES)]
        return since.count(b"${") <= since.count(b"}")


def _around(blocks: list[tuple[int, int]], at: int) -> int | None:
    number = bisect.bisect_right(blocks, (at, len(blocks) and blocks[-1][1])) - 1
    return blocks[number][0] if number >= 0 and at < blocks[number][1] else None


def _begins_line(data: bytes, at: int) -> bool:
    before = data[max(at - _MAX_INDENT, 0) : at]
    return not before.rpartition(b"\n")[2].strip() and (b"\n" in before or at <= _MAX_INDENT)


def _between(data: bytes, begin: bytes, end: bytes) -> Iterator[tuple[int, int]]:
    if begin == end and data.count(begin) % 2:
        return
    at = data.find(begin)
    while at >= 0:
        closed = data.find(end, at + len(begin))
        if closed < 0:
            return
        if begin == end or _begins_line(data, at):  # not in a string: `"src/**/*.ts"`
            yield at, closed
            at = data.find(begin, closed + len(end))
        else:
            at = data.find(begin, at + len(begin))
