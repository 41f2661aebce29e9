"""`sightline fleet index`: many repositories on a cluster, and a report of what came of each."""

from __future__ import annotations

import contextlib
import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sightline import __version__
from sightline.visible import visible

if TYPE_CHECKING:
    from sightline.indexer.fleet.job import Outcome

ATTEMPTS = 3  # of each repository


def run_fleet(
    listed: Path, to: str, *, address: str | None, workers: int, embedder: str | None, timeout_s: int, show: bool
) -> dict[str, Any]:
    """Index and publish the repositories of a list; what came of it, as data and as text."""
    from sightline.indexer.bundles.catalog import write_catalog
    from sightline.indexer.bundles.places import open_place
    from sightline.indexer.fleet.cluster import cluster, run_all
    from sightline.indexer.fleet.job import Job
    from sightline.indexer.fleet.listing import read_list

    repositories = read_list(listed)
    if "://" not in to:
        to = str(Path(to).expanduser().resolve())  # jobs run in folders of their own
    place = open_place(to)
    name = embedder or "static"
    embedder_id = _embedder_id(name)
    with cluster(address, workers) as (ray, scratch), _bar(len(repositories), show=show) as done:
        jobs = [
            Job(each.name, each.address, to, name, embedder_id, __version__, timeout_s, scratch)
            for each in repositories
        ]
        try:
            outcomes = run_all(ray, jobs, attempts=ATTEMPTS, done=done)
        finally:  # what is done is served, also when the rest was interrupted
            write_catalog(place)
    return report(outcomes, place.address)


def report(outcomes: Sequence[Outcome], to: str) -> dict[str, Any]:
    """What came of a fleet, as data; `text` is for people, worst first."""
    counts = Counter(outcome.state for outcome in outcomes)
    order = ("failed", "published", "present")
    lines = [_line(outcome) for state in order for outcome in outcomes if outcome.state == state]
    total = ", ".join(f"{counts[state]:,} {state}" for state in ("published", "present", "failed"))
    written = sum(outcome.bytes_written for outcome in outcomes)
    lines.append(f"{len(outcomes):,} repositories in {to}: {total}; {written:,} bytes written")
    return {
        "to": to,
        "repositories": [dataclasses.asdict(outcome) for outcome in outcomes],
        "published": counts["published"],
        "present": counts["present"],
        "failed": counts["failed"],
        "bytes_written": written,
        "text": "\n".join(map(visible, lines)),
    }


def _line(outcome: Outcome) -> str:
    again = f", {outcome.attempts} attempts" if outcome.attempts > 1 else ""
    if outcome.state == "failed":
        return f"failed     {outcome.name}: {outcome.reason}{again}"
    size = f"{outcome.bytes_written:,} bytes written, {outcome.bytes_index:,} of index"
    what = f"{outcome.files:,} files, {size}, {outcome.seconds:.1f} s{again}"
    return f"{outcome.state:<10} {outcome.name} at {outcome.commit[:12]}: {what}"


def _embedder_id(name: str) -> str:
    from sightline.embed import load_embedder
    from sightline.indexer.service import NO_EMBEDDER_ID
    from sightline.server.app import check_embedder

    if name == "none":
        return NO_EMBEDDER_ID
    check_embedder(name)
    return load_embedder(name).id


@contextlib.contextmanager
def _bar(total: int, *, show: bool) -> Iterator[Callable[[Outcome], None]]:
    """A progress bar on stderr, with what failed above it; nothing at all in a pipe."""
    if not show:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("indexing repositories"), BarColumn(bar_width=20), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(
        *columns, TextColumn("{task.description}", markup=False), console=Console(stderr=True), transient=True
    ) as bar:
        task = bar.add_task("", total=total)

        def update(outcome: Outcome) -> None:
            if outcome.state == "failed":
                bar.console.print(visible(_line(outcome)), markup=False, highlight=False, soft_wrap=True)
            bar.update(task, advance=1, description=visible(outcome.name))

        yield update
