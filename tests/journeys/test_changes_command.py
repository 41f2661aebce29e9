"""`sightline changes` as a person, a script and a build server meet it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
from mcp import Client

from tests.support.hostile import git
from tests.support.wire import content_of, indexed, text_of, with_stdio_client

Run = Callable[..., Any]


def committed(shop: Path) -> None:
    git(shop, "init", "-q", "-b", "main")
    git(shop, "add", "-A")
    git(shop, "commit", "-qm", "first")


def edit(shop: Path, path: str, old: str, new: str) -> None:
    text = (shop / path).read_text()
    assert old in text
    (shop / path).write_text(text.replace(old, new))


def test_a_dirty_tree_is_told_as_text_and_as_json(shop: Path, sightline: Run) -> None:
    committed(shop)
    edit(shop, "src/auth/check.py", "def hash_password(password: str)", "def hash_password(password: str, salt: str)")
    done = sightline("changes", cwd=shop)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("1 file and 1 symbol changed, 1 of them public API")
    assert "was: def hash_password(password: str) -> str" in done.stdout
    assert "validate_credentials  src/auth/check.py:4  calls hash_password" in done.stdout
    answer = json.loads(sightline("changes", "--json", cwd=shop).stdout)
    assert [symbol["status"] for symbol in answer["symbols"]] == ["signature"]
    assert [item["qualified_name"] for item in answer["reached"]] == ["validate_credentials", "AuthService.login"]


def test_a_build_fails_on_changed_api_alone(shop: Path, sightline: Run) -> None:
    committed(shop)
    edit(shop, "src/auth/check.py", "return user\n", "return user + user\n")
    assert sightline("changes", "--fail-on", "api", cwd=shop).returncode == 0
    edit(shop, "src/auth/check.py", "def load_hash(user: str)", "def load_hash(user: str, host: str)")
    assert sightline("changes", "--fail-on", "api", cwd=shop).returncode == 1
    assert sightline("changes", "--fail-on", "everything", cwd=shop).returncode == 2


def test_tests_are_printed_as_their_runner_takes_them(shop: Path, sightline: Run) -> None:
    (shop / "tests").mkdir()
    (shop / "tests/test_check.py").write_text(
        "from auth.check import hash_password\n\n\ndef test_hash() -> None:\n    assert hash_password('ab') == 'ba'\n"
    )
    (shop / "web/cart.test.ts").write_text(
        'import { addToCart } from "./cart";\n\ntest("adds", () => {\n  addToCart({ items: [] }, "x");\n});\n'
    )
    committed(shop)
    edit(shop, "src/auth/check.py", "password[::-1]", "password[::-1] + ''")
    done = sightline("changes", "--tests", cwd=shop)
    assert done.stdout == "tests/test_check.py::test_hash\n"
    assert "not seen" in done.stderr
    edit(shop, "web/cart.ts", "[...cart.items, item]", "[item, ...cart.items]")
    lines = sightline("changes", "--tests", cwd=shop).stdout.splitlines()
    assert lines == [
        "# pytest: pytest",
        "tests/test_check.py::test_hash",
        "# vitest: npx vitest run",
        "web/cart.test.ts",
    ]
    assert sightline("changes", "--tests", "--runner", "vitest", cwd=shop).stdout == "web/cart.test.ts\n"


def test_markdown_and_sarif_say_the_same(shop: Path, sightline: Run) -> None:
    committed(shop)
    edit(shop, "src/auth/check.py", "def load_hash(user: str)", "def load_hash(user: str, host: str)")
    shown = sightline("changes", "--format", "markdown", cwd=shop).stdout
    assert "<details><summary>Public API that changed (1)</summary>" in shown
    report = json.loads(sightline("changes", "--format", "sarif", cwd=shop).stdout)
    (result,) = [r for r in report["runs"][0]["results"] if r["ruleId"] == "api-changed"]
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("src/auth/check.py", 13)
    assert report["version"] == "2.1.0"


def test_wrong_questions_are_refused_before_anything_is_compared(shop: Path, sightline: Run) -> None:
    done = sightline("changes", cwd=shop)
    assert done.returncode != 0
    assert "not in a git repository" in done.stderr
    committed(shop)
    for line in (["--base", "nowhere"], ["--staged", "--base", "main"], ["--format", "xml"], ["HEAD"]):
        done = sightline("changes", *line, cwd=shop)
        assert done.returncode != 0
        assert "Traceback" not in done.stderr
        assert done.stdout == ""


def test_research_answers_questions_about_changes_and_history(shop: Path, sightline: Run) -> None:
    assert "not in a git repository" in sightline("research", "what do my changes affect?", cwd=shop).stdout
    committed(shop)
    edit(shop, "src/auth/check.py", "password[::-1]", "password[::-1] + ''")
    shown = sightline("research", "what do my changes affect?", cwd=shop).stdout
    assert "1 file and 1 symbol changed" in shown
    assert "validate_credentials" in shown
    git(shop, "commit", "-qam", "Keep the type")
    shown = sightline("research", "when did hash_password change?", cwd=shop).stdout
    assert "2 commits touched function hash_password" in shown
    assert "changed: Keep the type" in shown
    assert "none in 3 commits or more" in sightline("research", "what changes with src/auth/check.py", cwd=shop).stdout
    answer = json.loads(sightline("research", "history of hash_password", "--json", cwd=shop).stdout)
    assert "Keep the type" in json.dumps(answer["sections"])


def test_an_agent_asks_about_what_it_has_just_edited(shop: Path, environment: dict[str, str]) -> None:
    committed(shop)

    async def scenario(client: Client) -> None:
        await indexed(client)
        edit(shop, "src/auth/check.py", "def load_hash(user: str)", "def load_hash(user: str, host: str)")
        (shop / "src/auth/fresh.py").write_text(
            "from auth.check import load_hash\n\n\ndef fresh():\n    load_hash('a')\n"
        )
        result = await client.call_tool("code_research", {"question": "What do my changes break?"})
        text = text_of(result)
        assert "was: def load_hash(user: str) -> str" in text
        assert "added function fresh  src/auth/fresh.py:4" in text
        jsonschema.validate(content_of(result), await schema_of(client, "code_research"))

    with_stdio_client(shop, environment, scenario)


async def schema_of(client: Client, name: str) -> dict[str, Any]:
    (tool,) = [tool for tool in (await client.list_tools()).tools if tool.name == name]
    assert tool.output_schema is not None
    return tool.output_schema
