"""What go.mod says: the path by which the packages below its folder are imported."""

from __future__ import annotations

import re
from typing import Any

_MODULE = re.compile(rb"^\s*module\s+(\S+)", re.MULTILINE)


def module_notes(source: bytes) -> dict[str, Any]:
    """The path of a module."""
    match = _MODULE.search(source)
    if match is None:
        return {}
    module = match.group(1).decode("utf-8", "replace").strip('"')
    return {"go": module, "provides": [f"go:{module}"]}
