"""Kotlin that the grammar cannot read, written so that it can.

One such place often makes a whole file unreadable: `where` as the name of a property, guards in `when`, strings that
begin with `$$`, annotations of accessors, and `get` between two expressions. Every replacement has the length of what
it stands for, so that places stay where they are.
"""

from __future__ import annotations

import re

# `where` is a word of the language only before a constraint; `fun where` and `x.where` the grammar can read.
_WHERE = re.compile(rb"(?<!fun )(?<!\.)\bwhere\b(?=[ \t]*(?:\?\.|\?:|\.|!!|=|!=|\)|,|;|\n))")
_GUARD = re.compile(rb"(?m)^(\s*(?:!?is|!?in|else)\b[^\n{}\"]*?)(\bif\b[^\n{}]*?)(?=->)")
_DOLLARS = re.compile(rb"\$\$+\"[^\"\n]*\"")
_ACCESSOR = re.compile(rb"(?m)^([ \t]*)(@[\w.]+(?:\([^\n]*\))?)(?=[ \t]*\n\s*(?:get|set)\b)")
_INFIX = re.compile(rb"(?<=\} )(?:get|set)(?= \w)")


def mended(source: bytes) -> bytes:
    """The source with what the grammar cannot read replaced, place by place of the same length."""
    source = _WHERE.sub(b"wher_", source)
    source = _GUARD.sub(lambda match: match[1] + b" " * len(match[2]), source)
    source = _DOLLARS.sub(_plain, source)
    source = _ACCESSOR.sub(lambda match: match[1] + b" " * len(match[2]), source)
    return _INFIX.sub(b"ge_", source)


def _plain(match: re.Match[bytes]) -> bytes:
    """A string in which `$` means nothing, as one without any."""
    dollars, quote, rest = match[0].partition(b'"')
    return b" " * len(dollars) + quote + rest.replace(b"$", b"_")
