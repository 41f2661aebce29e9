"""A table on disk, from which other processes resolve files.

Resolving is pure Python over a table that nobody changes meanwhile, so processes side by side do it in less time. What
they need is in files: the facts where they lie anyway (`spool.py`), and columns of keys, which are mapped, so that they
are in memory once however many read them.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sightline.graph.build.lookups import Givers
from sightline.graph.build.spool import PREFIX, Place, Spool
from sightline.graph.build.table import Table

_GIVERS, _SPOOLED = "givers", "spooled"  # lists of paths, a line each
_KEYS, _FILES, _PLACES = "keys.npy", "files.npy", "places.npy"


class Shared(NamedTuple):
    """Where a table is."""

    facts: Path
    columns: Path


@contextlib.contextmanager
def shared(table: Table, folder: Path) -> Iterator[Shared]:
    """Have a table on disk as long as this lasts; whoever opens it by then may go on using it."""
    spool, givers = table.shared()
    if spool.name is None:
        raise ValueError("facts in memory cannot be shared")
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir=folder, ignore_cleanup_errors=True) as made:
        columns = Path(made)
        paths, keys, files = givers.columns()
        places = spool.places
        _write_paths(columns / _GIVERS, paths)
        _write_paths(columns / _SPOOLED, list(places))
        np.save(columns / _KEYS, keys)
        np.save(columns / _FILES, files)
        np.save(columns / _PLACES, np.array(list(places.values()), np.int64).reshape(-1, len(Place._fields)))
        yield Shared(spool.name, columns)


def opened(place: Shared, room: int) -> Table:
    """A shared table, to look things up in."""
    facts, columns = place
    spooled = _read_paths(columns / _SPOOLED)
    places = dict(zip(spooled, map(Place._make, np.load(columns / _PLACES).tolist()), strict=True))
    keys, files = (np.load(columns / name, mmap_mode="r") for name in (_KEYS, _FILES))
    givers = Givers.of_columns(_read_paths(columns / _GIVERS), keys, files)
    return Table.of(Spool.opened(facts, places), givers, room)


def _write_paths(file: Path, paths: list[str]) -> None:
    file.write_bytes("\0".join(paths).encode("utf-8", "surrogatepass"))


def _read_paths(file: Path) -> list[str]:
    text = file.read_bytes().decode("utf-8", "surrogatepass")
    return text.split("\0") if text else []
