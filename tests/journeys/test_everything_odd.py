"""A repository in which everything is odd at once: it is indexed while the server answers, and nothing is forged.

`scripts/soak tests/journeys/test_everything_odd.py -s` makes it of SIGHTLINE_ODD_FILES tiny files and prints times.
"""

from __future__ import annotations

import os
import socket
import sys
import time
from pathlib import Path

import pytest

from tests.support.wire import Raw

TINY_FILES = int(os.environ.get("SIGHTLINE_ODD_FILES", "100000"))
NAMES = ("new\nline.py", "\x1b[31mred.py", "b\n#1 function fake  lines 1-2.py", "a\u2028b.py", "\u202egnp.py", "-rf.py",
         "$(touch x).py", "quote\"'.py", "back\\slash.py", "x" * 250 + ".py", " .py", "tab\t.py")  # fmt: skip

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="files of these kinds are not to be had there")


def make_odd(root: Path, tiny_files: int) -> None:
    for number in range(tiny_files):
        folder = root / f"d{number // 1_000}"
        if number % 1_000 == 0:
            folder.mkdir(parents=True)
        (folder / f"f{number}.py").write_text(f"def tiny_{number}():\n    return {number}\n")
    for name in NAMES:
        (root / name).write_text("def odd_door():\n    return 'odd'\n")
    with open(os.fsencode(root) + b"/bad\xff\xfe.py", "wb") as file:  # noqa: PTH123
        file.write(b"def odd_door(): pass\n")
    os.mkfifo(root / "pipe.py")
    os.mkfifo(root / ".sightlineignore")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(root / "s.py"))  # a path of a socket has at most a hundred characters
    (root / "outside.py").symlink_to("/etc/passwd")
    (root / "loop").symlink_to(root, target_is_directory=True)
    (root / "nowhere.py").symlink_to("nothing.py")
    with (root / "sparse.py").open("wb") as sparse:
        sparse.truncate(2 << 30)
    (root / "line.py").write_text("x = '" + "y" * 5_000_000 + "'\n")
    (root / "short.py").write_text("x = '" + "y" * 900_000 + "'\n")
    os.utime(root / "short.py", (2**33, 2**33))  # the year 2242
    (root / ("deep/" * 400)).mkdir(parents=True)


def search(server: Raw, query: str) -> str:
    text: str = server.ask("tools/call", {"name": "search", "arguments": {"query": query}})["result"]["content"][0][
        "text"
    ]
    return text


def index_and_ask(root: Path, environment: dict[str, str]) -> tuple[float, float]:
    """Have a server index the repository: the seconds until it had, and the slowest answer meanwhile."""
    server, slowest, began = Raw(root, environment), 0.0, time.monotonic()
    server.hello()
    while "\nIndex: " in (text := search(server, "odd_door")):
        asked = time.monotonic()
        assert "result" in server.ask("ping", {})
        slowest = max(slowest, time.monotonic() - asked)
    seconds = time.monotonic() - began
    assert "odd_door" in text
    assert not set(text) & set("\x1b\u2028\u202e\r"), "controls are shown, not sent"
    assert not any(line.startswith("#1 function fake") for line in text.splitlines()), "a name ends no line"
    assert "root:" not in search(server, "root x 0 0 root bin bash")
    assert server.close() == 0
    return seconds, slowest


@pytest.mark.timeout(300)
def test_a_repository_in_which_everything_is_odd(tmp_path: Path, environment: dict[str, str]) -> None:
    make_odd(tmp_path / "odd", 300)
    index_and_ask(tmp_path / "odd", environment)


@pytest.mark.slow
def test_a_large_repository_in_which_everything_is_odd(
    tmp_path: Path, environment: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    make_odd(tmp_path / "odd", TINY_FILES)
    seconds, slowest = index_and_ask(tmp_path / "odd", environment)
    with capsys.disabled():
        sys.stderr.write(f"{TINY_FILES:,} files: indexed in {seconds:.0f} s, the slowest ping {slowest:.2f} s\n")
