"""Claude Code itself, where it is installed: its model reads exactly what the command line prints.

The model's API is a stand-in on loopback (`scripts/bench clients` measures more agents with it).
`SIGHTLINE_TEST_CLAUDE` names the program where it is not in PATH.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from scripts.benchmarks.real_clients import programs
from scripts.benchmarks.real_clients.model import Question, StandIn

from sightline.server import tools

QUESTIONS: list[Question] = [
    ("search", {"query": "remove expired sessions"}),
    ("symbol_search", {"name": "AuthService"}),
    ("expand_graph", {"start": "AuthService.login"}),
    ("code_research", {"question": "what calls validate_credentials?"}),
]
COMMANDS = ("search", "symbol", "expand", "research")
CLAUDE = os.environ.get("SIGHTLINE_TEST_CLAUDE") or shutil.which("claude")


@pytest.mark.skipif(CLAUDE is None, reason="Claude Code is not installed (PATH or SIGHTLINE_TEST_CLAUDE)")
def test_the_model_of_claude_code_reads_what_the_command_line_prints(
    shop: Path, environment: dict[str, str], tmp_path: Path, sightline: Callable[..., Any]
) -> None:
    assert CLAUDE is not None
    printed = [
        sightline(command, *arguments.values(), shop).stdout
        for command, (_, arguments) in zip(COMMANDS, QUESTIONS, strict=True)
    ]
    server = [sys.executable, "-m", "sightline.server", "serve", str(shop)]
    server += ["--index-dir", environment["SIGHTLINE_INDEX_DIR"]]
    claude = next(program for program in programs.PROGRAMS if program.command == "claude")
    with StandIn(QUESTIONS) as model:
        ended = programs.run(claude, Path(CLAUDE), tmp_path / "claude", model.url, server, shop)
    assert ended.code == 0, ended.said
    assert [f"{result}\n" for result in model.seen.results] == printed
    assert json.dumps(tools.INSTRUCTIONS, ensure_ascii=False)[1:-1] in model.seen.request
    definitions = [json.dumps(each, ensure_ascii=False) for each in model.seen.definitions.values()]
    assert len(definitions) == 4
    assert sum(map(len, definitions)) <= 4_000


TOOL = {"name": "sightline_search", "description": "", "parameters": {}}
CONVERSATIONS: list[tuple[str, Mapping[str, Any], Mapping[str, Any], str]] = [
    (
        "/v1/messages",
        {"tools": [{"name": "mcp__sightline__search"}], "messages": []},
        {"messages": [{"content": [{"type": "tool_result", "content": [{"type": "text", "text": "found"}]}]}]},
        '"name": "mcp__sightline__search"',
    ),
    (
        "/v1/responses",
        {"tools": [{"type": "namespace", "name": "mcp__sightline", "tools": [{"name": "search"}]}], "input": []},
        {"input": [{"type": "function_call_output", "output": "found"}]},
        '"namespace": "mcp__sightline"',
    ),
    (
        "/v1/chat/completions",
        {"tools": [{"type": "function", "function": TOOL}], "messages": []},
        {"messages": [{"role": "tool", "content": "found"}]},
        '"tool_calls"',
    ),
    (
        "/v1beta/models/some:streamGenerateContent?alt=sse",
        {"tools": [{"functionDeclarations": [TOOL]}], "contents": []},
        {"contents": [{"parts": [{"functionResponse": {"name": "search", "response": {"output": "found"}}}]}]},
        '"functionCall"',
    ),
]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("path", "first", "then", "called"), CONVERSATIONS, ids=[c[0] for c in CONVERSATIONS])
def test_the_stand_in_asks_once_in_every_api_and_keeps_what_it_is_told(
    path: str, first: Mapping[str, Any], then: Mapping[str, Any], called: str, stream: bool
) -> None:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with StandIn(QUESTIONS[:1]) as model:

        def post(body: Mapping[str, Any]) -> str:
            data = json.dumps({**body, "stream": stream}).encode()
            with direct.open(urllib.request.Request(model.url + path, data), timeout=30) as answer:
                said: str = answer.read().decode()
                return said

        asked = post(first)
        assert called in asked
        assert "remove expired sessions" in asked
        assert called not in post({**first, **then})
        assert model.seen.results == ["found"]
        assert list(model.seen.definitions) == ["search"]
        post({})
        assert model.seen.results == ["found"], "a side question changes nothing"
