"""What makes the command pleasant: examples that are right, a status that is watched, a pace, pictures."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
import threading
from pathlib import Path
from xml.etree import ElementTree

import pytest
import typer

from sightline.indexer.pipeline import Progress
from sightline.server.cli.catchup import Pace
from sightline.server.cli.commands import cli
from sightline.server.cli.examples import EXAMPLES
from tests.support.commands import Run
from tests.support.waiting import BOUND_S, wait_for

LINES = [(name, line) for name, lines in EXAMPLES.items() for line in lines]


@pytest.mark.parametrize(("name", "line"), LINES, ids=[line for _, line in LINES])
def test_every_example_is_a_legal_command_line(name: str, line: str) -> None:
    program, command, *arguments = shlex.split(line)
    assert (program, command) == ("sightline", name)
    known = typer.main.get_command(cli)
    known.commands[command].make_context(command, arguments)  # type: ignore[attr-defined]  # raises for what is wrong


def test_every_command_has_examples_below_its_help(sightline: Run) -> None:
    for name in typer.main.get_command(cli).commands:  # type: ignore[attr-defined]
        shown = sightline(name, "--help").stdout
        assert f"Examples:\n    {EXAMPLES[name][0]}\n" in shown


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT for one process there")
@pytest.mark.parametrize("as_json", [False, True])
def test_a_watched_status_is_shown_again_when_it_changes(
    shop: Path, environment: dict[str, str], sightline: Run, as_json: bool
) -> None:
    line = [sys.executable, "-m", "sightline.server", "status", str(shop), "--watch", *(["--json"] if as_json else [])]
    watching = subprocess.Popen(line, env=environment, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    assert watching.stdout is not None
    said: list[str] = []
    reader = threading.Thread(target=lambda: said.extend(watching.stdout or ()), daemon=True)
    reader.start()
    try:
        wait_for(lambda: "none" in "".join(said), "the first status")
        assert sightline("index", shop).returncode == 0
        wait_for(lambda: "ready" in "".join(said), "the next one")
        watching.send_signal(signal.SIGINT)
        assert watching.wait(timeout=BOUND_S) == 0
    finally:
        watching.kill()
        reader.join(timeout=BOUND_S)
        watching.stdout.close()
    if as_json:
        assert next(json.loads(each)["roots"][0]["state"] for each in said) == "none"


def test_the_pace_is_of_the_last_seconds_and_says_how_long_it_will_take() -> None:
    now = [0.0]
    pace = Pace(clock=lambda: now[0])
    assert pace.said(Progress("files", 0, 1_000, 0)) == ""  # too early
    for second in range(1, 31):
        now[0] = float(second)
        slow = pace.said(Progress("files", 10 * second, 1_000, 1_000_000 * second))
    assert slow == "10 files/s, 1.0 MB/s, 1:10 left"
    for second in range(31, 61):
        now[0] = float(second)
        fast = pace.said(Progress("files", min(300 + 20 * (second - 30), 1_000), 1_000, 30_000_000))
    assert fast == "20 files/s, 0.0 MB/s, 0:05 left"
    now[0] = 61.0
    assert pace.said(Progress("files", 1_000, 1_000, 30_000_000)).endswith("0:00 left")


def test_pictures_of_a_map_and_of_a_neighbourhood_are_written(shop: Path, sightline: Run, tmp_path: Path) -> None:
    drawn = sightline("export", shop, "--format", "svg", "--start", "AuthService.login", "-o", tmp_path / "a.svg")
    assert drawn.returncode == 0
    text = "".join(ElementTree.parse(tmp_path / "a.svg").getroot().itertext())
    assert "AuthService.login" in text
    assert "validate_credentials" in text
    assert sightline("export", shop, "--format", "mermaid").stdout.startswith("flowchart TD\n")
    inside = sightline("export", shop, "--format", "dot", "--folder", "src/auth").stdout
    assert 'label="service.py"' in inside
    assert 'label="cart.ts"' not in inside


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--format", "svg", "--start", "AuthServise"), "is not one symbol"),
        (("--format", "svg", "--folder", "nowhere"), "no files below"),
        (("--format", "bmp"), "known ones: jsonl, graphml, svg, mermaid, dot"),
        (("--format", "svg", "--start", "x", "--direction", "up"), "unknown direction"),
    ],
)
def test_a_picture_of_nothing_is_refused_with_a_hint(
    shop: Path, sightline: Run, arguments: tuple[str, ...], said: str
) -> None:
    done = sightline("export", shop, *arguments)
    assert done.returncode == 2
    assert said in done.stderr


@pytest.mark.parametrize(
    "asked", ["which functions call `close` directly", "who calls `close`?", "from `a` to `b`, in order"]
)
def test_a_question_whose_names_the_shell_took_is_refused_with_a_hint(shop: Path, sightline: Run, asked: str) -> None:
    emptied = re.sub("`[^`]*`", "", asked)
    done = sightline("research", emptied, shop)
    assert done.returncode == 2
    assert "single quotes" in done.stderr and repr(emptied) in done.stderr


@pytest.mark.parametrize(
    "asked", ["who calls `close`?", "Close it.  Who calls close?", "who calls close() and open (both)?"]
)
def test_a_question_without_a_gap_is_asked_as_it_is(shop: Path, sightline: Run, asked: str) -> None:
    assert "single quotes" not in sightline("research", asked, shop).stderr
