"""What an analysis depends on, as one key: the file's bytes and path, the code and grammars that read it, the model.

The path is part of it because words of the path go into what is embedded and into the ids of symbols. The hash of the
bytes is a cryptographic one: a repository must not be able to make up a file that is taken for one of another.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import sightline

# Everything that has a say in what one file gives. Reading it takes two milliseconds, once per process.
_CODE = ("languages", "indexer/analysis", "graph/build/extract.py", "tokens.py", "types.py")
_KEY_BYTES, _PLACE_BYTES = 20, 12


@cache
def analysis_version() -> str:
    """Changes with our code and with the grammars, also between two releases."""
    digest = hashlib.blake2b(sightline.__version__.encode(), digest_size=16)
    package = Path(sightline.__file__).parent
    for part in _CODE:
        path = package / part
        files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        for file in files:
            digest.update(file.relative_to(package).as_posix().encode() + b"\0" + file.read_bytes())
    for name in sorted(_grammars()):
        digest.update(name.encode() + b"\0")
    return digest.hexdigest()


def _grammars() -> list[str]:
    """Name and version of the parser and of every grammar that is installed beside it."""
    found = find_spec("tree_sitter")
    if found is None or found.origin is None:
        return []
    return [path.name for path in Path(found.origin).parent.parent.glob("tree_sitter*.dist-info")]


class Keys:
    """Makes keys for one model."""

    def __init__(self, embedder_id: str) -> None:
        self._base = f"{analysis_version()}\0{embedder_id}\0".encode()

    def place(self, path: str, size_bytes: int) -> bytes:
        """What is known of a file before it is read: enough to tell that it cannot have been seen."""
        return self._hash(_PLACE_BYTES, "place", path, str(size_bytes))

    def entry(self, path: str, language: str, content_hash: str) -> bytes:
        """The key of an analysis."""
        return self._hash(_KEY_BYTES, "entry", path, language, content_hash)

    def _hash(self, size: int, *parts: str) -> bytes:
        text = "\0".join(parts).encode("utf-8", "surrogateescape")
        return hashlib.blake2b(self._base + text, digest_size=size).digest()
