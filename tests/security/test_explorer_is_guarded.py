"""The explorer shows nothing of a repository to whoever has no token, and nothing at all to other pages."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import httpx2
import pytest

from sightline.server.ui.explorer import STATIC
from sightline.server.ui.pages import VIEWS
from tests.support.explorer import SHOP, Running, explorer
from tests.support.indexes import write_files
from tests.support.waiting import wait_for
from tests.support.wire import Served

VIEW_NAMES = [*VIEWS, "call/search", "call/symbol_search", "call/expand_graph", "call/code_research", "nothing"]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("guarded")
    write_files(folder / "shop", SHOP)
    with explorer(folder / "shop", folder) as served:
        yield served


def post(running: Running, path: str, **headers: str) -> httpx2.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx2.post(f"{running.address}{path}", json={"query": "x", "id": "x"}, headers=named, timeout=60)


@pytest.mark.parametrize("view", VIEW_NAMES)
def test_without_the_token_no_view_answers(running: Running, view: str) -> None:
    for authorization in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {running.token}"}):
        refused = post(running, f"/api/{view}", **authorization)
        assert refused.status_code == 401
        assert "shop" not in refused.text
    cookie = post(running, f"/api/{view}", Cookie=f"token={running.token}")
    assert cookie.status_code == 401


def test_a_token_in_the_address_is_none(running: Running) -> None:
    assert post(running, f"/api/about?token={running.token}").status_code == 401


def test_agents_need_the_same_token(running: Running) -> None:
    assert post(running, "/mcp").status_code == 401


def test_the_page_itself_is_the_same_for_everybody_and_has_nothing_of_the_repository(running: Running) -> None:
    for name in ("index.html", "index.js", "index.css"):
        shown = httpx2.get(f"{running.address}/ui/{name}", timeout=60)
        assert shown.content == (STATIC / name).read_bytes()
    assert httpx2.get(f"{running.address}/ui/", timeout=60).content == (STATIC / "index.html").read_bytes()


def test_another_page_gets_nothing_not_even_the_page(running: Running) -> None:
    authorized = {"Authorization": f"Bearer {running.token}"}
    for origin in ("http://evil.example", "null", "http://localhost:3000"):
        assert post(running, "/api/about", Origin=origin, **authorized).status_code == 403
        assert httpx2.get(f"{running.address}/ui/index.js", headers={"Origin": origin}).status_code == 403
    for site in ("cross-site", "same-site"):
        assert post(running, "/api/about", Sec_Fetch_Site=site, **authorized).status_code == 403
        embedded = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}
        assert httpx2.get(f"{running.address}/ui/index.js", headers=embedded).status_code == 403
        framed = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
        assert httpx2.get(f"{running.address}/ui/", headers=framed).status_code == 403


def test_a_link_on_another_page_leads_to_the_page_and_no_further(running: Running) -> None:
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert httpx2.get(f"{running.address}/ui/", headers=followed).status_code == 200
    assert httpx2.get(f"{running.address}/api/about", headers=followed).status_code == 403


def test_a_name_that_only_resolves_here_gets_nothing(running: Running) -> None:
    assert httpx2.get(f"{running.address}/ui/", headers={"Host": "evil.example"}).status_code == 421
    assert post(running, "/api/about", Host="evil.example", Authorization=f"Bearer {running.token}").status_code == 421


def test_every_answer_carries_the_policy(running: Running) -> None:
    answers = [
        httpx2.get(f"{running.address}/ui/"),
        httpx2.get(f"{running.address}/ui/nothing.js"),
        post(running, "/api/about", Authorization=f"Bearer {running.token}"),
        post(running, "/api/nothing", Authorization=f"Bearer {running.token}"),
    ]
    for answer in answers:
        policy = answer.headers["Content-Security-Policy"]
        for part in ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"):
            assert part in policy
        assert "unsafe" not in policy
        assert "data:" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert "Access-Control-Allow-Origin" not in answer.headers


def test_only_the_files_of_the_page_can_be_read(running: Running) -> None:
    for name in (
        "..%2fpages.py",
        "../pages.py",
        "%2e%2e/__init__.py",
        "sources.txt",
        "web/package.json",
        "/etc/passwd",
    ):
        assert httpx2.get(f"{running.address}/ui/{name}").status_code in (401, 404)


def test_what_is_no_question_is_refused_in_words(running: Running) -> None:
    authorized = {"Authorization": f"Bearer {running.token}"}
    for body in (b"{", b"[]", b'"x"', b"[" * 100_000, b"\xff"):
        refused = httpx2.post(f"{running.address}/api/symbol", content=body, headers=authorized, timeout=60)
        assert refused.status_code == 400
        assert "JSON" in refused.json()["error"]
    wrong = httpx2.post(f"{running.address}/api/graph", json={"start": "x", "max_nodes": 10**9}, headers=authorized)
    assert wrong.status_code == 400
    assert "max_nodes" in wrong.json()["error"]
    unread = httpx2.get(f"{running.address}/api/about", headers=authorized)
    assert unread.status_code == 405


def test_only_what_is_indexed_is_given_out(running: Running, tmp_path: Path) -> None:
    authorized = {"Authorization": f"Bearer {running.token}"}
    for path in ("../home", "/etc/passwd", "auth/../../x", ".git/config", "auth"):
        refused = httpx2.post(f"{running.address}/api/file", json={"path": path}, headers=authorized, timeout=60)
        assert refused.status_code == 400, path


@pytest.mark.skipif(sys.platform == "win32", reason="no browser is named by the environment there")
def test_the_browser_is_started_without_the_token_in_its_arguments(tmp_path: Path) -> None:
    write_files(tmp_path / "shop", SHOP)
    (tmp_path / "home").mkdir()
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {tmp_path}/given.new\nmv {tmp_path}/given.new {tmp_path}/given\n')
    browser.chmod(0o755)
    environment = os.environ | {
        "SIGHTLINE_INDEX_DIR": str(tmp_path / "indexes"), "HOME": str(tmp_path / "home"), "BROWSER": str(browser),
        "DISPLAY": "", "TMPDIR": str(tmp_path),
    }  # fmt: skip
    with Served(environment, str(tmp_path / "shop"), command="ui") as served:
        wait_for((tmp_path / "given").exists, "the browser")
        token = wait_for(lambda: re.findall(r"#token=(\S+)", "".join(served.said)), "the address")[0]
        given = (tmp_path / "given").read_text()
        assert token not in given
        way = Path(url2pathname(urlsplit(given).path))
        assert stat.S_IMODE(way.parent.stat().st_mode) == 0o700
        assert f"/ui/#token={token}" in way.read_text()
        assert served.stop() == 0
    assert not way.exists()
