"""The titled parts of a document: headings of prose, keys of data, ids and selectors of pages."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sightline.languages.grammar import captured, sections_query
from sightline.languages.outline import last_line
from sightline.languages.table import spec_of
from sightline.types import ParsedFile

_MAX_DEPTH = 8  # nodes below this are details: keys of keys of keys
_MAX_TITLE_CHARS = 80
_PATH_SEPARATOR = " > "


@dataclass(frozen=True, slots=True)
class Section:
    """A titled part of a document; reads like a definition where only names and lines matter."""

    name: str
    qualified_name: str
    parent: int
    start_line: int
    end_line: int
    kind: str = "document"
    signature: str = ""
    doc: str = ""
    owner: str = ""


def sections(parsed: ParsedFile) -> list[Section]:
    """List the titled parts of a document in order, outer before inner; empty for code."""
    spec = spec_of(parsed.language)
    if spec.headings is not None:
        return _from_headings(spec.headings(parsed.source.decode("utf-8", "replace")), parsed.source)
    if not spec.sections or parsed.tree is None:
        return []
    nodes = captured(sections_query(parsed.language), parsed.tree.root_node, "section", depth=_MAX_DEPTH)
    found: list[Section] = []
    open_: list[tuple[int, int]] = []
    for node in nodes:
        if node.start_point.row == node.end_point.row:
            continue  # one line needs no title: it is in the text
        title = " ".join(spec.sections[node.type](node).split())[:_MAX_TITLE_CHARS]
        while open_ and open_[-1][0] < node.end_byte:
            open_.pop()
        parent = open_[-1][1] if open_ else -1
        if title:
            found.append(_section(found, parent, title, node.start_point.row + 1, last_line(node)))
            open_.append((node.end_byte, len(found) - 1))
    return found


def _from_headings(headings: list[tuple[int, int, str]], source: bytes) -> list[Section]:
    rows = source.count(b"\n") + (0 if source.endswith(b"\n") else 1)
    found: list[Section] = []
    open_: list[tuple[int, int]] = []  # (level, index)
    for row, level, title in headings:
        while open_ and open_[-1][0] >= level:
            ended = open_.pop()[1]
            found[ended] = replace(found[ended], end_line=row)
        parent = open_[-1][1] if open_ else -1
        found.append(_section(found, parent, title[:_MAX_TITLE_CHARS], row + 1, rows))
        open_.append((level, len(found) - 1))
    return found


def _section(found: list[Section], parent: int, title: str, start_line: int, end_line: int) -> Section:
    path = f"{found[parent].qualified_name}{_PATH_SEPARATOR}{title}" if parent >= 0 else title
    return Section(title, path, parent, start_line, end_line)
