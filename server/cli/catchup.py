"""Bring the index of a root up to date from the command line, with a progress bar on a terminal."""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import typer

from sightline.server import catchup
from sightline.visible import visible

if TYPE_CHECKING:
    from sightline.indexer.pipeline import Progress
    from sightline.server.root import Root

_PACE_S = 20.0  # what the pace is worked out from
_TOO_EARLY_S = 1.0


def catch_up(root: Root, *, show: bool, keep_embedder: bool = False, partial: bool = False) -> dict[str, Any]:
    """Index what changed; returns what was done, as data and as one line of text."""
    with _bar(root, show=show) as progress:
        return catchup.catch_up(root, keep_embedder=keep_embedder, partial=partial, progress=progress, say=_say)


def _say(what: str) -> None:
    typer.echo(visible(f"sightline: {what}"), err=True)


@contextlib.contextmanager
def _bar(root: Root, *, show: bool) -> Iterator[Callable[[Progress], None]]:
    """A progress bar on stderr, with how fast it goes and how long it will take; nothing at all in a pipe."""
    if not show:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    name = visible(root.name)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),  # the line fits a terminal of 100 columns
        MofNCompleteColumn(),
        TextColumn("{task.fields[pace]}", markup=False),
        TimeElapsedColumn(),
    )
    pace = Pace()
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"indexing {name}", total=None, pace="")

        def update(progress: Progress) -> None:
            what = f"indexing {name}" if progress.phase == "files" else f"relating {name}"
            said = pace.said(progress) if progress.phase == "files" else ""
            total = progress.files_total or None
            bar.update(task, description=what, completed=progress.files_done, total=total, pace=said)

        yield update


class Pace:
    """How fast files are indexed and how long the rest will take, as of the last seconds: files differ in size."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: deque[tuple[float, int, int]] = deque()  # when, files, bytes

    def said(self, progress: Progress) -> str:
        """`120 files/s, 0.9 MB/s, 0:31 left`; nothing while it is too early to tell."""
        now = self._clock()
        self._seen.append((now, progress.files_done, progress.bytes_done))
        while now - self._seen[0][0] > _PACE_S and len(self._seen) > 2:
            self._seen.popleft()
        began, files, size = self._seen[0]
        took = now - began
        if took < _TOO_EARLY_S or progress.files_done <= files:
            return ""
        rate = (progress.files_done - files) / took
        left = round(max(progress.files_total - progress.files_done, 0) / rate)
        megabytes = (progress.bytes_done - size) / took / 1_000_000
        return f"{rate:,.0f} files/s, {megabytes:.1f} MB/s, {left // 60}:{left % 60:02} left"
