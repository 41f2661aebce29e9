"""Bringing people to the page: the address with the token, and their browser.

A browser is started with the address among its arguments, which every user of the machine can list. So it is started
with a file that only its owner can read, and that file leads on to the address.
"""

from __future__ import annotations

import logging
import shutil
import sys
import tempfile
import threading
import webbrowser
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from sightline.server.ui.explorer import PAGE_PATH

if TYPE_CHECKING:
    from sightline.server.app import App

_logger = logging.getLogger(__name__)


def page_url(address: str, token: str) -> str:
    """Where the page is; what follows the # stays in the browser."""
    return f"{address}{PAGE_PATH}#token={quote(token, safe='')}"


def invite(app: App, address: str, token: str, *, open_browser: bool) -> None:
    """Say where the page is, and open it."""
    app.warm_soon()
    url = page_url(address, token)
    sys.stderr.write(f"sightline: the explorer is at {url}\n")
    if open_browser:
        threading.Thread(target=_open, args=(app, url), daemon=True, name="sightline-browser").start()


def _open(app: App, url: str) -> None:
    folder = Path(tempfile.mkdtemp(prefix="sightline-ui-"))  # for its owner only
    app.on_close(lambda: shutil.rmtree(folder, ignore_errors=True))
    way = folder / "open.html"
    way.write_text(
        f'<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
        f'<title>Sightline</title><meta http-equiv="refresh" content="0;url={escape(url)}">',
        encoding="utf-8",
    )
    try:
        opened = webbrowser.open(way.as_uri())
    except (OSError, webbrowser.Error) as error:
        _logger.info("no browser could be started: %s", error)
        opened = False
    if not opened:
        sys.stderr.write("sightline: no browser could be opened; open the address above yourself\n")
        sys.stderr.flush()
