"""Relationships from facts, kept right while files change.

`Resolver.update` is the whole of it: put the new facts into the table, learn which keys changed, and resolve again the
files that read one of those keys. Nothing else can change, since resolving a file reads other files only through keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from sightline.graph.build.edges import relationships_of
from sightline.graph.build.evaluate import Evaluator
from sightline.graph.build.table import Table
from sightline.languages.encoding import decode
from sightline.languages.facts import FileFacts
from sightline.types import Relationship


class Resolver:
    """The relationships of a root, by file."""

    def __init__(self) -> None:
        self._table = Table()
        self._evaluator = Evaluator(self._table)
        self._reads: dict[str, frozenset[int]] = {}
        self._unread: dict[str, bytes] = {}  # loaded files whose facts were not decoded yet
        self._unresolved: set[str] = set()  # decoded ones whose reads are not known yet
        self._prepared: dict[str, tuple[bytes, FileFacts]] = {}
        self.given_up: dict[str, int] = {}  # file → questions about it that went round in circles for too long

    def load(self, facts: Iterable[tuple[str, bytes]]) -> None:
        """Take the files as the index has them. They are read at the first update, or by `warm`."""
        self._unread.update(facts)

    @property
    def is_warm(self) -> bool:
        """Is everything read, so that an update takes only as long as what it changes?"""
        return not self._unread and not self._unresolved

    def warm(self, stopped: Callable[[], bool] = lambda: False, pause: Callable[[], None] = lambda: None) -> bool:
        """Read every loaded file and learn what it looks up; False when stopped half way: the next time goes on.

        `pause` is called after every file: the interpreter runs one thread at a time, and others may have to answer.
        """
        while self._unread and not stopped():
            path, data = self._unread.popitem()
            self._table.replace(path, decode(path, data))
            self._unresolved.add(path)
            pause()
        for path in sorted(self._unresolved):
            if stopped():
                break
            self._resolve(path)
            self._unresolved.discard(path)
            pause()
        self._evaluator.forget()
        return self.is_warm

    def prepare(self, path: str, data: bytes) -> None:
        """Read facts that `update` is going to be given, while there is time for it. Changes nothing else."""
        self._prepared[path] = (data, decode(path, data))

    def update(self, changed: Mapping[str, bytes | None]) -> dict[str, list[Relationship]]:
        """Apply new facts (None: the file is gone) and return the relationships of every file that may differ."""
        self.warm()
        keys: set[int] = set()
        for path, data in changed.items():
            keys |= self._table.replace(path, self._facts(path, data) if data is not None else None)
            self._reads.pop(path, None)
            self.given_up.pop(path, None)
        affected = {path for path, reads in self._reads.items() if not keys.isdisjoint(reads)}
        affected |= {path for path, data in changed.items() if data is not None}
        result = {path: self._resolve(path) for path in sorted(affected)}
        result.update({path: [] for path, data in changed.items() if data is None})
        self._evaluator.forget()
        self._prepared.clear()
        return result

    def _facts(self, path: str, data: bytes) -> FileFacts:
        prepared = self._prepared.get(path)
        return prepared[1] if prepared is not None and prepared[0] is data else decode(path, data)

    def _resolve(self, path: str) -> list[Relationship]:
        reads: set[int] = set()
        self._table.frames[:] = [reads]
        resolved = relationships_of(self._evaluator, self._table.files[path])
        self._reads[path] = frozenset(reads)
        self.given_up.pop(path, None)
        if resolved.given_up:
            self.given_up[path] = resolved.given_up
        return resolved.relationships
