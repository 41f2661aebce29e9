"""Services that keep a small root fresh, and the modules of that root."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sightline.config import Config
from sightline.indexer.service import IndexService


def write_module(root: Path, number: int, word: str = "word") -> None:
    """Write one of many modules that call one another."""
    path = root / f"pkg{number % 5}" / f"module_{number}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    body = f"from pkg{(number + 1) % 5}.module_{number + 1} import function_{number + 1}\n\n\n"
    path.write_text(f"{body}def function_{number}():\n    {word}_{number} = 1\n    return function_{number + 1}()\n")


@contextmanager
def running(config: Config, *, watch: bool = False) -> Iterator[IndexService]:
    """A service without embedder, stopped in the end."""
    service = IndexService(config, lambda: None, watch=watch)
    service.start()
    try:
        yield service
    finally:
        service.stop()
