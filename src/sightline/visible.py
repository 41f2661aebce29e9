"""Text of the repository as one line that cannot be mistaken for ours.

File names, symbols, documentation and source are written by whoever wrote the repository. A name with a line feed in it
would forge a hit, an escape sequence would talk to the terminal, a mark that reverses the direction of writing would
show other code than there is. So whatever an answer, a message or a log line is made of goes through `visible` before
it becomes a line: characters that end lines, control devices or cannot be seen become what a string literal has for
them (`\\n`, `\\x1b`, `\\u202e`). JSON is data and stays exact.
"""

from __future__ import annotations

import re

_TAB = "\t"
# Controls (C0, DEL, C1), separators of lines and paragraphs, halves of surrogate pairs, and what has no width or no
# shape: soft hyphen, zero-width and direction marks, fillers, byte order mark, annotations, language tags, and the
# selectors that can carry hidden bytes. U+FE0E and U+FE0F, which choose the look of an emoji, stay.
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def visible(text: str) -> str:
    """The text as part of a line: nothing in it ends the line, controls a terminal or hides."""
    return text if text.isascii() and text.isprintable() else _HIDDEN.sub(_escaped, text)


def visible_source(line: str) -> str:
    """A line of source: as `visible`, but tabs stay, since whoever edits by it has to write them."""
    return _TAB.join(map(visible, line.split(_TAB)))


def _escaped(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")
