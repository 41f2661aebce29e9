"""What all tests share."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# A busy machine is no reason to fail: speed is measured by scripts/bench, not by tests.
settings.register_profile("sightline", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("sightline")
