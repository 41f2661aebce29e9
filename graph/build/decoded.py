"""The facts of all files: kept as the store keeps them, decoded when they are asked for.

Decoded facts take up to fifty times the room of encoded ones, so only those in use are kept. What was not asked for
since the last time room was made goes first.
"""

from __future__ import annotations

from collections.abc import Iterable

from sightline.languages.encoding import decode
from sightline.languages.facts import FileFacts

_PER_DEFINITION = 14  # encoded bytes, at least, that the room for a definition is for: about a kilobyte
_RESTING_SHARE = 8  # of the room, for what is kept between two updates


class Decoded:
    """Facts by path."""

    def __init__(self, room: int) -> None:
        self._room = room  # for encoded bytes of files that are decoded
        self._encoded: dict[str, bytes] = {}
        self._recent: dict[str, FileFacts] = {}
        self._older: dict[str, FileFacts] = {}
        self._taken = 0  # what the recent ones take of it

    def __contains__(self, path: str) -> bool:
        return path in self._encoded

    def __getitem__(self, path: str) -> FileFacts:
        found = self._recent.get(path)
        return found if found is not None else self._fetch(path, self._encoded[path])

    def get(self, path: str) -> FileFacts | None:
        """The facts of a file; None when there is no such file."""
        found = self._recent.get(path)
        if found is not None:
            return found
        data = self._encoded.get(path)
        return self._fetch(path, data) if data is not None else None

    def take(self, files: Iterable[tuple[str, bytes]]) -> None:
        """Take files that are not there yet."""
        self._encoded.update(files)

    def put(self, path: str, data: bytes | None) -> None:
        """Put a file's facts in place of what was there; None when it is gone."""
        known = self._recent.pop(path, None)
        if known is not None:
            self._taken -= _cost(self._encoded[path], known)
        self._older.pop(path, None)
        if data is None:
            self._encoded.pop(path, None)
        else:
            self._encoded[path] = data

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
            left -= _cost(self._encoded[path], facts)
            if left < 0:
                break
            kept.append((path, facts))
        self._older, self._recent, self._taken = dict(reversed(kept)), {}, 0

    def _fetch(self, path: str, data: bytes) -> FileFacts:
        found = self._older.pop(path, None)
        if found is None:
            found = decode(path, data)
        self._recent[path] = found
        self._taken += _cost(data, found)
        return found


def _cost(data: bytes, facts: FileFacts) -> int:
    """How much of the room decoded facts take: what is encoded well, a header of registers, is no smaller for it."""
    return max(len(data), _PER_DEFINITION * len(facts.definitions))
