"""A browser, for the attacks on what it shows."""

from __future__ import annotations

from tests.support.browser import browser, context, visit

__all__ = ["browser", "context", "visit"]
