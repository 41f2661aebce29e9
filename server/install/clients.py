"""Where each coding agent keeps its MCP servers, and what an entry looks like there.

One row per client; `install.py` does the work. Paths and shapes were taken from the clients' own documentation in
November 2026.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

SERVER_NAME = "sightline"
Scope = Literal["project", "user"]


@dataclass(frozen=True, slots=True)
class Client:
    """One coding agent: its files per scope, the place of the servers inside them, and the shape of an entry."""

    key: str
    title: str
    project_file: str | None  # relative to the project, None when the client has no project scope
    user_file: Callable[[Path], Path]  # from the home folder
    container: tuple[str, ...]  # where the servers stand inside the file
    entry: Callable[[Sequence[str], Sequence[str]], Mapping[str, Any]]  # command, arguments → entry
    project_root: str = ""  # what the client replaces by the open folder, "" when it starts servers there
    needs_path: bool = False  # starts servers in a folder of its own choice: the root must be named
    eager: Mapping[str, Any] = field(
        default_factory=dict
    )  # in an entry: have its tools in the model's view from the start
    guide: str = "AGENTS.md"  # the file of a project in which the client looks for instructions
    user_guide: Callable[[Path], Path] | None = None  # that of a person, None when there is none that we know of


def _plain(command: Sequence[str], arguments: Sequence[str]) -> Mapping[str, Any]:
    return {"command": command[0], "args": [*command[1:], *arguments]}


def _stdio(command: Sequence[str], arguments: Sequence[str]) -> Mapping[str, Any]:
    return {"type": "stdio", **_plain(command, arguments)}


def _opencode(command: Sequence[str], arguments: Sequence[str]) -> Mapping[str, Any]:
    return {"type": "local", "command": [*command, *arguments], "enabled": True}


def _copilot(command: Sequence[str], arguments: Sequence[str]) -> Mapping[str, Any]:
    return {"type": "local", **_plain(command, arguments), "tools": ["*"]}


def _goose(command: Sequence[str], arguments: Sequence[str]) -> Mapping[str, Any]:
    return {
        "enabled": True,
        "type": "stdio",
        "name": SERVER_NAME,
        "description": "Code search and a symbol graph of this project",
        "cmd": command[0],
        "args": [*command[1:], *arguments],
    }


def _zed(command: Sequence[str], arguments: Sequence[str]) -> Mapping[str, Any]:
    return {"source": "custom", **_plain(command, arguments), "env": {}}


def _config_home(home: Path, linux: str, windows: str, mac: str) -> Path:
    if sys.platform == "win32":
        return home / "AppData" / "Roaming" / windows
    if sys.platform == "darwin":
        return home / mac
    return home / ".config" / linux


def _vscode_user(home: Path) -> Path:
    return _config_home(home, "Code", "Code", "Library/Application Support/Code") / "User" / "mcp.json"


def _zed_user(home: Path) -> Path:
    return _config_home(home, "zed", "Zed", ".config/zed") / "settings.json"


def _roo_user(home: Path) -> Path:
    storage = _vscode_user(home).parent / "globalStorage" / "rooveterinaryinc.roo-cline"
    return storage / "settings" / "mcp_settings.json"


def _goose_user(home: Path) -> Path:
    return _config_home(home, "goose", "Block/goose/config", ".config/goose") / "config.yaml"


CLIENTS = (
    Client(
        "claude-code",
        "Claude Code",
        ".mcp.json",
        lambda home: home / ".claude.json",
        ("mcpServers",),
        _stdio,
        # Its tool search hides the tools of all servers from the model until it looks for them.
        eager={"alwaysLoad": True},
        guide="CLAUDE.md",
        user_guide=lambda home: home / ".claude" / "CLAUDE.md",
    ),
    Client(
        "cursor",
        "Cursor",
        ".cursor/mcp.json",
        lambda home: home / ".cursor" / "mcp.json",
        ("mcpServers",),
        _plain,
        project_root="${workspaceFolder}",
    ),
    Client(
        "vscode",
        "VS Code",
        ".vscode/mcp.json",
        _vscode_user,
        ("servers",),
        _stdio,
        project_root="${workspaceFolder}",
    ),
    Client(
        "codex",
        "Codex CLI",
        ".codex/config.toml",
        lambda home: home / ".codex" / "config.toml",
        ("mcp_servers",),
        _plain,
        user_guide=lambda home: home / ".codex" / "AGENTS.md",
    ),
    Client(
        "gemini",
        "Gemini CLI",
        ".gemini/settings.json",
        lambda home: home / ".gemini" / "settings.json",
        ("mcpServers",),
        _plain,
        guide="GEMINI.md",
        user_guide=lambda home: home / ".gemini" / "GEMINI.md",
    ),
    Client(
        "opencode",
        "OpenCode",
        "opencode.json",
        lambda home: home / ".config" / "opencode" / "opencode.json",
        ("mcp",),
        _opencode,
        user_guide=lambda home: home / ".config" / "opencode" / "AGENTS.md",
    ),
    Client(
        "windsurf",
        "Windsurf",
        None,
        lambda home: home / ".codeium" / "windsurf" / "mcp_config.json",
        ("mcpServers",),
        _plain,
        needs_path=True,
    ),
    Client("zed", "Zed", ".zed/settings.json", _zed_user, ("context_servers",), _zed),
    Client(
        "copilot",
        "Copilot CLI",
        ".github/mcp.json",
        lambda home: home / ".copilot" / "mcp-config.json",
        ("mcpServers",),
        _copilot,
        # From about thirty tools on, its tool search does as that of Claude Code does.
        eager={"deferTools": "never"},
    ),
    Client(
        "jetbrains",
        "JetBrains Junie",  # the AI Assistant of the same IDEs has a dialogue for servers, and no file
        ".junie/mcp/mcp.json",
        lambda home: home / ".junie" / "mcp" / "mcp.json",
        ("mcpServers",),
        _plain,
        user_guide=lambda home: home / ".junie" / "AGENTS.md",
    ),
    Client(
        "kiro",
        "Kiro",
        ".kiro/settings/mcp.json",
        lambda home: home / ".kiro" / "settings" / "mcp.json",
        ("mcpServers",),
        _plain,
    ),
    Client(
        "cline",
        "Cline",
        None,
        lambda home: home / ".cline" / "data" / "settings" / "cline_mcp_settings.json",
        ("mcpServers",),
        _plain,
        needs_path=True,  # starts servers in /
    ),
    Client("roo", "Roo Code", ".roo/mcp.json", _roo_user, ("mcpServers",), _plain),
    Client(
        "amp",
        "Amp",
        ".amp/settings.json",
        lambda home: home / ".config" / "amp" / "settings.json",
        ("amp.mcpServers",),
        _plain,
        user_guide=lambda home: home / ".config" / "amp" / "AGENTS.md",
    ),
    Client("goose", "Goose", None, _goose_user, ("extensions",), _goose),
    Client(
        "qwen",
        "Qwen Code",
        ".qwen/settings.json",
        lambda home: home / ".qwen" / "settings.json",
        ("mcpServers",),
        _plain,
        guide="QWEN.md",
        user_guide=lambda home: home / ".qwen" / "QWEN.md",
    ),
)
BY_KEY: Mapping[str, Client] = {client.key: client for client in CLIENTS}
