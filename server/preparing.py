"""Loading what a first answer needs, and seeing whether the index there is holds what is on disk.

Then it can be answered from at once, while the writer, which takes longer to load, is still on its way. Importing this
module imports the reading side; `heavy` has it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import sightline.retrieval.search  # noqa: F401  the first question needs it
from sightline.errors import CorruptIndexError
from sightline.memory import give_back
from sightline.retrieval.pool import pool
from sightline.server import heavy, lifecycle
from sightline.server.lifecycle import Found

if TYPE_CHECKING:
    from sightline.server.root import Root
    from sightline.store import Snapshot

_TABLES = ("objects", "chunks", "relationships")  # read side by side, the one that takes longest first
_logger = logging.getLogger(__name__)


def prepare(root: Root) -> Found:
    """Read the tables of a root, or list its files when there are none, and say what was found."""
    snapshot = root.snapshot()
    if snapshot is None:
        big = len(root.looker().list_files()) > lifecycle.BIG_FILES
        return lifecycle.UNINDEXED_BIG if big else lifecycle.UNINDEXED
    try:
        tables = [pool().begin(partial(_read, snapshot, name)) for name in _TABLES]
        plan = pool().begin(partial(_differs, root, snapshot))
        for table in tables:
            table.result()
        behind = plan.result()
    except (CorruptIndexError, OSError) as error:
        _logger.warning("%s: %s", root.name, error)  # the writer says more, and repairs what it can
        return lifecycle.UNINDEXED
    if behind:
        return lifecycle.found_behind(snapshot.generation)
    return lifecycle.IN_STEP if snapshot.status().state == "ready" else lifecycle.UNFINISHED


def _read(snapshot: Snapshot, name: str) -> None:
    """A table, and one of its records: what fetching records takes is loaded with the first of them."""
    rows = getattr(snapshot, name)
    rows.get(rows.alive.nonzero()[0][:1])


def _differs(root: Root, snapshot: Snapshot) -> bool:
    """Whether files on disk are not what a snapshot holds."""
    return bool(heavy.pipeline.plan_whole(root.config, snapshot.files))


def prepare_graph(root: Root, wanted: Callable[[], bool]) -> None:
    """Make the tables of names and neighbours that a first question about symbols would wait for."""
    snapshot = root.snapshot()
    if snapshot is None or not wanted():
        return
    try:
        heavy.symbols.names_of(snapshot).letters  # noqa: B018  made when first looked at
        if wanted():
            heavy.adjacency.adjacency_of(snapshot)
        give_back()  # reading took more than what was read
    except (CorruptIndexError, OSError) as error:
        _logger.warning("%s: %s", root.name, error)
