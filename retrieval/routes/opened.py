"""The files that one question about frameworks reads, and the notes on them that all questions share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from sightline.frameworks.model import Opened
from sightline.frameworks.notes import Notebook, Notes

if TYPE_CHECKING:
    from sightline.retrieval.research.occurrences import Content, Texts
    from sightline.types import FileRecord

_MOST_BYTES = 100_000_000  # of source that notes are kept on; they take a tenth of that or less
_NOTEBOOK = Notebook(_MOST_BYTES)

Contents = Mapping[str, "Content | None"]


def contents_of(texts: Texts, paths: Iterable[str]) -> dict[str, Content | None]:
    """What files hold now; None for those that are not there."""
    wanted = sorted(paths)
    return dict.fromkeys(wanted) | {content.path: content for content in texts.contents(wanted)}


class Files:
    """The files of a root for one question: a text is had where there is no note on it that answers."""

    def __init__(self, texts: Texts, records: Mapping[str, FileRecord]) -> None:
        self._texts, self._records = texts, records
        self._known: dict[str, str] = {}
        self._notes: dict[str, Notes] = {}
        self.contents: dict[str, Content | None] = {}  # of all files that were asked for
        self.moving = False  # a file was written while it was looked at

    @property
    def changed(self) -> set[str]:
        """The files that are no longer what was indexed."""
        return {path for path, content in self.contents.items() if content is not None and content.changed}

    def prepare(self, paths: Iterable[str], purpose: str) -> None:
        """Have what will be asked for: the texts of all files that were not read before for this purpose."""
        self._look(path for path in paths if path not in self.contents)
        unread = [p for p in sorted(paths) if (notes := self._notes.get(p)) is not None and not notes.has(purpose)]
        self._read(unread)
        for path in unread:
            self._notes[path].once(purpose, lambda: True)

    def open(self, path: str) -> Opened | None:
        """A file and the notes on it; None where it is not there."""
        if path not in self.contents:
            self._look([path])
        return Opened(lambda: self._text(path), self._notes[path]) if path in self._notes else None

    def _look(self, paths: Iterable[str]) -> None:
        found = contents_of(self._texts, paths)
        self.contents |= found
        for path, content in found.items():
            if content is not None:
                record = self._records[path]
                self._notes[path] = _NOTEBOOK.of((path, record.language, content.name), record.size_bytes)

    def _text(self, path: str) -> str:
        if path not in self._known:
            self._read([path])
        return self._known.get(path, "")

    def _read(self, paths: list[str]) -> None:
        """Read files. What was written meanwhile is not noted as what was there before."""
        if not paths:
            return
        self._known |= {text.path: text.data.decode("utf-8", "replace") for text in self._texts.indexed(paths)}
        for path, content in contents_of(self._texts, paths).items():
            if content != self.contents[path]:
                self.moving = True
                self._notes[path] = Notes()
                self.contents[path] = content
