"""A catalog over HTTP: every token sees its own repositories, and nothing of another token can be used."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from sightline.embed import Embedder
from sightline.errors import ConfigError
from sightline.server.catalog.tokens import read_tokens
from sightline.server.cli.main import run
from sightline.server.mcp.guard import token_key
from tests.support.catalogs import REPOSITORIES, publish
from tests.support.wire import HELLO, Served

ALL, SOME, NONE = "the-token-that-sees-everything", "the-token-that-sees-some", "the-token-that-sees-nothing"
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
TOKENS = "".join(
    f'[[token]]\nname = "{name}"\ntoken = "{token}"\nrepositories = {json.dumps(repositories)}\n'
    for name, token, repositories in (("all", ALL, ["*"]), ("some", SOME, ["a/*"]), ("none", NONE, []))
)


def written(path: Path, text: str, mode: int = 0o600) -> Path:
    path.write_text(text)
    path.chmod(mode)
    return path


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    for name, files in REPOSITORIES.items():
        publish(folder, name, files, str(folder / "place"), embedder)
    tokens = written(folder / "tokens", TOKENS)
    environment = os.environ | {"SIGHTLINE_INDEX_DIR": str(folder / "indexes"), "HOME": str(folder)}
    line = ["--catalog", str(folder / "place"), "--transport", "http", "--tokens", str(tokens)]
    with Served(environment, *line) as running:
        yield running


class Conversation:
    """A session of MCP over HTTP, opened with a token."""

    def __init__(self, url: str, token: str) -> None:
        self.url, self.headers = url, {**HEADERS, "Authorization": f"Bearer {token}"}
        opened = httpx2.post(
            url,
            json={"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
            headers=self.headers,
            timeout=60,
        )
        assert opened.status_code == 200
        self.headers["Mcp-Session-Id"] = opened.headers["Mcp-Session-Id"]
        self.headers["MCP-Protocol-Version"] = "2025-06-18"
        self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def post(self, message: dict[str, Any], token: str | None = None) -> httpx2.Response:
        headers = {**self.headers, **({"Authorization": f"Bearer {token}"} if token else {})}
        return httpx2.post(self.url, json=message, headers=headers, timeout=60)

    def said(self, method: str, params: dict[str, Any]) -> str:
        answer = self.post({"jsonrpc": "2.0", "id": 2, "method": method, "params": params})
        assert answer.status_code == 200, answer.text
        return answer.text

    def search(self, query: str, **given: str) -> str:
        return self.said("tools/call", {"name": "search", "arguments": {"query": query, **given}})


def test_every_token_sees_its_own_repositories(served: Served) -> None:
    everything, some, nothing = (Conversation(served.url, token) for token in (ALL, SOME, NONE))
    assert "open_vault" in everything.search("hidden vault")
    said = some.search("cart")
    assert "a/shop" in said
    assert "vault" not in said
    assert "unknown root" in some.search("cart", root="secret/vault")
    assert "secret" not in some.said("resources/read", {"uri": "sightline://status"})
    assert "no repository" in nothing.search("cart")


def test_a_session_of_one_token_is_nothing_to_another(served: Served) -> None:
    everything = Conversation(served.url, ALL)
    asked = {"name": "search", "arguments": {"query": "hidden vault"}}
    message = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": asked}
    stolen = everything.post(message, SOME)
    assert stolen.status_code == 404
    assert "vault" not in stolen.text


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer not-a-token-that-anybody-has"},
        {"Authorization": f"Basic {ALL}"},
        {"Authorization": ALL},
        {"Authorization": f"Bearer {token_key(ALL)}"},
        {"Authorization": "Bearer"},
    ],
)
def test_without_a_token_of_the_file_nobody_comes_in(served: Served, headers: dict[str, str]) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
    answer = httpx2.post(served.url, json=message, headers={**HEADERS, **headers}, timeout=60)
    assert answer.status_code == 401
    assert "secret" not in answer.text


@pytest.mark.skipif(os.name != "posix", reason="modes of files are POSIX")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o601])
def test_a_file_of_tokens_that_others_may_read_is_refused(mode: int, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="can be read by others"):
        read_tokens(written(tmp_path / "tokens", TOKENS, mode))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[[token",
        "token = 1\n",
        "[[token]]\nname = 'x'\n",
        "[[token]]\nname = 'x'\ntoken = 'short'\nrepositories = []\n",
        "[[token]]\nname = 'x'\ntoken = 17\nrepositories = []\n",
        f"[[token]]\nname = 'x'\ntoken = '{ALL}'\nrepositories = '*'\n",
        f"[[token]]\nname = 'x'\ntoken = '{ALL}'\nrepositories = [1]\n",
        f"[[token]]\nname = 'x'\ntoken = '{ALL}'\nrepositories = []\nadmin = true\n",
        TOKENS + TOKENS,
    ],
)
def test_a_file_of_tokens_that_is_not_understood_grants_nothing(text: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        read_tokens(written(tmp_path / "tokens", text))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (["--tokens", "x"], "--tokens is for --catalog"),
        (["folder", "--catalog", "x"], "cannot be served together"),
        (["--catalog", "x", "--tokens", "y"], "for HTTP"),
        (["--catalog", "x", "--transport", "http", "--tokens", "y", "--generate-token"], "all tokens there are"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    line: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["serve", *line]) == 2
    assert why in capsys.readouterr().err
