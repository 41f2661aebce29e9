"""Doc comments to one plain sentence that reads like a query, plus the rest of the text."""

from __future__ import annotations

import re

_MIN_WORDS = 3
_MIN_CHARS = 14
_MAX_WORDS = 45
_MAX_REST_CHARS = 400

# A line that starts the formal part of a doc comment: tags, section headings, code.
_FORMAL = re.compile(
    r"^\s*(?:[@\\](?!brief|desc|summary)\w+|:(?:param|returns?|rtype|type|raises)\b|"
    r"(?:Args|Arguments|Parameters|Params|Returns?|Raises|Yields|Examples?|Notes?|See Also|References|Attributes|Usage|"
    r"Warning|Inputs?|Outputs?|Keyword Arg\w*|#+ (?:Examples?|Panics|Errors|Safety|Arguments|Parameters))\s*:?\s*$|"
    r"-\s*(?:Parameters?|Returns?|Throws)\b.*|\.\. \w|```|>>>|={3,}|-{3,}|"
    r"<(?:param|returns|exception|remarks|example|typeparam|seealso))",
    re.IGNORECASE,
)
_LEAD = re.compile(r"^[@\\](?:brief|desc|description|summary)\s+", re.IGNORECASE)
# Text that says nothing about the code below it.
_NOISE = re.compile(
    r"copyright|licen[cs]e|all rights reserved|auto-?generated|do not edit|eslint|noinspection|pylint|@inheritdoc|spdx|"
    r"todo|fixme|^\s*mark:|^#?region|^\s*see \S+$|^deprecated|nolint|clang-format|@internal$|^test\b|"
    r"swiftlint|ktlint|shellcheck|resharper",
    re.IGNORECASE,
)
_MARKUP = (
    (re.compile(r"</?[a-zA-Z][^>]*>"), " "),
    (re.compile(r"\{@\w+\s+([^}]*)\}"), r"\1"),
    (re.compile(r":\w+:`~?([^`]*)`"), r"\1"),
    (re.compile(r"\[`?([^\]`]*)`?\](?:\([^)]*\))?"), r"\1"),
    (re.compile(r"[`*]"), ""),
    (re.compile(r"\s+"), " "),
)
_COMMENT_MARKS = re.compile(r"^\s*(?:/\*+!?|\*+/|\*+(?!\*)|///?!?|//!|#+!?|-{2,3}(?:\[\[)?|;+|%+|\{-)\s?[|^]?\s?")
_COMMENT_END = re.compile(r"\s*(?:\*+/|\]\]|-\})\s*$")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


def strip_comment(text: str) -> list[str]:
    """Take the comment marks off the lines of a raw comment."""
    return [_COMMENT_END.sub("", _COMMENT_MARKS.sub("", line)) for line in text.splitlines()]


def summarise(lines: list[str]) -> tuple[str, str] | None:
    """Return (first sentence, rest) of a doc comment, or None when it is too short, formal or no prose."""
    opening: list[str] = []
    formal: list[str] = []
    for raw in lines:
        line = _LEAD.sub("", raw.strip())
        if formal or _FORMAL.match(line) or (not line and opening):
            formal.append(line)
        elif line:
            opening.append(line)
    text = " ".join(opening)
    for pattern, replacement in _MARKUP:
        text = pattern.sub(replacement, text)
    sentences = _SENTENCE.split(text.strip())
    used = 1 if len(sentences[0].split()) >= 5 else 2
    first = " ".join(sentences[:used])
    words = first.split()
    if len(words) < _MIN_WORDS or len(first) < _MIN_CHARS or _NOISE.search(text[:200]):
        return None
    first = " ".join(words[:_MAX_WORDS])
    letters = sum(c.isalpha() or c == " " for c in first)
    ascii_chars = sum(c.isascii() for c in first)
    if letters < 0.8 * len(first) or ascii_chars < 0.95 * len(first):
        return None
    rest = " ".join([*sentences[used:], *formal]).strip()
    return first, rest[:_MAX_REST_CHARS]
