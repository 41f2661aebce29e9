"""The writer lock, and removing an index.

The lock is the operating system's: it goes with the process that holds it, however that ends. Importing this needs no
LanceDB.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import time
from pathlib import Path

import filelock

from sightline.errors import StoreError, WriterBusyError
from sightline.store.seal import make_private, private

_LOCK = "writer.lock"
_WRITER = "writer.json"
_WINDOWS = sys.platform == "win32"  # an open file cannot be deleted there


def take_lock(index_dir: Path) -> filelock.BaseFileLock:
    try:
        index_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        make_private(index_dir)  # the index holds the source, and a shared machine has other users
        lock = filelock.FileLock(index_dir / _LOCK, timeout=0, thread_local=False, mode=0o600)
        lock.acquire()
    except filelock.Timeout as error:
        raise WriterBusyError("another process is indexing this root", hint="its results will be used") from error
    except OSError as error:
        raise StoreError(
            f"the index folder {index_dir} cannot be written: {error}", hint="set SIGHTLINE_INDEX_DIR"
        ) from error
    return lock


def check_free(index_dir: Path) -> None:
    """Raise WriterBusyError while somebody writes, without the import that opening a writer takes."""
    take_lock(index_dir).release()


def wipe(index_dir: Path) -> None:
    """Remove an index but not its lock, which is held. The manifest goes first: readers then see no index at all."""
    for name in ("manifest.json", "pending.json", "damaged.json"):
        (index_dir / name).unlink(missing_ok=True)
    for name in ("tables", "lexical"):
        shutil.rmtree(index_dir / name, ignore_errors=True)


def clear(index_dir: Path) -> bool:
    """Delete a root's index; False when there was none. WriterBusyError while somebody writes it."""
    if not index_dir.exists():
        return False
    try:
        lock = take_lock(index_dir)
    except WriterBusyError as error:
        pid = writer_pid(index_dir)
        who = f"process {pid}" if pid is not None else "another process"
        raise WriterBusyError(f"{who} keeps this index up to date", hint="stop it, then the index can go") from error
    try:
        wipe(index_dir)
        for left in index_dir.iterdir():
            if left.name != _LOCK:
                with contextlib.suppress(OSError):
                    left.unlink()
        if not _WINDOWS:  # while the lock is held: after that the file may be another writer's
            (index_dir / _LOCK).unlink()
    finally:
        lock.release()
    with contextlib.suppress(OSError):  # whoever began a new index meanwhile keeps it; an empty folder does no harm
        if _WINDOWS:
            (index_dir / _LOCK).unlink()
        index_dir.rmdir()
    return True


def writer_pid(index_dir: Path) -> int | None:
    """The process that holds the writer lock, as far as it is known."""
    try:
        return int(json.loads((index_dir / _WRITER).read_text())["pid"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def live_writer(index_dir: Path) -> int | None:
    """The process that writes right now: a note that a killed one left behind does not count."""
    pid = writer_pid(index_dir)
    if pid is None or pid == os.getpid():
        return pid
    try:
        check_free(index_dir)
    except WriterBusyError:
        return pid
    except StoreError:
        return pid  # the lock cannot be asked (a read-only disk): the note is all there is
    return None


def announce_writer(index_dir: Path) -> None:
    """Leave a note who writes, for `status`; the lock itself is what counts."""
    with private(index_dir / _WRITER) as out:
        out.write(json.dumps({"pid": os.getpid(), "since": time.time()}).encode())


def withdraw_writer(index_dir: Path) -> None:
    """Take the note back."""
    (index_dir / _WRITER).unlink(missing_ok=True)
