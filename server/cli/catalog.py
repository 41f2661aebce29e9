"""`sightline serve --catalog`: who may see what, then the same transports as for folders."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

import typer

from sightline.config import index_home
from sightline.errors import ConfigError
from sightline.memory import DEFAULT_MB, check_memory
from sightline.server.mcp import transport as transports


@dataclass(frozen=True, slots=True)
class Served:
    """What was said on the command line about a catalog."""

    address: str
    tokens: Path | None
    cache_mb: int
    index_dir: Path | None
    embedder: str | None
    memory_mb: int | None
    api_version: int
    structured: bool


def serve_catalog(
    served: Served,
    transport: transports.Transport,
    http: transports.HttpOptions,
    *,
    token_file: Path | None,
    generate_token: bool,
) -> NoReturn:
    """Serve a catalog until the process is told to stop."""
    from sightline.server.catalog.app import open_catalog
    from sightline.server.catalog.tokens import read_tokens

    if served.tokens is not None and (transport == "stdio" or token_file is not None or generate_token):
        raise ConfigError("--tokens has all tokens there are, for HTTP", hint="--transport http --tokens FILE alone")
    grants = read_tokens(served.tokens) if served.tokens is not None else {}
    memory = DEFAULT_MB if served.memory_mb is None else served.memory_mb
    check_memory(memory)
    app = open_catalog(
        served.address,
        index_home(served.index_dir),
        embedder=served.embedder or "static",
        disk_mb=served.cache_mb,
        memory_mb=memory,
        api_version=2 if served.api_version == 2 else 1,
        structured=served.structured,
    )
    token = transports.read_token(token_file) if token_file else None
    if generate_token and token is None:
        token = transports.new_token()
        typer.echo(f"sightline: token for this run: {token}", err=True)
    views = {key: app.seen_by(grant) for key, grant in grants.items()}
    transports.serve(app, transport, replace(http, token=token, views=views))
