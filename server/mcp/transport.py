"""How clients reach the server: stdio, SSE (`/sse`) and streamable HTTP (`/mcp`), one of them per `sightline serve`.

HTTP is for the same machine unless told otherwise: it binds loopback, checks Host and Origin (`guard.py`), bounds
connections and sessions (`connections.py`), and refuses any other address without a bearer token. On loopback a token
is the user's choice: without one every user of this machine may ask, and no web page.
Every way out ends the same: SIGTERM, SIGINT or a closed stdin stop the transport, then the app is closed, so that the
writer lock is free and no worker process is left.
"""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import os
import secrets
import signal
import socket
import sys
import threading
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from sightline.errors import ConfigError
from sightline.indexer import collector
from sightline.server.ending import end
from sightline.server.lifecycle import GIVE_UP_S, SHUTDOWN_S
from sightline.visible import visible

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from starlette.applications import Starlette
    from starlette.types import ASGIApp, Receive, Scope, Send

    from sightline.server.app import App

Transport = Literal["stdio", "sse", "http"]
TRANSPORTS: tuple[Transport, ...] = ("stdio", "sse", "http")
DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8747
HTTP_PATH = "/mcp"
SSE_PATH = "/sse"
MESSAGE_PATH = "/messages/"
MIN_TOKEN_CHARS = 16
MAX_REQUEST_BYTES = 1 << 20  # the largest legal call is a few kilobytes
MAX_SESSIONS = 256
_FEWEST_SESSIONS = 8  # of a token, however many tokens there are
_SWITCH_S = 0.001  # an answer waits so long for the interpreter whenever indexing has it; Python's 5 ms add up
_KEEP_ALIVE_S = 75  # agents think between two calls
_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """Where to listen and who may come."""

    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    token: str | None = None
    allowed_hosts: tuple[str, ...] = ()  # names under which clients reach an address that is not loopback
    explorer: bool = False  # whether the page for people is served too
    open_browser: bool = False
    views: Mapping[str, App] = field(default_factory=dict)  # what each token sees, by its key; instead of `token`


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def new_token() -> str:
    """A bearer token that cannot be guessed."""
    return secrets.token_urlsafe(32)


def read_token(token_file: Path) -> str:
    """The bearer token in a file; the file is made with a fresh token, for its owner only, when it is missing."""
    try:
        token = token_file.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return _write_token(token_file)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read the token file {token_file}: {error}") from error
    check_token(token, f"the token in {token_file}")
    return token


def check_token(token: str, what: str) -> None:
    """Refuse a token that is too short, or that every client and server would read in its own way."""
    if len(token) < MIN_TOKEN_CHARS or not (token.isascii() and token.isprintable()):
        raise ConfigError(f"{what} cannot be used", hint=f"use at least {MIN_TOKEN_CHARS} printable ASCII characters")


