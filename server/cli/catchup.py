"""Bring the index of a root up to date from the command line, with a progress bar on a terminal.

When another process writes the index (a server, `sightline watch`), its work is waited for instead.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from sightline.errors import CorruptIndexError, StoreError, WriterBusyError
from sightline.visible import visible

if TYPE_CHECKING:
    from sightline.indexer.pipeline import Progress, Report
    from sightline.server.root import Root

_LOOK_AGAIN_S = 0.1


def catch_up(root: Root, *, show: bool) -> dict[str, Any]:
    """Index what changed; returns what was done, as data and as one line of text."""
    from sightline.indexer.pipeline import index_root
    from sightline.indexer.service import open_writer

    damages = 0
    with _bar(root, show=show) as progress:
        while True:
            try:
                embedder = root.embedder.get()
                with open_writer(root.config, embedder) as writer:
                    report = index_root(root.config, writer, embedder, progress=progress)
                    return _done(root, report, list(writer.notices))
            except WriterBusyError:
                snapshot = root.snapshot()
                if snapshot is not None and snapshot.status().state == "ready":
                    return _followed(root)
                time.sleep(_LOOK_AGAIN_S)
            except CorruptIndexError:  # it was damaged after it was opened; opened again, it is built anew
                damages += 1
                if damages > 1:
                    raise
            except StoreError as error:
                if not root.embedder.error:
                    raise
                raise StoreError(f"{error.message}: {root.embedder.error}", hint=error.hint) from error


def _done(root: Root, report: Report, notices: list[str]) -> dict[str, Any]:
    snapshot = root.snapshot()
    counts = snapshot.status() if snapshot is not None else root.empty_status()
    failed = f", {counts.files_failed:,} failed" if counts.files_failed else ""
    changed = f"{report.files_changed:,} new or changed, {report.files_removed:,} removed"
    text = f"{root.config.root}: {counts.files:,} files indexed ({changed}{failed}) in {report.seconds:.1f} s"
    return {
        "root": str(root.config.root),
        "generation": report.generation,
        "files": counts.files,
        "files_failed": counts.files_failed,
        "files_changed": report.files_changed,
        "files_removed": report.files_removed,
        "bytes_read": report.bytes_read,
        "seconds": round(report.seconds, 3),
        "stages_s": {stage: round(seconds, 3) for stage, seconds in report.stages_s.items()},
        "notices": notices,
        "text": "\n".join(map(visible, [text, *notices])),
    }


def _followed(root: Root) -> dict[str, Any]:
    return {
        "root": str(root.config.root),
        "text": visible(f"{root.config.root}: kept up to date by another Sightline process"),
    }


@contextlib.contextmanager
def _bar(root: Root, *, show: bool) -> Iterator[Callable[[Progress], None]]:
    """A progress bar on stderr; nothing at all in a pipe."""
    if not show:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    name = visible(root.name)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"indexing {name}", total=None)

        def update(progress: Progress) -> None:
            what = f"indexing {name}" if progress.phase == "files" else f"relating {name}"
            bar.update(task, description=what, completed=progress.files_done, total=progress.files_total or None)

        yield update
