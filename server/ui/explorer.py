"""The explorer over HTTP: the page under `/ui/`, what it asks under `/api/`, everything else to MCP.

It stands behind the guard (`server/mcp/guard.py`), which checks Host, Origin and the token. The page itself is the same
for everybody and has nothing of a repository in it, so it is served without the token: browsers do not send the
fragment of an address, which is where the token comes in. What it asks is not.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sightline.errors import QueryError, SightlineError
from sightline.server import arguments
from sightline.server.progress import Call, CallCancelledError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from sightline.server.app import App

PAGE_PATH = "/ui/"
API_PATH = "/api/"
STATIC = Path(__file__).parent / "static"
MAX_VIEWS = 4  # work at once; a page that is typed into gives up what it no longer wants
_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
# Nothing but our own files, no inline script or style, and no string becomes markup or the address of a script: the
# one policy (`layout`) makes the address of the worker that lays graphs out.
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "worker-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types layout",
    )
)
_ALWAYS = {
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_logger = logging.getLogger(__name__)


def is_page(scope: Scope) -> bool:
    """Whether a request is for the page itself, which has nothing of a repository in it."""
    return scope["method"] in ("GET", "HEAD") and scope["path"].startswith(PAGE_PATH)


class Explorer:
    """An ASGI application that has the page and its questions, and passes everything else on."""

    def __init__(self, app: App, inner: ASGIApp) -> None:
        self._app, self._inner = app, inner
        self._files = {path.name: _Static.read(path) for path in sorted(STATIC.iterdir()) if path.suffix in _KINDS}
        self._pool = ThreadPoolExecutor(MAX_VIEWS, thread_name_prefix="sightline-view")
        app.on_close(lambda: self._pool.shutdown(wait=False, cancel_futures=True))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if scope["type"] != "http" or not path.startswith((PAGE_PATH, API_PATH)):
            await self._inner(scope, receive, send)
        elif path.startswith(PAGE_PATH):
            await self._page(scope, send, path.removeprefix(PAGE_PATH) or "index.html")
        elif scope["method"] != "POST":
            await _answer(send, 405, {"error": "questions are asked with POST"})
        else:
            await self._ask(path.removeprefix(API_PATH), receive, send)

    async def _page(self, scope: Scope, send: Send, name: str) -> None:
        if not is_page(scope):
            await _answer(send, 405, {"error": "the page can be read, and nothing else"})
            return
        found = self._files.get(name)
        if found is None:
            await _answer(send, 404, {"error": "the page has no such file"})
            return
        known = dict(scope["headers"]).get(b"if-none-match", b"").decode("latin-1")
        headers = {"Content-Type": found.kind, "ETag": found.tag, "Cache-Control": "no-cache"}
        if known == found.tag:
            await _send(send, 304, headers, b"")
        else:
            await _send(send, 200, headers, found.data if scope["method"] == "GET" else b"", size=len(found.data))

    async def _ask(self, name: str, receive: Receive, send: Send) -> None:
        body = (await receive()).get("body", b"")  # whole: the guard has read it
        call = Call()
        future = asyncio.wrap_future(self._pool.submit(self._answer, name, body, call))
        gone = asyncio.ensure_future(_disconnected(receive))
        try:
            either: list[asyncio.Future[Any]] = [future, gone]
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if not future.done():
                call.cancelled.set()
                return
            status, answer = future.result()
            await _send(send, status, {"Content-Type": "application/json", "Cache-Control": "no-store"}, answer)
        finally:
            gone.cancel()

    def _answer(self, name: str, body: bytes, call: Call) -> tuple[int, bytes]:
        """In a thread of the pool: the status and the body of an answer, whatever happens."""
        try:
            call.check()
            given = _given(body)
            return 200, _encoded(self._shown(name, given, call))
        except CallCancelledError:
            return 499, b"{}"
        except SightlineError as error:
            return 400, _encoded({"error": str(error)})
        except BaseException:  # a panic in Rust is no Exception
            _logger.exception("view %r failed", name[:80])
            return 500, _encoded({"error": "this failed unexpectedly; the log on stderr has the details"})

    def _shown(self, name: str, given: Mapping[str, Any], call: Call) -> Mapping[str, Any]:
        from sightline.server.ui import pages

        if name.startswith("call/"):
            return pages.ask_tool(self._app, name.removeprefix("call/"), given, call)
        view = pages.VIEWS.get(name)
        if view is None:
            raise QueryError(f"there is no view {name[:80]!r}")
        return view.show(self._app, arguments.check(view.arguments, given), call)


class _Static:
    """A file of the page."""

    def __init__(self, data: bytes, kind: str) -> None:
        self.data, self.kind = data, kind
        self.tag = f'"{hashlib.sha256(data).hexdigest()[:32]}"'

    @classmethod
    def read(cls, path: Path) -> _Static:
        return cls(path.read_bytes(), _KINDS[path.suffix])


def _given(body: bytes) -> dict[str, Any]:
    try:
        given = json.loads(body or b"{}")
    except (ValueError, RecursionError) as error:
        raise QueryError("the question is not JSON") from error
    if not isinstance(given, dict):
        raise QueryError("the question is not a JSON object")
    return given


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _encoded(value: Mapping[str, Any]) -> bytes:
    # A name of the repository may hold half a surrogate pair, which UTF-8 cannot say; as an escape it can be said.
    return json.dumps(value, separators=(",", ":")).encode("ascii")


async def _answer(send: Send, status: int, value: Mapping[str, Any]) -> None:
    await _send(send, status, {"Content-Type": "application/json", "Cache-Control": "no-store"}, _encoded(value))


async def _send(send: Send, status: int, headers: Mapping[str, str], body: bytes, *, size: int | None = None) -> None:
    length = {} if status == 304 else {"Content-Length": str(len(body) if size is None else size)}
    lines = [(name.lower().encode(), value.encode()) for name, value in {**_ALWAYS, **headers, **length}.items()]
    await send({"type": "http.response.start", "status": status, "headers": lines})
    await send({"type": "http.response.body", "body": body})
