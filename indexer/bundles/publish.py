"""Write the index of the commit that is checked out to a place, for others to begin with."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from sightline.errors import BundleError, ConfigError
from sightline.indexer.bundles import bundle as form
from sightline.indexer.bundles.bundle import Bundle, Stored
from sightline.indexer.bundles.places import Place
from sightline.indexer.files import git
from sightline.store import read_manifest


@dataclass(frozen=True, slots=True)
class Published:
    """What publishing wrote."""

    commit: str
    files: int
    files_new: int  # the others were there already
    bytes_new: int  # compressed, as written
    bytes_all: int  # of the index's files


def head_of(root: Path, ref: str | None = None) -> str:
    """The commit that is checked out, with nothing changed; ConfigError says what is in the way."""
    if git.repository_of(root) != root:
        raise ConfigError(f"{root} is not the top of a git repository", hint="publish the whole repository")
    commit = commit_of(root, "HEAD")
    if commit is None:
        raise ConfigError(f"{root} has no commit that git would tell us of")
    if ref is not None and commit_of(root, ref) != commit:
        raise ConfigError(f"{ref!r} is not what is checked out", hint=f"git switch --detach {ref}, then publish")
    changed = git.run(root, "status", "--porcelain", "--untracked-files=normal")
    if changed is None or changed.strip():
        raise ConfigError(
            "files differ from the commit that is checked out", hint="commit them or put them aside, then publish"
        )
    return commit


def commit_of(root: Path, ref: str) -> str | None:
    """The commit that a name stands for."""
    found = git.run(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    name = found.decode("ascii", "replace").strip() if found is not None else ""
    return name if re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", name) else None


def publish(index_dir: Path, commit: str, place: Place) -> Published:
    """Write the index in a folder, which nobody changes meanwhile, as the bundle of a commit."""
    manifest = read_manifest(index_dir)
    if manifest is None or manifest.state != "ready":
        raise BundleError(f"the index in {index_dir} is not complete")
    files: dict[str, Stored] = {}
    new = new_bytes = 0
    for file, (size, _) in sorted(manifest.sealed.items()):
        data = _content(index_dir / file, size)
        stored = files[file] = Stored(len(data), form.sha256_of(data))
        name = form.blob_name(stored.sha256)
        if not place.has(name):
            blob = form.compressed(data)
            place.write(name, blob)
            new, new_bytes = new + 1, new_bytes + len(blob)
    description = form.described(Bundle(commit, manifest, files))
    place.write(form.description_name(commit), description)
    _list(place, commit, description)
    return Published(commit, len(files), new, new_bytes, sum(stored.size for stored in files.values()))


def _content(path: Path, size: int) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BundleError(f"{path} cannot be read: {error.strerror or error}") from error
    if len(data) != size:
        raise BundleError(f"{path} has changed meanwhile")
    return data


def _list(place: Place, commit: str, description: bytes) -> None:
    """Name the bundle in the list of all; what somebody else published meanwhile, or a kill left out, comes too."""
    try:
        known = form.read_index(place.read(form.INDEX, form.MAX_INDEX) or b'{"bundles":{}}')
    except BundleError:
        known = {}
    listed = {commit: form.sha256_of(description)}
    for name in place.names("bundles"):
        other = name.removesuffix(".json")
        if other == commit:
            continue
        if other in known:
            listed[other] = known[other]
        elif (found := place.read(form.description_name(other), form.MAX_DESCRIPTION)) is not None:
            listed[other] = form.sha256_of(found)
    place.write(form.INDEX, form.write_index(listed))
