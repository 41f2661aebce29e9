"""Members by which a queue of jobs is told what to call later, in another process."""

from __future__ import annotations

from collections.abc import Mapping

# Sidekiq and ActiveJob: a class, whose `perform` is called.
RUBY: Mapping[str, str] = dict.fromkeys(
    ("perform_async", "perform_in", "perform_at", "perform_bulk", "perform_later", "perform_now", "push_bulk"),
    "perform",
)
# Celery and its like: the function itself is called.
PYTHON: Mapping[str, str] = dict.fromkeys(("delay", "apply_async"), "")
ALL = frozenset({*RUBY, *PYTHON})
