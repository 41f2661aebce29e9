"""Sightline: code search and a symbol graph for coding agents, on the user's own machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sightline.client import Client

__version__ = "0.1.0"
__all__ = ["Client", "__version__"]


def __getattr__(name: str) -> Any:
    """Import the client when it is first asked for: importing the package stays cheap."""
    if name == "Client":
        from sightline.client import Client

        return Client
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
