"""A new root begins with what others have: a published index where the person allows one, else that of the root that is
most like it, another work tree or clone of the same repository.

What differs is then indexed as after any other change, so the result is what a fresh index would be. Every file is read
and compared by a cryptographic hash of its content, whatever the other index says.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from sightline.config import Config
from sightline.errors import BundleError, ConfigError
from sightline.indexer.cache.origin import Origin, nearest, sketch_of, sketches_beside, write_origin
from sightline.indexer.files.walk import walk
from sightline.store import read_manifest
from sightline.visible import visible

logger = logging.getLogger(__name__)

_LOOKED_AT = 3  # indexes that are tried; one may be of another model, or just being written


def begin(
    config: Config, embedder_id: str, dim: int, short_dim: int, say: Callable[[str], None], *, beside: bool
) -> None:
    """Begin the index of a root, whose lock is held, with another one where there is one that helps.

    `say` is told when a published index was to be used and could not be.
    """
    if _has_index(config.index_dir):
        return
    if config.source and _pulled(config, embedder_id, say):
        return
    if beside and config.cache_bytes:
        _begin_beside(config, embedder_id, dim, short_dim)


def is_likely(config: Config, *, beside: bool) -> bool:
    """Is it likely that there is such an index? Asked before anything is read: a linked work tree has a main one."""
    return bool(config.source) or (beside and config.cache_bytes > 0 and (config.root / ".git").is_file())


def _pulled(config: Config, embedder_id: str, say: Callable[[str], None]) -> bool:
    from sightline.indexer.bundles.places import open_place
    from sightline.indexer.bundles.pull import pull

    try:
        pulled = pull(config, open_place(config.source), embedder_id, pins=config.pins)
    except (BundleError, ConfigError) as error:
        say(f"the index published at {config.source} is not used: {error}")
        return False
    _note(config, f"{config.source} at {pulled.commit[:12]}", [])
    logger.warning("the index begins with the one published at %s", visible(config.source))  # never silently
    return True


def _begin_beside(config: Config, embedder_id: str, dim: int, short_dim: int) -> None:
    from sightline.store.base import begin_from

    others = sketches_beside(config.index_dir)
    if not others:
        return
    found = [candidate for candidate in walk(config) if not candidate.skip_reason]
    sketch = sketch_of((candidate.path, candidate.size_bytes) for candidate in found)
    for folder in nearest(others, sketch)[:_LOOKED_AT]:
        if begin_from(folder, config.index_dir, embedder_id=embedder_id, dim=dim, short_dim=short_dim):
            _note(config, folder.name, sketch)
            return


def _has_index(index_dir: Path) -> bool:
    return (index_dir / "manifest.json").exists()


def _note(config: Config, base: str, sketch: list[int]) -> None:
    manifest = read_manifest(config.index_dir)
    assert manifest is not None, "it was written a moment ago"
    files = manifest.counts.get("files_indexed", 0)
    write_origin(config.index_dir, Origin(manifest.index_id, from_base=files, base=base, sketch=sketch))
    logger.info("the index in %s begins with that of %s", config.index_dir, visible(base))
