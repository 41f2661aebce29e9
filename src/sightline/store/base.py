"""Begin an index with what another one holds, instead of with nothing.

The files of a generation are never written to again, and the seal in its manifest names them all: so a second index may
consist of the very same files, by hard links where the disk has them. It costs no room until it differs. The manifest
is written last: killed before that, there is no index, and the next writer begins anew. Whatever was wrong with the
other index is found when this one is opened, by the same seal.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import uuid
from dataclasses import replace
from pathlib import Path

from sightline import __version__
from sightline.errors import CorruptIndexError, FormatVersionError
from sightline.store.lock import wipe
from sightline.store.manifest import Manifest, read_manifest, write_manifest
from sightline.store.seal import LEXICAL, lexical_files, private

_ATTEMPTS = 3  # the other index may be committed to meanwhile
_META = "meta.json"
_MANAGED = ".managed.json"  # the files that tantivy may delete when it no longer needs them


def fits(manifest: Manifest | None, embedder_id: str, dim: int, short_dim: int) -> bool:
    """Whether an index can be the beginning of another one that is made with this embedder by this version."""
    return (
        manifest is not None
        and manifest.state == "ready"
        and manifest.made_by == __version__
        and (manifest.embedder_id, manifest.dim, manifest.short_dim) == (embedder_id, dim, short_dim)
    )


def begin_from(source: Path, target: Path, *, embedder_id: str, dim: int, short_dim: int) -> bool:
    """Make the index in `target`, whose lock is held and which has no manifest, what the one in `source` is.

    False, and nothing in `target`, when that index does not fit or does not hold still.
    """
    for _ in range(_ATTEMPTS):
        wipe(target)
        try:
            manifest = read_manifest(source)
            if manifest is None or not fits(manifest, embedder_id, dim, short_dim):
                return False
            take_over(source, target, manifest)
        except FileNotFoundError:
            continue  # a file went with a newer generation
        except (CorruptIndexError, FormatVersionError):
            break
        return True
    wipe(target)
    return False


def take_over(source: Path, target: Path, manifest: Manifest) -> None:
    """Take over the files of a generation, then its manifest under a name of its own."""
    folders: set[Path] = set()
    files = [file for file in manifest.sealed if file.startswith("tables/")]
    lexical = {name: lexical_files(source, name) for name in LEXICAL}  # a merge may have ended since they were sealed
    for file in [*files, *(file for named in lexical.values() for file in named)]:
        folder = (target / file).parent
        if folder not in folders:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            folders.add(folder)
        _link_or_copy(source / file, target / file, shared=not file.endswith(f"/{_META}"))
    for name, named in lexical.items():
        managed = [Path(file).name for file in named]
        with private(target / "lexical" / name / _MANAGED) as out:
            out.write(json.dumps(managed).encode())
    begun = replace(manifest, index_id=uuid.uuid4().hex, journal=[], rewritten=manifest.generation)
    write_manifest(target, begun)


def _link_or_copy(source: Path, target: Path, *, shared: bool) -> None:
    if shared:
        with contextlib.suppress(OSError):  # another disk, too many links, or a disk that has none
            os.link(source, target, follow_symlinks=False)
            return
    with source.open("rb") as content, private(target) as out:
        shutil.copyfileobj(content, out, 1 << 20)
