"""What agents asked, kept on this machine for `sightline stats`: a log beside the indexes, and nothing else reads it.

A call only puts a note into a queue; a thread of its own works out what the files of the answer weigh and writes one
line. The log is the person's alone (mode 0600), is never written through a link, and is bounded: at `MAX_BYTES` it
becomes the older half and a new one begins. It can be switched off (`serve --no-usage-log`, `SIGHTLINE_USAGE_LOG=0`),
and a log that cannot be written costs nothing but itself.
"""

from __future__ import annotations

import json
import logging
import os
import queue
import stat
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from sightline.visible import visible

NAME = "usage.jsonl"
OLDER = "usage.1.jsonl"
MAX_BYTES = 1_000_000  # of each of the two files; about five thousand calls
MAX_ASKED = 300  # characters of a question that are kept
MAX_WAITING = 1_000  # notes; beyond that they are dropped, since nobody must wait for a log
_FLUSH_S = 1.0  # at the end of the process
_MAX_LINE = 4_000
_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool, as the log has it."""

    at: float  # seconds since 1970
    root: str
    tool: str
    asked: str
    ms: int
    answer_chars: int
    found: bool  # whether the answer was more than that there is nothing
    files: int = 0  # whose lines or symbols the answer names
    files_bytes: int = 0  # of these files, whole


@dataclass(frozen=True, slots=True)
class Note:
    """A call that is to be logged; what costs time is worked out on the log's own thread."""

    call: Call
    text: str
    make_payload: Callable[[], Mapping[str, Any]]
    roots: Sequence[tuple[str, Path]]  # label and folder of the roots that were asked


class UsageLog:
    """Writes calls into the log of one folder of indexes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._waiting: queue.Queue[Note | None] = queue.Queue(MAX_WAITING)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def note(self, note: Note) -> None:
        """Have a call logged, some time soon; never waits."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="sightline-usage", daemon=True)
                self._thread.start()
        try:
            self._waiting.put_nowait(note)
        except queue.Full:
            _logger.debug("the usage log is behind; a call is left out")

    def close(self) -> None:
        """Write what waits, for a moment."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is None:
            return
        try:
            self._waiting.put_nowait(None)
        except queue.Full:
            return
        thread.join(_FLUSH_S)

    def _work(self) -> None:
        while (note := self._waiting.get()) is not None:
            try:
                append(self._folder, weighed(note))
            except OSError as error:
                _logger.debug("the usage log cannot be written: %s", visible(str(error)))
            except Exception:  # the next call is logged all the same
                _logger.exception("a call could not be logged")


def weighed(note: Note) -> Call:
    """The call, with the files that its answer names and what they weigh whole."""
    sizes: dict[Path, int] = {}
    for label, path in set(_paths(note.make_payload())):
        if visible(path) not in note.text:  # found, but cut from the answer: not what the agent was spared
            continue
        for name, folder in note.roots:
            if label in ("", name) and (size := _size(folder / path)) is not None:
                sizes[folder / path] = size
    return replace(note.call, files=len(sizes), files_bytes=sum(sizes.values()))


def append(folder: Path, call: Call) -> None:
    """Write one call at the end of the log; OSError when that is not possible."""
    line = json.dumps(asdict(call), ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
    if len(line) > _MAX_LINE:
        return
    folder.mkdir(parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    descriptor = os.open(folder / NAME, flags, 0o600)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(f"{folder / NAME} is not a file")
        os.write(descriptor, line)  # one write at the end of the file: lines of several processes do not mix
        full = os.fstat(descriptor).st_size >= MAX_BYTES
    finally:
        os.close(descriptor)
    if full:
        _turn_over(folder)


def read(folder: Path) -> Iterator[Call]:
    """The calls of a log, oldest first; lines that are not ours are skipped."""
    for name in (OLDER, NAME):
        try:
            content = (folder / name).read_bytes()[: 2 * MAX_BYTES]
        except FileNotFoundError:
            continue
        for line in content.split(b"\n"):
            if (call := _parsed(line)) is not None:
                yield call


def forget(folder: Path) -> bool:
    """Delete the log; whether there was one."""
    had = False
    for name in (NAME, OLDER):
        try:
            (folder / name).unlink()
            had = True
        except FileNotFoundError:
            continue
    return had


def _turn_over(folder: Path) -> None:
    """The full log becomes the older one.

    Two processes may come at once; the second finds a short one and leaves it. Between its look and its rename are
    microseconds, and what could be lost in them is the older half of a log.
    """
    try:
        if (folder / NAME).stat().st_size >= MAX_BYTES:
            (folder / NAME).replace(folder / OLDER)
    except FileNotFoundError:
        return  # somebody else was quicker


def _parsed(line: bytes) -> Call | None:
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, dict) or values.keys() != {field.name for field in fields(Call)}:
        return None
    call = Call(**values)
    texts = all(isinstance(value, str) for value in (call.root, call.tool, call.asked))
    counts = (call.at, call.ms, call.answer_chars, call.files, call.files_bytes)
    numbers = all(isinstance(value, int | float) and value >= 0 for value in counts)
    return call if texts and numbers and isinstance(call.found, bool) else None


def _paths(data: Any, label: str = "") -> Iterable[tuple[str, str]]:
    """Every path that an answer's data names, with the root it belongs to."""
    if isinstance(data, Mapping):
        label = str(data.get("root") or label)
        if isinstance(path := data.get("path"), str):
            yield label, path
        for value in data.values():
            yield from _paths(value, label)
    elif isinstance(data, list | tuple):
        for value in data:
            yield from _paths(value, label)


def _size(path: Path) -> int | None:
    try:
        status = os.lstat(path)
    except (OSError, ValueError):
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def answered(root: str, tool: str, asked: str, began: float, text: str, *, found: bool) -> Call:
    """A call that was just answered; `began` is of `time.perf_counter`."""
    ms = round((time.perf_counter() - began) * 1000)
    return Call(time.time(), root, tool, asked[:MAX_ASKED], ms, len(text), found)
