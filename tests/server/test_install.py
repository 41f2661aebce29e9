"""Connecting a coding agent changes its settings file by one entry, and back."""

from __future__ import annotations

import json
import os
import sys
import tomllib
from pathlib import Path

import pytest

from sightline.errors import ConfigError
from sightline.server.cli.main import run
from sightline.server.install import jsonc, yamlfile
from sightline.server.install import settings as install
from sightline.server.install.clients import CLIENTS, Client, Scope

COMMAND = ["sightline"]
EVERY = [
    (client, scope) for client in CLIENTS for scope in ("project", "user") if scope == "user" or client.project_file
]
IDS = [f"{client.key}-{scope}" for client, scope in EVERY]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def entry_in(path: Path, client: Client) -> object:
    if path.suffix == ".toml":
        return tomllib.loads(path.read_text())[client.container[0]]["sightline"]
    if path.suffix == ".yaml":
        return yamlfile.get_entry(path.read_text(), client.container[0])
    return jsonc.get_member(path.read_text(), (*client.container, "sightline"))


@pytest.mark.parametrize(("client", "scope"), EVERY, ids=IDS)
def test_install_makes_the_file_and_uninstall_takes_it_away(
    client: Client, scope: Scope, project: Path, home: Path
) -> None:
    edit = install.plan_install(client, scope, project, home, COMMAND)
    assert edit.before is None
    assert "+" in edit.diff
    assert not edit.path.exists(), "planning writes nothing"
    edit.apply()
    entry = entry_in(edit.path, client)
    assert isinstance(entry, dict)
    assert "serve" in json.dumps(entry)
    assert not install.plan_install(client, scope, project, home, COMMAND).changes, "doing it twice changes nothing"
    install.plan_uninstall(client, scope, project, home).apply()
    assert not edit.path.exists()


@pytest.mark.parametrize(("client", "scope"), EVERY, ids=IDS)
def test_foreign_entries_and_comments_survive(client: Client, scope: Scope, project: Path, home: Path) -> None:
    path = install.settings_file(client, scope, project, home)
    path.parent.mkdir(parents=True, exist_ok=True)
    name = client.container[0]
    if path.suffix == ".toml":
        before = f'# mine\nmodel = "o"\n\n[{name}.other]\ncommand = "x" # why\n\n# tail\n[tui]\nx = 1\n'
    elif path.suffix == ".yaml":
        before = f"# mine\n{name}:\n  other:\n    cmd: x # why\ntail:\n- 1\n"
    else:
        before = f'{{\n  // mine\n  "{name}": {{\n    "other": {{"command": "x"}} // why\n  }},\n  "tail": [1]\n}}\n'
    path.write_text(before)
    install.plan_install(client, scope, project, home, COMMAND).apply()
    text = path.read_text()
    assert "mine" in text
    assert "why" in text
    assert "other" in text
    install.plan_uninstall(client, scope, project, home).apply()
    assert path.read_text() == before


def test_an_older_entry_is_replaced_not_doubled(project: Path, home: Path) -> None:
    codex = install.client_of("codex")
    install.plan_install(codex, "user", project, home, ["/old/sightline"]).apply()
    edit = install.plan_install(codex, "user", project, home, ["/new/sightline"])
    edit.apply()
    assert edit.path.read_text().count("[mcp_servers.sightline]") == 1
    assert "/new/sightline" in edit.path.read_text()


def test_a_text_that_only_looks_like_our_entry_is_left_alone(project: Path, home: Path) -> None:
    """Such as a note in a setting, which an edit by lines would cut in two."""
    codex = install.client_of("codex")
    path = install.settings_file(codex, "user", project, home)
    path.parent.mkdir(parents=True)
    path.write_text('notes = """\n[mcp_servers.sightline]\nis added by install\n[other]\nis not\n"""\nmodel = "o"\n')
    with pytest.raises(ConfigError, match="nothing was changed"):
        install.plan_uninstall(codex, "user", project, home)
    with pytest.raises(ConfigError, match="nothing was changed"):
        install.plan_install(codex, "user", project, home, COMMAND)


def test_what_cannot_be_understood_is_left_alone(project: Path, home: Path) -> None:
    path = project / ".mcp.json"
    path.write_text('{"mcpServers": ')
    with pytest.raises(ConfigError, match="nothing was changed"):
        install.plan_install(install.client_of("claude-code"), "project", project, home, COMMAND)
    assert path.read_text() == '{"mcpServers": '


@pytest.mark.skipif(sys.platform == "win32", reason="links and modes")
def test_a_linked_settings_file_is_changed_where_it_lives_and_keeps_its_mode(project: Path, home: Path) -> None:
    real = home / "dotfiles.json"
    real.write_text("{}")
    real.chmod(0o600)
    (home / ".claude.json").symlink_to(real)
    install.plan_install(install.client_of("claude-code"), "user", project, home, COMMAND).apply()
    assert (home / ".claude.json").is_symlink()
    assert "sightline" in real.read_text()
    assert real.stat().st_mode & 0o777 == 0o600


def test_a_client_without_project_settings_says_so(project: Path, home: Path) -> None:
    with pytest.raises(ConfigError, match="--scope user"):
        install.plan_install(install.client_of("windsurf"), "project", project, home, COMMAND)


def test_an_unknown_client_is_refused_with_the_nearest(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["install", "cursr"]) == 2
    assert "did you mean cursor?" in capsys.readouterr().err


def test_the_command_shows_a_diff_and_a_dry_run_writes_nothing(
    project: Path, home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    assert run(["install", "claude-code", "cursor", "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert '+    "sightline": {' in shown
    assert not list(project.rglob("*.json"))
    assert run(["install", "claude-code", "cursor", "--yes"]) == 0
    assert (project / ".mcp.json").exists()
    assert "${workspaceFolder}" in (project / ".cursor" / "mcp.json").read_text()
    assert run(["uninstall", "claude-code", "cursor", "--yes"]) == 0
    assert not list(project.rglob("*.json"))


def test_any_other_client_gets_a_snippet(project: Path, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["install", "--print", "--project", str(project), "--command", "uvx sightline"]) == 0
    out = capsys.readouterr().out
    snippet = json.loads(out[out.index("{") :])
    server = snippet["mcpServers"]["sightline"]
    assert [server["command"], *server["args"]] == ["uvx", "sightline", "serve", os.fspath(project.resolve())]
