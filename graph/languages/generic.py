"""Languages without a reader of their own: imports, bases and calls from tables of node types."""

from __future__ import annotations

from sightline.graph.languages import Rules
from sightline.graph.languages.reading import Reading


def _read_nothing(reading: Reading) -> None:
    """Documents and data state nothing beside their objects."""


def rules(language: str) -> Rules:
    """The rules of a language without a module of its own."""
    return Rules(family=language, read=_read_nothing)
