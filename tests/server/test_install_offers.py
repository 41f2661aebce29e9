"""What `install` offers beside an entry in the settings: shown first, found again, taken back."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from sightline.errors import ConfigError
from sightline.server.cli.main import run
from sightline.server.install import guide, plugin, yamlfile
from sightline.server.install import settings as install
from sightline.server.install.clients import CLIENTS, Client

COMMAND = ["sightline"]
CLAUDE = install.client_of("claude-code")
DEFERRING = [client for client in CLIENTS if client.eager]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    return folder


@pytest.fixture
def project(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("client", DEFERRING, ids=[client.key for client in DEFERRING])
def test_a_client_that_defers_tools_is_told_to_load_ours(client: Client, project: Path, home: Path) -> None:
    install.plan_install(client, "project", project, home, COMMAND, eager=True).apply()
    path = install.settings_file(client, "project", project, home)
    entry = json.loads(path.read_text())[client.container[0]]["sightline"]
    assert client.eager.items() <= entry.items()
    again = install.plan_install(client, "project", project, home, COMMAND)
    assert not again.changes, "what was chosen stays when nobody speaks of it"
    install.plan_install(client, "project", project, home, COMMAND, eager=False).apply()
    entry = json.loads(path.read_text())[client.container[0]]["sightline"]
    assert not client.eager.keys() & entry.keys()


@pytest.mark.parametrize(
    "before", ["", "# Mine\n\ntext\n", "# Mine\n\ntext", "# Mine\r\n\r\ntext\r\n", "text\n\n\n"], ids=repr
)
def test_the_paragraph_comes_and_goes_and_leaves_the_file_as_it_was(before: str, project: Path) -> None:
    path = project / "CLAUDE.md"
    text = guide.with_paragraph(before, path)
    assert text.count(guide.BEGIN) == 1
    assert text.replace("\r\n", "\n").count(guide.PARAGRAPH) == 1
    assert guide.with_paragraph(text, path) == text, "doing it twice changes nothing"
    assert guide.without_paragraph(text, path).strip("\n") == before.strip("\n")
    if before:
        assert guide.without_paragraph(text, path) == before


def test_what_a_person_wrote_around_the_paragraph_stays(project: Path) -> None:
    path = project / "CLAUDE.md"
    text = guide.with_paragraph("# Mine\n", path) + "\nwritten later\n"
    assert guide.without_paragraph(text, path) == "# Mine\n\nwritten later\n"


def test_an_older_paragraph_is_replaced_where_it_stands(project: Path) -> None:
    path = project / "CLAUDE.md"
    text = f"above\n\n{guide.BEGIN}\nolder words\n{guide.END}\n\nbelow\n"
    after = guide.with_paragraph(text, path)
    assert "older words" not in after
    assert after.startswith("above\n\n" + guide.BEGIN)
    assert after.endswith(guide.END + "\n\nbelow\n")


@pytest.mark.parametrize("text", [f"{guide.BEGIN}\nx", f"x\n{guide.END}", f"{guide.END}\n{guide.BEGIN}"])
def test_marks_that_are_not_as_written_are_refused(text: str, project: Path) -> None:
    with pytest.raises(ConfigError, match="marks of Sightline"):
        guide.with_paragraph(text, project / "AGENTS.md")
    with pytest.raises(ConfigError):
        guide.without_paragraph(text, project / "AGENTS.md")


def test_the_paragraph_is_short_and_names_every_tool() -> None:
    from sightline.server import tools

    lines = [line for line in guide.PARAGRAPH.splitlines() if line]
    assert len(lines) <= 8
    for tool in tools.TOOLS:
        assert f"`{tool.name}`" in guide.PARAGRAPH
        assert f"mcp__sightline__{tool.name}" in plugin.files()["skills/find-code/SKILL.md"]


def test_everything_is_shown_written_and_taken_back(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "CLAUDE.md").write_text("# Mine\n")
    before = files_of(project)
    line = ["install", "claude-code", "--eager", "--guide", "--plugin"]
    assert run([*line, "--dry-run"]) == 0
    shown = capsys.readouterr().out
    for part in ("alwaysLoad", "+## Finding code", "plugin.json", "SKILL.md"):
        assert part in shown
    assert files_of(project) == before
    assert run([*line, "--yes"]) == 0
    assert (project / ".claude/skills/sightline/.claude-plugin/plugin.json").exists()
    assert run(["uninstall", "claude-code", "--yes"]) == 0
    assert files_of(project) == before
    assert not (project / ".claude/skills/sightline").exists()


def test_without_a_terminal_nothing_is_written_that_was_not_asked_for(project: Path) -> None:
    assert run(["install", "claude-code", "--yes"]) == 0
    assert list(files_of(project)) == [".mcp.json"]
    assert "alwaysLoad" not in (project / ".mcp.json").read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_on_a_terminal_each_is_asked_for(project: Path, home: Path) -> None:
    from tests.support.terminal import answering

    code, said = answering(
        [sys.executable, "-P", "-m", "sightline.server", "install", "claude-code"],
        [("from the start?", "y"), ("paragraph", "y"), ("plugin with a skill", "n"), ("Write this?", "y")],
        cwd=project,
        env={**os.environ, "HOME": str(home)},
    )
    assert code == 0, said
    assert "alwaysLoad" in (project / ".mcp.json").read_text()
    assert guide.BEGIN in (project / "CLAUDE.md").read_text()
    assert not (project / ".claude").exists()


def test_a_paragraph_that_two_clients_read_goes_with_the_last(project: Path) -> None:
    assert run(["install", "codex", "cursor", "--guide", "--yes"]) == 0
    assert (project / "AGENTS.md").read_text().count(guide.BEGIN) == 1
    assert run(["uninstall", "codex", "--yes"]) == 0
    assert guide.BEGIN in (project / "AGENTS.md").read_text()
    assert run(["uninstall", "cursor", "--yes"]) == 0
    assert not (project / "AGENTS.md").exists()


def test_a_folder_of_that_name_which_is_not_ours_is_refused(project: Path, home: Path) -> None:
    theirs = project / ".claude" / "skills" / "sightline"
    theirs.mkdir(parents=True)
    (theirs / "SKILL.md").write_text("mine")
    with pytest.raises(ConfigError, match="not a folder that Sightline wrote"):
        plugin.plan_plugin(CLAUDE, "project", project, home)
    assert not plugin.plan_no_plugin(CLAUDE, "project", project, home)


def test_what_a_person_put_into_the_plugin_folder_stays(project: Path, home: Path) -> None:
    for edit in plugin.plan_plugin(CLAUDE, "project", project, home):
        edit.apply()
    kept = project / ".claude/skills/sightline/skills/mine/SKILL.md"
    kept.parent.mkdir()
    kept.write_text("mine")
    for edit in plugin.plan_no_plugin(CLAUDE, "project", project, home):
        edit.apply()
    assert [str(path.relative_to(project)) for path in project.rglob("*") if path.is_file()] == [
        ".claude/skills/sightline/skills/mine/SKILL.md"
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="links")
@pytest.mark.parametrize("what", ["CLAUDE.md", ".claude", ".claude/skills/sightline"])
def test_a_project_cannot_have_other_files_written_by_a_link(
    what: str, project: Path, home: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    link = project / what
    link.parent.mkdir(parents=True, exist_ok=True)
    if what.endswith(".md"):
        (elsewhere / "f").write_text("theirs")
        link.symlink_to(elsewhere / "f")
    else:
        link.symlink_to(elsewhere)
    assert run(["install", "claude-code", "--guide", "--plugin", "--yes"]) == 2
    assert files_of(elsewhere) in ({}, {"f": b"theirs"})


def test_text_of_the_project_cannot_talk_to_the_terminal(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "CLAUDE.md").write_text("\x1b]0;owned\x07 # Mine\u202e\n")
    assert run(["install", "claude-code", "--guide", "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "\\x1b]0;owned" in shown


GOOSE = install.client_of("goose")


@pytest.mark.parametrize(
    "before",
    [
        "",
        "GOOSE_MODE: auto # mine\n",
        "extensions:\n  developer:\n    enabled: true\n    type: builtin\n\n# tail\nGOOSE_MODEL: m\n",
        "a: 1\nextensions:\n    other:\n        cmd: x\n        args:\n        - y\nb:\n- 1\n- 2\n",
        "extensions:\n  zed: # last\n    envs: {}\n",
    ],
)
def test_goose_keeps_everything_else_in_its_yaml(before: str) -> None:
    entry = install.entry_for(GOOSE, Path("/p"), COMMAND)
    after = yamlfile.set_entry(before, "extensions", entry)
    assert yamlfile.get_entry(after, "extensions") == entry
    assert yamlfile.set_entry(after, "extensions", entry) == after
    for line in before.splitlines():
        assert line in after.splitlines()
    assert yamlfile.remove_entry(after, "extensions") == before


def test_what_goose_made_of_our_entry_is_understood_and_additions_stay() -> None:
    text = (
        "extensions:\n  sightline:\n    enabled: true\n    type: stdio\n    name: sightline\n"
        "    description: Code search and a symbol graph of this project\n    cmd: /old/sightline\n    args:\n"
        "    - serve\n    envs:\n      A: 'b'\n    timeout: 300\n    bundled: null\n  other:\n    cmd: x\n"
    )
    known = yamlfile.get_entry(text, "extensions")
    assert known is not None
    assert known["args"] == ["serve"]
    assert known["timeout"] == 300
    merged = {**known, "cmd": "/new/sightline"}
    after = yamlfile.set_entry(text, "extensions", merged)
    assert "    envs:\n      A: 'b'\n" in after
    assert 'cmd: "/new/sightline"' in after
    assert after.endswith("  other:\n    cmd: x\n")


@pytest.mark.parametrize(
    "text",
    [
        "extensions: {a: {cmd: x}}\n",
        "extensions:\n\tdeveloper:\n\t\tenabled: true\n",
        "---\na: 1\n---\nextensions:\n",
        "extensions:\n  - list\n",
        "extensions:\n  sightline: {cmd: x}\n",
        "extensions:\n  a: 1\nextensions:\n  b: 2\n",
        '"extensions":\n  a: 1\n',
        '{\n  "a": 1\n}\n',
        "just text\n",
    ],
)
def test_yaml_in_another_form_is_refused(text: str, project: Path, home: Path) -> None:
    path = install.settings_file(GOOSE, "user", project, home)
    path.parent.mkdir(parents=True)
    path.write_text(text)
    with pytest.raises(ConfigError, match="nothing was changed"):
        install.plan_install(GOOSE, "user", project, home, COMMAND)
    assert path.read_text() == text
