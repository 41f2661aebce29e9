"""Whether an answer names a place."""

from __future__ import annotations

import re

_FILE = r"[^\s:|`(),]*[^\s:|`(),/]\.\w+"
_HEADING = re.compile(rf"\s*({_FILE})\s*")
_NAMED = re.compile(rf"(?P<file>{_FILE})(?=:\d)|:(?P<line>\d+)\b")
_FOLDER = re.compile(r"\s*(\S+/)\s*")


def names_place(text: str, path: str, line: int) -> bool:
    """Does a text name a place: `path:line`, or `:line` below the row of that path?

    Where a section has no such row, `:line` is of the file that was named last. A path may be written as the name of
    the file below the row of its folder.
    """
    folder = heading = last = ""
    for row in text.split("\n"):
        if row.startswith("## "):
            folder = heading = ""
        elif found := _FOLDER.fullmatch(row):
            folder = found[1].removeprefix("./")
        elif found := _HEADING.fullmatch(row):
            heading = last = found[1]
        named = heading or last
        for part in _NAMED.finditer(row):
            if part["file"] is not None:
                named = last = part["file"]
            elif int(part["line"]) == line and path in (named, folder + named):
                return True
    return False
