"""Nearest rows by cosine similarity. This is the one place that decides how.

While they fit into `EXACT_SCAN_FLOATS` the embeddings of a table are held in memory and scanned exactly: that beats any
index there (at 10k rows 0.3 ms against 10.7 ms). Up to `HELD_FLOATS` they are held as sketches (`embeddings.py`), with
less memory, time and room on disk than an index takes. Beyond that LanceDB's IVF_FLAT index is asked, always with
`NPROBES` (GRA-1), set on that query alone. Rows whose embedding is null are never candidates (REL-2) and take no room
in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from sightline.types import Vector

NPROBES = 10
EXACT_SCAN_FLOATS = 20_000 * 256  # 20 MB held, 0.7 ms of one core a scan; from there on sketches take half as long
HELD_FLOATS = 500_000 * 256  # 140 MB held; sketches of half a million rows take about 8 ms
_BLOCK = 64  # scores per block in `top`; more blocks than that are slower to part
RELATIONSHIP_INDEX = "idx_graph_relationships_embedding"
INDEX_NAMES = {
    "chunks": "idx_chunks_embedding",
    "objects": "idx_graph_objects_embedding",
    "relationships": RELATIONSHIP_INDEX,
}


def top(scores: npt.NDArray[np.float32], limit: int) -> npt.NDArray[np.int64]:
    """Return the positions of the `limit` best finite scores, best first, and of all that are as good as the last.

    Which of those that are equal come in is for whoever knows more of them than their order here, which is history.
    """
    if limit <= 0 or not len(scores):
        return np.empty(0, np.int64)
    # The best `limit` are not below the `limit`-th best maximum of any parting into blocks: seven times faster than
    # partitioning all scores.
    block = min(_BLOCK, len(scores) // (2 * limit))
    least = -np.inf
    if block > 1:
        whole = len(scores) // block * block
        maxima = scores[:whole].reshape(-1, block).max(axis=1)
        least = np.partition(maxima, len(maxima) - limit)[len(maxima) - limit]
    among = np.flatnonzero(scores >= least) if least > -np.inf else np.flatnonzero(np.isfinite(scores))
    order = np.argsort(-scores[among], kind="stable")
    ranked: npt.NDArray[np.float32] = scores[among[order]]
    if len(order) > limit:
        order = order[: np.searchsorted(-ranked, -ranked[limit - 1], side="right")]
    return among[order].astype(np.int64)


def scanned(count: int, width: int) -> bool:
    """Are so many embeddings of this width scanned exactly?"""
    return count * width <= EXACT_SCAN_FLOATS


def held(count: int, width: int) -> bool:
    """Are so many embeddings of this width held in memory, or is the index asked?"""
    return count * width <= HELD_FLOATS


def scan(
    vectors: Vector, query: Vector, limit: int, allowed: npt.NDArray[np.bool_] | None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """Compare the query with every embedding that is allowed: exact."""
    # Not `@`: BLAS starts threads that wait for each other, 30 times the CPU on a busy machine; lanes run side by side.
    scores: Vector = np.vecdot(vectors, query)
    if allowed is not None:
        scores[~allowed] = -np.inf
    best = top(scores, limit)
    return best, scores[best]


def ivf_scanner(dataset: Any, query: Vector, limit: int) -> Any:
    """The LanceDB query that an indexed search runs; also what `explain_plan` is shown for (REL-3)."""
    nearest = {"column": "vector", "q": query.astype(np.float16), "k": limit, "nprobes": NPROBES, "metric": "cosine"}
    return dataset.scanner(nearest=nearest, columns=["_distance", "_rowid"], with_row_id=True)


def ivf(dataset: Any, query: Vector, limit: int) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float32]]:
    """Ask the index: (row addresses, cosine similarities), best first."""
    table = ivf_scanner(dataset, query, limit).to_table()
    return table["_rowid"].to_numpy().astype(np.uint64), (1.0 - table["_distance"].to_numpy()).astype(np.float32)


def partitions(rows: int) -> int:
    """How many partitions an index of so many rows gets: a tenth of them or more is probed up to ~100k rows."""
    return int(min(256, max(16, round(rows**0.5 / 4))))
