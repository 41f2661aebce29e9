"""What is said to a worker process beside files to analyse. Imports nothing heavy: an edit waits for who reads it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from sightline.graph.build.shared import Shared


class ToResolve(NamedTuple):
    """Files to resolve from a shared table."""

    shared: Shared
    paths: Sequence[str]
    room: int  # for encoded bytes of facts that are decoded
    kept: int  # evaluations
    memory_mb: int  # for all processes
    beside: Sequence[int]  # the other processes
