"""Which repositories a place has, and the newest bundle of each.

    repositories/<name>/…   the bundles of a repository: a place of its own, from which `pull` takes them, too
    catalog/<name>.json     the newest bundle of a repository ("/" in a name is written "!")
    catalog.json            all of these in one file, which is what readers read

Whoever publishes a repository writes its entry, and `catalog.json` is made of all entries there are. So several may
publish at once, and one that is killed leaves out at most what the next one lists.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

from sightline.errors import BundleError
from sightline.indexer.bundles import bundle as form
from sightline.indexer.bundles.places import Place, open_place

CATALOG = "catalog.json"
KIND = 1  # of catalog
_ENTRIES = "catalog"
_MAX_CATALOG, _MAX_ENTRY = 100_000_000, 10_000
_SLASH = "!"  # a folder of entries has no folders, and object stores take this for a plain letter
_READERS = 16  # requests at once
_ATTEMPTS = 5
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}(?:/[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}){0,7}")

_TAKEN = frozenset({"bundles", "blobs", form.INDEX})  # what is in the folder of a repository whose name is shorter


@dataclass(frozen=True, slots=True)
class Entry:
    """The newest bundle of a repository."""

    name: str
    commit: str
    sha256: str  # of its description
    embedder: str  # the model it was made with
    files: int  # indexed
    size: int  # bytes of the index's files, as they are when they are not compressed


def is_name(text: str) -> bool:
    """Whether a repository may have this name: letters, digits, `._-`, in parts between slashes, no dot first."""
    return _NAME.fullmatch(text) is not None and _TAKEN.isdisjoint(text.split("/"))


def address_of(catalog: str, name: str) -> str:
    """Where the bundles of a repository are."""
    return f"{catalog.rstrip('/')}/repositories/{name}"


def find_bundle(place: Place, name: str, commit: str, embedder_id: str) -> Entry | None:
    """The entry for a commit that is published at the place of a repository; None when it is not, or not for us."""
    data = place.read(form.description_name(commit), form.MAX_DESCRIPTION)
    if data is None:
        return None
    try:
        found = form.read_description(data, commit, embedder_id)
    except BundleError:
        return None  # of another version or model, or damaged: it is published again
    size = sum(stored.size for stored in found.files.values())
    files = found.manifest.counts.get("files_indexed", 0)
    return Entry(name, commit, form.sha256_of(data), embedder_id, files, size)


def write_entry(catalog: Place, entry: Entry) -> None:
    """Say which bundle of a repository is the newest."""
    catalog.write(_entry_name(entry.name), json.dumps(asdict(entry), sort_keys=True).encode())


def read_entry(catalog: Place, name: str) -> Entry | None:
    """The newest bundle of a repository, None when there is none."""
    data = catalog.read(_entry_name(name), _MAX_ENTRY)
    return _entry(form.parsed(data, _entry_name(name))) if data is not None else None


def write_catalog(catalog: Place) -> Mapping[str, Entry]:
    """Write down all entries in one file; again when somebody else has added to them meanwhile."""
    for _ in range(_ATTEMPTS):
        found = _entries(catalog)
        body = {"catalog": KIND, "repositories": [asdict(entry) for _, entry in sorted(found.items())]}
        catalog.write(CATALOG, json.dumps(body, indent=1, sort_keys=True).encode())
        if _entries(catalog) == found:
            break
    return found


def read_catalog(catalog: Place) -> dict[str, Entry]:
    """The repositories of a place by name; BundleError when it has none, or what it says cannot be understood."""
    data = catalog.read(CATALOG, _MAX_CATALOG)
    if data is None:
        raise BundleError(f"{catalog.address} has no {CATALOG}", hint="sightline fleet index writes it")
    body = form.parsed(data, CATALOG)
    if body.get("catalog") != KIND:
        raise BundleError(f"{CATALOG} is of kind {str(body.get('catalog'))[:20]!r}, this version reads {KIND}")
    listed = body.get("repositories")
    if not isinstance(listed, list):
        raise BundleError(f"{CATALOG} is damaged")
    return {entry.name: entry for entry in map(_entry, listed)}


def _entries(catalog: Place) -> dict[str, Entry]:
    names = [name for name in catalog.names(_ENTRIES) if name.endswith(".json")]
    with ThreadPoolExecutor(_READERS, thread_name_prefix="sightline-catalog") as pool:
        found = pool.map(lambda name: catalog.read(f"{_ENTRIES}/{name}", _MAX_ENTRY), names)
        read = [_entry(form.parsed(data, name)) for name, data in zip(names, found, strict=True) if data is not None]
    return {entry.name: entry for entry in read}


def _entry_name(name: str) -> str:
    return f"{_ENTRIES}/{name.replace('/', _SLASH)}.json"


def _entry(raw: Any) -> Entry:
    """What an entry says, held to what it may say: names become folders of this machine."""
    try:
        entry = Entry(**raw)
        texts = all(isinstance(text, str) for text in (entry.name, entry.commit, entry.sha256, entry.embedder))
        counts = all(type(number) is int and number >= 0 for number in (entry.files, entry.size))
    except TypeError as error:
        raise BundleError(f"an entry of {CATALOG} is damaged") from error
    if not texts or not counts or not is_name(entry.name) or not form.is_commit(entry.commit):
        raise BundleError(f"an entry of {CATALOG} is damaged")
    return entry


def open_repository(catalog: str, name: str) -> Place:
    """The place of a repository's bundles."""
    return open_place(address_of(catalog, name))
