"""The bundles of a catalog that this machine has, and the snapshots of them that are held.

A bundle is fetched when its repository is first asked of, checked like any other, and put into a folder of its own by
renaming it there whole: whoever finds a folder finds all of it. What is used least goes when the folders take more than
they may, and snapshots that are held go the same way, by what their files take. Every way to a name or to a snapshot
asks for a grant and gives nothing beyond it.
"""

from __future__ import annotations

import contextlib
import logging
import shutil
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import xxhash

from sightline.config import check_index_dir
from sightline.errors import BundleError, CorruptIndexError, QueryError, StoreError
from sightline.indexer.bundles.catalog import Entry, open_repository, read_catalog
from sightline.indexer.bundles.places import open_place
from sightline.indexer.bundles.pull import lay_out
from sightline.server.catalog.grants import Grant
from sightline.store import Snapshot, open_snapshot
from sightline.store.seal import make_private
from sightline.visible import visible

LOOK_AGAIN_S = 60.0  # for newer bundles
_FETCHED_AT_ONCE = 8
_LEFT_S = 3_600.0  # what was begun so long ago and is not there belongs to a process that was killed
_USED = "used"  # its time says when a bundle was opened last, and its content how many bytes the bundle has
_NEW = ".new-"
# Memory that a snapshot takes per byte of its files once everything of it was asked: 220 MB for the 53 MB of 60 small
# repositories (`scripts/bench fleet`, 2026-11-18).
_HELD_PER_BYTE = 4
_logger = logging.getLogger(__name__)


