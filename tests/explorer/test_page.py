"""The page in Debian's Chromium: search, symbols, the graph, an edit on disk, keys, and who may look."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

import pytest

from tests.support.browser import Visit
from tests.support.explorer import Running, explorer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Route, expect
else:
    expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

PAGES = (
    "/search?q=validate+credentials&explain=1",
    "/ask?q=what+calls+hash_password",
    "/graph?start=AuthService.login&depth=2",
    "/map?levels=1",
    '/agent?tool=search&given={"query":"session"}',
    "/log",
    "/status",
    "/search?q=x&path=nowhere/**",
    "/ask",
    "/graph?start=nothing_of_this_name",
    "/map?folder=nowhere",
    '/agent?tool=search&given={"qery":"x"}',
    "/symbol?id=0000000000000000",
)
FOREIGN = """async ([address, token]) => {
    const api = `${address}/api/about`;
    const loaded = (script) => new Promise((ok, no) => {
        script.onload = ok;
        script.onerror = no;
        script.src = `${address}/ui/index.js`;
        document.head.append(script);
    });
    const read = async (response) => { if (!(await response.text())) throw new Error("nothing"); };
    const tries = [
        () => fetch(api, { method: "POST", headers: { Authorization: `Bearer ${token}` }, body: "{}" }),
        () => fetch(`${address}/ui/index.html`),
        async () => read(await fetch(api, { method: "POST", mode: "no-cors", body: "{}" })),
        () => loaded(document.createElement("script")),
    ];
    const out = [];
    for (const one of tries) {
        try { await one(); out.push("read"); } catch { out.push("refused"); }
    }
    return out;
}"""
expect.set_options(timeout=60_000)


def test_typing_searches_and_a_hit_shows_its_source_and_why_it_is_there(visit: Visit, running: Running) -> None:
    page = visit(running, "/search")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("validate credentials")
    first = page.locator(".hit").first
    expect(first.locator(".name")).to_have_text("validate_credentials")
    expect(first.locator("pre")).to_contain_text("def validate_credentials")
    expect(first.locator("pre .hljs-keyword", has_text="def").first).to_be_visible()
    expect(first.locator("mark").first).to_be_visible()
    page.get_by_label("explain").check()
    expect(first.locator(".why .bar").first).to_be_visible()
    assert "q=validate+credentials" in page.url  # every state is an address
    assert "token" not in page.url
    page.get_by_label("Kind").select_option("class")
    expect(page.locator(".hit .name", has_text="SessionStore").first).to_be_visible()
    expect(page.locator(".hit .name", has_text="hash_password")).to_have_count(0)


def test_a_hit_leads_to_its_symbol_and_on_to_callers_and_source(visit: Visit, running: Running) -> None:
    page = visit(running, "/search?q=AuthService.login")
    page.locator(".hit .name", has_text="AuthService.login").first.click()
    expect(page.locator("h1")).to_contain_text("login")
    expect(page.locator("pre.source")).to_contain_text("raise PermissionError(user)")
    tested_by = page.locator(".group", has_text="Tested by")
    expect(tested_by.get_by_role("link", name="test_login")).to_be_visible()
    expect(page.locator(".group", has_text="Called by")).to_have_count(0)  # each caller once
    page.locator(".group", has=page.get_by_role("heading", name="Calls")).get_by_role(
        "link", name="validate_credentials"
    ).click()
    expect(page.locator("h1")).to_contain_text("validate_credentials")
    page.locator(".summary .place").click()
    expect(page.locator(".line.here")).to_contain_text("def validate_credentials")


def test_the_page_of_a_symbol_has_its_history(visit: Visit, running: Running) -> None:
    (symbol,) = running.ask("call/symbol_search", name="hash_password", kind="function")["data"]["objects"]
    page = visit(running, f"/symbol?id={symbol['entity_id']}")
    page.locator(".past > summary", has_text="2 commits").click()
    expect(page.locator(".past li")).to_have_count(2)
    page.locator(".past li summary", has_text="Turn passwords round").click()
    expect(page.locator(".past pre")).to_have_text("Nobody reads them then.")


def test_more_hits_come_by_a_click_and_filters_that_find_nothing_can_be_dropped(visit: Visit, running: Running) -> None:
    page = visit(running, "/search?q=password+session+credentials+shop&hits=2")
    expect(page.locator(".hit")).to_have_count(2)
    page.get_by_role("button", name="More hits").click()
    expect(page.locator(".hit").nth(3)).to_be_visible()
    assert "hits=22" in page.url
    page.get_by_label("Only in").fill("nowhere/**")
    page.get_by_role("button", name="Search without the filters").click()
    expect(page.locator(".hit").first).to_be_visible()
    assert "nowhere" not in page.url


def test_the_graph_grows_by_a_click_and_by_the_keyboard(visit: Visit, running: Running) -> None:
    page = visit(running, "/graph?start=AuthService.login&types=calls")
    beside = page.locator(".beside")
    expect(beside.get_by_role("link", name="validate_credentials")).to_be_visible()
    expect(beside.get_by_role("link", name="hash_password")).to_have_count(0)
    expect(page.locator(".stage canvas").first).to_be_visible()
    expand = beside.get_by_role("button", name="Expand validate_credentials")
    expand.focus()
    page.keyboard.press("Enter")
    expect(beside.get_by_role("link", name="hash_password")).to_be_visible()
    assert "more=" in page.url  # and this state is an address, too
    page.reload()
    expect(beside.get_by_role("link", name="hash_password")).to_be_visible()
    page.get_by_label("Only in").fill("store/")
    page.get_by_label("Only in").press("Enter")
    expect(beside.get_by_role("link", name="hash_password")).to_have_count(0)


def test_a_graph_by_id_says_its_name_and_keeps_its_start_when_a_filter_changes(visit: Visit, running: Running) -> None:
    (symbol,) = running.ask("call/symbol_search", name="hash_password", kind="function")["data"]["objects"]
    page = visit(running, f"/graph?start={symbol['entity_id']}&types=calls")
    expect(page.get_by_label("Start")).to_have_value("hash_password")
    page.get_by_label("Depth").select_option("2")
    expect(page.locator(".beside").get_by_role("link", name="AuthService.login")).to_be_visible()
    assert f"start={symbol['entity_id']}" in page.url


def test_a_symbol_that_is_not_there_takes_the_old_picture_away(visit: Visit, running: Running) -> None:
    page = visit(running, "/graph?start=hash_password")
    expect(page.locator(".stage canvas").first).to_be_visible()
    page.get_by_label("Start").fill("hash_pasword")
    page.get_by_label("Start").press("Enter")
    expect(page.locator(".summary")).to_contain_text("hash_password")  # the nearest
    expect(page.locator(".frame")).to_be_hidden()
    page.locator(".summary a", has_text="hash_password").first.click()
    expect(page.locator(".stage canvas").first).to_be_visible()
    expect(page.locator(".beside li").first).to_be_visible()


def test_a_click_on_a_node_of_the_picture_expands_it(visit: Visit, running: Running) -> None:
    page = visit(running, "/graph?start=hash_password&types=calls&direction=out")
    expect(page.locator(".beside li")).to_have_count(1)  # it calls nothing, so it is in the middle
    expect(page.locator(".stage canvas").first).to_be_visible()
    expect(page.locator(".sigma-hovers")).to_be_hidden()  # an empty layer costs as much as a full one
    page.locator(".stage").hover()
    expect(page.locator(".sigma-hovers")).to_be_visible()
    page.locator(".stage").click()
    expect(page.get_by_role("button", name="Expand hash_password")).to_be_disabled()
    assert "more=" in page.url


def test_an_edit_on_disk_is_seen_without_a_reload(visit: Visit, running: Running, shop: Path) -> None:
    page = visit(running, "/search?q=refund+the+customer")
    expect(page.locator(".summary")).to_contain_text("hit")
    expect(page.locator(".hit .name", has_text="refund_customer")).to_have_count(0)
    (shop / "store" / "refunds.py").write_text(
        'def refund_customer(order: int) -> None:\n    """Refund the customer."""\n'
    )
    expect(page.locator(".hit .name", has_text="refund_customer").first).to_be_visible()


def test_nothing_is_drawn_before_the_page_knows_which_index_it_shows(
    context: BrowserContext, visit: Visit, running: Running
) -> None:
    """Else an edit between the first hits and the first look at the index was taken for what is shown already."""
    held: list[Route] = []
    context.route("**/pulse*", lambda route: held.append(route) if not held else route.continue_())
    with context.expect_event("response", lambda response: "/about" in response.url):
        page = visit(running, "/search?q=session")
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.locator(".page-search").count() == 0
    held[0].continue_()
    expect(page.locator(".summary")).to_contain_text("hit")


def test_the_map_leads_into_folders_and_marks_cycles(visit: Visit, running: Running) -> None:
    page = visit(running, "/map?levels=1")
    expect(page.locator(".note.bad")).to_contain_text("auth/ ⇄ store/")
    expect(page.locator("path.arrow.cycle").first).to_be_attached()
    page.locator("svg a", has_text="auth/").click()
    expect(page.locator("svg a", has_text="check.py")).to_be_visible()
    expect(page.locator(".crumbs")).to_contain_text("auth")


def test_a_question_is_answered_with_links_to_its_places(visit: Visit, running: Running) -> None:
    page = visit(running, "/ask?q=what+calls+hash_password%3F")
    expect(page.locator(".research").first).to_contain_text("validate_credentials")
    page.locator(".research a").first.click()
    expect(page.locator(".line.here")).to_be_visible()


def test_the_answer_of_a_tool_is_shown_letter_by_letter_with_its_tokens(visit: Visit, running: Running) -> None:
    page = visit(running, '/agent?tool=symbol_search&given={"name":"SessionStore"}')
    expect(page.locator("pre.answer")).to_be_visible()
    answer = running.ask("call/symbol_search", name="SessionStore")
    assert page.locator("pre.answer").text_content() == answer["text"]
    expect(page.locator("main")).to_contain_text(f"{answer['tokens']} tokens")


def test_the_status_is_live(visit: Visit, running: Running, shop: Path) -> None:
    page = visit(running, "/status")
    expect(page.locator(".bars", has_text="Languages")).to_contain_text("python")
    expect(page.locator(".live")).to_contain_text("of memory")
    before = page.locator(".live").text_content() or ""
    generation = before.split("generation ")[1].split(",")[0]
    (shop / "store" / "late.py").write_text("late = 1\n")
    expect(page.locator(".live")).not_to_contain_text(f"generation {generation},")


def test_everything_is_within_reach_of_the_keyboard(visit: Visit, running: Running) -> None:
    page = visit(running, "/status")
    expect(page.locator("h1")).to_have_text("Status")
    page.keyboard.press("g")
    page.keyboard.press("s")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("hash")
    expect(page.locator(".hit").first).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".hit").nth(0).locator("a").first).to_be_focused()
    page.keyboard.press("j")
    expect(page.locator(".hit").nth(1).locator("a").first).to_be_focused()
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    expect(page.locator("main.page-symbol h1, main.page-file h1")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    dark = "getComputedStyle(document.documentElement).colorScheme"
    before = page.evaluate(dark)
    page.keyboard.press("t")
    assert {before, page.evaluate(dark)} == {"light", "dark"}


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1280, "light")])
def test_nobody_is_kept_out_and_nothing_overflows(
    browser: Browser, running: Running, width: int, scheme: Literal["dark", "light"]
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 800})
    page = context.new_page()
    wrong: list[tuple[str, str, str]] = []
    try:
        page.goto(f"{running.address}/ui/#token={running.token}")
        (symbol,) = running.ask("call/symbol_search", name="AuthService", kind="class")["data"]["objects"]
        for where in (*PAGES, f"/symbol?id={symbol['entity_id']}", "/file?path=auth/check.py&line=4"):
            page.evaluate("where => { location.hash = '#' + where; }", where)
            page.wait_for_selector(f"main.page-{where[1:].partition('?')[0]} h1")
            page.wait_for_load_state("networkidle")
            found = axe.run(page).response["violations"]
            page.emulate_media(color_scheme="light" if scheme == "dark" else "dark")
            found += axe.run(page, options={"runOnly": ["color-contrast"]}).response["violations"]
            page.emulate_media(color_scheme=scheme)
            for each in found:
                if each["impact"] in ("serious", "critical"):
                    wrong += [(where, each["id"], node["html"]) for node in each["nodes"]]
            if page.evaluate("document.documentElement.scrollWidth") > width:
                wrong.append((where, "overflow", ""))
    finally:
        context.close()
    assert wrong == []


def test_a_server_that_is_gone_is_said_in_words(visit: Visit, shop: Path, tmp_path: Path) -> None:
    with explorer(shop, tmp_path) as other:
        page = visit(other, "/search?q=hash")
        expect(page.locator(".hit").first).to_be_visible()
    page.get_by_role("searchbox").fill("password")
    expect(page.locator(".note.bad")).to_contain_text("is `sightline ui` still running?")
    expect(page.locator(".fresh")).to_have_text("the server does not answer")


def test_on_a_phone_the_menu_shows_where_one_is(browser: Browser, running: Running) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 700})
    try:
        page = context.new_page()
        page.goto(f"{running.address}/ui/#/status?token={running.token}")
        expect(page.locator("header nav a[aria-current]")).to_be_in_viewport(ratio=1)
    finally:
        context.close()


def test_without_the_token_the_page_shows_nothing_and_asks_for_it(context: BrowserContext, running: Running) -> None:
    page = context.new_page()
    page.goto(f"{running.address}/ui/#/search?q=session")
    expect(page.get_by_label("Token")).to_be_visible()
    assert "SessionStore" not in page.content()
    page.get_by_label("Token").fill("x" * 43)
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text("not the server's token")
    page.get_by_label("Token").fill(running.token)
    page.keyboard.press("Enter")
    expect(page.locator(".hit").first).to_be_visible()


def test_a_token_of_any_characters_opens_the_page(visit: Visit, shop: Path, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("one&two=three #four%20/five?")
    with explorer(shop, tmp_path, "--token-file", str(tmp_path / "token")) as other:
        page = visit(Running(other.address, quote(other.token, safe=""), other.served), "/status")
        expect(page.locator("h1")).to_have_text("Status")
        expect(page.locator(".live")).to_contain_text("of memory")
        assert "token" not in page.url


def test_a_page_of_another_origin_reads_nothing_even_with_the_token(context: BrowserContext, running: Running) -> None:
    page = context.new_page()
    shown = "<p>another page</p>"
    page.route("http://other.example/**", lambda route: route.fulfill(body=shown, content_type="text/html"))
    page.goto("http://other.example/")
    assert page.evaluate(FOREIGN, [running.address, running.token]) == ["refused"] * 4
