"""Whether an answer names a place."""

from __future__ import annotations

import re


def names_place(text: str, path: str, line: int) -> bool:
    """Does a text name a place: `path:line`, or the line where the path, or its folder, stands above?"""
    name = path.rpartition("/")[2]
    written = re.compile(rf"(?:{re.escape(path)}|{re.escape(name)})\S*?:{line}\b")
    return bool(written.search(text)) or (path in text and re.search(rf":{line}\b", text) is not None)
