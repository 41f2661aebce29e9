"""`python -m sightline` is `sightline`."""

from __future__ import annotations

from sightline.server.cli.main import main

if __name__ == "__main__":
    main()
