"""Who may see which repositories of a catalog: a file of tokens, for the eyes of its owner only.

[[token]]
name = "team a"                         # for people
token = "…"                             # at least 16 characters; what clients send as Authorization: Bearer …
repositories = ["a/*", "shared"]        # names and patterns; nothing else is seen
"""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sightline.errors import ConfigError
from sightline.server.catalog.grants import Grant
from sightline.server.mcp.guard import token_key
from sightline.server.mcp.transport import check_token

_MAX_BYTES = 10_000_000
_FIELDS = frozenset({"name", "token", "repositories"})


def read_tokens(path: Path) -> dict[str, Grant]:
    """The grants of a file by the key of their token; ConfigError when it is not for its owner alone, or not right."""
    body = _read(path)
    listed = body.get("token")
    if not isinstance(listed, list) or not listed or body.keys() != {"token"}:
        raise ConfigError(f"{path} names no tokens", hint="[[token]] with name, token and repositories")
    grants: dict[str, Grant] = {}
    for number, each in enumerate(listed, 1):
        where = f"the token {number} of {path}"
        if not isinstance(each, dict) or each.keys() != _FIELDS:
            raise ConfigError(f"{where} is not understood", hint=f"it has {', '.join(sorted(_FIELDS))}")
        patterns = each["repositories"]
        if not isinstance(patterns, list) or not all(isinstance(pattern, str) for pattern in patterns):
            raise ConfigError(f"{where} does not list its repositories")
        if not isinstance(each["token"], str):
            raise ConfigError(f"{where} is no text")
        check_token(each["token"], where)
        key = token_key(each["token"])
        if key in grants:
            raise ConfigError(f"{where} is there twice")
        grants[key] = Grant(tuple(patterns))
    return grants


def _read(path: Path) -> Mapping[str, Any]:
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            if os.name == "posix" and (status.st_mode & (stat.S_IRWXG | stat.S_IRWXO)):
                raise ConfigError(f"{path} can be read by others", hint=f"chmod 600 {path}")
            if os.name == "posix" and status.st_uid not in (os.geteuid(), 0):
                raise ConfigError(f"{path} belongs to somebody else")
            return tomllib.loads(file.read(_MAX_BYTES).decode())
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"cannot read the tokens in {path}: {error}") from error
