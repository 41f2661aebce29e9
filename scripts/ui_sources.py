"""What the built page was built from, as one hash: prints static/sources.txt.

CI has no node. A test compares this with the file that was written when the page was built, so that nobody changes
the sources and forgets to build.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

WEB = Path(__file__).parents[1] / "server" / "ui" / "web"


def digest() -> str:
    """A hash of every source by name and content."""
    kept = [path for path in WEB.rglob("*") if path.is_file() and "node_modules" not in path.relative_to(WEB).parts]
    whole = hashlib.sha256()
    for path in sorted(kept, key=lambda each: each.relative_to(WEB).as_posix()):
        whole.update(path.relative_to(WEB).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return whole.hexdigest() + "\n"


if __name__ == "__main__":
    sys.stdout.write(digest())
