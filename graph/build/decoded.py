"""The facts of all files: kept as the store keeps them (`spool.py`), decoded when they are asked for.

Decoded facts take up to fifty times the room of encoded ones, so only those in use are kept. What was not asked for
since the last time room was made goes first.
"""

from __future__ import annotations

from collections.abc import Iterable

from sightline.graph.build.spool import Spool
from sightline.languages.encoding import decode
from sightline.languages.facts import FileFacts

_PER_DEFINITION = 14  # encoded bytes, at least, that the room for a definition is for: about a kilobyte
_RESTING_SHARE = 8  # of the room, for what is kept between two updates


class Decoded:
    """Facts by path."""

    def __init__(self, room: int, encoded: Spool) -> None:
        self._room = room  # for encoded bytes of files that are decoded
        self._encoded = encoded
        self._recent: dict[str, FileFacts] = {}
        self._older: dict[str, FileFacts] = {}
        self._taken = 0  # what the recent ones take of it

    def __contains__(self, path: str) -> bool:
        return path in self._encoded

    def __getitem__(self, path: str) -> FileFacts:
        found = self._recent.get(path)
        return found if found is not None else self._fetch(path)

    def get(self, path: str) -> FileFacts | None:
        """The facts of a file; None when there is no such file."""
        found = self._recent.get(path)
        if found is not None:
            return found
        return self._fetch(path) if path in self._encoded else None

    def take(self, files: Iterable[tuple[str, bytes]]) -> None:
        """Take files that are not there yet."""
        self._encoded.take(files)

    def cost(self, path: str) -> int:
        """How many encoded bytes have to be read to resolve a file, at least."""
        return self._encoded.length(path)

    def put(self, path: str, data: bytes | None) -> None:
        """Put a file's facts in place of what was there; None when it is gone."""
        known = self._recent.pop(path, None)
        if known is not None:
            self._taken -= self._cost(known)
        self._older.pop(path, None)
        if data is None:
            self._encoded.drop(path)
        else:
            self._encoded.put(path, data)

    def is_full(self) -> bool:
        """Is more decoded than there is room for?"""
        return self._taken > self._room

    def shrink(self, room: int) -> None:
        """Have only so much room from now on, and begin with nothing in it."""
        self._room = room
        self._older, self._recent, self._taken = {}, {}, 0

    def make_room(self) -> None:
        """Let go of what was not asked for since the last time."""
        self._older, self._recent, self._taken = self._recent, {}, 0

    def rest(self) -> None:
        """Between two updates keep little, the latest: what the next edit is likely to ask for again."""
        kept: list[tuple[str, FileFacts]] = []
        left = self._room // _RESTING_SHARE
        for path, facts in (*reversed(self._recent.items()), *reversed(self._older.items())):
            left -= self._cost(facts)
            if left < 0:
                break
            kept.append((path, facts))
        self._older, self._recent, self._taken = dict(reversed(kept)), {}, 0

    def _fetch(self, path: str) -> FileFacts:
        found = self._older.pop(path, None)
        if found is None:
            found = decode(path, self._encoded[path])
        self._recent[path] = found
        self._taken += self._cost(found)
        return found

    def _cost(self, facts: FileFacts) -> int:
        """How much of the room decoded facts take: a header of registers is encoded well and no smaller for it."""
        return max(self._encoded.length(facts.path), _PER_DEFINITION * len(facts.definitions))
