"""What all tests share."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is no reason to fail: speed is measured by scripts/bench, not by tests.
settings.register_profile("sightline", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("sightline")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update` rewrites golden files instead of comparing with them; then read the diff."""
    parser.addoption("--update", action="store_true", default=False, help="rewrite golden files")
