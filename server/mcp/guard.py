"""Who may speak over HTTP, and how long they may take: checked before anything else sees a request.

A web page in the user's browser must not reach the server, be it through a name that resolves here (DNS rebinding) or
from another page of the same machine. So Host must name us in a plain form, Origin, which browsers send, must be that
very address, and a token is compared where there is one. Without a token everybody who can open a connection may ask:
on loopback that is every user of this machine, which is why other addresses are refused without one (`transport.py`).

The body of a request is taken in here, within a size and a time, so that half a request holds nothing but itself.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import secrets
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

BODY_S = 10.0  # for a body of at most a megabyte
_AUTHORITY = re.compile(r"(\[[0-9a-f:.]{2,45}\]|[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?)(?::([0-9]{1,5}))?")
_HTTP_PORT = 80


def parse_authority(text: str) -> tuple[str, int] | None:
    """`name:port` → both, the name in lower case; None for any form that is not plain."""
    found = _AUTHORITY.fullmatch(text.lower())
    if found is None:
        return None
    port = int(found[2] or _HTTP_PORT)
    return (found[1], port) if 0 < port < 65_536 else None


def same_token(authorization: str, token: str) -> bool:
    """Whether an Authorization header carries the token; the scheme is case-insensitive (RFC 9110)."""
    scheme, _, given = authorization.partition(" ")
    return secrets.compare_digest(given.strip(" ").encode(), token.encode()) and scheme.lower() == "bearer"


def token_key(token: str) -> str:
    """What a token is looked up by: finding a hash, or not, tells nothing about how near a guess was."""
    return hashlib.sha256(token.encode()).hexdigest()


class Guard:
    """Stands before an ASGI application."""

    def __init__(
        self,
        inner: ASGIApp,
        names: Collection[str],
        token: str | None,
        max_body_bytes: int,
        *,
        is_public: Callable[[Scope], bool] = lambda _: False,
    ) -> None:
        self._inner, self._token, self._max_body_bytes = inner, token, max_body_bytes
        self._is_public = is_public  # whether a request is for something that needs no token
        self._names = frozenset(name.lower() for name in names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] == "http":
            refusal = self._refusal(scope)
            if refusal is None and scope["method"] == "POST":
                body = await self._body(scope, receive)
                if isinstance(body, bytes):
                    receive = _replayed(body, receive)
                elif body is None:
                    return  # the client went: nobody is there to be answered
                else:
                    refusal = body
            if refusal is not None:
                await refusal(scope, receive, send)
                return
        await self._inner_for(scope)(scope, receive, send)

    def _inner_for(self, scope: Scope) -> ASGIApp:
        return self._inner

    def _admits(self, scope: Scope) -> bool:
        given = _headers(scope, b"authorization")
        return self._token is None or any(same_token(each, self._token) for each in given)

    def _refusal(self, scope: Scope) -> ASGIApp | None:
        hosts, origins = _headers(scope, b"host"), _headers(scope, b"origin")
        host = parse_authority(hosts[0]) if len(hosts) == 1 else None
        if host is None or host[0] not in self._names:
            return _answer(421, "this server is not known by that name")
        if origins and (len(origins) > 1 or not _is_same(origins[0], host)):
            return _answer(403, "requests of web pages are refused")
        public = self._is_public(scope)
        if not _comes_from_us(scope) and not (public and _is_visit(scope)):
            return _answer(403, "requests of web pages are refused")
        if public:
            return None
        if self._admits(scope):
            return None
        return _answer(401, "a bearer token is needed: Authorization: Bearer <token>", **{"WWW-Authenticate": "Bearer"})

    async def _body(self, scope: Scope, receive: Receive) -> bytes | ASGIApp | None:
        """The body; an answer when it is too long or too slow, None when the client goes."""
        too_large = _answer(413, f"a request may have at most {self._max_body_bytes:,} bytes", Connection="close")
        announced = _headers(scope, b"content-length")
        if announced and (not announced[0].isdecimal() or int(announced[0][:20]) > self._max_body_bytes):
            return too_large
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(BODY_S):
                while True:
                    message = await receive()
                    if message["type"] != "http.request":
                        return None
                    parts.append(message.get("body", b""))
                    size += len(parts[-1])
                    if size > self._max_body_bytes:
                        return too_large
                    if not message.get("more_body", False):
                        return b"".join(parts)
        except TimeoutError:
            return _answer(408, f"the request did not end within {BODY_S:g} s", Connection="close")


class GuardByToken(Guard):
    """Stands before several applications, one for each token: whoever comes reaches that of their token and no other.

    So sessions, too, are those of one token: another one does not find them, whatever it knows of their names.
    """

    def __init__(
        self, inner: ASGIApp, by_token: Mapping[str, ASGIApp], names: Collection[str], max_body_bytes: int
    ) -> None:
        super().__init__(inner, names, None, max_body_bytes)
        self._by_token = by_token  # `inner` is told of the beginning and the end of the process

    def _inner_for(self, scope: Scope) -> ASGIApp:
        return self._inner if scope["type"] == "lifespan" else self._by_token[self._key(scope)]

    def _admits(self, scope: Scope) -> bool:
        return self._key(scope) in self._by_token

    def _key(self, scope: Scope) -> str:
        given = _headers(scope, b"authorization")
        scheme, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
        return token_key(token.strip(" ")) if scheme.lower() == "bearer" else ""


class Limited:
    """Lets only so many streams of an application be open at once."""

    def __init__(self, inner: Any, most: int) -> None:
        self._inner, self._most, self._open = inner, most, 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._open >= self._most:
            await _answer(503, f"{self._most} sessions are open already")(scope, receive, send)
            return
        self._open += 1
        try:
            await self._inner(scope, receive, send)
        finally:
            self._open -= 1


def _is_same(origin: str, host: tuple[str, int]) -> bool:
    scheme, _, authority = origin.partition("://")
    return scheme.lower() == "http" and parse_authority(authority) == host


def _comes_from_us(scope: Scope) -> bool:
    """Browsers say who asks, where they send no Origin too: nobody (an address was typed), our own page, or another."""
    return all(site in ("same-origin", "none") for site in _headers(scope, b"sec-fetch-site"))


def _is_visit(scope: Scope) -> bool:
    """Whether a browser goes to an address, as by a link; what is there, the page it came from does not see."""
    return _headers(scope, b"sec-fetch-mode") == ["navigate"] and _headers(scope, b"sec-fetch-dest") == ["document"]


def _headers(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


def _answer(status: int, error: str, **headers: str) -> ASGIApp:
    from starlette.responses import JSONResponse

    return JSONResponse({"error": error}, status_code=status, headers=headers)


def _replayed(body: bytes, receive: Receive) -> Receive:
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay
