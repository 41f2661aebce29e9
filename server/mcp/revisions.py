"""The two ways MCP opens a conversation; a client's first request decides which one it is.

Up to 2025-11-25 a client says `initialize` and is remembered. From 2026-07-28 there is no such thing: every request
carries its protocol version and who asks in `_meta`, and every result says what it is. A client that mixes the two is
told so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from sightline.server.mcp.jsonrpc import INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, Refusal
from sightline.server.mcp.protocol import CAPABILITIES, IDENTITY

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS_VERSIONS = ("2026-07-28",)
_UNSUPPORTED_VERSION = -32022
_META = "io.modelcontextprotocol/"
_VERSION, _CLIENT, _CLIENT_CAPABILITIES = f"{_META}protocolVersion", f"{_META}clientInfo", f"{_META}clientCapabilities"
_SERVER = f"{_META}serverInfo"
_CACHEABLE = frozenset(
    {"server/discover", "tools/list", "resources/list", "resources/templates/list", "resources/read"}
)


class Revision(Protocol):
    """How requests are let in and results are dressed."""

    def admit(self, method: str, params: Mapping[str, Any]) -> None:
        """Refusal when the request does not belong here."""

    def dressed(self, method: str, result: Mapping[str, Any]) -> Mapping[str, Any]:
        """The result as this revision wants it."""


def opened_by(method: str, params: Mapping[str, Any]) -> Revision:
    """The revision of a conversation that begins with this request."""
    return Stateless() if method != "initialize" and _has_version(params) else Handshake()


def of_version(version: str) -> Revision:
    """The revision that a protocol version belongs to."""
    return Stateless() if version in STATELESS_VERSIONS else Handshake()


class Handshake:
    """`initialize` first; after that requests are bare."""

    def __init__(self) -> None:
        self._greeted = False

    def admit(self, method: str, params: Mapping[str, Any]) -> None:
        """Nothing but `ping` before the greeting, and no request of the other revision."""
        if method == "server/discover":
            raise unknown_method(method)
        if method == "initialize":
            return
        if _has_version(params):
            raise Refusal(
                INVALID_REQUEST,
                "this connection began with initialize; requests that carry their own protocol version are not "
                "accepted on it",
            )
        if not self._greeted and method != "ping":
            raise Refusal(INVALID_PARAMS, f"initialize comes before {method}")

    def dressed(self, method: str, result: Mapping[str, Any]) -> Mapping[str, Any]:
        """As it is."""
        return result

    def greet(self, params: Mapping[str, Any], instructions: str) -> dict[str, Any]:
        """The answer to `initialize`: the client's protocol version if we speak it, else our newest."""
        wanted = params.get("protocolVersion")
        known = isinstance(params.get("capabilities"), dict) and isinstance(params.get("clientInfo"), dict)
        if not isinstance(wanted, str) or not known:
            raise Refusal(INVALID_PARAMS, "initialize needs protocolVersion, capabilities and clientInfo")
        self._greeted = True
        return {
            "protocolVersion": wanted if wanted in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1],
            "capabilities": CAPABILITIES,
            "serverInfo": IDENTITY,
            "instructions": instructions,
        }


class Stateless:
    """Every request stands for itself."""

    def admit(self, method: str, params: Mapping[str, Any]) -> None:
        """Every request says its version and what its client can do; there is no greeting and no ping."""
        if method == "initialize":
            wanted = params.get("protocolVersion")
            raise _unsupported(
                "this connection serves the protocol of 2026-07-28, which has no initialize",
                wanted if isinstance(wanted, str) else None,
            )
        meta = params.get("_meta")
        missing = [key for key in (_VERSION, _CLIENT_CAPABILITIES) if not isinstance(meta, dict) or key not in meta]
        if missing:
            raise Refusal(INVALID_PARAMS, f"params._meta lacks {', '.join(missing)}")
        assert isinstance(meta, dict)
        version, client = meta[_VERSION], meta.get(_CLIENT)
        if not isinstance(version, str):
            raise Refusal(INVALID_PARAMS, "the protocol version is a string")
        if version not in STATELESS_VERSIONS:
            raise _unsupported("unsupported protocol version", version)
        if not isinstance(meta[_CLIENT_CAPABILITIES], dict) or not isinstance(client, dict | None):
            raise Refusal(INVALID_PARAMS, "the client's capabilities and its identity are objects")
        if method == "ping":
            raise unknown_method(method)

    def dressed(self, method: str, result: Mapping[str, Any]) -> Mapping[str, Any]:
        """With what every result has to say: that it is complete, who gave it, and how long it may be kept."""
        lifetime = {"cacheScope": "private", "ttlMs": 0} if method in _CACHEABLE else {}
        return {**result, "resultType": "complete", **lifetime, "_meta": {_SERVER: IDENTITY}}

    def discover(self, instructions: str) -> dict[str, Any]:
        """The answer to `server/discover`."""
        return {
            "supportedVersions": list(STATELESS_VERSIONS),
            "capabilities": CAPABILITIES,
            "instructions": instructions,
        }


def unknown_method(method: str) -> Refusal:
    """There is no such thing here."""
    return Refusal(METHOD_NOT_FOUND, "Method not found", data=method[:200])


def _has_version(params: Mapping[str, Any]) -> bool:
    meta = params.get("_meta")
    return isinstance(meta, dict) and _VERSION in meta


def _unsupported(message: str, requested: str | None) -> Refusal:
    data: dict[str, Any] = {"supported": list(STATELESS_VERSIONS)}
    if requested is not None:
        data["requested"] = requested
    return Refusal(_UNSUPPORTED_VERSION, message, data=data)
