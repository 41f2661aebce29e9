"""The built page is what the sources say, small, and has nothing in it that the policy would refuse."""

from __future__ import annotations

import re
import runpy

from tests.support.paths import REPOSITORY

UI = REPOSITORY / "server" / "ui"


def test_the_page_was_built_from_these_sources() -> None:
    digest = runpy.run_path(str(REPOSITORY / "scripts" / "ui_sources.py"))["digest"]
    assert (UI / "static" / "sources.txt").read_text(encoding="ascii") == digest(), "run scripts/ui"


def test_the_types_of_the_page_are_those_of_the_wire() -> None:
    page = runpy.run_path(str(REPOSITORY / "scripts" / "ui_types.py"))["page"]
    assert (UI / "web" / "src" / "wire.ts").read_text(encoding="utf-8") == page(), "run scripts/ui"


def test_the_page_is_small() -> None:
    assert sum(path.stat().st_size for path in (UI / "static").iterdir()) < 1_500_000


def test_the_page_asks_for_nothing_elsewhere_and_has_nothing_inline() -> None:
    html = (UI / "static" / "index.html").read_text(encoding="utf-8")
    assert all(address.startswith("./") for address in re.findall(r'(?:src|href)="([^"]*)"', html))
    assert not re.search(r"<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=", html)


def test_the_sources_never_make_markup_of_a_string() -> None:
    for path in (UI / "web" / "src").rglob("*.ts"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc", text
        ), path
