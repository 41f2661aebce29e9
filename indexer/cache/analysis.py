"""The cache as the indexer sees it: which files were analysed before, their entries, and keeping new ones."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sightline.config import CACHE_FILE, Config
from sightline.embed import Embedder
from sightline.indexer.analysis.analyse import Task, record_of
from sightline.indexer.analysis.quarantine import is_quarantined
from sightline.indexer.cache import packing
from sightline.indexer.cache.keys import Keys
from sightline.indexer.cache.shelf import Shelf, ShelfError
from sightline.indexer.files.read import Skipped, read
from sightline.store.schema import object_dim
from sightline.types import FileEntry, FileRecord

if TYPE_CHECKING:
    from collections.abc import Iterator

logger = logging.getLogger(__name__)

_FLUSH, _END = "flush", "end"  # said to the thread that packs
_BATCH = 256  # entries that are kept in one transaction
_WAITING = 128  # entries that may wait to be packed: each holds the vectors of a file


@dataclass(frozen=True, slots=True)
class Known:
    """A file whose content is in the cache, or that the index has already (then `number` is None)."""

    record: FileRecord
    key: bytes = b""
    number: int | None = None


class AnalysisCache:
    """Entries of files by content. Without a shelf it knows nothing and keeps nothing."""

    def __init__(self, config: Config, embedder: Embedder | None) -> None:
        self._config = config
        self._keys = Keys(embedder.id if embedder is not None else "none")
        self._object_width = object_dim(embedder.dim, embedder.short_dim) if embedder is not None else 0
        self._shelf: Shelf | None = None
        self._lock = threading.Lock()  # the shelf is used by the indexer's thread and by the one that packs
        self._used: set[int] = set()
        self._waiting: queue.Queue[FileEntry | str] = queue.Queue(_WAITING)
        self._packer: threading.Thread | None = None
        if config.cache_bytes:
            try:
                self._shelf = Shelf(config.index_dir.parent / CACHE_FILE, config.cache_bytes)
            except ShelfError as error:
                logger.info("there is no cache of analysis: %s", error)

    def known(self, tasks: Sequence[Task], stopped: Callable[[], bool]) -> Mapping[int, Known]:
        """Which of these files need no analysis, by their place in the list; only files that may be are read."""
        if self._shelf is None or not tasks:
            return {}
        places = [self._keys.place(task.candidate.path, task.candidate.size_bytes) for task in tasks]
        try:
            with self._lock:
                there = self._shelf.places(places)
            read_now = dict(self._read(tasks, places, there, stopped))
            with self._lock:
                numbers = self._shelf.ids(known.key for known in read_now.values() if known.key)
        except ShelfError as error:
            self._give_up(error)
            return {}
        found: dict[int, Known] = {}
        for at, known in read_now.items():
            if not known.key:
                found[at] = known
            elif known.key in numbers:
                found[at] = Known(known.record, known.key, numbers[known.key])
        return found

    def _read(
        self, tasks: Sequence[Task], places: Sequence[bytes], there: set[bytes], stopped: Callable[[], bool]
    ) -> Iterator[tuple[int, Known]]:
        for at, (task, place) in enumerate(zip(tasks, places, strict=True)):
            if stopped():
                return
            if place not in there and not task.known_hash:
                continue
            source = read(self._config, task.candidate)
            if isinstance(source, Skipped):
                continue  # whoever analyses it says why
            record = record_of(source)
            if source.content_hash == task.known_hash:
                yield at, Known(record)
            elif place in there:
                yield at, Known(record, self._keys.entry(source.path, source.language, source.content_hash))

    def entry(self, known: Known) -> FileEntry | None:
        """The entry of a known file; None when it is not there any more, or not as it was written."""
        if known.number is None:
            return FileEntry(known.record)
        if self._shelf is None:
            return None
        try:
            with self._lock:
                data = self._shelf.data(known.number)
            if data is None:
                return None
            entry = packing.unpack(known.key, data, known.record)
        except packing.DamagedError as error:
            logger.warning("an entry of the cache of analysis is damaged (%s) and is made anew", error)
            self._remove(known.number)
            return None
        except ShelfError as error:
            self._give_up(error)
            return None
        self._used.add(known.number)
        return entry

    def keep(self, entry: FileEntry) -> None:
        """Have a new entry kept; nothing is kept that was not read as it should be."""
        if self._shelf is None or not _whole(entry):
            return
        if self._packer is None:
            self._packer = threading.Thread(target=self._pack, name="sightline-cache", daemon=True)
            self._packer.start()
        self._waiting.put(entry)  # packing takes less than making an entry, so this waits for nothing but a busy disk

    def flush(self) -> None:
        """Have what waits, and what was used, written down soon; whoever made an edit does not wait for it."""
        if self._packer is not None:
            self._waiting.put(_FLUSH)
        elif self._used:
            self._add([])

    def close(self) -> None:
        """Write down what waits and let go of the file."""
        if self._packer is not None:
            self._waiting.put(_END)
            self._packer.join()
            self._packer = None
        self._add([])
        with self._lock:
            if self._shelf is not None:
                self._shelf.close()
            self._shelf = None

    def _pack(self) -> None:
        batch: list[tuple[bytes, bytes, bytes]] = []
        while (entry := self._waiting.get()) != _END:
            if isinstance(entry, FileEntry):
                try:
                    batch.append(self._packed(entry))
                except Exception:  # whoever waits for a place in the queue must not wait for ever
                    logger.exception("%s could not be kept in the cache of analysis", entry.record.path)
            if len(batch) >= _BATCH or entry == _FLUSH:
                self._add(batch)
                batch = []
        self._add(batch)

    def _packed(self, entry: FileEntry) -> tuple[bytes, bytes, bytes]:
        record = entry.record
        key = self._keys.entry(record.path, record.language, record.content_hash)
        place = self._keys.place(record.path, record.size_bytes)
        return key, place, packing.pack(key, entry, self._object_width)

    def _add(self, batch: Sequence[tuple[bytes, bytes, bytes]]) -> None:
        used, self._used = self._used, set()
        try:
            with self._lock:
                if self._shelf is not None and (batch or used):
                    self._shelf.add(batch, used)
        except ShelfError as error:  # somebody else writes for long, or there is no room: then these are not kept
            logger.info("%d entries are not kept in the cache of analysis: %s", len(batch), error)

    def _remove(self, number: int) -> None:
        try:
            with self._lock:
                if self._shelf is not None:
                    self._shelf.remove(number)
        except ShelfError as error:
            self._give_up(error)

    def _give_up(self, error: ShelfError) -> None:
        logger.info("the cache of analysis is not used any more: %s", error)
        with self._lock:
            self._shelf = None


def _whole(entry: FileEntry) -> bool:
    """Whether an entry says what the grammar makes of the file: one that was cut by lines because parsing took too
    long says how busy the machine was."""
    record = entry.record
    if record.state != "indexed" or not entry.facts or is_quarantined(record):
        return False
    return not record.parse_errors or len(entry.objects) > 1
