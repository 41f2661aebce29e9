"""What agents asked lately, from the log that the servers of this machine write (`server/usage.py`)."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from sightline.server import usage

if TYPE_CHECKING:
    from sightline.server.app import Asked
    from sightline.server.ui.shapes import AskedOut


def log_of(folder: Path, roots: Collection[str]) -> Asked:
    """Reads what was asked of these roots from the log in a folder of indexes."""

    def lately(most: int) -> list[AskedOut]:
        calls = [call for call in usage.read(folder) if not set(call.root.split(", ")).isdisjoint(roots)]
        return [
            {
                "at": call.at,
                "root": call.root,
                "tool": call.tool,
                "asked": call.asked,
                "ms": call.ms,
                "answer_chars": call.answer_chars,
                "found": call.found,
            }
            for call in reversed(calls[-most:])
        ]

    return lately
