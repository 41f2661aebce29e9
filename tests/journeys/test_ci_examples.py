"""The CI examples of docs/SHARING.md: their very commands publish, and a laptop pulls what they published."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import Client
from mcp.types import TextResourceContents

from tests.support.repositories import committed
from tests.support.waiting import BOUND_S
from tests.support.wire import with_stdio_client

PAGE = (Path(__file__).parents[2] / "docs" / "SHARING.md").read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r"^## (GitHub Actions|GitLab)\n\n```yaml\n(.*?)```", PAGE, re.M | re.S))


def commands_of(block: str) -> list[str]:
    """The command lines of an example, as a shell runs them."""
    return re.findall(r"^ *- (?:run: )?((?:pip|sightline) .*)$", block, re.M)


@pytest.mark.skipif(sys.platform == "win32", reason="the examples are for a POSIX shell")
@pytest.mark.parametrize("title", ["GitHub Actions", "GitLab"])
def test_the_commands_of_an_example_publish_what_a_laptop_pulls(
    title: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    installs, publishes = commands_of(EXAMPLES[title])
    assert installs == "pip install 'sightline[s3]'", "the one command that is not run here: it is installed already"
    repository = tmp_path / "repository"
    committed(repository, {"a.py": "def alpha():\n    return 1\n"})
    programs = os.pathsep.join([str(Path(sys.executable).parent), environment.get("PATH", os.defpath)])
    place = tmp_path / "place"
    ci = {**environment, "PATH": programs, "PLACE": str(place), "SIGHTLINE_INDEX_DIR": str(tmp_path / "ci")}

    def ran(line: str, env: dict[str, str]) -> str:
        done = subprocess.run(
            ["/bin/sh", "-c", line],
            cwd=repository,
            env=env,
            capture_output=True,
            text=True,
            timeout=BOUND_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "published to" in ran(publishes, ci)
    committed(repository, {"b.py": "from a import alpha\n"})
    ran(publishes, ci)
    laptop = {**ci, "SIGHTLINE_INDEX_DIR": str(tmp_path / "laptop")}
    ran('sightline pull --from "$PLACE"', laptop)
    assert f"of {place} at" in ran("sightline status", laptop)


def test_a_server_begins_with_a_published_index_where_the_person_allows_it(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    repository, place = tmp_path / "repository", tmp_path / "place"
    committed(repository, {"a.py": "def alpha():\n    return 1\n"})
    home = {"SIGHTLINE_INDEX_DIR": str(tmp_path / "ci")}
    line = [sys.executable, "-P", "-m", "sightline.server", "publish", str(repository), "--to", str(place)]
    subprocess.run(line, env={**environment, **home}, check=True, timeout=BOUND_S, capture_output=True)
    committed(repository, {".sightline.toml": f'[bundle]\nsource = "{place}"\n', "b.py": "from a import alpha\n"})
    began: dict[str, str] = {}

    async def scenario(client: Client) -> None:
        (status,) = (await client.read_resource("sightline://status")).contents
        assert isinstance(status, TextResourceContents)
        (root,) = json.loads(status.text)["roots"]
        began["with"] = root["origin"]["base"]

    home["SIGHTLINE_INDEX_DIR"] = str(tmp_path / "not allowed")
    with_stdio_client(repository, {**environment, **home}, scenario)
    assert began["with"] == ""
    home |= {"SIGHTLINE_INDEX_DIR": str(tmp_path / "allowed"), "SIGHTLINE_SOURCES": str(place)}
    with_stdio_client(repository, {**environment, **home}, scenario)
    assert began["with"].startswith(f"{place} at ")
