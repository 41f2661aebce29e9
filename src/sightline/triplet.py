"""The short sentence that a relationship is searched and shown by: `AuthService.login calls validate_credentials`."""

from __future__ import annotations

from sightline.types import RelationshipType

_WORDS: dict[RelationshipType, str] = {"uses_type": "uses type"}  # where the verb is not the type itself


def triplet(source_name: str, type_: RelationshipType, target_name: str, label: str = "") -> str:
    """Say a relationship in words."""
    return f"{source_name} {_WORDS.get(type_, type_)} {target_name}" + (f" for {label}" if label else "")
