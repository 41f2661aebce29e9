"""Which repositories a fleet is of: a text file with one per line.

    # what stands behind a hash is a remark
    ../shop                                  a folder; what it is relative to is the folder of the list
    https://git.example.org/team/api.git     what git clones
    legacy/api = ssh://git@old.example.org/api.git     under a name of its own

Without a name a repository is called by the last part of its address. Nothing is indexed but what is listed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from sightline.errors import ConfigError
from sightline.indexer.bundles.catalog import is_name

_MAX_BYTES = 50_000_000
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_SCP = re.compile(r"[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:.+")  # git@example.org:team/api.git
SCHEMES = ("https", "ssh", "file")


@dataclass(frozen=True, slots=True)
class Listed:
    """One repository of the list."""

    name: str
    address: str  # of what git clones: a path or a URL


def read_list(path: Path) -> list[Listed]:
    """The repositories of a list, in its order; ConfigError names the line that cannot be understood."""
    try:
        content = path.read_bytes()[:_MAX_BYTES].decode()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read the list {path}: {error}") from error
    found: dict[str, Listed] = {}
    for number, line in enumerate(content.splitlines(), 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        listed = _listed(text, path.parent, f"{path}:{number}")
        if listed.name in found:
            raise ConfigError(
                f"{path}:{number}: there is another repository that is called {listed.name!r}",
                hint="give one of them a name: NAME = ADDRESS",
            )
        found[listed.name] = listed
    if not found:
        raise ConfigError(f"{path} lists no repository")
    return list(found.values())


def _listed(text: str, folder: Path, where: str) -> Listed:
    name, equals, address = text.partition(" = ")
    if not equals:
        name, address = "", text
    name, address = name.strip(), _address(address.strip(), folder, where)
    name = name or re.split(r"[/:\\]", address.rstrip("/"))[-1].removesuffix(".git")
    if not is_name(name):
        raise ConfigError(
            f"{where}: {name[:100]!r} cannot be the name of a repository",
            hint="letters, digits, '.', '_', '-' and '/': NAME = ADDRESS",
        )
    return Listed(name, address)


def _address(address: str, folder: Path, where: str) -> str:
    if _SCP.fullmatch(address):
        return address
    scheme = _SCHEME.match(address)
    if scheme is None:
        return str((folder / Path(address).expanduser()).resolve())
    if scheme[1].lower() not in SCHEMES:
        raise ConfigError(f"{where}: {scheme[1]}:// is not used here", hint=f"one of {', '.join(SCHEMES)}, or a path")
    return address
