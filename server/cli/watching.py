"""`sightline status --watch`: the status, again whenever it has changed, until stopped."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sightline.server import heavy

if TYPE_CHECKING:
    from sightline.server.app import App
    from sightline.server.root import Root

_LOOK_S = 0.5
_ANYWAY_LOOKS = 20  # "changed 2 minutes ago" goes on, too


def watch_status(app: App, *, as_json: bool) -> int:
    """Show the status on a terminal in place, in a pipe one after the other; Ctrl-C is how it ends."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    if as_json:
        _each_time(app, stop, lambda collected: _printed(json.dumps({"roots": collected}) + "\n"))
    elif not sys.stdout.isatty():
        _each_time(app, stop, lambda collected: _printed(heavy.status.text(collected) + "\n"))
    else:
        _on_terminal(app, stop)
    return 0


def _on_terminal(app: App, stop: threading.Event) -> None:
    from rich.live import Live
    from rich.text import Text

    with Live(Text(""), auto_refresh=False, vertical_overflow="crop") as live:

        def show(collected: list[dict[str, Any]]) -> None:
            live.update(Text.from_ansi(heavy.status.text(collected)), refresh=True)

        _each_time(app, stop, show, anyway=True)


def _each_time(
    app: App, stop: threading.Event, show: Callable[[list[dict[str, Any]]], None], *, anyway: bool = False
) -> None:
    seen: list[tuple[object, ...]] | None = None
    looks = 0
    while not stop.is_set():
        now = [_stamp(root) for root in app.roots]
        if now != seen or (anyway and looks >= _ANYWAY_LOOKS):
            seen, looks = now, 0
            show([heavy.status.collect(root) for root in app.roots])
        looks += 1
        stop.wait(_LOOK_S)


def _stamp(root: Root) -> tuple[object, ...]:
    """What changes when the status does; a look at the manifest, which costs nothing when nothing happened."""
    snapshot = root.snapshot()
    writer = heavy.store.live_writer(root.config.index_dir)
    return (None, writer) if snapshot is None else (snapshot.generation, snapshot.manifest.state, writer)


def _printed(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
