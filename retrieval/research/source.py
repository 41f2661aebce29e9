"""Source lines as evidence: numbered, read once, and claimed so that none is shown twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from sightline.retrieval.research.model import Fact, Line

if TYPE_CHECKING:
    from sightline.store import Snapshot

ReadLines = Callable[[str, int, int], Sequence[str] | None]

_MAX_LINE_CHARS = 200  # a longer line is minified or data
_MAX_SITE_CHARS = 100  # of a call site quoted beside a claim


class Source:
    """The lines of the root's files: from `read_lines` where given, else as they were indexed."""

    def __init__(self, snapshot: Snapshot, read_lines: ReadLines | None) -> None:
        self._snapshot, self._read = snapshot, read_lines
        self._indexed: dict[str, dict[int, str]] = {}
        self._claimed: set[tuple[str, int]] = set()

    def prepare(self, paths: Iterable[str]) -> None:
        """Read the indexed text of several files at once."""
        if self._read is not None:
            return
        chunks = self._snapshot.chunks
        missing = [path for path in dict.fromkeys(paths) if path not in self._indexed]
        positions = [p for path in missing for p in chunks.positions_of_path(path).tolist()]
        self._indexed.update({path: {} for path in missing})
        for chunk in chunks.get(positions):
            lines = self._indexed[chunk.path]
            lines.update(enumerate(chunk.text.split("\n")[: chunk.end_line - chunk.start_line + 1], chunk.start_line))

    def text(self, path: str, line: int) -> str:
        """One line, stripped; "" when it cannot be had."""
        found = self.lines(path, line, line)
        return found[0][1].strip() if found else ""

    def site(self, fact: Fact) -> tuple[str, tuple[str, int] | None]:
        """The line that states a fact, to be quoted beside it: with its place if nobody has shown it yet, else ""."""
        key = (fact.path, fact.line)
        if key in self._claimed:
            return "", None
        text = self.text(*key)
        if not text:
            return "", None
        self._claimed.add(key)
        return (text if len(text) <= _MAX_SITE_CHARS else text[:_MAX_SITE_CHARS] + "…"), key

    def excerpt(self, path: str, start: int, end: int, *, facts: Sequence[Fact] = ()) -> list[Line]:
        """Numbered lines not shown yet; the first carries the facts."""
        lines: list[Line] = []
        for number, text in self.lines(path, start, end):
            if (path, number) in self._claimed:
                continue
            self._claimed.add((path, number))
            shown = text.rstrip()
            shown = shown if len(shown) <= _MAX_LINE_CHARS else shown[:_MAX_LINE_CHARS] + "…"
            lines.append(Line(f"{number:>5} {shown}", tuple(facts) if not lines else (), (path, number)))
        while lines and not lines[-1].text[6:].strip():
            lines.pop()
        return lines

    def lines(self, path: str, start: int, end: int) -> list[tuple[int, str]]:
        """Lines with their numbers, both ends included; none of a file that cannot be had."""
        if self._read is not None:
            read = self._read(path, start, end)
            return list(enumerate(read, start)) if read is not None else []
        self.prepare([path])
        indexed = self._indexed[path]
        if end - start > len(indexed):
            return sorted((number, text) for number, text in indexed.items() if start <= number <= end)
        return [(number, indexed[number]) for number in range(start, end + 1) if number in indexed]
