"""A repository full of markup and script: every page of it is opened, and nothing of it is executed or fetched."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from tests.support.browser import Visit
from tests.support.explorer import Running, explorer
from tests.support.repositories import committed

if TYPE_CHECKING:
    from playwright.sync_api import expect
else:
    expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

EVIL = "<img src=x onerror=window.pwned=1><script>window.pwned=1</script>"
FILES = {
    "<img src=x onerror=window.pwned=1>.py": f'''\
"""{EVIL}"""


class Evil:
    """{EVIL} javascript:alert(1)"""

    def evil(self, x: str = "{EVIL}") -> str:
        """</pre></code>{EVIL}"""
        return x + "\\u202e" + '" onmouseover="window.pwned=1'


def caller() -> str:
    return Evil().evil("'><svg onload=window.pwned=1>")
''',
    'a" onfocus="window.pwned=1" autofocus x="/evil.js': f"""\
// {EVIL}
export function evil() {{ return `{EVIL}${{'javascript:window.pwned=1'}}`; }}
export function ಠ_evil() {{ return evil(); }}
""",
    "javascript:window.pwned=1/evil.html": f"<body onload=window.pwned=1>{EVIL}<base href=//evil.example>\n",
    "evil.md": f"# {EVIL}\n\n[evil](javascript:window.pwned=1) ![evil](http://evil.example/x.png)\n",
    "__proto__/constructor.py": "def constructor():\n    return toString()\n\n\ndef toString():\n    return 'evil'\n",
    "hidden.py": "# evil \u202e\u2066 hidden\u2069\ndef evil_\u200dname(): pass\n",
}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("hostile")
    root = folder / "<b onclick=window.pwned=1>root"
    committed(root, FILES, f"{EVIL}\n\n[evil](javascript:window.pwned=1) {EVIL}\n\u202eevil")
    with explorer(root, folder) as served:
        yield served


def addresses(hostile: Running) -> list[str]:
    objects = [
        item["entity_id"]
        for name in ("evil", "Evil", "constructor", "caller")
        for item in hostile.ask("call/symbol_search", name=name)["data"]["objects"]
    ]
    asked = ("evil", "<script>", EVIL, "__proto__", "constructor")
    return [
        *(f"/search?explain=1&q={quote(text)}" for text in asked),
        *(f"/ask?q={quote(text)}" for text in ("what calls evil?", "give me an overview", f"what calls {EVIL}?")),
        *(f"/symbol?id={entity}" for entity in dict.fromkeys(objects)),
        *(f"/graph?depth=3&start={entity}" for entity in dict.fromkeys(objects)),
        *(f"/file?path={quote(path)}" for path in FILES),
        *(f"/map?levels={levels}" for levels in (1, 3)),
        f"/map?folder={quote('javascript:window.pwned=1')}",
        f"/graph?start={quote(EVIL)}",
        "/agent?tool=search&given=" + quote('{"query": "evil"}'),
        "/constructor",
        "/__proto__?x=1",
        "/status?state=indexed",
        "/log",
    ]


def test_nothing_of_a_hostile_repository_runs_loads_or_becomes_markup(visit: Visit, hostile: Running) -> None:
    page = visit(hostile, "/status")
    strangers: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda r: None if r.url.startswith(hostile.address) else strangers.append(r.url))
    page.on("dialog", lambda dialog: strangers.append(dialog.message))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    expect(page.locator(".fresh")).to_have_text("fresh")
    for where in addresses(hostile):
        page.evaluate("where => { location.hash = '#' + where; }", where)
        page.wait_for_load_state("networkidle")
        page.mouse.move(300, 300)
        page.evaluate("for (const each of document.querySelectorAll('.past, .past details')) each.open = true;")
        assert page.evaluate("window.pwned") is None, where
        wrong = page.locator(
            "main img, main script, main iframe, main base, main object, main [onclick], main [onerror]"
        )
        assert wrong.count() == 0, where
        schemes = page.evaluate(
            "[...document.querySelectorAll('main a')].map(a => (a.href.baseVal ?? a.href).split(':')[0])"
        )
        assert set(schemes) <= {"http", "#/file?path=", *(s for s in schemes if s.startswith("#/"))}, where
    assert strangers == []
    refused = [text for text in complaints if "Content Security Policy" in text or "Trusted" in text]
    assert refused == []  # the policy is the second wall: nothing came as far as it


def test_the_message_of_a_commit_is_text(visit: Visit, hostile: Running) -> None:
    (symbol,) = hostile.ask("call/symbol_search", name="caller")["data"]["objects"]
    page = visit(hostile, f"/symbol?id={symbol['entity_id']}")
    page.locator(".past > summary").click()
    page.locator(".past li summary", has_text="<script>window.pwned=1</script>").click()
    expect(page.locator(".past pre")).to_contain_text("\\u202eevil")
    assert page.evaluate("window.pwned") is None


def test_what_would_hide_is_written_out(visit: Visit, hostile: Running) -> None:
    page = visit(hostile, "/file?path=hidden.py")
    expect(page.locator("pre.source")).to_contain_text("\\u202e\\u2066 hidden\\u2069")