def _write_token(token_file: Path) -> str:
    token = new_token()
    try:
        token_file.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(token_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(token + "\n")
    except OSError as error:
        raise ConfigError(f"cannot make the token file {token_file}: {error.strerror or error}") from error
    return token


def check_options(options: HttpOptions) -> None:
    """Refuse to be reachable from elsewhere without a token."""
    if not is_loopback(options.host) and options.token is None and not options.views:
        raise ConfigError(
            f"refusing to listen on {options.host} without a token: anybody who reaches it could read the code",
            hint="give --token-file FILE or --generate-token, or listen on 127.0.0.1",
        )
    if options.explorer and options.token is None:
        raise ConfigError("the explorer is not served without a token", hint="give --token-file FILE")


def serve(app: App, transport: Transport, options: HttpOptions) -> NoReturn:
    """Serve until the client goes or the process is told to stop; then close the app."""
    sys.setswitchinterval(_SWITCH_S)
    listener = None
    if transport != "stdio":
        check_options(options)
        listener = _listen(options)
    try:
        if listener is None:
            from sightline.server.mcp import stdio

            stdio.serve(app)
        else:
            import asyncio

            asyncio.run(_serve_http(app, transport, options, listener))
    finally:
        _exit_at_last()
        app.close()
    end(0)


def _build(app: App, pool: ThreadPoolExecutor | None) -> Any:
    """Make the MCP server. Its import makes some 80,000 objects that stay: collecting garbage meanwhile only costs."""
    with collector.rarely_collected():
        from sightline.server.mcp.endpoint import build

        return build(app, pool)


async def _serve_http(app: App, transport: Transport, options: HttpOptions, listener: socket.socket) -> None:
    import uvicorn

    from sightline.server.mcp.connections import Connection, Sparing, make_room

    Connection.most = make_room()
    asgi = build_asgi(app, transport, options, max_sessions=min(MAX_SESSIONS, Connection.most // 2))
    for handler in logging.getLogger().handlers:
        handler.addFilter(Sparing())
    web = uvicorn.Server(
        uvicorn.Config(
            asgi,
            http=Connection,
            ws="none",
            backlog=max(16, Connection.most // 2),  # so many are accepted before they are counted
            log_config=None,
            log_level="warning",
            access_log=False,
            timeout_graceful_shutdown=SHUTDOWN_S,
            timeout_keep_alive=_KEEP_ALIVE_S,
            server_header=False,
        )
    )

    def stop(*_: object) -> None:
        web.should_exit = True

    # uvicorn catches the signals while it runs and raises them again afterwards. One that comes before must not be
    # lost, and none may kill us before the app is closed.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    path = HTTP_PATH if transport == "http" else SSE_PATH
    sys.stderr.write(f"sightline: serving {visible(app.described())} at http://{shown}:{port}{path}\n")
    if options.explorer and options.token is not None:
        from sightline.server.ui.opening import invite

        invite(app, f"http://{shown}:{port}", options.token, open_browser=options.open_browser)
    elif options.token is not None or options.views:
        sys.stderr.write("sightline: clients must send the token: Authorization: Bearer <token>\n")
    sys.stderr.flush()
    await web.serve(sockets=[listener])


def build_asgi(app: App, transport: Transport, options: HttpOptions, *, max_sessions: int = MAX_SESSIONS) -> ASGIApp:
    """The ASGI application of one transport, guarded; with the explorer before it where that is wanted."""
    from sightline.server.mcp.guard import Guard

    names = _host_names(options)
    if options.views:
        return _by_token(transport, options, names, max_sessions)
    if not options.explorer:
        return Guard(_build_mcp(app, transport, options, max_sessions), names, options.token, MAX_REQUEST_BYTES)
    from sightline.server.ui.explorer import Explorer, is_page
    from sightline.server.ui.later import Later

    inner = Explorer(app, Later(lambda: _build_mcp(app, transport, options, max_sessions)))
    return Guard(inner, names, options.token, MAX_REQUEST_BYTES, is_public=is_page)


def _by_token(transport: Transport, options: HttpOptions, names: Sequence[str], max_sessions: int) -> ASGIApp:
    """An application for each token, so that nothing of one can be reached with another."""
    from starlette.applications import Starlette

    from sightline.server.mcp.endpoint import call_pool
    from sightline.server.mcp.guard import GuardByToken

    pool, sessions = call_pool(), max(_FEWEST_SESSIONS, max_sessions // len(options.views))
    apps = {key: _build_mcp(view, transport, options, sessions, pool) for key, view in options.views.items()}

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with contextlib.AsyncExitStack() as stack:
            for inner in apps.values():
                await stack.enter_async_context(inner.router.lifespan_context(inner))
            yield

    return GuardByToken(Starlette(lifespan=lifespan), apps, names, MAX_REQUEST_BYTES)


def _build_mcp(
    app: App, transport: Transport, options: HttpOptions, max_sessions: int, pool: ThreadPoolExecutor | None = None
) -> Starlette:
    server = _build(app, pool)
    from mcp.server.sse import SseServerTransport
    from mcp.server.transport_security import TransportSecuritySettings
    from starlette.applications import Starlette
    from starlette.routing import Mount, Route

    from sightline.server.mcp.guard import Limited

    # The guard checks Host and Origin; the library's own check takes `localhost:anything` for a port.
    security = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    if transport == "http":
        http: Starlette = server.streamable_http_app(
            streamable_http_path=HTTP_PATH,
            max_request_body_size=MAX_REQUEST_BYTES,
            max_sessions=max_sessions,
            transport_security=security,
            host=options.host,
        )
        return http
    sse = SseServerTransport(MESSAGE_PATH, security_settings=security, max_request_body_size=MAX_REQUEST_BYTES)
    routes = [
        Route(SSE_PATH, endpoint=Limited(_SseEndpoint(server, sse), max_sessions), methods=["GET"]),
        Mount(MESSAGE_PATH, app=sse.handle_post_message),
    ]
    return Starlette(routes=routes)


class _SseEndpoint:
    """One SSE connection is one MCP session."""

    def __init__(self, server: Any, sse: Any) -> None:
        self._server, self._sse = server, sse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._sse.connect_sse(scope, receive, send) as (read_stream, write_stream):
            await self._server.run(read_stream, write_stream, self._server.create_initialization_options())


def _host_names(options: HttpOptions) -> Sequence[str]:
    """Names under which the server may be addressed."""
    names = ["127.0.0.1", "localhost", "[::1]", *options.allowed_hosts]
    if not is_loopback(options.host):
        names += [options.host, socket.gethostname(), socket.getfqdn()]
    return list(dict.fromkeys(names))


def _listen(options: HttpOptions) -> socket.socket:
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    # The protocol is named on purpose: asyncio sets TCP_NODELAY only on sockets that say they are TCP, and without it
    # every answer over HTTP waits 40 ms for an acknowledgement.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # elsewhere this would let two servers share a port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((options.host.strip("[]"), options.port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise ConfigError(
            f"cannot listen on {options.host}:{options.port}: {error.strerror or error}", hint="choose another --port"
        ) from error
    return listener


def _exit_at_last() -> None:
    """Make sure that the process ends even when some thread does not."""
    timer = threading.Timer(GIVE_UP_S, os._exit, args=(0,))
    timer.daemon = True
    timer.start()
