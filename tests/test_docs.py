"""What is documented is what there is: tools, arguments, commands, options, clients; and the README's examples run."""

from __future__ import annotations

import re
import runpy
import shlex
from pathlib import Path

import pytest

from sightline.server import tools
from sightline.server.cli.commands import COMMAND_OF_TOOL
from sightline.server.cli.main import run
from sightline.server.install.clients import CLIENTS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
REFERENCE = (ROOT / "docs" / "REFERENCE.md").read_text(encoding="utf-8")
WRITTEN_BY = runpy.run_path(str(ROOT / "scripts" / "reference.py"))
EXAMPLES = [
    line
    for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
    if line.startswith("sightline ") and not line.startswith(("sightline serve", "sightline watch"))
]


def test_the_reference_is_what_the_tables_say() -> None:
    assert WRITTEN_BY["page"]() == REFERENCE, "run scripts/docs"


def test_every_tool_argument_is_a_flag_of_its_command(capsys: pytest.CaptureFixture[str]) -> None:
    for tool in tools.TOOLS:
        assert run([COMMAND_OF_TOOL[tool.name], "--help"]) == 0
        shown = capsys.readouterr().out
        for argument in tool.arguments:
            name = argument.name.upper() if argument.required else "--" + argument.name.replace("_", "-")
            assert name in shown


def test_the_readme_names_every_tool_and_client() -> None:
    for tool in tools.TOOLS:
        assert f"`{tool.name}`" in README
    for client in CLIENTS:
        assert f"`{client.key}`" in README


def test_every_command_of_the_readme_exists() -> None:
    known = set(WRITTEN_BY["commands"]())
    for command in re.findall(r"\bsightline ([a-z]+)\b", README):
        assert command in known | {"serve"}, command


@pytest.mark.parametrize("line", EXAMPLES)
def test_the_examples_of_the_readme_run(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "auth.py").write_text(
        "def validate_credentials(user):\n    return bool(user)\n\n\n"
        "class AuthService:\n    def login(self, user):\n        return validate_credentials(user)\n\n"
        "    def remove_expired_sessions(self):\n        '''Remove expired sessions.'''\n"
    )
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SIGHTLINE_INDEX_DIR", str(tmp_path / "indexes"))
    monkeypatch.chdir(project)
    if line == "sightline status":
        assert run(["index"]) == 0
    assert run(shlex.split(line)[1:]) == 0, capsys.readouterr()
