"""Debian's Chromium as fixtures, for conftests to import; where there is none, what needs it is skipped with a word."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from tests.support.explorer import Running

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

Visit = Callable[[Running, str], "Page"]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
# There is no graphics card in CI: the graph is drawn by software. As root, which containers are, there is no sandbox.
FLAGS = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]


@pytest.fixture(scope="module")  # no longer: while it runs, no other test of this process could run an event loop
def browser() -> Iterator[Browser]:
    """A browser, for the tests of a module."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here (apt-get install chromium)")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    flags = [*FLAGS, *(["--no-sandbox"] if hasattr(os, "getuid") and os.getuid() == 0 else [])]
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield launched
        launched.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """As if nobody had used the browser before."""
    fresh = browser.new_context(viewport={"width": 1280, "height": 900})
    fresh.set_default_timeout(60_000)
    yield fresh
    fresh.close()


@pytest.fixture
def visit(context: BrowserContext) -> Iterator[Visit]:
    """Open a page of an explorer, with its token; whatever goes wrong in the page fails the test."""
    wrong: list[str] = []

    def open_page(at: Running, where: str) -> Page:
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(f"{at.address}/ui/#{where}{'&' if '?' in where else '?'}token={at.token}")
        return page

    yield open_page
    assert wrong == []
