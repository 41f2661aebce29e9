"""The agents: where npm has them, how they are told of a server and of a model's API, and how they are started.

Each gets an environment that is empty but for what is written here, a home of its own, no telemetry and no updates; a
proxy that does not exist keeps everything but loopback away from it. It has a bounded time, and its whole group of
processes ends with it.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .model import SERVER

PROMPT = "Use the tools."
RUN_S = 120.0
_INSTALL_S = 300.0
_NOWHERE = "http://127.0.0.1:9"  # the port of discarded packets: nobody listens


@dataclass(frozen=True, slots=True)
class Started:
    """What starts an agent in a home: its arguments and its environment; files it needs are written already."""

    arguments: Sequence[str]
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Program:
    """One agent."""

    name: str
    command: str
    package: str  # in npm
    prepare: Callable[[Path, str, Sequence[str]], Started]  # home, URL of the model's API, command line of the server


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run of an agent ended."""

    code: int | None  # None: it had to be ended
    said: str


def _claude(home: Path, url: str, server: Sequence[str]) -> Started:
    settings = home / "mcp.json"
    settings.write_text(json.dumps({"mcpServers": {SERVER: {"command": server[0], "args": list(server[1:])}}}))
    arguments = ["-p", PROMPT, "--mcp-config", str(settings), "--strict-mcp-config"]
    environment = {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "none",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    return Started([*arguments, "--allowedTools", f"mcp__{SERVER}"], environment)


def _codex(home: Path, url: str, server: Sequence[str]) -> Started:
    folder = home / ".codex"
    folder.mkdir()
    (folder / "config.toml").write_text(
        f"""\
model = "stand-in"
model_provider = "stand-in"
approval_policy = "never"
sandbox_mode = "read-only"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.stand-in]
name = "stand-in"
base_url = "{url}/v1"
wire_api = "responses"
[mcp_servers.{SERVER}]
command = {json.dumps(server[0])}
args = {json.dumps(list(server[1:]))}
"""
    )
    return Started(["exec", "--skip-git-repo-check", PROMPT], {"CODEX_HOME": str(folder)})


def _gemini(home: Path, url: str, server: Sequence[str]) -> Started:
    folder = home / ".gemini"
    folder.mkdir()
    settings = {
        "mcpServers": {SERVER: {"command": server[0], "args": list(server[1:]), "trust": True}},
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    }
    (folder / "settings.json").write_text(json.dumps(settings))
    environment = {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_TELEMETRY_ENABLED": "false"}
    arguments = ["-p", PROMPT, "-m", "gemini-2.5-pro", "--approval-mode", "yolo", "--skip-trust"]
    return Started(arguments, environment)


def _opencode(home: Path, url: str, server: Sequence[str]) -> Started:
    folder = home / ".config" / "opencode"
    folder.mkdir(parents=True)
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "stand-in",
        "options": {"baseURL": f"{url}/v1", "apiKey": "none"},
        "models": {"stand-in": {"name": "stand-in", "tool_call": True}},
    }
    settings = {
        "provider": {"stand-in": provider},
        "mcp": {SERVER: {"type": "local", "command": list(server), "enabled": True}},
        "autoupdate": False,
        "share": "disabled",
    }
    (folder / "opencode.json").write_text(json.dumps(settings))
    environment = {
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
    }
    return Started(["run", "-m", "stand-in/stand-in", PROMPT], environment)


PROGRAMS: Sequence[Program] = (
    Program("Claude Code", "claude", "@anthropic-ai/claude-code", _claude),
    Program("Codex CLI", "codex", "@openai/codex", _codex),
    Program("Gemini CLI", "gemini", "@google/gemini-cli", _gemini),
    Program("OpenCode", "opencode", "opencode-ai", _opencode),
)


def install(program: Program, folder: Path) -> Path:
    """The agent's command, installed by npm into a folder of its own; RuntimeError says why not."""
    npm = shutil.which("npm")
    if npm is None:
        raise RuntimeError("npm is not installed")
    home = folder / program.command
    home.mkdir(parents=True)
    (home / "package.json").write_text("{}")
    line = [npm, "install", "--prefix", str(home), "--no-audit", "--no-fund", "--loglevel=error", program.package]
    done = subprocess.run(line, capture_output=True, text=True, timeout=_INSTALL_S, check=False)
    command = home / "node_modules" / ".bin" / program.command
    if done.returncode != 0 or not command.exists():
        raise RuntimeError(f"npm install {program.package} failed: {done.stderr.strip()[-300:]}")
    return command


def version(command: Path, folder: Path) -> str:
    """What the agent says it is."""
    ended = _run([str(command), "--version"], _environment(folder), folder)
    lines = [line for line in ended.said.splitlines() if line.strip() and not line.startswith("WARNING")]
    if ended.code != 0 or not lines:
        raise RuntimeError(f"{command.name} --version failed: {ended.said.strip()[-300:]}")
    return lines[0].strip()


def run(program: Program, command: Path, home: Path, url: str, server: Sequence[str], root: Path) -> Ended:
    """Start the agent in a root with a prompt, and see it end."""
    home.mkdir(parents=True)
    started = program.prepare(home, url, server)
    return _run([str(command), *started.arguments], _environment(home) | dict(started.environment), root)


def _environment(home: Path) -> dict[str, str]:
    node = shutil.which("node")
    folders = [*([str(Path(node).parent)] if node else []), "/usr/bin", "/bin"]
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), _NOWHERE)
    local = dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost")
    return {"HOME": str(home), "PATH": os.pathsep.join(folders), "TMPDIR": str(home), **proxies, **local}


def _run(line: Sequence[str], environment: Mapping[str, str], folder: Path) -> Ended:
    process = subprocess.Popen(
        line, env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace", start_new_session=True,
    )  # fmt: skip
    try:
        said, _ = process.communicate(timeout=RUN_S)
        return Ended(process.returncode, said)
    except subprocess.TimeoutExpired:
        return Ended(None, "")
    finally:
        _end_group(process)


def _end_group(process: subprocess.Popen[str]) -> None:
    """End the agent and what it started; servers of its own, for example."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()
