"""Symbols as people of the language call them: `actual object`, `trait`, `schedule (impl Schedule for Arc<Handle>)`.

The graph knows a dozen kinds for all languages; what the source says is read off the text that declares the symbol.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sightline.types import TYPE_KINDS

_SIGNATURE_LINES = 14  # in which the documentation of a body begins
IMPL_LINES = 600  # above a method, in which its `impl` is looked for

_NOUNS = frozenset(
    {
        "class",
        "interface",
        "object",
        "trait",
        "protocol",
        "struct",
        "enum",
        "record",
        "union",
        "actor",
        "mixin",
        "typealias",
        "newtype",
        "module",
        "extension",
        "instance",
    }
)
_ADJECTIVES = frozenset(
    {"expect", "actual", "abstract", "sealed", "data", "inner", "value", "case", "annotation", "companion", "fun"}
)
_IMPL = re.compile(r"^(?P<indent>\s*)(?:unsafe )?impl\b\s*(?:<[^{;]*?>(?=\s))?\s*(?P<head>[^{;]*)")
_ANOTHER = re.compile(r"\s*(?:\}|(?:pub(?:\([\w:\s]+\))?\s+)?(?:unsafe\s+)?(?:trait|mod|fn)\b)")  # what is no `impl`


def kind_in(text: str, name: str, kind: str) -> str | None:
    """The kind of a type in the words before its name; None where the text does not declare it."""
    match = re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text)
    if match is None:
        return None
    before = text[: match.start()]
    words = [word for word in re.findall(r"[a-z]+", before) if word in _NOUNS or word in _ADJECTIVES]
    if words and words[-1] in _NOUNS:
        return " ".join(dict.fromkeys(words))
    if words == ["data"]:
        return "data type"
    return None if before.strip().startswith(("@", "//", "*", "/*", "#")) else kind


def spoken_kind(kind: str, signature: str, name: str) -> str:
    """The kind of a symbol in the words of its signature; as the graph has it where that says nothing."""
    if kind not in TYPE_KINDS:
        return kind
    return kind_in(signature, name, kind) or kind


def impl_head(lines: Sequence[str]) -> str:
    """`Schedule for Arc<Handle>`: the head of the `impl` of a trait around the last of these lines; "" without one."""
    own = len(lines[-1]) - len(lines[-1].lstrip()) if lines else 0
    for text in reversed(lines):
        if not text.strip() or len(text) - len(text.lstrip()) >= own:
            continue
        match = _IMPL.match(text)
        if match is not None:
            head = " ".join(match["head"].split()).partition(" where ")[0]
            return head if " for " in head else ""
        if _ANOTHER.match(text):
            return ""
    return ""


def documentation(lines: Sequence[str]) -> range:
    """Where the documentation inside a body stands but for its first line, which says what the rest explains."""
    for first, line in enumerate(lines[:_SIGNATURE_LINES]):
        quote = re.match(r"\s*[rb]?(\"\"\"|''')", line)
        if quote is not None:
            if line.count(quote[1]) > 1:
                return range(0)
            ends = (n for n in range(first + 1, len(lines)) if quote[1] in lines[n])
            return range(first + 1, next(ends, len(lines) - 1) + 1)
    return range(0)
