"""Connecting an agent runs nothing of the project, writes where it said, and keeps what people wrote."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from sightline.errors import ConfigError
from sightline.indexer.files.programs import find_program, trusted_path
from sightline.server.install import settings as install
from sightline.server.install.clients import BY_KEY

COMMAND = ["sightline"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def program(folder: Path, name: str, marker: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\ntouch '{marker}'\n")
    file.chmod(0o755)
    return file


def test_without_sightline_on_the_path_the_projects_own_module_is_not_run(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = project / "sightline" / "server"
    planted.mkdir(parents=True)
    for file in (project / "sightline" / "__init__.py", planted / "__init__.py", planted / "__main__.py"):
        file.write_text(f"open({str(tmp_path / 'executed')!r}, 'w').close()\n")
    (project / "typer.py").write_text(f"open({str(tmp_path / 'executed')!r}, 'w').close()\n")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    command = install.server_command("user", project)
    done = subprocess.run([*command, "--version"], cwd=project, capture_output=True, timeout=120, check=True)
    assert done.stdout.startswith(b"sightline ")
    assert not (tmp_path / "executed").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="scripts are made otherwise there")
def test_a_sightline_that_the_project_put_on_the_path_is_not_used(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(project / "bin", "sightline", tmp_path / "executed")
    linked = tmp_path / "linked"
    linked.symlink_to(project / "bin")
    monkeypatch.chdir(project)
    for entry in (".", "bin", "", str(project / "bin"), str(linked), str(project / "bin" / ".." / "bin")):
        monkeypatch.setenv("PATH", os.pathsep.join([entry, "/usr/bin", "/bin"]))
        for scope in ("user", "project"):
            assert install.server_command(scope, project) == [sys.executable, "-P", "-m", "sightline.server"]
    own = program(tmp_path / "own", "sightline", tmp_path / "executed")
    monkeypatch.setenv("PATH", os.pathsep.join([str(project / "bin"), str(own.parent)]))
    assert install.server_command("user", project) == [str(own)]
    assert find_program("sightline", trusted_path(project)) == str(own)


def test_what_the_client_saved_after_the_diff_is_not_overwritten(project: Path, home: Path) -> None:
    client = BY_KEY["cursor"]
    settings = project / ".cursor" / "mcp.json"
    settings.parent.mkdir()
    settings.write_text('{"mcpServers": {}}\n')
    edit = install.plan_install(client, "project", project, home, COMMAND)
    settings.write_text('{"mcpServers": {"other": {"command": "x"}}}\n')
    with pytest.raises(ConfigError, match="changed meanwhile"):
        edit.apply()
    assert "other" in settings.read_text()
    settings.unlink()
    with pytest.raises(ConfigError, match="changed meanwhile"):
        edit.apply()
    assert not settings.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize("what", ["file", "folder", "late"])
def test_a_project_cannot_have_another_file_written(project: Path, home: Path, tmp_path: Path, what: str) -> None:
    client = BY_KEY["cursor"]
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "mcp.json").write_text('{"mine": 1}\n')
    if what == "folder":
        (project / ".cursor").symlink_to(victim)
    else:
        (project / ".cursor").mkdir()
    if what == "late":
        edit = install.plan_install(client, "project", project, home, COMMAND)
        (project / ".cursor").rmdir()
        (project / ".cursor").symlink_to(victim)
        with pytest.raises(ConfigError):
            edit.apply()
    else:
        if what == "file":
            (project / ".cursor" / "mcp.json").symlink_to(victim / "mcp.json")
        with pytest.raises(ConfigError, match="is a link"):
            install.plan_install(client, "project", project, home, COMMAND)
    assert (victim / "mcp.json").read_text() == '{"mine": 1}\n'


def entry(path: Path, *keys: str) -> Any:
    value: Any = tomllib.loads(path.read_text()) if path.suffix == ".toml" else json.loads(path.read_text())
    for key in keys:
        value = value[key]
    return value


@pytest.mark.parametrize("key", ["cursor", "zed", "codex", "opencode"])
def test_what_a_person_added_to_our_entry_stays(project: Path, home: Path, key: str) -> None:
    client = BY_KEY[key]
    install.plan_install(client, "user", project, home, COMMAND).apply()
    path = install.settings_file(client, "user", project, home)
    place = (*client.container, "sightline")
    if path.suffix == ".toml":
        path.write_text(path.read_text() + 'startup_timeout_sec = 20\n\n[mcp_servers.sightline.env]\nA = "b \\" c"\n')
    else:
        settings = json.loads(path.read_text())
        value = settings
        for name in place:
            value = value[name]
        value |= {"env": {"A": 'b " c'}, "startup_timeout_sec": 20}
        path.write_text(json.dumps(settings))
    install.plan_install(client, "user", project, home, ["/new/sightline"]).apply()
    after = entry(path, *place)
    assert after["env"] == {"A": 'b " c'}
    assert after["startup_timeout_sec"] == 20
    assert "/new/sightline" in json.dumps(after["command"])
    assert not install.plan_install(client, "user", project, home, ["/new/sightline"]).changes


def test_an_entry_for_another_way_of_talking_becomes_one_that_starts_a_command(project: Path, home: Path) -> None:
    client = BY_KEY["cursor"]
    path = install.settings_file(client, "user", project, home)
    path.parent.mkdir(parents=True)
    path.write_text(
        '{"mcpServers": {"sightline": {"url": "http://localhost:1/mcp", "headers": {}, "env": {"A": "b"}}}}'
    )
    install.plan_install(client, "user", project, home, COMMAND).apply()
    after = entry(path, "mcpServers", "sightline")
    assert after.keys() == {"command", "args", "env"}


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes by name there")
def test_a_pipe_in_place_of_settings_is_refused_at_once(project: Path, home: Path) -> None:
    (project / ".cursor").mkdir()
    os.mkfifo(project / ".cursor" / "mcp.json")
    with pytest.raises(ConfigError, match="not a settings file"):
        install.plan_install(BY_KEY["cursor"], "project", project, home, COMMAND)
    with pytest.raises(ConfigError, match="not a settings file"):
        install.plan_uninstall(BY_KEY["cursor"], "project", project, home)
