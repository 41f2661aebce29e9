"""What the views of the explorer are told, without a browser."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from sightline.server import usage
from sightline.server.app import App
from sightline.server.progress import Call
from sightline.server.ui import pages
from sightline.server.ui.shapes import AskedOut
from tests.support.explorer import Running
from tests.support.indexes import write_files
from tests.support.waiting import wait_for


def found(running: Running, name: str) -> str:
    answer = running.ask("call/symbol_search", name=name)
    return str(answer["data"]["objects"][0]["entity_id"])


def test_an_answer_is_the_text_of_the_tool_with_its_tokens_and_its_data(running: Running) -> None:
    answer = running.ask("call/search", query="validate credentials")
    assert "auth/check.py" in answer["text"]
    assert 0 < answer["tokens"] < len(answer["text"])
    best = answer["data"]["hits"][0]
    assert best["path"] == "auth/check.py"
    assert sum(best["why"].values()) > 0  # what each signal added


def test_the_symbol_page_has_source_members_callers_callees_and_tests(running: Running) -> None:
    page = running.ask("symbol", id=found(running, "AuthService.login"))
    assert page["object"]["qualified_name"] == "AuthService.login"
    assert page["source"].startswith("    def login(")
    assert [each["name"] for each in page["around"] if each["kind"] == "class"] == ["AuthService"]
    edges = {(e["relationship_type"], e["source"]["name"], e["target"]["name"]) for e in page["relationships"]}
    assert ("calls", "AuthService.login", "validate_credentials") in edges
    assert ("calls", "test_login", "AuthService.login") in edges
    of_class = running.ask("symbol", id=found(running, "AuthService"))
    assert [member["name"] for member in of_class["members"]] == ["__init__", "login"]


def test_the_history_of_a_symbol_is_the_commits_that_touched_it(running: Running) -> None:
    past = running.ask("past", id=found(running, "hash_password"))
    assert [(each["what"], each["subject"]) for each in past["commits"]] == [
        ("changed", "Turn passwords round"),
        ("added", "Open the shop"),
    ]
    assert past["commits"][0]["reasons"] == "Nobody reads them then."
    assert (past["looked"], past["of_file"], past["missing"]) == (2, 2, "")
    untouched = running.ask("past", id=found(running, "validate_credentials"))
    assert [each["subject"] for each in untouched["commits"]] == ["Open the shop"]
    assert running.ask("past", id="0" * 16)["missing"]


def test_where_there_is_no_git_there_is_no_history_and_no_error(tmp_path: Path) -> None:
    write_files(tmp_path / "plain", {"a.py": "def alone():\n    pass\n"})
    with closing(App.open([tmp_path / "plain"], index_dir=tmp_path / "indexes")) as app:

        def named() -> list[dict[str, str]]:  # [] while the index is still being built
            objects: list[dict[str, str]] = pages.ask_tool(app, "symbol_search", {"name": "alone"}, Call())["data"][
                "objects"
            ]
            return objects

        (item,) = wait_for(named, "the index")
        past = pages.past(app, {"id": item["entity_id"], "root": None}, Call())
    assert past["commits"] == []
    assert "git" in past["missing"]


@pytest.mark.parametrize("entity", ["0" * 16, "no id", "../../..", "ABCDEFABCDEFABCD"])
def test_an_unknown_symbol_is_no_page(running: Running, entity: str) -> None:
    assert running.ask("symbol", id=entity)["object"] is None


def test_the_graph_starts_at_a_name_or_an_id_and_says_what_it_left_out(running: Running) -> None:
    graph = running.ask("graph", start="hash_password", depth=2)
    assert [each["name"] for each in graph["start_objects"]] == ["hash_password"]
    assert "validate_credentials" in {each["name"] for each in graph["objects"]}
    small = running.ask("graph", start=graph["start_objects"][0]["entity_id"], max_nodes=2)
    assert len(small["objects"]) == 1
    assert small["left_out"]["objects"] > 0
    assert running.ask("graph", start="hash_pasword")["candidates"][0]["name"] == "hash_password"


def test_the_map_has_folders_their_dependencies_and_where_they_are_drawn(running: Running) -> None:
    found_map = running.ask("map", levels=1)
    places = {place["path"]: place for place in found_map["places"]}
    assert {"auth/", "store/"} <= set(places)
    assert not any(path.startswith("tests/") for path in places)
    crossings = {(each["source"], each["target"]): each for each in found_map["crossings"]}
    assert crossings["auth/", "store/"]["proven"] > 0
    assert found_map["cycles"] == [["auth/", "store/"]]  # each uses the other
    assert places["auth/"]["cycle"] == 1
    assert crossings["auth/", "store/"]["in_cycle"]
    corners = {(place["x"], place["y"]) for place in found_map["places"]}
    assert len(corners) == len(found_map["places"])
    assert found_map["left"] <= min(place["x"] for place in found_map["places"])
    assert found_map["right"] >= max(place["x"] + place["width"] for place in found_map["places"])
    inside = running.ask("map", folder="auth")
    assert {place["path"] for place in inside["places"]} == {"auth/check.py", "auth/service.py"}
    assert [(each["source"], each["target"]) for each in inside["crossings"]] == [("auth/service.py", "auth/check.py")]
    assert any(place["path"].startswith("tests/") for place in running.ask("map", levels=1, tests=True)["places"])


def test_the_map_goes_as_deep_as_there_is_something_to_see(running: Running) -> None:
    assert {place["path"] for place in running.ask("map")["places"]} > {"auth/", "store/"}


def test_a_file_is_shown_as_it_is_on_disk_with_what_it_defines(running: Running, shop: Path) -> None:
    page = running.ask("file", path="auth/check.py")
    assert page["text"] == (shop / "auth/check.py").read_text()
    assert page["language"] == "python"
    assert [each["name"] for each in page["objects"]] == ["validate_credentials", "hash_password"]


def test_files_are_listed_with_why_they_are_out(running: Running, shop: Path) -> None:
    (shop / "picture.py").write_bytes(b"\x00\x01\x02" * 1000)

    def skipped() -> list[dict[str, str]]:
        listed: list[dict[str, str]] = running.ask("files", state="skipped")["files"]
        return listed

    (entry,) = wait_for(skipped, "the watcher")
    assert (entry["path"], entry["reason"]) == ("picture.py", "binary")
    assert running.ask("files", state="indexed", containing="check")["total"] == 1


def test_the_pulse_says_how_fresh_each_root_is(running: Running) -> None:
    pulse = running.ask("pulse")
    (root,) = pulse["roots"]
    assert root["index"]["state"] == "ready"
    assert root["writer"] == running.served.process.pid
    assert pulse["memory_bytes"] > 10_000_000


def test_what_agents_asked_of_this_root_is_listed_the_latest_first(running: Running, shop: Path) -> None:
    assert running.ask("asked") == {"kept": True, "asked": []}
    for root, asked in ((str(shop), "first"), ("/elsewhere", "not ours"), (f"/elsewhere, {shop}", "last")):
        usage.append(shop.parent / "indexes", usage.Call(1.0, root, "search", asked, 5, 9, True))
    assert [each["asked"] for each in running.ask("asked")["asked"]] == ["last", "first"]


def test_the_log_is_shown_where_one_is_kept(shop: Path, tmp_path: Path) -> None:
    app = App.open([shop], index_dir=tmp_path)
    question: AskedOut = {
        "at": 1.0, "root": "shop", "tool": "search", "asked": "x", "ms": 5, "answer_chars": 9, "found": True,
    }  # fmt: skip
    app.asked = lambda most: [question] * min(most, 2)
    assert pages.asked(app, {}, Call()) == {"kept": True, "asked": [question, question]}
    assert pages.about(app, {}, Call())["log_kept"]


def test_agents_are_served_by_the_same_process(running: Running) -> None:
    import httpx2

    from tests.support.wire import HELLO

    headers = {"Authorization": f"Bearer {running.token}", "Accept": "application/json, text/event-stream"}
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
    answer = httpx2.post(f"{running.address}/mcp", json=hello, headers=headers, timeout=60)
    assert answer.status_code == 200
    assert "sightline" in answer.text