class Shelf:
    """Bundles by use."""

    def __init__(self, address: str, folder: Path, *, disk_bytes: int, held_bytes: int) -> None:
        self.address, self.disk_bytes = address, disk_bytes
        self._place = open_place(address)
        key = xxhash.xxh3_64_hexdigest(address.encode())
        self._folder = folder / f"catalog-{key}"
        self.nowhere = self._folder / ".no-work-tree"  # where the roots of a catalog are not
        self._held_bytes = held_bytes
        self._lock = threading.Lock()  # of what follows; never held while something is read or fetched
        self._entries: Mapping[str, Entry] = {}
        self._read_at: float | None = None
        self._held: OrderedDict[str, tuple[Entry, Snapshot]] = OrderedDict()  # the one used last at the end
        self._fetching: dict[str, threading.Lock] = {}

    def open(self) -> None:
        """Read the catalog, and clear away what a killed process left; BundleError when there is no catalog."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        make_private(self._folder)
        check_index_dir(self._folder)
        for left in self._folder.glob(".*"):
            with contextlib.suppress(FileNotFoundError):
                if time.time() - left.stat().st_mtime > _LEFT_S:
                    shutil.rmtree(left, ignore_errors=True)
        self._entries, self._read_at = read_catalog(self._place), time.monotonic()

    def repositories(self, grant: Grant) -> dict[str, Entry]:
        """What there is of what may be seen, by name."""
        self._look_again()
        return {name: entry for name, entry in self._entries.items() if grant.allows(name)}

    def bring(self, names: Sequence[str], grant: Grant, step: Callable[[str], None]) -> None:
        """Fetch what is not here yet, several at once; what fails is said when it is asked."""
        known = self.repositories(grant)
        missing = [known[name] for name in names if name in known and not self._is_here(known[name])]
        if not missing:
            return
        pool = ThreadPoolExecutor(_FETCHED_AT_ONCE, thread_name_prefix="sightline-fetch")
        try:
            for number, _ in enumerate(pool.map(self._try_to_fetch, missing)):
                step(f"fetching repositories: {number + 1:,} of {len(missing):,}")
        finally:
            pool.shutdown(cancel_futures=True)  # who asked may have gone

    def snapshot(self, name: str, grant: Grant) -> Snapshot:
        """The newest published snapshot of a repository that may be seen; QueryError when there is none of this name.

        StoreError when it cannot be used.
        """
        entry = self.repositories(grant).get(name)
        if entry is None:
            raise QueryError(f"unknown root {name[:200]!r}")
        with self._lock:
            held = self._held.get(name)
            if held is not None and held[0] == entry:
                self._held.move_to_end(name)
                return held[1]
            one_at_a_time = self._fetching.setdefault(name, threading.Lock())
        with one_at_a_time:
            with self._lock:
                held = self._held.get(name)
            if held is not None and held[0] == entry:
                return held[1]
            snapshot = self._opened(entry)
            with self._lock:
                self._held[name] = (entry, snapshot)
                self._held.move_to_end(name)
                self._let_go_of_least()
            return snapshot

    def forget(self, name: str) -> None:
        """Open a repository anew the next time, from a bundle that is fetched anew."""
        with self._lock:
            held = self._held.pop(name, None)
        if held is not None:
            self._remove(self._folder_of(held[0]))

    def let_go(self) -> None:
        """Hold no snapshot any more."""
        with self._lock:
            self._held.clear()

    def held(self) -> int:
        """How many snapshots are held."""
        with self._lock:
            return len(self._held)

    def _look_again(self) -> None:
        now = time.monotonic()
        with self._lock:
            if self._read_at is not None and now - self._read_at < LOOK_AGAIN_S:
                return
            self._read_at = now  # one looks, the others go on with what there is
        try:
            self._entries = read_catalog(self._place)
        except BundleError as error:
            _logger.warning("the catalog cannot be read again: %s", visible(str(error)))
            return
        with self._lock:
            for name in [name for name in self._held if name not in self._entries]:
                del self._held[name]

    def _opened(self, entry: Entry) -> Snapshot:
        """Open a bundle; once more, fetched anew, when what is here is damaged."""
        for last in (False, True):
            folder = self._fetched(entry)
            try:
                snapshot = open_snapshot(folder)
            except (CorruptIndexError, OSError) as error:
                self._remove(folder)
                if last:
                    raise BundleError(f"{entry.name} cannot be opened: {error}") from error
                continue
            if snapshot is not None:
                with contextlib.suppress(OSError):
                    (folder / _USED).touch(mode=0o600)
                return snapshot
            self._remove(folder)
        raise BundleError(f"{entry.name} cannot be opened: there is nothing in its bundle")

    def _try_to_fetch(self, entry: Entry) -> None:
        with contextlib.suppress(StoreError):
            self._fetched(entry)

    def _fetched(self, entry: Entry) -> Path:
        """The folder of a bundle, which is fetched where it is not here."""
        folder = self._folder_of(entry)
        if self._is_here(entry):
            return folder
        self._make_room(entry.size)
        try:
            new = Path(tempfile.mkdtemp(prefix=_NEW, dir=self._folder))
        except OSError as error:
            raise BundleError(f"nothing can be kept in {self._folder}: {error.strerror or error}") from error
        try:
            place = open_repository(self.address, entry.name)
            # Whatever model it was made with: where that is not ours, answers go by words and say so.
            lay_out(place, entry.commit, entry.sha256, entry.embedder, new)
            (new / _USED).write_text(str(entry.size))
            with contextlib.suppress(OSError):  # another one was quicker, and its is as good
                new.rename(folder)
        except OSError as error:
            raise BundleError(f"{entry.name} cannot be kept in {self._folder}: {error.strerror or error}") from error
        finally:
            shutil.rmtree(new, ignore_errors=True)
        return folder

    def _is_here(self, entry: Entry) -> bool:
        return (self._folder_of(entry) / "manifest.json").exists()

    def _folder_of(self, entry: Entry) -> Path:
        key = xxhash.xxh3_64_hexdigest(f"{entry.name} {entry.commit} {entry.sha256}".encode())
        return self._folder / f"{entry.name.replace('/', '!')[:80]}-{key}"

    def _make_room(self, wanted: int) -> None:
        """Remove what was used least until there is room; what is held stays."""
        with self._lock:
            held = {self._folder_of(entry).name for entry, _ in self._held.values()}
        kept: list[tuple[float, int, Path]] = []
        for folder in self._folder.iterdir():
            with contextlib.suppress(OSError, ValueError):  # it is being removed
                if not folder.name.startswith("."):
                    used = folder / _USED
                    kept.append((used.stat().st_mtime, int(used.read_text()), folder))
        total = sum(size for _, size, _ in kept) + wanted
        for _, size, folder in sorted(kept):
            if total <= self.disk_bytes:
                break
            if folder.name not in held:
                self._remove(folder)
                total -= size

    def _remove(self, folder: Path) -> None:
        """Remove a bundle; its manifest first, so that nobody takes a part for the whole."""
        with contextlib.suppress(OSError):
            (folder / "manifest.json").unlink()
        shutil.rmtree(folder, ignore_errors=True)

    def _let_go_of_least(self) -> None:
        total = sum(_HELD_PER_BYTE * entry.size for entry, _ in self._held.values())
        while total > self._held_bytes and len(self._held) > 1:
            _, (entry, _) = self._held.popitem(last=False)
            total -= _HELD_PER_BYTE * entry.size
