"""A repository of a catalog: what a root answers when there is no work tree, only the index of a commit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from sightline.config import Config
from sightline.errors import CorruptIndexError, QueryError, StoreError
from sightline.server.answers.answered import Answered
from sightline.server.catalog.grants import Grant
from sightline.server.root import Root
from sightline.server.snapshots import Snapshots
from sightline.types import IndexStatus

if TYPE_CHECKING:
    from sightline.indexer.bundles.catalog import Entry
    from sightline.retrieval.research.occurrences import Texts
    from sightline.retrieval.research.source import ReadLines
    from sightline.server.catalog.shelf import Shelf
    from sightline.server.embedder import RootEmbedder
    from sightline.server.progress import Call
    from sightline.store import Snapshot

_T = TypeVar("_T")


class PublishedRoot(Root):
    """One repository, as somebody with a grant sees it. Its lines are those of the commit that was published."""

    has_work_tree = False

    def __init__(self, name: str, shelf: Shelf, grant: Grant, config: Config, embedder: RootEmbedder) -> None:
        super().__init__(config, name, snapshots=ShelfSnapshots(config, name, shelf, grant), embedder=embedder)

    def ask(
        self, ask: Callable[[Snapshot], _T], paths: Callable[[_T], Iterable[str]], call: Call
    ) -> tuple[_T | None, Answered]:
        """Answer from the snapshot; a repository that cannot be read says so and keeps no other from answering."""
        try:
            return super().ask(ask, paths, call)
        except StoreError as error:
            return None, Answered(self.empty_status(), frozenset(), [f"{self.name} could not be asked: {error}"])

    def changed(self, snapshot: Snapshot, paths: Iterable[str]) -> list[str]:
        """None: what was published does not change."""
        return []

    def lines(self, snapshot: Snapshot) -> ReadLines:
        """Source lines as they were indexed."""
        from sightline.retrieval.research.source import Source

        source = Source(snapshot, None)

        def read(path: str, start_line: int, end_line: int) -> Sequence[str] | None:
            if path not in snapshot.files:
                return None
            return [text for _, text in source.lines(path, start_line, end_line)]

        return read

    def texts(self, snapshot: Snapshot) -> Texts:
        """Whole texts as they were indexed; of files that the index left out there is none, and that is said."""
        from sightline.server.catalog.texts import PublishedTexts

        return PublishedTexts(snapshot)

    def file_text(self, path: str) -> str:
        """The text of a file that the index holds."""
        snapshot = self.snapshot()
        record = snapshot.files.get(path) if snapshot is not None else None
        if snapshot is None or record is None or record.state != "indexed":
            raise QueryError(f"no file {path[:200]!r} in the index of {self.name}")
        read = self.lines(snapshot)(path, 1, record.lines)
        return "".join(f"{line}\n" for line in read or ())

    def empty_status(self) -> IndexStatus:
        """The state of a repository that cannot be read."""
        return IndexStatus("ready", 0, 0, 0, 0)

    def collected(self) -> dict[str, Any]:
        """What `sightline://status` says of it, without opening it."""
        assert isinstance(self._snapshots, ShelfSnapshots)
        entry = self._snapshots.entry()
        return {
            "name": self.name,
            "commit": entry.commit if entry is not None else "",
            "state": "ready" if entry is not None else "none",
            "files": {"indexed": entry.files if entry is not None else 0},
            "size_bytes": entry.size if entry is not None else 0,
            "embedder": {"id": entry.embedder if entry is not None else ""},
        }


class ShelfSnapshots(Snapshots):
    """The snapshots of one repository, from the shelf and within a grant."""

    def __init__(self, config: Config, name: str, shelf: Shelf, grant: Grant) -> None:
        super().__init__(config, name)
        self._shelf, self._grant = shelf, grant

    def newest(self) -> Snapshot | None:
        """The newest one that was published; None when it cannot be had."""
        try:
            self.unreadable = None
            return self._shelf.snapshot(self._name, self._grant)
        except StoreError as error:
            self.unreadable = error
            return None

    def entry(self) -> Entry | None:
        """What the catalog says of it."""
        return self._shelf.repositories(self._grant).get(self._name)

    def forget(self) -> None:
        """Fetch it anew the next time."""
        self._shelf.forget(self._name)

    def let_go(self) -> None:
        """The shelf holds it, for others too."""

    def report(self, error: CorruptIndexError) -> None:
        """Nobody writes it who could mend it: it is fetched anew."""
        self.forget()
