"""What a bundle is made of: a description per commit, and the index's files by the hash of their content.

    bundles/<commit>.json   which commit, format, model and version; the index's manifest; size and sha256 of every file
    blobs/ab/<sha256>       the files, compressed; those that a later commit shares are there once
    index.json              which commits there are, with the sha256 of their descriptions

A description is never changed, and is written when all of its files are there; `index.json` comes last. Whatever is
read is held to what a description may say before anything is done with it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa

from sightline import __version__
from sightline.errors import BundleError, CorruptIndexError, FormatVersionError
from sightline.store.manifest import FORMAT_VERSION, TABLES, Manifest, manifest_of
from sightline.store.seal import LEXICAL

KIND = 1  # of bundle
INDEX = "index.json"
MAX_DESCRIPTION = 50_000_000
MAX_INDEX = 20_000_000
_MAX_FILES, _MAX_FILE_BYTES, _MAX_BYTES = 100_000, 4_000_000_000, 100_000_000_000
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
# What an index folder holds below `tables` and `lexical`, by name; a dot alone or two are not among it.
_PART = r"(?!\.{1,2}(?:/|$))[A-Za-z0-9._-]{1,120}"
_FILE = re.compile(rf"(?:tables/(?:{'|'.join(TABLES)})\.lance|lexical/(?:{'|'.join(LEXICAL)}))(?:/{_PART}){{1,4}}")
_CODEC, _LEVEL = "zstd", 6


@dataclass(frozen=True, slots=True)
class Stored:
    """One file of an index, as a bundle has it."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Bundle:
    """The index of a commit."""

    commit: str
    manifest: Manifest
    files: Mapping[str, Stored]


def is_commit(text: str) -> bool:
    """Whether this is the full name of a commit."""
    return _COMMIT.fullmatch(text) is not None


def description_name(commit: str) -> str:
    """Where the description of a commit is."""
    return f"bundles/{commit}.json"


def blob_name(sha256: str) -> str:
    """Where the content of this hash is."""
    return f"blobs/{sha256[:2]}/{sha256}"


def described(bundle: Bundle) -> bytes:
    """A bundle's description."""
    body = {
        "bundle": KIND,
        "commit": bundle.commit,
        "format": FORMAT_VERSION,
        "made_by": bundle.manifest.made_by,
        "embedder": bundle.manifest.embedder_id,
        "manifest": asdict(bundle.manifest),
        "files": {file: [stored.size, stored.sha256] for file, stored in sorted(bundle.files.items())},
    }
    return json.dumps(body, sort_keys=True, separators=(",", ":")).encode()


def read_description(data: bytes, commit: str, embedder_id: str) -> Bundle:
    """A description that was read, held to what it may say; BundleError says what is wrong with it."""
    body = parsed(data, description_name(commit))
    if body.get("bundle") != KIND:
        raise BundleError(f"it is a bundle of kind {body.get('bundle')!r}, this version reads {KIND}")
    if body.get("commit") != commit:
        raise BundleError("it describes another commit than its name says")
    if body.get("format") != FORMAT_VERSION or body.get("made_by") != __version__:
        made = f"{str(body.get('made_by'))[:40]} in format {str(body.get('format'))[:10]}"
        raise BundleError(f"it was made by Sightline {made}, this is {__version__} with format {FORMAT_VERSION}")
    if body.get("embedder") != embedder_id:
        raise BundleError(f"it was made with the model {str(body.get('embedder'))[:80]!r}, here it is {embedder_id!r}")
    files = _files(body.get("files"))
    raw = body.get("manifest")
    if not isinstance(raw, dict):
        raise BundleError("it has no manifest of an index")
    try:
        manifest = manifest_of(raw)
    except (CorruptIndexError, FormatVersionError, TypeError, AttributeError) as error:
        raise BundleError(f"its manifest of an index is damaged: {error}") from error
    if (manifest.state, manifest.embedder_id, manifest.made_by) != ("ready", embedder_id, __version__):
        raise BundleError("its manifest is not that of a finished index of the same kind")
    if {file: size for file, (size, _) in manifest.sealed.items()} != {file: s.size for file, s in files.items()}:
        raise BundleError("its files are not those that its manifest names")
    return Bundle(commit, manifest, files)


def _files(raw: Any) -> dict[str, Stored]:
    if not isinstance(raw, dict) or not raw or len(raw) > _MAX_FILES:
        raise BundleError("it names no files, or too many")
    files: dict[str, Stored] = {}
    for file, entry in raw.items():
        if _FILE.fullmatch(file) is None:
            raise BundleError(f"it names {file[:200]!r}, which is no file of an index")
        if not isinstance(entry, list) or len(entry) != 2 or type(entry[0]) is not int:
            raise BundleError(f"what it says of {file} is damaged")
        size, sha256 = entry
        if not 0 <= size <= _MAX_FILE_BYTES or not isinstance(sha256, str) or _SHA256.fullmatch(sha256) is None:
            raise BundleError(f"what it says of {file} is damaged")
        files[file] = Stored(size, sha256)
    if sum(stored.size for stored in files.values()) > _MAX_BYTES:
        raise BundleError(f"its files have more than {_MAX_BYTES:,} bytes")
    return files


def read_index(data: bytes) -> dict[str, str]:
    """Which commits a place has: commit → sha256 of its description."""
    bundles = parsed(data, INDEX).get("bundles")
    if not isinstance(bundles, dict):
        raise BundleError(f"{INDEX} is damaged")
    for commit, sha256 in bundles.items():
        right = isinstance(sha256, str) and _SHA256.fullmatch(sha256)
        if _COMMIT.fullmatch(commit) is None or not right:
            raise BundleError(f"{INDEX} is damaged")
    return bundles


def write_index(bundles: Mapping[str, str]) -> bytes:
    """The list of commits of a place."""
    return json.dumps({"bundles": dict(sorted(bundles.items()))}, indent=1).encode()


def parsed(data: bytes, name: str) -> dict[str, Any]:
    """An object of JSON; BundleError for anything else."""
    try:
        body = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BundleError(f"{name} is damaged") from error
    if not isinstance(body, dict):
        raise BundleError(f"{name} is damaged")
    return body


def sha256_of(data: bytes) -> str:
    """The name of a content."""
    return hashlib.sha256(data).hexdigest()


def compressed(data: bytes) -> bytes:
    """A file as a blob has it."""
    return bytes(pa.Codec(_CODEC, _LEVEL).compress(data, asbytes=True)) if data else b""


def content_of(blob: bytes, stored: Stored, file: str) -> bytes:
    """The file that a blob holds; BundleError when it is not what the description says."""
    try:
        data = bytes(pa.Codec(_CODEC).decompress(blob, stored.size, asbytes=True)) if stored.size else b""
    except (OSError, ValueError, pa.ArrowException) as error:
        raise BundleError(f"{file} is damaged: {error}") from error
    if len(data) != stored.size or sha256_of(data) != stored.sha256:
        raise BundleError(f"{file} is not what its description says")
    return data
