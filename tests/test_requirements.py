"""Every requirement of the customer has a test that carries its id, and no test carries an unknown id."""

from __future__ import annotations

import re
from pathlib import Path

REQUIREMENTS = frozenset(
    [f"REL-{n}" for n in range(1, 12)]
    + [f"GRA-{n}" for n in range(1, 10)]
    + [f"UNI-{n}" for n in range(1, 8)]
    + [f"COD-{n}" for n in range(1, 12)]
    + [f"HYB-{n}" for n in range(1, 10)]
)

# Not built yet. This list only shrinks: whoever closes an id removes it here in the same commit.
OPEN: frozenset[str] = frozenset()

_MARK = re.compile(r"mark\.req\(([^)]*)\)")
_ID = re.compile(r"\b[A-Z]{3}-\d+\b")


def ids_carried_by_tests() -> set[str]:
    """Every id named in a `req` mark of a test file."""
    found: set[str] = set()
    for path in Path(__file__).parent.rglob("test_*.py"):
        if path == Path(__file__):
            continue
        for arguments in _MARK.findall(path.read_text(encoding="utf-8")):
            found.update(_ID.findall(arguments))
    return found


def test_every_requirement_that_is_not_open_is_carried_by_a_test() -> None:
    assert REQUIREMENTS - OPEN - ids_carried_by_tests() == set()


def test_no_test_carries_an_unknown_requirement() -> None:
    assert ids_carried_by_tests() - REQUIREMENTS == set()


def test_a_requirement_that_a_test_carries_is_no_longer_open() -> None:
    assert OPEN & ids_carried_by_tests() == set()
