"""Sightline: code search and a symbol graph for coding agents, on the user's own machine."""

from __future__ import annotations

__version__ = "0.1.0"
__all__ = ["__version__"]
