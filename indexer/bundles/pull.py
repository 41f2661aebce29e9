"""Begin the index of a root with the nearest bundle of an ancestor of what is checked out."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sightline.config import Config
from sightline.errors import BundleError
from sightline.indexer.bundles import bundle as form
from sightline.indexer.bundles.bundle import Bundle
from sightline.indexer.bundles.places import Place
from sightline.indexer.files import git
from sightline.store.base import take_over
from sightline.store.lock import wipe
from sightline.store.seal import private

_ANCESTORS = 5_000  # commits that are looked at
_MOST_SPARE = 100_000  # bytes that compression may add
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Pulled:
    """What was taken over."""

    commit: str
    behind: int  # commits between it and what is checked out
    files: int
    bytes_read: int


def nearest(root: Path, bundles: Mapping[str, str]) -> tuple[str, int]:
    """The commit among these that is nearest to what is checked out, and how many commits it is behind."""
    found = git.run(root, "rev-list", f"--max-count={_ANCESTORS}", "HEAD")
    if found is None:
        raise BundleError(f"git does not tell the commits of {root}")
    for behind, line in enumerate(found.decode("ascii", "replace").split()):
        if line in bundles:
            return line, behind
    raise BundleError(f"none of its {len(bundles):,} bundles is of an ancestor of what is checked out")


def pull(
    config: Config,
    place: Place,
    embedder_id: str,
    *,
    pins: Mapping[str, str] | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Pulled:
    """Put the nearest bundle of a place where the root's index shall be, whose lock is held and which is empty.

    With `pins` (commit → sha256 of its description) only these bundles are taken. BundleError, and no index, when
    anything is not as it should be.
    """
    listed = place.read(form.INDEX, form.MAX_INDEX)
    if listed is None:
        raise BundleError(f"{place.address} has no bundles")
    bundles = form.read_index(listed)
    if pins is not None:
        bundles = {commit: sha256 for commit, sha256 in bundles.items() if commit in pins}
    commit, behind = nearest(config.root, bundles)
    wanted = pins[commit] if pins is not None else bundles[commit]
    found, read = lay_out(
        place, commit, wanted, embedder_id, config.index_dir, pinned=pins is not None, progress=progress
    )
    return Pulled(commit, behind, len(found.files), read)


def lay_out(
    place: Place,
    commit: str,
    sha256: str,
    embedder_id: str,
    index_dir: Path,
    *,
    pinned: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[Bundle, int]:
    """Put the bundle of a commit, whose description has this hash, into a folder that is ours alone; how much was read.

    BundleError, and no index, when anything is not as it should be.
    """
    data = place.read(form.description_name(commit), form.MAX_DESCRIPTION)
    if data is None:
        raise BundleError(f"the description of {commit} is missing")
    if form.sha256_of(data) != sha256:
        raise BundleError(f"the description of {commit} is not the one that was {'pinned' if pinned else 'listed'}")
    found = form.read_description(data, commit, embedder_id)
    stage = index_dir.parent / f".pull-{index_dir.name}"
    shutil.rmtree(stage, ignore_errors=True)  # what a killed one left; the lock is ours
    try:
        read = _fetch(found, place, stage, progress)
        wipe(index_dir)
        take_over(stage, index_dir, found.manifest)
    except OSError as error:
        raise BundleError(f"it cannot be put into {index_dir}: {error.strerror or error}") from error
    except BundleError:
        wipe(index_dir)
        raise
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    return found, read


def _fetch(found: Bundle, place: Place, stage: Path, progress: Callable[[int, int], None]) -> int:
    """Read every file of a bundle into a folder, each checked before it is written."""
    read = 0
    for number, (file, stored) in enumerate(found.files.items()):
        progress(number, len(found.files))
        blob = place.read(form.blob_name(stored.sha256), stored.size + _MOST_SPARE)
        if blob is None:
            raise BundleError(f"the content of {file} is missing")
        data = form.content_of(blob, stored, file)
        target = stage / file
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with private(target) as out:
            out.write(data)
        read += len(blob)
    return read
