"""Names that Make brings along."""

from __future__ import annotations

from sightline.languages.library import words

BUILTINS = words("FORCE force")
