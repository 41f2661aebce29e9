"""One pattern of an ignore file → an expression that cannot explode.

Patterns come from the repository, so matching must take time in proportion to pattern and path, whatever they are.
Between two slashes every star takes the leftmost place where the piece up to the next star fits, inside an atomic
group: pieces have a fixed length, so the leftmost place is always as good as any other and nothing is ever tried twice.
In the same way the folders between two `**` take the leftmost place. Bytes are matched, as git does.

The meaning is that of git's wildmatch with WM_PATHNAME: `*`, `?` and classes stay within a name, `**` between slashes
crosses them, a malformed pattern matches nothing (`None`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_STAR = "*"
_SLASH = "/"
_NAMED_CLASSES: Mapping[bytes, Callable[[int], bool]] = {
    b"alnum": lambda c: chr(c).isalnum(),
    b"alpha": lambda c: chr(c).isalpha(),
    b"blank": lambda c: c in b" \t",
    b"cntrl": lambda c: c < 32 or c == 127,
    b"digit": lambda c: chr(c).isdigit(),
    b"graph": lambda c: 32 < c < 127,
    b"lower": lambda c: chr(c).islower(),
    b"print": lambda c: 32 <= c < 127,
    b"punct": lambda c: 32 < c < 127 and not chr(c).isalnum(),
    b"space": lambda c: c in b" \t\n\v\f\r",
    b"upper": lambda c: chr(c).isupper(),
    b"xdigit": lambda c: c in b"0123456789abcdefABCDEF",
}


def compile_name(pattern: bytes) -> re.Pattern[bytes] | None:
    """An expression for the name of a file or folder; None when nothing can match."""
    tokens = _tokens(pattern)
    if tokens is None or _SLASH in tokens:
        return None
    return re.compile(_component(tokens) + rb"\Z", re.DOTALL)


def compile_path(pattern: bytes) -> re.Pattern[bytes] | None:
    """An expression for a whole path; None when nothing can match."""
    tokens = _tokens(pattern)
    if tokens is None:
        return None
    blocks: list[list[bytes]] = [[]]  # components between two `**`
    for component in _split(tokens):
        if not component:
            return None  # an empty name: no path has one
        if len(component) > 1 and all(token == _STAR for token in component):
            blocks.append([])
        else:
            blocks[-1].append(_component(component))
    first, *others = [b"/".join(block) for block in blocks]
    if not others:
        return re.compile(first + rb"\Z", re.DOTALL)
    *middle, last = others
    expression = first + b"/" if first else b""
    expression += b"".join(b"(?>(?:[^/]+/)*?" + block + b"/)" for block in middle if block)
    expression += b"(?:[^/]+/)*?" + last + rb"\Z" if last else rb".+\Z"
    return re.compile(expression, re.DOTALL)


def _split(tokens: list[str | bytes]) -> list[list[str | bytes]]:
    components: list[list[str | bytes]] = [[]]
    for token in tokens:
        if token == _SLASH:
            components.append([])
        else:
            components[-1].append(token)
    return components


def _component(tokens: list[str | bytes]) -> bytes:
    pieces = [b""]  # between stars; each has a fixed length
    for token in tokens:
        if isinstance(token, bytes):
            pieces[-1] += token
        elif pieces[-1] or len(pieces) == 1:  # of stars that stand together one is enough
            pieces.append(b"")
    first, *rest = pieces
    if not rest:
        return first
    *middle, last = rest
    stars = b"".join(b"(?>[^/]*?" + piece + b")" for piece in middle)
    return first + stars + (b"(?>[^/]*" + last + b")" if last else b"[^/]*+")


def _tokens(pattern: bytes) -> list[str | bytes] | None:
    """Stars, slashes, and expressions that match exactly one byte; None when the pattern is malformed."""
    tokens: list[str | bytes] = []
    position = 0
    while position < len(pattern):
        byte = pattern[position : position + 1]
        position += 1
        if byte == b"*":
            tokens.append(_STAR)
        elif byte == b"/":
            tokens.append(_SLASH)
        elif byte == b"?":
            tokens.append(b"[^/]")
        elif byte == b"[":
            found = _class(pattern, position)
            if found is None:
                return None
            expression, position = found
            tokens.append(expression)
        elif byte == b"\\":
            escaped = pattern[position : position + 1]
            if not escaped:
                return None
            tokens.append(_SLASH if escaped == b"/" else re.escape(escaped))
            position += 1
        else:
            tokens.append(re.escape(byte))
    return tokens


def _class(pattern: bytes, position: int) -> tuple[bytes, int] | None:
    """The class whose bracket was opened before `position`, and where it ends; None when it never does."""
    negated = pattern[position : position + 1] in (b"!", b"^")
    position += negated
    members: set[int] = set()
    before = -1  # what a range may begin with
    is_first = True
    while position < len(pattern):
        byte = pattern[position]
        if byte == ord("]") and not is_first:
            return _one_of(members, negated=negated), position + 1
        is_first = False
        if byte == ord("-") and before >= 0 and pattern[position + 1 : position + 2] not in (b"", b"]"):
            position += 1
            if pattern[position] == ord("\\"):
                position += 1
            if position >= len(pattern):
                return None
            members.update(range(before, pattern[position] + 1))
            before = -1
        elif byte == ord("[") and pattern[position + 1 : position + 2] == b":":
            end = pattern.find(b"]", position + 2)
            if end < 0:
                return None
            if end > position + 2 and pattern[end - 1] == ord(":"):
                named = _NAMED_CLASSES.get(pattern[position + 2 : end - 1])
                if named is None:
                    return None
                members.update(code for code in range(128) if named(code))
                before, position = -1, end
            else:
                members.add(byte)
                before = byte
        else:
            if byte == ord("\\"):
                position += 1
                if position >= len(pattern):
                    return None
                byte = pattern[position]
            members.add(byte)
            before = byte
        position += 1
    return None


def _one_of(members: set[int], *, negated: bool) -> bytes:
    """A class of exactly these bytes, or of all others; never a slash."""
    chosen = (set(range(256)) - members if negated else members) - {ord("/")}
    if not chosen:
        return b"(?!)"
    runs: list[list[int]] = []
    for code in sorted(chosen):
        if runs and runs[-1][1] == code - 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    return b"[" + b"".join(b"\\x%02x-\\x%02x" % (low, high) for low, high in runs) + b"]"
