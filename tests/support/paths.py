"""Where things of the repository are."""

from __future__ import annotations

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
FIXTURES = REPOSITORY / "fixtures"
SHOP = FIXTURES / "ranking" / "shop"
