"""`sightline publish` and `pull`: the index of a commit, written once and begun with by others."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from sightline.config import allowed_sources
from sightline.errors import ConfigError
from sightline.visible import visible

if TYPE_CHECKING:
    from sightline.config import Config
    from sightline.server.root import Root


def run_publish(root: Root, to: str, ref: str | None) -> dict[str, Any]:
    """Index the commit that is checked out and write it to a place; what was written, as data and as a line."""
    from sightline import store
    from sightline.indexer.bundles import publish as publishing
    from sightline.indexer.bundles.bundle import INDEX, MAX_INDEX
    from sightline.indexer.bundles.places import open_place
    from sightline.indexer.pipeline import index_root
    from sightline.indexer.service import open_writer

    place = open_place(to)
    commit = publishing.head_of(root.config.root, ref)
    # An index keeps rows that were replaced until it is compacted, and one that began with that of another root has
    # rows of that one, too. So what is published is made for it, from the place's own bundles and nothing else.
    config = replace(root.config, index_dir=root.config.index_dir.with_name(f"{root.config.index_dir.name}.publish"))
    if place.read(INDEX, MAX_INDEX) is not None:
        config = replace(config, source=to)
    embedder = root.embedder.get()
    store.clear(config.index_dir)
    try:
        with open_writer(config, embedder, beside=False) as writer:
            index_root(config, writer, embedder)
        if publishing.head_of(config.root, ref) != commit:
            raise ConfigError("another commit was checked out meanwhile", hint="publish again")
        written = publishing.publish(config.index_dir, commit, place)  # closed: nothing merges in the background
    finally:
        store.clear(config.index_dir)
    text = (
        f"{written.commit[:12]} published to {place.address}: {written.files:,} files, {written.files_new:,} of them "
        f"new ({written.bytes_new:,} bytes written, the index has {written.bytes_all:,})"
    )
    return {
        "commit": written.commit,
        "to": place.address,
        "files": written.files,
        "files_new": written.files_new,
        "bytes_new": written.bytes_new,
        "bytes_all": written.bytes_all,
        "text": visible(text),
    }


def source_for(folder: Path, given: str | None, *, yes: bool) -> dict[str, Any]:
    """Where a folder's index may be taken from: what was named on the command line, or what its project names and the
    person allows."""
    from sightline.indexer.bundles.project import FILE, is_allowed, named_by

    named = named_by(folder)
    address = given or named.address
    if not address:
        raise ConfigError(f"no place was named, and there is none in {FILE}", hint="sightline pull --from PLACE")
    if not given and not yes and not is_allowed(address, allowed_sources()):
        question = visible(f"{FILE} names {address}. Take the index of this project from there?")
        if not sys.stdin.isatty() or not typer.confirm(question, default=False, err=True):
            raise ConfigError(
                visible(f"{address} is not a place that you allow"),
                hint="name it yourself with --from, or put it into SIGHTLINE_SOURCES",
            )
    return {"source": address, "pins": named.pins if address == named.address else None}


def with_allowed_source(config: Config) -> Config:
    """The settings of a root, with the place that its project names where the person allows that one."""
    allowed = allowed_sources()
    if not allowed:
        return config
    from sightline.indexer.bundles.project import is_allowed, named_by

    try:
        named = named_by(config.root)
    except ConfigError as error:
        typer.echo(visible(f"sightline: {error}"), err=True)
        return config
    if not named.address or not is_allowed(named.address, allowed):
        return config
    return replace(config, source=named.address, pins=named.pins)
